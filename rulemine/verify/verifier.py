"""The verification of a whole release: all checks, in order; what cannot be checked is skipped, and said.

Digests and contents are checked independently: recomputing the digests after an edit does not hide it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.errors import UserError
from rulemine.release.reader import MANIFEST, Release
from rulemine.verify.contents import Contents, Record
from rulemine.verify.graph import blocks
from rulemine.verify.kinds import GoldServer
from rulemine.verify.names import check_found, check_ids, check_names
from rulemine.verify.questions.question import check_question
from rulemine.verify.questions.question_set import check_set
from rulemine.verify.removals import RemovalChecks, check_cap, check_graphs
from rulemine.verify.report import Findings, VerificationReport
from rulemine.verify.rules import check_rules, count_rules
from rulemine.verify.twins import check_twins

__all__ = ["verify"]

AT_ONCE = 2048
"""Removed triples that are proved at once."""

MISFITS = (
    ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, UserError, ValueError,
)  # fmt: skip
"""The exceptions that malformed or inconsistent records raise."""


_KEY = re.compile(rb"sk-(?<![A-Za-z0-9_-]sk-)(?:[A-Za-z0-9]{1,10}[-_]){0,3}([A-Za-z0-9_-]{20,})")
_RUN = re.compile(rb"[A-Za-z0-9]{20,}")


def verify(
    path: str | Path,
    progress: Callable[[int, int], object] = lambda _done, _all: None,
    on_phase: Callable[[str], object] = lambda _name: None,
    *,
    thorough: bool = False,
    gold: GoldServer | None = None,
) -> VerificationReport:
    """Checks every digest and every claim of a release from its files alone.

    Args:
        path: The folder of the release, or its archive.
        progress: Called now and then with (removed triples and questions checked, all of them).
        on_phase: Called with what is checked next, in a word or two.
        thorough: Whether all rules are counted again on the graph, however large.
        gold: Runs Cypher on a database, where the questions have some; None: a note says that this was not
            done.

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
    kind, hidden = contents.checks, release.manifest.get("hidden")
    stages: dict[str, tuple[Callable[[Contents], object], ...]] = {
        "graphs": (check_names, check_graphs),
        "rules": (check_rules, check_found),
        "splits": (check_set, check_cap, *([] if kind.as_given else [check_ids])),
    }
    if hidden:
        findings.notes.append(
            f"answers of {', '.join(hidden)} are hidden: files and graphs are checked alone; who has the "
            "full release can check the rest"
        )
        stages = {"graphs": (check_names, check_graphs, check_hidden)}
    elif not kind.known:
        findings.notes.append(f"verified but for what is special to the kind {contents.kind}")
    for what, checks in stages.items():
        on_phase(what)
        for check in checks if not findings.skipped else ():
            _held(findings, what, check, contents)
    if findings.skipped or hidden:
        return replace(findings.report(release.path), partial=bool(hidden))
    # Triples of one relation are proved together.
    removed, questions = sorted(contents.removed, key=lambda triple: triple[1]), contents.questions
    steps, removals = len(removed) + len(questions), RemovalChecks(contents)
    on_phase("proofs")
    progress(0, steps)
    _held(findings, "measures of rules", count_rules, contents, thorough)
    for at in range(0, len(removed), AT_ONCE):
        _held(findings, "proofs", removals.check, removed[at : at + AT_ONCE])
        progress(min(len(removed), at + AT_ONCE), steps)
    on_phase("twins")
    _held(findings, "twins", check_twins, contents)
    on_phase("questions")
    watched = _watched(questions, lambda number: progress(len(removed) + number, steps))
    if kind.otherwise:
        _held(findings, "questions", kind.otherwise, contents, watched, gold)
    for asked in watched if not kind.otherwise else ():
        _held(findings, asked.place, check_question, contents, asked)
    findings.checked["questions"] += len(questions)
    return findings.report(release.path)


def check_hidden(contents: Contents) -> None:
    """Checks that of the questions whose answers are hidden nothing is known but what systems see."""
    for split in contents.manifest["hidden"]:
        for at in contents.records(f"questions/{split}.jsonl"):
            contents.equal(at, "hidden", sorted(at.row), ["id", "question", "topic_entities"])


def _watched(questions: list[Record], progress: Callable[[int], object]) -> Iterator[Record]:
    for done, at in enumerate(questions, start=1):
        yield at
        if done % 256 == 0 or done == len(questions):
            progress(done)


def _held(findings: Findings, what: str, check: Callable[..., object], *arguments: Any) -> None:
    """Runs a check; malformed or inconsistent records are a finding."""
    try:
        check(*arguments)
    except MISFITS as problem:
        findings.skipped.append(
            f"{what}, whose records do not fit ({type(problem).__name__}: {problem})"
        )


def check_files(release: Release, findings: Findings) -> None:
    """Checks all files; what is not as the manifest lists it is skipped, too."""
    folder, listed, lost = release.folder, release.manifest["files"], []
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    for name in sorted(there - {MANIFEST, *listed}):
        findings.add(name, None, "unlisted", "a file", "only what the manifest lists")
    for name in sorted(listed):
        try:
            release.file(name)
        except UserError as problem:
            lost.append(name)
            findings.add(
                name, None, "digest", str(problem).partition(". ")[0], "as the manifest lists it"
            )
    for name in sorted({MANIFEST, *listed}.difference(lost)):
        if any(map(has_key, blocks(folder / name))):  # which is not repeated: reports get shared
            findings.add(
                name, None, "secret", "what looks like an API key (sk-…)", "none; revoke it"
            )
    if lost:
        findings.skipped.append("everything else (needs all files as the manifest lists them)")
    findings.checked["files"] += len(listed)


def has_key(content: bytes) -> bool:
    """Whether there is a text that looks like an API key.

    Most services write keys as ``sk-`` and a long run of letters and digits, maybe with short words between.
    Other keys cannot be distinguished from text.
    """
    found = (run for key in _KEY.findall(content) for run in _RUN.findall(key))
    return any(1 < sum(48 <= byte <= 57 for byte in run) < len(run) for run in found)
