"""The property graphs: each is its schema's, states the triples of its KG, and differs as it is said to.

Checks of each file that it is SimpleKG; that its nodes are the entities, of the types of ``types.tsv``,
called by their ids, with nothing else that would say who they are; that types, signatures, properties and
values are those of the schema; that its edges are the triples of the file of the same name in ``kg/``; that
every statement of each declared fact is an edge, with the same properties, and none of a removed fact is. Of
the incomplete ones also that schema, nodes and edges are those of the complete one, without the edges of
removed triples, and that nothing else differs.
"""

import datetime
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rulemine.verify.contents import Contents
from rulemine.verify.folder import Folder
from rulemine.verify.graphs import REMOVED
from rulemine.verify.kinds.cypher.records import SIMPLEKG, graph_file
from rulemine.verify.report import Findings, difference, shown
from rulemine.verify.triples import Triple

__all__ = [
    "LabeledEdge",
    "LabeledGraph",
    "check_closed",
    "check_property_graph",
    "check_taken",
]

_BITS = 2**63
_SCALARS = {"str": str, "int": int, "bool": bool, "date": str}


class LabeledEdge(NamedTuple):
    """An edge: its id, relation, the ids of its ends, and its properties."""

    id: str
    relation: str
    subject: str
    object: str
    properties: dict[str, Any]

    @property
    def triple(self) -> Triple:
        """What it states."""
        return self.subject, self.relation, self.object


@dataclass(frozen=True)
class LabeledGraph:
    """A property graph as its file has it; dates are texts.

    Attributes:
        plain: The JSON of the file.
        types: Node → type.
        values: Node → property → value.
        edges: Id → edge.
    """

    plain: dict[str, Any]
    types: dict[str, str]
    values: dict[str, dict[str, Any]]
    edges: dict[str, LabeledEdge]

    @cached_property
    def triples(self) -> frozenset[Triple]:
        """What its edges state."""
        return frozenset(edge.triple for edge in self.edges.values())

    @cached_property
    def of_type(self) -> Mapping[str, list[str]]:
        """Type → its nodes."""
        found: dict[str, list[str]] = {}
        for node, label in self.types.items():
            found.setdefault(label, []).append(node)
        return found

    @cached_property
    def leading(self) -> Mapping[tuple[str, str, str], list[LabeledEdge]]:
        """Relation, ``subject`` or ``object``, and a node → the edges that have it at that end."""
        found: dict[tuple[str, str, str], list[LabeledEdge]] = {}
        for edge in self.edges.values():
            found.setdefault((edge.relation, "subject", edge.subject), []).append(edge)
            found.setdefault((edge.relation, "object", edge.object), []).append(edge)
        return found

    @cached_property
    def ends(self) -> Mapping[tuple[str, str, str], tuple[set[str], set[str]]]:
        """Type, relation and type → the subjects and the objects that its edges have."""
        found: dict[tuple[str, str, str], tuple[set[str], set[str]]] = {}
        for edge in self.edges.values():
            key = self.types[edge.subject], edge.relation, self.types[edge.object]
            subjects, objects = found.setdefault(key, (set(), set()))
            subjects.add(edge.subject)
            objects.add(edge.object)
        return found

    @cached_property
    def of_relation(self) -> Mapping[str, list[LabeledEdge]]:
        """Relation → its edges."""
        found: dict[str, list[LabeledEdge]] = {}
        for edge in self.edges.values():
            found.setdefault(edge.relation, []).append(edge)
        return found


def check_property_graph(
    folder: Folder, level: int, contents: Contents, findings: Findings
) -> LabeledGraph | None:
    """Reads and checks the graph of a level by itself; None if its file cannot be read."""
    file = graph_file(level)
    whole: Any = None
    if folder.has(file):
        try:
            whole = json.loads("\n".join(text for _, text in folder.lines(file)))
        except (ValueError, RecursionError) as problem:
            findings.add(file, None, "record", f"not JSON ({problem})", "an object")
    if whole is None:
        findings.skip(f"the property graph of level {level} (needs {file})")
        return None
    if (misfit := SIMPLEKG(whole, "")) is not None:
        findings.add(file, None, "record", misfit.found, misfit.expected)
        return None
    graph = LabeledGraph(
        whole,
        {row["eid"]: row["label"] for row in whole["entities"]},
        {row["eid"]: row["properties"] for row in whole["entities"]},
        {
            row["rid"]: LabeledEdge(
                row["rid"], row["label"], row["subj_id"], row["obj_id"], row["properties"]
            )
            for row in whole["relations"]
        },
    )
    for fault in _problems(graph, contents):
        findings.add(file, None, *fault)
    findings.count("nodes", len(graph.types))
    findings.count("edges", len(graph.edges))
    return graph


