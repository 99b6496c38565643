"""The export ``neo4j``: CSV for ``neo4j-admin database import``, and the same as a script in Cypher.

Of releases of the kind ``cypher`` it is their property graph, see
`rulemine.exports.formats.neo4j_properties`. Of others the graph is the one that `rulemine.query.cypher`
expects: nodes ``(:Entity {name})``, relationships typed by the relations. Quotes are doubled in CSV, as the
import expects, and nothing else is escaped there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from rulemine.cypher.rows import row_of
from rulemine.errors import ReleaseError
from rulemine.exports.formats.neo4j_properties import (
    lists_of,
    write_property_graph,
)
from rulemine.exports.formats.rdf import ASKED, asked
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import RowExport
from rulemine.kg.graph import Triple
from rulemine.query.cypher import to_cypher
from rulemine.query.parser import parse
from rulemine.query.tree import quoted

__all__ = ["Neo4j"]


@dataclass(frozen=True)
class Neo4j(RowExport):
    """Writes ``nodes.csv``, ``relations.csv``, ``load.cypher``, and ``questions.jsonl`` with a query each."""

    answers: ClassVar = ("entities", "rows")

    def check(self, given: ExportInput) -> None:
        """Refuses questions about several property graphs."""
        if given.release.named_graphs:
            raise ReleaseError(
                f"{given.release.path}: its questions are about several property graphs, and a database has "
                "one. Load each file of property_graph/ by rulemine serve neo4j load."
            )

    def fields(self, given: ExportInput) -> Fields:
        """With the query in Cypher; of a property graph, with the gold and its rows on the complete graph."""
        if not given.release.has_property_graph:
            return asked(given) | {"cypher": lambda q: to_cypher(parse(q.query)) if q.query else ""}
        gold: Fields = {name: f"block.{name}" for name in ("cypher", "columns", "ordered")}
        gold["rows"] = lambda q: list(map(row_of, q.block.rows))
        return {**ASKED, **given.unless_secret(gold)}

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph."""
        if given.release.has_property_graph:
            graph = given.property_graph
            write_property_graph(graph, folder)
            nodes, edges = len(graph.nodes), len(graph.edges)
        else:
            nodes, edges = _write_graph(given, folder)
        folder.count("nodes", nodes)
        folder.count("relationships", edges)


def _write_graph(given: ExportInput, folder: ExportFolder) -> tuple[int, int]:
    """Writes the triples of the graph; returns how many nodes and relationships there are."""
    ids = {e.name: e.id.removeprefix("m.") for e in given.client.entities}
    nodes = [name for name in ids if name in given.kg.entity_ids]
    rows = given.kg.labeled()
    folder.csv("nodes.csv", [(":ID", "name", ":LABEL"), *((ids[n], n, "Entity") for n in nodes)])
    edges = ((ids[s], ids[o], r) for s, r, o in rows)
    folder.csv("relations.csv", [(":START_ID", ":END_ID", ":TYPE"), *edges])
    folder.lines("load.cypher", _script(nodes, rows))
    return len(nodes), len(rows)


def _script(nodes: list[str], rows: list[Triple]) -> Iterator[str]:
    """Statements that make the graph without any other file, for cypher-shell."""
    yield "CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.name);"
    yield "CALL db.awaitIndexes();"
    for some in lists_of([quoted(name) for name in nodes]):
        yield f"UNWIND {some} AS name CREATE (:Entity {{name: name}});"
    for relation, group in groupby(sorted(rows, key=lambda row: row[1]), lambda row: row[1]):
        type_ = relation.replace("`", "``")
        for some in lists_of([f"[{quoted(s)}, {quoted(o)}]" for s, _, o in group]):
            yield (
                f"UNWIND {some} AS row MATCH (s:Entity {{name: row[0]}}), (o:Entity {{name: row[1]}}) "
                f"CREATE (s)-[:`{type_}`]->(o);"
            )
