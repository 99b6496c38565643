"""A larger graph than the complete one, and what only that gives."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.answers import ids_in, missing_from
from rulemine.query.evidence import full_evidence
from rulemine.query.grading import Grades
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Query

__all__ = ["Wider"]


class Wider(NamedTuple):
    """A larger graph, which supplies further answers.

    Attributes:
        graph: All triples of the complete graph, and more.
        more: bool, shape (triples,): which of its triples the complete graph lacks.
    """

    graph: QueryGraph
    more: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, kg: KnowledgeGraph, reference: KnowledgeGraph | None) -> "Wider | None":
        """The complete graph with the triples that it lacks; None where there are none."""
        if reference is None or not len(more := missing_from(kg, reference)):
            return None
        whole = KnowledgeGraph.from_triples([*kg.labeled(), *more.labeled()])
        new = np.ones(len(whole), bool)
        new[whole.rows_of(ids_in(whole, kg))] = False
        return cls(QueryGraph(whole), new)

    def entities(self, kg: KnowledgeGraph) -> list[str]:
        """The entities that the complete graph lacks, sorted."""
        return sorted({*self.graph.kg.entities} - {*kg.entities})

    def reference(self, query: Query, further: Sequence[str]) -> list[Triple]:
        """The triples that the complete graph lacks, of all derivations of further answers."""
        ids = np.array([self.graph.kg.entity_ids[name] for name in further], np.int64)
        rows = full_evidence(Grades(self.graph, query), ids).rows
        return self.graph.kg.labeled(rows[self.more[rows]])
