"""``gtsqa``: the fields of GTSQA, the data set of SynthKGQA (arXiv 2511.04473), for the kind ``subgraphs``.

Entities are ``LABEL (ID)`` where that data set has them so, ids elsewhere; ids, relations and the IRIs of
queries are those of the SPARQL endpoint. What it calls ``wikikg2`` is the complete graph here; ``wikidata``,
the larger graph, that and the reference graph.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import Section
from rulemine.errors import ConfigError
from rulemine.exports.one_split import entities_of
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.exports.rdf_names import sparql_in
from rulemine.kg.graph import Triple
from rulemine.kinds.registry import kind_named
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.release.records import Question

__all__ = ["GtsqaExport"]

TEST_TYPES = {"ugt": "unseen_graph_type", "urt": "unseen_relation_type"}
"""What a test question has that training lacks, as GTSQA calls it."""


@dataclass(frozen=True)
class GtsqaExport(Section):
    """Questions with their answer subgraphs, one file a split, and the graph that they are about."""

    names_of_clients: ClassVar[bool] = True

    def check(self, given: ExportInput) -> None:
        """Refuses questions of another kind.

        Raises:
            ConfigError: They are.
        """
        if "gtsqa" not in kind_named(given.release.kind).formats:
            raise ConfigError(
                f"export format gtsqa: its questions say which seeds are needed, which those of the kind "
                f"{given.release.kind} do not. Take a release of the kind subgraphs."
            )

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        rows = _Rows(given)
        for done, split in enumerate(given.splits):
            given.progress(done, len(given.splits))
            if asked := given.questions(split):
                folder.jsonl(f"{split}.jsonl", map(rows.of, asked))
        folder.tsv("graph.tsv", rows.ids(given.kg.labeled()))
        folder.tsv("entities.tsv", [(e.id, e.label) for e in entities_of(given)])


class _Rows:
    """Makes the rows of questions."""

    def __init__(self, given: ExportInput) -> None:
        self._client, self._secret = given.client, given.without_answers
        self._sparql = sparql_in(given, "freebase")

    def of(self, question: Question) -> dict[str, Any]:
        """The row of a question; of a count, the answer is its number."""
        row: dict[str, Any] = {
            "id": question.id,
            "question": question.question,
            "paraphrased_question": next(iter(question.paraphrases), ""),
            "seed_entities": list(map(self._node, question.anchors)),
        }
        if self._secret:
            return row
        block, number = question.block, question.value
        known = [a for a in question.answers if a not in question.further]
        evidence = self.ids(question.full_evidence)

        def answers(names: Iterable[str]) -> list[str]:
            return [self._client.id[a] for a in names] if number is None else [str(number)]

        return row | {
            "answer_node": self._node(block.answer) if number is None else str(number),
            "answer_subgraph": [
                [self._node(s), self._client.relation[r], self._node(o)]
                for s, r, o in block.triples
            ],
            "sparql_query": self._sparql(question.sparql),
            "all_answers_wikidata": answers(question.answers),
            "full_answer_subgraph_wikidata": evidence,
            "all_answers_wikikg2": answers(known),
            "full_answer_subgraph_wikikg2": evidence,
            "n_hops": question.hops,
            "graph_isomorphism": question.shape,
            "redundant": block.redundant,
            "minimal_graph_isomorphism": block.minimal_shape,
            "minimal_seeds_and_queries": [
                {
                    "seeds": list(map(self._node, least.anchors)),
                    "sparql_query": self._sparql(to_sparql(parse(least.query))),
                }
                for least in block.minimal
            ],
            "test_type": [TEST_TYPES.get(one, one) for one in block.test_type],
        }

    def ids(self, triples: Iterable[Triple]) -> list[list[str]]:
        """Triples of ids."""
        key, relation = self._client.id, self._client.relation
        return [[key[s], relation[r], key[o]] for s, r, o in triples]

    def _node(self, name: str) -> str:
        return f"{self._client.label[name]} ({self._client.id[name]})"
