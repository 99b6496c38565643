"""The property graphs: one that keeps to its schema, and that one without what is removed.

Checks of the complete one that its nodes are the entities, called by their ids and of the types of
``types.tsv``, with nothing else that says who they are; that types, properties and values are those of its
schema; that its edges state the triples of the complete KG; and that each fact is stated in all its
statements, with the same properties. Each of the others is the complete one without the edges of the triples
removed at its level or before, so the same holds for it.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from rulemine.verify.contents import Contents
from rulemine.verify.graph import Triple
from rulemine.verify.report import shown

__all__ = ["LabeledEdge", "LabeledGraph", "read_graphs"]

_DATATYPES: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: type(value) is str,
    "int": lambda value: type(value) is int,
    "bool": lambda value: type(value) is bool,
    "float": lambda value: type(value) in (int, float) and abs(value) < float("inf"),
    "date": lambda value: bool(re.fullmatch(r"\d{4}-\d\d-\d\d", str(value))),
}


class LabeledEdge(NamedTuple):
    """An edge.

    Attributes:
        id: Its id.
        triple: What it states.
        signature: The type of its subject, its relation, the type of its object; "" for what is no node.
        properties: Property → value.
    """

    id: str
    triple: Triple
    signature: Triple
    properties: dict[str, Any]


class LabeledGraph:
    """A property graph; dates are texts.

    Attributes:
        plain: The JSON of its file, SimpleKG.
        types: Node → type.
        values: Node → property → value.
        edges: All edges.
        leading: Relation, ``subject`` or ``object``, and a node → the edges with that node at that end;
            relation and twice "" → all its edges.
        ends: A signature, and ``subject`` or ``object`` → the nodes at that end of such edges.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self.plain, self.edges = plain, list[LabeledEdge]()
        self.types: dict[str, str] = {row["eid"]: row["label"] for row in plain["entities"]}
        self.values = {row["eid"]: row["properties"] for row in plain["entities"]}
        self.leading: dict[Triple, list[LabeledEdge]] = defaultdict(list)
        self.ends: dict[tuple[Triple, str], set[str]] = defaultdict(set)
        for row in plain["relations"]:
            subject, relation, object_ = triple = row["subj_id"], row["label"], row["obj_id"]
            signature = self.types.get(subject, ""), relation, self.types.get(object_, "")
            self.edges.append(LabeledEdge(row["rid"], triple, signature, row["properties"]))
            for end, node in (("subject", subject), ("object", object_), ("", "")):
                self.leading[relation, end, node].append(self.edges[-1])
                self.ends[signature, end].add(node)


def read_graphs(contents: Contents) -> dict[int, LabeledGraph]:
    """Reads and checks the property graphs.

    Returns:
        Level → graph; 0 is the complete one.
    """
    graphs: dict[int, LabeledGraph] = {}
    names = {0: "complete"} | {level: f"incomplete-{level}" for level in contents.release.levels}
    for level, name in (names | {100: "incomplete"}).items():
        file = f"property_graph/{name}.json.gz"
        with gzip.open(contents.release.folder / file, "rt", encoding="utf-8") as text:
            graphs[level] = graph = LabeledGraph(json.load(text))
        gone = {triple for triple, at in contents.removed.items() if at.row["level"] <= level}
        for what in _changes(graph, graphs[0], gone) if level else _faults(graph, contents):
            contents.findings.add(file, None, *what)
    return graphs


Faults = Iterator[tuple[str, ...]]
"""Each an invariant, what was found, and what was expected."""


def _changes(graph: LabeledGraph, complete: LabeledGraph, gone: set[Triple]) -> Faults:
    """How a graph differs from the complete one without some triples."""
    pairs = zip(complete.plain["relations"], complete.edges, strict=True)
    kept = [row for row, edge in pairs if edge.triple not in gone]
    for part, expected in (complete.plain | {"relations": kept}).items():
        if graph.plain[part] != expected:
            yield (
                "incomplete = complete − removed",
                *map(shown, differing(graph.plain[part], expected)),
            )


def differing(found: Any, expected: Any) -> tuple[Any, Any]:
    """Where two values differ: of lists the first items that do."""
    if not (isinstance(found, list) and isinstance(expected, list)):
        return found, expected
    pairs = zip_longest(found, expected)
    return next((pair for pair in pairs if pair[0] != pair[1]), (found, expected))


def _faults(graph: LabeledGraph, contents: Contents) -> Faults:
    """What is wrong with the complete graph."""
    nodes, schema = graph.plain["entities"], graph.plain["schema"]
    known: dict[Any, dict[str, str]] = {
        **{row["label"]: row["properties"] for row in schema["entities"]},
        **{
            (row["subj_label"], row["label"], row["obj_label"]): row["properties"]
            for row in schema["relations"]
        },
    }
    if odd := graph.types.keys() ^ contents.entities.keys():
        yield "nodes", shown(sorted(odd)[:3]), "in this file and in entities.tsv, or in neither"
    if lost := {edge.triple for edge in graph.edges} ^ {*contents.complete}:
        yield "edges = triples", shown(sorted(lost)[:3]), "in this file and in kg/, or in neither"
    for row in nodes:
        expected = {
            "eid": row["eid"], "label": "".join(contents.types.get(row["eid"], ())), "name": row["eid"],
            "aliases": [], "description": "", "properties": row["properties"], "provenance": [],
        }  # fmt: skip
        if row != expected:
            yield "nodes", shown(row), f"{shown(expected)}: nothing else says who it is"
    held: list[tuple[str, Any, dict[str, Any]]] = [
        *((row["eid"], row["label"], row["properties"]) for row in nodes),
        *((edge.id, edge.signature, edge.properties) for edge in graph.edges),
    ]
    for id_, type_, values in held:
        if type_ not in known:
            yield "schema", f"{id_}: {type_}", "a type or a relation of the schema"
        for name, value in values.items():
            datatype = known.get(type_, {}).get(name, "none, the schema has no such property")
            if not _fits(value, datatype):
                yield "schema", f"{id_}.{name} = {shown(value)}", datatype
    # What an edge without properties says, one with some says too.
    said = {(edge.triple, str(some)) for edge in graph.edges for some in ({}, edge.properties)}
    for edge in graph.edges:
        for other in contents.facts.statements(edge.triple):
            if (other, str(edge.properties)) not in said:
                yield "closed under declarations", shown(edge), f"{other} with the same properties"


def _fits(value: Any, datatype: str) -> bool:
    """Whether a JSON value is of a datatype."""
    if datatype.startswith("list["):
        return isinstance(value, list) and all(_fits(item, datatype[5:-1]) for item in value)
    return datatype in _DATATYPES and _DATATYPES[datatype](value)
