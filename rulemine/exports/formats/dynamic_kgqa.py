"""``dynamic-kgqa``: the fields of Dynamic-KGQA (arXiv 2503.05049, Table 2).

For questions written for a subgraph. Of three judges' flags and reasons those are there that the release
has; the others are null.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from rulemine.codec import to_json
from rulemine.exports.protocol import ExportInput, Field, Fields
from rulemine.exports.row_export import RowExport
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.release.records import Question

__all__ = ["DynamicKgqaExport"]

JUDGES = 3

_ASPECTS = ("logical_structure", "redundancy", "answer_support", "answer_adequacy")


@dataclass(frozen=True)
class DynamicKgqaExport(RowExport):
    """Questions with an answer, supporting facts and their subgraph, one file a split."""

    file: ClassVar[str] = "{split}.jsonl"
    empty_splits: ClassVar[bool] = False
    names_of_clients: ClassVar[bool] = True
    needs: ClassVar[str] = "have the subgraph that they were written for"

    def fields(self, given: ExportInput) -> Fields:
        """Of a count, the answer is its number and has no address."""
        client = given.client

        def answer(question: Question, names: Mapping[str, str]) -> str:
            number = question.value
            return names[question.block.answer] if number is None else str(number)

        def judged(number: int, key: str) -> Field:
            return lambda q: dict(*judgements[q.id][number : number + 1]).get(key)

        found: Fields = {"id": "id", "question": "question"}
        if given.without_answers:
            return found
        judgements = {q.id: to_json(q.block).get("judgements", ()) for q in given.questions()}
        return found | {
            "answer": lambda q: answer(q, client.id),
            "answer_readable": lambda q: answer(q, client.label),
            "answer_uri": lambda q: "" if q.value is not None else FREEBASE + answer(q, client.id),
            "supporting_facts": lambda q: client.triples(q.block.triples),
            "supporting_facts_uri": lambda q: [
                [FREEBASE + name for name in triple]
                for triple in client.triples(q.block.triples, client.id)
            ],
            "subgraph": lambda q: client.triples(q.block.subgraph),
            "subgraph_size": lambda q: len(q.block.subgraph),
            **{
                f"{aspect}_{part}_{number + 1}": judged(number, f"{aspect}_{part}")
                for number, aspect, part in product(range(JUDGES), _ASPECTS, ("flag", "reasoning"))
            },
        }
