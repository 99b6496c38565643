"""The command ``serve``: a page, an endpoint for SPARQL, or a real Neo4j.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import contextlib
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import Subcommand, arg, switch
from rulemine.cli.console import Line, bar, refuse_idle, say
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from http.server import HTTPServer

__all__ = ["NEO4J", "SERVE", "SPARQL", "serve"]


def serve(arguments: Namespace) -> int:
    """Runs ``serve``."""
    from rulemine.evaluation.reporting.documents import document_of_questions
    from rulemine.evaluation.reporting.files import to_html
    from rulemine.evaluation.reporting.loopback import make_server
    from rulemine.release.reader import Release

    with bar("serve") as advance:
        release = Release.open(arguments.release)
        page = to_html(document_of_questions(release, split_of(arguments.split or "test"), advance))
    with make_server(page, 8765 if arguments.port is None else arguments.port) as server:
        return _until_interrupted(server, "/ (Ctrl-C ends)")


def _until_interrupted(server: "HTTPServer", place: str) -> int:
    print(f"http://127.0.0.1:{server.server_port}{place}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    return 0


def serve_sparql(arguments: Namespace) -> int:
    """Runs ``serve sparql``."""
    from rulemine.evaluation.reporting.loopback import LoopbackHandler, listen
    from rulemine.exports.endpoint import make_endpoint, workers_of
    from rulemine.exports.exporting import naming_for
    from rulemine.exports.protocol import ExportInput
    from rulemine.release.reader import Release

    line = Line()
    release = Release.open(arguments.release)
    listen(
        arguments.port, LoopbackHandler
    ).server_close()  # a port in use is reported before the work
    with line.watch("serve") as advance:
        naming = naming_for(release, arguments.naming, line.note)
        given = ExportInput(release, naming, arguments.kg, progress=advance, note=line.note)
        workers = workers_of(given, arguments.iris, arguments.timeout, arguments.max_rows)
    about = (
        f"{release.name}, {arguments.kg} graph: {counted(len(given.kg), 'triple')}, "
        f"{counted(len(given.kg.entities), 'entity', 'entities')}, named {naming}"
    )
    with contextlib.closing(workers), make_endpoint(workers, arguments.port, about) as server:
        return _until_interrupted(server, f"/sparql (Ctrl-C ends)\n{about}")


_URL = "bolt://127.0.0.1:7687"

_FOLDER, _PORT, _HEAP = Path("out/neo4j"), 7687, "1g"


def neo4j(arguments: Namespace) -> int:
    """Runs ``serve neo4j``."""
    loads = arguments.action == "load"
    if (arguments.release is None) == loads:
        what = "DIR is missing, the release to load." if loads else "takes no DIR."
        raise ConfigError(f"serve neo4j {arguments.action}: {what}")
    if not loads:
        refuse_idle(arguments, "serve neo4j load", "kg", "url", "database", "replace")
    if arguments.action != "start":
        refuse_idle(arguments, "serve neo4j start", "folder", "port", "heap")
    if loads:
        return _load(arguments)
    from rulemine.neo4j.server import start, stop

    if arguments.action == "stop":
        made = stop()
        say(
            "no Neo4j was started by rulemine serve neo4j start"
            if made is None
            else f"{made.url} ended"
        )
        return 0
    line = Line()
    with line.watch("neo4j"):
        port = _PORT if arguments.port is None else arguments.port
        made = start(arguments.folder or _FOLDER, port, arguments.heap or _HEAP, line.note)
    where = f"{made.url} (process {made.pid}, data in {made.folder})"
    say(f"{where}; end it: rulemine serve neo4j stop")
    return 0


def _load(arguments: Namespace) -> int:
    from rulemine.neo4j.bolt import connected
    from rulemine.release.reader import Release

    line = Line()
    release = Release.open(arguments.release)
    which, url = arguments.kg or "incomplete", arguments.url or _URL
    with line.watch("neo4j"), connected(url, arguments.database) as bolt:
        if release.has_property_graph:
            graph = release.property_graph(which)
            nodes, edges = len(graph.nodes), len(graph.edges)
            bolt.load_properties(graph, replace=arguments.replace)
        else:
            kg = release.kg(which)
            nodes, edges = len(kg.entities), len(kg)
            bolt.load(kg, replace=arguments.replace)
    say(
        f"{counted(nodes, 'node')} and {counted(edges, 'relationship')} in {url}; the "
        "questions' Cypher: rulemine export DIR --to neo4j"
    )
    return 0


SERVE = Subcommand(
    "serve", serve, "serve a page of a release, SPARQL about its graph, or a Neo4j",
    (
        "release split",
        arg("--port", "N", "port on this machine, 0 for any that is free (8765)", int),
    ),
)  # fmt: skip

SPARQL = Subcommand(
    "serve sparql", serve_sparql, "answer SPARQL queries about the graph of a release",
    (
        "release kg naming",
        arg("--iris", "WHICH", "freebase (ns:m.e00039) or release (entity:NAME) (freebase)",
            default="freebase"),
        arg("--port", "N", "port on this machine, 0 for any that is free (8890)", int, default=8890),
        arg("--timeout", "S", "seconds after which a query is ended (30)", float, default=30.0),
        arg("--max-rows", "N", "rows of a result; the rest is cut off (100000)", int, default=100_000),
    ),
)  # fmt: skip

NEO4J = Subcommand(
    "serve neo4j", neo4j, "start a Neo4j on this machine, load a release's graph, end it",
    (
        arg("action", None, "start: Neo4j Community in the background, fetched with Maven once; load: write "
            "the graph of a release into it; stop: end it", choices=("start", "load", "stop")),
        arg("release", "DIR", "folder or archive of the release, for load", Path, nargs="?"),
        "kg?",
        arg("--url", "URL", f"where to load it, any address of Bolt ({_URL})"),
        arg("--database", "NAME", "a database of that server (its own choice)"),
        switch("--replace", "delete first what the database holds"),
        arg("--folder", "FOLDER", f"folder of the data of a server that is started ({_FOLDER})", Path),
        arg("--port", "N", f"its port on this machine, 0 for any that is free ({_PORT})", int),
        arg("--heap", "SIZE", f"heap of its JVM ({_HEAP})"),
    ),
)  # fmt: skip
