"""Questions over a property graph, whose answers are rows: the graphs, each question on them, and its gold.

Checks of the complete graph that its nodes are the entities, called by their ids and of the types of
``types.tsv``, with nothing else that says who they are; that types, properties and values are those of its
schema; that its edges state the triples of the complete KG; and that each fact is stated in all its
statements, with the same properties. Each of the others is the complete one without the edges of the triples
removed at its level or before, so the same holds for it.

The gold Cypher is run on a database that the caller hands in, so that this package needs none: its rows on
every graph have to be those of the second evaluation. Floats are equal within a relative 1e-9, because an
average depends on the order of its sum; what ORDER BY leaves open may come in any order, and of what ties for
the greatest or least any one is right. Without a database a note says that the gold is not independently
verified; that is no fault of the release.
"""

import gzip
import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from rulemine.verify.contents import Contents, Record, Row
from rulemine.verify.graph import Triple
from rulemine.verify.kinds import GoldServer, KindChecks, Result
from rulemine.verify.kinds.cypher.evaluation import FoundRows, LabeledGraph, read
from rulemine.verify.kinds.cypher.questions import check_rows
from rulemine.verify.questions.question_set import check_limit, check_splits
from rulemine.verify.report import differing, shown

__all__ = ["CHECKS"]

_DATATYPES: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: type(value) is str,
    "int": lambda value: type(value) is int,
    "bool": lambda value: type(value) is bool,
    "float": lambda value: type(value) in (int, float) and abs(value) < float("inf"),
    "date": lambda value: bool(re.fullmatch(r"\d{4}-\d\d-\d\d", str(value))),
}

Faults = Iterator[tuple[str, ...]]
"""Each an invariant, what was found, and what was expected."""


def _check_whole(contents: Contents) -> None:
    """Checks splits, and how many questions a template has."""
    check_splits(contents)
    templates = (f"of {at.row['shape']}" for at in contents.questions)
    check_limit(
        contents, templates, contents.option("cypher", "per_template"), "cypher.per_template"
    )


def _check_otherwise(
    contents: Contents, questions: Iterable[Record], gold: GoldServer | None
) -> None:
    """Checks property graphs, questions, and their gold on each graph."""
    graphs = read_graphs(contents)
    found = [(at, check_rows(contents, at, graphs)) for at in questions]
    if gold is None:
        contents.findings.notes.append(
            "gold not independently verified: its Cypher was run on no database (--neo4j URL; or fetch one: "
            "rulemine data neo4j start)"
        )
    for level, graph in graphs.items() if gold else ():
        run = gold(graph.plain)  # type: ignore[misc]
        for at, rows in found:
            given, right = run(at.row["block"]["cypher"]), (at.row["block"]["columns"], rows[level])
            if isinstance(given, str) or not _agree(given, right):
                contents.wrong(at, f"gold at level {level}", given, shown(right))
        contents.findings.checked["gold queries run"] += len(found)


def _agree(given: Result, right: tuple[list[str], FoundRows]) -> bool:
    """Whether a database gives the right columns and rows."""
    columns, (rows, keys, tied) = right
    keyed = groupby(zip(keys or [""] * len(rows), given[1], strict=False), itemgetter(0))
    in_order = chain.from_iterable(sorted(row for _, row in run) for _, run in keyed)
    return ([*given[0]], len(given[1])) == (columns, len(rows)) and (
        {*given[1]} <= {*tied} if tied else all(map(_close, in_order, rows))
    )


def _close(one: str, other: str) -> bool:
    """Whether two rows are equal but for the last digits of floats."""
    return one == other or all(
        repr(a) == repr(b) or (type(a) is type(b) is float and math.isclose(a, b))
        for a, b in zip(json.loads(one), json.loads(other), strict=True)
    )


def _apart(row: Row, contents: Contents) -> list[tuple[str, Hashable]]:
    """Matches, and what ``split_by`` names: signature or domain; questions are apart by their matches."""
    asked, way = read(row["query"]), contents.option(contents.kind, "split_by")
    signature = tuple(sorted((asked.types[s], r, asked.types[o]) for s, r, o in asked.edges))
    shared = {key: asked.row.get(key) for key in ("match", "nodes", "relations", "time")}
    matches, domain = json.dumps(shared), asked.types["n"]
    of_way = {"domain": domain, "signature": signature or domain}.get(way, matches)
    return [("matches", matches), (way, of_way)]


def _constants(row: Row) -> list[str]:
    """Named nodes, times and values."""
    asked = read(row["query"])
    return [
        *asked.names.values(),
        *(f"= {asked.row[key]}" for key in ("time", "bound") if key in asked.row),
    ]


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


CHECKS = KindChecks(
    whole=_check_whole, otherwise=_check_otherwise, apart=_apart, constants=_constants
)
