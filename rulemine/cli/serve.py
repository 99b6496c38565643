"""The commands ``serve``, a release as a page in the browser, and ``serve-sparql``, its graph as an endpoint.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
import contextlib
from argparse import Namespace
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.console import bar
from rulemine.cli.parser import Parser, add_command

__all__ = ["add_serving"]


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
    from rulemine.exports.endpoint import make_endpoint, workers_of
    from rulemine.exports.exporting import naming_for
    from rulemine.exports.protocol import ExportInput
    from rulemine.loopback import LoopbackHandler, listen
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
