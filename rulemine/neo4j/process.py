"""Neo4j in a process of its own: ``python -m rulemine.neo4j.process JARS FOLDER PORT HEAP``.

Prints one line when it answers, the port; ends on SIGTERM, and, with ``attached`` after the heap, when its
standard input ends, that is, when the process that started it ends. It is a separate process because it holds
a JVM of its own and runs code under another license.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from rulemine.mining.java_home import find_jvm

_OPENED = ("java.nio", "sun.nio.ch", "java.lang", "java.io", "java.util.concurrent")
"""Packages of Java that Neo4j asks to be opened."""

_PROCEDURES = ("apoc.any.*", "apoc.meta.*", "apoc.schema.*")
"""Of APOC, what says which labels and properties a graph has; nothing that reads files or the network."""

_PAGES = 128 << 20
"""Bytes of its cache of pages, outside the heap."""


def serve(jars: Path, folder: Path, port: int, heap: str, attached: bool) -> None:
    """Runs the server until it gets a signal to end.

    Args:
        jars: The folder of the jars.
        folder: The folder of its data.
        port: A port of this machine; 0: any that is free.
        heap: The heap of the JVM.
        attached: Whether it ends when the standard input does.
    """
    import jpype

    # A server that scores predictions has none of them; one that other programs ask has.
    plugins = [] if attached else sorted((jars / "plugins").glob("*.jar"))
    jpype.startJVM(
        str(find_jvm()),
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED),
        classpath=[str(path) for path in [*sorted(jars.glob("*.jar")), *plugins]],
        interrupt=False,
    )
    java = jpype.JClass
    bolt = java("org.neo4j.configuration.connectors.BoltConnector")
    settings = java("org.neo4j.configuration.GraphDatabaseSettings")
    true, false = java("java.lang.Boolean").TRUE, java("java.lang.Boolean").FALSE
    address = java("org.neo4j.configuration.helpers.SocketAddress")("127.0.0.1", port)
    builder = java("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(
        java("java.nio.file.Path").of(str(folder))
    )
    procedures = java("java.util.Arrays").asList(list(_PROCEDURES))
    of_plugins = (
        (settings.plugin_dir, java("java.nio.file.Path").of(str(jars / "plugins"))),
        (settings.procedure_allowlist, procedures),
        (settings.procedure_unrestricted, procedures),
    )
    for setting, value in (
        (bolt.enabled, true),
        (bolt.listen_address, address),
        (settings.auth_enabled, false),
        (settings.preallocate_logical_logs, false),
        (settings.pagecache_memory, java("java.lang.Long").valueOf(_PAGES)),
        *(of_plugins if plugins else ()),
    ):
        builder.setConfig(setting, value)
    service = builder.build()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    try:
        register = (
            service.database("neo4j")
            .getDependencyResolver()
            .resolveDependency(java("org.neo4j.configuration.connectors.ConnectorPortRegister"))
        )
        kind = java("org.neo4j.configuration.connectors.ConnectorType").BOLT
        os.write(1, f"{register.getLocalAddress(kind).getPort()}\n".encode())
        if attached:
            threading.Thread(target=_end_with_input, args=(ended,), daemon=True).start()
        while not ended.wait(1.0):
            pass
    finally:
        service.shutdown()


def _end_with_input(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


if __name__ == "__main__":
    jars, folder, port, heap, *attached = sys.argv[1:]
    serve(Path(jars), Path(folder), int(port), heap, bool(attached))
