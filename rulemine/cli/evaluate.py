"""The commands that score: ``evaluate`` and ``baselines``.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.console import Line, bar, check_output, emit, output_file, refuse_idle
from rulemine.cli.parser import Parser, add_command, add_wide

__all__ = ["add_scoring"]


def add_scoring(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the commands that score."""
    parser = add_command(commands, "evaluate", evaluate, "score the predictions of a system")
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("predictions", type=Path, metavar="FILE", help="JSON Lines, or JSON")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="predictions to compare with (paired difference)",
    )
    parser.add_argument("--matching", default="vocabulary", metavar="MODE",
                        help="of answer extraction: ids, vocabulary or brink (vocabulary)")  # fmt: skip
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="the first N questions of one fixed order, the core first (as many as the "
                        "file says, or all)")  # fmt: skip
    parser.add_argument("--naming", metavar="NAMING", help="of the predictions (the release's)")
    parser.add_argument("--ignore-case", action="store_true", help="with --matching vocabulary")
    parser.add_argument("--kg", metavar="GRAPH",
                        help="that was answered from: complete, incomplete or incomplete-LEVEL (what the "
                        "file says, or incomplete)")  # fmt: skip
    parser.add_argument("--against-kg", metavar="GRAPH", help="the same of --against")
    parser.add_argument("--level", type=int, metavar="L",
                        help="hard answers are those missing at level L, 1–100 (of the graph)")  # fmt: skip
    parser.add_argument("--missing", choices=("empty", "error"), default="empty",
                        help="questions without a prediction: score as empty, or refuse (empty)")  # fmt: skip
    parser.add_argument(
        "--url", metavar="URL",
        help="of the kind cypher: a server that has the graph that was answered from, on which predicted "
        "queries are run (in memory)",
    )  # fmt: skip
    parser.add_argument("--neo4j", action="store_true",
                        help="of the kind cypher: start a Neo4j for them, and end it")  # fmt: skip
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="of the kind cypher: that a query may take (120)")  # fmt: skip
    parser.add_argument("--seed", type=int, metavar="N", help="of the bootstrap (0)")
    parser.add_argument("--format", default="table",
                        choices=("table", "json", "csv", "markdown", "latex", "html", "questions"),
                        help="of the report (table); html is a page, questions a CSV with a line "
                        "for each question")  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )
    add_wide(parser)
    parser.options = _add_metrics
    parser = add_command(
        commands, "baselines", baselines, "run and score every model-free answerer"
    )
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("--split", default="test", help="train, validation, test or all (test)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of random (0)")
    parser.add_argument("--format", choices=("table", "markdown"), default="table", help="(table)")
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )
    add_wide(parser)


def _add_metrics(parser: Parser) -> None:
    from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS

    parser.add_argument("--metrics", metavar="NAME[,NAME…]",
                        help="of other projects, shown beside ours, of "
                        f"{', '.join(METRICS_OF_OTHERS)}; or all")  # fmt: skip


def evaluate(arguments: Namespace) -> int:
    """``evaluate``."""
    from rulemine.evaluation import evaluate as score
    from rulemine.evaluation.cypher.release_rows import CypherRuns
    from rulemine.evaluation.cypher.runners import SECONDS
    from rulemine.evaluation.metrics_of_others.registry import chosen
    from rulemine.evaluation.prediction_file import PredictionFile
    from rulemine.evaluation.reporting.files import render
    from rulemine.evaluation.reporting.single import document_of_run, run_of_file
    from rulemine.release.reader import Release

    if arguments.matching != "vocabulary":
        refuse_idle(arguments, "--matching vocabulary", "ignore_case")
    if arguments.against is None:
        refuse_idle(arguments, "--against FILE", "against_kg")
    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "wide")
    if arguments.format == "questions":
        refuse_idle(arguments, "other formats than questions", "against", "metrics", "seed")
    check_output(arguments.output)
    line = Line()
    with line.watch("evaluate") as tell:
        release = Release.open(arguments.release)
        runs = None
        given_any = arguments.url or arguments.neo4j or arguments.seconds is not None
        if release.kind == "cypher" or given_any:

            def scored(done: int, total: int) -> None:
                tell(done, total)
                line.status("questions scored")

            seconds = SECONDS if arguments.seconds is None else arguments.seconds
            runs = CypherRuns(arguments.url, arguments.neo4j, seconds, line.note, scored)
        given = PredictionFile(arguments.predictions)
        report = score(
            release,
            given,
            against=arguments.against,
            matching=arguments.matching,
            split=split_of(arguments.split),
            sample=arguments.sample,
            naming=arguments.naming,
            missing=arguments.missing,
            ignore_case=arguments.ignore_case,
            kg=arguments.kg,
            against_kg=arguments.against_kg,
            level=arguments.level,
            seed=arguments.seed or 0,
            metrics=() if arguments.metrics is None else list(chosen(arguments.metrics)),
            cypher=runs,
        )
        if arguments.format in ("latex", "html", "questions"):
            run = run_of_file(release, given, report, arguments.kg, arguments.ignore_case)
            text = render(document_of_run(release, run, tell), arguments.format)
        else:
            text = getattr(report, f"to_{arguments.format}")()
    emit(text, arguments.output)
    return 0


def baselines(arguments: Namespace) -> int:
    """``baselines``."""
    from rulemine.evaluation.baselines import baselines as score_all
    from rulemine.evaluation.reporting.tables import format_markdown, format_table
    from rulemine.release.reader import Release

    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "wide")
    check_output(arguments.output)
    release = Release.open(arguments.release)
    layout = format_markdown if arguments.format == "markdown" else format_table
    with bar("baselines") as tell:
        text = score_all(
            release,
            layout,
            split=split_of(arguments.split),
            seed=arguments.seed,
            progress=tell,
        )
    emit(text, arguments.output)
    return 0
