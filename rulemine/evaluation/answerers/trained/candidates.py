"""What a trained retriever sees of a question: its words, and of each triple how far from the topics it is.

The distance of an entity from a topic is counted along triples, against them, and either way, within the
candidates alone, up to some rounds. For each of the three and each distance, a feature is the share of the
topics at that distance (the last: none leads there); a triple has the features of both ends (after the
directional distance encoding of SubgraphRAG; Li, Miao and Li, ICLR 2025).

Guarantee: neither names of entities nor answers are looked at.
"""

import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.bm25 import words
from rulemine.kg.graph import KnowledgeGraph
from rulemine.text.mentions import cut, find_mentions_of_all

__all__ = ["BUCKETS", "WAYS", "SeenTriples", "bag", "candidates_of", "farther_end", "words_of"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

BUCKETS = 1024
"""Words are told apart by their CRC-32 modulo this."""

WAYS = 3
"""Along triples, against them, either way."""


class SeenTriples(NamedTuple):
    """Candidate triples of a question, by relation, then by row.

    Attributes:
        rows: Rows of the graph's triples, shape (triples,).
        relations: The relation of each, ascending, of the same shape.
        distances: How many topics are how far away: uint8, shape (triples, 2 · `WAYS` · (rounds + 2)).
        topics: How many topics there are, at least 1.
    """

    rows: Ints
    relations: Ints
    distances: npt.NDArray[np.uint8]
    topics: int

    @property
    def features(self) -> Floats:
        """Shares of the topics, of the shape of `distances`."""
        return self.distances.astype(np.float32) / np.float32(self.topics)

    def some(self, places: Ints) -> "SeenTriples":
        """Those at some places, which ascend."""
        rows, relations, distances = (
            self.rows[places],
            self.relations[places],
            self.distances[places],
        )
        return SeenTriples(rows, relations, distances, self.topics)


def candidates_of(
    kg: KnowledgeGraph, rows: Ints, topics: Sequence[str], rounds: int
) -> SeenTriples:
    """The candidates of a question.

    Args:
        kg: The graph.
        rows: Rows of its triples, each once.
        topics: The topic entities; the graph may lack some.
        rounds: How far distances are counted.
    """
    rows = np.sort(rows)
    rows = rows[np.argsort(kg.triples[rows, 1], kind="stable")]
    relations = kg.triples[rows, 1].astype(np.int64)
    local, ends = np.unique(kg.triples[rows][:, [0, 2]], return_inverse=True)
    heads, tails = ends.reshape(-1, 2).T
    counts = np.zeros((len(local), WAYS, rounds + 2), np.uint8)
    every = np.arange(len(local))
    both = np.concatenate((heads, tails)), np.concatenate((tails, heads))
    for topic in topics:
        start = np.flatnonzero(local == kg.entity_ids.get(topic, -1))
        for way, (sources, targets) in enumerate(((heads, tails), (tails, heads), both)):
            counts[every, way, _levels(sources, targets, start, len(local), rounds)] += 1
    flat = counts.reshape(len(local), WAYS * (rounds + 2))
    distances = np.hstack((flat[heads], flat[tails]))
    return SeenTriples(rows, relations, distances, max(1, len(topics)))


def _levels(sources: Ints, targets: Ints, start: Ints, size: int, rounds: int) -> Ints:
    """The distance of each entity from the start; rounds + 1 where none leads there."""
    levels = np.full(size, rounds + 1)
    levels[start] = 0
    for level in range(1, rounds + 1):
        reached = targets[levels[sources] == level - 1]
        levels[reached[levels[reached] > level]] = level
    return levels


def farther_end(some: SeenTriples) -> npt.NDArray[np.bool_]:
    """Whether the object of each triple is at least as far from the topics as the subject, either way."""
    sides = some.distances.reshape(len(some.rows), 2, WAYS, -1)[:, :, WAYS - 1].astype(np.int64)
    far = sides @ np.arange(sides.shape[-1])
    return np.asarray(far[:, 1] >= far[:, 0])


def words_of(question: str, topics: Sequence[str]) -> list[str]:
    """The words of a question and the pairs of words that follow each other, without names of its topics.

    >>> words_of("Who wrote Emma?", ["Emma"])
    ['who', 'wrote', 'who wrote']
    """
    named = tuple(span for span, _ in find_mentions_of_all(question, topics))
    single = words(" ".join(cut(question, named)))
    return single + [" ".join(pair) for pair in pairwise(single)]


def bag(terms: Sequence[str]) -> Floats:
    """The share of each bucket in some words, shape (`BUCKETS`,)."""
    at = [zlib.crc32(term.encode()) % BUCKETS for term in terms]
    counts = np.bincount(np.array(at, np.int64), minlength=BUCKETS)
    return (counts / max(1, len(at))).astype(np.float32)
