"""How confident rules are, and which are confident enough to prove something in a benchmark.

The standard confidence of a rule says how many of its predictions are in the graph. It can be high for the
wrong reasons: because most predictions name a common answer (most films are in English), or because the body
holds the predicted triple itself (r(x,z) ∧ q(w,z) ∧ q(w,y) ⇒ r(x,y) with z = y). The rare confidence is
counted without both: over predictions with a body that does not hold the triple, neither end of which is a
common answer of the relation, nor both the same entity. A standard (`Standard`) holds for rules by their
relations alone, for example for all whose body says who worked on what.

Guarantees: exact for every rule; a function of graph, rule and bound on the prior; memory is bounded by the
predictions of one rule, of which there are no more than its support over its confidence.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.kg.facts import least_share
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.evidence_tree import simple_path
from rulemine.query.join import join
from rulemine.rules.blocks import MapLike, Progress, by_blocks
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.chains import Chains, Step, chunks
from rulemine.rules.rule import Measures, Rule

__all__ = [
    "Standard",
    "confident_rules",
    "measured",
    "rare_confidences",
    "refused",
    "rules_beyond_guessing",
]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DOUBT = 1
"""How many wrong predictions are added to the count, so that one right prediction makes no rule certain."""


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
        keys = _predictions(self._chains, bound, rare)
        subjects, objects = np.divmod(keys, rare.shape[1])
        fit = rare[0][subjects] & rare[1][objects] & (subjects != objects)
        ids = _triples(subjects[fit], head.relation, objects[fit])
        there = self._kg.rows_of(ids) >= 0
        wrong, right = int((~there).sum()), int(there.sum())
        if right and any(atom.relation == head.relation for atom in bound.body):
            # A body may hold the triple itself.
            right = int((self._chains.count(bound, ids[there]) > 0).sum())
        return right / (right + wrong + DOUBT)


def measured(kg: KnowledgeGraph, rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yields rules with measures: those that have none are counted on a graph, as the miner counts.

    A rule of which nothing holds there, head and body, is left out.

    Args:
        kg: The graph.
        rules: Rules without entities, whose relations it has.
    """
    chains = Chains(Index(kg))
    everyone = np.ones((2, len(kg.entities)), bool)
    for rule in rules:
        if rule.measures or (bound := bind_rule(chains.index, rule)) is None:
            yield rule
            continue
        relation = bound.head.relation
        pairs = np.divmod(_predictions(chains, bound, everyone), len(kg.entities))
        support = int((kg.rows_of(_triples(pairs[0], relation, pairs[1])) >= 0).sum())
        stated = kg.triples[chains.index.of_relation(relation)]
        ends = distinct(stated[:, 0]), distinct(stated[:, 2])
        functional = int(len(ends[0]) < len(ends[1]))
        known = int(np.isin(pairs[functional], ends[functional]).sum())
        if support:
            counts = Measures(support, len(pairs[0]), known, len(stated), functional)
            yield replace(rule, measures=counts)


def _triples(subjects: Ints, relation: int, objects: Ints) -> npt.NDArray[np.int32]:
    ids = np.full((len(subjects), 3), relation, np.int32)
    ids[:, 0], ids[:, 2] = subjects, objects
    return ids


def _predictions(chains: Chains, bound: BoundRule, rare: Bools) -> Ints:
    """What a rule predicts, as subject · entities + object, ascending; for a path without common answers."""
    head = bound.head
    path = simple_path(
        [(atom.subject, atom.object) for atom in bound.body], head.subject, head.object
    )
    if path is None:
        found = _joined(bound)
    else:
        steps = [Step(bound.body[at].relation, forward) for at, forward in path]
        found = _walked(chains, steps, rare)
    return distinct(np.concatenate([np.empty(0, np.int64), *found]))


def _joined(bound: BoundRule) -> Iterator[Ints]:
    """Yields what a rule predicts, as subject · entities + object, for any body."""
    nothing = np.zeros((1, bound.columns), np.int64)
    order = bound.join_order(nothing, frozenset())
    for found in join(bound.index, [bound.body[i] for i in order], nothing, frozenset()):
        subjects, objects = found.bindings[:, [bound.head.subject, bound.head.object]].T
        yield distinct(subjects * bound.index.entities + objects)


def _walked(chains: Chains, steps: Sequence[Step], rare: Bools) -> Iterator[Ints]:
    """As `_joined` for a path, without common answers; walks from the end with fewer entities."""
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


@dataclass(frozen=True, slots=True)
class Standard(Section):
    """The least confidence of rules of one form; relations are listed by name, each list in order.

    Attributes:
        head: The relations of the heads that it holds for; empty: any.
        head_not: Relations of heads that it does not hold for.
        body_only: It holds for rules all of whose body atoms are of these; empty: of any relation.
        body_any: It holds for rules with a body atom of one of these; empty: of any relation.
        min_std_confidence: Lower bound on their standard confidence; 1: only rules without an exception.
        reason: Why.
    """

    head: tuple[str, ...] = option(())
    head_not: tuple[str, ...] = option(())
    body_only: tuple[str, ...] = option(())
    body_any: tuple[str, ...] = option(())
    min_std_confidence: float = option(1.0, above=0, most=1)
    reason: str = option("")

    def refuses(self, rule: Rule) -> bool:
        """Whether the rule, which has measures, is of the form and not confident enough."""
        head, body = rule.head.relation, {atom.relation for atom in rule.body}
        return (
            rule.known.std_confidence < self.min_std_confidence
            and (not self.head or head in self.head)
            and head not in self.head_not
            and (not self.body_only or body <= {*self.body_only})
            and (not self.body_any or not body.isdisjoint(self.body_any))
        )


def refused(rule: Rule, standards: Iterable[Standard]) -> bool:
    """Whether one of the standards refuses the rule."""
    return any(standard.refuses(rule) for standard in standards)


def confident_rules(
    rules: Iterable[Rule],
    excluded_from_bodies: Collection[str] = (),
    standards: Sequence[Standard] = (),
    min_sure_confidence: float = 0.0,
) -> tuple[Rule, ...]:
    """The rules that are confident enough, whose bodies name no relation that is kept out.

    Args:
        rules: The rules as mined; with measures.
        excluded_from_bodies: Relations that no body may name.
        standards: What rules of some form have to reach.
        min_sure_confidence: Lower bound on the lower end of the 95 % Wilson interval of the standard
            confidence; 0: no bound.

    Returns:
        These rules, in the order given.
    """
    return tuple(
        rule
        for rule in rules
        if least_share(rule.known.support, rule.known.body_size) >= min_sure_confidence
        and not any(atom.relation in excluded_from_bodies for atom in rule.body)
        and not refused(rule, standards)
    )


def rules_beyond_guessing(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    least: float,
    *,
    max_prior: float,
    progress: Progress | None = None,
    run: MapLike = map,
) -> tuple[Rule, ...]:
    """The rules that are right often enough where the answer cannot be guessed.

    Args:
        kg: The complete graph.
        rules: The rules.
        least: Lower bound on the rare confidence (see `rare_confidences`); 0: all rules.
        max_prior: What makes an answer common.
        progress: Called with (rules done, all rules).
        run: Calls a function with blocks of the rules, perhaps in other processes.

    Returns:
        These rules, in the order given.
    """
    if not least:
        return tuple(rules)
    found = rare_confidences(kg, rules, max_prior, progress=progress, run=run)
    return tuple(rule for rule, value in zip(rules, found.tolist(), strict=True) if value >= least)
