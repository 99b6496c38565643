"""The export ``rdf``: the graph in N-Triples, for any triple store."""

from dataclasses import dataclass

from rulemine.config import option
from rulemine.exports.protocol import ABSENT, ExportFolder, ExportInput, Fields
from rulemine.exports.rdf_names import IRIS, sparql_in, triples
from rulemine.exports.row_export import RowExport

__all__ = ["ASKED", "Rdf", "asked"]

ASKED = {"id": "id", "split": "split", "question": "question", "topics": "anchors"}
"""The fields of a question that give no answer away."""


@dataclass(frozen=True)
class Rdf(RowExport):
    """Writes ``graph.nt``, and ``questions.jsonl`` with a query in SPARQL each.

    Attributes:
        iris: ``release`` or ``freebase``, see `rulemine.exports.rdf_names`.
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
