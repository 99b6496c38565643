"""BYOKG-RAG: the graph for its local store, and the questions.

graphrag-toolkit of AWS, arXiv 2507.04127. Entities have their labels only; edges are followed forward only.
"""

from dataclasses import dataclass

from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import OneSplit

__all__ = ["ByokgFiles"]


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
