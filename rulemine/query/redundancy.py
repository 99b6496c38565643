"""Redundancy: branches of a query that can be dropped without changing its answers.

One definition serves the non-overlap of structures, the minimality of queries for subgraphs, and
unnecessary leaves of patterns.
"""

from collections.abc import Iterator

import numpy as np

from rulemine.kg.facts import Declarations
from rulemine.query.grading import evaluate
from rulemine.query.links import NONE_DECLARED, smaller
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Query

__all__ = ["redundancies"]


def redundancies(
    graph: QueryGraph, query: Query, declarations: Declarations = NONE_DECLARED
) -> Iterator[Query]:
    """The queries with one branch less that have the same answers on the complete graph.

    Args:
        graph: The graph.
        query: The query.
        declarations: Which relations state the same facts: their statements over one operand are no
            branches of their own.

    Yields:
        Queries, see `rulemine.query.links.smaller`; none: every branch is needed.
    """
    answers = evaluate(graph, query).entities
    for less in smaller(query, declarations):
        if np.array_equal(evaluate(graph, less).entities, answers):
            yield less
