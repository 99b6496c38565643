"""The export ``sparql-sft``: training questions with their SPARQL as conversations, to fine-tune a model on.

``train.jsonl`` has the training split and nothing of the others. A line is ``{"messages": [user,
assistant]}``, the form that trainers of chat models read; what the user says is the prompt of the answerer
``text-to-sparql`` to the letter, so that the trained model answers what it was trained on.
"""

from dataclasses import dataclass
from typing import ClassVar

from rulemine.evaluation.sparql.prompts import ShownQuestion, about, answered, task_on
from rulemine.exports.protocol import ExportInput, Fields
from rulemine.exports.row_export import RowExport
from rulemine.release.guessing import order_of_names
from rulemine.release.records import Question

__all__ = ["SparqlTraining"]


@dataclass(frozen=True)
class SparqlTraining(RowExport):
    """Writes ``train.jsonl``."""

    file: ClassVar[str] = "{split}.jsonl"
    splits: ClassVar = ("train",)

    def fields(self, given: ExportInput) -> Fields:
        """The conversation."""
        task = task_on(given.kg, order_of_names(given.release.entities, given.naming))

        def messages(question: Question) -> list[dict[str, str]]:
            asked = about(ShownQuestion(question.question, question.anchors))
            return [
                {"role": "user", "content": f"{task}\n\n{asked}"},
                {"role": "assistant", "content": answered(question.sparql)},
            ]

        return {"messages": messages}

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Questions of others may have no query."""
        return "" if question.sparql else "it has no query"
