"""The default selection: removes for the core first, then as much as the caps and the proofs allow.

For the core, everything between two entities has to go, so whole pairs of entities are selected: each
fact between them by a grounding whose body joins them nowhere. The head relations take turns, so that the
scarce ones are not crowded out; within a relation its rules do. First come facts that give a question
which no other selected fact gives: facts with the same topic entity are one question.

Then the rest, unless other facts join the same two entities and such facts may not be removed by themselves
(`Setting.restated`): a greedy pass and local search. In the greedy pass the rules take turns, those with the
fewest heads first. At its turn a rule adds one grounding: of a few drawn at random, the one that blocks
the fewest others. When no rule can add any more, the local search adds groundings that conflict with chosen
ones, takes the conflicting ones out, and replaces each by another proof of its head or another grounding of
its rule. A step is undone if it costs a rule or a fact; what was selected for the core stays.

Guarantees: no removed triple is in the body of a chosen grounding, no rule selects more than its cap; a
function of graph, groundings and seed, whatever the order of the rules; time linear in the groundings
times the cap, with a fixed number of passes.
"""

import itertools
from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ConfigError
from rulemine.removal.candidates import Candidates, candidates_of
from rulemine.removal.plan import RemovalPlan
from rulemine.removal.search_state import SearchState
from rulemine.removal.selection import SelectionCounts
from rulemine.removal.setting import Setting
from rulemine.rules.grounding import Groundings
from rulemine.seeds import stream

__all__ = ["choose"]

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


