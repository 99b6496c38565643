"""The default selection: remove as many triples as the quota and the proofs allow.

First every rule in turn, the scarcest first, takes one of its groundings, until all are full or
stuck: of a few drawn at random the one that blocks the fewest others. Then what is stuck is loosened:
a grounding is put in, those in its way are taken out, and each of them is replaced by another proof
of its head or another grounding of its rule; kept when no rule and no triple is lost by it.

Triples from an entity to itself are never removed: no question about them could keep its answer to
itself.

Guarantees: the invariants of `rulemine.builder.removal.selection`, and one certificate per removed triple; a
function of graph, groundings and seed, whatever the order of the rules; time linear in the groundings
times the quota, with a fixed number of passes.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rulemine.builder.removal.search_state import Choice
from rulemine.builder.removal.selection import Selection, Tally
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.rules.grounding import Groundings
from rulemine.seeds import stream

__all__ = ["select"]

Ints = npt.NDArray[np.int64]

DRAWN = 16
"""Groundings of which the least harmful is taken. More would remove some percent more triples where
the quota does not bind, and prefer triples at the rim of the graph."""

OBSTACLES = (1, 1, 1, 2, 2)
"""Chosen groundings that may be in the way of one that is tried, in each round of loosening. One is
soon replaced; two cost four times as much for one per cent more triples; each later round gains less."""

TRIALS = 100
"""Groundings of a rule that are tried in a round at most."""

TRIALS_IN_ROUND = 16_000
"""About how many groundings of all rules are tried in a round: thousands of rules get fewer each."""

OBSTACLES_FIRST = 8
"""The same for a rule that has no certificate yet."""


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
        per_rule: Certificates of a rule at most, ≥ 1.
        seed: Of the order in which groundings are looked at.
        progress: Told (rounds done, rounds at most).

    Returns:
        One row per removed triple, by rule, then by triple. The tally's ceiling is what quotas
        and distinct heads allow: the sum of min(quota, heads) over the rules, at most all heads.

    Raises:
        ConfigError: `per_rule` is not positive.
    """
    if per_rule < 1:
        raise ConfigError(f"per_rule: found {per_rule}; expected at least 1. Raise it.")
    usable = _without_loops(kg, groundings)
    choice = Choice(usable, len(kg), per_rule)
    search = _Search(choice, usable, seed)
    search.fill()
    for done, obstacles in enumerate(OBSTACLES, start=1):
        if progress:
            progress(done, len(OBSTACLES) + 1)
        if search.ceiling == int(choice.removed.sum()):
            break
        search.loosen(done, obstacles)
        search.fill()
    if progress:
        progress(len(OBSTACLES) + 1, len(OBSTACLES) + 1)
    chosen = choice.chosen
    tally = Tally(
        int(groundings.counts.sum()), groundings.provable, len(groundings), search.ceiling
    )
    return Selection(
        usable.rules,
        usable.head[chosen],
        usable.rule[chosen],
        usable.body[chosen],
        np.full(len(chosen), 100, np.int16),
        tally,
    )


def _without_loops(kg: KnowledgeGraph, groundings: Groundings) -> Groundings:
    """The groundings whose head can be asked about: a question names its topic, never its answer."""
    fit = kg.triples[groundings.head, 0] != kg.triples[groundings.head, 2]
    return replace(
        groundings,
        rule=groundings.rule[fit],
        head=groundings.head[fit],
        body=groundings.body[fit],
    )


class _Search:
    """The steps of the procedure; see the module."""

    def __init__(self, choice: Choice, groundings: Groundings, seed: int) -> None:
        self.choice = choice
        self._seed = seed
        self._ids = [rule.id for rule in groundings.rules]
        starts = np.searchsorted(groundings.rule, np.arange(len(self._ids) + 1))
        self._rows = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
        heads = [len(np.unique(groundings.head[rows])) for rows in self._rows]
        self._most = [min(choice.quota, n) for n in heads]
        self.ceiling = min(sum(self._most), len(np.unique(groundings.head)))
        self._scarcest_first = sorted(
            (r for r, n in enumerate(heads) if n), key=lambda r: (heads[r], self._ids[r])
        )

    def fill(self) -> None:
        """Adds free groundings, one per rule and turn, until no rule can take any."""
        choice = self.choice
        waiting = {r: self._shuffled(r, "fill") for r in self._scarcest_first if self._wants(r)}
        while waiting:
            for r in list(waiting):
                # What is not free now stays so while groundings are only added.
                waiting[r] = choice.free(waiting[r])
                if len(waiting[r]):
                    choice.add(choice.least_harmful(waiting[r][:DRAWN]))
                if not len(waiting[r]) or not self._wants(r):
                    del waiting[r]

    def loosen(self, round_: int, obstacles: int) -> None:
        """Tries to put groundings of rules that are not full in place of chosen ones.

        Args:
            round_: Number of the round; each looks at the groundings in another order.
            obstacles: Chosen groundings that may be in the way.
        """
        choice = self.choice
        wanting = [r for r in self._scarcest_first if self._wants(r)]
        trials = min(TRIALS, max(1, TRIALS_IN_ROUND // max(1, len(wanting))))
        for r in wanting:
            most = obstacles if choice.count[r] else OBSTACLES_FIRST
            rows = self._shuffled(r, round_)
            rows = rows[choice.obstacles(rows) <= most]
            for grounding in rows[:trials].tolist():
                if not self._wants(r):
                    break
                self._put(r, grounding, obstacles)

    def _put(self, r: int, grounding: int, obstacles: int) -> None:
        """Puts one grounding in, if what is in its way can be replaced."""
        choice = self.choice
        uncovered = choice.count[r] == 0
        out = choice.in_the_way(grounding)
        if len(out) > (OBSTACLES_FIRST if uncovered else obstacles):
            return
        if any(choice.rule[choice.certificate[head]] == r for head in out):
            return  # would take from the rule what it gives
        old = [choice.drop(head) for head in out]
        new = [grounding]
        choice.add(grounding)
        for gone in old:
            other = self._replacement(gone)
            if other is not None:
                choice.add(other)
                new.append(other)
        covered = all(choice.count[choice.rule[gone]] for gone in old)
        if covered and (uncovered or len(new) >= len(old)):
            return
        for added in new:
            choice.drop(int(choice.head[added]))
        for gone in old:
            choice.add(gone)

    def _replacement(self, gone: int) -> int | None:
        """A free grounding of the same head, else of the same rule; None where there is none."""
        choice = self.choice
        rows = choice.free(choice.of_head(int(choice.head[gone])))
        rows = rows[choice.count[choice.rule[rows]] < choice.quota]
        rule = int(choice.rule[gone])
        if not len(rows) and choice.count[rule] < choice.quota:
            rows = choice.free(self._rows[rule])
        return choice.least_harmful(rows) if len(rows) else None

    def _wants(self, r: int) -> bool:
        return bool(self.choice.count[r] < self._most[r])

    def _shuffled(self, r: int, what: str | int) -> Ints:
        rows = self._rows[r]
        return rows[stream(self._seed, "select", what, self._ids[r]).permutation(len(rows))]
