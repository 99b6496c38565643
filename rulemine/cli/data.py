"""The command ``data``: known data sets, and artificial graphs.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

from argparse import Namespace
from pathlib import Path

from rulemine.cli.arguments import Subcommand, arg
from rulemine.cli.console import (
    STANDARD_OUTPUT,
    bar,
    check_output,
    note,
    output_file,
    refuse_idle,
    say,
    summarize,
    written,
)
from rulemine.config import packaged
from rulemine.errors import ConfigError, OutputError, UserError, counted, did_you_mean

__all__ = ["DATA", "GENERATE"]

TRIPLES, RELATIONS = 100_000, 100
"""Planted rules of a synthetic graph by default."""

_SHIPPED = {"demo": ("world.tsv", "triple"), "demo-texts": ("texts.txt", "text")}
"""What is generated → its file in the package, and what a line of it is."""

_RULES_PLANTED = """\
types of --rule: symmetry, inversion, hierarchy, composition; the option may be repeated.
The planted rules of a synthetic graph are listed in FILE.rules.jsonl.
"""


def generate(arguments: Namespace) -> int:
    """Runs ``generate``."""
    from rulemine.datasets.synthetic import DEFAULT_RULES, Synthetic, rules_file, write_synthetic
    from rulemine.files import read_lines, write_lines
    from rulemine.seeds import check_seed

    output: Path = arguments.output
    check_output(output)
    check_seed(arguments.seed or 0)
    if arguments.what != "synthetic":
        idle = ("triples", "relations", "entities", "rule", "shape", "seed")
        refuse_idle(arguments, "data generate synthetic", *idle)
        file, what = _SHIPPED[arguments.what]
        lines = read_lines(packaged("datasets", "demo", file))
        with written(output) as path:
            write_lines(path, (f"{line}\n" for line in lines))
        summarize(f"{output}: {counted(len(lines), what)}", output)
        return 0
    graph = Synthetic(
        TRIPLES if arguments.triples is None else arguments.triples,
        RELATIONS if arguments.relations is None else arguments.relations,
        arguments.seed or 0,
        entities=arguments.entities,
        rules=arguments.rule or DEFAULT_RULES,
        shape=arguments.shape or "even",
    )
    beside = rules_file(output)
    if beside.exists() and not output.exists():
        raise OutputError(
            f"{beside}: was not made by this program, which needs that name. Move it away, or choose another "
            "place with -o."
        )
    with written(output) as path, bar("generate") as advance:
        write_synthetic(graph, path, advance)
    summarize(f"{output}: {counted(graph.triples, 'triple')}", output)
    if output == STANDARD_OUTPUT or not output.is_file():
        note(
            f"the {len(graph.planted)} planted rules are not written; -o FILE lists them beside it"
        )
    else:
        say(f"{rules_file(output)}: {counted(len(graph.planted), 'planted rule')}")
    return 0


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
    "data", data, "list data sets, download, find or generate one",
    (
        arg("what", None, "what to do", choices=("list", "get", "path")),
        arg("name", "NAME", "of the data set", nargs="?"),
    ),
)  # fmt: skip

GENERATE = Subcommand(
    "data generate", generate, "generate an artificial knowledge graph",
    (
        arg("what", None, "synthetic: random, with planted rules; demo: the world of the demo; demo-texts: "
            "texts about it", choices=("synthetic", "demo", "demo-texts")),
        arg("--triples", "N", "(100000)", int),
        arg("--relations", "R", "(100)", int),
        arg("--entities", "E", "number of entities (N / 10)", int),
        arg("--rule", "TYPE:X", "plant this rule with standard confidence X (eight rules)", action="append"),
        arg("--shape", None, "wikidata: few large relations, many small ones, and hubs, with 1000 relations "
            "best (even)", choices=("even", "wikidata")),
        arg("--seed", "N", "of all random choices (0)", int),
        arg("-o --output", "FILE", "TSV, plain or .gz; - is standard output", output_file, required=True),
    ),
    _RULES_PLANTED,
)  # fmt: skip
