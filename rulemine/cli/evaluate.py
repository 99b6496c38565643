"""The command ``evaluate``: scores predictions, compares systems, and has models judge the questions."""

import contextlib
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    bar,
    check_output,
    emit,
    output_file,
    refuse_idle,
    say,
)
from rulemine.cli.export import split_of
from rulemine.cli.parser import (
    FORMATS,
    Subcommand,
    arg,
    chosen,
    format_of,
    release_at,
    several,
    switch,
)
from rulemine.errors import ConfigError

if TYPE_CHECKING:
    from rulemine.judging.panel import Ballot, Judge, JudgedQuestion, Panel
    from rulemine.llm.options import EndpointOptions

__all__ = ["EVALUATE"]

OF_CYPHER = ("graph", "url", "neo4j", "seconds")
OF_ONE = ("matching", "kg", "missing", "reader", "cluster", *OF_CYPHER)
"""Options of one file of predictions."""


def evaluate(arguments: Namespace) -> int:
    """Runs ``evaluate``."""
    if not (arguments.reader or arguments.judge):
        refuse_idle(arguments, "--reader and --judge", "dry_run", "set")
    check_output(arguments.output)
    if arguments.judge:
        return _judge(arguments)
    if arguments.baselines:
        return _baselines(arguments)
    if arguments.format == "questions":
        refuse_idle(arguments, "other formats than questions", "metrics", "seed")
    if not arguments.predictions:
        raise ConfigError("missing: FILE, the predictions. See rulemine evaluate --help.")
    first = arguments.predictions[0]
    inside = [folder for folder in arguments.release.parents if _is_release(folder)]
    if inside:
        raise ConfigError(
            f"rulemine evaluate {inside[0]} {first}: {arguments.release} is a file of that release."
        )
    if _is_release(first):
        raise ConfigError(
            f"rulemine evaluate {first} {arguments.release}: the release comes first; {first} is one."
        )
    line, run = Line(), _compared if arguments.predictions[1:] else _scored
    with line.watch("evaluate") as advance:
        text = run(arguments, line, advance)
    emit(text, arguments.output)
    return 0


def _is_release(path: Path) -> bool:
    return (path / "manifest.json").exists() or path.suffix == ".tar"


def _scored(arguments: Namespace, line: Line, advance: Any) -> str:
    """The scores of one file."""
    from rulemine.cluster import opened
    from rulemine.evaluation.metrics_of_others.registry import chosen as chosen_metrics
    from rulemine.evaluation.predictions import PredictionFile
    from rulemine.evaluation.scorer import benchmark_at
    from rulemine.evaluation.scorer import evaluate as score

    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "all")
    if arguments.format not in ("table", "markdown", "json"):
        refuse_idle(arguments, "--format table, markdown or json", "reader")
    if arguments.neo4j or arguments.url:
        refuse_idle(arguments, "queries that are run in memory", "cluster")
    release = benchmark_at(arguments.release)
    runs = None
    if release.answers == "rows" or any(getattr(arguments, name) for name in OF_CYPHER[:3]) or (
        arguments.seconds is not None
    ):  # fmt: skip
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
    predictions = PredictionFile(arguments.predictions[0])
    with contextlib.ExitStack() as stack:
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
        metrics = () if arguments.metrics is None else list(chosen_metrics(arguments.metrics))
        report = score(
            release, predictions, missing=arguments.missing or "empty", metrics=metrics,
            cypher=runs, **options,
        )  # fmt: skip
        if arguments.format in ("latex", "html", "questions"):
            from rulemine.evaluation.reporting.documents import document_of_run, run_of_file
            from rulemine.evaluation.reporting.files import render

            run = run_of_file(release, predictions, report)
            return render(document_of_run(release, run, advance), arguments.format)
        report = replace(report, brief=arguments.format == "table" and not arguments.all)
        if not arguments.reader:
            return str(getattr(report, f"to_{arguments.format}")())
        from rulemine.cli.keys import ModelOptions
        from rulemine.evaluation.reader import read_twice

        read = read_twice(
            release, predictions, report, arguments.reader, dry_run=arguments.dry_run,
            status=line.note, progress=advance, endpoint=chosen(arguments, ModelOptions).endpoint,
            **options,
        )  # fmt: skip
        return read if isinstance(read, str) else str(getattr(read, f"to_{arguments.format}")())


