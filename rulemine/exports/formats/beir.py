"""``beir``: a corpus of passages, queries and qrels, as BEIR's loader reads them; and the same for HippoRAG.

A passage says a triple of the graph in words, or all triples of one subject, so that every triple is in one
passage. What is relevant is exact: the passages of the triples that answers are derived from, with those of
certificates in place of what the graph lacks.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rulemine.codec import dump_line
from rulemine.config import Section, option
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.exports.triple_texts import TripleTexts
from rulemine.release.proof_triples import proof_rows

__all__ = ["BeirFiles"]

PROOF, DERIVED = 2, 1
"""Grades: of what the asked answer is derived from, and of what other answers are."""

_QRELS = {"train": "train", "validation": "dev", "test": "test"}
"""Split → what BEIR calls it."""


@dataclass(frozen=True)
class BeirFiles(Section):
    """Files for BEIR and HippoRAG.

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
        name = re.sub(r"\W+", "_", given.release.name)
        _lines(folder, f"hipporag/{name}_corpus.json", _numbered(corpus.values()))
        rows = []
        for q in asked:
            if q.split == "test":
                row: dict[str, Any] = {"id": q.id, "question": q.question}
                if not given.without_answers:
                    row["answer"] = [answer.label for answer in given.gold(q)]
                    texts = _numbered(corpus[key] for key in relevant[q.id])
                    row["paragraphs"] = [text | {"is_supporting": True} for text in texts]
                rows.append(row)
        _lines(folder, f"hipporag/{name}.json", rows)

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


def _numbered(texts: Any) -> list[dict[str, Any]]:
    return [{**text, "idx": number} for number, text in enumerate(texts)]


def _lines(folder: ExportFolder, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes a list, each of its objects in a line."""

    def lines() -> Iterator[str]:
        yield "["
        for number, row in enumerate(rows, start=1):
            yield dump_line(dict(row)) + ("," if number < len(rows) else "")
        yield "]"

    folder.lines(name, lines())
