"""The export ``neo4j``: CSV for ``neo4j-admin database import``, and the same as a script in Cypher.

Of releases of the kind ``cypher`` it is their property graph, see
`rulemine.exports.formats.neo4j_properties`. Of others the graph is the one that `rulemine.query.cypher`
expects: nodes ``(:Entity {name})``, relationships typed by the relations. Quotes are doubled in CSV, as the
import expects, and nothing else is escaped there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from rulemine.config import Section
from rulemine.cypher.rows import row_of
from rulemine.exports.formats.neo4j_properties import (
    delimiter_of,
    import_options,
    script_of,
    tables_of,
)
from rulemine.exports.formats.rdf import asked
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.kg.graph import Triple
from rulemine.query.cypher import to_cypher
from rulemine.query.parser import parse
from rulemine.query.tree import quoted
from rulemine.release.records import Question

__all__ = ["Neo4j"]

_ROWS = 1000
"""Nodes or relationships of one statement."""


@dataclass(frozen=True)
class Neo4j(Section):
    """Writes ``nodes.csv``, ``relations.csv``, ``load.cypher``, and ``questions.jsonl`` with a query each."""

    answers: ClassVar = ("entities", "rows")

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        if given.release.has_property_graph:
            return _export_properties(given, folder)
        kg = given.kg
        ids = {e.name: e.id.removeprefix("m.") for e in given.client.entities}
        nodes = [e.name for e in given.client.entities if e.name in kg.entity_ids]
        rows = kg.labeled()
        folder.csv(
            "nodes.csv", [(":ID", "name", ":LABEL"), *((ids[n], n, "Entity") for n in nodes)]
        )
        folder.csv(
            "relations.csv",
            [(":START_ID", ":END_ID", ":TYPE"), *((ids[s], ids[o], r) for s, r, o in rows)],
        )
        folder.lines("load.cypher", _script(nodes, rows))
        folder.jsonl(
            "questions.jsonl",
            (
                asked(given, question) | {"cypher": to_cypher(parse(question.query))}
                for question in given.questions()
            ),
        )
        folder.count("nodes", len(nodes))
        folder.count("relationships", len(rows))


def _export_properties(given: ExportInput, folder: ExportFolder) -> None:
    """Writes a property graph, and the questions with their gold and its rows on the complete graph."""
    graph = given.property_graph
    delimiter = delimiter_of(graph)
    names = []
    for name, lines in tables_of(graph, delimiter):
        folder.lines(name, lines)
        names.append(name)
    folder.lines("import.args", import_options(names, delimiter))
    folder.lines("load.cypher", script_of(graph))
    folder.jsonl("questions.jsonl", (_with_gold(given, q) for q in given.questions()))
    folder.count("nodes", len(graph.nodes))
    folder.count("relationships", len(graph.edges))


def _with_gold(given: ExportInput, question: Question) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": question.id,
        "split": question.split,
        "question": question.question,
        "topics": question.anchors,
    }
    if not given.without_answers:
        block = question.block
        row |= {"cypher": block.cypher, "columns": block.columns, "ordered": block.ordered}
        row["rows"] = list(map(row_of, block.rows))
    return row


def _script(nodes: list[str], rows: list[Triple]) -> Iterator[str]:
    """Statements that make the graph without any other file, for cypher-shell."""
    yield "CREATE INDEX entity_name IF NOT EXISTS FOR (e:Entity) ON (e.name);"
    yield "CALL db.awaitIndexes();"
    for some in _lists([quoted(name) for name in nodes]):
        yield f"UNWIND {some} AS name CREATE (:Entity {{name: name}});"
    for relation, group in groupby(sorted(rows, key=lambda row: row[1]), lambda row: row[1]):
        type_ = relation.replace("`", "``")
        for some in _lists([f"[{quoted(s)}, {quoted(o)}]" for s, _, o in group]):
            yield (
                f"UNWIND {some} AS row MATCH (s:Entity {{name: row[0]}}), (o:Entity {{name: row[1]}}) "
                f"CREATE (s)-[:`{type_}`]->(o);"
            )


def _lists(items: Sequence[str]) -> Iterator[str]:
    """Lists of Cypher, some items each."""
    for start in range(0, len(items), _ROWS):
        yield f"[{', '.join(items[start : start + _ROWS])}]"
