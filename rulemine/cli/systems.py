"""The commands that test systems or ask models: ``answer``, ``study``, ``tables``, ``audit`` and judges."""

import json
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.auditing import audit
from rulemine.cli.commands import OF_ONE
from rulemine.cli.console import (
    STANDARD_OUTPUT,
    Line,
    check_output,
    expect,
    note,
    refuse_idle,
    say,
    written,
)
from rulemine.cli.keys import JudgingOptions, ModelOptions, chosen, given, settings_in, split_of
from rulemine.cluster import opened
from rulemine.errors import AwaitedError, counted
from rulemine.evaluation import answer, embedding, write_predictions
from rulemine.evaluation.answerers import forecast, registry
from rulemine.evaluation.answerers.model_free import runs
from rulemine.evaluation.reporting import figures, files
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.study import costs, plan, results
from rulemine.evaluation.study.run import StudyFolder
from rulemine.files import write_jsonl
from rulemine.judging import panel, report
from rulemine.llm import EndpointOptions, Session
from rulemine.llm.call import more_tokens
from rulemine.llm.options import at_addresses
from rulemine.papers import paper
from rulemine.papers.material import read_material
from rulemine.registry import split_names
from rulemine.release import Prediction, Release, groups
from rulemine.seeds import check_seed
from rulemine.text.tables import text_of, wrapped
from rulemine.verbalizer.prompts import SEEDS

Places = dict[str, tuple[Path, Path | None]]
"""System → the file of its predictions, and the folder of what it keeps."""


def run_answer(arguments: Namespace) -> None:
    """Runs ``answer``."""
    names = with_program(split_names(arguments.answerers), arguments.program)
    expect(names, "--with names nothing; expected e.g. --with lookup,neighbors:hops=2.")
    arguments.split = split_of(arguments.split)
    endpoint = chosen(arguments, ModelOptions).endpoint
    expect(
        not endpoint.batch or any(registry.asks_model(registry.find_answerer(n)) for n in names),
        "endpoint.batch: is for systems that ask a model, and none here does. Leave it out.",
    )
    if arguments.dry_run:
        refuse_idle(arguments, "answering", "cluster")
        say(_estimate(arguments, names, bool(endpoint.batch)), end="")
        return
    expect(arguments.output is not None, "missing: -o/--output. See rulemine answer --help.")
    places = _places(arguments.output, names)
    check_output(*(output for output, _ in places.values()))
    away = _answer_away(arguments, places) if arguments.cluster else set()
    awaited: list[AwaitedError] = []
    for name, (output, kept) in places.items():
        try:
            if name not in away:
                _answer(arguments, name, output, kept, endpoint)
        except AwaitedError as found:  # one system does not wait for the replies to another
            awaited.append(found)
    if awaited:
        raise AwaitedError("\n".join(map(str, awaited)))


def with_program(names: Sequence[str], program: Sequence[str]) -> list[str]:
    """The answerers with the program after ``--`` as that of the one named ``command``.

    Raises:
        ConfigError: There is a program, but not one such answerer that has none.
    """
    if not program:
        return list(names)
    without = [n for n in names if n.partition(":")[0] == "command" and ":program=" not in n]
    expect(
        len(without) == 1,
        f"-- {shlex.join(program)}: is for one command without a program in --with; found "
        f"{', '.join(names) or 'nothing'}.",
    )
    whole = f"{without[0]}:program={json.dumps(shlex.join(program), ensure_ascii=False)}"
    return [whole if name == without[0] else name for name in names]


def _places(output: Path, names: Sequence[str]) -> Places:
    """Where each system writes and keeps what it has."""
    if len(names) == 1:
        kept = None if output == STANDARD_OUTPUT else Path(f"{output}.work")
        return {names[0]: (output, kept)}
    expect(
        not output.exists() or output.is_dir(),
        f"{output}: is no folder; {len(names)} systems write a file each. Name a folder with -o.",
    )
    output.mkdir(parents=True, exist_ok=True)
    return {
        name: (
            output / f"{_file_name(name)}.jsonl",
            output / f"{_file_name(registry.without_limits(name))}.jsonl.work",
        )
        for name in names
    }


def _file_name(name: str) -> str:
    """A system's label as a file name."""
    return "".join(c if c.isalnum() or c in "-_=." else "_" for c in name)


