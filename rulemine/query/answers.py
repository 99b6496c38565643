"""Answer sets: everything that a graph states about a topic entity, in the direction of the question.

Guarantee: the topic entity is the end that was not asked for; the answers are all entities at the other end
of the relation's triples with that topic, on the complete graph and, where one is given, on a larger
reference graph (matched by labels).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index

__all__ = ["AnswerIndex", "AnswerRows", "QuestionKey", "missing_from", "stale_in"]

Ints = npt.NDArray[np.int64]


class AnswerRows(NamedTuple):
    """The triples that answer many questions.

    Attributes:
        rows: Rows of ``kg.triples``, question by question.
        starts: int64, shape (questions + 1,): those of question i lie from ``starts[i]`` to
            ``starts[i + 1]``.
    """

    rows: Ints
    starts: Ints

    def of(self, question: int) -> Ints:
        """The rows of one question, by the other end's id."""
        return self.rows[self.starts[question] : self.starts[question + 1]]


class AnswerIndex:
    """Looks up answers in one graph.

    Attributes:
        index: The graph, sorted.
        kg: The graph.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg = kg
        self.index = Index(kg)

    def find(
        self, topics: Ints, relations: Ints, asks_subject: npt.NDArray[np.bool_]
    ) -> AnswerRows:
        """The triples that answer questions.

        Args:
            topics: Entity ids of the graph, shape (n,); −1 where it lacks the entity.
            relations: Relation ids, shape (n,); −1 where it lacks the relation.
            asks_subject: Whether the subjects are asked for (the topic is the object), shape (n,).

        Returns:
            The triples of each question, by the id of the end asked for.
        """
        index = self.index
        keys = relations * index.entities + topics
        known = (topics >= 0) & (relations >= 0)
        first = np.empty(len(keys), np.int64)
        last = np.empty(len(keys), np.int64)
        for by_object, sorted_keys in ((False, index.subject_keys), (True, index.object_keys)):
            which = asks_subject == by_object
            first[which] = np.searchsorted(sorted_keys, keys[which], "left")
            last[which] = np.searchsorted(sorted_keys, keys[which], "right")
        count = np.where(known, last - first, 0)
        starts = np.concatenate(([0], np.cumsum(count)))
        source = np.repeat(np.arange(len(keys)), count)
        position = first[source] + np.arange(len(source)) - starts[source]
        if len(position):
            rows = np.where(
                asks_subject[source],
                index.by_object[position],
                index.by_subject[position],
            ).astype(np.int64)
        else:
            rows = np.empty(0, np.int64)
        return AnswerRows(rows, starts)

    def find_labeled(
        self, topics: list[str], relations: list[str], directions: list[str]
    ) -> AnswerRows:
        """As `find`, for labels and directions; labels that the graph lacks have no answer."""
        entity_ids, relation_ids = self.kg.entity_ids, self.kg.relation_ids
        return self.find(
            np.array([entity_ids.get(label, -1) for label in topics], np.int64),
            np.array([relation_ids.get(label, -1) for label in relations], np.int64),
            np.array([direction == DIRECTIONS[0] for direction in directions], bool),
        )


def missing_from(kg: KnowledgeGraph, reference: KnowledgeGraph) -> KnowledgeGraph:
    """A larger graph without the triples that this one holds too, compared by labels."""
    ids = _ids_in(kg, reference)
    known = np.flatnonzero((ids >= 0).all(axis=1))
    return reference.without(known[kg.rows_of(ids[known]) >= 0])


def stale_in(
    kg: KnowledgeGraph, reference: KnowledgeGraph, declarations: Declarations
) -> npt.NDArray[np.bool_]:
    """Which triples of a graph state a fact that another graph has in no statement, shape (triples,).

    Args:
        kg: The graph.
        reference: The other one; compared by labels.
        declarations: Which relations state the same facts.
    """
    s, _, o = _ids_in(reference, kg).T
    found = np.zeros(len(kg), bool)
    for number, relation in enumerate(kg.relations):
        of = np.flatnonzero(kg.triples[:, 1] == number)
        for other, end in declarations.statements(relation, DIRECTIONS[1]):
            name = reference.relation_ids.get(other, -1)
            ends = (s[of], o[of]) if end == DIRECTIONS[1] else (o[of], s[of])
            ids = np.column_stack((ends[0], np.full(len(of), name, np.int32), ends[1]))
            known = (ids >= 0).all(axis=1)
            found[of[known]] |= reference.rows_of(ids[known]) >= 0
    return ~found


def _ids_in(kg: KnowledgeGraph, other: KnowledgeGraph) -> npt.NDArray[np.int32]:
    """The triples of another graph in the ids of this one, shape (triples, 3); −1 for what it lacks."""
    entities = np.array([kg.entity_ids.get(label, -1) for label in other.entities], np.int32)
    relations = np.array([kg.relation_ids.get(label, -1) for label in other.relations], np.int32)
    s, r, o = other.triples.T
    return np.column_stack((entities[s], relations[r], entities[o]))


class QuestionKey(NamedTuple):
    """What a question asks.

    Attributes:
        topic: The topic entity.
        relation: The relation.
        direction: The end asked for, see `rulemine.kg.graph.DIRECTIONS`.
    """

    topic: str
    relation: str
    direction: str
