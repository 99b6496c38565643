"""Minimality of a query: which of its seeds are needed for its answers (SynthKGQA, appendix A.3).

For some of the seeds, the query of these keeps the paths from them to the answer. The query is redundant
if fewer seeds, but at least one, give the same answers. Answers only grow when seeds go, so it is enough to
leave out one seed at a time; what all need is in every smallest set.

Ours, where the paper is silent: a union is kept whole or not at all, as without one of its parts it would
say nothing; so is what a difference takes away, with all its seeds.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rulemine.errors import QueryError
from rulemine.kg.facts import Declarations
from rulemine.query.grading import evaluate
from rulemine.query.links import NONE_DECLARED
from rulemine.query.query_graph import QueryGraph
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union

__all__ = ["Minimality", "minimal", "query_of_seeds"]

MOST_NEEDLESS = 16
"""Seeds of which each can be left out alone; their subsets are tried."""


class Minimality(NamedTuple):
    """What is needed of a query.

    Attributes:
        redundant: Whether fewer seeds give the same answers.
        shape: Of the queries, the shape code with the fewest edges, of these the first by text.
        queries: The smallest sets of seeds that give the same answers, sorted, each with its query; the whole
            query alone where it is not redundant.
    """

    redundant: bool
    shape: str
    queries: tuple[tuple[tuple[str, ...], Query], ...]


def minimal(
    graph: QueryGraph, query: Query, declarations: Declarations = NONE_DECLARED
) -> Minimality:
    """Finds the smallest sets of seeds that give the answers of a query on the complete graph.

    Args:
        graph: The graph.
        query: The query; its anchors are the seeds.
        declarations: Which relations state the same facts.

    Raises:
        QueryError: A query cannot be evaluated; never taken as a sign that a seed is needed.

    Example:
        >>> from rulemine.kg.graph import KnowledgeGraph
        >>> from rulemine.query import parse
        >>> kg = KnowledgeGraph.from_triples([("a", "r", "x"), ("b", "r", "x"), ("b", "r", "y")])
        >>> minimal(QueryGraph(kg), parse('(and (p "r" "a") (p "r" "b"))'))
        Minimality(redundant=True, shape='(1)', queries=((('a',), <query (p "r" "a")>),))
    """
    answers = evaluate(graph, query).entities
    seeds = structure_of(query, declarations).anchors

    def suffices(some: frozenset[str]) -> Query | None:
        part = query_of_seeds(query, some)
        if part is None or not np.array_equal(evaluate(graph, part).entities, answers):
            return None
        return part

    everyone = frozenset(seeds)
    needless = [seed for seed in seeds if suffices(everyone - {seed}) is not None]
    found = list(_smallest(everyone, needless, suffices)) if needless else [query]
    queries = {structure_of(part, declarations).anchors: part for part in found}
    shapes = [structure_of(part, declarations) for part in queries.values()]
    return Minimality(
        redundant=bool(needless),
        shape=min((one.atoms, one.shape) for one in shapes)[1],
        queries=tuple(sorted(queries.items())),
    )


def query_of_seeds(query: Query, seeds: frozenset[str]) -> Query | None:
    """The query that keeps the paths from some of its seeds to the answer; None: nothing is left.

    Args:
        query: The query.
        seeds: Some of its anchors.

    Example:
        >>> from rulemine.query import parse
        >>> query = parse('(and (p "r" (and (p "s" "a") (p "s" "b"))) (p "t" "c"))')
        >>> query_of_seeds(query, frozenset("a"))
        <query (p "r" (p "s" "a"))>
    """
    if isinstance(query, Anchor):
        return query if query.entity in seeds else None
    if isinstance(query, Intersection):
        kept = [part for one in query.parts if (part := query_of_seeds(one, seeds)) is not None]
        return Intersection.of(kept) if kept else None
    if isinstance(query, Union):
        kept = [part for one in query.parts if (part := query_of_seeds(one, seeds)) is not None]
        return Union.of(kept) if len(kept) == len(query.parts) else None
    of = query_of_seeds(query.of, seeds)
    if of is None:
        return None
    if isinstance(query, Projection):
        return Projection(query.relation, query.inverse, of)
    if isinstance(query, Count):
        return Count(of)
    whole = seeds.issuperset(structure_of(query.minus).anchors)
    return Difference(of, query.minus) if whole else of


def _smallest(
    everyone: frozenset[str],
    needless: list[str],
    suffices: Callable[[frozenset[str]], Query | None],
) -> Iterator[Query]:
    """The queries of all smallest sets of seeds that suffice."""
    if len(needless) > MOST_NEEDLESS:
        raise QueryError(
            f"query: each of {len(needless)} seeds can be left out alone; the subsets of at most "
            f"{MOST_NEEDLESS} are tried. Ask with fewer."
        )
    needed = everyone.difference(needless)
    for size in range(not needed, len(needless)):
        parts = (suffices(needed.union(some)) for some in combinations(needless, size))
        found = [part for part in parts if part is not None]
        if found:
            yield from found
            return
