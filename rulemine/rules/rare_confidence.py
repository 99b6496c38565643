"""How often rules are right where the answer cannot be guessed.

The standard confidence of a rule says how many of its predictions are in the graph. It can be high for the
wrong reasons: because most predictions name a common answer (most films are in English), or because the body
holds the predicted triple itself (r(x,z) ∧ q(w,z) ∧ q(w,y) ⇒ r(x,y) with z = y). The rare confidence is
counted without both: over predictions with a body that does not hold the triple, neither end of which is a
common answer of the relation.

Guarantees: a function of graph, rule, seed and bound on the prior; an estimate from the predictions about a
uniform sample of entities, exact where the rule has few; bounded time per rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.evidence_tree import simple_path
from rulemine.query.join import join
from rulemine.rules.blocks import MapLike, Progress, by_blocks
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.path_bodies import Chains
from rulemine.rules.rule import Rule
from rulemine.rules.two_hop import Step
from rulemine.seeds import Stream, stream

__all__ = ["rare_confidences"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

ENTITIES = 200
"""Most entities about which the predictions of a rule are counted."""

DOUBT = 1
"""Wrong predictions that are added, so that one right prediction does not make a rule certain."""

WAYS = 1 << 20
"""About how many ways to a prediction are followed; rules with more are judged by fewer entities."""

AT_ONCE = 32
"""Entities whose ways are followed together."""


def rare_confidences(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    max_prior: float,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    run: MapLike = map,
) -> npt.NDArray[np.float64]:
    """The rare confidence of each rule.

    Args:
        kg: The graph.
        rules: The rules.
        max_prior: An answer of a relation is common if more than this fraction of the *other* topic
            entities have it.
        seed: Seed of the samples.
        progress: Called with (rules done, all rules).
        run: Calls a function with blocks of the rules, perhaps in other processes.

    Returns:
        float64, shape (rules,), 0 ≤ confidence < 1; 0 for a rule that predicts nothing of this kind.
    """
    parts = by_blocks(_RareConfidences(kg, max_prior, seed), rules, run, progress)
    return np.array([one for part in parts for one in part])


class _RareConfidences:
    """Those of blocks of rules; can be pickled before it is called, and keeps what all rules need."""

    def __init__(self, kg: KnowledgeGraph, max_prior: float, seed: int) -> None:
        self._kg, self._max_prior, self._seed = kg, max_prior, seed

    @cached_property
    def _graph(self) -> "_Graph":
        index, most = Index(self._kg), self._max_prior
        return _Graph(index, Chains(index), _common(index, most, 0), _common(index, most, 2))

    def __call__(self, rules: Sequence[Rule]) -> list[float]:
        return [self._of(rule) for rule in rules]

    def _of(self, rule: Rule) -> float:
        bound = bind_rule(self._graph.index, rule)
        if bound is None:
            return 0.0
        return _rare_confidence(self._graph, bound, stream(self._seed, "rare", rule.id))


@dataclass(frozen=True)
class _Graph:
    """A graph, and its common answers: relation · entities + entity, ascending."""

    index: Index
    chains: Chains
    subjects: Ints
    objects: Ints

    def rare(self, relation: int, subjects: Ints, objects: Ints) -> Bools:
        """Which triples of a relation have two ends that are not common answers, nor the same entity."""
        first = relation * self.index.entities
        common = _among(self.subjects, first + subjects) | _among(self.objects, first + objects)
        rare: Bools = ~common & (subjects != objects)
        return rare


def _rare_confidence(graph: _Graph, bound: BoundRule, draws: Stream) -> float:
    kg, relation = graph.index.kg, bound.head.relation
    subjects, objects = _predicted(graph, bound, draws)
    fit = graph.rare(relation, subjects, objects)
    ids = np.empty((int(fit.sum()), 3), np.int32)
    ids[:, 0], ids[:, 1], ids[:, 2] = subjects[fit], relation, objects[fit]
    there = kg.rows_of(ids) >= 0
    right = ids[there]
    if len(right) and relation in {
        atom.relation for atom in bound.body
    }:  # a body may hold the triple itself
        chain = graph.chains.of(bound)
        bodies = bound.count(right) if chain is None else chain.over(right).counts
        right = right[bodies > 0]
    return len(right) / (len(right) + int((~there).sum()) + DOUBT)


def _predicted(graph: _Graph, bound: BoundRule, draws: Stream) -> tuple[Ints, Ints]:
    """All predictions about a sample of entities: subjects and objects, each pair once.

    The entities stand for the head's subject.
    """
    head = bound.head
    ends = [(atom.subject, atom.object) for atom in bound.body]
    path = None
    if (head.subject, head.object) == (0, 1) and len(ends) <= 3:
        path = simple_path(ends, 0, 1)
    if path is None:
        return _joined(graph.index, bound, draws)
    steps = [Step(bound.body[at].relation, forward) for at, forward in path]
    return _walked(graph, steps, draws)


def _walked(graph: _Graph, steps: Sequence[Step], draws: Stream) -> tuple[Ints, Ints]:
    """See `_predicted`; for a body that is a path."""
    chains, n = graph.chains, graph.index.entities
    starts, ends = chains.edges(steps[0])
    if len(steps) == 1:
        sample = _drawn(distinct(starts), draws)
        own = _among(sample, starts)
        return starts[own], ends[own]
    if len(steps) == 2:
        first, count = chains.degrees(steps[1], ends)
    else:
        table = chains.pairs(steps[1], steps[2]).keys
        first = np.searchsorted(table, ends * n)
        count = np.searchsorted(table, (ends + 1) * n) - first
    sample = _drawn(distinct(starts), draws, starts, count)
    own = _among(sample, starts)
    starts, first, count = starts[own], first[own], count[own]
    if len(steps) == 2:
        source, last = chains.expand(steps[1], first, count)
    else:
        source = np.repeat(np.arange(len(count)), count)
        within = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
        last = table[first[source] + within] % n
    subjects, objects = np.divmod(distinct(starts[source] * n + last), n)
    return subjects, objects


def _joined(index: Index, bound: BoundRule, draws: Stream) -> tuple[Ints, Ints]:
    """See `_predicted`; for any body: entities are taken `AT_ONCE` together or not at all."""
    n, head = index.entities, bound.head
    start, fixed = head.subject, frozenset({head.subject})
    atom = next(a for a in bound.body if start in (a.subject, a.object))
    ends = index.kg.triples[index.of_relation(atom.relation)].astype(np.int64)
    sample = _drawn(distinct(ends[:, 0 if atom.subject == start else 2]), draws)
    bindings = np.zeros((len(sample), bound.columns), np.int64)
    bindings[:, start] = sample[draws.permutation(len(sample))]
    order = bound.join_order(bindings[:AT_ONCE], fixed)
    keys = [np.empty(0, np.int64)]
    ways, taken = np.zeros(-(-len(sample) // AT_ONCE), np.int64), len(sample)
    for found in join(index, [bound.body[i] for i in order], bindings, fixed):
        # Results come by entity, so that of those after the last one taken none is missed.
        ways += np.bincount(found.origin // AT_ONCE, minlength=len(ways))
        enough = np.flatnonzero(ways.cumsum() >= WAYS)
        taken = min(taken, (int(enough[0]) + 1) * AT_ONCE) if len(enough) else taken
        own = found.bindings[: np.searchsorted(found.origin, taken)]
        keys.append(distinct(own[:, head.subject] * n + own[:, head.object]))
        if found.origin[-1] >= taken:
            break
    subjects, objects = np.divmod(distinct(np.concatenate(keys)), n)
    return subjects, objects


def _drawn(
    entities: Ints, draws: Stream, starts: Ints | None = None, count: Ints | None = None
) -> Ints:
    """A uniform sample of entities, ascending; only as many as have `WAYS` ways in all, at least one.

    Args:
        entities: The entities, ascending.
        draws: The random stream.
        starts: The entity at which each of some steps starts.
        count: The ways on from each step.
    """
    order = draws.permutation(len(entities))[:ENTITIES]
    if starts is not None and count is not None:
        ways = np.zeros(len(entities), np.int64)
        np.add.at(ways, np.searchsorted(entities, starts), count)
        order = order[: max(1, int((np.cumsum(ways[order]) <= WAYS).sum()))]
    return np.sort(entities[order])


def _common(index: Index, max_prior: float, column: int) -> Ints:
    """The common answers at one end: relation · entities + entity, ascending."""
    n = index.entities
    keys, having = _counted(index.object_keys if column else index.subject_keys)
    topics = _counted(index.subject_keys if column else index.object_keys)[0] // n
    others = np.bincount(topics, minlength=len(index.kg.relations))[keys // n] - 1
    common: Ints = keys[having - 1 > max_prior * others]
    return common


def _counted(ascending: Ints) -> tuple[Ints, Ints]:
    """The distinct values, and how often each is there."""
    first = np.flatnonzero(np.diff(ascending, prepend=-1))
    return ascending[first], np.diff(first, append=len(ascending))


def _among(ascending: Ints, values: Ints) -> Bools:
    """Which values are among others."""
    if not len(ascending):
        return np.zeros(len(values), bool)
    at = np.searchsorted(ascending, values)
    at[at == len(ascending)] = 0
    found: Bools = ascending[at] == values
    return found
