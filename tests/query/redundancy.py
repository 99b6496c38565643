"""The branches of a query that can be dropped without changing its answers on a graph, tried one by one."""

import numpy as np

from rulemine.kg.facts import Declarations
from rulemine.query.grading import evaluate
from rulemine.query.links import smaller

NONE_DECLARED = Declarations()


def redundancies(graph, query, declarations=NONE_DECLARED):
    """The queries with one branch less that have the same answers; statements of one fact are one branch."""
    answers = evaluate(graph, query).entities
    for less in smaller(query, declarations):
        if np.array_equal(evaluate(graph, less).entities, answers):
            yield less
