"""Facts: relations that are declared symmetric, inverse or the same state them in several ways.

Checks that the columns ``fact``, ``reversed`` and ``symmetric`` of ``relations.tsv`` fit together; and works
out statements of facts and priors, which other checks rely on.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.triples import Graph, Ints, Triple

__all__ = ["Facts", "Priors", "check_declarations"]

Way = tuple[str, str]
"""A relation, and the end of it that is asked for."""

OTHER_END = {"subject": "object", "object": "subject"}


class _Reading(NamedTuple):
    fact: str
    turned: bool
    symmetric: bool


class Facts:
    """What triples state, by the declarations of a release.

    Args:
        relations: Relation → its row of ``relations.tsv``.
    """

    def __init__(self, relations: Mapping[str, Mapping[str, str]]) -> None:
        self._readings = {
            name: _Reading(row["fact"], row["reversed"] == "yes", row["symmetric"] == "yes")
            for name, row in relations.items()
        }
        self._alike: dict[str, list[str]] = {}
        for name in sorted(self._readings):
            self._alike.setdefault(self._readings[name].fact, []).append(name)

    def reading(self, relation: str) -> _Reading:
        """How a relation states its facts."""
        return self._readings.get(relation) or _Reading(relation, False, False)

    def of(self, triple: Triple) -> Triple:
        """What stands for the fact of a triple."""
        one, relation, other = triple
        fact, turned, symmetric = self.reading(relation)
        if turned or (symmetric and other < one):
            one, other = other, one
        return (one, fact, other)

    def statements(self, triple: Triple) -> list[Triple]:
        """All triples that state the fact of a triple, sorted; it is one of them."""
        one, fact, other = self.of(triple)
        found = {triple}
        for relation in self._alike.get(fact, ()):
            _, turned, symmetric = self.reading(relation)
            if symmetric or not turned:
                found.add((one, relation, other))
            if symmetric or turned:
                found.add((other, relation, one))
        return sorted(found)

    def ways(self, relation: str, end: str) -> list[Way]:
        """Everything that answers a question for an end of a relation, sorted."""
        fact, turned, symmetric = self.reading(relation)
        found = {(relation, end)}
        for other in self._alike.get(fact, ()):
            same = self.reading(other).turned == turned
            found.add((other, end if same else OTHER_END[end]))
            if symmetric:
                found |= {(other, "subject"), (other, "object")}
        return sorted(found)


class Priors:
    """The priors of answers: fractions of the topic entities of a question that have an answer."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        names = list(graph.terms.relations)
        readings = [facts.reading(name) for name in names]
        numbers = {fact: i for i, fact in enumerate(dict.fromkeys(r.fact for r in readings))}
        which = np.array([numbers[r.fact] for r in readings], np.int64)
        turned = np.array([r.turned for r in readings], bool)
        symmetric = np.array([r.symmetric for r in readings], bool)
        s, r, o = (column.astype(np.int64) for column in graph.columns.T)
        low, high = np.where(turned[r], o, s), np.where(turned[r], s, o)
        again = symmetric[r]
        self._n = n = graph.terms.sizes[0]
        fact = np.concatenate((which[r], which[r][again])) * n
        one, other = np.concatenate((low, high[again])), np.concatenate((high, low[again]))
        pairs = np.unique((fact + one) * n + other)
        firsts, seconds = pairs // n, pairs // (n * n) * n + pairs % n
        self._having = {"subject": _counted(firsts), "object": _counted(seconds)}
        self._topics = {
            "subject": _counted(np.unique(seconds) // n),
            "object": _counted(np.unique(firsts) // n),
        }
        self._facts, self._entities, self._numbers = facts, graph.terms.entities, numbers

    def of(self, triple: Triple) -> dict[str, float]:
        """End that is asked for → its prior, for a triple of the graph."""
        fact, turned, _ = self._facts.reading(triple[1])
        number = self._numbers[fact]
        found = {}
        for end, name in (("subject", triple[0]), ("object", triple[2])):
            own = OTHER_END[end] if turned else end
            having = _times(self._having[own], number * self._n + self._entities[name])
            found[end] = having / _times(self._topics[own], number)
        return found


def _counted(keys: Ints) -> tuple[Ints, Ints]:
    values, times = np.unique(keys, return_counts=True)
    return values, times


def _times(counted: tuple[Ints, Ints], key: int) -> int:
    return int(counted[1][np.searchsorted(counted[0], key)])


def check_declarations(names: Names, findings: Findings) -> None:
    """Checks that the relations of a fact agree about it."""
    alike: dict[str, list[str]] = {}
    for name, row in names.relations.items():
        alike.setdefault(row["fact"], []).append(name)
    for fact, relations in alike.items():
        for name, found, expected in _problems(fact, relations, names):
            line = names.relation_lines[name]
            findings.add(RELATIONS, line, "declarations", found, expected)


def _problems(
    fact: str, relations: Iterable[str], names: Names
) -> Iterator[tuple[str, str, str]]:
    first = min(relations)
    for name in relations:
        row = names.relations[name]
        if fact != first:
            yield name, f"fact {shown(fact)}", f"{shown(first)}, the first with this fact"
        for column in ("reversed", "symmetric"):
            if row[column] not in ("", "yes"):
                yield name, f"{column} {shown(row[column])}", "yes, or nothing"
        if row["symmetric"] != names.relations[first]["symmetric"]:
            yield name, f"symmetric {shown(row['symmetric'])}", f"the same as {shown(first)}"
        if row["reversed"] and (name == first or row["symmetric"]):
            yield name, "reversed", "nothing for the first with a fact, and where it is symmetric"
