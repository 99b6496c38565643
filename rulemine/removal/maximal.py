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
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ConfigError
from rulemine.removal.plan import RemovalPlan
from rulemine.removal.selection import SelectionCounts
from rulemine.removal.setting import Setting
from rulemine.rules.decoration import Decorations
from rulemine.rules.grounding import Groundings
from rulemine.seeds import stream

__all__ = ["candidates_of", "choose"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class SearchState:
    """The state of the search for a selection: which facts are removed, needed and free.

    A fact is given by one of its triples (see `rulemine.kg.facts`); here, "triple" means such a fact.
    Guarantee: at any time between two calls, no removed triple is in the body of a chosen grounding,
    each triple is the head of at most one chosen grounding, and no rule has more than its cap.

    Args:
        groundings: The candidates; a chosen one is given by its position among them.
        triples: Number of triples of the graph.
        cap: Most certificates per rule.

    Attributes:
        cap: As given.
        rule: int64, shape (n,): rule of each grounding.
        head: int64, shape (n,): head of each grounding.
        body: int64, shape (k, n): body of each; padded with a position that stands for no triple.
        certificate: int32, shape (triples + 1,): the grounding chosen for a removed triple, else −1.
        removed: bool, shape (triples + 1,).
        needed: int32, shape (triples + 1,): how many chosen groundings have the triple in their body.
        count: int64, shape (rules,): chosen groundings of each rule.
    """

    def __init__(self, groundings: Groundings, triples: int, cap: int) -> None:
        self.cap = cap
        self.rule = groundings.rule.astype(np.int64)
        self.head = groundings.head
        self.body = np.where(groundings.body < 0, triples, groundings.body).T.copy()
        self.certificate = np.full(triples + 1, -1, np.int32)
        self.removed = np.zeros(triples + 1, bool)
        self.needed = np.zeros(triples + 1, np.int32)
        self.count = np.zeros(len(groundings.rules), np.int64)
        self._users: dict[int, list[int]] = {}
        self._none = triples
        self.value(np.ones(len(self.head), bool))
        by_id = sorted(range(len(groundings.rules)), key=lambda r: groundings.rules[r].id)
        rank = np.empty(len(by_id), np.int64)
        rank[by_id] = np.arange(len(by_id))
        self._by_head = np.lexsort((rank[self.rule], self.head))
        sizes = np.bincount(self.head, minlength=triples + 1)
        self._head_start = np.append(0, sizes.cumsum()).astype(np.int32)

    def value(self, groundings: npt.NDArray[np.bool_]) -> None:
        """Sets the groundings that `least_harmful` tries not to block; all of them at first."""
        # How many of them have each triple as head, and how many in their body.
        heads, bodies = self.head[groundings], self.body[:, groundings].ravel()
        self._as_head = np.bincount(heads, minlength=self._none + 1).astype(np.int32)
        self._in_body = np.bincount(bodies, minlength=self._none + 1).astype(np.int32)
        self._in_body[self._none] = 0

    def parts(self, grounding: int) -> list[int]:
        """The body of a grounding, each triple once, ascending."""
        return sorted({t for t in self.body[:, grounding].tolist() if t != self._none})

    @property
    def chosen(self) -> Ints:
        """The chosen groundings, ascending."""
        return np.sort(self.certificate[self.certificate >= 0]).astype(np.int64)

    def of_head(self, triple: int) -> Ints:
        """The groundings with a given head, by rule id, then in canonical order."""
        return self._by_head[self._head_start[triple] : self._head_start[triple + 1]]

    def free(self, groundings: Ints) -> Ints:
        """The given groundings that could be added now, cap aside; in the order given."""
        head = self.head.take(groundings)
        taken = self.removed.take(head)
        taken |= self.needed.take(head) > 0
        for column in self.body:
            taken |= self.removed.take(column.take(groundings))
        return groundings[~taken]

    def free_first(self, groundings: Ints, number: int) -> Ints:
        """As `free`, but what comes after the first free ones, so many, is not looked at."""
        found, start = groundings[:0], 0
        while start < len(groundings) and len(found) < number:
            found = np.concatenate((found, self.free(groundings[start : start + 4 * number])))
            start += 4 * number
        return np.concatenate((found, groundings[start:]))

    def least_harmful(self, groundings: Ints) -> int:
        """The given grounding that blocks the fewest others; the first of equals.

        Removing its head blocks the groundings that need it; keeping its body blocks those that have
        one of its triples as head, unless that triple is needed already.
        """
        body = self.body[:, groundings]
        kept = np.where(self.needed[body] == 0, self._as_head[body], 0).sum(axis=0)
        return int(groundings[np.argmin(self._in_body[self.head[groundings]] + kept)])

    def conflicts(self, groundings: Ints) -> Ints:
        """About how many chosen groundings each of the given ones conflicts with."""
        head = self.head[groundings]
        inside: Ints = self.removed[self.body[:, groundings]].sum(axis=0)
        return inside + np.where(self.removed[head], 1, self.needed[head])

    def conflicting(self, grounding: int) -> list[int]:
        """The removed triples that would have to be put back for a grounding to be added."""
        head = int(self.head[grounding])
        found = [head] if self.removed[head] else list(self._users.get(head, ()))
        found += [t for t in self.parts(grounding) if self.removed[t] and t not in found]
        return found

    def add(self, grounding: int) -> None:
        """Chooses a free grounding: removes its head, keeps its body."""
        head = int(self.head[grounding])
        self.certificate[head] = grounding
        self.removed[head] = True
        self.count[self.rule[grounding]] += 1
        for part in self.parts(grounding):
            self.needed[part] += 1
            self._users.setdefault(part, []).append(head)

    def drop(self, head: int) -> int:
        """Puts a removed triple back; returns the grounding that was chosen for it."""
        grounding = int(self.certificate[head])
        self.certificate[head] = -1
        self.removed[head] = False
        self.count[self.rule[grounding]] -= 1
        for part in self.parts(grounding):
            self.needed[part] -= 1
            self._users[part].remove(head)
        return grounding


@dataclass(frozen=True, eq=False)
class Candidates:
    """The groundings that may select a fact.

    Attributes:
        groundings: Them, in canonical order; heads and bodies are rows of ``kg.triples``.
        facts: The same with the facts that these rows state.
        core: bool, shape (n,): whether the grounding may select for the core: nothing in its body joins
            the two ends of its head, every fact between them has such a candidate, and one of them gives a
            question with priors that are low enough.
        beyond: bool, shape (n,): whether it may select beyond the core, one fact by itself.
        restated: How many facts that could be asked about are left because others join their two entities;
            −1: none is left for that.
    """

    groundings: Groundings
    facts: Groundings
    core: Bools
    beyond: Bools
    restated: int


def candidates_of(setting: Setting, groundings: Groundings) -> Candidates:
    """The undecorated groundings whose head is removable.

    A fact about which there is no question is removed for the core alone, to clear a pair of entities.
    """
    decorations = Decorations(setting.kg, groundings.rules, setting.facts)
    fine = setting.removable[groundings.head]
    starts = np.searchsorted(groundings.rule, np.arange(len(groundings.rules) + 1))
    for number in distinct(groundings.rule[fine]).tolist():
        own = slice(starts[number], starts[number + 1])
        fine[own] &= decorations.without(number, groundings.head[own], groundings.body[own])
    found = _only(groundings, fine)
    core = _for_the_core(setting, found)
    asked = setting.askable()[found.head]
    alone = setting.restated | setting.alone()[found.head]
    useful = core | (asked & alone)
    wanted, left = (distinct(setting.facts[found.head[some]]) for some in (core | asked, useful))
    restated = -1 if setting.restated else len(wanted) - len(left)
    found, core, beyond = _only(found, useful), core[useful], alone[useful]
    facts = replace(
        found,
        head=setting.facts[found.head].astype(np.int64),
        body=np.where(found.body < 0, -1, setting.facts[found.body]).astype(np.int64),
    )
    return Candidates(found, facts, core, beyond, restated)


def _only(groundings: Groundings, keep: Bools) -> Groundings:
    columns = ("rule", "head", "body")
    return replace(groundings, **{name: getattr(groundings, name)[keep] for name in columns})


def _for_the_core(setting: Setting, found: Groundings) -> Bools:
    pair = setting.pairs[found.head]
    inside = np.where(found.body < 0, -1, setting.pairs[found.body])
    apart: Bools = (inside != pair[:, None]).all(axis=1)
    proved = np.zeros(len(setting.kg), bool)
    proved[setting.facts[found.head[apart]]] = True
    pairs = int(setting.pairs.max(initial=-1)) + 1
    whole, some = np.ones(pairs, bool), np.zeros(pairs, bool)
    whole[setting.pairs[~proved[setting.facts]]] = False
    some[setting.pairs[setting.guarded() & setting.askable()]] = True
    return apart & (whole & some)[pair]


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
