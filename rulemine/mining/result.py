"""The rules of a mining run: a sequence over the miner's table."""

import os
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from operator import eq
from typing import TYPE_CHECKING, overload

import numpy as np

from rulemine.arrays import frame
from rulemine.errors import OutputError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.jvm import Progress, Rows
from rulemine.mining.options import TimeLimit
from rulemine.query.atom import Atom
from rulemine.rules.formats import (
    AMIE_HEADER,
    amie_atom,
    amie_line,
    anyburl_line,
    json_atom,
    json_line,
    rule_to_json,
)
from rulemine.rules.rule import Measures, Rule

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RULE_FORMATS", "RuleTable", "Rules"]

RULE_FORMATS = ("jsonl", "amie", "anyburl")
"""JSON Lines, AMIE's output, and AnyBURL's, which has no lines for rules that are no paths."""

BLOCK = 4096
"""Number of rules converted to objects at a time when a table is iterated."""

BYTES_IN_MEMORY = 32 << 20
"""A larger table is a file without a name, which ends with the process."""


class RuleTable:
    """The rows of the head relations that are finished."""

    def __init__(self, columns: int) -> None:
        """Makes an empty table.

        Args:
            columns: Columns of the miner's rows.
        """
        self._columns = columns
        self._file = tempfile.SpooledTemporaryFile(BYTES_IN_MEMORY)  # noqa: SIM115  # as long as the table
        self._places: dict[int, tuple[int, int]] = {}

    @property
    def sizes(self) -> dict[int, int]:
        """Finished head relation → number of its rules, by relation."""
        return {head: rules for head, (_, rules) in sorted(self._places.items())}

    def add(self, head: int, rows: Rows) -> None:
        """Adds a finished head relation.

        Raises:
            OutputError: The file cannot be written.
        """
        try:
            self._places[head] = self._file.seek(0, os.SEEK_END), len(rows)
            self._file.write(rows.tobytes())
        except OSError as problem:
            raise OutputError(
                f"{tempfile.gettempdir()}: cannot be written ({problem.strerror}). Free space, or name "
                "another folder for temporary files by TMPDIR."
            ) from None

    def rows(self, head: int) -> Rows:
        """The rows of a finished head relation, shape (rules, columns)."""
        place, rules = self._places[head]
        self._file.seek(place)
        content = self._file.read(rules * self._columns * 8)
        return np.frombuffer(content, np.int64).reshape(rules, self._columns)