def _estimate(arguments: Namespace, names: Sequence[str], in_batches: bool) -> str:
    """What the answers of systems would take, as a table."""
    release = Release.open(arguments.release)
    asked = len(groups.sample(release.questions(arguments.split), arguments.sample))
    with Line().watch("estimate"):
        found = [
            costs.Expected(name, 1, asked, *forecast.forecast(
                release, name, [arguments.kg], split=arguments.split, sample=arguments.sample,
                model=arguments.model,
            ))
            for name in names
        ]  # fmt: skip
    return text_of(costs.costs_table(found, in_batches=in_batches))


def _asked(arguments: Namespace) -> dict[str, Any]:
    """What is asked, about which graph, with which model."""
    return {key: getattr(arguments, key) for key in ("kg", "split", "sample", "seed", "model")}


def _answer(
    arguments: Namespace, name: str, output: Path, kept: Path | None, endpoint: EndpointOptions
) -> None:
    """Answers with one system, which keeps what it needs, and writes its predictions."""
    release, line = Release.open(arguments.release), Line()
    with line.watch(name) as advance:
        predictions = answer(
            release, name, **_asked(arguments), endpoint=endpoint, folder=kept, progress=advance,
            note=line.note,
        )  # fmt: skip
    _write(arguments, release, name, predictions, output)


def _answer_away(arguments: Namespace, places: Places) -> set[str]:
    """Answers with the systems that do so in other processes, and writes their predictions; which they are.

    Raises:
        ConfigError: There is no such system.
    """
    release, line = Release.open(arguments.release), Line()
    away = set(runs.only_spreading(list(places), release))
    asked = arguments.kg, arguments.split, arguments.sample, arguments.seed
    wanted = [
        runs.AnswererRun(name, release.naming, *asked, kept and kept.absolute())
        for name, (_, kept) in places.items()
        if name in away
    ]
    with opened(arguments.cluster, note) as cluster, line.watch("answer") as advance:
        for run, predictions in runs.answer_runs(
            wanted, {release.naming: release}, cluster.unordered, progress=advance,
            note=lambda run, text: line.note(f"{run.with_}: {text}"),
        ):  # fmt: skip
            _write(arguments, release, run.with_, predictions, places[run.with_][0])
    return away


def _write(
    arguments: Namespace,
    release: Release,
    name: str,
    predictions: Sequence[Prediction],
    output: Path,
) -> None:
    """Writes the predictions of a system, and says so."""
    with written(output) as path:
        write_predictions(path, predictions, registry.run_of(release, name, **_asked(arguments)))
    summary = f"{output}: {counted(len(predictions), 'prediction')} by {name}"
    empty = sum(
        not (p.answers or p.rows or p.cypher or p.sparql or p.raw_output) for p in predictions
    )
    if empty:
        summary += f", {empty:,} of {len(predictions):,} without an answer"
    say(summary, sys.stderr)


def run_study(arguments: Namespace) -> None:
    """Runs ``study``."""
    options = settings_in(arguments) | given(arguments, "study.")
    if arguments.systems is not None:
        options["systems"] = with_program(split_names(arguments.systems), arguments.program)
    planned = plan.read_plan(arguments.source, options)
    line = Line()

    @contextmanager
    def watch(step: str) -> Iterator[Callable[[int, int], None]]:
        if not sys.stderr.isatty():  # a log shows no bar
            say(step, sys.stderr)
        with line.watch(step) as advance:
            yield advance

    found = StudyFolder(planned, arguments.output, watch=watch, note=line.note)
    with watch("estimate"):
        wanted = costs.expected(found)
    table = text_of(costs.costs_table(wanted, in_batches=bool(planned.endpoint.batch)))
    if arguments.dry_run:
        refuse_idle(arguments, "answering", "cluster")
        say(table, end="")
        return
    if any(one.runs for one in wanted):
        say(table, sys.stderr, end="")
    with opened(arguments.cluster, line.note) as cluster:
        found.answer(cluster.unordered if arguments.cluster else None)
        document = figures.drawable(results.write_results(found, watch=watch, spread=cluster.map))
    for text in document.notes:
        if text.startswith(WARNING):
            say(wrapped(text))
    _say_headline(document)
    say(f"\n{arguments.output / 'report.html'}")


