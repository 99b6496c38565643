"""Think-on-Graph and Plan-on-Graph: gold files in both of their formats, and Plan-on-Graph's side files.

Sun et al., "Think-on-Graph", ICLR 2024; Chen et al., "Plan-on-Graph", NeurIPS 2024. Both ask a SPARQL
endpoint for the graph. Guarantees: question texts are unique, because both find the gold answer by the text,
and take at most 255 bytes, because Plan-on-Graph names a folder after them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulemine.config import option
from rulemine.evaluation.metrics_of_others.protocol import LONGEST_NAME
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import OneSplit

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
