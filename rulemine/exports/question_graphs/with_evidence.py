"""Question graphs to train on: what lies near the topic entities, and all of the evidence (SynthKGQA, C.1).

1. The neighborhood: the entities within max(3, hops of the query) steps of the topics, in either direction,
   with the triples between them.
2. Personalized PageRank in it (Haveliwala, WWW 2002): a walk goes on with chance 0.85, else starts again at
   one of the topics; each triple is a step either way. The 2,500 best entities stay, with the triples between
   them; while these are more than 30,000, the worst entity goes.
3. The evidence that is not there yet: triples of the full evidence, and in place of each that the graph
   lacks, those of its certificate.
4. Confounders: the triples of every walk from a topic along the relations of a path of the query.

What comes from an incomplete graph is stated in it; a removed triple is never added. Unlike the graphs of
`rulemine.kg.question_graphs`, these are made with the answers in sight.

Guarantees: of equal entities the first private ids stay, and ranks are computed in whole numbers, so every
naming of a release gives the same triples, in the same order, which is drawn for each question.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence, spans
from rulemine.kg.question_graphs import ALPHA, MOST_KEPT, UNITS, by_private_id
from rulemine.query import evaluate, parse
from rulemine.query.evidence import full_evidence
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Anchor, Count, Difference, Projection, Query
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question, Removal
from rulemine.seeds import Stream, stream

__all__ = ["GraphWithEvidence", "graphs_with_evidence"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STEPS = 3
"""The neighborhood reaches so far, and farther for longer queries."""

SETTLED = 0.01
"""PageRank is computed until it changes by no more in all, of a sum of 1. On FB15k-237, 99.4 % of the 2,500
best entities are then those of the exact solution; with the tolerance of networkx, 0.0145 there, 99.0 %."""

DAMPING = 0.7
"""What Chebyshev's method takes for a bound of the eigenvalues of a step. None is above `ALPHA`, and those of
dense graphs are far below; where some are above this bound, the method is slower."""


class GraphWithEvidence(NamedTuple):
    """A question graph, and what was there before anything was added.

    Attributes:
        question: The question.
        rows: int64, shape (triples,): rows of the graph's triples, each once, in the order drawn.
        near: How many of them PageRank left.
        whole: Whether these are the whole neighborhood.
        gold: Triples of the full evidence that the graph states.
        gold_near: How many of these are near.
        certificates: Triples of the certificates of those that it lacks, without those of `gold`.
        certificates_near: How many of these are near.
        confounders: How many were added for the walks alone.
    """

    question: Question
    rows: Ints
    near: int
    whole: bool
    gold: int
    gold_near: int
    certificates: int
    certificates_near: int
    confounders: int


def graphs_with_evidence(
    kg: KnowledgeGraph,
    questions: Sequence[Question],
    removed: Sequence[Removal],
    ids: Mapping[str, str],
    *,
    steps: int = STEPS,
    most_entities: int = 2500,
    most_triples: int = 30_000,
    seed: int = 0,
) -> Iterator[GraphWithEvidence]:
    """The graph of each question.

    Args:
        kg: The graph that a system is given.
        questions: The questions; they, `removed` and `kg` have the same naming.
        removed: The removed triples.
        ids: Entity → its private id.
        steps: How far the neighborhood reaches at least, ≥ 1.
        most_entities: The most entities that PageRank leaves, ≥ 1.
        most_triples: The most triples between them; what is added comes on top.
        seed: For the order of the triples.

    Yields:
        A graph for each question, in order.
    """
    near = _Neighborhoods(*by_private_id(kg, ids), most_entities, most_triples)
    every = [replace(q, evidence=q.full_evidence) for q in questions]
    stated = proof_rows(kg, every, ())
    proofs = proof_rows(kg, every, removed)
    for q, some, proof in zip(questions, stated, proofs, strict=True):
        topics = [ids[name] for name in q.anchors]
        rows, whole = near.around(tuple(topics), max(steps, q.hops))
        gold = near.at(some[some >= 0])
        certificates = np.setdiff1d(near.at(proof[proof >= 0]), gold)
        evidence = np.concatenate((gold, certificates))
        found = near.walks(topics, parse(q.query)) if q.query else np.empty(0, np.int64)
        walks = np.setdiff1d(found, evidence)
        added = np.concatenate((np.sort(evidence), walks))
        added = added[~_among(added, rows)]
        order = _shuffled(stream(seed, "question graph", q.id), len(rows) + len(added))
        yield GraphWithEvidence(
            q,
            near.rows[np.concatenate((rows, added))[order]],
            len(rows),
            whole,
            len(gold),
            int(_among(gold, rows).sum()),
            len(certificates),
            int(_among(certificates, rows).sum()),
            int((~_among(walks, rows)).sum()),
        )


class _Neighborhoods:
    """The neighborhoods of a graph.

    Args:
        kg: The graph, sorted by private id.
        rows: The row of each of its triples in the graph of the release.
        most_entities: See `graphs_with_evidence`.
    """

    def __init__(
        self, kg: KnowledgeGraph, rows: Ints, most_entities: int, most_triples: int
    ) -> None:
        self.kg, self.rows = kg, rows
        self._most_entities, self._most_triples = most_entities, most_triples
        self._place = np.argsort(rows)
        self._all = Incidence(kg)
        self._tails = kg.triples[:, 2].astype(np.int64)
        self._leaving = np.bincount(kg.triples[:, 0], minlength=len(kg.entities))
        self._first = self._leaving.cumsum() - self._leaving
        self._queries = QueryGraph(kg)
        self._known: dict[tuple[tuple[str, ...], int], tuple[Ints, bool]] = {}
        self._kept = 0

    def at(self, rows: Ints) -> Ints:
        """The rows of the sorted graph, for rows of that of the release; ascending."""
        return np.sort(self._place[rows])

    def around(self, topics: tuple[str, ...], steps: int) -> tuple[Ints, bool]:
        """The rows that PageRank leaves, ascending, and whether they are the whole neighborhood."""
        key = topics, steps
        if key in self._known:
            return self._known[key]
        ids = self.kg.entity_ids
        starts = np.array(sorted(ids[name] for name in topics if name in ids), np.int64)
        found = self._best(starts, steps) if len(starts) else (starts, True)
        if self._kept + len(found[0]) <= MOST_KEPT:
            self._known[key] = found
            self._kept += len(found[0])
        return found

    def _best(self, topics: Ints, steps: int) -> tuple[Ints, bool]:
        nodes = self._within(topics, steps)
        if len(nodes) <= self._most_entities:
            rows, whole = self._between(nodes)
            if whole:
                return rows, True
        best = _highest(self._page_rank(topics, nodes), self._most_entities)
        return self._between(nodes[best])[0], False

    def _within(self, topics: Ints, steps: int) -> Ints:
        """The entities within some steps, ascending."""
        seen = np.zeros(len(self.kg.entities), bool)
        seen[topics] = True
        edge = topics
        for _ in range(steps):
            reached = np.zeros(len(seen), bool)
            reached[self._all.others[self._all.at(edge)]] = True
            edge = np.flatnonzero(reached & ~seen)
            seen[edge] = True
        return np.flatnonzero(seen)

    def _between(self, nodes: Ints) -> tuple[Ints, bool]:
        """The rows between entities, ascending, without the last entities where that is too many."""
        place = np.full(len(self.kg.entities), len(nodes))
        place[nodes] = np.arange(len(nodes))
        rows = spans(self._first[nodes], self._leaving[nodes])
        heads = np.arange(len(nodes)).repeat(self._leaving[nodes])
        later = np.maximum(heads, place[self._tails[rows]])
        sizes = np.bincount(later, minlength=len(nodes))[: len(nodes)].cumsum()
        fits = int(sizes.searchsorted(self._most_triples, "right"))
        return np.sort(rows[later < fits]), fits == len(nodes)

    def _page_rank(self, topics: Ints, nodes: Ints) -> Floats:
        """Personalized PageRank of entities, in `UNITS`, on the graph between them.

        From the stationary chances, by Chebyshev's method (Golub and Varga, 1961), with half the steps of
        power iteration. What a step sums up are whole numbers, so the order does not matter.
        """
        degrees, others, here = self._all.degrees, self._all.others, nodes
        if 2 * degrees[nodes].sum() < len(others):  # else cutting it out takes longer
            here = np.arange(len(nodes))
            place = np.full(len(degrees), len(nodes))
            place[nodes] = here
            topics, others = place[topics], place[others[self._all.at(nodes)]]
            degrees = degrees[nodes]
        starts = degrees.cumsum() - degrees
        chances = np.zeros(len(degrees) + 1)  # the last one is outside
        chances[here] = 1
        stays = chances[:-1].copy()
        inside = stays * np.add.reduceat(chances.take(others), starts)
        share = np.divide(ALPHA, inside, out=np.zeros(len(inside)), where=inside > 0)
        back = np.zeros(len(inside))
        back[topics] = (1 - ALPHA) * UNITS / len(topics)
        before = inside * (UNITS / inside.sum())
        after, weight = ALPHA * before + back, 2.0
        while np.abs(np.rint(after - before)).sum() > SETTLED * UNITS:
            weight = 1 / (1 - weight * DAMPING**2 / 4)
            chances[:-1] = np.floor(share * after)
            step = stays * np.add.reduceat(chances.take(others), starts) + back
            before, after = after, before + weight * (step - before)
        rates: Floats = after[here]
        return rates

    def walks(self, topics: Iterable[str], query: Query) -> Ints:
        """The rows of all walks from topics along the relations of a path of the query, ascending."""
        found = [np.empty(0, np.int64)]
        for links in _paths(query):
            if all(relation in self.kg.relation_ids for relation, _ in links):
                for name in topics:
                    if name in self.kg.entity_ids:
                        chain: Query = Anchor(name)
                        for relation, inverse in links:
                            chain = Projection(relation, inverse, chain)
                        found.append(full_evidence(evaluate(self._queries, chain)).rows)
        return distinct(np.concatenate(found))


def _paths(query: Query) -> set[tuple[tuple[str, bool], ...]]:
    """The links from an anchor to the answer, one after another; what is subtracted has none."""
    if isinstance(query, Anchor):
        return {()}
    if isinstance(query, Projection):
        return {(*path, (query.relation, query.inverse)) for path in _paths(query.of)}
    if isinstance(query, Difference | Count):
        return _paths(query.of)
    return set().union(*map(_paths, query.parts))


def _highest(rates: Floats, most: int) -> Ints:
    """The places of the highest numbers, from the highest on; of equal ones first the first."""
    least = np.partition(rates, -most)[-most] if len(rates) > most else -np.inf
    places = np.flatnonzero(rates >= least)
    return places[np.argsort(-rates[places], kind="stable")[:most]]


def _shuffled(random: Stream, size: int) -> Ints:
    """The numbers 0 … `size` − 1 in random order, several times faster than by comparing keys."""
    keys = np.floor(random.uniform(size) * 2.0**32).astype(np.uint32)
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")  # sorts by counting
    return order[np.argsort((keys[order] >> 16).astype(np.uint16), kind="stable")]


def _among(some: Ints, rows: Ints) -> npt.NDArray[np.bool_]:
    """Which of some rows are among others, which are ascending."""
    at = np.minimum(rows.searchsorted(some), len(rows) - 1)
    return rows[at] == some if len(rows) else np.zeros(len(some), bool)
