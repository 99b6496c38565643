"""Proofs: which rules still prove removed triples, and in how many ways; and the joins that count them.

A proof of a triple is a substitution under which the head of a rule is that triple and its whole body is in
the incomplete graph. All triples of a relation are joined with the body of each rule at once.

Bindings of variables are a table. Each atom widens or filters it; a variable that no further atom needs is
left out, and rows that become equal are one row that stands for as many substitutions. A table that would
get too large is made in parts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rulemine.verify.graph import MASK, Graph, Ints, Triple, member, packed, spans

__all__ = ["WAYS", "Atom", "HornRule", "Proofs", "Prover", "Table", "match", "substitutions"]

Atom = tuple[int, str, int]
"""A relation between two variables, each a number."""

Table = dict[int, Ints]
"""Variable → its values, one a row; `WAYS` → how many substitutions a row stands for."""

WAYS = -1

MOST_ROWS = 1 << 21
"""The size from which on a table of bindings is made in parts, in rows."""

_TRIPLE = -2
"""The column with the place of the triple that is proved."""


@dataclass(frozen=True, slots=True)
class HornRule:
    """A rule.

    Attributes:
        line: Its line in ``rules.jsonl``.
        head: The head; variables are numbers.
        body: The body atoms as written there.
        row: The line itself.
    """

    line: int
    head: Atom
    body: tuple[Atom, ...]
    row: dict[str, Any]

    @classmethod
    def of(cls, line: int, row: dict[str, Any]) -> "HornRule":
        """The rule of a line of ``rules.jsonl``."""
        atoms = [
            (ord(s[1:]) - 97, str(r), ord(o[1:]) - 97) for s, r, o in (row["head"], *row["body"])
        ]
        return cls(line, atoms[0], tuple(atoms[1:]), row)

    @property
    def confidence(self) -> float:
        """The standard confidence."""
        return float(self.row["std_confidence"])


def match(atom: Atom, triple: Triple, bindings: dict[int, str]) -> bool:
    """Unifies an atom with a triple: extends the bindings, or returns False if they contradict it."""
    return atom[1] == triple[1] and all(
        bindings.setdefault(variable, value) == value
        for variable, value in zip(atom[::2], triple[::2], strict=True)
    )


class Proofs(NamedTuple):
    """The proofs of a triple.

    Attributes:
        ways: Substitutions, over all rules.
        rules: The rules that prove it.
    """

    ways: int
    rules: list[HornRule]


class Prover:
    """Counts proofs of triples by rules.

    Attributes:
        rules: The rules by head relation.
    """

    def __init__(self, rules: Iterable[HornRule], graph: Graph) -> None:
        self._graph = graph
        self.rules: dict[str, list[HornRule]] = defaultdict(list)
        for rule in rules:
            self.rules[rule.head[1]].append(rule)

    def prove_all(self, triples: Iterable[Triple]) -> dict[Triple, Proofs]:
        """Counts the proofs of triples that are not themselves in the graph."""
        found: dict[Triple, Proofs] = {}
        by_relation = defaultdict[str, list[Triple]](list)
        for triple in dict.fromkeys(triples):
            by_relation[triple[1]].append(triple)
        for relation, own in by_relation.items():
            number = self._graph.terms.entities.get
            ends = np.array([[number(t[end], -1) for t in own] for end in (0, 2)], np.int64)
            total, by = np.zeros(len(own), np.int64), [list[HornRule]() for _ in own]
            met: dict[tuple[int, str, int], Any] = {}
            for rule in self.rules.get(relation, ()):
                total += (ways := self._ways(rule, ends, met))
                for place in np.flatnonzero(ways).tolist():
                    by[place].append(rule)
            found.update(zip(own, map(Proofs, total.tolist(), by), strict=True))
        return found

    def _ways(self, rule: HornRule, ends: Ints, met: dict[tuple[int, str, int], Any]) -> Ints:
        """Counts the proofs of some triples of the relation of its head.

        Args:
            rule: The rule.
            ends: Their subjects and objects as numbers, shape (2, n); −1 for unknown ones.
            met: End of a triple, relation, end of it → which triples have such an end; is added to.
        """
        left = (ends >= 0).all(axis=0) & (rule.head[0] != rule.head[2] or ends[0] == ends[1])
        needs = [
            (end, relation, side)
            for s, relation, o in rule.body
            for side, variable in enumerate((s, o))
            for end in (0, 1)
            if variable == rule.head[2 * end]
        ]
        for need in needs:
            if need not in met:
                end, relation, side = need
                met[need] = spans(self._graph.pairs(relation, side), ends[end])[1] > 0
            left = left & met[need]
        at, ways = np.flatnonzero(left), np.zeros(ends.shape[1], np.int64)
        if len(at):
            table = {_TRIPLE: at, rule.head[0]: ends[0, at], rule.head[2]: ends[1, at]}
            for part in substitutions(rule.body, table, {_TRIPLE}, self._graph):
                np.add.at(ways, part[_TRIPLE], part[WAYS])
        return ways


def substitutions(
    body: Sequence[Atom], table: Table, needed: Set[int], graph: Graph
) -> Iterator[Table]:
    """Extends a table by all that makes a body hold.

    Args:
        body: Atoms; each is joined to the table by others, or directly.
        table: Bindings to begin with; its rows differ in the variables needed.
        needed: The variables to keep.
        graph: The graph.

    Yields:
        Parts of the result: tables with the variables needed and `WAYS`, no two rows the same.
    """
    waiting = [table | {WAYS: np.ones(len(next(iter(table.values()))), np.int64)}]
    while waiting:
        part = waiting.pop()
        made = _joined(body, part, needed, graph)
        if isinstance(made, int):
            places = np.array_split(np.arange(len(part[WAYS])), made)
            waiting += [{v: column[own] for v, column in part.items()} for own in places]
        else:
            yield made


def _joined(body: Sequence[Atom], table: Table, needed: Set[int], graph: Graph) -> Table | int:
    """The whole result; if it would get too large, into how many parts to cut the table."""
    left, begun = list(body), len(table[WAYS])
    while left:
        # What only filters goes first, then what widens least.
        filters = [atom for atom in left if atom[0] in table and atom[2] in table]
        if filters:
            s, relation, o = atom = filters[0]
            keep = member(graph.pairs(relation), packed(table[s], table[o]))
            table = {v: column[keep] for v, column in table.items()}
        else:
            ways = []
            for at, (s, relation, o) in enumerate(left):
                if s in table or o in table:
                    end = int(s not in table)
                    low, times = spans(graph.pairs(relation, end), table[o if end else s])
                    ways.append((int(times.sum()), at, end, low, times))
            total, at, end, low, times = min(ways, key=lambda way: way[0])
            if total > MOST_ROWS and begun > 1:
                return min(begun, total // MOST_ROWS + 2)
            atom = left[at]
            places = np.repeat(low - (times.cumsum() - times), times) + np.arange(total)
            table = {v: np.repeat(column, times) for v, column in table.items()}
            s, relation, o = atom
            table[s if end else o] = graph.pairs(relation, end)[places] & MASK
        left.remove(atom)
        still = {WAYS, *needed, *(v for s, _, o in left for v in (s, o))}
        if table.keys() - still:
            table = _merged({v: column for v, column in table.items() if v in still})
    return table


def _merged(table: Table) -> Table:
    """The table with equal rows as one."""
    keys, *columns = [column for v, column in table.items() if v != WAYS]
    for number, column in enumerate(columns):
        if number:  # so that keys stay small
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
        keys = packed(keys, column)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(keys)])
    if len(starts) == len(keys):
        return table
    ways = np.add.reduceat(table[WAYS][order], starts)
    return {v: column[order[starts]] for v, column in table.items()} | {WAYS: ways}
