"""The command ``candidates``."""

import argparse
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.console import (
    bar,
    check_output,
    note,
    output_file,
    refuse_idle,
    say,
    summarize,
    written,
)
from rulemine.cli.parser import Parser, add_command
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.builder.subgraphs.by_hand import Verdict
    from rulemine.kg import KnowledgeGraph
    from rulemine.kg.facts import Declarations

__all__ = ["add_checking_candidates"]

_INPUT = """\
FILE has one candidate a line: {"question": …, "nodes": [names], "answer": name,
"triples": [[subject, relation, object], …], "sparql": …}, in the names of the graph,
which SPARQL writes <entity:NAME> and <relation:NAME>, percent-encoded. "atoms" may say
how many triples there should be, "subgraph" which the writer saw.
"""


def add_checking_candidates(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``candidates``."""
    parser = add_command(
        commands,
        "candidates",
        candidates,
        "check questions that were written for a graph, with their SPARQL",
        _INPUT,
    )
    parser.add_argument(
        "kg",
        metavar="KG",
        help="the complete graph (.tsv, .nt or .ttl), the name of a data set, or a release",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the candidates, JSON Lines")
    parser.add_argument("-o", "--output", type=output_file, metavar="FILE",
                        help="write verdicts as JSON Lines instead of printing them")  # fmt: skip
    parser.add_argument(
        "--templates",
        metavar="NAME",
        help="templates that declare which relations state the same facts: a file or a data set (those of "
        "the data set)",
    )
    parser.add_argument("--reference", metavar="KG",
                        help="a graph that must have the used triples, as a later version")  # fmt: skip
    parser.add_argument("--max-answers", type=int, metavar="N", default=10,
                        help="most answers of a question (10)")  # fmt: skip
    parser.add_argument("--timeout", type=float, default=10.0, metavar="S",
                        help="seconds that a query may take (10)")  # fmt: skip
    parser.add_argument("--max-rows", type=int, default=1000, metavar="N",
                        help="rows that a query may give (1000)")  # fmt: skip
    parser.add_argument("--endpoint", default="", metavar="URL",
                        help="SPARQL endpoint to run the queries on (pyoxigraph, here)")  # fmt: skip


def candidates(arguments: Namespace) -> int:
    """``candidates``."""
    from rulemine.builder.subgraphs.by_hand import check_candidates, summary_of
    from rulemine.builder.subgraphs.options import SubgraphSection
    from rulemine.builder.written.execution import executor_of
    from rulemine.builder.written.writer_names import WriterNames
    from rulemine.datasets.registry import load_kg
    from rulemine.files import read_lines, write_jsonl

    check_output(arguments.output)
    _check_limits(arguments)
    lines = read_lines(arguments.file)
    with bar("read"):
        kg, declarations = _read(arguments)
        named = arguments.reference
        reference = frozenset(load_kg(named, note=note).labeled()) if named else None
    options = replace(SubgraphSection(), max_answers=arguments.max_answers)
    running = executor_of(
        WriterNames.plain(kg), arguments.timeout, arguments.max_rows, arguments.endpoint
    )
    with bar("candidates") as tell, running as executor:
        verdicts = list(
            check_candidates(lines, kg, declarations, options, executor, reference, tell)
        )
    if arguments.output is None:
        say("\n".join(map(_line, verdicts)), end="\n\n")
        say(summary_of(verdicts))
        return 0
    with written(arguments.output) as path:
        write_jsonl(path, verdicts)
    summarize(summary_of(verdicts), arguments.output)
    return 0


def _check_limits(arguments: Namespace) -> None:
    most = {"max_answers": 10**9, "timeout": 86_400, "max_rows": 10**9}
    for name, limit in most.items():
        value, least = getattr(arguments, name), 0 if name == "timeout" else 1
        if not (least <= value <= limit and value):
            raise ConfigError(
                f"candidates: --{name.replace('_', '-')} is {value}; expected "
                f"{least or 'more than 0'} … {limit:,}."
            )


def _read(arguments: Namespace) -> "tuple[KnowledgeGraph, Declarations]":
    """The complete graph, and what is declared about its relations."""
    from rulemine.config import packaged
    from rulemine.datasets.registry import load_kg
    from rulemine.phrasing.templates import Templates, load_templates
    from rulemine.release import Release

    named = arguments.templates
    if Path(arguments.kg).is_dir() or Path(arguments.kg).suffix == ".tar":
        refuse_idle(arguments, "a graph without a release", "templates")
        release = Release.open(arguments.kg)
        templates = Templates.from_plain(release.relations().values())
        return release.kg("complete"), templates.declarations
    kg = load_kg(arguments.kg, note=note)
    if named is None and packaged("datasets", arguments.kg, "templates.toml").is_file():
        named = arguments.kg
    return kg, load_templates(named or "", kg.relations).declarations


def _line(verdict: "Verdict") -> str:
    """A verdict for people."""
    from rulemine.text.printing import printable

    start = f"line {verdict['line']}: "
    if not verdict["accepted"]:
        detail = f" ({printable(verdict['detail'])})" if verdict["detail"] else ""
        return f"{start}rejected: {verdict['reason']}{detail}"
    named = f"{verdict['structure']}, " * (verdict["structure"] != verdict["shape"])
    answers = counted(verdict.get("value", len(verdict["answers"])), "answer")
    lines = [
        f"{start}accepted: {printable(verdict['query'])}",
        f"    {named}shape {verdict['shape']}, {counted(verdict['hops'], 'hop')}, {answers}, "
        f"{counted(verdict['evidence'], 'triple')} of full evidence",
    ]
    if dropped := verdict.get("dropped"):
        lines.append(f"    without {' and '.join(dropped)}, which changes no answer")
    if verdict["redundant"]:
        lines.append(f"    not minimal: shape {verdict['minimal_shape']} gives the same answers:")
        lines += [f"        {printable(one['query'])}" for one in verdict["minimal"]]
    return "\n".join(lines)
