"""The default selection: removes as many triples as the per-rule cap and the proofs allow.

A greedy pass, then local search. In the greedy pass the rules take turns, those with the fewest heads
first. At its turn a rule adds one grounding: of a few drawn at random, the one that blocks the fewest
others. When no rule can add any more, the local search adds groundings that conflict with chosen ones,
takes the conflicting ones out, and replaces each by another proof of its head or another grounding of
its rule. A step is undone if it costs a rule or a triple.

Triples from an entity to itself are never removed: a question about one would name its own answer.

Guarantees: the invariants of `rulemine.builder.removal.selection`, and one certificate per removed triple; a
function of graph, groundings and seed, whatever the order of the rules; time linear in the groundings
times the cap, with a fixed number of passes.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rulemine.builder.removal.completed import completed
from rulemine.builder.removal.search_state import SearchState
from rulemine.builder.removal.selection import Selection, SelectionCounts
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.grounding import Groundings
from rulemine.seeds import stream

__all__ = ["select"]

Ints = npt.NDArray[np.int64]

CANDIDATES = 16
"""Groundings among which the least harmful is taken. More would remove a few percent more triples where
the cap does not bind, but favor triples at the periphery of the graph."""

CONFLICTS = (1, 1, 1, 2, 2)
"""Most conflicts a grounding may have to be tried, for each round of the local search. One is quickly
replaced; two cost four times as much for one percent more triples; each later round gains less."""

TRIALS = 100
"""Most groundings of a rule that a round tries."""

TRIALS_IN_ROUND = 16_000
"""About how many groundings a round tries in all: with thousands of rules, each gets fewer."""

CONFLICTS_FIRST = 8
"""Most conflicts for a rule that has no certificate yet."""


def select(
    kg: KnowledgeGraph,
    groundings: Groundings,
    *,
    per_rule: int = 30,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Selection:
    """Chooses triples to remove, as many rules and then as many triples as possible.

    Args:
        kg: The graph.
        groundings: Its groundings, or a sample of them.
        per_rule: Cap: most certificates per rule, ≥ 1.
        seed: Seed of the order in which groundings are tried.
        progress: Called with (rounds done, most rounds).

    Returns:
        One row per removed triple, by rule, then by triple. The upper bound of its counts is what caps
        and distinct heads allow: the sum of min(cap, heads) over the rules, at most all heads.

    Raises:
        ConfigError: `per_rule` is not positive.
    """
    if per_rule < 1:
        raise ConfigError(f"per_rule: found {per_rule}; expected at least 1. Raise it.")
    usable = _without_loops(kg, groundings)
    state = SearchState(usable, len(kg), per_rule)
    search = _Search(state, usable, seed)
    search.fill()
    for done, conflicts in enumerate(CONFLICTS, start=1):
        if progress:
            progress(done, len(CONFLICTS) + 1)
        if search.upper_bound == int(state.removed.sum()):
            break
        search.improve(done, conflicts)
        search.fill()
    if progress:
        progress(len(CONFLICTS) + 1, len(CONFLICTS) + 1)
    chosen = state.chosen
    counts = SelectionCounts(
        int(groundings.counts.sum()), groundings.provable, len(groundings), search.upper_bound
    )
    return completed(
        kg, usable.rules, usable.head[chosen], usable.rule[chosen], usable.body[chosen], counts
    )


def _without_loops(kg: KnowledgeGraph, groundings: Groundings) -> Groundings:
    """The groundings whose head can be asked about: a question names its topic entity, never its answer."""
    fit = kg.triples[groundings.head, 0] != kg.triples[groundings.head, 2]
    return replace(
        groundings,
        rule=groundings.rule[fit],
        head=groundings.head[fit],
        body=groundings.body[fit],
    )


class _Search:
    """The steps of the procedure; see the module."""

    def __init__(self, state: SearchState, groundings: Groundings, seed: int) -> None:
        self.state = state
        self._seed = seed
        self._ids = [rule.id for rule in groundings.rules]
        starts = np.searchsorted(groundings.rule, np.arange(len(self._ids) + 1))
        self._rows = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
        heads = [len(np.unique(groundings.head[rows])) for rows in self._rows]
        self._most = [min(state.cap, n) for n in heads]
        self.upper_bound = min(sum(self._most), len(np.unique(groundings.head)))
        self._fewest_heads_first = sorted(
            (r for r, n in enumerate(heads) if n), key=lambda r: (heads[r], self._ids[r])
        )

    def fill(self) -> None:
        """The greedy pass: adds free groundings, one per rule and turn, until no rule can take any."""
        state = self.state
        waiting = {r: self._shuffled(r, "fill") for r in self._fewest_heads_first if self._wants(r)}
        while waiting:
            for r in list(waiting):
                # What is not free now stays so while groundings are only added.
                waiting[r] = state.free(waiting[r])
                if len(waiting[r]):
                    state.add(state.least_harmful(waiting[r][:CANDIDATES]))
                if not len(waiting[r]) or not self._wants(r):
                    del waiting[r]

    def improve(self, round_: int, conflicts: int) -> None:
        """A round of local search: tries groundings of rules below their cap in place of chosen ones.

        Args:
            round_: Number of the round; each tries the groundings in another order.
            conflicts: Most chosen groundings that one may conflict with.
        """
        state = self.state
        wanting = [r for r in self._fewest_heads_first if self._wants(r)]
        trials = min(TRIALS, max(1, TRIALS_IN_ROUND // max(1, len(wanting))))
        for r in wanting:
            most = conflicts if state.count[r] else CONFLICTS_FIRST
            rows = self._shuffled(r, round_)
            rows = rows[state.conflicts(rows) <= most]
            for grounding in rows[:trials].tolist():
                if not self._wants(r):
                    break
                self._swap_in(r, grounding, conflicts)

    def _swap_in(self, r: int, grounding: int, conflicts: int) -> None:
        """Adds one grounding if those it conflicts with can be replaced."""
        state = self.state
        uncovered = state.count[r] == 0
        out = state.conflicting(grounding)
        if len(out) > (CONFLICTS_FIRST if uncovered else conflicts):
            return
        if any(state.rule[state.certificate[head]] == r for head in out):
            return  # the rule would lose what it gains
        old = [state.drop(head) for head in out]
        new = [grounding]
        state.add(grounding)
        for gone in old:
            other = self._replacement(gone)
            if other is not None:
                state.add(other)
                new.append(other)
        covered = all(state.count[state.rule[gone]] for gone in old)
        if covered and (uncovered or len(new) >= len(old)):
            return
        for added in new:
            state.drop(int(state.head[added]))
        for gone in old:
            state.add(gone)

    def _replacement(self, gone: int) -> int | None:
        """A free grounding of the same head, else of the same rule; None where there is none."""
        state = self.state
        rows = state.free(state.of_head(int(state.head[gone])))
        rows = rows[state.count[state.rule[rows]] < state.cap]
        rule = int(state.rule[gone])
        if not len(rows) and state.count[rule] < state.cap:
            rows = state.free(self._rows[rule])
        return state.least_harmful(rows) if len(rows) else None

    def _wants(self, r: int) -> bool:
        return bool(self.state.count[r] < self._most[r])

    def _shuffled(self, r: int, what: str | int) -> Ints:
        rows = self._rows[r]
        return rows[stream(self._seed, "select", what, self._ids[r]).permutation(len(rows))]
