"""The default selection: removes for the core first, then as much as the caps and the proofs allow.

A fact is removed with a proof of it that stays: a grounding of a rule, which has the fact as its head. So the
facts in its body stay, too, and no rule selects more than its cap.

For the core, everything between two entities has to go, so whole pairs of entities are selected: each fact
between them by a grounding whose body joins them nowhere. The head relations take turns, so that the scarce
ones are not crowded out; within a relation its rules do. First come facts that give a question which no other
selected fact gives: facts with the same topic entity are one question. Then the rest is selected, fact by
fact, unless other facts join the same two entities and such facts may not be removed by themselves
(`Setting.restated`); here all rules take turns, those with the fewest heads first.

At its turn a rule adds one grounding: of a few drawn at random, the one that blocks the fewest others. What
was added stays.

Guarantees: no removed triple is in the body of a chosen grounding, no rule selects more than its cap; a
function of graph, groundings and seed, whatever the order of the rules; time linear in the groundings times
the cap.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ConfigError
from rulemine.removal.selection import RemovalPlan, SelectionCounts
from rulemine.removal.setting import Setting
from rulemine.rules.grounding import Groundings
from rulemine.rules.proofs import Decorations
from rulemine.seeds import stream

__all__ = ["candidates_of", "choose"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CHOICES = 16
"""Groundings among which the least harmful is taken. More would remove a few percent more triples where
the cap does not bind, but favor triples at the periphery of the graph."""


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


def choose(
    setting: Setting,
    groundings: Groundings,
    *,
    per_rule: int = 30,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> RemovalPlan:
    """Chooses facts to remove: for the core, then as many as possible.

    Args:
        setting: The graph, and what may be removed from it.
        groundings: Its groundings, or a sample of them.
        per_rule: Cap: how many facts a rule selects at most, ≥ 1.
        seed: Seed of the order in which groundings are tried.
        progress: Called with (passes done, all passes).

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
    search = _Search(setting, candidates, per_rule, seed)
    passes = (
        lambda: search.add_pairs(fresh=True),
        lambda: search.add_pairs(fresh=False),
        search.add_singly,
    )
    for done, add in enumerate(passes, start=1):
        add()
        if progress:
            progress(done, len(passes))
    found, chosen = candidates.groundings, np.array(sorted(search.chosen.values()), np.int64)
    head = found.head[chosen]
    statements = np.bincount(setting.facts, minlength=len(setting.kg))

    def most(own: Bools) -> int:
        allowed = np.minimum(_heads_by_rule(candidates.facts, own), per_rule).sum()
        heads = distinct(candidates.facts.head[own])
        return int(np.sort(statements[heads])[::-1][:allowed].sum())

    return RemovalPlan(
        found.rules,
        head,
        found.rule[chosen],
        found.body[chosen],
        setting.units(head, np.flatnonzero(search.removed[setting.facts])),
        statements[setting.facts[head]],
        SelectionCounts(
            int(groundings.counts.sum()),
            groundings.provable,
            len(groundings),
            most(np.ones(len(found), bool)),
            most(candidates.core),
            candidates.restated,
        ),
    )