def _problems(graph: LabeledGraph, contents: Contents) -> Iterator[tuple[str, str, str]]:
    whole, known = graph.plain, contents.names.entities
    for what, key, ids in (
        ("entities", "eid", graph.types), ("relations", "rid", graph.edges),
    ):  # fmt: skip
        if len(ids) != len(whole[what]):
            yield "ids unique", f"{len(whole[what]) - len(ids)} {key} again", "each once"
    if graph.types.keys() != known.keys():
        yield "nodes", difference({*graph.types}, {*known}), "the entities of entities.tsv"
    for row in whole["entities"]:
        filled = [key for key in ("aliases", "description", "provenance") if row[key]]
        if row["name"] != row["eid"] or filled:
            found = f"{shown(row['eid'])} with name {shown(row['name'])} and {shown(filled)}"
            yield "nodes", found, "its id as name, and nothing that says who it is"
        if contents.types.get(row["eid"], frozenset()) != frozenset([row["label"]]):
            found = f"{shown(row['eid'])}: {row['label']}"
            yield "types", found, shown(sorted(contents.types.get(row["eid"], ())))
    types = {row["label"]: row["properties"] for row in whole["schema"]["entities"]}
    signatures = {
        (row["subj_label"], row["label"], row["obj_label"]): row["properties"]
        for row in whole["schema"]["relations"]
    }
    for node, label in graph.types.items():
        if label not in types:
            yield "schema", f"{shown(node)}: {label}", "a type of the schema"
        else:
            yield from _misfits(node, graph.values[node], types[label])
    for edge in graph.edges.values():
        if not graph.types.keys() >= {edge.subject, edge.object}:
            yield "schema", shown(edge), "ends that are nodes"
            continue
        signature = graph.types[edge.subject], edge.relation, graph.types[edge.object]
        if signature not in signatures:
            yield "schema", f"{edge.id}: {shown(signature)}", "a relation of the schema"
        else:
            yield from _misfits(edge.id, edge.properties, signatures[signature])


def _misfits(
    what: str, values: dict[str, Any], known: dict[str, str]
) -> Iterator[tuple[str, str, str]]:
    for name, value in values.items():
        if name not in known:
            yield "schema", f"{shown(what)}.{name}", "a property of the schema"
        elif not _fits(value, known[name]):
            yield "schema", f"{shown(what)}.{name} = {shown(value)}", known[name]


def _fits(value: Any, datatype: str) -> bool:
    """Whether a JSON value is of a datatype."""
    if datatype.startswith("list["):
        return isinstance(value, list) and all(_fits(item, datatype[5:-1]) for item in value)
    if datatype == "float":
        return type(value) in (int, float) and math.isfinite(value)
    if datatype == "date":
        try:
            return isinstance(value, str) and str(datetime.date.fromisoformat(value)) == value
        except ValueError:
            return False
    fits = type(value) is _SCALARS.get(datatype)
    return fits and (datatype != "int" or -_BITS <= value < _BITS)


def check_closed(level: int, graph: LabeledGraph, contents: Contents, findings: Findings) -> None:
    """Checks that each fact is stated by edges in all its statements, and none that is removed by any.

    Args:
        level: The level; 0: the complete graph.
        graph: Its graph.
        contents: The contents of the release.
        findings: Collects the problems.
    """
    file, facts = graph_file(level), contents.declared
    stated: dict[Triple, list[dict[str, Any]]] = {}
    for edge in graph.edges.values():
        stated.setdefault(edge.triple, []).append(edge.properties)
    for edge in graph.edges.values():
        for other in facts.statements(edge.triple) if facts.declared(edge.relation) else ():
            # What an edge without properties says, one with some says too.
            same = stated.get(other, [])
            if not same or (edge.properties and edge.properties not in same):
                found = f"{shown(edge.triple)} {shown(edge.properties)} alone"
                expected = f"{shown(other)} with the same properties"
                findings.add(file, None, "closed under declarations", found, expected)
    for triple, record in contents.removed.items():
        for other in facts.statements(triple) if record.level <= level else ():
            if other in stated:
                found = f"{shown(other)}, which states what {shown(triple)} does"
                findings.add(file, None, "removed facts are not stated", found, "no statement")


def check_taken(
    level: int,
    graph: LabeledGraph,
    complete: LabeledGraph,
    triples: set[Triple] | None,
    contents: Contents,
    findings: Findings,
) -> None:
    """Checks a graph against the complete one, and its edges against the KG of its level.

    Args:
        level: The level; 0: the complete graph.
        graph: The graph.
        complete: The complete graph.
        triples: The triples of the KG of the level; None: they cannot be read.
        contents: The contents of the release.
        findings: Collects the problems.
    """
    file, removed = graph_file(level), contents.removed

    def add(invariant: str, found: str, expected: str) -> None:
        findings.add(file, None, invariant, found, expected)

    if triples is not None and graph.triples != triples:
        found = difference({*graph.triples}, triples)
        add("edges = triples", found, "the triples of kg/, each of them")
    if graph.plain["schema"] != complete.plain["schema"]:
        add("schema", "another schema", f"that of {graph_file(0)}")
    if graph.types != complete.types:
        found = difference({*graph.types.items()}, {*complete.types.items()})
        add("nodes", found, f"those of {graph_file(0)}")
    left = {
        key: edge
        for key, edge in complete.edges.items()
        if edge.triple not in removed or removed[edge.triple].level > level
    }
    if graph.edges.keys() != left.keys():
        found = difference({*graph.edges}, {*left})
        add("incomplete = complete − removed", found, f"the edges that {REMOVED} leaves")
    for key in graph.edges.keys() & left.keys():
        if graph.edges[key] != left[key]:
            add("incomplete = complete − removed", shown(graph.edges[key]), shown(left[key]))
    for node, kept in complete.values.items():
        if (held := graph.values.get(node, {})) != kept:
            changed = sorted(name for name in {*held, *kept} if held.get(name) != kept.get(name))
            there = {name: held[name] for name in changed if name in held}
            wanted = {name: kept[name] for name in changed if name in kept}
            add("values as in the complete graph", f"{shown(node)}: {shown(there)}", shown(wanted))
