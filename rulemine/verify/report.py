"""The report of the verifier: problems, what was checked, and what was skipped.

Guarantees: a report is deterministic (sorted by file, line, invariant) and printable: found values are
escaped and shortened.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rulemine.errors import counted

__all__ = ["Findings", "Problem", "VerificationReport", "differing", "shown"]

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
        partial: Whether answers are hidden, so that only some of the claims can be checked.
    """

    path: Path
    problems: tuple[Problem, ...]
    checked: Mapping[str, int]
    skipped: tuple[str, ...]
    notes: tuple[str, ...] = ()
    partial: bool = False

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
        lines: list[str] = []
        kinds: dict[tuple[str, str], list[Problem]] = {}
        for problem in self.problems:
            kinds.setdefault((problem.file, problem.invariant), []).append(problem)
        each = max(1, most // max(1, len(kinds)))
        for (file, invariant), own in kinds.items():
            lines += [f"  {problem}" for problem in own[:each]]
            rest = len(own) - each
            lines += [f"  {file}: {invariant}: … and {rest:,} more"] if rest > 0 else []
        lines += [f"  not checked: {what}" for what in self.skipped]
        lines += [f"  note: {what}" for what in self.notes]
        files = counted(len({p.file for p in self.problems}), "file")
        some = f"{counted(len(self.problems), 'problem')} in {files}"
        held = "what can be checked holds" if self.partial else "every invariant holds"
        figures = [f"{n:,} {what}" for what, n in self.checked.items()]
        end = f"{held if self.ok else some}; checked {', '.join(figures) or 'nothing'}"
        return "\n".join([*lines, f"{self.path}: {end}"])


class Findings:
    """Collects the results of all checks.

    Attributes:
        checked: What was checked → how many.
        skipped: See `VerificationReport`.
        notes: See there; one may be given more than once.
    """

    def __init__(self) -> None:
        self._problems: set[Problem] = set()
        self.checked: Counter[str] = Counter()
        self.skipped: list[str] = []
        self.notes: list[str] = []

    def add(self, file: str, line: int | None, invariant: str, found: str, expected: str) -> None:
        """Adds a problem; the arguments are those of `Problem`."""
        self._problems.add(Problem(file, line, invariant, found, expected))

    def report(self, path: Path) -> VerificationReport:
        """Makes the report of everything found so far."""
        ordered = sorted(
            self._problems, key=lambda p: (p.file, p.line or 0, p.invariant, p.found, p.expected)
        )
        return VerificationReport(
            path,
            tuple(ordered),
            dict(self.checked),
            tuple(self.skipped),
            tuple(dict.fromkeys(self.notes)),
        )


def shown(value: object) -> str:
    """A value for a message, escaped and shortened."""
    ordered = isinstance(value, set | frozenset)  # the order of a set is not the same twice
    text = repr(sorted(value, key=repr) if ordered else value)  # type: ignore[call-overload]
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def differing(found: Any, expected: Any) -> tuple[Any, Any]:
    """Where two values differ: of lists the first items that do."""
    if not (isinstance(found, list) and isinstance(expected, list)):
        return found, expected
    pairs = zip_longest(found, expected)
    return next((pair for pair in pairs if pair[0] != pair[1]), (found, expected))
