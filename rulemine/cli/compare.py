"""The commands that compare systems: ``compare``, and ``power``, which says how many questions that takes."""

import argparse
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.cli.answer import split_of
from rulemine.cli.console import bar, check_output, emit, output_file, refuse_idle
from rulemine.cli.parser import Parser, add_command, add_wide
from rulemine.errors import ConfigError

__all__ = ["add_comparing"]


def add_comparing(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the commands that compare."""
    parser = add_command(
        commands, "compare", compare, "compare systems: differences, intervals, and whether they are real",
        "A file says from which graph it was answered; if it does not, that is the incomplete one. Hard\n"
        "answers are those that are missing on every graph that lacks something.\n"
        "Is a release contaminated? Each system on it, minus the same system on a fresh release, which asks\n"
        "other questions (rulemine build … --not-in DIR):\n"
        "  rulemine compare DIR A.jsonl … --fresh DIR2 B.jsonl …",
    )  # fmt: skip
    parser.add_argument(
        "release", type=Path, metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("predictions", type=Path, nargs="+", metavar="FILE",
                        help="two or more; with --fresh one or more")  # fmt: skip
    parser.add_argument("--fresh", type=Path, nargs="+", metavar=("DIR2", "FILE"),
                        help="a fresh release and the same systems' predictions for it, after DIR and its "
                        "files")  # fmt: skip
    parser.add_argument("--metrics", metavar="NAME[,NAME…]",
                        help="scores, e.g. hard_f1,mrr (hard_f1,hhr,hits_hard,hits_any,f1)")  # fmt: skip
    _add_choice(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="of resamples and exchanges (0)")
    parser.add_argument("--format", default="table",
                        choices=("table", "json", "csv", "markdown", "latex", "html", "questions"),
                        help="(table); html is a page, questions a CSV of every question")  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )
    add_wide(parser)
    parser = add_command(
        commands, "power", power, "how many questions show a difference between two systems",
        "From two prediction files: rulemine power DIR A.jsonl B.jsonl\n"
        "From rates that you expect: rulemine power --rates 0.62,0.67",
    )  # fmt: skip
    parser.add_argument(
        "release", type=Path, nargs="?", metavar="DIR", help="folder or archive of the release"
    )
    parser.add_argument("predictions", type=Path, nargs="*", metavar="FILE", help="two of them")
    parser.add_argument("--difference", type=float, metavar="D",
                        help="to be seen, a fraction: 0.05 is 5 points (several)")  # fmt: skip
    parser.add_argument(
        "--rates", metavar="P,Q", help="scores of 0 and 1 that you expect, e.g. 0.62,0.67"
    )
    parser.add_argument("--differ", type=float, metavar="F",
                        help="on which fraction of the questions just one system is right (as if "
                        "independent)")  # fmt: skip
    parser.add_argument("--design-effect", type=float, metavar="E", help="what clusters cost (1)")
    parser.add_argument("--metric", metavar="NAME", help="the score, of prediction files (hard_f1)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the test (0.05)")
    parser.add_argument("--power", type=float, default=0.8, help="chance of seeing it (0.8)")
    _add_choice(parser)
    parser.add_argument(
        "-o", "--output", type=output_file, metavar="FILE", help="(standard output)"
    )
    add_wide(parser)


def _add_choice(parser: Parser) -> None:
    parser.add_argument("--split", help="train, validation, test or all (test)")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="the first N questions of one fixed order, the core first")  # fmt: skip
    parser.add_argument("--naming", metavar="NAMING", help="of the predictions (the release's)")
    parser.add_argument("--level", type=int, metavar="L",
                        help="hard answers are those missing at level L, 1–100 (of the graphs)")  # fmt: skip


def compare(arguments: Namespace) -> int:
    """``compare``."""
    from rulemine.evaluation.comparing.pairwise import SHOWN, compare_all, evaluate_all
    from rulemine.evaluation.prediction_file import PredictionFile
    from rulemine.evaluation.reporting.files import render
    from rulemine.evaluation.reporting.several import document_of_comparison
    from rulemine.evaluation.reporting.single import run_of_file
    from rulemine.registry import split_names
    from rulemine.release.reader import Release

    check_output(arguments.output)
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
    with bar("compare") as tell:
        release = Release.open(arguments.release)
        files = [PredictionFile(path) for path in arguments.predictions]
        reports = evaluate_all(release, files, progress=tell, **_choice(arguments))
        found = compare_all(reports, named or SHOWN)
        if arguments.format in ("latex", "html", "questions"):
            runs = []
            for (name, report), file in zip(reports.items(), files, strict=True):
                run = run_of_file(release, file, report)
                runs.append(run._replace(system=name.removesuffix(f" ({run.kg})")))
            text = render(document_of_comparison(release, runs, found, tell), arguments.format)
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
    with bar("compare") as tell:
        found = compare_with_fresh(
            Release.open(arguments.release),
            arguments.predictions,
            Release.open(place),
            files,
            metrics or SHOWN,
            progress=tell,
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


def power(arguments: Namespace) -> int:
    """``power``."""
    check_output(arguments.output)
    if arguments.rates is None and len(arguments.predictions) != 2:
        raise ConfigError(
            f"power: found {len(arguments.predictions)} prediction files and no --rates; expected the folder "
            "of a release with two prediction files, or --rates P,Q."
        )
    emit(
        _of_files(arguments) if arguments.rates is None else _of_rates(arguments), arguments.output
    )
    return 0


def _of_rates(arguments: Namespace) -> str:
    from rulemine.evaluation.comparing.planning import needed_for_rates

    for_files = ("release", "difference", "metric", "split", "sample", "naming", "level")
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
        alpha=arguments.alpha,
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
        arguments.metric or "hard_f1",
        arguments.difference,
        alpha=arguments.alpha,
        power=arguments.power,
    )
