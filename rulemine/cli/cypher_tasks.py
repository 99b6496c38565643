"""The command ``cypher-tasks``: questions over a property graph, with their Cypher and their rows.

A command imports what it needs when it runs. It takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from rulemine.cli.console import (
    bar,
    check_output,
    emit,
    emit_pieces,
    note,
    output_file,
    refuse_idle,
    summarize,
)
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError, counted

__all__ = ["add_cypher_tasks"]

_PER_TEMPLATE = 40
_MOST = 10_000
"""As many instances of each pattern are looked at, again and again."""


def add_cypher_tasks(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``cypher-tasks``."""
    parser = add_command(
        commands,
        "cypher-tasks",
        cypher_tasks,
        "ask questions over a property graph, with their Cypher",
    )
    parser.add_argument(
        "graph",
        metavar="GRAPH",
        help="demo, geography, or a file that rulemine graph reads, such as SimpleKG JSON",
    )
    parser.add_argument("-o", "--output", type=output_file, required=True, metavar="FILE",
                        help="the tasks, a line each (JSON); - is standard output")  # fmt: skip
    parser.add_argument("--per-template", type=int, metavar="N",
                        help=f"tasks of each MATCH template, at most ({_PER_TEMPLATE})")  # fmt: skip
    parser.add_argument("--seed", type=int, metavar="N", help="which tasks (0)")
    parser.add_argument(
        "--characteristics", type=Path, metavar="FILE",
        help="what relations are like, in TOML, for the checks of realism; what the graph shows if not given",
    )  # fmt: skip
    parser.add_argument("--draft", action="store_true",
                        help="write what the graph shows of its relations instead, to be edited")  # fmt: skip


def cypher_tasks(arguments: Namespace) -> int:
    """Runs ``cypher-tasks``."""
    from rulemine.builder.cypher.instantiate import Tally, make_tasks, task_row
    from rulemine.builder.cypher.realism import (
        characteristics_text,
        draft_characteristics,
        read_characteristics,
    )
    from rulemine.codec import dump_line
    from rulemine.datasets.property_graphs import load_property_graph

    output: Path = arguments.output
    if arguments.draft:
        refuse_idle(arguments, "tasks", "per_template", "seed", "characteristics")
    per_template = _PER_TEMPLATE if arguments.per_template is None else arguments.per_template
    if not 1 <= per_template <= _MOST:
        raise ConfigError(f"--per-template is {per_template}; expected 1 … {_MOST:,}.")
    check_output(output)
    with bar("graph") as loading:
        graph = load_property_graph(arguments.graph, note=note, progress=loading)
    if arguments.draft:
        emit(characteristics_text(draft_characteristics(graph)), output)
        summarize(f"{output}: {counted(len(graph.schema.relations), 'relation')}", output)
        return 0
    given = arguments.characteristics
    known = read_characteristics(given, graph.schema) if given else draft_characteristics(graph)
    tally = Tally()

    def lines() -> Iterator[str]:
        with bar("tasks") as progress:
            tasks = make_tasks(
                graph, known, per_template=per_template, seed=arguments.seed or 0, tally=tally
            )
            for made, task in enumerate(tasks, start=1):
                progress(made, 0)  # how many there can be is not known
                yield f"{dump_line(task_row(task))}\n"

    emit_pieces(lines(), output)
    made = {match: number for (match, what), number in tally.items() if what == "tasks"}
    summarize(f"{output}: {counted(sum(made.values()), 'task')}", output)
    dropped: dict[str, int] = {}
    for (_, what), number in tally.items():
        if what not in ("tasks", "patterns"):
            dropped[what] = dropped.get(what, 0) + number
    if dropped:
        summarize(
            "  patterns dropped: " + ", ".join(f"{n:,} {what}" for what, n in dropped.items()),
            output,
        )
    if empty := [match for match, number in made.items() if not number]:
        summarize(f"  no task of: {', '.join(empty)}", output)
    return 0
