"""The command ``neo4j``: a real Neo4j on this machine, loaded with the graph of a release.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from rulemine.cli.console import Line, refuse_idle, say
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError

__all__ = ["add_neo4j"]

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
        if release.kind == "cypher":
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