def _say_headline(document: Document) -> None:
    if document.headline is not None:
        say(text_of(document.headline), end="")


def run_tables(arguments: Namespace) -> None:
    """Runs ``tables``."""
    wanted, line = paper.PAPERS.find(arguments.paper), Line()
    paper.check_tables(arguments.output, arguments.paths)
    endpoint = chosen(arguments, ModelOptions).endpoint
    expect(
        arguments.model or not arguments.set,
        "tables: an endpoint without a model. Name an embedding model with --model.",
    )
    material = read_material(
        arguments.paths, split=split_of(arguments.split), resamples=arguments.resamples, seed=arguments.seed
    )  # fmt: skip
    arguments.output.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        if arguments.model:
            session = held.enter_context(
                Session(endpoint, arguments.output / registry.JOURNAL, line.note)
            )
            material = replace(material, embed=partial(embedding.embed, session, arguments.model))
        document = figures.drawable(paper.make_tables(wanted, material, line.watch))
    paths = files.write_document(document, arguments.output)
    for table in document.every_table():
        say(text_of(table))
    for text in document.notes:
        say(wrapped(text))
    say(f"\n{paths[-1]}")


def run_audit(arguments: Namespace) -> None:
    """Runs ``audit``."""
    check_output(*(arguments.output / name for name in audit.FILES))
    releases = [Release.open(path) for path in arguments.releases]
    arguments.output.mkdir(parents=True, exist_ok=True)  # known at once if it cannot be written
    how = {"resamples": arguments.resamples, "seed": arguments.seed, "watch": Line().watch}
    found = [audit.audit(one, mines=not arguments.no_mining, **how) for one in releases]
    paths = audit.write_audits(found, arguments.output)
    _say_headline(audit.document_of(found))
    say(f"\n{paths[-1]}")


def judge(arguments: Namespace) -> None:
    """Runs ``evaluate --judge``; all judges share the journal and the budget."""
    own = ("predictions", "baselines", "level", "all", "metrics", *OF_ONE)
    refuse_idle(arguments, "predictions", *own)
    seed = arguments.seed or 0
    check_seed(seed)
    expect(
        arguments.output not in (None, STANDARD_OUTPUT),
        "-o names no file; replies are kept beside it, so that nothing is asked twice. Name a file.",
    )
    names = [name.strip() for text in arguments.judge for name in text.split(",")]
    how = chosen(arguments, JudgingOptions)
    models, places = at_addresses(names, how.endpoint, "--judge")
    prompts = panel.load_judge_prompts(how.judge.prompts)
    judges = panel.seat_judges(models, how.judge.temperature)
    jury = panel.Panel(judges, prompts, how.judge.max_tokens, seed % SEEDS)
    seats = list(zip(jury.judges, places * (len(jury.judges) // len(places)), strict=True))
    release, split = Release.open(arguments.release), arguments.split or "test"
    amount = 100 if arguments.sample is None else arguments.sample
    drawn = groups.sample(release.questions(split_of(split)), amount)
    expect(drawn, f"{release.path}: has no question in --split {split}.")
    items = report.judged_questions(release, drawn, arguments.naming or "")
    journal, line = Path(f"{arguments.output}.work") / "journal.sqlite", Line()
    if arguments.dry_run:
        with line.watch("estimate") as advance:
            text = report.estimate(jury, items, journal, bool(how.endpoint.batch), advance)
        say(text)
        return
    room = f"--set judge.max_tokens={more_tokens(jury.max_tokens)}"
    with (
        line.watch("judge") as advance,
        Session(how.endpoint, journal, line.note, room=room) as session,
    ):

        def work(item: panel.JudgedQuestion, one: panel.Judge, place: EndpointOptions) -> Any:
            return lambda _ask: jury.ballot(item, one, session.at(place))

        cast = session.run([work(item, *seat) for item in items for seat in seats], advance)
    ballots = [cast[at : at + len(seats)] for at in range(0, len(cast), len(seats))]
    rows = zip(drawn, items, ballots, strict=True)
    write_jsonl(arguments.output, (report.judged_row(q, item, judges, b) for q, item, b in rows))
    say(report.report(release.name, drawn, jury, ballots, seed), end="")
