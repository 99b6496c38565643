"""Systems without training: ``tog``, ``gog``, ``structgpt``, ``byokg``, ``lightrag``, and ``beir``.

Think-on-Graph and Plan-on-Graph, Generate-on-Graph, StructGPT, BYOKG-RAG and LightRAG each read the
questions of one split; BEIR's retrievers those of all. Questions with several topic entities, unions and
counts are kept where the system can start from them; the answer of a count is its number.
"""

import json
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.codec import dump_line
from rulemine.config import option
from rulemine.errors import ReleaseError
from rulemine.evaluation.metrics_of_others.protocol import LONGEST_NAME, has_one_topic
from rulemine.exports.client_names import ClientEntity
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields, OneSplit, RowExport
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import Triple
from rulemine.phrasing.relation_names import readable_name
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question

__all__ = [
    "BeirFiles",
    "ByokgFiles",
    "GogFiles",
    "LightRagFiles",
    "StructGptFiles",
    "TogFiles",
]


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
    folder.json("cope_alias/cwq_aname_dict.json", labels)
    folder.json(
        "cope_alias/ComplexWebQuestions_test_wans.json",
        [{"question": row["question"], "answers": row["answer"]} for row in rows],
    )
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
            ReleaseError: The graph has no triple.
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
        entities, relations, triples = _numbered(given)
        no_mediator = np.zeros(len(entities), "<i4")  # 3 is one
        for name, array in {"subgraph_2hop_triples": triples, "ent_type_ary": no_mediator}.items():
            np.save(folder.file(f"{name}.npy"), array, allow_pickle=False)
        labels = {e.id: e.label for e in entities}
        _write_pickle(folder, "ent2id.pickle", {key: n for n, key in enumerate(labels)})
        _write_pickle(folder, "rel2id.pickle", {key: n for n, key in enumerate(relations)})
        # It looks up every entity among the flags of mediators; one that is missing ends the question.
        _write_pickle(folder, "entity_name.pickle", (dict.fromkeys(labels, False), labels))
        self.count_dead_ends(given, folder)


def _numbered(given: ExportInput) -> tuple[list[ClientEntity], list[str], npt.NDArray[np.int32]]:
    """Entities and relations, each at its number, and the triples as numbers, shape (triples, 3), sorted.

    They are all entities of the complete graph, those with outgoing edges last: a number above that of
    every head is taken for the greatest head's, another entity's.
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
    return entities, relations, np.ascontiguousarray(triples[order])


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

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, quoted as the csv module has it, with which BYOKG-RAG reads it."""
        folder.csv("kg.tsv", given.client.triples(given.kg.labeled()), "\t")
        # Its list of entities, to which questions are linked, is that of the subjects.
        self.count_dead_ends(given, folder)


def _sentences(given: ExportInput) -> Callable[[Triple], str]:
    """What says a triple by the statement of its relation, with the labels that clients see."""
    templates, label = given.release.templates(), given.client.label

    def sentence(triple: Triple) -> str:
        subject, relation, obj = triple
        said = templates[relation].state(label[subject], label[obj])
        # Its first letter stays as it is, for it may be that of a name.
        return said if said.endswith(".") else f"{said}."

    return sentence


PROOF, DERIVED = 2, 1
"""Grades: of what the asked answer is derived from, and of what other answers are."""

_QRELS = {"train": "train", "validation": "dev", "test": "test"}
"""Split → what BEIR calls it."""


