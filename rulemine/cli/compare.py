"""The command ``compare``: differences between systems, and how many questions show one."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import FORMATS, Subcommand, arg, format_of
from rulemine.cli.console import bar, check_output, emit, refuse_idle
from rulemine.errors import ConfigError

__all__ = ["COMPARE"]


def compare(arguments: Namespace) -> int:
    """Runs ``compare``."""
    from rulemine.evaluation.comparing.pairwise import SHOWN, compare_all, evaluate_all
    from rulemine.evaluation.prediction_file import PredictionFile
    from rulemine.evaluation.reporting.files import render
    from rulemine.evaluation.reporting.several import document_of_comparison
    from rulemine.evaluation.reporting.single import run_of_file
    from rulemine.registry import split_names
    from rulemine.release.reader import Release

    check_output(arguments.output)
    if arguments.power is not None:
        return _power(arguments)
    for_power = ("difference", "rates", "differ", "design_effect", "alpha")
    refuse_idle(arguments, "--power", *for_power)
    if not arguments.predictions:
        raise ConfigError(
            "compare: found no prediction files; expected DIR and two or more of them."
        )
    if arguments.format != "table":
        refuse_idle(arguments, "--format table", "wide")
    if arguments.format == "questions":
        if arguments.fresh is not None:
            raise ConfigError("--format questions: is of one release. Leave out --fresh.")
        refuse_idle(arguments, "other formats than questions", "metrics", "seed")
    named = list(dict.fromkeys(split_names(arguments.metrics or "")))
    if arguments.metrics is not None and not named:
        raise ConfigError(
            f"--metrics {arguments.metrics!r}: names no score; expected e.g. hard_f1,hhr. Leave it out for "
            "the usual ones."
        )
    if arguments.fresh is not None:
        return _with_fresh(arguments, named)
    with bar("compare") as advance:
        release = Release.open(arguments.release)
        files = [PredictionFile(path) for path in arguments.predictions]
        reports = evaluate_all(release, files, progress=advance, **_choice(arguments))
        found = compare_all(reports, named or SHOWN)
        if arguments.format in ("latex", "html", "questions"):
            runs = []
            for (name, report), file in zip(reports.items(), files, strict=True):
                run = run_of_file(release, file, report)
                runs.append(run._replace(system=name.removesuffix(f" ({run.kg})")))
            text = render(document_of_comparison(release, runs, found, advance), arguments.format)
        else:
            text = getattr(found, f"to_{arguments.format}")()
    emit(text, arguments.output)
    return 0


def _with_fresh(arguments: Namespace, metrics: list[str]) -> int:
    from rulemine.evaluation.comparing.contamination import compare_with_fresh
    from rulemine.evaluation.comparing.pairwise import SHOWN
    from rulemine.evaluation.reporting.document import Document
    from rulemine.evaluation.reporting.files import render
    from rulemine.release.reader import Release

    place, *files = arguments.fresh
    if not files:
        raise ConfigError(
            f"--fresh: found {place} and no prediction file; expected a release and predictions for it: "
            "rulemine compare DIR A.jsonl … --fresh DIR2 B.jsonl …"
        )
    with bar("compare") as advance:
        found = compare_with_fresh(
            Release.open(arguments.release),
            arguments.predictions,
            Release.open(place),
            files,
            metrics or SHOWN,
            progress=advance,
            **_choice(arguments),
        )
        if arguments.format in ("latex", "html"):
            title = "Published minus fresh, percent"
            headline = replace(found.tables()[0], id="fresh", title=title)
            text = render(Document(found.title, headline=headline), arguments.format)
        else:
            text = getattr(found, f"to_{arguments.format}")()
    emit(text, arguments.output)
    return 0


def _choice(arguments: Namespace) -> dict[str, Any]:
    return {
        "split": split_of(arguments.split or "test"),
        "sample": arguments.sample,
        "naming": arguments.naming,
        "level": arguments.level,
        "seed": getattr(arguments, "seed", None) or 0,
    }


def _power(arguments: Namespace) -> int:
    """Runs ``compare --power``."""
    refuse_idle(arguments, "comparing", "fresh", "seed")
    if arguments.format != "table":
        raise ConfigError(f"--format {arguments.format}: is for comparing. Leave it out.")
    if arguments.rates is None and len(arguments.predictions) != 2:
        raise ConfigError(
            f"compare --power: found {len(arguments.predictions)} prediction files and no --rates; expected "
            "the folder of a release with two prediction files, or --rates P,Q."
        )
    emit(
        _of_files(arguments) if arguments.rates is None else _of_rates(arguments), arguments.output
    )
    return 0


def _of_rates(arguments: Namespace) -> str:
    from rulemine.evaluation.comparing.planning import needed_for_rates

    for_files = ("release", "difference", "metrics", "split", "sample", "naming", "level")
    refuse_idle(arguments, "prediction files", *for_files)
    try:
        first, second = map(float, arguments.rates.split(","))
    except ValueError:
        raise ConfigError(
            f"--rates: found {arguments.rates!r}; expected two fractions, e.g. 0.62,0.67."
        ) from None
    return needed_for_rates(
        first,
        second,
        differ=arguments.differ,
        design_effect=1.0 if arguments.design_effect is None else arguments.design_effect,
        alpha=0.05 if arguments.alpha is None else arguments.alpha,
        power=arguments.power,
    )


def _of_files(arguments: Namespace) -> str:
    from rulemine.evaluation.comparing.pairwise import evaluate_all
    from rulemine.evaluation.comparing.planning import needed_for_difference
    from rulemine.release.reader import Release

    refuse_idle(arguments, "--rates", "differ", "design_effect")
    reports = evaluate_all(
        Release.open(arguments.release), arguments.predictions, resamples=1, **_choice(arguments)
    )
    return needed_for_difference(
        reports,
        arguments.metrics or "hard_f1",
        arguments.difference,
        alpha=0.05 if arguments.alpha is None else arguments.alpha,
        power=arguments.power,
    )


COMPARE = Subcommand(
    "compare", compare, "compare systems, or say how many questions show a difference",
    (
        "release?",
        arg("predictions", "FILE", "two or more; with --fresh one or more", Path, nargs="*"),
        arg("--fresh", ("DIR2", "FILE"), "a fresh release and the same systems' predictions for it, after "
            "DIR and its files", Path, nargs="+"),
        arg("--metrics", "NAME[,NAME…]", "scores, e.g. hard_f1,mrr (hard_f1,hhr,hits_hard,hits_any,f1); of "
            "--power one (hard_f1)"),
        "split?",
        arg("--sample", "N", "the first N questions of one fixed order, the core first", int),
        arg("--naming", "NAMING", "of the predictions (the release's)"),
        arg("--level", "L", "hard answers are those missing at level L, 1–100 (of the graphs)", int),
        arg("--seed", "N", "of resamples and exchanges (0)", int),
        format_of(*FORMATS, more="; html is a page, questions a CSV of every question"),
        "output wide",
        arg("--power", "P", "how many questions show a difference with this chance (0.8): between two "
            "prediction files, or from --rates", float, nargs="?", const=0.8),
        arg("--difference", "D", "of --power: to be seen, a fraction: 0.05 is 5 points (several)", float),
        arg("--rates", "P,Q", "of --power: scores of 0 and 1 that you expect, e.g. 0.62,0.67"),
        arg("--differ", "F", "of --rates: on which fraction of the questions just one system is right (as if "
            "independent)", float),
        arg("--design-effect", "E", "of --rates: what clusters cost (1)", float),
        arg("--alpha", "A", "of --power: level of the test (0.05)", float),
    ),
    "A file says from which graph it was answered; if it does not, that is the incomplete one. Hard\n"
    "answers are those that are missing on every graph that lacks something.\n"
    "Is a release contaminated? Each system on it, minus the same system on a fresh release, which asks\n"
    "other questions (rulemine build … --not-in DIR):\n"
    "  rulemine compare DIR A.jsonl … --fresh DIR2 B.jsonl …\n"
    "How many questions show a difference? From two prediction files, or from rates that you expect:\n"
    "  rulemine compare DIR A.jsonl B.jsonl --power\n"
    "  rulemine compare --power --rates 0.62,0.67",
)  # fmt: skip
