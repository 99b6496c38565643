"""Questions with their SPARQL: ``rdf``, a graph for any triple store, and ``sparql-sft``, for training."""

from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import option
from rulemine.evaluation.sparql.prompts import ShownQuestion, about, answered, task_on
from rulemine.exports.iris import IRIS, sparql_in, triples
from rulemine.exports.protocol import ABSENT, ExportFolder, ExportInput, Fields, RowExport
from rulemine.release.guessing import order_of_names
from rulemine.release.records import Question

__all__ = ["ASKED", "Rdf", "SparqlTraining", "asked"]

ASKED = {"id": "id", "split": "split", "question": "question", "topics": "anchors"}
"""The fields of a question that give no answer away."""


@dataclass(frozen=True)
class Rdf(RowExport):
    """Writes ``graph.nt``, and ``questions.jsonl`` with a query in SPARQL each.

    Attributes:
        iris: ``release`` or ``freebase``, see `rulemine.exports.iris`.
    """

    iris: str = option("release", choices=IRIS)

    @property
    def names_of_clients(self) -> bool:
        """Whether the names are those of `ClientNames`."""
        return self.iris == "freebase"

    def fields(self, given: ExportInput) -> Fields:
        """With the query in SPARQL."""
        in_sparql = sparql_in(given, self.iris)
        return asked(given) | {"sparql": lambda q: in_sparql(q.sparql)}

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph."""
        folder.lines("graph.nt", triples(given, self.iris))
        folder.count("triples", len(given.kg))


def asked(given: ExportInput) -> Fields:
    """What a row has for every triple store; without answers where none may be given away."""
    answers: Fields = {"answers": "answers", "hard_answer": "hard_answer"}
    answers["value"] = lambda q: ABSENT if q.value is None else q.value
    return {**ASKED, **given.unless_secret(answers)}


@dataclass(frozen=True)
class SparqlTraining(RowExport):
    """Training questions with their SPARQL as conversations, to fine-tune a model on.

    ``train.jsonl`` has the training split and nothing of the others. A line is ``{"messages": [user,
    assistant]}``, the form that trainers of chat models read; what the user says is the prompt of the
    answerer ``text-to-sparql`` to the letter, so that the trained model answers what it was trained on.
    """

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
