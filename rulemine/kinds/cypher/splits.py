"""Which candidates become questions over a property graph, and in which split.

CypherBench (arXiv 2412.18702) splits by graph: a test graph has types and relations that no training
question has. Within one graph its like is a split by signature, where test asks for combinations of types and
relations that training does not have, or by domain, the type of what is asked for.

Groups of candidates are dealt to the splits; then test is drawn, then validation, then training, each from
its own groups and, where these do not suffice, from others of which nothing was drawn.

Guarantees: no signature (or domain) is in two splits, nor are two questions of the same matches; no fact that
a test question needs is given away by training or validation, none that validation needs by training (see
`rulemine.release.leakage`); test and validation questions need at most `max_facts`; of no template are
there more than wanted; what is drawn depends on the candidates, options and seed, not on their order. Sizes
are near the ratios and templates, changed and core questions are distributed as in the whole, as far as
groups and locks allow; a group that is larger than its split should be is in train.
"""

from collections import Counter
from collections.abc import Sequence

from rulemine.cypher.questions.pattern import PatternQuery
from rulemine.kinds.cypher.pool import DEALS, CandidatePool, Wanted
from rulemine.kinds.locks import DRAWN, LockReason
from rulemine.release.leakage import Fact, RemovedFacts
from rulemine.release.records import SPLITS, Question

__all__ = ["ENOUGH", "draw"]

ENOUGH = "there are enough of its template"
"""Why a candidate is not drawn."""

_COMPARED = 12
"""So many candidates are compared by what they would lock before one is drawn."""

_ROUNDS = 10
"""So often what a split cannot have of one template is asked of another."""


def draw(
    candidates: Sequence[tuple[Question, PatternQuery]],
    facts: RemovedFacts,
    wanted: Wanted,
    seed: int,
) -> tuple[dict[str, str], dict[str, str]]:
    """Draws questions for each split.

    Args:
        candidates: The candidates, with distinct queries.
        facts: What is removed.
        wanted: How many of which.
        seed: Seed of the random choices.

    Returns:
        Query of each question that is drawn → its split; query of each other candidate → why it is not.

    Raises:
        UserError: There are fewer groups than splits.
    """
    order = sorted(candidates, key=lambda pair: pair[0].query)
    best: _Draw | None = None
    for attempt in range(DEALS):
        pool = CandidatePool.of(order, facts, wanted, seed, attempt)
        want = pool.shares()
        made = _Draw(pool, want)
        for _ in range(_ROUNDS):
            if best is None or made.short < best.short:
                best = made
            if not pool.reserve(made.lacking("train")) and not made.exchange(want):
                break
            made = _Draw(pool, want)
        if best is not None and not best.short:
            break
    if best is None:
        raise AssertionError("nothing was drawn")
    names = [question.query for question, _ in order]
    return (
        {names[i]: split for i, split in sorted(best.split.items())},
        {names[i]: best.reason(i) for i in range(len(names)) if i not in best.split},
    )


