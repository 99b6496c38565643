"""The command ``serve``: a release as a page in the browser.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.console import bar
from rulemine.cli.parser import Parser, add_command

__all__ = ["add_serving"]


def add_serving(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``serve``."""
    parser = add_command(
        commands, "serve", serve, "show the questions of a release with their proofs in the browser"
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--port", type=int, default=8765, metavar="N",
                        help="port on this machine, 0 for any that is free (8765)")  # fmt: skip


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
