"""The commands that score: ``evaluate``, ``baselines`` and ``cypher-score``.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

import argparse
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.answer import split_of
from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    bar,
    check_output,
    emit,
    note,
    output_file,
    refuse_idle,
)
from rulemine.cli.parser import Parser, add_command, add_wide
from rulemine.errors import ConfigError, EndpointError, counted

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.scored_items import ScoredItem, ScoreJournal
    from rulemine.evaluation.cypher.task_files import CypherItem, Predicted

__all__ = ["add_cypher_score", "add_scoring"]


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
        if release.answers == "rows" or given_any:

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
    from rulemine.release.reader import Release
    from rulemine.text.tables import markdown_of, text_of

    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "wide")
    check_output(arguments.output)
    release = Release.open(arguments.release)
    with bar("baselines") as tell:
        found = score_all(
            release, split=split_of(arguments.split), seed=arguments.seed, progress=tell
        )
    layout = markdown_of if arguments.format == "markdown" else text_of
    emit(layout(found), arguments.output)
    return 0


_FORMATS = ("table", "json", "csv", "markdown", "latex", "html", "questions")


def add_cypher_score(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command ``cypher-score``."""
    parser = add_command(
        commands,
        "cypher-score",
        cypher_score,
        "score Cypher that was predicted for questions over a property graph",
    )
    parser.add_argument(
        "questions", type=Path, metavar="QUESTIONS",
        help="with their gold: as of rulemine cypher-tasks, or as CypherBench publishes them",
    )  # fmt: skip
    parser.add_argument(
        "predictions", type=Path, metavar="PREDICTIONS",
        help="id and cypher, rows or raw_output of each; or CypherBench's qid and pred_cypher",
    )  # fmt: skip
    parser.add_argument(
        "--graph", action="append", default=[], metavar="[NAME=]GRAPH",
        help="the graph, or that of the questions that name it NAME: demo, geography, or a file that "
        "rulemine graph reads (that of its name)",
    )  # fmt: skip
    parser.add_argument(
        "--url", action="append", default=[], metavar="[NAME=]URL",
        help="a server that has the graph, bolt://HOST:PORT (queries are run in memory)",
    )  # fmt: skip
    parser.add_argument(
        "--neo4j", action="store_true",
        help="start a Neo4j for the graph, and end it (needs Maven the first time)",
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, default=120.0, metavar="S",
                        help="that a query may take (120)")  # fmt: skip
    parser.add_argument(
        "--format", choices=_FORMATS, default="table",
        help="of the report (table); questions is a CSV with a line for each question",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE",
        help="(standard output); until it is written, FILE.journal keeps the scores that are known, and the "
        "same command goes on from there",
    )  # fmt: skip
    add_wide(parser)


def cypher_score(arguments: Namespace) -> int:
    """Runs ``cypher-score``."""
    from rulemine.evaluation.cypher.score_tables import document_of, questions_text
    from rulemine.evaluation.cypher.scored_items import ScoreJournal
    from rulemine.evaluation.cypher.task_files import predicted_of, read_items, read_predicted
    from rulemine.evaluation.notes import notes_on_cut_off, notes_on_thoughts
    from rulemine.evaluation.reporting.files import render

    output: Path | None = arguments.output
    kept = None if output in (None, STANDARD_OUTPUT) else Path(f"{output}.journal")
    check_output(output, kept)
    items = read_items(arguments.questions)
    given = read_predicted(arguments.predictions, items)
    predicted = {key: predicted_of(prediction) for key, prediction in given.items()}
    with ScoreJournal(kept) as journal:
        if len(journal):
            note(f"{counted(len(journal), 'score')} known from {kept}")
        try:
            found, left_out = _scored(arguments, items, predicted, journal)
        except EndpointError as problem:
            more = f" {counted(len(journal), 'score')} so far: {kept}." if kept else ""
            raise EndpointError(f"{problem} The same command goes on from there.{more}") from None
        notes = [left_out] if left_out else []
        if lacking := sum(item.id not in predicted for item in items):
            asked = counted(lacking, "question")
            notes.append(f"Warning: {asked} without a prediction, scored as wrong.")
        notes += notes_on_cut_off([*given.values()]) + notes_on_thoughts([*given.values()])
        facts = {
            "questions": str(arguments.questions),
            "predictions": str(arguments.predictions),
            "run": "on a Neo4j" if arguments.neo4j or arguments.url else "in memory",
        }
        if arguments.format == "questions":
            text = "".join(questions_text(found))
        else:
            document = document_of(found, "Text-to-Cypher", facts, notes)
            text = render(document, arguments.format)
        emit(text, output)
        journal.remove()
    return 0


