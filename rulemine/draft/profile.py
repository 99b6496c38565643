"""What a graph is like, in words: why little can be inferred in it, and what would help."""

import numpy as np

from rulemine.errors import counted
from rulemine.kg.graph import KnowledgeGraph

__all__ = ["explain_no_inference"]

FEW_BETWEEN = 0.05
"""Where fewer entities are both a subject and an object, triples hardly ever follow one another."""

FEW_ENTITIES = 50
"""Among fewer, most answers are common ones."""

FEW_TRIPLES = 300
"""Relations with fewer triples say too little of what goes together."""


def explain_no_inference(kg: KnowledgeGraph, problem: str) -> str:
    """Why no benchmark, or a small one, can be made of a graph, for people who do not know what a rule is.

    Args:
        kg: The graph.
        problem: What a stage of the build found.
    """
    return (
        "hardly anything in this graph can be inferred. A benchmark asks for triples that were removed and "
        "that the others still imply, as where people work often implies where they live. "
        f"{_shape(kg)} Or give rules that you know to hold (--rules FILE), or ask about the graph as it is: "
        f"--kind structures --share 0. In detail: {problem}"
    )


def _shape(kg: KnowledgeGraph) -> str:
    """What is in the way, and what would help."""
    subject, obj = (
        np.bincount(kg.triples[:, column], minlength=len(kg.entities)) > 0 for column in (0, 2)
    )
    if len(kg.relations) == 1:
        return "It has one relation. Add others between the same entities."
    if int((subject & obj).sum()) < FEW_BETWEEN * len(kg.entities):
        one, other = (
            kg.entities[int(np.flatnonzero(side)[0])] for side in (subject, obj & ~subject)
        )
        return (
            f"Its triples lead from {counted(int(subject.sum()), 'entity', 'entities')} (such as “{one}”) to "
            f"{int(obj.sum()):,} others (such as “{other}”), about which nothing more is stated. Add triples "
            "about these, or between entities of one sort: who is married to whom, what is part of what."
        )
    if len(kg.entities) < FEW_ENTITIES:
        return (
            f"It has {counted(len(kg.entities), 'entity', 'entities')}, so most answers can be guessed. "
            "Add entities, some hundreds."
        )
    most = int(kg.relation_sizes().max(initial=0))
    if most < FEW_TRIPLES:
        return (
            f"It is small: its largest relation has {counted(most, 'triple')}. Add triples, some hundreds "
            "of each relation."
        )
    return (
        "Its relations say little about one another. Add relations between entities that it has already, "
        "or take more of the graph that it is from."
    )