class _Draw:
    """One draw.

    Args:
        pool: The candidates.
        want: Split → template → how many.
    """

    def __init__(self, pool: CandidatePool, want: dict[str, Counter[str]]) -> None:
        self.pool, self.want = pool, {split: Counter(row) for split, row in want.items()}
        self.split: dict[int, str] = {}
        self.owner = dict(pool.owner)
        self.needed: set[Fact] = set()
        self.before: dict[str, frozenset[Fact]] = {}  # split → what those drawn before it need
        self.locked: set[int] = set()
        self.number = {split: Counter[str]() for split in SPLITS}
        for split in DRAWN:
            self._draw(split)

    @property
    def short(self) -> int:
        """How many questions splits have too few, in all, of those that change, and of the core in test."""
        pool = self.pool
        found = 0
        for split, shares in pool.shares().items():
            own = [i for i, other in self.split.items() if other == split]
            size = shares.total()
            found += max(0, size - len(own))
            found += max(0, round(size * pool.wanted.changed) - sum(pool.changed[i] for i in own))
            found += max(0, pool.core_wanted[split] - sum(pool.core[i] for i in own))
        return found

    def reason(self, i: int) -> str:
        """Why a candidate is in no split."""
        return LockReason.GIVES if i in self.locked else ENOUGH

    def lacking(self, split: str) -> Counter[str]:
        """Template → how many questions a split lacks of it."""
        return self.want[split] - self.number[split]

    def exchange(self, want: dict[str, Counter[str]]) -> bool:
        """Hands what splits lack of a template to others that have more of it, for as many of another one.

        Returns:
            Whether anything was handed over.
        """
        pool, done = self.pool, False
        free = {
            split: Counter(pool.template[i] for i in pool.order if self._may(i, split))
            for split in SPLITS
        }
        for split in SPLITS:
            for template in sorted(self.lacking(split).elements()):
                takers = [one for one in SPLITS if one != split and free[one][template] > 0]
                if not takers and free[split][template] > 0:  # it lacks room
                    some = [
                        t for t, n in sorted(free["train"].items()) if min(n, want[split][t]) > 0
                    ]
                    if some and split != "train":
                        other = max(some, key=lambda t: (want[split][t], free["train"][t]))
                        want[split][other] -= 1
                        want["train"][other] += 1
                        free["train"][other] -= 1
                        done = True
                if not takers:
                    continue
                taker = max(takers, key=lambda one: free[one][template])
                others = [t for t, n in sorted(free[split].items()) if n > 0 and want[taker][t] > 0]
                back = max(others, key=lambda t: (want[taker][t], free[split][t]), default=None)
                want[split][template] -= 1
                want[taker][template] += 1
                free[taker][template] -= 1
                if back is not None:
                    want[taker][back] -= 1
                    want[split][back] += 1
                    free[split][back] -= 1
                done = True
        return done

    def _draw(self, split: str) -> None:
        """Draws a split: what is wanted of the core, then of changed ones, then the rest.

        Of a template it has at most twice what it should, and training what the other splits leave.
        """
        pool, want, number = self.pool, self.want[split], self.number[split]
        self.before[split] = frozenset(self.needed)
        left = sum(self.want.values(), Counter[str]()) - sum(self.number.values(), Counter[str]())
        if split == "train":
            want = left
        order = [i for i in pool.order if self._may(i, split)]
        order.sort(key=lambda i: pool.dealt[pool.group[i]] != split)
        templates = sorted(left)
        changed = {
            t: [i for i in order if pool.template[i] == t and pool.changed[i]] for t in templates
        }
        core = {t: [i for i in some if pool.core[i]] for t, some in changed.items()}
        rest = {
            t: [i for i in order if pool.template[i] == t and not pool.changed[i]]
            for t in templates
        }
        whole = self.pool.shares()[split].total()
        total = round(whole * pool.wanted.changed)
        half, want, twice = (
            Counter({t: min(left[t], round(n * factor + 0.49)) for t, n in want.items()})
            for factor in (pool.wanted.changed, 1, 1 if split == "train" else 2)
        )
        first = min(pool.core_wanted[split], whole)
        for most in (half, want, twice):
            self._take(split, core, most, first - number.total())
        for most in (half, want):
            self._take(split, changed, most, total - number.total())
        for some in rest.values():
            some.sort(key=lambda i: i not in self.locked)
        for most in (want, twice):
            self._take(split, rest, most, whole - number.total(), compared=1)
            self._take(split, changed, most, whole - number.total())

    def _take(
        self,
        split: str,
        some: dict[str, list[int]],
        most: dict[str, int] | Counter[str],
        number: int,
        compared: int = _COMPARED,
    ) -> int:
        """Draws up to so many candidates, templates in turn, until each has the most it may have."""
        left = {template: list(own) for template, own in some.items()}
        taken = 0
        while taken < number:
            before = taken
            for template, own in left.items():
                if taken < number and self.number[split][template] < most[template]:
                    taken += self._take_one(split, own, compared)
            if taken == before:
                break
        return taken

    def _take_one(self, split: str, own: list[int], compared: int) -> bool:
        """Draws one of some candidates: of the first ones that can be drawn, the one that locks least."""
        fit: list[int] = []
        for i in own:
            if self._may(i, split):
                fit.append(i)
                if len(fit) == compared:
                    break
        if not fit:
            own.clear()
            return False
        best = min(fit, key=lambda i: (self._moves(i, split), self._locks(i, split)))
        own.remove(best)
        if split != "train":
            self.locked |= self._locked_by(best)
            self.needed |= self.pool.needs[best]
        self.split[best] = split
        self.owner[self.pool.group[best]] = split
        self.number[split][self.pool.template[best]] += 1
        return True

    def _moves(self, i: int, split: str) -> bool:
        """Whether a candidate's group was dealt to another split."""
        group = self.pool.group[i]
        return self.owner.get(group, self.pool.dealt[group]) != split

    def _locks(self, i: int, split: str) -> int:
        return len(self._locked_by(i)) if split != "train" else 0

    def _locked_by(self, i: int) -> set[int]:
        """The candidates that could not be drawn for later splits any more."""
        new = self.pool.needs[i] - self.needed
        return {j for fact in new for j in self.pool.givers.get(fact, ())} - self.locked

    def _may(self, i: int, split: str) -> bool:
        pool = self.pool
        if i in self.split or not self._open(i, split):
            return False
        if split != "train":
            needs = pool.needs[i]
            if len(needs) > pool.wanted.max_facts or not needs.isdisjoint(pool.kept):
                return False
        return pool.gives[i].isdisjoint(self.before[split])

    def _open(self, i: int, split: str) -> bool:
        """Whether a candidate's group is the split's, or can become it."""
        pool, group = self.pool, self.pool.group[i]
        if (owner := self.owner.get(group)) is not None:
            return owner == split
        dealt = DRAWN.index(pool.dealt[group])  # what was dealt to earlier splits, they have left
        return dealt <= DRAWN.index(split) or pool.wanted.by == "question"
