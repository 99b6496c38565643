"""The command ``mine``."""

import argparse
import os
import sys
from argparse import Namespace
from pathlib import Path

from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    bar,
    check_output,
    emit_pieces,
    note,
    output_file,
)
from rulemine.cli.parser import Parser, add_command, add_means
from rulemine.errors import ConfigError, OutputError, UserError

__all__ = ["add_mining"]

INCOMPLETE = 3
"""Exit status of a run that a limit of time has ended."""

MOST_NAMED = 10
"""How many relations are named in a message."""


def _names(texts: list[str] | None) -> tuple[str, ...]:
    """The names that an option lists, each text being ``a,b,…`` or ``@file`` with one a line."""
    from rulemine.files import read_lines

    names: list[str] = []
    for text in texts or ():
        if text.startswith("@"):
            names += [line.strip() for line in read_lines(Path(text[1:])) if line.strip()]
        else:
            names += [name.strip() for name in text.split(",") if name.strip()]
    if texts and not names:
        raise ConfigError(f"mine: {texts[0]!r} names no relation; expected a,b,… or @FILE.")
    return tuple(names)


def mine(arguments: Namespace) -> int:
    """``mine``."""
    from rulemine.datasets.registry import files_of, load_kg
    from rulemine.mining import MiningOptions, Resources, TimeLimit, explain_no_rules
    from rulemine.mining import mine as mine_rules

    resources = Resources(arguments.threads, arguments.heap, arguments.limit_seconds)
    limit = TimeLimit(resources.limit_seconds)
    options = MiningOptions(
        max_atoms=arguments.max_atoms,
        min_head_coverage=arguments.min_head_coverage,
        min_std_confidence=arguments.min_std_confidence,
        min_pca_confidence=arguments.min_pca_confidence,
        min_initial_support=arguments.min_initial_support,
        head_relations=_names(arguments.head_relations),
        body_relations=_names(arguments.body_relations),
        exclude_relations=_names(arguments.exclude_relations),
        max_recursion=arguments.max_recursion,
        skyline=not arguments.no_skyline,
        perfect_pruning=not arguments.no_perfect_pruning,
        constants=arguments.constants,
        injective=arguments.injective,
    )
    output: Path | None = arguments.output
    lists = (arguments.head_relations, arguments.body_relations, arguments.exclude_relations)
    files = [Path(text[1:]) for texts in lists for text in texts or () if text.startswith("@")]
    check_output(output, *files_of(arguments.kg), *files)
    checkpoint, missing = _beside(output, ".journal"), _beside(output, ".missing")
    if arguments.resume and checkpoint is None:
        raise ConfigError(
            "mine: --resume continues from a file beside the output; give -o FILE too."
        )
    if missing and checkpoint and os.path.lexists(missing) and not checkpoint.exists():
        raise OutputError(
            f"{missing}: was not made by this program, which needs that name. Move it away, or choose "
            "another place with -o."
        )
    with bar("read") as progress:
        kg = load_kg(arguments.kg, progress, note)
    line = Line()
    with line.watch("mine") as progress:
        rules = mine_rules(
            kg,
            options,
            resources,
            progress,
            checkpoint=checkpoint,
            resume=arguments.resume,
            limit=limit,
            on_warning=line.note,
        )
    if not (rules or rules.unfinished):
        raise UserError(f"{arguments.kg}: {explain_no_rules(kg, options)}")
    with bar("write") as progress:
        emit_pieces(rules.text(arguments.format, limit, progress), output)
    duplicates = f" ({kg.duplicates} duplicate lines)" if kg.duplicates else ""
    print(f"{len(rules)} rules from {len(kg)} triples{duplicates}", file=sys.stderr)
    if rules.unfinished:
        print(_explain_unfinished(rules.unfinished, limit.seconds, missing), file=sys.stderr)
        return INCOMPLETE
    rules.discard_checkpoint()
    if missing is not None:
        missing.unlink(missing_ok=True)
    return 0


def _beside(output: Path | None, ending: str) -> Path | None:
    """A file named like the output; None beside what is no file, e.g. ``/dev/null``."""
    if output in (None, STANDARD_OUTPUT) or (output.exists() and not output.is_file()):
        return None
    return output.with_name(output.name + ending)


def _explain_unfinished(heads: tuple[str, ...], seconds: float | None, missing: Path | None) -> str:
    """Says which head relations are missing; all of them are named in a file beside the output."""
    text = (
        f"incomplete: ended after {seconds:g} s; no rules yet for {len(heads)} head relation(s): "
    )
    text += ", ".join(heads[:MOST_NAMED]) + (", …" if len(heads) > MOST_NAMED else "")
    if missing is None:
        return text
    from rulemine.files import write_text

    write_text(missing, "".join(f"{head}\n" for head in heads))
    return (
        f"{text}\nAll are named in {missing}; the same command with --resume continues from here."
    )


def add_mining(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``mine``."""
    parser = add_command(commands, "mine", mine, "mine the rules of a knowledge graph")
    parser.add_argument("kg", metavar="KG", help="TSV (plain, .gz, .zst) or the name of a data set")
    parser.add_argument("--max-atoms", type=int, default=3, metavar="N", help="with the head (3)")
    for name, default in (
        ("head-coverage", 0.01),
        ("std-confidence", 0.1),
        ("pca-confidence", 0.1),
    ):
        parser.add_argument(
            f"--min-{name}", type=float, default=default, metavar="X", help=f"({default})"
        )
    parser.add_argument(
        "--min-initial-support",
        type=int,
        default=100,
        metavar="N",
        help="triples of a head relation (100)",
    )
    for where, what in (
        ("head", "only these as heads"),
        ("body", "only these in bodies"),
        ("exclude", "these nowhere"),
    ):
        parser.add_argument(
            f"--{where}-relations",
            action="append",
            metavar="NAMES",
            help=f"{what}: a,b,… or @FILE with one a line",
        )
    parser.add_argument(
        "--max-recursion", type=int, default=3, metavar="N", help="atoms of one relation (3)"
    )
    parser.add_argument(
        "--no-skyline", action="store_true", help="keep rules no better than shorter ones"
    )
    parser.add_argument(
        "--no-perfect-pruning", action="store_true", help="extend rules of PCA confidence 1 too"
    )
    parser.add_argument(
        "--constants", action="store_true", help="entities in atoms too; for 3 atoms at most"
    )
    parser.add_argument(
        "--injective", action="store_true", help="different variables: different entities"
    )
    parser.add_argument(
        "--limit-seconds",
        type=float,
        metavar="X",
        help="end then, writing included, with the head relations finished by then; exit status 3",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue from FILE.journal, left beside -o FILE by a run that was killed or limited",
    )
    parser.add_argument("--format", choices=("jsonl", "amie"), default="jsonl", help="(jsonl)")
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )
    add_means(parser)
