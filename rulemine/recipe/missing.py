"""The triples that a user names as missing from a graph, for the selection ``given``.

They may be triples of the graph, which are then taken from it, or not. All statements of a named fact are
missing with it, see `rulemine.kg.facts`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rulemine.errors import counted
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.answers import ids_in

__all__ = ["MissingTriples"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MissingTriples:
    """The triples that a user names as missing; made by `MissingTriples.of`.

    Attributes:
        kg: The graph with the named triples, but for those with an entity or relation that it lacks; its ids
            are those of the graph.
        facts: Numbers of rows, shape (triples,): see `rulemine.kg.facts.facts_of`.
        rows: The missing triples: the rows of ``kg.triples`` that state a named fact, ascending.
        named: The named triples as read.
        summary: Where these are, in a sentence.
    """

    kg: KnowledgeGraph
    facts: npt.NDArray[np.integer]
    rows: Ints
    named: KnowledgeGraph
    summary: str

    @classmethod
    def of(
        cls, kg: KnowledgeGraph, named: KnowledgeGraph, declarations: Declarations
    ) -> "MissingTriples":
        """What is missing from a graph.

        Args:
            kg: The graph.
            named: The named triples; compared by labels.
            declarations: Which relations state the same facts.
        """
        ids = ids_in(kg, named)
        ids = ids[(ids >= 0).all(axis=1)]
        every, stated = kg.including(ids), int((kg.rows_of(ids) >= 0).sum())
        facts = facts_of(every, declarations)
        rows = np.flatnonzero(np.isin(facts, facts[every.rows_of(ids)]))
        summary = (
            f"names {counted(len(named), 'missing triple')}: {stated:,} are in the graph, "
            f"{len(ids) - stated:,} are not, and {len(named) - len(ids):,} have an entity or a "
            f"relation that it lacks; {len(rows) - len(ids):,} more state the same facts."
        )
        return cls(every, facts, rows, named, summary)

    @cached_property
    def left(self) -> KnowledgeGraph:
        """The graph without the missing triples; its ids are the same."""
        return self.kg.without(self.rows)

    def completed(self, proved: Ints) -> KnowledgeGraph:
        """What is left and some missing triples, rows of `kg`; without the names that only others have."""
        rest = self.kg.without(np.setdiff1d(self.rows, proved))
        return KnowledgeGraph.from_triples(rest.labeled())