@dataclass(frozen=True)
class BeirFiles(RowExport):
    """A corpus of passages, queries and qrels, as BEIR's loader reads them.

    A passage says a triple of the graph in words, or all triples of one subject, so that every triple is in
    one passage. What is relevant is exact: the passages of the triples that answers are derived from, with
    those of certificates in place of what the graph lacks.

    Attributes:
        passages: Of what there is a passage: each triple, or each entity that is a subject.
        graded: Whether passages of the asked answer's derivation have the grade 2; else every one has 1.
    """

    names_of_clients: ClassVar[bool] = True

    passages: str = option("triple", choices=("triple", "entity"))
    graded: bool = option(True)

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        corpus, of_row = self._corpus(given)
        folder.jsonl("corpus.jsonl", ({"_id": key, **text} for key, text in corpus.items()))
        relevant = self._relevant(given, folder, [*corpus], of_row)
        asked = [q for q in given.questions() if q.id not in folder.left_out]
        folder.jsonl("queries.jsonl", ({"_id": q.id, "text": q.question} for q in asked))
        for split, name in _QRELS.items():
            if split in given.splits and not given.without_answers:
                judged = (
                    (q.id, passage, str(grade))
                    for q in asked
                    if q.split == split
                    for passage, grade in relevant[q.id].items()
                )
                head = ("query-id", "corpus-id", "score")
                folder.csv(f"qrels/{name}.tsv", [head, *judged], "\t")
        folder.count("passages", len(corpus))

    def _corpus(self, given: ExportInput) -> tuple[dict[str, dict[str, str]], Sequence[int]]:
        """The passages by id, and for each row of the graph the position of the passage that has it."""
        sentence = _sentences(given)
        label, key = given.client.label, given.client.id
        found: dict[str, dict[str, str]] = {}
        places: dict[str, int] = {}
        of_row = []
        for number, triple in enumerate(given.kg.labeled(), start=1):
            given.progress(number, len(given.kg))
            name = key[triple[0]] if self.passages == "entity" else f"t{number:07d}"
            said = sentence(triple)
            if name in found:
                found[name]["text"] += f" {said}"
            else:
                found[name] = {"title": label[triple[0]], "text": said}
            of_row.append(places.setdefault(name, len(places)))
        return found, of_row

    def _relevant(
        self, given: ExportInput, folder: ExportFolder, keys: Sequence[str], of_row: Sequence[int]
    ) -> dict[str, dict[str, int]]:
        """Question → passage → grade; none where nothing may be given away."""
        if given.without_answers:
            return {}
        questions = given.questions()
        whole = [replace(q, evidence=q.full_evidence) for q in questions]
        found: dict[str, dict[str, int]] = {}
        for question, every, asked in zip(
            questions,
            proof_rows(given.kg, whole, given.removed),
            proof_rows(given.kg, questions, given.removed),
            strict=True,
        ):
            rows, first = np.union1d(every, asked), PROOF if self.graded else DERIVED
            grades = {keys[of_row[row]]: DERIVED for row in rows[rows >= 0].tolist()}
            grades |= {keys[of_row[row]]: first for row in asked[asked >= 0].tolist()}
            if grades:
                found[question.id] = grades
            else:
                folder.leave_out(
                    question.id, "the graph has nothing that its answers are derived from"
                )
        return found


@dataclass(frozen=True)
class LightRagFiles(OneSplit):
    """The graph for LightRAG's ``insert_custom_kg``, and questions; neither gives an answer away.

    Guo et al., arXiv 2410.05779. Its graph keeps one edge for each pair of entities, whatever the direction,
    so all triples of a pair are one relationship, whose description says each of them.

    Attributes:
        split: The split whose questions are written.
    """

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph: a chunk for each relationship, and entities with one of theirs."""
        key, label, sentence = given.client.id, given.client.label, _sentences(given)
        pairs: dict[tuple[str, str], list[Triple]] = {}
        for s, r, o in given.kg.labeled():
            pairs.setdefault((o, s) if (o, s) in pairs else (s, o), []).append((s, r, o))
        chunks: list[dict[str, Any]] = []
        relationships: list[dict[str, Any]] = []
        source: dict[str, str] = {}
        for number, (pair, triples) in enumerate(pairs.items(), start=1):
            given.progress(number, len(pairs))
            name = " ".join(key[end] for end in pair)
            said = " ".join(map(sentence, triples))
            for end in pair:
                source.setdefault(end, name)
            chunks.append({"content": said, "source_id": name})
            keywords = dict.fromkeys(readable_name(relation) for _, relation, _ in triples)
            relationships.append(
                {
                    "src_id": label[pair[0]],
                    "tgt_id": label[pair[1]],
                    "description": said,
                    "keywords": ", ".join(keywords),
                    "weight": float(len(triples)),
                    "source_id": name,
                }
            )
        kinds = _types(given)
        entities = [
            {
                "entity_name": label[entity],
                "entity_type": kinds[entity][0],
                "description": f"{label[entity]}: {', '.join(kinds[entity])}",
                "source_id": source[entity],
            }
            for entity in sorted(source, key=key.__getitem__)
        ]
        lists: dict[str, list[dict[str, Any]]] = {
            "chunks": chunks,
            "entities": entities,
            "relationships": relationships,
        }
        folder.lines("custom_kg.json", _object(lists))
        for what, rows in lists.items():
            folder.count(what, len(rows))
        known = given.kg.entity_ids
        lost = sum(name not in known for q in self.asked(given, folder) for name in q.anchors)
        folder.count("topics_not_in_graph", lost)


def _types(given: ExportInput) -> dict[str, list[str]]:
    """Entity → the names of its types in the graph, that of the most entities first."""
    types = types_of(given.kg)
    sizes = Counter(types.types.tolist())
    return {
        name: [
            types.names[i]
            for i in sorted(types.of(number), key=lambda i: (-sizes[i], types.names[i]))
        ]
        for number, name in enumerate(given.kg.entities)
    }


def _object(lists: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[str]:
    """An object of lists, each of their objects in a line."""
    for number, (name, rows) in enumerate(lists.items()):
        yield f'{"," if number else "{"}"{name}": ['
        lines = [dump_line(dict(row)) for row in rows]
        yield from (f"{line}," for line in lines[:-1])
        yield f"{''.join(lines[-1:])}]"
    yield "}"
