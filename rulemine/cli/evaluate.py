"""The command ``evaluate``: scores predictions, and compares systems."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.cli.commands import OF_ONE
from rulemine.cli.console import Line, check_output, emit, expect, refuse_idle
from rulemine.cli.keys import ModelOptions, chosen, split_of
from rulemine.cluster import opened
from rulemine.errors import ConfigError
from rulemine.evaluation import predictions, scorer
from rulemine.evaluation.comparing import comparison
from rulemine.evaluation.metrics_of_others.registry import chosen as chosen_metrics
from rulemine.evaluation.reporting import documents, files
from rulemine.registry import split_names
from rulemine.release import Release, reader
from rulemine.text.tables import Table, markdown_of, text_of

DOCUMENTS = ("latex", "html", "questions")
"""Formats of a whole document, rather than of a report."""


def run_evaluate(arguments: Namespace) -> None:
    """Runs ``evaluate``."""
    if not (arguments.reader or arguments.judge):
        refuse_idle(arguments, "--reader and --judge", "dry_run", "set")
    check_output(arguments.output)
    if arguments.judge:
        from rulemine.cli.systems import judge  # loads what calls models

        judge(arguments)
        return
    line = Line()
    run: Callable[[Namespace, Line, Any], str] = _compared if arguments.predictions[1:] else _scored
    if arguments.baselines:
        run = _baselines
    elif arguments.twins:
        run = _twins
    else:
        _check_files(arguments)
    with line.watch("baselines" if arguments.baselines else "evaluate") as advance:
        text = run(arguments, line, advance)
    emit(text, arguments.output)


def _check_files(arguments: Namespace) -> None:
    """Checks that a release and predictions are given, each in its place."""
    if arguments.format == "questions":
        refuse_idle(arguments, "other formats than questions", "metrics", "seed")
    expect(arguments.predictions, "missing: FILE, the predictions. See rulemine evaluate --help.")
    first = arguments.predictions[0]
    if inside := [folder for folder in arguments.release.parents if _is_release(folder)]:
        raise ConfigError(
            f"rulemine evaluate {inside[0]} {first}: {arguments.release} is a file of that release."
        )
    expect(
        not _is_release(first),
        f"rulemine evaluate {first} {arguments.release}: the release comes first; {first} is one.",
    )


def _is_release(path: Path) -> bool:
    return (path / reader.MANIFEST).exists() or path.suffix == ".tar"


def _asked(arguments: Namespace) -> dict[str, Any]:
    """Which questions are scored, and how; the same for one file and for several."""
    return {
        "split": split_of(arguments.split or "test"),
        "sample": arguments.sample,
        "naming": arguments.naming,
        "level": arguments.level,
        "seed": arguments.seed or 0,
    }


def _scored(arguments: Namespace, line: Line, advance: Any) -> str:
    """The scores of one file."""
    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "all")
    if arguments.format not in ("table", "markdown", "json"):
        refuse_idle(arguments, "--format table, markdown or json", "reader")
    if arguments.neo4j or arguments.url:
        refuse_idle(arguments, "queries that are run in memory", "cluster")
    release = scorer.benchmark_at(arguments.release)
    of_cypher = arguments.graph or arguments.url or arguments.neo4j or arguments.seconds is not None
    runs = _runs(arguments, line, advance) if of_cypher or release.answers == "rows" else None
    given = predictions.PredictionFile(arguments.predictions[0])
    with opened(arguments.cluster, line.note) as cluster:
        options = {
            **_asked(arguments),
            "matching": arguments.matching or "vocabulary",
            "kg": arguments.kg,
            "spread": cluster.map,
        }
        metrics = () if arguments.metrics is None else list(chosen_metrics(arguments.metrics))
        report = scorer.evaluate(
            release, given, missing=arguments.missing or "empty", metrics=metrics,
            cypher=runs, **options,
        )  # fmt: skip
        if arguments.format in DOCUMENTS:
            run = documents.run_of_file(release, given, report)
            return files.render(documents.document_of_run(release, run, advance), arguments.format)
        found: Any = replace(report, brief=arguments.format == "table" and not arguments.all)
        if arguments.reader:
            from rulemine.evaluation.reader import read_twice  # loads what calls models

            found = read_twice(
                release, given, found, arguments.reader, dry_run=arguments.dry_run,
                status=line.note, progress=advance, endpoint=chosen(arguments, ModelOptions).endpoint,
                **options,
            )  # fmt: skip
    return found if isinstance(found, str) else str(getattr(found, f"to_{arguments.format}")())


def _runs(arguments: Namespace, line: Line, advance: Any) -> Any:
    """Where predicted queries are run."""
    from rulemine.evaluation.cypher.release_rows import CypherRuns  # loads what answers Cypher

    def scored(done: int, total: int) -> None:
        advance(done, total)
        line.status("questions scored")

    limit = {} if arguments.seconds is None else {"seconds": arguments.seconds}
    urls, graphs = _named(arguments.url, "--url"), _named(arguments.graph, "--graph")
    return CypherRuns(
        urls, arguments.neo4j, note=line.note, progress=scored, graphs=graphs, **limit
    )


def _named(given: Sequence[str], option: str) -> dict[str, str]:
    """Name of a graph → what is given for it; "" for all."""
    found: dict[str, str] = {}
    for text in given:
        name, sign, rest = text.partition("=")
        key, value = (name, rest) if sign and name and "/" not in name else ("", text)
        expect(
            key not in found,
            f"{option}: two for {key or 'all questions'}, {found.get(key)!r} and {value!r}. Name graphs "
            f"apart: {option} NAME={value}.",
        )
        found[key] = value
    return found


def _compared(arguments: Namespace, _line: Line, advance: Any) -> str:
    """The differences between the systems of several files."""
    refuse_idle(arguments, "a single FILE", *OF_ONE)
    named = list(dict.fromkeys(split_names(arguments.metrics or "")))
    expect(
        arguments.metrics is None or named,
        f"--metrics {arguments.metrics!r}: names no score; expected e.g. hard_f1,hhr. Leave it out for "
        "the usual ones.",
    )
    release = Release.open(arguments.release)
    paths = [predictions.PredictionFile(path) for path in arguments.predictions]
    reports = comparison.evaluate_all(release, paths, **_asked(arguments), progress=advance)
    found = comparison.compare(reports, named or comparison.SHOWN, broken_down=arguments.all)
    if arguments.format not in DOCUMENTS:
        return str(getattr(found, f"to_{arguments.format}")())
    runs = [
        documents.run_of_file(release, file, report)._replace(
            system=name.removesuffix(f" ({report.kg})")
        )
        for (name, report), file in zip(reports.items(), paths, strict=True)
    ]
    return files.render(
        documents.document_of_comparison(release, runs, found, advance), arguments.format
    )


def _baselines(arguments: Namespace, _line: Line, advance: Any) -> str:
    """The scores of every model-free answerer, which are run."""
    from rulemine.evaluation.baselines import baselines  # loads what calls models

    own = ("predictions", "sample", "naming", "level", "all", "metrics", *OF_ONE)
    refuse_idle(arguments, "predictions", *own)
    asked = _asked(arguments)
    release = Release.open(arguments.release)
    found = baselines(release, split=asked["split"], seed=asked["seed"], progress=advance)
    return _laid(arguments, found, "--baselines")


def _twins(arguments: Namespace, _line: Line, _advance: Any) -> str:
    """The scores of one system over the twins, from two files."""
    from rulemine.evaluation.twins import score_files

    others = (name for name in OF_ONE if name not in ("matching", "missing"))
    refuse_idle(
        arguments, "scores without --twins", "split", "sample", "level", "all", "metrics", *others
    )
    expect(
        len(arguments.predictions) == 2,
        f"--twins: {len(arguments.predictions)} FILEs; expected two, of rulemine answer --kg control and of "
        "--kg unprovable, in this order.",
    )
    given = {"matching": arguments.matching, "missing": arguments.missing, "seed": arguments.seed}
    options: Any = {name: value for name, value in given.items() if value is not None}
    release = Release.open(arguments.release)
    found = score_files(release, *arguments.predictions, naming=arguments.naming, **options)
    return _laid(arguments, found, "--twins")


def _laid(arguments: Namespace, table: Table, option: str) -> str:
    """A table as the user wants it."""
    if arguments.format not in (layouts := {"table": text_of, "markdown": markdown_of}):
        raise ConfigError(f"--format {arguments.format}: of {option} it is {' or '.join(layouts)}.")
    return layouts[arguments.format](table)
