"""How often rules are right where the answer cannot be guessed.

The standard confidence of a rule says how many of its predictions are in the graph. It can be high for the
wrong reasons: because most predictions name a common answer (most films are in English), or because the body
holds the predicted triple itself (r(x,z) ∧ q(w,z) ∧ q(w,y) ⇒ r(x,y) with z = y). The rare confidence is
counted without both: over predictions with a body that does not hold the triple, neither end of which is a
common answer of the relation, nor both the same entity.

Guarantees: exact for every rule; a function of graph, rule and bound on the prior; memory is bounded by the
predictions of one rule, of which there are no more than its support over its confidence.
"""

from collections.abc import Iterator, Sequence
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
from rulemine.rules.chains import Chains, Step, chunks
from rulemine.rules.rule import Rule

__all__ = ["rare_confidences"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DOUBT = 1
"""Wrong predictions that are added, so that one right prediction does not make a rule certain."""


def rare_confidences(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    max_prior: float,
    *,
    progress: Progress | None = None,
    run: MapLike = map,
) -> npt.NDArray[np.float64]:
    """The rare confidence of each rule.

    Args:
        kg: The graph.
        rules: The rules.
        max_prior: An answer of a relation is common if more than this fraction of the *other* topic
            entities have it.
        progress: Called with (rules done, all rules).
        run: Calls a function with blocks of the rules, perhaps in other processes.

    Returns:
        float64, shape (rules,), 0 ≤ confidence < 1; 0 for a rule that predicts nothing of this kind.
    """
    parts = by_blocks(_RareConfidences(kg, max_prior), rules, run, progress)
    return np.array([one for part in parts for one in part])


class _RareConfidences:
    """Those of blocks of rules; can be pickled before it is called, and keeps what all rules need."""

    def __init__(self, kg: KnowledgeGraph, max_prior: float) -> None:
        self._kg, self._max_prior = kg, max_prior

    def __call__(self, rules: Sequence[Rule]) -> list[float]:
        bound = [bind_rule(self._chains.index, rule) for rule in rules]
        return [0.0 if rule is None else self._of(rule) for rule in bound]

    @cached_property
    def _chains(self) -> Chains:
        return Chains(Index(self._kg))

    @cached_property
    def _common(self) -> tuple[Ints, Ints]:
        """The common subjects and objects: relation · entities + entity, ascending."""
        index = self._chains.index
        keys = index.subject_keys, index.object_keys
        return _common(index, self._max_prior, *keys), _common(index, self._max_prior, *keys[::-1])

    def _rare(self, relation: int) -> Bools:
        """Which entities are not common as subjects, and as objects, of a relation, shape (2, entities)."""
        rare = np.ones((2, self._chains.index.entities), bool)
        first = relation * rare.shape[1]
        for end, common in zip(rare, self._common, strict=True):
            low, high = np.searchsorted(common, [first, first + len(end)])
            end[common[low:high] - first] = False
        return rare

    def _of(self, bound: BoundRule) -> float:
        head, rare = bound.head, self._rare(bound.head.relation)
        path = simple_path(
            [(atom.subject, atom.object) for atom in bound.body], head.subject, head.object
        )
        if path is None:
            found = _joined(bound)
        else:
            steps = [Step(bound.body[at].relation, forward) for at, forward in path]
            found = _walked(self._chains, steps, rare)
        keys = distinct(np.concatenate([np.empty(0, np.int64), *found]))
        subjects, objects = np.divmod(keys, rare.shape[1])
        fit = rare[0][subjects] & rare[1][objects] & (subjects != objects)
        ids = np.full((int(fit.sum()), 3), head.relation, np.int32)
        ids[:, 0], ids[:, 2] = subjects[fit], objects[fit]
        there = self._kg.rows_of(ids) >= 0
        wrong, right = int((~there).sum()), int(there.sum())
        if right and any(atom.relation == head.relation for atom in bound.body):
            # A body may hold the triple itself.
            right = int((self._chains.count(bound, ids[there]) > 0).sum())
        return right / (right + wrong + DOUBT)


def _joined(bound: BoundRule) -> Iterator[Ints]:
    """Yields what a rule predicts, as subject · entities + object, for any body."""
    nothing = np.zeros((1, bound.columns), np.int64)
    order = bound.join_order(nothing, frozenset())
    for found in join(bound.index, [bound.body[i] for i in order], nothing, frozenset()):
        subjects, objects = found.bindings[:, [bound.head.subject, bound.head.object]].T
        yield distinct(subjects * bound.index.entities + objects)


def _walked(chains: Chains, steps: Sequence[Step], rare: Bools) -> Iterator[Ints]:
    """As `_joined`, without common answers, for a body that is a path: from the end with fewer entities."""
    n = chains.index.entities
    back = [step.back() for step in reversed(steps)]
    if len(distinct(chains.edges(back[0])[0])) < len(distinct(chains.edges(steps[0])[0])):
        yield from (keys % n * n + keys // n for keys in _walked(chains, back, rare[::-1]))
        return
    leads = [rare[1]]  # first back: most nodes lead to no end
    for step in back:
        ends, starts = chains.edges(step)
        leads.append(np.zeros(n, bool))
        leads[-1][starts[leads[-2][ends]]] = True
    starts = np.flatnonzero(leads.pop() & rare[0])
    yield from _onwards(chains, steps, leads[::-1], starts, starts)


def _onwards(
    chains: Chains, steps: Sequence[Step], leads: Sequence[Bools], starts: Ints, nodes: Ints
) -> Iterator[Ints]:
    """The walks on from nodes; a pair of start and node is followed once, by however many ways it is reached.

    Args:
        chains: The graph.
        steps: The steps that are left.
        leads: Of each of them, which entities at its end lead on.
        starts: Where the walks began, ascending.
        nodes: Where they are.
    """
    first, count = chains.degrees(steps[0], nodes)
    for low, high in chunks(count):
        source, end = chains.expand(steps[0], first[low:high], count[low:high])
        on = leads[0][end]
        keys = distinct(starts[low:high][source[on]] * chains.index.entities + end[on])
        if len(steps) == 1:
            yield keys
        else:
            pairs = np.divmod(keys, chains.index.entities)
            yield from _onwards(chains, steps[1:], leads[1:], *pairs)


def _common(index: Index, max_prior: float, ends: Ints, others: Ints) -> Ints:
    """The common answers at one end, ascending; of the keys of the index at this end and at the other."""
    keys, having = np.unique(ends, return_counts=True)
    topics = np.bincount(distinct(others) // index.entities, minlength=len(index.kg.relations))
    common: Ints = keys[having - 1 > max_prior * (topics[keys // index.entities] - 1)]
    return common
