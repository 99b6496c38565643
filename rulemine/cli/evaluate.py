"""The command ``evaluate``: scores predictions for a release, or Cypher for the questions of a file."""

import contextlib
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import FORMATS, Subcommand, arg, format_of, several, switch
from rulemine.cli.console import (
    Line,
    bar,
    check_output,
    emit,
    output_file,
    refuse_idle,
)
from rulemine.cli.parser import Parser
from rulemine.errors import ConfigError

__all__ = ["EVALUATE"]


def evaluate(arguments: Namespace) -> int:
    """Runs ``evaluate``."""
    from rulemine.cluster import opened
    from rulemine.evaluation.metrics_of_others.registry import chosen
    from rulemine.evaluation.predictions import PredictionFile
    from rulemine.evaluation.scorer import benchmark_at
    from rulemine.evaluation.scorer import evaluate as score

    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "all")
    if arguments.format not in ("table", "markdown", "json"):
        refuse_idle(arguments, "--format table, markdown or json", "reader")
    if not arguments.reader:
        refuse_idle(arguments, "--reader", "dry_run", "budget_tokens")
    check_output(arguments.output)
    if arguments.baselines:
        return _baselines(arguments)
    if arguments.predictions is None:
        raise ConfigError("missing: FILE, the predictions. See rulemine evaluate --help.")
    if (arguments.predictions / "manifest.json").exists() or arguments.predictions.suffix == ".tar":
        raise ConfigError(
            f"{arguments.predictions}: is a release, and predictions were expected. Name the release first: "
            f"rulemine evaluate {arguments.predictions} {arguments.release}"
        )
    if arguments.neo4j or arguments.url:
        refuse_idle(arguments, "queries that are run in memory", "cluster")
    if arguments.format == "questions":
        refuse_idle(arguments, "other formats than questions", "metrics", "seed")
    line = Line()
    with line.watch("evaluate") as advance, contextlib.ExitStack() as stack:
        release = benchmark_at(arguments.release)
        runs, given_any = None, arguments.graph or arguments.url or arguments.neo4j
        if release.answers == "rows" or given_any or arguments.seconds is not None:
            from rulemine.evaluation.cypher.release_rows import CypherRuns
            from rulemine.evaluation.cypher.runners import SECONDS

            def scored(done: int, total: int) -> None:
                advance(done, total)
                line.status("questions scored")

            runs = CypherRuns(
                _named(arguments.url, "--url"),
                arguments.neo4j,
                SECONDS if arguments.seconds is None else arguments.seconds,
                line.note,
                scored,
                _named(arguments.graph, "--graph"),
            )
        predictions = PredictionFile(arguments.predictions)
        options = {
            "matching": arguments.matching or "vocabulary",
            "split": split_of(arguments.split or "test"),
            "sample": arguments.sample,
            "naming": arguments.naming,
            "kg": arguments.kg,
            "level": arguments.level,
            "seed": arguments.seed or 0,
            "spread": stack.enter_context(opened(arguments.cluster, line.note)).map,
        }
        report = score(
            release,
            predictions,
            missing=arguments.missing or "empty",
            metrics=() if arguments.metrics is None else list(chosen(arguments.metrics)),
            cypher=runs,
            **options,
        )
        if arguments.format in ("latex", "html", "questions"):
            from rulemine.evaluation.reporting.documents import document_of_run, run_of_file
            from rulemine.evaluation.reporting.files import render

            run = run_of_file(release, predictions, report)
            text = render(document_of_run(release, run, advance), arguments.format)
        else:
            report = replace(report, brief=arguments.format == "table" and not arguments.all)
            text = getattr(report, f"to_{arguments.format}")()
        if arguments.reader:
            from rulemine.evaluation.reader import read_twice

            read = read_twice(
                release, predictions, report, arguments.reader, dry_run=arguments.dry_run,
                status=line.note, progress=advance, budget=arguments.budget_tokens or 0, **options,
            )  # fmt: skip
            text = read if isinstance(read, str) else getattr(read, f"to_{arguments.format}")()
    emit(text, arguments.output)
    return 0


