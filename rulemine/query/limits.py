"""Whether a LIMIT or a FILTER of ``!=`` in a query changes its answers on any graph of a release.

The query is run as it was written on the triples from which the answers of its tree follow: what is left out
of these is left out of the graph. Guarantee: where it changes nothing, it gives the answers of its tree, with
all statements of its relations, on the complete, the incomplete and the larger graph.
"""

from collections.abc import Callable
from typing import Any

from rulemine.kg.index import Ints
from rulemine.query.evidence import full_evidence
from rulemine.query.grading import Grades
from rulemine.query.query_graph import QueryGraph
from rulemine.query.sparql import relation_iri
from rulemine.query.tree import Count, Query

__all__ = ["changes_nothing"]


def changes_nothing(
    algebra: Any,
    grades: Grades,
    wide: Query,
    larger: QueryGraph | None,
    iri: Callable[[str], str],
    most: int,
) -> bool:
    """Whether a query gives the answers of its tree.

    Args:
        algebra: The query, parsed strictly.
        grades: Its tree, without what may change nothing, evaluated.
        wide: The tree with all statements of its relations.
        larger: A graph that gives further answers, if there is one.
        iri: Entity → its IRI in the query; of those that only the larger graph has, any other.
        most: Most triples from which the answers follow; of more, nothing is said.
    """
    if grades.query.subtracts:  # which needs triples that answers do not follow from
        return False
    graph = grades.graph
    rows = full_evidence(grades).rows
    every = Grades(graph, wide)
    stated = every.entities[every.missing == 0]
    cases = [(graph, rows, every.entities), (graph, rows[graph.levels[rows] == 0], stated)]
    if larger is not None:
        rows = full_evidence(Grades(larger, grades.query)).rows
        cases.append((larger, rows, Grades(larger, wide).entities))
    if max(len(rows) for _, rows, _ in cases) > most:
        return False
    counts = isinstance(wide, Count)
    return all(
        _result(algebra, of, rows, iri)
        == ({str(len(found))} if counts else {iri(of.kg.entities[i]) for i in found.tolist()})
        for of, rows, found in cases
    )


def _result(
    algebra: Any, graph: QueryGraph, rows: Ints, iri: Callable[[str], str]
) -> set[str] | None:
    """What a query gives on some triples; None: a LIMIT cuts something off."""
    from rdflib import Graph, URIRef

    some = Graph()
    for s, r, o in graph.kg.labeled(rows):
        some.add((URIRef(iri(s)), URIRef(relation_iri(r)), URIRef(iri(o))))
    part = algebra.algebra.p
    limit = part.length if part.name == "Slice" else None
    try:
        if part.name == "Slice":
            part["length"] = None
        rows_found: Any = some.query(algebra)
        found = [str(row[0]) for row in rows_found]
    finally:
        if part.name == "Slice":
            part["length"] = limit
    return None if limit is not None and len(found) > limit else set(found)
