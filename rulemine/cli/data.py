"""The command ``data``: known data sets.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace

from rulemine.cli.arguments import Subcommand, arg
from rulemine.cli.console import bar, note, say
from rulemine.errors import ConfigError, UserError, did_you_mean

__all__ = ["DATA"]


def data(arguments: Namespace) -> int:
    """Runs ``data list``, ``data get NAME`` or ``data path NAME``."""
    from rulemine.datasets.registry import data_sets, find_files, get_files
    from rulemine.datasets.sources import describe_folders

    if arguments.what == "list":
        if arguments.name:
            raise ConfigError(
                f"data list {arguments.name}: lists all data sets and takes no name. Leave it out, or "
                f"use: rulemine data path {arguments.name}"
            )
        for name in data_sets():
            try:
                entry = data_sets()[name]
            except (
                ConfigError
            ) as problem:  # a broken entry of another package must not hide the others
                say(f"{name:16} broken  {problem}")
                continue
            there = "here" if all(find_files(name)) else "to get"
            say(f"{name:16} {there:7} {entry.title}\n{'':25}{entry.license}; {entry.source}")
            for file in entry.files:
                size = f"{file.bytes:,} bytes" if file.bytes else "size not known"
                say(f"{'':25}{file.path}: {size}, {file.digest}")
            if entry.conversion:
                say(f"{'':25}{entry.conversion}")
        return 0
    if not arguments.name:
        raise ConfigError(
            f"data {arguments.what}: name a data set; {did_you_mean('', data_sets())}"
        )
    with bar("get") as advance:
        paths = (
            get_files(arguments.name, advance, note)
            if arguments.what == "get"
            else find_files(arguments.name)
        )
    missing = [path for path in paths if path is None]
    if missing:
        raise UserError(
            f"{arguments.name}: not found below {describe_folders()}. Fetch it: rulemine data get "
            f"{arguments.name}"
        )
    for path in paths:
        print(path)
    return 0


DATA = Subcommand(
    "data", data, "list data sets, download or find one",
    (
        arg("what", None, "what to do", choices=("list", "get", "path")),
        arg("name", "NAME", "of the data set", nargs="?"),
    ),
)  # fmt: skip
