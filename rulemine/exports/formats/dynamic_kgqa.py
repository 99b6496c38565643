"""``dynamic-kgqa``: the fields of Dynamic-KGQA (arXiv 2503.05049, Table 2), as its published rows have them.

For questions written for a subgraph. Lists are texts in JSON, and names the IRIs of
`rulemine.exports.source_names`. Of three judges' flags and reasons those are there that the release has; the
others are null.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from rulemine.codec import to_json
from rulemine.exports.protocol import ExportFolder, ExportInput, Field, Fields
from rulemine.exports.row_export import RowExport
from rulemine.exports.source_names import SourceNames
from rulemine.release.records import Question

__all__ = ["DynamicKgqaExport"]

JUDGES = 3

_ASPECTS = (("logical_structure", "redundancy"), ("answer_support", "answer_adequacy"))
"""What judges say of a question, and of its answer: in this order, each for all judges."""


@dataclass(frozen=True)
class DynamicKgqaExport(RowExport):
    """Questions with an answer, supporting facts and their subgraph, one file a split."""

    file: ClassVar[str] = "{split}.jsonl"
    empty_splits: ClassVar[bool] = False
    names_of_clients: ClassVar[bool] = True
    needs: ClassVar = ("subgraph",)

    def fields(self, given: ExportInput) -> Fields:
        """Of a count, the answer is its number and has no address."""
        found: Fields = {"id": "id", "question": "question"}
        if given.without_answers:
            return found
        label, source = given.client.label, SourceNames.of(given)

        def answer(question: Question, names: Mapping[str, str]) -> str:
            number = question.value
            return names[question.block.answer] if number is None else str(number)

        def facts(question: Question) -> list[dict[str, str]]:
            return [
                {"subject": label[s], "predicate": source.relation_id[r], "object": label[o]}
                for s, r, o in question.block.triples
            ]

        def judged(number: int, key: str) -> Field:
            return lambda q: dict(*judgements[q.id][number : number + 1]).get(key)

        judgements = {q.id: to_json(q.block).get("judgements", ()) for q in given.questions()}
        return found | {
            "answer": lambda q: answer(q, source.entity_id),
            "answer_readable": lambda q: answer(q, label),
            "answer_uri": lambda q: "" if q.value is not None else answer(q, source.entity),
            "supporting_facts": lambda q: json.dumps(facts(q)),
            "supporting_facts_uri": lambda q: json.dumps(source.iris(q.block.triples)),
            "subgraph": lambda q: json.dumps(source.iris(q.block.subgraph)),
            "subgraph_size": lambda q: len(q.block.subgraph),
            **{
                f"{aspect}_{part}_llm_judge{number + 1}": judged(number, f"{aspect}_{part}")
                for aspects in _ASPECTS
                for number, aspect, part in product(range(JUDGES), aspects, ("flag", "reasoning"))
            },
            # Not theirs: questions here may have further answers.
            "all_answers_uri": lambda q: json.dumps(
                [source.entity[a] for a in q.answers] if q.value is None else [str(q.value)]
            ),
        }

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, and the labels of its entities, which rows have of a few alone."""
        source = SourceNames.of(given)
        folder.tsv("graph.tsv", source.iris(given.kg.labeled()))
        folder.tsv("entities.tsv", [(source.entity[e.name], e.label) for e in given.entities()])