def _scored(
    arguments: Namespace,
    items: "Sequence[CypherItem]",
    predicted: "Mapping[str, Predicted]",
    journal: "ScoreJournal",
) -> "tuple[list[ScoredItem], str]":
    """What became of the questions, graph by graph, and what is to be said of those left out."""
    from rulemine.datasets.property_graphs import load_property_graph
    from rulemine.evaluation.cypher.constants import spelling_of
    from rulemine.evaluation.cypher.opened_runners import opened_runner
    from rulemine.evaluation.cypher.scored_items import score_items
    from rulemine.files import describe_content

    graphs, urls = _named(arguments.graph, "--graph"), _named(arguments.url, "--url")
    names = list(dict.fromkeys(item.graph for item in items))
    places = {name: _place(name, names, graphs, urls) for name in names}
    if not any(places.values()):
        said = ", ".join(name for name in names[:5] if name) or "none is named"
        raise ConfigError(
            f"{arguments.questions}: which graph are its questions about ({said})? Name it: --graph, or "
            "--url."
        )
    line = Line()
    found: list[ScoredItem] = []
    asked = [item for item in items if places[item.graph]]
    with line.watch("cypher-score") as tell:
        for name, place in places.items():
            if place is None:
                continue
            source, url = place
            graph = None if source is None else load_property_graph(source)
            some = [item for item in items if item.graph == name]
            with opened_runner(
                graph, url=url, neo4j=arguments.neo4j, seconds=arguments.seconds, note=line.note
            ) as runner:
                path = Path(source or "")
                content = describe_content(path) if path.is_file() else ""
                where = f"{source} {content} {url} {arguments.neo4j} {arguments.seconds}"
                found += score_items(
                    some, predicted, runner, place=where, spelling=spelling_of(graph), journal=journal,
                    tell=partial(_told, line, tell, len(found), len(asked)),
                )  # fmt: skip
    order = {item.id: at for at, item in enumerate(items)}
    found.sort(key=lambda row: order[row.item.id])
    others = sorted(name for name, place in places.items() if place is None)
    left_out = ""
    if others:
        number = counted(len(items) - len(asked), "question")
        left_out = (
            f"Warning: {number} left out, of graphs that were not named: {', '.join(others)}. Name each: "
            f"--graph {others[0]}=GRAPH, as often as there are graphs."
        )
    return found, left_out


def _told(line: Line, tell: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    tell(before + done, total)
    line.status("questions scored")


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


def _place(
    name: str, names: Sequence[str], graphs: Mapping[str, str], urls: Mapping[str, str]
) -> tuple[str | None, str | None] | None:
    """Graph and server of the questions of a graph; None: neither is known."""
    from rulemine.datasets.property_graphs import NAMED_GRAPHS

    for option, given in (("--graph", graphs), ("--url", urls)):
        if "" in given and len(names) > 1:
            raise ConfigError(
                f"{option} {given['']}: the questions are about several graphs ({', '.join(names[:5])}). "
                f"Say which: {option} {names[0]}={given['']}; questions of the others are left out."
            )
        if unknown := sorted(set(given) - {"", *names}):
            raise ConfigError(
                f"{option} {unknown[0]}=…: no question is about a graph {unknown[0]!r}; known: "
                f"{', '.join(names[:5])}."
            )
    graph, url = (given.get(name, given.get("")) for given in (graphs, urls))
    if graph is None and url is None and name in NAMED_GRAPHS and not (graphs or urls):
        graph = name
    return None if graph is None and url is None else (graph, url)
