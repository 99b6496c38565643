"""Walks from topic entities along the bodies of many rules at once, to the answers that they derive.

A walk joins the atoms of a body to the topic entity, one by one, those with the most known variables first.
The rules that answer the same end of a relation share the first atoms of their walks: these form a trie,
which all topics go down together.

Guarantees: finds exactly the heads that one application of a rule derives for a topic entity; a variable is
carried along only as far as later atoms need it, and each binding of those left once, so the work does not
grow with the number of proofs of an answer; the result does not depend on how many topics are walked at once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import DIRECTIONS
from rulemine.kg.index import Index
from rulemine.query.join import BoundAtom, bind, join
from rulemine.rules.bodies import refuse_entities
from rulemine.rules.rule import Rule

__all__ = ["Derived", "OpenEnds", "Walks"]

Ints = npt.NDArray[np.int64]

TOPICS_AT_ONCE = 1 << 14

MOST_ROWS = 1 << 23
"""The most answers found at once; if there would be more, fewer topics are walked at once."""

MOST_KEY = 1 << 62


class OpenEnds(NamedTuple):
    """An end of the triples of a relation that is asked for.

    Attributes:
        relation: Its label.
        direction: The end asked for, ``object`` or ``subject``.
        topics: Ids of the entities at the other end, shape (m,).
    """

    relation: str
    direction: str
    topics: Ints


class Derived(NamedTuple):
    """All that rules derive for some topics.

    Attributes:
        topics: The positions of these topics.
        topic: Position of the topic, shape (k,).
        answer: Entity ids, shape (k,).
        rule: Positions of rules, shape (k,). Rows are sorted by topic, answer, rule; no two are the same.
    """

    topics: range
    topic: Ints
    answer: Ints
    rule: Ints


class _Step(NamedTuple):
    """An atom, whose terms are columns of the table of bindings, and the columns needed after it."""

    atom: BoundAtom
    kept: tuple[int, ...]


@dataclass
class _Node:
    """Where walks part.

    Attributes:
        next: The steps that lead on.
        ends: The rules whose walks end here, each with the column of its answer.
    """

    next: dict[_Step, "_Node"] = field(default_factory=dict)
    ends: list[tuple[int, int]] = field(default_factory=list)


class Walks:
    """The walks of rules over a graph.

    Args:
        index: The graph.
        rules: The rules. Those whose body the graph lacks derive nothing.

    Raises:
        InputError: A rule names an entity.
    """

    def __init__(self, index: Index, rules: Iterable[Rule]) -> None:
        self._index = index
        self._of: dict[str, list[tuple[int, Rule]]] = {}
        self._count = 0
        for rule in rules:
            refuse_entities(rule)
            self._of.setdefault(rule.head.relation, []).append((self._count, rule))
            self._count += 1

    def derive(self, asked: OpenEnds) -> Iterator[Derived]:
        """All that the rules derive for what is asked.

        Yields:
            What is derived for some topics, in the order of the topics.
        """
        root, width = self._trie(asked.relation, asked.direction)
        n = self._index.entities
        start, size = 0, TOPICS_AT_ONCE
        while start < len(asked.topics):
            topics = range(start, min(start + size, len(asked.topics)))
            table = np.zeros((len(topics), width), np.int64)
            table[:, 0] = asked.topics[start : topics.stop]
            found, rows = [np.empty(0, np.int64)], 0
            for rule, topic, answer in self._down(root, np.arange(len(topics)), table, {0}):
                found.append((topic * n + answer) * self._count + rule)
                rows += len(topic)
                if rows > MOST_ROWS and size > 1:
                    break
            if rows > MOST_ROWS and size > 1:
                size //= 2
                continue
            keys, rules = np.divmod(distinct(np.concatenate(found)), max(1, self._count))
            yield Derived(topics, keys // n + start, keys % n, rules)
            start = topics.stop

    def triples(self, asked: OpenEnds) -> Iterator[npt.NDArray[np.int32]]:
        """What `derive` finds as triples, whose relation the graph has: ids, shape (k, 3), in blocks."""
        relation = self._index.kg.relation_ids[asked.relation]
        for _, topic, answer, _ in self.derive(asked):
            new = np.ones(len(topic), bool)
            new[1:] = (np.diff(topic) != 0) | (np.diff(answer) != 0)
            found = np.full((int(new.sum()), 3), relation, np.int32)
            ends = asked.topics[topic[new]], answer[new]
            found[:, 0], found[:, 2] = ends if asked.direction == "object" else ends[::-1]
            yield found

    def _trie(self, relation: str, direction: str) -> tuple[_Node, int]:
        """The walks of the rules that answer an end of a relation, and the most columns of one."""
        root, width = _Node(), 1
        for number, rule in self._of.get(relation, ()):
            body = bind(self._index.kg, rule.body)
            if body is None:
                continue
            topic, answer = rule.head.subject, rule.head.object
            if direction == DIRECTIONS[0]:
                topic, answer = answer, topic
            node, columns, waiting = root, {topic: 0}, list(body)
            while waiting:
                atom = max(waiting, key=lambda a: (a.subject in columns) + (a.object in columns))
                waiting.remove(atom)
                ends = [columns.setdefault(t, len(columns)) for t in (atom.subject, atom.object)]
                needed = {answer, *(t for a in waiting for t in (a.subject, a.object))}
                kept = tuple(column for term, column in columns.items() if term in needed)
                step = _Step(BoundAtom(ends[0], atom.relation, ends[1]), kept)
                node = node.next.setdefault(step, _Node())
            node.ends.append((number, columns[answer]))
            width = max(width, len(columns))
        return root, width

    def _down(
        self, node: _Node, topic: Ints, table: Ints, bound: set[int]
    ) -> Iterator[tuple[int, Ints, Ints]]:
        """Yields the rule, the positions of topics, and their answers, of walks that go on from a node."""
        for step, child in node.next.items():
            for own, bindings in self._after(step, topic, table, bound):
                for rule, column in child.ends:
                    yield rule, own, bindings[:, column]
                if child.next:
                    yield from self._down(child, own, bindings, {0, *step.kept})

    def _after(
        self, step: _Step, topic: Ints, table: Ints, bound: set[int]
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yields the bindings after a step, in blocks, each binding of what is kept once in a block."""
        ends = step.atom.subject, step.atom.object
        new = set(ends) - bound
        merges = not (bound | new) <= {0, *step.kept}
        if len(new) == 1 and new.isdisjoint(step.kept):
            # It is enough that there is one.
            column = 0 if ends[0] in bound else 2
            keys = step.atom.relation * self._index.entities + table[:, ends[column // 2]]
            there = self._index.ranges(column, keys)[1] > 0
            yield _distinct(step, topic[there], table[there])
            return
        for found in join(self._index, [step.atom], table, frozenset(bound)):
            own = topic[found.origin]
            yield _distinct(step, own, found.bindings) if merges else (own, found.bindings)


def _distinct(step: _Step, topic: Ints, table: Ints) -> tuple[Ints, Ints]:
    """Each binding of what is kept once."""
    key, n = topic, int(table.max(initial=0)) + 1
    for column in step.kept:
        if int(key.max(initial=0)) >= MOST_KEY // n:
            key = np.unique(key, return_inverse=True)[1]
        key = key * n + table[:, column]
    order = np.argsort(key)
    order = order[np.diff(key[order], prepend=-1) > 0]
    return topic[order], table[order]
