"""Whether the answer of a question can still be reached in the graph that another system's loader keeps.

Programs read the triples they are given into three kinds of graphs, and lose some: a simple undirected graph
keeps one edge for each pair of entities, the last one given (RoG, GNN-RAG); a digraph one for each ordered
pair (GCR, SubgraphRAG); and some follow all triples, but forward only (StructGPT, BYOKG-RAG). A question that
a program cannot answer any more once it has read the graph is no failure of its model.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.vocabulary import spans
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question, Removal

HOPS = 2
"""How far programs go in directed graphs, e.g. GCR and StructGPT; the number in the names of flags."""

__all__ = ["Reachability", "reachability", "shares"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Reachability(NamedTuple):
    """Whether the hard answer of a question can be reached; None if it has none, or no proof is known.

    ``answer_…``: a path leads from a topic entity to the hard answer. ``proof_…``: every triple of the proof
    is kept, and is walked along from a topic. A path says little in a dense graph; only a proof says that
    the answer can be inferred.

    Attributes:
        answer_undirected: A path of any length in the undirected graph.
        answer_digraph_2: A path of at most two hops in the digraph.
        answer_forward_2: The same along all triples.
        proof_undirected: The proof in the undirected graph: an end of each triple is joined to a topic.
        proof_digraph_2: The proof in the digraph: each triple is one of the first two on a path from a topic.
        proof_forward_2: The same along all triples.
    """

    answer_undirected: bool | None = None
    answer_digraph_2: bool | None = None
    answer_forward_2: bool | None = None
    proof_undirected: bool | None = None
    proof_digraph_2: bool | None = None
    proof_forward_2: bool | None = None


def reachability(
    kg: KnowledgeGraph,
    questions: Sequence[Question],
    removed: Iterable[Removal],
    *,
    graphs: Iterable[Ints] | None = None,
) -> Iterator[Reachability]:
    """What can be reached of each question.

    Args:
        kg: The graph that a system is given.
        questions: The questions.
        removed: The removed triples.
        graphs: The rows of `kg` that a system is given for each question, in order; None: all of `kg`, in its
            order, for every question.

    Yields:
        One for each question, in order; questions, removed triples and graph have the same naming.
    """
    each: Iterable[_Views]
    removed = tuple(removed)
    if graphs is None:
        each = repeat(_Views(np.arange(len(kg)), kg.triples, len(kg.entities)), len(questions))
    else:
        each = (_Views(rows, kg.triples[rows], len(kg.entities)) for rows in graphs)
    for question, proof, views in zip(
        questions, proof_rows(kg, questions, removed), each, strict=True
    ):
        if question.hard_answer is None:
            yield Reachability()
            continue
        ends = [kg.entity_ids.get(e, -1) for e in (*question.anchors, question.hard_answer)]
        found = views.reached(ends[:-1], ends[-1], proof)
        yield found if removed else Reachability(*found[:3])


def shares(flags: Iterable[Reachability]) -> dict[str, float]:
    """The share of questions for which each flag holds, of those that have a hard answer; {} without any."""
    rows = [flag for flag in flags if flag.answer_undirected is not None]
    return {
        name: sum(bool(value) for value in column) / len(rows)
        for name, column in zip(Reachability._fields, zip(*rows, strict=True), strict=False)
        if None not in column
    }


class _Views:
    """A graph as each kind of program keeps it.

    Args:
        rows: The rows of the triples in the graph of the release, in the order in which they are given.
        triples: Head, relation and tail ids of these, shape (triples, 3).
        entities: How many entities there are.
    """

    def __init__(self, rows: Ints, triples: npt.NDArray[np.int32], entities: int) -> None:
        self._places = np.argsort(rows)
        self._rows = rows[self._places]
        self._nodes = np.zeros(entities, bool)
        self._nodes[triples[:, [0, 2]]] = True
        self._number = self._nodes.cumsum() - 1
        self._heads, self._tails = self._number[triples[:, 0]], self._number[triples[:, 2]]
        self._relations = triples[:, 1]
        self._size = int(self._nodes.sum())
        small = self._size <= 2**15  # then numpy sorts by counting
        self._by_head = np.argsort(
            self._heads.astype(np.int16) if small else self._heads, kind="stable"
        )
        self._starts = np.searchsorted(self._heads[self._by_head], np.arange(self._size + 1))

    @cached_property
    def _kept(self) -> tuple[Bools, Bools]:
        """Which triples an undirected graph and a digraph keep; an edge has the relation given last."""
        low, high = np.minimum(self._heads, self._tails), np.maximum(self._heads, self._tails)
        pairs = 2 * (low * self._size + high) + (self._heads > self._tails)
        order = np.argsort(pairs)
        return self._last(order, pairs[order] // 2), self._last(order, pairs[order])

    def _last(self, order: Ints, keys: Ints) -> Bools:
        """Which triples have the relation of the last one with the same key; keys are sorted."""
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        last = np.maximum.reduceat(order, first).repeat(np.diff(first, append=len(keys)))
        kept = np.empty(len(keys), bool)
        kept[order] = self._relations[order] == self._relations[last]
        return kept

    @cached_property
    def _parts(self) -> Ints:
        """For each node a number, the same for all that are joined."""
        parts = np.arange(self._size)
        while True:
            low = np.minimum(parts[self._heads], parts[self._tails])
            new = parts.copy()
            np.minimum.at(new, self._heads, low)
            np.minimum.at(new, self._tails, low)
            new = new[new]
            if (new == parts).all():
                return parts
            parts = new

    def _distances(self, topics: Ints) -> Ints:
        """How far each node is from the topics along the triples; more than `HOPS`: one more."""
        far = np.full(self._size, HOPS + 1)
        far[topics] = 0
        edge = topics
        for hop in range(1, HOPS + 1):
            at = spans(self._starts[edge], self._starts[edge + 1] - self._starts[edge])
            ends = self._tails[self._by_head[at]]
            edge = distinct(ends[far[ends] > hop])
            far[edge] = hop
        return far

    def reached(self, topics: Sequence[int], answer: int, proof: Ints) -> Reachability:
        """What can be reached, by entity ids of the graph and its rows; −1 is what it lacks."""
        ends = np.array([*topics, answer])
        known = (ends >= 0) & self._nodes[ends]
        *starts, goal = self._number[ends].tolist()
        starts = np.array(starts)[known[:-1]]
        if not len(starts):
            return Reachability(*[False] * 6)
        far = self._distances(starts)
        near = bool(known[-1] and far[goal] <= HOPS)
        chosen = np.zeros(self._size, bool)
        chosen[self._parts[starts]] = True
        joined = chosen[self._parts]
        kinds = [False] * 3
        at = np.minimum(np.searchsorted(self._rows, proof), len(self._rows) - 1)
        if (self._rows[at] == proof).all():
            steps = self._places[at]
            heads = self._heads[steps]
            forward = bool((far[heads] < HOPS).all())
            undirected, directed = self._kept
            kinds = [
                bool((undirected[steps] & joined[heads]).all()),
                forward and bool(directed[steps].all()),
                forward,
            ]
        return Reachability(bool(known[-1] and joined[goal]), near, near, *kinds)
