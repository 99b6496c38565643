"""The report of the verifier: problems, what was checked, and what was skipped.

Guarantees: a report is deterministic (sorted by file, line, invariant) and printable: found values are
escaped and shortened.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rulemine.errors import counted
from rulemine.verify.triples import ReadGraph

__all__ = ["Findings", "Problem", "VerificationReport", "shown"]

MOST_SHOWN = 20
"""The rough number of problems that `VerificationReport.to_text` spells out."""

_WIDEST = 120


@dataclass(frozen=True, slots=True)
class Problem:
    """A violated invariant.

    Attributes:
        file: The file, relative to the release folder.
        line: The line, from 1; None for the whole file.
        invariant: The short, fixed name of the invariant.
        found: What was found.
        expected: What was expected.
    """

    file: str
    line: int | None
    invariant: str
    found: str
    expected: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}: line {self.line}"
        return f"{where}: {self.invariant}: found {self.found}; expected {self.expected}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The outcome of a verification.

    Attributes:
        path: The release folder.
        problems: All problems, sorted by file, line and invariant.
        checked: What was checked → how many, in the order of checking.
        skipped: Checks that were skipped because what they need is missing or unreadable, which is a
            problem itself.
        notes: What was not checked for another reason; no fault of the release.
        complete: The complete KG, if all was checked.
    """

    path: Path
    problems: tuple[Problem, ...]
    checked: Mapping[str, int]
    skipped: tuple[str, ...]
    notes: tuple[str, ...] = ()
    complete: ReadGraph | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether there are no problems and nothing was skipped."""
        return not self.problems and not self.skipped

    def to_text(self, most: int = MOST_SHOWN) -> str:
        """The report as text, lines separated by LF.

        Args:
            most: The rough number of problems to spell out. Of each kind (one invariant in one file) at
                least one is shown; the rest are counted.
        """
        figures = ", ".join(f"{n:,} {what}" for what, n in self.checked.items())
        lines = [f"checked {figures or 'nothing'}"]
        kinds = Counter((p.file, p.invariant) for p in self.problems)
        each = max(1, most // max(1, len(kinds)))
        seen: Counter[tuple[str, str]] = Counter()
        for problem in self.problems:
            kind = (problem.file, problem.invariant)
            seen[kind] += 1
            if seen[kind] <= each:
                lines.append(f"  {problem}")
            if seen[kind] == kinds[kind] > each:
                rest = kinds[kind] - each
                lines.append(f"  {problem.file}: {problem.invariant}: … and {rest:,} more")
        lines += [f"  not checked: {what}" for what in self.skipped]
        lines += [f"  note: {what}" for what in self.notes]
        if self.ok:
            lines.append(f"{self.path}: every invariant holds")
        else:
            files = len({p.file for p in self.problems})
            lines.append(
                f"{self.path}: {counted(len(self.problems), 'problem')} in {counted(files, 'file')}"
            )
        return "\n".join(lines)


class Findings:
    """Collects the results of all checks."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._checked: dict[str, int] = {}
        self._skipped: list[str] = []
        self._notes: list[str] = []

    def add(self, file: str, line: int | None, invariant: str, found: str, expected: str) -> None:
        """Adds a problem; the arguments are those of `Problem`."""
        self._problems.append(Problem(file, line, invariant, found, expected))

    def concern(self, file: str) -> bool:
        """Whether there is a problem in a file."""
        return any(problem.file == file for problem in self._problems)

    def count(self, what: str, number: int) -> None:
        """Adds to the number of checked things of a kind."""
        self._checked[what] = self._checked.get(what, 0) + number

    def skip(self, what: str) -> None:
        """Adds a skipped check."""
        self._skipped.append(what)

    def note(self, what: str) -> None:
        """Adds what was not checked and is no fault, once."""
        if what not in self._notes:
            self._notes.append(what)

    def extend(self, others: "Findings") -> None:
        """Adds what others have."""
        self._problems += others._problems
        for what, number in others._checked.items():
            self.count(what, number)
        self._skipped += others._skipped
        for what in others._notes:
            self.note(what)

    def report(self, path: Path) -> VerificationReport:
        """Makes the report of everything found so far."""
        ordered = sorted(
            set(self._problems),
            key=lambda p: (p.file, p.line or 0, p.invariant, p.found, p.expected),
        )
        checked = MappingProxyType(dict(self._checked))
        skipped, notes = tuple(self._skipped), tuple(self._notes)
        return VerificationReport(path, tuple(ordered), checked, skipped, notes)


def shown(value: object) -> str:
    """A value for a message, escaped and shortened."""
    text = repr(list(value)) if isinstance(value, tuple) else repr(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def difference(found: set[Any], expected: set[Any]) -> str:
    """The difference of two sets of names or triples, for a message."""
    extra, lacking = sorted(found - expected), sorted(expected - found)
    parts = [
        f"{len(names)} {what} ({', '.join(map(repr, names[:3]))}{', …' if len(names) > 3 else ''})"
        for names, what in ((extra, "too many"), (lacking, "missing"))
        if names
    ]
    return " and ".join(parts)
