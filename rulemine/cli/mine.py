"""The command ``mine``."""

import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.build import refuse_beside_cluster
from rulemine.cli.console import (
    Line,
    bar,
    check_output,
    emit,
    emit_pieces,
    note,
    refuse_idle,
    say,
)
from rulemine.cli.parser import Parser, Subcommand, add_flags, arg, format_of, given
from rulemine.errors import UserError, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rulemine.kg.graph import KnowledgeGraph
    from rulemine.mining import AmieJar, MiningOptions, Resources, TimeLimit
    from rulemine.rules.rule import Rule

__all__ = ["MINE"]

INCOMPLETE = 3
"""Exit status of a run that was ended by the time limit."""

MOST_NAMED = 10
"""Number of relations that a message names."""


def mine(arguments: Namespace) -> int:
    """Runs ``mine``."""
    # Mining has no linear algebra, and each thread of numpy's spins for a while when it starts.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rulemine.cluster import opened
    from rulemine.datasets.registry import load_kg
    from rulemine.mining import MiningOptions, Resources, TimeLimit, explain_no_rules
    from rulemine.mining import mine as mine_rules

    resources = Resources(**given(arguments, "resources."))
    limit = TimeLimit(resources.limit_seconds)
    options = MiningOptions(**given(arguments, "mining."))
    output: Path | None = arguments.output
    check_output(output)
    jar = _jar(arguments)
    refuse_beside_cluster(arguments)
    with bar("read") as progress:
        kg = load_kg(arguments.kg, progress, note, arguments.columns, arguments.strict)
    if jar is not None:
        return _mine_by_amie(jar, arguments, kg, options, resources, limit)
    line = Line()
    with opened(arguments.cluster, note) as cluster, line.watch("mine") as progress:
        rules = mine_rules(
            kg,
            options,
            resources,
            progress,
            limit=limit,
            on_warning=line.note,
            run=cluster.unordered if arguments.cluster else None,
        )
    if not (rules or rules.unfinished):
        raise UserError(f"{arguments.kg}: {explain_no_rules(kg, options)}")
    with bar("write") as progress:
        emit_pieces(rules.text(arguments.format, limit, progress), output)
    say(_made(rules, kg, arguments.format), sys.stderr)
    if rules.unfinished:
        say(_explain_unfinished(rules.unfinished, limit.seconds), sys.stderr)
        return INCOMPLETE
    return 0


def _jar(arguments: Namespace) -> "AmieJar | None":
    """The AMIE to mine with; None: this package's miner."""
    if arguments.amie_jar is None:
        return None
    refuse_idle(arguments, "this package's miner", "cluster")
    from rulemine.mining import AmieJar

    return AmieJar.open(arguments.amie_jar)


def _mine_by_amie(
    jar: "AmieJar",
    arguments: Namespace,
    kg: "KnowledgeGraph",
    options: "MiningOptions",
    resources: "Resources",
    limit: "TimeLimit",
) -> int:
    """Runs ``mine --amie-jar``."""
    from rulemine.mining import explain_no_rules
    from rulemine.rules.formats import anyburl_line, format_amie, json_text

    with Line().watch("mine by AMIE"):
        rules = jar.mine(kg, options, resources, limit)
    if not rules:
        raise UserError(f"{arguments.kg}: {explain_no_rules(kg, options)}")
    line_of = {"jsonl": json_text, "anyburl": anyburl_line}.get(arguments.format)
    emit("".join(map(line_of, rules)) if line_of else format_amie(rules), arguments.output)
    say(
        f"{_made(rules, kg, arguments.format)}, by {jar.path.name} (SHA-256 {jar.digest})",
        sys.stderr,
    )
    return 0


def _made(rules: "Sequence[Rule]", kg: "KnowledgeGraph", form: str) -> str:
    from rulemine.rules.formats import anyburl_line

    duplicates = f" ({counted(kg.duplicates, 'duplicate line')})" if kg.duplicates else ""
    made = f"{counted(len(rules), 'rule')} from {counted(len(kg), 'triple')}{duplicates}"
    rest = sum(not anyburl_line(rule) for rule in rules) if form == "anyburl" else 0
    return made + f", {rest:,} left out, whose bodies are no paths as AnyBURL has" * (rest > 0)


def _explain_unfinished(heads: tuple[str, ...], seconds: float | None) -> str:
    """Names the missing head relations."""
    named = ", ".join(heads[:MOST_NAMED]) + (", …" if len(heads) > MOST_NAMED else "")
    return (
        f"incomplete: ended after {seconds:g} s; no rules yet for {counted(len(heads), 'head relation')}: "
        f"{named}. Give it more time (--limit-seconds), or raise the thresholds."
    )


def _add_options(parser: Parser) -> None:
    from rulemine.config import keys_of
    from rulemine.mining import MiningOptions, Resources

    add_flags(parser, keys_of(MiningOptions(), "mining."))
    add_flags(parser, keys_of(Resources(), "resources."))


MINE = Subcommand(
    "mine", mine, "mine the rules of a knowledge graph",
    (
        arg("kg", "KG", "a graph or the name of a data set"),
        format_of("jsonl", "amie", "anyburl"), "output columns strict cluster",
        arg("--amie-jar", "JAR", "the original AMIE mines: amie3.5.1.jar", Path),
    ),
    "A build has other defaults: rulemine build --keys mining",
    options=_add_options,
)  # fmt: skip
