"""``dynamic-kgqa``: the fields of Dynamic-KGQA (arXiv 2503.05049, Table 2).

For questions written for a subgraph. Of three judges' flags and reasons those are there that the release
has; the others are null.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.codec import to_json
from rulemine.config import Section
from rulemine.errors import ConfigError
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import kind_named
from rulemine.query.oxigraph.rewriting import FREEBASE
from rulemine.release.records import Question

__all__ = ["DynamicKgqaExport"]

JUDGES = 3

_SAID = ("logical_structure", "redundancy", "answer_support", "answer_adequacy")


@dataclass(frozen=True)
class DynamicKgqaExport(Section):
    """Questions with an answer, supporting facts and their subgraph, one file a split."""

    names_of_clients: ClassVar[bool] = True

    def check(self, given: ExportInput) -> None:
        """Refuses questions of another kind.

        Raises:
            ConfigError: They are.
        """
        if "dynamic-kgqa" not in kind_named(given.release.kind).formats:
            raise ConfigError(
                "export format dynamic-kgqa: its questions have the subgraph that they were written for, "
                f"which those of the kind {given.release.kind} do not. Take a release of the kind variants."
            )

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        rows = _Rows(given)
        for done, split in enumerate(given.splits):
            given.progress(done, len(given.splits))
            if asked := given.questions(split):
                folder.jsonl(f"{split}.jsonl", map(rows.of, asked))


class _Rows:
    """Makes the rows of questions."""

    def __init__(self, given: ExportInput) -> None:
        self._client, self._secret = given.client, given.without_answers

    def of(self, question: Question) -> dict[str, Any]:
        """The row of a question; of a count, the answer is its number and has no address."""
        row: dict[str, Any] = {"id": question.id, "question": question.question}
        if self._secret:
            return row
        client, block = self._client, question.block
        answer, number = block.answer, question.value
        return row | {
            "answer": client.id[answer] if number is None else str(number),
            "answer_readable": client.label[answer] if number is None else str(number),
            "answer_uri": FREEBASE + client.id[answer] if number is None else "",
            "supporting_facts": self._readable(block.triples),
            "supporting_facts_uri": [
                [FREEBASE + name for name in (client.id[s], client.relation[r], client.id[o])]
                for s, r, o in block.triples
            ],
            "subgraph": self._readable(block.subgraph),
            "subgraph_size": len(block.subgraph),
            **dict(_judged(to_json(block).get("judgements", ()))),
        }

    def _readable(self, triples: Iterable[Triple]) -> list[list[str]]:
        label, relation = self._client.label, self._client.relation
        return [[label[s], relation[r], label[o]] for s, r, o in triples]


def _judged(judgements: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, bool | str | None]]:
    """What each judge says, flag by flag."""
    for number in range(1, JUDGES + 1):
        judgement = judgements[number - 1] if number <= len(judgements) else {}
        for said in _SAID:
            for part in ("flag", "reasoning"):
                yield f"{said}_{part}_{number}", judgement.get(f"{said}_{part}")
