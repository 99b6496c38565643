"""The verification of a whole release: all checks, in order; what cannot be checked is skipped, and said.

Digests and contents are checked independently: recomputing the digests after an edit does not hide it.
Rules, removed triples and questions are checked a part at a time, in this process or in others; a part finds
the same whatever other parts were checked before it, and where.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rulemine.errors import UserError
from rulemine.release.reader import Release
from rulemine.verify.contents import Contents
from rulemine.verify.files import check_files
from rulemine.verify.names import check_found, check_ids, check_names
from rulemine.verify.protocol import GoldServer, Watch
from rulemine.verify.questions.question import check_question
from rulemine.verify.questions.question_set import check_set
from rulemine.verify.removals import RemovalChecks, check_cap, check_graphs
from rulemine.verify.report import Findings, VerificationReport
from rulemine.verify.rules import check_rules, count_rules, rules_to_count

__all__ = ["Part", "PartChecks", "verify"]

AT_ONCE = {"rules": 32, "removed": 2048, "questions": 256}
"""What is checked → how many in a part."""

MISFITS = (
    ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, UserError, ValueError,
)  # fmt: skip
"""What records may raise that are not of the format, or do not fit each other."""

Part = tuple[str, int, int]
"""What is checked at once: what, the position of the first one, and that of the one after the last."""

Run = Callable[[Callable[[Part], Findings], Sequence[Part]], Iterable[Findings]]
"""Calls a function with parts and yields what it returns, in their order: `map`, or another like it."""


def verify(
    path: str | Path,
    progress: Callable[[int, int], object] = lambda _done, _all: None,
    on_phase: Callable[[str], object] = lambda _name: None,
    *,
    thorough: bool = False,
    gold: GoldServer | None = None,
    run: Run = map,
) -> VerificationReport:
    """Checks every digest and every claim of a release from its files alone.

    Args:
        path: The folder of the release, or its archive.
        progress: Called now and then with (removed triples and questions checked, all of them).
        on_phase: Called with what is checked next, in a word or two.
        thorough: Whether all rules are counted again on the graph, however large.
        gold: Runs Cypher on a database, where the questions have some; None: a note says that this was not
            done.
        run: Checks parts of the rules, removed triples and questions.

    Returns:
        The report; `VerificationReport.ok` says whether every invariant holds.

    Raises:
        ReleaseError: The path is no release, or one of another format version; see
            `rulemine.release.reader.Release.open`. Anything else wrong with it is a problem in the report.
    """
    release, findings = Release.open(path), Findings()
    on_phase("digests")
    check_files(release, findings)
    contents = Contents(release, findings)
    kind = contents.checks
    if not kind.known:
        findings.note(f"verified but for what is special to the kind {contents.kind}")
    stages: dict[str, tuple[Callable[[Contents], object], ...]] = {
        "graphs": (check_names, check_graphs),
        "rules": (check_rules, check_found),
        "splits": (check_set, check_cap, *([] if kind.as_given else [check_ids])),
    }
    for what, checks in stages.items():
        on_phase(what)
        for check in checks if not findings.skipped else ():
            _held(findings, what, check, contents)
    if findings.skipped:
        return findings.report(release.path)
    removed, steps = len(contents.removed), len(contents.removed) + len(contents.questions)
    all_parts = PartChecks(contents, rules_to_count(contents, thorough))

    def watched(before: int, *whats: str) -> None:
        parts = [part for what in whats for part in all_parts.parts(what)]
        for (what, _, last), found in zip(
            parts, run(all_parts, parts) if parts else (), strict=True
        ):
            findings.extend(found)
            if what != "rules":
                progress(before + last, steps)

    on_phase("proofs")
    progress(0, steps)
    watched(0, "rules", "removed")
    on_phase("questions")
    if kind.otherwise is None:
        watched(removed, "questions")
    else:
        contents.findings = findings
        watch = Watch(on_phase, lambda number: progress(removed + number, steps), gold)
        _held(findings, "questions", kind.otherwise, contents, watch)
        progress(steps, steps)
    findings.count("questions", len(contents.questions))
    return findings.report(release.path)


def _held(findings: Findings, what: str, check: Callable[..., object], *arguments: Any) -> None:
    """Checks something; records that are not of the format, or do not fit each other, are told."""
    try:
        check(*arguments)
    except MISFITS as problem:
        findings.skip(f"{what}, whose records do not fit ({type(problem).__name__}: {problem})")


class PartChecks:
    """The checks of parts of a release; can be pickled, and keeps what several parts need.

    Args:
        contents: The contents of the release.
        counted: The ids of the rules that are counted again.
    """

    def __init__(self, contents: Contents, counted: Sequence[str]) -> None:
        self._contents = contents
        # Triples of one relation are proved at once.
        removed = sorted(contents.removed, key=lambda triple: triple[1])
        self._all: dict[str, tuple[Sequence[Any], Callable[[Sequence[Any]], None]]] = {
            "rules": (counted, partial(count_rules, contents)),
            "removed": (removed, RemovalChecks(contents).check),
            "questions": (contents.questions, partial(_check_questions, contents)),
        }

    def parts(self, what: str) -> list[Part]:
        """All parts of some sort."""
        number, step = len(self._all[what][0]), AT_ONCE[what]
        return [(what, at, min(number, at + step)) for at in range(0, number, step)]

    def __call__(self, part: Part) -> Findings:
        """What is found in a part."""
        what, first, last = part
        self._contents.findings = findings = Findings()
        some, check = self._all[what]
        _held(findings, f"{what} {first + 1} to {last}", check, some[first:last])
        return findings


def _check_questions(contents: Contents, questions: Sequence[Any]) -> None:
    for at in questions:
        check_question(contents, at)
