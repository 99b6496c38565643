"""The command ``compare``: differences between systems."""

from argparse import Namespace
from pathlib import Path

from rulemine.cli.answer import split_of
from rulemine.cli.arguments import FORMATS, Subcommand, arg, format_of, switch
from rulemine.cli.console import bar, check_output, emit, refuse_idle
from rulemine.errors import ConfigError

__all__ = ["COMPARE"]


def compare(arguments: Namespace) -> int:
    """Runs ``compare``."""
    from rulemine.evaluation.comparing.comparison import SHOWN, evaluate_all
    from rulemine.evaluation.comparing.comparison import compare as compare_all
    from rulemine.evaluation.predictions import PredictionFile
    from rulemine.evaluation.reporting.documents import document_of_comparison, run_of_file
    from rulemine.evaluation.reporting.files import render
    from rulemine.registry import split_names
    from rulemine.release.reader import Release

    check_output(arguments.output)
    if arguments.format == "questions":
        refuse_idle(arguments, "other formats than questions", "metrics", "seed")
    named = list(dict.fromkeys(split_names(arguments.metrics or "")))
    if arguments.metrics is not None and not named:
        raise ConfigError(
            f"--metrics {arguments.metrics!r}: names no score; expected e.g. hard_f1,hhr. Leave it out for "
            "the usual ones."
        )
    with bar("compare") as advance:
        release = Release.open(arguments.release)
        files = [PredictionFile(path) for path in arguments.predictions]
        reports = evaluate_all(
            release,
            files,
            split=split_of(arguments.split),
            sample=arguments.sample,
            naming=arguments.naming,
            level=arguments.level,
            seed=arguments.seed or 0,
            progress=advance,
        )
        found = compare_all(reports, named or SHOWN, broken_down=arguments.all)
        if arguments.format in ("latex", "html", "questions"):
            runs = [
                run_of_file(release, file, report)._replace(
                    system=name.removesuffix(f" ({report.kg})")
                )
                for (name, report), file in zip(reports.items(), files, strict=True)
            ]
            text = render(document_of_comparison(release, runs, found, advance), arguments.format)
        else:
            text = getattr(found, f"to_{arguments.format}")()
    emit(text, arguments.output)
    return 0


COMPARE = Subcommand(
    "compare", compare, "compare systems on the same questions",
    (
        "release",
        arg("predictions", "FILE", "two or more", Path, nargs="+"),
        arg("--metrics", "NAME[,NAME…]", "scores, e.g. hard_f1,mrr (hard_f1,hhr,hits_hard,hits_any,f1)"),
        switch("--all", "differences over every group of questions, too"),
        "split",
        arg("--sample", "N", "the first N questions of one fixed order, the core first", int),
        arg("--naming", "NAMING", "of the predictions (the release's)"),
        arg("--level", "L", "hard answers are those missing at level L, 1–100 (of the graphs)", int),
        arg("--seed", "N", "of resamples and exchanges (0)", int),
        format_of(*FORMATS, more="; html is a page, questions a CSV of every question"),
        "output",
    ),
    "A file says from which graph it was answered; if it does not, that is the incomplete one. Hard\n"
    "answers are those that are missing on every graph that lacks something.",
)  # fmt: skip