def choose(
    setting: Setting,
    groundings: Groundings,
    *,
    per_rule: int = 30,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> RemovalPlan:
    """Chooses facts to remove: for the core, then as many rules and as many facts as possible.

    Args:
        setting: The graph, and what may be removed from it.
        groundings: Its groundings, or a sample of them.
        per_rule: Cap: how many facts a rule selects at most, ≥ 1.
        seed: Seed of the order in which groundings are tried.
        progress: Called with (rounds done, most rounds).

    Returns:
        One row per removed fact, by rule, then by head. The upper bounds of its counts are what caps
        and distinct heads of these groundings allow, for everything and for the core: the triples of
        so many facts as the sum of min(cap, facts) over the rules, at most all facts.

    Raises:
        ConfigError: `per_rule` is not positive.
    """
    if per_rule < 1:
        raise ConfigError(f"per_rule: found {per_rule}; expected at least 1. Raise it.")
    candidates = candidates_of(setting, groundings)
    state = SearchState(candidates.facts, len(setting.kg), per_rule)
    search = _Search(state, candidates, setting, seed)
    search.fill_core()
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
    return _choice(setting, groundings, candidates, search)


def _choice(
    setting: Setting, groundings: Groundings, candidates: Candidates, search: "_Search"
) -> RemovalPlan:
    chosen, removed = search.state.chosen, search.state.removed
    found = candidates.groundings
    head = found.head[chosen]
    statements = np.bincount(setting.facts, minlength=len(setting.kg))
    # What empties a pair of entities goes at one level, or it would be in the core too late.
    there = np.zeros(int(setting.pairs.max(initial=-1)) + 1, bool)
    there[setting.pairs[~removed[setting.facts]]] = True
    pair = setting.pairs[head]
    return RemovalPlan(
        found.rules,
        head,
        found.rule[chosen],
        found.body[chosen],
        np.where(there[pair], len(setting.kg) + setting.facts[head].astype(np.int64), pair),
        statements[setting.facts[head]],
        SelectionCounts(
            int(groundings.counts.sum()),
            groundings.provable,
            len(groundings),
            _most(statements, candidates.facts.head, search.upper_bound),
            _most(statements, candidates.facts.head[candidates.core], search.core_upper_bound),
            candidates.restated,
        ),
    )


def _most(statements: Ints, heads: Ints, facts: int) -> int:
    """Most triples that so many of the given facts may have."""
    return int(np.sort(statements[distinct(heads)])[::-1][:facts].sum())


class _Search:
    """The steps of the procedure; see the module."""

    def __init__(
        self, state: SearchState, candidates: Candidates, setting: Setting, seed: int
    ) -> None:
        self.state = state
        self._seed = seed
        facts = candidates.facts
        self._core, self._beyond = candidates.core, candidates.beyond
        self._pair = setting.pairs
        self._rules = facts.rules
        self._ids = [rule.id for rule in facts.rules]
        starts = np.searchsorted(facts.rule, np.arange(len(self._ids) + 1))
        self._rows = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
        heads = [len(distinct(facts.head[rows])) for rows in self._rows]
        self._most = [min(state.cap, n) for n in heads]
        self.upper_bound = min(sum(self._most), len(distinct(facts.head)))
        self._fewest_heads_first = sorted(
            (r for r, n in enumerate(heads) if n), key=lambda r: (heads[r], self._ids[r])
        )
        self._core_heads = [
            len(distinct(facts.head[rows[self._core[rows]]])) for rows in self._rows
        ]
        core_facts = distinct(facts.head[self._core])
        self.core_upper_bound = min(
            sum(min(state.cap, n) for n in self._core_heads), len(core_facts)
        )
        self._of_pair: dict[int, list[int]] = {}
        for fact, pair in zip(core_facts.tolist(), self._pair[core_facts].tolist(), strict=True):
            self._of_pair.setdefault(pair, []).append(fact)
        self._locked = np.zeros(len(state.removed), bool)
        self._questions = setting.questions
        wanted = self._questions[core_facts]
        most = int(self._questions.max(initial=-1)) + 1
        self._demand = np.bincount(wanted[wanted >= 0], minlength=most + 1)
        self._asked = np.zeros(most + 1, bool)

    def fill_core(self) -> None:
        """The passes for the core: first what gives a question that no other fact gives, then the rest."""
        self.state.value(self._core)
        self._fill_pairs(new=True)
        self._fill_pairs(new=False)
        self._locked = self.state.removed.copy()
        self._rows = [rows[self._beyond[rows]] for rows in self._rows]
        self.state.value(self._beyond)

    def _fill_pairs(self, new: bool) -> None:
        """Adds whole pairs, one per head relation and turn."""
        state = self.state
        waiting: dict[int, Ints] = {}
        turns: dict[str, deque[int]] = {}
        for r in sorted(
            self._fewest_heads_first, key=lambda r: (self._core_heads[r], self._ids[r])
        ):
            if self._core_heads[r]:
                rows = self._shuffled(r, "core")
                waiting[r] = rows[self._core[rows]]
                turns.setdefault(self._rules[r].head.relation, deque()).append(r)
        while turns:
            for relation in sorted(turns):
                queue = turns[relation]
                while queue:
                    r = queue[0]
                    rows = state.free(waiting[r]) if self._wants(r) else waiting[r][:0]
                    waiting[r] = rows = rows[self._fresh(rows)] if new else rows
                    if not len(rows):
                        queue.popleft()
                        continue
                    grounding = state.least_harmful(rows[:CANDIDATES])
                    if self._add_pair(grounding):
                        queue.rotate(-1)
                        break
                    # Another fact of its pair has no free proof now, and never will have one again.
                    pair = self._pair[state.head[rows]]
                    waiting[r] = rows[pair != self._pair[state.head[grounding]]]
                if not queue:
                    del turns[relation]

    def _fresh(self, rows: Ints) -> npt.NDArray[np.bool_]:
        """Which groundings have a head with a question that no fact was selected for."""
        questions = self._questions[self.state.head[rows]]
        fresh: npt.NDArray[np.bool_] = (questions >= 0) & ~self._asked[questions]
        return np.logical_or(fresh[:, 0], fresh[:, 1])

    def _ask(self, fact: int) -> None:
        """Reserves a question for a fact: of two that are left, the one that fewer others could take."""
        left = [q for q in self._questions[fact].tolist() if q >= 0 and not self._asked[q]]
        if left:
            self._asked[min(left, key=lambda q: (self._demand[q], q))] = True

    def _add_pair(self, grounding: int) -> bool:
        """Adds a grounding and one for each other fact of its pair; or nothing, if one has none."""
        state = self.state
        state.add(grounding)
        head = int(state.head[grounding])
        added = [head]
        for fact in self._of_pair[int(self._pair[head])]:
            if fact == head:
                continue
            rows = state.of_head(fact)
            rows = state.free(rows[self._core[rows]])
            rows = rows[state.count[state.rule[rows]] < state.cap]
            if not len(rows):
                for fact in added:
                    state.drop(fact)
                return False
            state.add(state.least_harmful(rows))
            added.append(fact)
        for fact in added:
            self._ask(fact)
        return True

    def fill(self) -> None:
        """The greedy pass: adds free groundings, one per rule and turn, until no rule can take any."""
        state = self.state
        waiting = {r: self._shuffled(r, "fill") for r in self._fewest_heads_first if self._wants(r)}
        while waiting:
            for r in list(waiting):
                # What is not free now stays so while groundings are only added.
                waiting[r] = state.free_first(waiting[r], CANDIDATES)
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
        if len(out) > (CONFLICTS_FIRST if uncovered else conflicts) or self._locked[out].any():
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
