"""Systems that answer without training: ``tog``, ``gog``, ``structgpt`` and ``byokg``.

Think-on-Graph and Plan-on-Graph, Generate-on-Graph, StructGPT and BYOKG-RAG each read the questions of one
split. Questions with several topic entities, unions and counts are kept where the system can start from them;
the answer of a count is its number.
"""

import json
import pickle
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.config import option
from rulemine.errors import ReleaseError
from rulemine.evaluation.metrics_of_others.protocol import LONGEST_NAME, has_one_topic
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields, OneSplit
from rulemine.release.records import Question

__all__ = ["ByokgFiles", "GogFiles", "StructGptFiles", "TogFiles"]


@dataclass(frozen=True)
class TogFiles(OneSplit):
    """Gold files of Think-on-Graph and Plan-on-Graph, and Plan-on-Graph's side files.

    Sun et al., "Think-on-Graph", ICLR 2024; Chen et al., "Plan-on-Graph", NeurIPS 2024. Both ask a SPARQL
    endpoint for the graph. Guarantees: question texts are unique, because both find the gold answer by the
    text, and take at most 255 bytes, because Plan-on-Graph names a folder after them.

    Attributes:
        split: The split whose questions are written.
        model: The model that Plan-on-Graph will ask (its ``--LLM_type``). It reads a file of this name before
            it writes it.
    """

    model: str = option(
        "gpt-3.5-turbo",
        fits_too=lambda name: re.fullmatch(r"[\w.-]+", name) is not None,
        expected="letters, digits and . _ - (it becomes part of a file's name)",
    )

    def fields(self, given: ExportInput) -> Fields:
        """Those of Think-on-Graph's questions from CWQ."""
        owners = Counter(q.question for q in given.questions())
        return {
            "ID": "id",
            # The structure helps to guess, so it goes with the answers.
            "compositionality_type": lambda q: "" if given.without_answers else q.structure,
            "question": lambda q: (
                q.question if owners[q.question] == 1 else f"{q.question} ({q.id})"
            ),
            "topic_entity": given.client.topics,
            "answer": lambda q: [
                {"answer": a.label, "aliases": [], "answer_id": a.id} for a in given.gold(q)
            ],
        }

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        rows, unique = [], 0
        for question, row in zip(given.questions(), self.rows(given, folder), strict=True):
            unique += row["question"] != question.question
            if len(row["question"].encode()) > LONGEST_NAME:
                folder.leave_out(
                    question.id,
                    f"its text takes more than {LONGEST_NAME} bytes; Plan-on-Graph names a folder after it",
                )
            else:
                rows.append(row)
        folder.count("texts_made_unique", unique)
        folder.json("cwq.json", rows)
        # Its scorer puts what stands in "answer" into a set, where Think-on-Graph's loops over objects.
        first = [next((a["answer"] for a in row["answer"]), "") for row in rows]
        folder.json(
            "PoG/cwq.json", [row | {"answer": a} for row, a in zip(rows, first, strict=True)]
        )
        folder.json("WebQSP.json", list(map(_as_webqsp, rows)))
        _write_aliases(rows, folder)
        for data in ("cwq", "webqsp"):
            folder.text(f"PoG_{data}_{self.model}.jsonl", "")


def _as_webqsp(row: Mapping[str, Any]) -> dict[str, Any]:
    answers = [{"AnswerArgument": a["answer_id"], "EntityName": a["answer"]} for a in row["answer"]]
    return {
        "QuestionId": row["ID"],
        "RawQuestion": row["question"],
        "topic_entity": row["topic_entity"],
        "Parses": [{"Answers": answers}],
    }


def _write_aliases(rows: Sequence[Mapping[str, Any]], folder: ExportFolder) -> None:
    """Writes what Plan-on-Graph's scorer reads beside the gold; entities have one label and no aliases."""
    labels = {row["question"]: [a["answer"] for a in row["answer"]] for row in rows}
    aliases: dict[str, list[str]] = {label: [] for some in labels.values() for label in some}
    gold = [{"question": row["question"], "answers": row["answer"]} for row in rows]
    folder.json("cope_alias/cwq_aname_dict.json", labels)
    folder.json("cope_alias/ComplexWebQuestions_test_wans.json", gold)
    for name in ("CWQ_aliase_data31158", "WQSP_aliase_data"):
        folder.json(f"cope_alias/{name}.json", dict(sorted(aliases.items())))


@dataclass(frozen=True)
class GogFiles(OneSplit):
    """Question files for Generate-on-Graph.

    Xu et al., "Generate-on-Graph", EMNLP 2024. It takes the graph from a SPARQL endpoint. Each
    question has the triples of it that must not be seen: none, for the endpoint has the graph of the export.
    """

    def fields(self, given: ExportInput) -> Fields:
        """Answers by their labels."""
        return {
            "ID": "id",
            "question": "question",
            "topic_entity": given.client.topics,
            "answer": lambda q: [answer.label for answer in given.gold(q)],
            "mid_crucial_triples": lambda _: [],
        }

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the questions, a line each, and the names of entities."""
        rows = enumerate(self.rows(given, folder))
        lines = ",\n".join(json.dumps({"index": index, **row}) for index, row in rows)
        graph = "incomplete" if given.release.level_of(given.kg_name) else "complete"
        folder.text(f"data/{graph}/data.json", f"[\n{lines}\n]\n")
        folder.lines("Freebase/virtuoso-opensource/database/FilterFreebase", _names(given))


def _names(given: ExportInput) -> Iterator[str]:
    """The names of all entities, for its service that looks entities up by name.

    That reads the first three columns of N-Triples with tabs, and the name as a literal of Python.
    """
    prefix = "http://rdf.freebase.com/ns"
    for entity in given.entities():
        name = json.dumps(entity.label)
        yield f"<{prefix}/{entity.id}>\t<{prefix}/type.object.name>\t{name}@en\t."


PROTOCOL = 2
"""Of the pickles: the newest without frames, whose sizes a library may choose."""


@dataclass(frozen=True)
class StructGptFiles(OneSplit):
    """The graph as arrays and pickled dictionaries, and the questions of StructGPT's knowledge-base part.

    Jiang et al., "StructGPT", EMNLP 2023. It starts from one topic entity and follows edges forward only.
    Guarantees: the pickles hold nothing but dictionaries, texts, numbers and truth values; they and the
    arrays number entities and relations by the names that clients see, so they are the same bytes in every
    naming.

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


@dataclass(frozen=True)
class ByokgFiles(OneSplit):
    """A graph and questions for BYOKG-RAG; neither gives an answer away.

    graphrag-toolkit of AWS, arXiv 2507.04127. Entities have their labels only; edges are followed forward
    only.

    Attributes:
        split: The split whose questions are written.
    """

    def fields(self, given: ExportInput) -> Fields:
        """Topics by their labels."""
        topics = given.client.labels
        return {"id": "id", "question": "question", "topics": lambda q: topics(q.anchors)}

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, quoted as the csv module has it, with which BYOKG-RAG reads it."""
        folder.csv("kg.tsv", given.client.triples(given.kg.labeled()), "\t")
        # Its list of entities, to which questions are linked, is that of the subjects.
        self.count_dead_ends(given, folder)
