"""What is wrong with a graph, or was left out of it: counted by kind, the first of each kind shown."""

from collections import Counter
from collections.abc import Iterator

from rulemine.errors import InputError, list_problems

__all__ = ["Faults"]

_SHOWN = 3
"""How many lines of a kind are kept."""


class Faults:
    """Faults by kind, in the order in which the kinds were met."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._lines: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.counts)

    def add(self, kind: str, line: str) -> None:
        """Adds a fault.

        Args:
            kind: What kind it is, in the plural, e.g. ``ends that are no node``.
            line: Where it is, and what was found.
        """
        self.counts[kind] += 1
        lines = self._lines.setdefault(kind, [])
        if len(lines) < _SHOWN:
            lines.append(line)

    def lines(self) -> Iterator[str]:
        """The first of each kind."""
        for lines in self._lines.values():
            yield from lines

    def summary(self) -> str:
        """The counts, e.g. ``ends that are no node: 3, values that do not fit: 1``."""
        return ", ".join(f"{kind}: {number:,}" for kind, number in self.counts.items())

    def __str__(self) -> str:
        return "; ".join((self.summary(), *self.lines()))

    def report(self, where: str, advice: str) -> None:
        """Raises an error if anything is wrong.

        Args:
            where: The file.
            advice: What to do, as a sentence.

        Raises:
            InputError: There is a fault; the message lists the first of each kind.
        """
        if self:
            lines = list(self.lines())
            unseen = self.counts.total() - len(lines)
            if self.counts.total() > 1:
                where = f"{where}: {self.counts.total():,} faults: {self.summary()}"
            raise InputError(list_problems(where, lines, advice, unseen))
