"""Full evidence: every triple of every derivation of the answers, and what the variables stand for.

Goes through a query once, from the answers down: what leads to an answer at each node is known from the
node above, so nothing is enumerated however many derivations there are.
"""

from typing import NamedTuple

import numpy as np

from rulemine.arrays import among, distinct
from rulemine.kg.index import Ints
from rulemine.query.grading import Grades
from rulemine.query.query_graph import SHIFT
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query, Union

__all__ = ["Evidence", "full_evidence"]


class Evidence(NamedTuple):
    """What derives some answers.

    Attributes:
        rows: int64: the triples of all derivations, rows of ``kg.triples``, ascending, each once.
        between: int64: every entity that a variable other than the answer takes in one of them, ids
            ascending, each once. Anchors and answers are among them only if a variable takes them.
    """

    rows: Ints
    between: Ints


def full_evidence(grades: Grades, answers: Ints | None = None) -> Evidence:
    """The triples of all derivations of answers on the complete graph.

    Args:
        grades: The evaluation of the query.
        answers: Ids of some of ``grades.entities``, ascending; None: all of them.

    Example:
        >>> from rulemine.kg.graph import KnowledgeGraph
        >>> from rulemine.query import evaluate, parse
        >>> kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("b", "r", "c"), ("a", "r", "d")])
        >>> found = full_evidence(evaluate(kg, parse('(p "r" (p "r" "a"))')))
        >>> kg.labeled(found.rows), [kg.entities[i] for i in found.between]
        ([('a', 'r', 'b'), ('b', 'r', 'c')], ['b'])
    """
    rows: list[Ints] = [np.empty(0, np.int64)]
    between: list[Ints] = [np.empty(0, np.int64)]
    waiting: list[tuple[Query, Ints]] = [
        (grades.query, grades.entities if answers is None else answers)
    ]
    while waiting:
        node, targets = waiting.pop()
        if isinstance(node, Projection):
            found, below = _steps(grades, node, targets)
            rows.append(found)
            if not isinstance(node.of, Anchor):
                between.append(below)
                waiting.append((node.of, below))
        elif isinstance(node, Intersection):
            waiting += [(part, targets) for part in node.parts]
        elif isinstance(node, Union):
            members = [grades.members(part) for part in node.parts]
            waiting += [
                (part, targets[among(targets, own)])
                for part, own in zip(node.parts, members, strict=True)
            ]
        elif isinstance(node, Difference | Count):
            waiting.append((node.of, targets))
    return Evidence(*(distinct(np.concatenate(some)) for some in (rows, between)))


def _steps(grades: Grades, step: Projection, targets: Ints) -> tuple[Ints, Ints]:
    """The triples by which a projection leads to targets, and the entities from which, each once."""
    graph, starts = grades.graph, grades.members(step.of)
    base = graph.relation(step.relation) * graph.entities
    sides = (
        (graph.sides[step.inverse], starts, targets),
        (
            graph.sides[not step.inverse],
            targets,
            starts,
        ),
    )
    spans = [side.span(base + here) for side, here, _ in sides]
    sizes = [int((last - first).sum()) for first, last in spans]
    which = sizes[1] <= sizes[0]  # hubs have many triples on one side
    (side, here, there), (first, last) = sides[which], spans[which]
    count = last - first
    at = (first - (count.cumsum() - count)).repeat(count)
    at += np.arange(len(at))
    ends = side.ends[at] >> SHIFT
    fits = among(ends, there)
    below = ends[fits] if which else here.repeat(count)[fits]
    return side.rows[at[fits]].astype(np.int64), distinct(below)