def _baselines(arguments: Namespace) -> int:
    """Runs ``evaluate --baselines``."""
    from rulemine.evaluation.baselines import baselines as score_all
    from rulemine.release.reader import Release
    from rulemine.text.tables import markdown_of, text_of

    own = "neo4j seconds url reader matching sample naming kg level cluster all missing metrics"
    refuse_idle(arguments, "predictions", "predictions", *own.split())
    if arguments.format not in (layouts := {"table": text_of, "markdown": markdown_of}):
        raise ConfigError(
            f"--format {arguments.format}: of --baselines it is {' or '.join(layouts)}."
        )
    with bar("baselines") as advance:
        found = score_all(
            Release.open(arguments.release),
            split=split_of(arguments.split or "test"),
            seed=arguments.seed or 0,
            progress=advance,
        )
    emit(layouts[arguments.format](found), arguments.output)
    return 0


def _named(given: Sequence[str], option: str) -> dict[str, str]:
    """Name of a graph → what is given for it; "" for all."""
    found: dict[str, str] = {}
    for text in given:
        name, sign, rest = text.partition("=")
        key, value = (name, rest) if sign and name and "/" not in name else ("", text)
        if key in found:
            raise ConfigError(
                f"{option}: two for {key or 'all questions'}, {found[key]!r} and {value!r}. Name graphs "
                f"apart: {option} NAME={value}."
            )
        found[key] = value
    return found


def _add_metrics(parser: Parser) -> None:
    from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS

    parser.add_argument("--metrics", metavar="NAME[,NAME…]",
                        help="of other projects, shown beside ours, of "
                        f"{', '.join(METRICS_OF_OTHERS)}; or all")  # fmt: skip


EVALUATE = Subcommand(
    "evaluate", evaluate, "score predictions, or the baselines of a release",
    (
        arg("release", "DIR|QUESTIONS", "folder or archive of the release; or a file or folder of questions "
            "with their Cypher, as of rulemine graph tasks, or as CypherBench publishes them", Path),
        arg("predictions", "FILE", "JSON Lines, or JSON; for QUESTIONS id and cypher, rows or raw_output of "
            "each, or CypherBench's qid and pred_cypher", Path, nargs="?"),
        switch("--baselines", "run and score every model-free answerer instead"),
        switch("--all", "with --format table: every group of questions, and what became of queries"),
        arg("--matching", "MODE", "of answer extraction: ids, vocabulary or brink (vocabulary)"),
        "split?",
        arg("--sample", "N", "the first N questions of one fixed order, the core first (as many as the file "
            "says, or all)", int),
        arg("--naming", "NAMING", "of the predictions (the release's)"),
        arg("--kg", "GRAPH", "that was answered from: complete, incomplete or incomplete-LEVEL (what the "
            "file says, or incomplete)"),
        arg("--level", "L", "hard answers are those missing at level L, 1–100 (of the graph)", int),
        arg("--missing", None, "questions without a prediction: score as empty, or refuse (empty)",
            choices=("empty", "error")),
        several("--graph", "[NAME=]GRAPH", "of QUESTIONS: the graph, or that of the questions that name it "
                "NAME: demo, geography, or a file that rulemine graph reads (that of its name)"),
        several("--url", "[NAME=]URL", "of Cypher: a server that has the graph that was answered from, on "
                "which predicted queries are run (in memory)"),
        switch("--neo4j", "of Cypher: start a Neo4j for them, and end it (needs Maven the first time)"),
        arg("--seconds", "S", "of Cypher: that a query may take (120)", float),
        arg("--reader", "NAME[@URL]", "a model that reads the replies, too: it is shown each with its "
            "question, never the answers, and lists names; its lists are kept in FILE.work"),
        switch("--dry-run", "with --reader: say what it would take, show prompts, ask nothing"),
        arg("--budget-tokens", "N", "with --reader: stop after so many tokens in one run (any number)", int),
        arg("--seed", "N", "of the bootstrap, or of the baseline random (0)", int),
        format_of(*FORMATS, more="; html is a page, questions a CSV with a line for each question"),
        arg("-o --output", "FILE", "(standard output)", output_file),
        "cluster",
    ),
    options=_add_metrics,
)  # fmt: skip
