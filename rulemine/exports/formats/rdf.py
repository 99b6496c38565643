"""The export ``rdf``: the graph in N-Triples, for any triple store."""

from dataclasses import dataclass
from typing import Any

from rulemine.config import Section, option
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.exports.rdf_names import IRIS, sparql_in, triples
from rulemine.release.records import Question

__all__ = ["Rdf", "asked"]


@dataclass(frozen=True)
class Rdf(Section):
    """Writes ``graph.nt``, and ``questions.jsonl`` with a query in SPARQL each.

    Attributes:
        iris: ``release`` or ``freebase``, see `rulemine.exports.rdf_names`.
    """

    iris: str = option("release", choices=IRIS)

    @property
    def names_of_clients(self) -> bool:
        """Whether the names are those of `ClientNames`."""
        return self.iris == "freebase"

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        folder.lines("graph.nt", triples(given, self.iris))
        in_sparql = sparql_in(given, self.iris)
        folder.jsonl(
            "questions.jsonl",
            (
                asked(given, question) | {"sparql": in_sparql(question.sparql)}
                for question in given.questions()
            ),
        )
        folder.count("triples", len(given.kg))


def asked(given: ExportInput, question: Question) -> dict[str, Any]:
    """What a row of ``questions.jsonl`` has in every triple store; without answers where none may be told."""
    row: dict[str, Any] = {
        "id": question.id,
        "split": question.split,
        "question": question.question,
        "topics": question.anchors,
    }
    if not given.without_answers:
        row |= {"answers": question.answers, "hard_answer": question.hard_answer}
        if question.value is not None:
            row["value"] = question.value
    return row
