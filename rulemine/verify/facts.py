"""Facts: relations that are declared symmetric, inverse or the same state them in several ways.

Checks that the columns ``fact``, ``reversed`` and ``symmetric`` of ``relations.tsv`` fit together, and that
what was found in the graph is borne out by it and declared; and works out statements of facts and priors,
which other checks rely on.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.triples import Graph, Ints, Triple, distinct, member

__all__ = ["Facts", "Priors", "check_declarations", "check_found", "sure_fraction"]

SURE_SHARE, SURE_TRIPLES = 0.9, 30
"""What the triples of a graph have to bear out of a declaration: lower end of the interval, triples."""

Way = tuple[str, str]
"""A relation, and the end of it that is asked for."""


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

    def declared(self, relation: str) -> bool:
        """Whether a fact of a relation may have several statements."""
        fact, _, symmetric = self.reading(relation)
        return symmetric or len(self._alike.get(fact, ())) > 1

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
        topic, answer = "?", ""
        asked = (topic, relation, answer) if end == "object" else (answer, relation, topic)
        found = self.statements(asked)
        return sorted((r, "object" if s == topic else "subject") for s, r, _ in found)


class Priors:
    """The priors of answers: fractions of the topic entities of a question that have an answer."""

    def __init__(self, graph: Graph, facts: Facts) -> None:
        self._graph, self._terms = graph, graph.terms
        self._readings = [facts.reading(name) for name in graph.terms.relations]
        self._found: dict[str, tuple[Ints, Ints, tuple[int, int]]] = {}

    def _of_fact(self, fact: str) -> tuple[Ints, Ints, tuple[int, int]]:
        """The first and the second ends of facts, ascending, and how many of the others there are."""
        if fact not in self._found:
            n, pairs = self._terms.sizes[0], []
            for relation, reading in enumerate(self._readings):
                if reading.fact == fact:
                    s, o = (end.astype(np.int64) for end in self._graph.ends(relation, 0))
                    pairs += [o * n + s] if reading.turned else [s * n + o]
                    pairs += [o * n + s] if reading.symmetric else []
            firsts, seconds = np.divmod(distinct(np.concatenate(pairs)), n)
            seconds.sort()
            self._found[fact] = firsts, seconds, (len(distinct(seconds)), len(distinct(firsts)))
        return self._found[fact]

    def answers_each(self, relation: str, end: str) -> Ints:
        """How many answers each topic entity of questions for an end of a relation has."""
        fact, turned, symmetric = self._readings[self._terms.relations[relation]]
        asked = symmetric or (end == "object") != turned
        return np.unique(self._of_fact(fact)[not asked], return_counts=True)[1]

    def of_answers(self, relation: int, end: str, entities: Ints) -> npt.NDArray[np.float64]:
        """The priors of entities as answers to questions for an end of a relation; 0: never one."""
        fact, turned, symmetric = self._readings[relation]
        asked = symmetric or (end == "object") != turned
        *both, topics = self._of_fact(fact)
        having = both[asked].searchsorted(entities, "right") - both[asked].searchsorted(entities)
        shares: npt.NDArray[np.float64] = having / max(1, topics[asked])
        return shares

    def of(self, triple: Triple) -> dict[str, float]:
        """End that is asked for → its prior, for a triple of the graph."""
        relation, entities = self._terms.relations[triple[1]], self._terms.entities
        ends = {"subject": triple[0], "object": triple[2]}
        return {
            end: float(self.of_answers(relation, end, np.array([entities[name]]))[0])
            for end, name in ends.items()
        }


def check_declarations(names: Names, findings: Findings) -> None:
    """Checks that the relations of a fact agree about it."""
    alike: dict[str, list[str]] = {}
    for name, row in names.relations.items():
        alike.setdefault(row["fact"], []).append(name)
    for fact, relations in alike.items():
        for name, found, expected in _problems(fact, relations, names):
            line = names.relation_lines[name]
            findings.add(RELATIONS, line, "declarations", found, expected)


def _problems(fact: str, relations: Iterable[str], names: Names) -> Iterator[tuple[str, str, str]]:
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


def check_found(folder: Folder, facts: Facts, complete: Graph, findings: Findings) -> None:
    """Checks that declarations found in the graph hold in it as stated, and are those of the release."""
    rows: list[dict[str, Any]] = folder.manifest["kg"].get("found", [])
    # A property graph has every statement of its facts, those that were added too.
    added = any(name.startswith("property_graph/") for name in folder.manifest["files"])
    for row in rows:

        def say(found: str, expected: str, row: dict[str, Any] = row) -> None:
            where = f"{shown(row['relation'])} {row['looks']} {shown(row['other'])}: {found}"
            findings.add(MANIFEST_NAME, None, "found declarations", where, expected)

        one, other, looks = row["relation"], row["other"], row["looks"]
        turned = looks in ("symmetric", "inverse", "narrower_inverse")
        ways = [(one, other), *([(other, one)] if looks in ("inverse", "same") else [])]
        counts = [_restated(complete, *way, turned) for way in ways]
        if not added and counts != row["counts"]:
            say(f"counts {row['counts']}", f"{counts}, counted on the complete KG")
        if not all(_is_sure(*pair) for pair in row["counts"] if len(pair) == 2):
            say(
                f"counts {row['counts']}",
                f"{SURE_TRIPLES} triples, at least {SURE_SHARE} with 95 %",
            )
        states = ("", one, "?")
        same = ("?", other, "") if turned else ("", other, "?")
        if not looks.startswith("narrower") and facts.of(states) != facts.of(same):
            say("not declared", f"statements of one fact in {RELATIONS}")


def _restated(graph: Graph, relation: str, other: str, turned: bool) -> list[int]:
    """How many triples of a relation the other one states, and how many it has, self-loops aside."""
    terms = graph.terms
    columns = graph.columns[graph.columns[:, 0] != graph.columns[:, 2]]
    own = columns[columns[:, 1] == terms.relations.get(relation, -1)]
    wanted = own[:, ::-1].copy() if turned else own.copy()
    wanted[:, 1] = terms.relations.get(other, -1)
    held = 0 if other not in terms.relations else int(member(graph.keys, terms.pack(wanted)).sum())
    return [held, len(own)]


def _is_sure(hits: int, tries: int) -> bool:
    """Whether the 95 % Wilson interval of a fraction, of enough triples, begins high enough."""
    return tries >= SURE_TRIPLES and sure_fraction(hits, tries) >= SURE_SHARE


def sure_fraction(hits: int, tries: int) -> float:
    """The lower end of the 95 % Wilson interval of hits among tries."""
    z = 1.959963984540054
    middle = hits + z * z / 2
    spread = z * math.sqrt(hits * (tries - hits) / tries + z * z / 4)
    return (middle - spread) / (tries + z * z)
