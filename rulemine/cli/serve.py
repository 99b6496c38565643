"""The commands that serve: ``serve`` (a page), ``serve-sparql`` (an endpoint) and ``neo4j`` (a real Neo4j).

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
import contextlib
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.console import Line, bar, refuse_idle, say
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError

__all__ = ["add_neo4j", "add_serving"]


def add_serving(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the commands ``serve`` and ``serve-sparql``."""
    parser = add_command(
        commands, "serve", serve, "show the questions of a release with their proofs in the browser"
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--port", type=int, default=8765, metavar="N",
                        help="port on this machine, 0 for any that is free (8765)")  # fmt: skip
    parser = add_command(
        commands, "serve-sparql", serve_sparql, "answer SPARQL queries about the graph of a release"
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("--kg", default="incomplete", metavar="GRAPH",
                        help="complete, incomplete or incomplete-LEVEL (incomplete)")  # fmt: skip
    parser.add_argument(
        "--naming", metavar="NAMING", help="private, entity or text (the release's)"
    )
    parser.add_argument("--iris", default="freebase", metavar="WHICH",
                        help="freebase (ns:m.e00039) or release (entity:NAME) (freebase)")  # fmt: skip
    parser.add_argument("--port", type=int, default=8890, metavar="N",
                        help="port on this machine, 0 for any that is free (8890)")  # fmt: skip
    parser.add_argument("--timeout", type=float, default=30.0, metavar="S",
                        help="seconds after which a query is ended (30)")  # fmt: skip
    parser.add_argument("--max-rows", type=int, default=100_000, metavar="N",
                        help="rows of a result; the rest is cut off (100000)")  # fmt: skip


def serve(arguments: Namespace) -> int:
    """``serve``."""
    from rulemine.evaluation.reporting.html import to_html
    from rulemine.evaluation.reporting.server import make_server
    from rulemine.evaluation.reporting.single import document_of_questions
    from rulemine.release.reader import Release

    with bar("serve") as tell:
        release = Release.open(arguments.release)
        page = to_html(document_of_questions(release, split_of(arguments.split), tell))
    with make_server(page, arguments.port) as server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def serve_sparql(arguments: Namespace) -> int:
    """``serve-sparql``."""
    from rulemine.cli.console import Line
    from rulemine.errors import counted
    from rulemine.evaluation.reporting.loopback import LoopbackHandler, listen
    from rulemine.exports.endpoint import make_endpoint, workers_of
    from rulemine.exports.exporting import naming_for
    from rulemine.exports.protocol import ExportInput
    from rulemine.release.reader import Release

    line = Line()
    release = Release.open(arguments.release)
    listen(arguments.port, LoopbackHandler).server_close()  # a port in use is told before the work
    with line.watch("serve-sparql") as tell:
        naming = naming_for(release, arguments.naming, line.note)
        given = ExportInput(release, naming, arguments.kg, progress=tell, note=line.note)
        workers = workers_of(given, arguments.iris, arguments.timeout, arguments.max_rows)
    about = (
        f"{release.name}, {arguments.kg} graph: {counted(len(given.kg), 'triple')}, "
        f"{counted(len(given.kg.entities), 'entity', 'entities')}, named {naming}"
    )
    with contextlib.closing(workers), make_endpoint(workers, arguments.port, about) as server:
        print(f"http://127.0.0.1:{server.server_port}/sparql (Ctrl-C ends)\n{about}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


_URL = "bolt://127.0.0.1:7687"

_FOLDER, _PORT, _HEAP = Path("out/neo4j"), 7687, "1g"


def add_neo4j(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``neo4j``."""
    parser = add_command(
        commands, "neo4j", neo4j, "start a Neo4j on this machine, load a release's graph, end it"
    )
    parser.add_argument(
        "action",
        choices=("start", "load", "stop"),
        help="start: Neo4j Community in the background, fetched with Maven once; load: write the graph of a "
        "release into it; stop: end it",
    )
    parser.add_argument("release", type=Path, nargs="?", metavar="DIR",
                        help="folder or archive of the release, for load")  # fmt: skip
    parser.add_argument("--kg", metavar="GRAPH",
                        help="complete, incomplete or incomplete-LEVEL (incomplete)")  # fmt: skip
    parser.add_argument("--url", metavar="URL",
                        help=f"where to load it, any address of Bolt ({_URL})")  # fmt: skip
    parser.add_argument(
        "--database", metavar="NAME", help="a database of that server (its own choice)"
    )
    parser.add_argument(
        "--replace", action="store_true", help="delete first what the database holds"
    )
    parser.add_argument("--folder", type=Path, metavar="FOLDER",
                        help="folder of the data of a server that is started (out/neo4j)")  # fmt: skip
    parser.add_argument("--port", type=int, metavar="N",
                        help="its port on this machine, 0 for any that is free (7687)")  # fmt: skip
    parser.add_argument("--heap", metavar="SIZE", help="heap of its JVM (1g)")


def neo4j(arguments: Namespace) -> int:
    """``neo4j``."""
    loads = arguments.action == "load"
    if (arguments.release is None) == loads:
        what = "DIR is missing, the release to load." if loads else "takes no DIR."
        raise ConfigError(f"neo4j {arguments.action}: {what}")
    if not loads:
        refuse_idle(arguments, "neo4j load", "kg", "url", "database", "replace")
    if arguments.action != "start":
        refuse_idle(arguments, "neo4j start", "folder", "port", "heap")
    run: dict[str, Callable[[Namespace], int]] = {"start": _start, "load": _load, "stop": _stop}
    return run[arguments.action](arguments)


def _start(arguments: Namespace) -> int:
    from rulemine.neo4j.server import start

    line = Line()
    with line.watch("neo4j"):
        port = _PORT if arguments.port is None else arguments.port
        made = start(arguments.folder or _FOLDER, port, arguments.heap or _HEAP, line.note)
    say(f"{made.url} (process {made.pid}, data in {made.folder}); end it: rulemine neo4j stop")
    return 0


def _stop(arguments: Namespace) -> int:
    from rulemine.neo4j.server import stop

    made = stop()
    say("no Neo4j was started by rulemine neo4j start" if made is None else f"{made.url} ended")
    return 0


def _load(arguments: Namespace) -> int:
    from rulemine.errors import counted
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
