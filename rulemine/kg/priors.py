"""Priors: how common an answer is among all answers to questions about its relation.

The prior of an answer in a direction is the fraction of the relation's topic entities (those with an
answer in this direction) that have this answer. An answer with a high prior can be guessed.
"""

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations, blocks_of_facts, facts_of, oriented
from rulemine.kg.graph import KnowledgeGraph

__all__ = ["CORE_PRIOR", "priors"]

Ints = npt.NDArray[np.int64]

CORE_PRIOR = 0.05
"""Highest prior of an answer in the core. With a confidence of 0.3 or more, lift is then at least 6."""


def priors(kg: KnowledgeGraph, declarations: Declarations | None = None) -> npt.NDArray[np.float64]:
    """The priors of the two ends of every triple, counted over all statements of the facts.

    Args:
        kg: The complete KG.
        declarations: Which relations state the same facts.

    Returns:
        float64, shape (triples, 2), 0 < prior ≤ 1: of the subject as answer to the question for
        subjects, of the object as answer to the question for objects.
    """
    declared = declarations or Declarations()
    facts, found = facts_of(kg, declared), np.empty((len(kg), 2))
    for rows in blocks_of_facts(kg, declared):
        found[rows] = _priors(kg, declared, rows, facts[rows] == rows)
    return found


def _priors(
    kg: KnowledgeGraph, declared: Declarations, rows: Ints, counted: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The priors of the ends of some triples, those of whole relations.

    Each fact is counted once, in one of its statements, and a symmetric one also the other way round.
    """
    relation, subject, obj = oriented(kg, declared, rows)
    readings = [declared[r] for r in kg.relations]
    stated_by = kg.triples[rows, 1]
    turned = np.array([reading.reversed for reading in readings], bool)[stated_by]
    both = np.array([reading.symmetric for reading in readings], bool)[stated_by]
    again = np.flatnonzero(counted & both & (subject != obj))
    r = np.concatenate((relation, relation[again])) * max(1, len(kg.entities))
    counted = np.concatenate((counted, np.ones(len(again), bool)))
    subjects, objects = (
        r + np.concatenate((subject, obj[again])),
        r + np.concatenate((obj, subject[again])),
    )

    def share(ends: Ints, topics: Ints) -> npt.NDArray[np.float64]:
        # Of the relation's topic entities, those with the answer.
        which = np.unique(ends, return_inverse=True)[1]
        sizes = np.bincount(distinct(topics) // max(1, len(kg.entities)))
        having = np.bincount(which[counted])
        part: npt.NDArray[np.float64] = having[which[: len(rows)]] / sizes[relation]
        return part

    as_subject, as_object = share(subjects, objects), share(objects, subjects)
    of_subject = np.where(turned, as_object, as_subject)
    return np.column_stack((of_subject, np.where(turned, as_subject, as_object)))
