"""Systems that answer without training: ``tog``, ``gog``, ``structgpt`` and ``byokg``.

Think-on-Graph and Plan-on-Graph, Generate-on-Graph, StructGPT and BYOKG-RAG each read the questions of one
split. Questions with several topic entities, unions and counts are kept where the system can start from them;
the answer of a count is its number.
"""

import json
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.config import option
from rulemine.errors import ReleaseError
from rulemine.evaluation.metrics_of_others.protocol import LONGEST_NAME, has_one_topic
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields, OneSplit
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.records import Question

__all__ = ["ByokgFiles", "GogFiles", "StructGptFiles", "TogFiles"]


@dataclass(frozen=True)
class TogFiles(OneSplit):
    """Gold files of Think-on-Graph and Plan-on-Graph.

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


MANY = 2_000_000
"""Hidden triples that take about a gigabyte of Generate-on-Graph's memory."""


@dataclass(frozen=True)
class GogFiles(OneSplit):
    """Question files for Generate-on-Graph.

    Attributes:
        split: The split whose questions are written.
        distance: A removed triple is hidden if an end of it is at most so many edges, in either direction,
            from a topic entity.
        max_triples: The most hidden triples of a question: those that its answers are derived from first,
            then the nearest. 0: all.
    """

    distance: int = option(2, least=0, most=6)
    max_triples: int = option(0, least=0)

    def fields(self, given: ExportInput) -> Fields:
        """Answers by their labels."""
        return {
            "ID": "id",
            "question": "question",
            "topic_entity": given.client.topics,
            "answer": lambda q: [answer.label for answer in given.gold(q)],
        }

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        questions, rows = given.questions(), list(self.rows(given, folder))
        level = given.release.level_of(given.kg_name)
        plain = "incomplete" if level else "complete"
        folder.lines(f"data/{plain}/data.json", _listed(rows, repeat([])))
        folder.lines("Freebase/virtuoso-opensource/database/FilterFreebase", _names(given))
        if given.without_answers or not level:
            return
        gone = [row.triple for row in given.missing if row.level <= level]
        hidden = _Hidden(given.complete, gone, self.distance)
        near = [hidden.by(question) for question in questions]
        chosen = [some[: self.max_triples or None] for some in near]
        total = sum(map(len, chosen))
        if total > MANY:
            given.note(
                f"data/complete/data.json hides {total:,} triples, and Generate-on-Graph keeps them all in "
                "memory: use data/incomplete, or bound them, e.g. gog:distance=1 or gog:max_triples=2000."
            )
        named = given.client.triples(gone, given.client.id)
        crucial = ([named[i] for i in some.tolist()] for some in chosen)
        folder.lines("data/complete/data.json", _listed(rows, crucial))
        folder.count("hidden_triples", total)
        cut = sum(len(some) < len(every) for some, every in zip(chosen, near, strict=True))
        folder.count("questions_cut", cut)


def _listed(rows: Sequence[dict[str, Any]], crucial: Iterable[list[list[str]]]) -> Iterator[str]:
    """A list of questions, each in a line, with the triples that it must not see."""
    yield "["
    for index, (row, triples) in enumerate(zip(rows, crucial, strict=False)):
        line = {"index": index, **row, "mid_crucial_triples": triples}
        yield json.dumps(line) + ("," if index + 1 < len(rows) else "")
    yield "]"


def _names(given: ExportInput) -> Iterator[str]:
    """The names of all entities, for its service that looks entities up by name.

    That reads the first three columns of N-Triples with tabs, and the name as a literal of Python.
    """
    prefix = "http://rdf.freebase.com/ns"
    for entity in given.entities():
        name = json.dumps(entity.label)
        yield f"<{prefix}/{entity.id}>\t<{prefix}/type.object.name>\t{name}@en\t."


class _Hidden:
    """Finds the removed triples near topic entities."""

    def __init__(self, kg: KnowledgeGraph, removed: Sequence[tuple[str, str, str]], distance: int):
        self._ids, self._most = kg.entity_ids, distance
        ends = kg.triples[:, (0, 2)]
        both = np.concatenate((ends, ends[:, ::-1]))
        both = both[np.argsort(both[:, 0], kind="stable")]
        self._others = both[:, 1]
        self._first = np.searchsorted(both[:, 0], np.arange(len(kg.entities) + 1))
        self._place = {triple: i for i, triple in enumerate(removed)}
        self._ends = np.array(
            [(self._ids[s], self._ids[o]) for s, _, o in removed], np.int64
        ).reshape(-1, 2)

    def by(self, question: Question) -> npt.NDArray[np.int64]:
        """The places of the triples that a question hides, the most important first."""
        far = self._most + 1
        distance = np.full(len(self._first) - 1, far)
        known = [self._ids[name] for name in question.anchors if name in self._ids]
        frontier = np.array(known, np.int64)
        for step in range(far):
            distance[frontier] = step
            if step == self._most:
                break
            near = np.zeros(len(distance), bool)
            for entity in frontier.tolist():
                near[self._others[self._first[entity] : self._first[entity + 1]]] = True
            frontier = np.flatnonzero(near & (distance == far))
        nearest = distance[self._ends].min(axis=1)
        own = [self._place[triple] for triple in question.full_evidence if triple in self._place]
        nearest[own] = -1
        order = np.argsort(nearest, kind="stable")
        return order[: int((nearest < far).sum())]


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


@dataclass(frozen=True)
class ByokgFiles(OneSplit):
    """A graph and questions for BYOKG-RAG; neither gives an answer away.

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