def _compared(arguments: Namespace, _line: Line, advance: Any) -> str:
    """The differences between the systems of several files."""
    from rulemine.evaluation.comparing.comparison import SHOWN, compare, evaluate_all
    from rulemine.evaluation.predictions import PredictionFile
    from rulemine.evaluation.reporting.documents import document_of_comparison, run_of_file
    from rulemine.evaluation.reporting.files import render
    from rulemine.registry import split_names

    refuse_idle(arguments, "a single FILE", *OF_ONE)
    named = list(dict.fromkeys(split_names(arguments.metrics or "")))
    if arguments.metrics is not None and not named:
        raise ConfigError(
            f"--metrics {arguments.metrics!r}: names no score; expected e.g. hard_f1,hhr. Leave it out for "
            "the usual ones."
        )
    release = release_at(arguments.release)
    files = [PredictionFile(path) for path in arguments.predictions]
    reports = evaluate_all(
        release,
        files,
        split=split_of(arguments.split or "test"),
        sample=arguments.sample,
        naming=arguments.naming,
        level=arguments.level,
        seed=arguments.seed or 0,
        progress=advance,
    )
    found = compare(reports, named or SHOWN, broken_down=arguments.all)
    if arguments.format not in ("latex", "html", "questions"):
        return str(getattr(found, f"to_{arguments.format}")())
    runs = [
        run_of_file(release, file, report)._replace(system=name.removesuffix(f" ({report.kg})"))
        for (name, report), file in zip(reports.items(), files, strict=True)
    ]
    return render(document_of_comparison(release, runs, found, advance), arguments.format)


