"""The bodies of a rule that prove given head triples; groundings and proofs are made of them.

Guarantees: a body that contains its own head triple proves nothing and is never returned; the result
does not depend on the join order, which is chosen for speed; memory is bounded by the join engine (see
`rulemine.query.join`), however many bodies there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import InputError
from rulemine.kg.index import Index
from rulemine.query.join import BoundAtom, bind, join
from rulemine.rules.rule import Rule

__all__ = ["Bodies", "BoundRule", "bind_rule", "refuse_entities"]

Ints = npt.NDArray[np.int64]


class Bodies(NamedTuple):
    """Some of the bodies found, in no particular order.

    Attributes:
        head: Position of the head triple among those given, shape (m,).
        rows: Rows of ``kg.triples``, in the order of the rule's body, shape (m, atoms).
    """

    head: Ints
    rows: Ints


@dataclass(frozen=True)
class BoundRule:
    """A rule bound to a graph; made by `bind_rule`.

    Attributes:
        index: The graph.
        head: The head atom.
        body: The body atoms, in the order of the rule.
        columns: Columns of a table of bindings: one per variable, at least two.
    """

    index: Index
    head: BoundAtom
    body: tuple[BoundAtom, ...]
    columns: int

    def heads(self) -> Ints:
        """Rows of ``kg.triples`` that match the head atom, ascending."""
        rows = np.sort(self.index.of_relation(self.head.relation))
        return rows[self._fits(self.index.kg.triples[rows])]

    def bodies(self, triples: npt.NDArray[np.int32]) -> Iterator[Bodies]:
        """All bodies that prove the given triples.

        Args:
            triples: int32, shape (m, 3), subject, relation, object ids; those that do not match the
                head have no body. They need not be in the graph.

        Yields:
            Chunks of bodies; none is empty.
        """
        asked = np.flatnonzero(self._fits(triples))
        ends = triples[asked].astype(np.int64)
        own = self.index.kg.rows_of(triples[asked])
        bindings = np.zeros((len(asked), self.columns), np.int64)
        given = frozenset({self.head.subject, self.head.object})
        bindings[:, self.head.subject] = ends[:, 0]
        bindings[:, self.head.object] = ends[:, 2]
        order = self.join_order(bindings, given)
        back = np.argsort(order)
        for found in join(self.index, [self.body[i] for i in order], bindings, given):
            itself = own[found.origin]
            proves = np.ones(len(itself), bool)
            for column in found.triples.T:
                proves &= column != itself
            if proves.any():
                yield Bodies(asked[found.origin[proves]], found.triples[proves][:, back])

    def count(self, triples: npt.NDArray[np.int32]) -> Ints:
        """Counts the bodies that prove each of the given triples, shape (m,); see `bodies`."""
        counts = np.zeros(len(triples), np.int64)
        for found in self.bodies(triples):
            counts += np.bincount(found.head, minlength=len(triples))
        return counts

    def _fits(self, triples: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        fits: npt.NDArray[np.bool_] = triples[:, 1] == self.head.relation
        if self.head.subject == self.head.object:
            fits &= triples[:, 0] == triples[:, 2]
        return fits

    def join_order(self, bindings: Ints, given: frozenset[int]) -> list[int]:
        """Positions of the body atoms in join order: the fewest expected matches first.

        On hubs the order makes a difference of a factor of a hundred. Matches of head variables are
        counted; for other variables the average is used.
        """
        known = set(given)
        waiting = list(range(len(self.body)))
        order: list[int] = []
        while len(waiting) > 1:
            nxt = min(waiting, key=lambda i: self._matches(self.body[i], bindings, given, known))
            waiting.remove(nxt)
            order.append(nxt)
            known |= {self.body[nxt].subject, self.body[nxt].object}
        return order + waiting

    def _matches(
        self, atom: BoundAtom, bindings: Ints, given: frozenset[int], known: set[int]
    ) -> float:
        """Expected matches of an atom per row of a table in which some variables are bound."""
        subject_known, object_known = atom.subject in known, atom.object in known
        if subject_known and object_known:
            return 0.0  # can only shrink the table
        index = self.index
        if not subject_known and not object_known:
            return float(len(index.of_relation(atom.relation)))
        term, column = (atom.subject, 0) if subject_known else (atom.object, 2)
        if term not in given:
            return index.mean_degree(atom.relation, column)
        ends = bindings[:, term]
        total = index.ranges(column, atom.relation * index.entities + ends)[1].sum()
        return float(total / max(1, len(ends)))


def refuse_entities(rule: Rule) -> None:
    """Raises an `InputError` if a rule names an entity."""
    if rule.entities:
        raise InputError(
            f"rule {rule}: names the entity {min(rule.entities)!r}; expected variables alone, since what is "
            "said of a single entity proves nothing here. Leave the rule out."
        )


def bind_rule(index: Index, rule: Rule) -> BoundRule | None:
    """Binds a rule to a graph; None if the graph lacks one of its relations.

    Raises:
        InputError: The rule names an entity.
    """
    refuse_entities(rule)
    atoms = bind(index.kg, (rule.head, *rule.body))
    if atoms is None:
        return None
    columns = 1 + max(1, *(t for atom in atoms for t in (atom.subject, atom.object)))
    return BoundRule(index, atoms[0], atoms[1:], columns)
