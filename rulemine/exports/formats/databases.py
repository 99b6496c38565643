"""Questions with queries: ``rdf`` and ``neo4j`` for databases, ``sparql-sft`` for models to train."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.cypher.questions.render import quoted_name, quoted_value
from rulemine.cypher.rows import row_of
from rulemine.errors import ReleaseError
from rulemine.evaluation.sparql.prompts import ShownQuestion, about, answered, task_on
from rulemine.exports.iris import IRIS, sparql_in, triples
from rulemine.exports.protocol import ABSENT, ExportFolder, ExportInput, Fields, RowExport
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import NAME, EntityType, RelationType
from rulemine.kg.property_graph.values import Value, is_list, to_plain
from rulemine.neo4j.loading import Statement, property_graph_statements, triple_statements
from rulemine.query.cypher import to_cypher
from rulemine.query.parser import parse
from rulemine.release.guessing import order_of_names
from rulemine.release.records import Question

__all__ = ["ASKED", "Neo4j", "Rdf", "SparqlTraining", "asked", "script_of", "write_property_graph"]

ASKED = {"id": "id", "split": "split", "question": "question", "topics": "anchors"}
"""The fields of a question that give no answer away."""


@dataclass(frozen=True)
class Rdf(RowExport):
    """Writes ``graph.nt``, and ``questions.jsonl`` with a query in SPARQL each.

    Attributes:
        iris: ``release`` or ``freebase``, see `rulemine.exports.iris`.
    """

    iris: str = option("release", choices=IRIS)

    @property
    def names_of_clients(self) -> bool:
        """Whether the names are those of `ClientNames`."""
        return self.iris == "freebase"

    def fields(self, given: ExportInput) -> Fields:
        """With the query in SPARQL."""
        in_sparql = sparql_in(given, self.iris)
        return asked(given) | {"sparql": lambda q: in_sparql(q.sparql)}

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the graph."""
        folder.lines("graph.nt", triples(given, self.iris))
        folder.count("triples", len(given.kg))


def asked(given: ExportInput) -> Fields:
    """What a row has for every triple store; without answers where none may be given away."""
    answers: Fields = {
        "answers": "answers",
        "hard_answer": "hard_answer",
        "value": lambda q: ABSENT if q.value is None else q.value,
    }
    return {**ASKED, **given.unless_secret(answers)}


@dataclass(frozen=True)
class SparqlTraining(RowExport):
    """Training questions with their SPARQL as conversations, to fine-tune a model on.

    ``train.jsonl`` has the training split and nothing of the others. A line is ``{"messages": [user,
    assistant]}``, the form that trainers of chat models read; what the user says is the prompt of the
    answerer ``text-to-sparql`` to the letter, so that the trained model answers what it was trained on.
    """

    file: ClassVar[str] = "{split}.jsonl"
    splits: ClassVar = ("train",)

    def fields(self, given: ExportInput) -> Fields:
        """The conversation."""
        task = task_on(given.kg, order_of_names(given.release.entities, given.naming))

        def messages(question: Question) -> list[dict[str, str]]:
            asked = about(ShownQuestion(question.question, question.anchors))
            return [
                {"role": "user", "content": f"{task}\n\n{asked}"},
                {"role": "assistant", "content": answered(question.sparql)},
            ]

        return {"messages": messages}

    def refusal(self, given: ExportInput, question: Question) -> str:
        """Questions of others may have no query."""
        return "" if question.sparql else "it has no query"


_TYPES = {"str": "string", "int": "long", "float": "double", "bool": "boolean", "date": "date"}
"""Datatype → the one of the import. Its int and float have 32 bits."""

_DELIMITERS = (";", "|", "\x1f", "\x1e")


