"""``gtsqa``: the fields of GTSQA, the data set of SynthKGQA (arXiv 2511.04473), for the kind ``subgraphs``.

Entities and relations are ``LABEL (ID)`` where that data set has them so, ids elsewhere; ids and the IRIs of
queries are those of `rulemine.exports.source_names`. What it calls ``wikikg2`` is the complete graph here;
``wikidata``, the larger graph, that and the reference graph.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from rulemine.config import option
from rulemine.exports.graph_per_question import GraphPerQuestion
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.source_names import SourceNames
from rulemine.kg.graph import Triple
from rulemine.phrasing.relation_names import words_of
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.release.records import Question

__all__ = ["GtsqaExport"]

TEST_TYPES = {
    "id": "in_distribution",
    "ugt": "unseen_graph_type",
    "urt": "unseen_relation_type",
}
"""What a test question has that training lacks, as GTSQA calls it."""


@dataclass(frozen=True)
class GtsqaExport(GraphPerQuestion):
    """Questions with their answer subgraphs, one file a split, and the graph that they are about.

    Attributes:
        graphs: Whether every question has a graph of its own, as in the configuration ``gtsqa-with-graphs``.
    """

    file: ClassVar[str] = "{split}.jsonl"
    empty_splits: ClassVar[bool] = False
    needs: ClassVar = ("minimal",)

    graphs: bool = option(False)

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Nothing is refused."""
        return ""

    def fields(self, given: ExportInput) -> Fields:
        """Of a count, the answer is its number."""
        named = _Named(given)
        node, ids, in_sparql = named.entity, named.source.ids, named.source.sparql
        key = named.source.entity_id

        def gold(question: Question, further: bool) -> list[str]:
            if question.value is not None:
                return [str(question.value)]
            out = () if further else question.further
            return [key[a] for a in question.answers if a not in out]

        asked: Fields = {
            "id": "id",
            "question": "question",
            "paraphrased_question": lambda q: next(iter(q.paraphrases), None),
            "seed_entities": lambda q: [node[name] for name in q.anchors],
        }
        return asked | given.unless_secret(
            {
                "answer_node": lambda q: node[q.block.answer] if q.value is None else str(q.value),
                "answer_subgraph": lambda q: [named.triple(t) for t in q.block.triples],
                "sparql_query": lambda q: in_sparql(q.sparql),
                "all_answers_wikidata": lambda q: gold(q, True),
                "full_answer_subgraph_wikidata": lambda q: ids(q.full_evidence),
                "all_answers_wikikg2": lambda q: gold(q, False),
                "full_answer_subgraph_wikikg2": lambda q: ids(q.full_evidence),
                "n_hops": "hops",
                "graph_isomorphism": "shape",
                "redundant": "block.redundant",
                "minimal_graph_isomorphism": "block.minimal_shape",
                # The data set has the text of a Python dictionary here, since every question has other keys.
                "minimal_seeds_and_queries": lambda q: str(
                    {
                        "-".join(key[name] for name in least.anchors): in_sparql(
                            to_sparql(parse(least.query))
                        )
                        for least in q.block.minimal
                    }
                ),
                "test_type": lambda q: (
                    [TEST_TYPES.get(one, one) for one in q.block.test_type]
                    if q.split == "test"
                    else ["training"]
                ),
            }
        )

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        if not self.graphs:
            return super().__call__(given, folder)
        named, known = _Named(given), given.kg.labeled()
        for split, some in self.by_split(given, folder):
            if given.questions(split):
                rows = zip(self.rows(given, folder, split), some, strict=True)
                graphs = (
                    row | {"graph": [named.triple(known[at]) for at in one.rows.tolist()]}
                    for row, one in rows
                )
                folder.jsonl(self.file.format(split=split), graphs)
        self.beside(given, folder)

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph, and the names of its entities."""
        key = SourceNames.of(given)
        folder.tsv("graph.tsv", key.ids(given.kg.labeled()))
        folder.tsv("entities.tsv", [(key.entity_id[e.name], e.label) for e in given.entities()])


class _Named:
    """``LABEL (ID)`` of everything; a relation's label is its name in words.

    Attributes:
        source: The names of the source.
        entity: Name in the naming of the export → that.
    """

    def __init__(self, given: ExportInput) -> None:
        self.source = SourceNames.of(given)
        self.entity = {
            e.name: f"{e.label} ({self.source.entity_id[e.name]})" for e in given.client.entities
        }

    @cached_property
    def relation(self) -> dict[str, str]:
        """Relation → that."""
        return {
            r: f"{' '.join(words_of(r)) or r} ({i})" for r, i in self.source.relation_id.items()
        }

    def triple(self, triple: Triple) -> list[str]:
        """A triple."""
        s, r, o = triple
        return [self.entity[s], self.relation[r], self.entity[o]]
