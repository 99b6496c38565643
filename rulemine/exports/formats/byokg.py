"""BYOKG-RAG: the graph for its local store, and the questions.

graphrag-toolkit of AWS, arXiv 2507.04127. Entities have their labels only; edges are followed forward only.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from rulemine.exports.one_split import OneSplit
from rulemine.exports.protocol import ExportFolder, ExportInput

__all__ = ["ByokgFiles"]


@dataclass(frozen=True)
class ByokgFiles(OneSplit):
    """A graph and questions for BYOKG-RAG; neither tells an answer.

    Attributes:
        split: The split whose questions are written.
    """

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        label = given.client.label
        folder.lines("kg.tsv", _lines(given))
        rows = [
            {"id": q.id, "question": q.question, "topics": [label[name] for name in q.anchors]}
            for q in given.questions()
        ]
        folder.jsonl("questions.jsonl", rows)
        heads = {label[given.kg.entities[i]] for i in set(given.kg.triples[:, 0].tolist())}
        # Its list of entities, to which questions are linked, is that of the subjects.
        folder.count(
            "topics_without_outgoing_edge",
            sum(topic not in heads for row in rows for topic in row["topics"]),
        )


def _lines(given: ExportInput) -> Iterator[str]:
    """The triples, quoted as the csv module of Python has it, with which BYOKG-RAG reads them."""
    label, relation = given.client.label, given.client.relation
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="")
    for subject, name, object_ in given.kg.labeled():
        writer.writerow((label[subject], relation[name], label[object_]))
        yield out.getvalue()
        out.seek(0)
        out.truncate()
