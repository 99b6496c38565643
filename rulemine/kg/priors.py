"""Priors: how common an answer is among all answers to questions about its relation.

The prior of an answer in a direction is the fraction of the relation's topic entities (those with an
answer in this direction) that have this answer. An answer with a high prior can be guessed.
"""

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations, oriented
from rulemine.kg.graph import KnowledgeGraph

__all__ = ["CORE_PRIOR", "priors"]

CORE_PRIOR = 0.07
"""Highest prior of an answer in the core. With a confidence of 0.3 or more, lift is then above 4."""


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
    relation, subject, obj = oriented(kg, declared)
    readings = [declared[r] for r in kg.relations]
    turned = np.array([reading.reversed for reading in readings], bool)[kg.triples[:, 1]]
    both = np.array([reading.symmetric for reading in readings], bool)[kg.triples[:, 1]]
    n = max(1, len(kg.entities))
    r = np.concatenate((relation, relation[both]))
    s = np.concatenate((subject, obj[both]))
    o = np.concatenate((obj, subject[both]))
    facts = np.unique(np.column_stack((r, s * n + o)), axis=0)
    r, (s, o) = facts[:, 0], np.divmod(facts[:, 1], n)
    as_object = _share(r * n + o, r * n + s, relation * n + obj, n)
    as_subject = _share(r * n + s, r * n + o, relation * n + subject, n)
    of_subject = np.where(turned, as_object, as_subject)
    return np.column_stack((of_subject, np.where(turned, as_subject, as_object)))


def _share(
    answers: npt.NDArray[np.int64],
    topics: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.int64],
    n: int,
) -> npt.NDArray[np.float64]:
    """The fraction of a relation's topic entities that have an answer; keys are relation · n + entity."""
    keys, having = np.unique(answers, return_counts=True)
    numbers, sizes = np.unique(np.unique(topics) // n, return_counts=True)
    share: npt.NDArray[np.float64] = (
        having[np.searchsorted(keys, wanted)] / sizes[np.searchsorted(numbers, wanted // n)]
    )
    return share
