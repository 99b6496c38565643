"""Queries over a graph: trees, their evaluation and grades; atoms, joins and answers."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.query.grading import Grades as Grades
    from rulemine.query.grading import evaluate as evaluate
    from rulemine.query.parser import parse as parse
    from rulemine.query.query_graph import QueryGraph as QueryGraph
    from rulemine.query.tree import Anchor as Anchor
    from rulemine.query.tree import Count as Count
    from rulemine.query.tree import Difference as Difference
    from rulemine.query.tree import Intersection as Intersection
    from rulemine.query.tree import Projection as Projection
    from rulemine.query.tree import Union as Union

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Anchor": "rulemine.query.tree",
        "Count": "rulemine.query.tree",
        "Difference": "rulemine.query.tree",
        "Grades": "rulemine.query.grading",
        "Intersection": "rulemine.query.tree",
        "Projection": "rulemine.query.tree",
        "QueryGraph": "rulemine.query.query_graph",
        "Union": "rulemine.query.tree",
        "evaluate": "rulemine.query.grading",
        "parse": "rulemine.query.parser",
    },
)
