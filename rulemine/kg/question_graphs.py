"""Question graphs: the part of a graph that is near the topic entities of a question.

A program that reads a graph for each question cannot be given the whole one. A question graph has all triples
within some hops of the topics if these are few enough. Otherwise it has as many as allowed of those along
which a walk that starts again and again at the topics passes most often: personalized PageRank (Haveliwala,
WWW 2002), computed by pushing (Andersen, Chung and Lang, FOCS 2006) and in whole numbers, so that sums do not
depend on their order.

Guarantees: the answer is never looked at; equal topics give equal graphs; the order of the triples is drawn
for each question, because programs that keep one edge for each pair of entities keep the last.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.seeds import stream

__all__ = ["QuestionGraph", "by_private_id", "question_graphs"]

Ints = npt.NDArray[np.int64]

ALPHA = 0.85
"""Chance that the walk goes on; otherwise it starts again at a topic."""

UNITS = 2.0**44
"""What a walk's chances add up to. Sums of whole numbers up to 2⁵³ are exact in floating point."""

FINE = 16
"""The chance that a triple is passed is off by at most 2 / (`FINE` · size of the question graph). With 16, as
many proofs are inside question graphs of FB15k-237 as with the exact chances."""

MOST_KEPT = 10_000_000
"""Triples of graphs that are kept for further questions about the same topics."""


class QuestionGraph(NamedTuple):
    """A question graph.

    Attributes:
        rows: int64, shape (triples,): rows of the graph's triples, each once, in the order drawn.
        whole: Whether it has everything within the hops.
    """

    rows: Ints
    whole: bool


def question_graphs(
    kg: KnowledgeGraph,
    topics: Mapping[str, Sequence[str]],
    *,
    hops: int = 2,
    max_triples: int = 2000,
    seed: int = 0,
) -> Iterator[QuestionGraph]:
    """The graph of each question.

    Args:
        kg: The graph. Of triples that are passed equally often the first ones in its order are taken.
        topics: Id of the question → its topic entities; those that the graph lacks do not count.
        hops: A triple is within n hops if one of its ends is within n − 1 of a topic, ≥ 1.
        max_triples: The most triples of a question graph, ≥ 1.
        seed: For the order of the triples.

    Yields:
        A graph for each question, in the order of `topics`.
    """
    around = _Surroundings(kg)

    @lru_cache(MOST_KEPT // max_triples)
    def found(start: tuple[int, ...]) -> QuestionGraph:
        near = around.within(start, hops, max_triples)
        rows = around.passed(start, max_triples) if near is None else near
        return QuestionGraph(rows, near is not None)

    for question, names in topics.items():
        graph = found(tuple(sorted({kg.entity_ids[n] for n in names if n in kg.entity_ids})))
        drawn = stream(seed, "question graph", question).permutation(len(graph.rows))
        yield QuestionGraph(graph.rows[drawn], graph.whole)


def by_private_id(kg: KnowledgeGraph, ids: Mapping[str, str]) -> tuple[KnowledgeGraph, Ints]:
    """A graph in the same order in every naming.

    Args:
        kg: The graph.
        ids: Entity → its private id, or what stands for it.

    Returns:
        The graph with entities named and sorted by these, and the row in `kg` of each of its triples.
    """
    sorted_by_id = kg.renamed(ids)
    numbers = sorted_by_id.entity_ids
    number = np.array([numbers[ids[name]] for name in kg.entities], np.int64)
    subjects, relations, objects = kg.triples.T
    return sorted_by_id, np.lexsort((number[objects], relations, number[subjects]))


class _Surroundings:
    """The triples near topics."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._heads, self._tails = (kg.triples[:, column].astype(np.int64) for column in (0, 2))
        self._all = Incidence(kg)

    def within(self, topics: tuple[int, ...], hops: int, most: int) -> Ints | None:
        """The rows within some hops, ascending; None if they are more than `most`."""
        edge: Ints = np.array(topics, np.int64)
        rows: Ints = np.empty(0, np.int64)
        seen = np.zeros(len(self._all.degrees), bool)
        for _ in range(hops):
            seen[edge] = True
            if self._all.degrees[edge].sum() > 2 * most:  # a triple stands there at most twice
                return None
            at = self._all.at(edge)
            rows = np.union1d(rows, self._all.rows[at])
            if len(rows) > most:
                return None
            edge = distinct(self._all.others[at])
            edge = edge[~seen[edge]]
        return rows

    def passed(self, topics: tuple[int, ...], most: int) -> Ints:
        """The rows that the walk passes most often, ascending; fewer than `most` if the graph ends there."""
        least = UNITS / (FINE * most)
        while True:
            rate = self._rate(np.array(topics, np.int64), max(least, 1))
            at = self._all.at(np.flatnonzero(rate))
            rows = self._all.rows[at]
            # Where both ends are visited, the triple stands there twice.
            rows = rows[self._all.forward[at] | (rate[self._heads[rows]] == 0)]
            if len(rows) >= most or least < 1:
                often = rate[self._heads[rows]] + rate[self._tails[rows]]
                return _first(rows, often, most)
            least /= 4  # too coarse a scale to distinguish so many triples

    def _rate(self, topics: Ints, least: float) -> npt.NDArray[np.float64]:
        """How often the walk goes along each triple of each entity, but for less than `least`."""
        degrees, others = self._all.degrees, self._all.others
        visits, waiting = np.zeros((2, len(degrees)))
        waiting[topics] = np.floor(UNITS / len(topics))
        enough = np.where(degrees > 0, least * degrees, np.inf)
        moving = topics[degrees[topics] > 0]
        while len(moving):
            here = waiting[moving]
            waiting[moving] = 0
            visits[moving] += here
            counts = degrees[moving]
            share = np.floor(ALPHA * here / counts).repeat(counts)
            waiting += np.bincount(others[self._all.at(moving)], share, minlength=len(waiting))
            moving = np.flatnonzero(waiting >= enough)
        return np.floor(visits / np.maximum(degrees, 1))


def _first(rows: Ints, often: npt.NDArray[np.float64], most: int) -> Ints:
    """The rows that have the highest numbers, of equal ones those that are lowest themselves; ascending."""
    if len(rows) > most:
        last = np.partition(often, len(rows) - most)[len(rows) - most]
        more = rows[often > last]
        rows = np.concatenate((more, np.sort(rows[often == last])[: most - len(more)]))
    return np.sort(rows)
