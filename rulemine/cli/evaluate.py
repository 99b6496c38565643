"""The command ``evaluate``: scores predictions for a release, or Cypher for the questions of a file."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import FORMATS, Subcommand, arg, format_of, several, switch
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
from rulemine.cli.parser import Parser
from rulemine.errors import ConfigError, EndpointError, counted

if TYPE_CHECKING:
    from rulemine.evaluation.cypher.scored_items import ScoredItem, ScoreJournal
    from rulemine.evaluation.cypher.task_files import CypherItem, Predicted

__all__ = ["EVALUATE"]


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

    if arguments.baselines:
        return _baselines(arguments)
    if arguments.predictions is None:
        raise ConfigError("missing: FILE, the predictions. See rulemine evaluate --help.")
    if arguments.release.suffix in (".json", ".jsonl") or _is_file(arguments.release):
        return _cypher_of_files(arguments)
    refuse_idle(arguments, "Cypher for the questions of a file", "graph")
    if len(arguments.url) > 1:
        raise ConfigError(
            f"--url: found {len(arguments.url)}; a release has one graph. Name one server."
        )
    url = next(iter(arguments.url), None)
    if arguments.matching not in (None, "vocabulary"):
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
        given_any = url or arguments.neo4j or arguments.seconds is not None
        if release.answers == "rows" or given_any:

            def scored(done: int, total: int) -> None:
                tell(done, total)
                line.status("questions scored")

            seconds = SECONDS if arguments.seconds is None else arguments.seconds
            runs = CypherRuns(url, arguments.neo4j, seconds, line.note, scored)
        given = PredictionFile(arguments.predictions)
        report = score(
            release,
            given,
            against=arguments.against,
            matching=arguments.matching or "vocabulary",
            split=split_of(arguments.split or "test"),
            sample=arguments.sample,
            naming=arguments.naming,
            missing=arguments.missing or "empty",
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


_OF_RELEASES = (
    *("against", "matching", "split", "sample", "naming", "ignore_case", "kg", "against_kg"),
    *("level", "missing", "seed", "metrics"),
)
"""Options for predictions for a release."""


def _is_file(place: Path) -> bool:
    """Whether there is a file or a pipe that is no release."""
    return place.exists() and not place.is_dir() and place.suffix != ".tar"


def _baselines(arguments: Namespace) -> int:
    """``evaluate --baselines``."""
    from rulemine.evaluation.baselines import baselines as score_all
    from rulemine.release.reader import Release
    from rulemine.text.tables import markdown_of, text_of

    own = ("predictions", "neo4j", "seconds", *(["url"] if arguments.url else ()))
    idle = [name for name in _OF_RELEASES if name not in ("split", "seed")]
    refuse_idle(arguments, "predictions", *own, *idle)
    if arguments.format not in (layouts := {"table": text_of, "markdown": markdown_of}):
        raise ConfigError(
            f"--format {arguments.format}: of --baselines it is {' or '.join(layouts)}."
        )
    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "wide")
    check_output(arguments.output)
    release = Release.open(arguments.release)
    split = split_of(arguments.split or "test")
    with bar("baselines") as tell:
        found = score_all(release, split=split, seed=arguments.seed or 0, progress=tell)
    emit(layouts[arguments.format](found), arguments.output)
    return 0


def _cypher_of_files(arguments: Namespace) -> int:
    """``evaluate`` of the questions of a file."""
    from rulemine.evaluation.cypher.score_tables import document_of, questions_text
    from rulemine.evaluation.cypher.scored_items import ScoreJournal
    from rulemine.evaluation.cypher.task_files import predicted_of, read_items, read_predicted
    from rulemine.evaluation.notes import notes_on_cut_off, notes_on_thoughts
    from rulemine.evaluation.reporting.files import render

    refuse_idle(arguments, "predictions for a release", *_OF_RELEASES)
    output: Path | None = arguments.output
    kept = None if output in (None, STANDARD_OUTPUT) else Path(f"{output}.journal")
    check_output(output, kept)
    items = read_items(arguments.release)
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
            "questions": str(arguments.release),
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
    from rulemine.evaluation.cypher.runners import SECONDS
    from rulemine.evaluation.cypher.scored_items import score_items
    from rulemine.files import describe_content

    seconds = SECONDS if arguments.seconds is None else arguments.seconds
    graphs, urls = _named(arguments.graph, "--graph"), _named(arguments.url, "--url")
    names = list(dict.fromkeys(item.graph for item in items))
    places = {name: _place(name, names, graphs, urls) for name in names}
    if not any(places.values()):
        said = ", ".join(name for name in names[:5] if name) or "none is named"
        raise ConfigError(
            f"{arguments.release}: which graph are its questions about ({said})? Name it: --graph, or "
            "--url."
        )
    line = Line()
    found: list[ScoredItem] = []
    asked = [item for item in items if places[item.graph]]
    with line.watch("evaluate") as tell:
        for name, place in places.items():
            if place is None:
                continue
            source, url = place
            graph = None if source is None else load_property_graph(source)
            some = [item for item in items if item.graph == name]
            with opened_runner(
                graph, url=url, neo4j=arguments.neo4j, seconds=seconds, note=line.note
            ) as runner:
                path = Path(source or "")
                content = describe_content(path) if path.is_file() else ""
                where = f"{source} {content} {url} {arguments.neo4j} {seconds}"
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


def _add_metrics(parser: Parser) -> None:
    from rulemine.evaluation.metrics_of_others.registry import METRICS_OF_OTHERS

    parser.add_argument("--metrics", metavar="NAME[,NAME…]",
                        help="of other projects, shown beside ours, of "
                        f"{', '.join(METRICS_OF_OTHERS)}; or all")  # fmt: skip


EVALUATE = Subcommand(
    "evaluate", evaluate, "score predictions, or the baselines of a release",
    (
        arg("release", "DIR|QUESTIONS", "folder or archive of the release; or a file of questions with their "
            "Cypher, as of rulemine graph tasks, or as CypherBench publishes them", Path),
        arg("predictions", "FILE", "JSON Lines, or JSON; for QUESTIONS id and cypher, rows or raw_output of "
            "each, or CypherBench's qid and pred_cypher", Path, nargs="?"),
        switch("--baselines", "run and score every model-free answerer instead"),
        arg("--against", "FILE", "predictions to compare with (paired difference)", Path),
        arg("--matching", "MODE", "of answer extraction: ids, vocabulary or brink (vocabulary)"),
        "split?",
        arg("--sample", "N", "the first N questions of one fixed order, the core first (as many as the file "
            "says, or all)", int),
        arg("--naming", "NAMING", "of the predictions (the release's)"),
        switch("--ignore-case", "with --matching vocabulary"),
        arg("--kg", "GRAPH", "that was answered from: complete, incomplete or incomplete-LEVEL (what the "
            "file says, or incomplete)"),
        arg("--against-kg", "GRAPH", "the same of --against"),
        arg("--level", "L", "hard answers are those missing at level L, 1–100 (of the graph)", int),
        arg("--missing", None, "questions without a prediction: score as empty, or refuse (empty)",
            choices=("empty", "error")),
        several("--graph", "[NAME=]GRAPH", "of QUESTIONS: the graph, or that of the questions that name it "
                "NAME: demo, geography, or a file that rulemine graph reads (that of its name)"),
        several("--url", "[NAME=]URL", "of Cypher: a server that has the graph that was answered from, on "
                "which predicted queries are run (in memory)"),
        switch("--neo4j", "of Cypher: start a Neo4j for them, and end it (needs Maven the first time)"),
        arg("--seconds", "S", "of Cypher: that a query may take (120)", float),
        arg("--seed", "N", "of the bootstrap, or of the baseline random (0)", int),
        format_of(*FORMATS, more="; html is a page, questions a CSV with a line for each question"),
        arg("-o --output", "FILE", "(standard output); of QUESTIONS FILE.journal keeps the scores that are "
            "known until it is written, and the same command goes on from there", output_file),
        "wide",
    ),
    options=_add_metrics,
)  # fmt: skip
