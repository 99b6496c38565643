"""Think-on-Graph and Plan-on-Graph: gold files in both of their formats, and Plan-on-Graph's side files.

Sun et al., "Think-on-Graph", ICLR 2024; Chen et al., "Plan-on-Graph", NeurIPS 2024. Both ask a SPARQL
endpoint for the graph. Guarantees: question texts are unique, because both find the gold answer by the text,
and take at most 255 bytes, because Plan-on-Graph names a folder after them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulemine.config import option
from rulemine.evaluation.metrics_of_others.asked import LONGEST_NAME
from rulemine.exports.one_split import GoldAnswer, OneSplit, gold_of, topics_of
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.release.records import Question

__all__ = ["TogFiles"]


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

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        rows = []
        questions = given.questions()
        texts = _unique_texts(questions)
        for question, text in zip(questions, texts, strict=True):
            if len(text.encode()) > LONGEST_NAME:
                folder.leave_out(
                    question.id,
                    f"its text takes more than {LONGEST_NAME} bytes; Plan-on-Graph names a folder after it",
                )
            else:
                # The structure helps to guess, so it goes with the answers.
                kind = "" if given.without_answers else question.structure
                topics = topics_of(question, given.client)
                rows.append(_Row(question.id, text, topics, gold_of(question, given), kind))
        folder.count("texts_made_unique", sum(map(_differs, questions, texts)))
        folder.json("cwq.json", [row.as_cwq(row.answers_as_objects()) for row in rows])
        # Its scorer puts what stands in "answer" into a set, where Think-on-Graph's loops over objects.
        first = [next((a.label for a in row.gold), "") for row in rows]
        folder.json("PoG/cwq.json", [row.as_cwq(a) for row, a in zip(rows, first, strict=True)])
        folder.json("WebQSP.json", [row.as_webqsp() for row in rows])
        _write_aliases(rows, folder)
        for data in ("cwq", "webqsp"):
            folder.text(f"PoG_{data}_{self.model}.jsonl", "")


@dataclass(frozen=True)
class _Row:
    """A question as written."""

    id: str
    text: str
    topics: dict[str, str]
    gold: list[GoldAnswer]
    kind: str

    def answers_as_objects(self) -> list[dict[str, Any]]:
        return [{"answer": a.label, "aliases": [], "answer_id": a.id} for a in self.gold]

    def as_cwq(self, answer: Any) -> dict[str, Any]:
        return {
            "ID": self.id,
            "compositionality_type": self.kind,
            "question": self.text,
            "topic_entity": self.topics,
            "answer": answer,
        }

    def as_webqsp(self) -> dict[str, Any]:
        answers = [{"AnswerArgument": a.id, "EntityName": a.label} for a in self.gold]
        return {
            "QuestionId": self.id,
            "RawQuestion": self.text,
            "topic_entity": self.topics,
            "Parses": [{"Answers": answers}],
        }


def _write_aliases(rows: Sequence[_Row], folder: ExportFolder) -> None:
    """Writes what Plan-on-Graph's scorer reads beside the gold; entities have one label and no aliases."""
    labels = {row.text: [a.label for a in row.gold] for row in rows}
    aliases: dict[str, list[str]] = {label: [] for some in labels.values() for label in some}
    gold = [{"question": row.text, "answers": row.answers_as_objects()} for row in rows]
    folder.json("cope_alias/cwq_aname_dict.json", labels)
    folder.json("cope_alias/ComplexWebQuestions_test_wans.json", gold)
    for name in ("CWQ_aliase_data31158", "WQSP_aliase_data"):
        folder.json(f"cope_alias/{name}.json", dict(sorted(aliases.items())))


def _unique_texts(questions: Sequence[Question]) -> list[str]:
    """The texts, with the id in brackets after those that several questions share."""
    owners = Counter(q.question for q in questions)
    return [q.question if owners[q.question] == 1 else f"{q.question} ({q.id})" for q in questions]


def _differs(question: Question, text: str) -> bool:
    return question.question != text