@dataclass(frozen=True)
class Neo4j(RowExport):
    """CSV for ``neo4j-admin database import``, the same as a script in Cypher, and questions with queries.

    Of releases of the kind ``cypher`` it is their property graph. Of others the graph is the one that
    `rulemine.query.cypher` expects: nodes ``(:Entity {name})``, relationships typed by the relations. Quotes
    are doubled in CSV, as the import expects, and nothing else is escaped there.

    Guarantee: CSV and script make what `rulemine.neo4j.loading` says. Only in CSV a list without items, or of
    one empty text, is no value: the import reads both as none.
    """

    answers: ClassVar = ("entities", "rows")

    def check(self, given: ExportInput) -> None:
        """Refuses questions about several property graphs."""
        if given.release.named_graphs:
            raise ReleaseError(
                f"{given.release.path}: its questions are about several property graphs, and a database has "
                "one. Load each file of property_graph/ by rulemine data neo4j load."
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
    folder.lines("load.cypher", script_of(triple_statements(nodes, rows)))
    return len(nodes), len(rows)


def write_property_graph(graph: PropertyGraph, folder: ExportFolder) -> None:
    """Writes the tables with the options of the import, a line each, and the script."""
    delimiter = _delimiter(graph)
    options = []
    for name, lines in _tables(graph, delimiter):
        folder.lines(name, lines)
        options.append(f"--{'nodes' if name.startswith('nodes') else 'relationships'}={name}")
    options += [f"--array-delimiter=U+{ord(delimiter):04X}", "--multiline-fields=true"]
    folder.lines("import.args", options)
    folder.lines("load.cypher", script_of(property_graph_statements(graph)))


def _delimiter(graph: PropertyGraph) -> str:
    """What separates the items of lists in CSV, where nothing escapes it: the first sign that no item has."""
    rows: list[GraphNode | GraphEdge] = [*graph.nodes, *graph.edges]
    texts = [
        item
        for row in rows
        for value in row.properties.values()
        if isinstance(value, tuple)
        for item in value
        if isinstance(item, str)
    ]
    free = [sign for sign in _DELIMITERS if not any(sign in text for text in texts)]
    return free[0] if free else _DELIMITERS[0]


def _tables(graph: PropertyGraph, delimiter: str) -> Iterator[tuple[str, Iterator[str]]]:
    """The files for the import: names and lines.

    There is one of nodes and one of relationships, but for types that have a property of the same name with
    another datatype: they have a file of their own.
    """
    for number, (columns, labels) in enumerate(_together(graph.schema.entities), start=1):
        header = ["id:ID", NAME, ":LABEL"]
        rows = (
            ([n.id, n.name, n.type], n.properties)
            for label in sorted(labels)
            for n in map(graph.nodes.__getitem__, graph.of_type(label))
        )
        yield f"nodes{number if number > 1 else ''}.csv", _lines(header, columns, rows, delimiter)
    for number, (columns, labels) in enumerate(_together(graph.schema.relations), start=1):
        header = ["id", ":START_ID", ":END_ID", ":TYPE"]
        edges = (
            ([e.id, e.subject, e.object, e.type], e.properties)
            for e in graph.edges
            if e.type in labels
        )
        name = f"relations{number if number > 1 else ''}.csv"
        yield name, _lines(header, columns, edges, delimiter)


_Columns = dict[str, str]
"""Property → datatype."""


def _together(types: Sequence[EntityType | RelationType]) -> list[tuple[_Columns, set[str]]]:
    """The types that one table can hold: their columns and labels."""
    found: list[tuple[_Columns, set[str]]] = []
    for row in types:
        own = {p.name: p.datatype for p in row.properties}
        fitting = (
            pair
            for pair in found
            if all(pair[0].get(name, datatype) == datatype for name, datatype in own.items())
        )
        if (pair := next(fitting, None)) is None:
            found.append(pair := ({}, set()))
        pair[0].update(own)
        pair[1].add(row.label)
    return found


def _lines(
    header: list[str],
    columns: _Columns,
    rows: Iterator[tuple[list[str], Mapping[str, Value]]],
    delimiter: str,
) -> Iterator[str]:
    typed = (
        f"{name}:{_TYPES[datatype[5:-1] if is_list(datatype) else datatype]}"
        + "[]" * is_list(datatype)
        for name, datatype in columns.items()
    )
    yield ",".join([*header, *typed])
    for texts, properties in rows:
        cells = (_cell(properties.get(name), delimiter) for name in columns)
        yield ",".join([*map(_quoted, texts), *cells])


def _cell(value: Value | None, delimiter: str) -> str:
    """A value in CSV; an empty cell is no value, one with quotes the empty text."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return _quoted(delimiter.join(map(_plain, value))) if value else ""
    return _quoted(value) if isinstance(value, str) else _plain(value)


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # Neo4j has -0.0 equal to 0.0 and yet sorts it below.
    return repr(value + 0.0) if isinstance(value, float) else str(to_plain(value))


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"'


def script_of(statements: Iterable[Statement]) -> Iterator[str]:
    """Statements with their rows in them, a line each: they need no other file, for cypher-shell."""
    for query, rows in statements:
        yield f"{query.replace('$rows', _literal(rows), 1)};"


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted_name(k)}: {_literal(v)}' for k, v in value.items())}}}"
    return quoted_value(value)
