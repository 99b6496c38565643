"""The state of the search for a selection: which facts are removed, needed and free.

A fact is given by one of its triples (see `rulemine.kg.facts`); here, "triple" means such a fact.

Guarantee: at any time between two calls, no removed triple is in the body of a chosen grounding,
each triple is the head of at most one chosen grounding, and no rule has more than its cap.
"""

import numpy as np
import numpy.typing as npt

from rulemine.rules.grounding import Groundings

__all__ = ["SearchState"]

Ints = npt.NDArray[np.int64]


class SearchState:
    """The state of a selection.

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
