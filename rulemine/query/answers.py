"""Answer sets: everything that a graph states about a topic entity, in the direction of the question.

Guarantee: the topic entity is the end that was not asked for; the answers are all entities at the other end
of the relation's triples with that topic, on the complete graph and, where one is given, on a larger
reference graph (matched by labels).
"""

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index

__all__ = ["AnswerIndex", "ids_in", "missing_from", "single_ends", "stale_in"]

Ints = npt.NDArray[np.int64]

SINGLE = 95
"""A question is in the singular if at least this percentage of its possible topics has one answer."""


class AnswerIndex:
    """Looks up answers in one graph.

    Attributes:
        index: The graph, sorted.
        kg: The graph.
    """

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.kg, self.index = kg, Index(kg)

    def find_labeled(
        self, topics: list[str], relations: list[str], directions: list[str]
    ) -> tuple[Ints, Ints]:
        """The triples that answer questions; labels that the graph lacks have no answer.

        Args:
            topics: The topic entity of each question.
            relations: The relation of each.
            directions: The end that each asks for.

        Returns:
            Rows of ``kg.triples``, question by question, by the id of the end asked for; and, shape
            (questions + 1,): those of question i lie from ``starts[i]`` to ``starts[i + 1]``.
        """
        index, kg = self.index, self.kg
        topic = np.array([kg.entity_ids.get(label, -1) for label in topics], np.int64)
        relation = np.array([kg.relation_ids.get(label, -1) for label in relations], np.int64)
        asks_subject = np.array([direction == DIRECTIONS[0] for direction in directions], bool)
        keys = relation * index.entities + topic
        first, last = np.empty((2, len(keys)), np.int64)
        for by_object, sorted_keys in ((False, index.subject_keys), (True, index.object_keys)):
            which = asks_subject == by_object
            first[which] = np.searchsorted(sorted_keys, keys[which], "left")
            last[which] = np.searchsorted(sorted_keys, keys[which], "right")
        count = np.where((topic >= 0) & (relation >= 0), last - first, 0)
        starts = np.concatenate(([0], np.cumsum(count)))
        source = np.repeat(np.arange(len(keys)), count)
        at = first[source] + np.arange(len(source)) - starts[source]
        rows = np.where(asks_subject[source], index.by_object[at], index.by_subject[at])
        return rows.astype(np.int64), starts


def missing_from(kg: KnowledgeGraph, reference: KnowledgeGraph) -> KnowledgeGraph:
    """A larger graph without the triples that this one holds too, compared by labels."""
    ids = ids_in(kg, reference)
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
    s, _, o = ids_in(reference, kg).T
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


def single_ends(kg: KnowledgeGraph, declarations: Declarations) -> frozenset[tuple[str, str]]:
    """The relations, each with an end of theirs of which (almost) every topic entity has one: 95 % or more.

    Args:
        kg: The complete KG.
        declarations: Which relations state the same facts; topic entities have the answers of all of them.
    """
    order = np.argsort(kg.triples[:, 1], kind="stable")
    starts = kg.triples[order, 1].searchsorted(np.arange(len(kg.relations) + 1))
    rows = dict(zip(kg.relations, np.split(order, starts)[1:-1], strict=True))
    single: set[tuple[str, str]] = set()
    for asked in sorted({declarations.asked(r, end) for r in kg.relations for end in DIRECTIONS}):
        statements = declarations.statements(*asked)
        columns = [
            kg.triples[rows[r]][:, [2, 0] if end == DIRECTIONS[0] else [0, 2]]
            for r, end in statements
            if r in rows
        ]
        topics, answers = np.concatenate(columns).T.astype(np.int64)
        counts = np.unique(distinct(topics << 32 | answers) >> 32, return_counts=True)[1]
        if 100 * np.count_nonzero(counts == 1) >= SINGLE * len(counts) > 0:
            single.update(statements)
    return frozenset(single)


def ids_in(kg: KnowledgeGraph, other: KnowledgeGraph) -> npt.NDArray[np.int32]:
    """The triples of another graph in the ids of this one, shape (triples, 3); −1 for what it lacks."""
    entities = np.array([kg.entity_ids.get(label, -1) for label in other.entities], np.int32)
    relations = np.array([kg.relation_ids.get(label, -1) for label in other.relations], np.int32)
    s, r, o = other.triples.T
    return np.column_stack((entities[s], relations[r], entities[o]))
