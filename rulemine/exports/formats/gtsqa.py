"""``gtsqa``: the fields of GTSQA, the data set of SynthKGQA (arXiv 2511.04473), for the kind ``subgraphs``.

Entities are ``LABEL (ID)`` where that data set has them so, ids elsewhere; ids, relations and the IRIs of
queries are those of the SPARQL endpoint. What it calls ``wikikg2`` is the complete graph here; ``wikidata``,
the larger graph, that and the reference graph.
"""

from dataclasses import dataclass
from typing import ClassVar

from rulemine.exports.protocol import ExportFolder, ExportInput, Field, Fields
from rulemine.exports.rdf_names import sparql_in
from rulemine.exports.row_export import RowExport
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql

__all__ = ["GtsqaExport"]

TEST_TYPES = {"ugt": "unseen_graph_type", "urt": "unseen_relation_type"}
"""What a test question has that training lacks, as GTSQA calls it."""


@dataclass(frozen=True)
class GtsqaExport(RowExport):
    """Questions with their answer subgraphs, one file a split, and the graph that they are about."""

    file: ClassVar[str] = "{split}.jsonl"
    empty_splits: ClassVar[bool] = False
    names_of_clients: ClassVar[bool] = True
    needs: ClassVar[str] = "say which seeds are needed"

    def fields(self, given: ExportInput) -> Fields:
        """Of a count, the answer is its number."""
        client, in_sparql = given.client, sparql_in(given, "freebase")
        node = {e.name: f"{e.label} ({e.id})" for e in client.entities}
        evidence: Field = lambda q: client.triples(q.full_evidence, client.id)  # noqa: E731
        asked: Fields = {
            "id": "id",
            "question": "question",
            "paraphrased_question": lambda q: next(iter(q.paraphrases), ""),
            "seed_entities": lambda q: [node[name] for name in q.anchors],
        }
        return asked | given.unless_secret(
            {
                "answer_node": lambda q: node[q.block.answer] if q.value is None else str(q.value),
                "answer_subgraph": lambda q: client.triples(q.block.triples, node),
                "sparql_query": lambda q: in_sparql(q.sparql),
                "all_answers_wikidata": lambda q: [a.id for a in given.gold(q)],
                "full_answer_subgraph_wikidata": evidence,
                "all_answers_wikikg2": lambda q: [a.id for a in given.gold(q, further=False)],
                "full_answer_subgraph_wikikg2": evidence,
                "n_hops": "hops",
                "graph_isomorphism": "shape",
                "redundant": "block.redundant",
                "minimal_graph_isomorphism": "block.minimal_shape",
                "minimal_seeds_and_queries": lambda q: [
                    {
                        "seeds": [node[name] for name in least.anchors],
                        "sparql_query": in_sparql(to_sparql(parse(least.query))),
                    }
                    for least in q.block.minimal
                ],
                "test_type": lambda q: [TEST_TYPES.get(one, one) for one in q.block.test_type],
            }
        )

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, and the names of its entities."""
        client = given.client
        folder.tsv("graph.tsv", client.triples(given.kg.labeled(), client.id))
        folder.tsv("entities.tsv", [(e.id, e.label) for e in given.entities()])
