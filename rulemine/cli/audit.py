"""The command ``audit``: what guessing, looking up and leaks get of question sets, side by side."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rulemine.cli.arguments import Subcommand, arg, switch, within
from rulemine.cli.console import Line, say

__all__ = ["AUDIT"]

MORE = """\
Writes audit.json, audit.md and audit.html into OUT. Each figure has its definition, the number of questions
it is over, an interval and examples; what the files do not allow is "not available":
  rulemine audit out/demo -o out/audit
  rulemine audit out/demo out/family -o out/audit    side by side, in one table"""


def audit(arguments: Namespace) -> int:
    """Runs ``audit``."""
    from rulemine.auditing.audit import Audit
    from rulemine.auditing.audit import audit as audit_release
    from rulemine.auditing.audited import Progress
    from rulemine.auditing.page import check_audits, document_of, write_audits
    from rulemine.release.reader import Release
    from rulemine.text.tables import text_of

    check_audits(arguments.output)
    line = Line()

    @contextmanager
    def watch(step: str) -> Iterator[Progress]:
        with line.watch(step) as advance:
            yield advance

    releases = [Release.open(path) for path in arguments.releases]
    arguments.output.mkdir(
        parents=True, exist_ok=True
    )  # a place that cannot be written is known at once
    found: list[Audit] = [
        audit_release(
            release,
            resamples=arguments.resamples,
            seed=arguments.seed,
            mines=not arguments.no_mining,
            watch=watch,
        )
        for release in releases
    ]
    written = write_audits(found, arguments.output)
    headline = document_of(found).headline
    if headline is not None:
        say(text_of(headline), end="")
    say(f"\n{written[-1]}")
    return 0


AUDIT = Subcommand(
    "audit", audit, "what guesses get, what leaks and what is confirmed, side by side",
    (
        arg("releases", "DIR", "folders or archives of releases", Path, nargs="+"),
        switch("--no-mining", "mine no rules where a release has none"),
        arg("--resamples", "N", "resamples of an interval (1000)", within(1), default=1000),
        "seed",
        arg("-o --output", "OUT", "folder to write", Path, required=True),
        "wide",
    ),
    MORE, beside_output=True,
)  # fmt: skip
