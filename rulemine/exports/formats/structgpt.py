"""StructGPT: the graph as arrays and pickled dictionaries, and the questions of its knowledge-base part.

Jiang et al., "StructGPT", EMNLP 2023. It starts from one topic entity and follows edges forward only.
Guarantees: the pickles hold nothing but dictionaries, texts, numbers and truth values; they and the arrays
number entities and relations by the names that clients see, so they are the same bytes in every naming.
"""

import pickle
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ReleaseError
from rulemine.evaluation.metrics_of_others.protocol import has_one_topic
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import OneSplit
from rulemine.release.records import Question

__all__ = ["StructGptFiles"]

PROTOCOL = 2
"""Of the pickles: the newest without frames, whose sizes a library may choose."""


@dataclass(frozen=True)
class StructGptFiles(OneSplit):
    """Arrays, pickles and questions for StructGPT.

    Attributes:
        split: The split whose questions are written.
    """

    file: ClassVar[str] = "webqsp_simple_test.jsonl"

    def check(self, given: ExportInput) -> None:
        """Refuses a graph without triples: there is nothing to start from.

        Raises:
            ReleaseError: It is one.
        """
        if not len(given.kg):
            raise ReleaseError(
                f"{given.release.path}: its graph {given.kg_name} has no triple; StructGPT needs one. "
                "Choose another graph with --kg."
            )

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Questions with several topics are refused."""
        if has_one_topic(question):
            return ""
        return f"it has {len(question.anchors)} topic entities; StructGPT starts from one"

    def fields(self, given: ExportInput) -> Fields:
        """Answers by their labels."""
        client = given.client
        return {
            "ID": "id",
            "Question": "question",
            "TopicEntityID": lambda q: client.id[q.anchors[0]],
            "TopicEntityName": lambda q: client.label[q.anchors[0]],
            "Answers": lambda q: [answer.label for answer in given.gold(q)],
            "Aliases": lambda _: [],
        }

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph as arrays, and the names as dictionaries."""
        graph = _numbered(given)
        _write_array(folder, "subgraph_2hop_triples.npy", graph.triples)
        _write_array(folder, "ent_type_ary.npy", np.zeros(len(graph.ids), "<i4"))  # 3 is a mediator
        _write_pickle(folder, "ent2id.pickle", {key: n for n, key in enumerate(graph.ids)})
        _write_pickle(folder, "rel2id.pickle", {key: n for n, key in enumerate(graph.relations)})
        # It looks up every entity among the flags of mediators; one that is missing ends the question.
        flags = dict.fromkeys(graph.ids, False)
        labels = dict(zip(graph.ids, graph.labels, strict=True))
        _write_pickle(folder, "entity_name.pickle", (flags, labels))
        self.count_dead_ends(given, folder)


class _Numbered(NamedTuple):
    """A graph as StructGPT keeps it: what names entities and relations by number, and int32 (n, 3)."""

    ids: list[str]
    labels: list[str]
    relations: list[str]
    triples: npt.NDArray[np.int32]


def _numbered(given: ExportInput) -> _Numbered:
    """Numbers all entities of the complete graph, those with outgoing edges last.

    A number above that of every head is taken for the greatest head's, another entity's.
    """
    kg, client = given.kg, given.client
    heads = {kg.entities[i] for i in distinct(kg.triples[:, 0]).tolist()}
    entities = sorted(given.entities(), key=lambda e: (e.name in heads, e.id))
    number = {e.name: n for n, e in enumerate(entities)}
    relations = sorted(client.relation[name] for name in kg.relations)
    of_relation = {name: n for n, name in enumerate(relations)}
    by_entity = np.array([number[name] for name in kg.entities], "<i4")
    by_relation = np.array([of_relation[client.relation[name]] for name in kg.relations], "<i4")
    subjects, names, objects = kg.triples.T
    triples = np.stack([by_entity[subjects], by_relation[names], by_entity[objects]], axis=1)
    order = np.lexsort((triples[:, 2], triples[:, 1], triples[:, 0]))
    return _Numbered(
        [e.id for e in entities],
        [e.label for e in entities],
        relations,
        np.ascontiguousarray(triples[order]),
    )


def _write_array(folder: ExportFolder, name: str, array: npt.NDArray[Any]) -> None:
    np.save(folder.file(name), array, allow_pickle=False)


def _write_pickle(folder: ExportFolder, name: str, value: object) -> None:
    with folder.file(name).open("wb") as file:
        pickler = pickle.Pickler(file, PROTOCOL)
        pickler.fast = True  # or the bytes would depend on which equal texts are one object
        pickler.dump(value)