def _baselines(arguments: Namespace) -> int:
    """Runs ``evaluate --baselines``."""
    from rulemine.evaluation.baselines import baselines as score_all
    from rulemine.text.tables import markdown_of, text_of

    own = ("predictions", "sample", "naming", "level", "all", "metrics", *OF_ONE)
    refuse_idle(arguments, "predictions", *own)
    if arguments.format not in (layouts := {"table": text_of, "markdown": markdown_of}):
        raise ConfigError(
            f"--format {arguments.format}: of --baselines it is {' or '.join(layouts)}."
        )
    with bar("baselines") as advance:
        found = score_all(
            release_at(arguments.release),
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


def _judge(arguments: Namespace) -> int:
    """Runs ``evaluate --judge``."""
    from rulemine.cli.keys import JudgingOptions
    from rulemine.codec import dump_line
    from rulemine.files import write_lines
    from rulemine.judging.panel import Panel, load_judge_prompts, seat_judges
    from rulemine.judging.report import estimate, judged_questions, judged_row, report
    from rulemine.llm.options import at_addresses
    from rulemine.release.groups import sample
    from rulemine.seeds import check_seed
    from rulemine.verbalizer.prompts import SEEDS

    own = ("predictions", "baselines", "level", "all", "metrics", *OF_ONE)
    refuse_idle(arguments, "predictions", *own)
    seed = arguments.seed or 0
    check_seed(seed)
    if arguments.output in (None, STANDARD_OUTPUT):
        raise ConfigError(
            "-o names no file; replies are kept beside it, so that nothing is asked twice. Name a file."
        )
    names = [name.strip() for text in arguments.judge for name in text.split(",")]
    how = chosen(arguments, JudgingOptions)
    models, places = at_addresses(names, how.endpoint, "--judge")
    panel = Panel(
        seat_judges(models, how.judge.temperature),
        load_judge_prompts(how.judge.prompts),
        how.judge.max_tokens,
        seed % SEEDS,
    )
    places = places * (len(panel.judges) // len(places))
    release, split = release_at(arguments.release), arguments.split or "test"
    amount = 100 if arguments.sample is None else arguments.sample
    drawn = sample(release.questions(split_of(split)), amount)
    if not drawn:
        raise ConfigError(f"{release.path}: has no question in --split {split}.")
    items = judged_questions(release, drawn, arguments.naming or "")
    journal = Path(f"{arguments.output}.work") / "journal.sqlite"
    if arguments.dry_run:
        with bar("estimate") as advance:
            text = estimate(panel, items, journal, bool(how.endpoint.batch), advance)
        say(text)
        return 0
    ballots = _ballots(panel, places, items, journal, how.endpoint)
    rows = [
        judged_row(question, item, panel.judges, cast)
        for question, item, cast in zip(drawn, items, ballots, strict=True)
    ]
    write_lines(arguments.output, (dump_line(row) + "\n" for row in rows))
    say(report(release.name, drawn, panel, ballots, seed), end="")
    return 0


def _ballots(
    panel: "Panel",
    places: Sequence["EndpointOptions"],
    items: "Sequence[JudgedQuestion]",
    journal: Path,
    usual: "EndpointOptions",
) -> "list[list[Ballot]]":
    """The judges' ballots on each question; all endpoints share the journal and the budget."""
    from rulemine.llm.call import more_tokens
    from rulemine.llm.session import Session

    seats = list(zip(panel.judges, places, strict=True))
    line = Line()
    room = f"--set judge.max_tokens={more_tokens(panel.max_tokens)}"
    with line.watch("judge") as advance, Session(usual, journal, line.note, room=room) as session:

        def work(item: "JudgedQuestion", judge: "Judge", place: "EndpointOptions") -> Any:
            return lambda _ask: panel.ballot(item, judge, session.at(place))

        cast = session.run([work(item, *seat) for item in items for seat in seats], advance)
    return [cast[at : at + len(seats)] for at in range(0, len(cast), len(seats))]


EVALUATE = Subcommand(
    "evaluate", evaluate, "score predictions; several files are compared",
    (
        arg("release", "DIR|QUESTIONS", "a release; or questions with their Cypher", Path),
        arg("predictions", "FILE", "predictions: JSON Lines, or JSON", Path, nargs="*"),
        switch("--baselines", "run and score every model-free answerer instead"),
        switch("--all", "every group of questions, every fate of queries"),
        arg("--matching", "MODE", "answers in texts: ids, vocabulary, brink (vocabulary)"),
        "split?",
        arg("--sample", "N", "the first N questions (as the file says, or all)", int),
        arg("--naming", "NAMING", "of the predictions (the release's)"),
        arg("--kg", "GRAPH", "that was answered from (as the file says)"),
        arg("--level", "L", "hard answers are those missing at level L, 1–100", int),
        arg("--missing", None, "what has no prediction: score as empty, or refuse",
            choices=("empty", "error")),
        several("--graph", "[NAME=]GRAPH", "of QUESTIONS: the graph, or that called NAME"),
        several("--url", "[NAME=]URL", "of Cypher: a server to run it on (in memory)"),
        switch("--neo4j", "of Cypher: start a Neo4j to run it on, and end it"),
        arg("--seconds", "S", "of Cypher: that a query may take (120)", float),
        arg("--reader", "NAME[@URL]", "a model reads the replies, too, and lists names"),
        several("--judge", "NAME[,NAME…]", "one model or three judge questions (no FILE)"),
        switch("--dry-run", "say what models would take, ask nothing"),
        several("--set", "KEY=VALUE", "of models: endpoint.base_url, …, judge.prompts, …"),
        arg("--metrics", "NAME[,NAME…]", "of other projects, or all; of several FILEs ours"),
        arg("--seed", "N", "of intervals and what is drawn (0)", int),
        format_of(*FORMATS),
        arg("-o --output", "FILE", "(standard output); of --judge needed", output_file),
        "cluster",
    ),
)  # fmt: skip
