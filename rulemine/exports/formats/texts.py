"""The graph in words, for systems that read texts: ``beir`` and ``lightrag``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rulemine.codec import dump_line
from rulemine.config import option
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields, OneSplit, RowExport
from rulemine.kg.entity_types import types_of
from rulemine.kg.graph import Triple
from rulemine.phrasing.relation_names import readable_name
from rulemine.phrasing.templates import Templates
from rulemine.release.proof_triples import proof_rows

__all__ = ["BeirFiles", "LightRagFiles", "TripleTexts"]


@dataclass(frozen=True)
class TripleTexts:
    """Says triples by the statements of their relations.

    Attributes:
        templates: The templates of the relations.
        label: What an entity is called.
    """

    templates: Templates
    label: Mapping[str, str]

    @classmethod
    def of(cls, given: ExportInput) -> "TripleTexts":
        """With the templates of a release and the labels that clients see."""
        return cls(given.release.templates(), given.client.label)

    def sentence(self, triple: Triple) -> str:
        """A triple as a sentence; its first letter stays as it is, for it may be that of a name."""
        subject, relation, obj = triple
        said = self.templates[relation].state(self.label[subject], self.label[obj])
        return said if said.endswith(".") else f"{said}."


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
        texts = TripleTexts.of(given)
        label, key = given.client.label, given.client.id
        found: dict[str, dict[str, str]] = {}
        places: dict[str, int] = {}
        of_row = []
        for number, triple in enumerate(given.kg.labeled(), start=1):
            given.progress(number, len(given.kg))
            name = key[triple[0]] if self.passages == "entity" else f"t{number:07d}"
            said = texts.sentence(triple)
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
            rows = np.union1d(every, asked)
            first = set(asked.tolist())
            grades: dict[str, int] = {}
            for row in rows[rows >= 0].tolist():
                grade = PROOF if self.graded and row in first else DERIVED
                passage = keys[of_row[row]]
                grades[passage] = max(grade, grades.get(passage, 0))
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

    def fields(self, given: ExportInput) -> Fields:
        """Topics by their labels."""
        topics = given.client.labels
        return {"id": "id", "question": "question", "topics": lambda q: topics(q.anchors)}

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph: a chunk for each relationship, and entities with one of theirs."""
        key, label, texts = given.client.id, given.client.label, TripleTexts.of(given)
        pairs: dict[tuple[str, str], list[Triple]] = {}
        for s, r, o in given.kg.labeled():
            pairs.setdefault((o, s) if (o, s) in pairs else (s, o), []).append((s, r, o))
        chunks: list[dict[str, Any]] = []
        relationships: list[dict[str, Any]] = []
        source: dict[str, str] = {}
        for number, (pair, triples) in enumerate(pairs.items(), start=1):
            given.progress(number, len(pairs))
            name = " ".join(key[end] for end in pair)
            said = " ".join(map(texts.sentence, triples))
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
        before = ""
        for row in rows:
            if before:
                yield f"{before},"
            before = dump_line(dict(row))
        yield f"{before}]"
    yield "}"