def _heads_by_rule(groundings: Groundings, own: Bools) -> Ints:
    """How many distinct heads some of the groundings have, by rule."""
    n = 1 + int(groundings.head.max(initial=0))
    pairs = distinct(groundings.rule[own].astype(np.int64) * n + groundings.head[own])
    return np.bincount(pairs // n, minlength=len(groundings.rules))


class _Search:
    """Which facts are removed, and with which groundings.

    A fact is given by one of its triples (see `rulemine.kg.facts`), a grounding by its position among the
    candidates. At any time between two calls, no removed fact is in the body of a chosen grounding, and no
    rule has more than its cap.

    Attributes:
        chosen: Removed fact → the grounding that selects it.
        removed: bool, shape (triples + 1,). The last place stands for no triple: bodies are padded with it.
    """

    def __init__(self, setting: Setting, candidates: Candidates, cap: int, seed: int) -> None:
        facts, self._none = candidates.facts, len(setting.kg)
        self._candidates, self._setting, self._cap, self._seed = candidates, setting, cap, seed
        self._head, self._rule = facts.head, facts.rule
        self._body = np.where(facts.body < 0, self._none, facts.body).T.copy()
        self._ids = [rule.id for rule in facts.rules]
        self.chosen: dict[int, int] = {}
        self.removed = np.zeros(self._none + 1, bool)
        self._needed = np.zeros(self._none + 1, np.int32)  # by how many chosen bodies
        self._count = np.zeros(len(self._ids), np.int64)
        rank = np.argsort(np.argsort(np.array(self._ids)))
        self._by_head = np.lexsort((rank[self._rule], self._head))
        self._head_order = self._head[self._by_head]
        core = distinct(self._head[candidates.core])
        self._of_pair: dict[int, list[int]] = {}
        for fact, pair in zip(core.tolist(), setting.pairs[core].tolist(), strict=True):
            self._of_pair.setdefault(pair, []).append(fact)
        wanted, questions = setting.questions[core], int(setting.questions.max(initial=-1)) + 1
        self._demand = np.bincount(wanted[wanted >= 0], minlength=questions)
        self._asked = np.zeros(questions, bool)

    def add_pairs(self, *, fresh: bool) -> None:
        """A pass for the core: adds whole pairs of entities, one per head relation and turn.

        Args:
            fresh: Whether only for facts with a question that no fact was selected for.
        """
        waiting = self._waiting(self._candidates.core, "core")
        turns: dict[str, deque[int]] = {}
        for r in waiting:
            relation = self._candidates.facts.rules[r].head.relation
            turns.setdefault(relation, deque()).append(r)
        while turns:
            for relation in sorted(turns):
                queue = turns[relation]
                while queue:
                    r = queue[0]
                    rows = self._free(waiting[r]) if self._wants(r) else waiting[r][:0]
                    waiting[r] = rows = rows[self._fresh(rows)] if fresh else rows
                    if not len(rows):
                        queue.popleft()
                        continue
                    grounding = self._least_harmful(rows[:CHOICES])
                    if self._add_pair(grounding):
                        queue.rotate(-1)
                        break
                    # Another fact of its pair has no free proof now, and never will have one again.
                    pair = self._setting.pairs[self._head[rows]]
                    waiting[r] = rows[pair != self._setting.pairs[self._head[grounding]]]
                if not queue:
                    del turns[relation]

    def add_singly(self) -> None:
        """The pass for the rest: adds groundings, one per rule and turn, until no rule can take any."""
        waiting = self._waiting(self._candidates.beyond, "fill")
        while waiting:
            for r in list(waiting):
                # What is not free now stays so, for groundings are only added.
                waiting[r] = self._free_first(waiting[r]) if self._wants(r) else waiting[r][:0]
                if len(waiting[r]):
                    self._add(self._least_harmful(waiting[r][:CHOICES]))
                else:
                    del waiting[r]

    def _waiting(self, own: Bools, what: str) -> dict[int, Ints]:
        """Some groundings by rule, those with the fewest heads first, each in random order.

        From now on these are the ones of which as few as possible are to be blocked.
        """
        heads, bodies = self._head[own], self._body[:, own].ravel()
        self._as_head = np.bincount(heads, minlength=self._none + 1).astype(np.int32)
        self._in_body = np.bincount(bodies, minlength=self._none + 1).astype(np.int32)
        self._in_body[self._none] = 0
        number = _heads_by_rule(self._candidates.facts, own).tolist()
        starts = np.searchsorted(self._rule, np.arange(len(self._ids) + 1)).tolist()
        waiting = {}
        for r in sorted(range(len(self._ids)), key=lambda r: (number[r], self._ids[r])):
            rows = np.arange(starts[r], starts[r + 1])
            if number[r]:
                order = stream(self._seed, "select", what, self._ids[r]).permutation(len(rows))
                waiting[r] = rows[order][own[rows[order]]]
        return waiting

    def _fresh(self, rows: Ints) -> Bools:
        """Which groundings have a head with a question that no fact was selected for."""
        questions = self._setting.questions[self._head[rows]]
        fresh: Bools = (questions >= 0) & ~np.append(self._asked, True)[questions]
        return np.logical_or(fresh[:, 0], fresh[:, 1])

    def _ask(self, fact: int) -> None:
        """Reserves a question for a fact: of two that are left, the one that fewer others could take."""
        questions = self._setting.questions[fact].tolist()
        left = [q for q in questions if q >= 0 and not self._asked[q]]
        if left:
            self._asked[min(left, key=lambda q: (self._demand[q], q))] = True

    def _add_pair(self, grounding: int) -> bool:
        """Adds a grounding and one for each other fact of its pair; or nothing, if one has none."""
        head = int(self._head[grounding])
        self._add(grounding)
        added = [head]
        for fact in self._of_pair[int(self._setting.pairs[head])]:
            if fact == head:
                continue
            rows = self._by_head[slice(*np.searchsorted(self._head_order, [fact, fact + 1]))]
            rows = self._free(rows[self._candidates.core[rows]])
            rows = rows[self._count[self._rule[rows]] < self._cap]
            if not len(rows):
                for fact in added:
                    self._drop(fact)
                return False
            self._add(self._least_harmful(rows))
            added.append(fact)
        for fact in added:
            self._ask(fact)
        return True

    def _wants(self, r: int) -> bool:
        return bool(self._count[r] < self._cap)

    def _free(self, rows: Ints) -> Ints:
        """The given groundings that could be added now, cap aside; in the order given."""
        head = self._head.take(rows)
        taken = self.removed.take(head)
        taken |= self._needed.take(head) > 0
        for column in self._body:
            taken |= self.removed.take(column.take(rows))
        return rows[~taken]

    def _free_first(self, rows: Ints) -> Ints:
        """As `_free`, but what comes after the first `CHOICES` free ones is not looked at."""
        found, start = rows[:0], 0
        while start < len(rows) and len(found) < CHOICES:
            found = np.concatenate((found, self._free(rows[start : start + 4 * CHOICES])))
            start += 4 * CHOICES
        return np.concatenate((found, rows[start:]))

    def _least_harmful(self, rows: Ints) -> int:
        """The given grounding that blocks the fewest others; the first of equals.

        Removing its head blocks the groundings that need it; keeping its body blocks those that have
        one of its facts as head, unless that fact is needed already.
        """
        body = self._body[:, rows]
        kept = np.where(self._needed[body] == 0, self._as_head[body], 0).sum(axis=0)
        return int(rows[np.argmin(self._in_body[self._head[rows]] + kept)])

    def _add(self, grounding: int) -> None:
        """Chooses a free grounding: removes its head, keeps its body."""
        head = int(self._head[grounding])
        self.chosen[head], self.removed[head] = grounding, True
        self._count[self._rule[grounding]] += 1
        self._needed[self._parts(grounding)] += 1

    def _drop(self, head: int) -> None:
        """Puts a removed fact back."""
        grounding = self.chosen.pop(head)
        self.removed[head] = False
        self._count[self._rule[grounding]] -= 1
        self._needed[self._parts(grounding)] -= 1

    def _parts(self, grounding: int) -> list[int]:
        """The body of a grounding, each fact once."""
        return sorted({*self._body[:, grounding].tolist()} - {self._none})