class Rules(Sequence[Rule]):
    """Rules in canonical order; equal to any tuple of the same rules.

    A rule becomes an object when it is accessed. Until then it is a row of integers, about 60 bytes; a table
    of more than `BYTES_IN_MEMORY` is in a file.

    Attributes:
        unfinished: Head relations, in order, whose rules are missing because a time limit ended the run;
            empty if the rules are complete.

    Example:
        >>> from rulemine import KnowledgeGraph, MiningOptions, mine
        >>> couples = [("ann", "bob"), ("cleo", "dan"), ("eve", "finn")]
        >>> kg = KnowledgeGraph.from_triples(
        ...     [(x, "wife", y) for x, y in couples] + [(y, "husband", x) for x, y in couples[:2]]
        ... )
        >>> rules = mine(kg, MiningOptions(max_atoms=2, min_initial_support=1))
        >>> frame = rules.to_pandas()
        >>> print(frame[["rule", "type", "support", "pca_confidence"]].to_string(index=False))
                            rule      type  support  pca_confidence
        wife(y,x) ⇒ husband(x,y) inversion        2             1.0
        husband(y,x) ⇒ wife(x,y) inversion        2             1.0
    """

    def __init__(self, kg: KnowledgeGraph, table: RuleTable, wanted: Sequence[int]) -> None:
        """Makes the rules of a table readable.

        Args:
            kg: The graph that was mined.
            table: The rows of every finished head relation.
            wanted: All head relations to mine, in order.
        """
        self._kg = kg
        self._sizes: list[int] = kg.relation_sizes().tolist()
        self._table = table
        rules = table.sizes
        self._heads = [head for head in wanted if head in rules]
        self._ends = list(accumulate(rules[head] for head in self._heads))
        self.unfinished = tuple(kg.relations[head] for head in wanted if head not in rules)
        self._atom = cache(self._make_atom)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Rule]:
        for head in self._heads:
            for rows in self._blocks(head):
                yield from map(self._rule, rows)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, index: int | slice) -> Rule | tuple[Rule, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        at = range(len(self))[index]
        part = bisect_right(self._ends, at)
        start = self._ends[part - 1] if part else 0
        return self._rule(self._table.rows(self._heads[part])[at - start].tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __repr__(self) -> str:
        return f"<{len(self)} rules>"

    def text(
        self, form: str, limit: TimeLimit | None = None, progress: Progress | None = None
    ) -> Iterator[str]:
        """Yields the rules as text, in pieces of whole lines.

        Args:
            form: One of `RULE_FORMATS`.
            limit: Time limit; head relations whose rules cannot be written before it become `unfinished`.
            progress: Called with (rules written, all rules).

        Raises:
            InputError: A name cannot be written in the format.
        """
        if form == "amie":
            yield AMIE_HEADER
        written, total, line = 0, len(self), self._line(form)
        for number, head in enumerate(self._heads):
            if limit is not None and limit.left(self._ends[number] - written) < 0:
                self._forget(number)
                return
            for rows in self._blocks(head):
                yield "".join(map(line, rows))
                written += len(rows)
                if progress is not None:
                    progress(written, total)

    def _forget(self, number: int) -> None:
        """Marks the head relations from a position on as unfinished."""
        late = {self._kg.relations[head] for head in self._heads[number:]} | set(self.unfinished)
        self.unfinished = tuple(label for label in self._kg.relations if label in late)
        del self._heads[number:], self._ends[number:]

    def _blocks(self, head: int) -> Iterator[list[list[int]]]:
        """The rows of a head relation, as `rulemine.mining.jvm.mine_rows` describes them."""
        rows = self._table.rows(head)
        for at in range(0, len(rows), BLOCK):
            yield rows[at : at + BLOCK].tolist()

    def _rule(self, row: list[int]) -> Rule:
        head, functional, support, body_size, pca_body_size, *body = row
        size = self._sizes[head & _LOW]
        return Rule(
            self._make_head(head, functional),
            tuple([self._atom(packed) for packed in body if packed >= 0]),
            Measures(support, body_size, pca_body_size, size, functional),
        )

    def _line(self, form: str) -> Callable[[list[int]], str]:
        """Makes the function that formats a row as a line of text; parts of atoms are cached."""
        if form == "anyburl":
            return lambda row: anyburl_line(self._rule(row))
        write: Callable[..., str] = amie_line if form == "amie" else json_line
        make: Callable[[Atom], object] = amie_atom if form == "amie" else json_atom
        atom = cache(lambda packed: make(self._make_atom(packed)))
        head = cache(lambda packed, functional: make(self._make_head(packed, functional)))

        def line(row: list[int]) -> str:
            packed, functional, support, body_size, pca_body_size, *body = row
            counts = support, body_size, pca_body_size, self._sizes[packed & _LOW], functional
            return write(head(packed, functional), [atom(a) for a in body if a >= 0], counts)

        return line

    def _make_atom(self, packed: int) -> Atom:
        low = packed & _LOW
        subject, object_ = (
            self._kg.entities[(packed >> 32) - 1] if term == _CONSTANT else term
            for term in (low >> 3 & 7, low & 7)
        )
        return Atom(subject, self._kg.relations[low >> 6], object_)

    def _make_head(self, packed: int, functional: int) -> Atom:
        relation = self._kg.relations[packed & _LOW]
        if packed <= _LOW:
            return Atom(0, relation, 1)
        entity = self._kg.entities[(packed >> 32) - 1]
        return Atom(entity, relation, 1) if functional else Atom(0, relation, entity)

    def to_pandas(self) -> "pd.DataFrame":
        """Makes a data frame with a row per rule, in order.

        Returns:
            A frame with the columns ``id``, ``rule`` (readable), ``type``, ``subtype``, ``head`` (its
            relation), ``atoms`` (their number, the head included), and the measures of `Rule.measures`
            with ``functional`` as ``?a`` or ``?b``.

        Raises:
            UserError: pandas is not installed.
        """
        rows = [
            {**row, "head": row["head"][1], "atoms": 1 + len(row["body"])}
            for row in map(rule_to_json, self)
        ]
        return frame({name: [row[name] for row in rows] for name in COLUMNS})


_LOW = 2**32 - 1
_CONSTANT = 7
"""Marks an entity in an atom; its id plus one is in the upper half of the number."""

COLUMNS = (
    "id",
    "rule",
    "type",
    "subtype",
    "head",
    "atoms",
    "head_coverage",
    "std_confidence",
    "pca_confidence",
    "support",
    "body_size",
    "pca_body_size",
    "head_size",
    "functional",
)
