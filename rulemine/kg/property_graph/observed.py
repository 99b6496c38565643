"""Property graphs from sources that state values but no schema: a database, RDF, triples.

Names become such as Cypher takes without quotes; numbers are converted from one unit to another by ``pint``.

A node gets one type: of those that the source gives it (and the schema has), the most common that not all
nodes have, then the least by name. A property of a type gets the datatype that most of its values have, and
float if these are integers and floats; it is a list if one node in ten that has it has several values. Of
several values for a property that is no list the one with the shortest text is taken, then the least, as
CypherBench does (arXiv 2412.18702).

Of triples, each entity gets one type: what the words for its relations call it, where most entities have such
a word; else, of those that `rulemine.kg.entity_types` gives it, the most common that not every entity has.
What types and relations are called in a source stays in ``sources`` of a draft, so that a user may rename,
merge and delete them.

Guarantees: the order of nodes, edges and values does not matter; what is left out is counted by reason.
"""

import datetime
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulemine.codec import dump_line, shown
from rulemine.errors import ConfigError
from rulemine.kg.entity_types import states_type, types_of
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import GraphEdge, GraphNode, PropertyGraph
from rulemine.kg.property_graph.schema import NAME, EntityType, Property, RelationType, Schema
from rulemine.kg.property_graph.values import (
    DATATYPES,
    Measured,
    Strange,
    Value,
    fits,
    is_list,
    to_plain,
)

__all__ = [
    "SourceEdge",
    "SourceNode",
    "Strange",
    "draft_of",
    "edge_ids",
    "from_triples",
    "graph_of",
    "one_type_each",
]

_SEVERAL = 0.1
"""The share of nodes with several values from which on a drafted property is a list."""

_RENAMED = "other_name"
"""What a property is called whose name is that of every node's name."""


_FEWEST = 5
"""Fewest entities of a type that is named by a word; fewer suffice in small graphs."""

_ROLES = frozenset({"employer"})
"""Words that are taken where there is no other: schools are employers, too."""

_RARE = 50
"""Triples of a relation are edges if at least one in so many of its triples joins the same two types."""

End = tuple[str, str]
"""A relation, and ``subject`` or ``object``."""


@dataclass(frozen=True, slots=True)
class SourceNode:
    """An entity as a source has it.

    Attributes:
        id: Its id.
        types: What the source calls its types; none: it is left out.
        name: Its name.
        values: Property, as the source calls it → its values: scalars, tuples (lists), `Strange`, `Measured`.
    """

    id: str
    types: tuple[str, ...]
    name: str
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceEdge:
    """A relation as a source has it; `values` as in `SourceNode`, `id` is "" if it has none."""

    relation: str
    subject: str
    object: str
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    id: str = ""


def graph_of(
    name: str,
    nodes: Sequence[SourceNode],
    edges: Sequence[SourceEdge],
    schema: Schema | None = None,
    left_out: Faults | None = None,
    *,
    capital: bool = True,
    texts: Mapping[str, str] | None = None,
    given: Mapping[str, Property] | None = None,
    also: Mapping[str, str] | None = None,
    also_types: Mapping[str, str] | None = None,
) -> PropertyGraph:
    """The property graph of what a source states.

    Args:
        name: The name of the graph, where no schema says it.
        nodes: The entities; ids are unique.
        edges: The relations between them. Those without an id get one of their type and ends.
        schema: What it does not have is left out; None: `draft_of` the source.
        left_out: Receives, by reason, what is left out, and how often one value of several was taken.
        capital: See `draft_of`.
        texts: See `draft_of`.
        given: See `draft_of`.
        also: Other names by which a schema may call relations and properties → what the source calls them.
        also_types: The same for types.

    Raises:
        ConfigError: A unit of the schema is unknown, or does not become another.
    """
    left_out = Faults() if left_out is None else left_out
    schema = schema or draft_of(name, nodes, edges, capital=capital, texts=texts, given=given)

    def called(row: EntityType | RelationType | Property, label: str) -> Iterator[str]:
        known = (also_types if isinstance(row, EntityType) else also) or {}
        yield from (known.get(source, source) for source in row.sources or (label,))

    def columns(row: EntityType | RelationType) -> dict[str, "_Column"]:
        made: dict[str, _Column] = {}
        for own in row.properties:
            try:
                column = _Column(row.label, own)
            except ConfigError as problem:
                where = f"schema {schema.name!r}: {row.label}.{own.name}"
                raise ConfigError(f"{where}: {problem}. Correct the schema.") from None
            made |= dict.fromkeys(called(own, own.name), column)
        return made

    types = {source: row.label for row in schema.entities for source in called(row, row.label)}
    of_type = {row.label: columns(row) for row in schema.entities}
    relations = {
        (row.subject, source, row.object): (row.label, columns(row))
        for row in schema.relations
        for source in called(row, row.label)
    }
    place = _places(nodes)
    made: dict[str, GraphNode] = {}
    for node in nodes:
        own = sorted((kind for kind in node.types if kind in types), key=place.__getitem__)
        if not own:
            kinds = ", ".join(sorted(node.types)) or "none"
            left_out.add("nodes of types not in the schema", f"{node.id!r}: {kinds}")
            continue
        label = types[own[0]]
        values = _values(f"node {node.id!r}", node.values, of_type[label], left_out)
        made[node.id] = GraphNode(node.id, label, node.name, values)
    found = []
    for edge in edges:
        where = f"edge {edge.subject!r} {edge.relation!r} {edge.object!r}"
        ends = [made[end].type if end in made else "" for end in (edge.subject, edge.object)]
        relation = relations.get((ends[0], edge.relation, ends[1]))
        if relation is None:
            left_out.add("edges of signatures not in the schema", where)
        else:
            values = _values(where, edge.values, relation[1], left_out)
            found.append((relation[0], edge, values))
    return PropertyGraph(schema, made.values(), numbered(found, left_out))


def draft_of(
    name: str,
    nodes: Sequence[SourceNode],
    edges: Sequence[SourceEdge],
    *,
    capital: bool = True,
    texts: Mapping[str, str] | None = None,
    given: Mapping[str, Property] | None = None,
) -> Schema:
    """A schema of all that a source states, for a user to edit.

    Args:
        name: The name of the graph.
        nodes: The entities.
        edges: The relations.
        capital: Whether types are written ``LikeThis``, or as the source writes them.
        texts: Type → what it is called in words, if not as in the source.
        given: Property of relations, as the source calls it → what it is, where that is known.
    """
    place = _places(nodes)
    chosen = {n.id: min(n.types, key=place.__getitem__) for n in nodes if n.types}
    labels = readable_labels(sorted(set(chosen.values())), capital=capital, texts=texts)
    stated: dict[str, list[Mapping[str, tuple[Any, ...]]]] = {kind: [] for kind in labels}
    for node in nodes:
        if node.id in chosen:
            stated[chosen[node.id]].append(node.values)
    kept = [e for e in edges if e.subject in chosen and e.object in chosen]
    # A property of a relation has one datatype, whatever the types of the ends.
    rows_of: dict[str, list[Mapping[str, tuple[Any, ...]]]] = {}
    for edge in kept:
        rows_of.setdefault(edge.relation, []).append(edge.values)
    names = readable_labels(sorted(rows_of), capital=False)
    held = {relation: _drafted(rows, given) for relation, rows in rows_of.items()}
    signatures = sorted({(chosen[e.subject], e.relation, chosen[e.object]) for e in kept})
    return Schema(
        name,
        tuple(
            EntityType(label, _drafted(stated[kind]), sources=_sources(kind, label))
            for kind, label in labels.items()
        ),
        tuple(
            RelationType(names[r], labels[s], labels[o], held[r], sources=_sources(r, names[r]))
            for s, r, o in signatures
        ),
    )


def _places(nodes: Iterable[SourceNode]) -> dict[str, int]:
    """Type → its place among all: the most common first, but before all those that every node has."""
    nodes = list(nodes)
    sizes = Counter(kind for node in nodes for kind in set(node.types))
    order = sorted(sizes, key=lambda kind: (sizes[kind] == len(nodes), -sizes[kind], kind))
    return {kind: at for at, kind in enumerate(order)}


def _sources(source: str, label: str) -> tuple[str, ...]:
    return () if source == label else (source,)


def _drafted(
    rows: Iterable[Mapping[str, tuple[Any, ...]]], given: Mapping[str, Property] | None = None
) -> tuple[Property, ...]:
    """The properties of a type or relation."""
    stated: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        for source, values in row.items():
            stated.setdefault(source, []).append(values)
    kinds = {source: _datatype(every) for source, every in stated.items()}
    labels = readable_labels(sorted(filter(kinds.get, kinds)), capital=False)
    made = []
    for source, label in labels.items():
        measured = (v.unit for own in stated[source] for v in own if isinstance(v, Measured))
        units = Counter(measured) or {"": 0}
        unit = min(units, key=lambda unit: (-units[unit], unit))
        label = _RENAMED if label == NAME else label
        own = Property(label, kinds[source], unit, sources=_sources(source, label))
        made.append((given or {}).get(source, own))
    return tuple(made)


def _kind(value: object) -> str:
    """The datatype of a value; ``list``: an empty one; "": none."""
    if isinstance(value, Strange):  # a tuple, too
        return ""
    if isinstance(value, Measured):
        return _kind(value.number)
    if value == ():
        return "list"
    # A whole number is an int before it is anything else.
    return next((datatype for datatype in DATATYPES if fits(value, datatype)), "")


def _datatype(stated: Sequence[tuple[Any, ...]]) -> str:
    """The datatype of a property by the values of each that has it; "": there is none."""
    counts = Counter(_kind(value) for values in stated for value in values)
    several = sum(len({v for v in values if not isinstance(v, Strange)}) > 1 for values in stated)
    for inner in ("{}", "list[{}]"):
        if counts[inner.format("int")] and counts[inner.format("float")]:
            counts[inner.format("float")] += counts.pop(inner.format("int"))
    if not (known := [datatype for datatype in DATATYPES if counts[datatype]]):
        return "list[str]" if counts["list"] else ""
    datatype = max(known, key=lambda name: (counts[name], -DATATYPES.index(name)))
    listed = several > _SEVERAL * len(stated) and f"list[{datatype}]" in DATATYPES
    return f"list[{datatype}]" if listed else datatype


class _Column:
    """Converts the values that a source states into those of a property."""

    def __init__(self, label: str, own: Property) -> None:
        self.own, self.named = own, f"{label}.{own.name}"
        self._inner = own.datatype.removeprefix("list[").removesuffix("]")
        self._wanted = " in ".join(filter(None, (own.datatype, own.unit)))
        converter(own.from_unit, own)  # refuses a unit that is none

    def value(self, where: str, values: Iterable[object], left_out: Faults) -> Value | None:
        """The value of a property; None: it has none."""
        found: list[Any] = []
        for value in values:
            if isinstance(value, Strange):
                left_out.add(f"values that are {value.kind}", f"{where} {value.text[:80]}")
            elif (one := self._adapted(value)) is not None:
                found.append(one)
            else:
                text = (
                    f"{value.number} {value.unit}" if isinstance(value, Measured) else shown(value)
                )
                kind = f"values of {self.named} that are no {self._wanted}"
                left_out.add(kind, f"{where} {text}")
        if not found or isinstance(found[0], tuple):  # a source has lists or several values
            return tuple(found[0]) if found else None
        if is_list(self.own.datatype):
            return tuple(sorted(set(found)))
        if len(set(found)) > 1:
            left_out.add("properties of several values, of which one was taken", where)
        best: Value = min(found, key=_length)
        return best

    def _adapted(self, value: Any) -> Any:
        """A value in the datatype and unit of the property; None: it is none."""
        if isinstance(value, tuple) and not isinstance(value, Measured):
            items = [self._adapted(item) for item in value]
            return tuple(items) if is_list(self.own.datatype) and None not in items else None
        unit = self.own.from_unit
        if isinstance(value, Measured):
            unit, value = value.unit, value.number
            if self.own.unit and not unit:
                return None
        if unit in ("", self.own.unit) or isinstance(value, bool | str | datetime.date):
            return self._one(value)
        _registry()
        try:
            return self._one(converter(unit, self.own)(value))
        except ConfigError:  # of a unit that does not become that of the property
            return None

    def _one(self, value: Any) -> Any:
        """A scalar as one of the property; None: it is none."""
        if fits(value, self._inner):
            return value
        year = self.own.name == "year" or self.own.name.endswith("_year")
        if self._inner == "int" and isinstance(value, datetime.date) and year:
            return value.year
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if self._inner == "float" and fits(value, "int") and int(float(value)) == value:
            return float(value)
        if self._inner == "int" and isinstance(value, float) and value.is_integer():
            return int(value) if fits(int(value), "int") else None
        dated = self._inner == "date" and self.own.precision == "year" and isinstance(value, int)
        return datetime.date(int(value), 1, 1) if dated and 0 < value < 10_000 else None


def _length(value: Any) -> tuple[int, str]:
    text = str(to_plain(value))
    return len(text), text


def _values(
    where: str,
    stated: Mapping[str, tuple[Any, ...]],
    columns: Mapping[str, _Column],
    left_out: Faults,
) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for source in sorted(stated):
        column = columns.get(source)
        if column is None:
            strange = {value.kind for value in stated[source] if isinstance(value, Strange)}
            why = f"that are {min(strange)}" if strange else "of properties not in the schema"
            left_out.add(f"values {why}", f"{where}: {source}")
            continue
        value = column.value(f"{where}: {source} is", stated[source], left_out)
        if value is not None and column.own.name not in found:
            found[column.own.name] = value
    return found


def numbered(
    rows: Iterable[tuple[str, SourceEdge, dict[str, Value]]], left_out: Faults
) -> Iterator[GraphEdge]:
    """The edges with ids; of those without one that are equal only the first."""
    distinct: dict[tuple[str, str, str, str], dict[str, Value]] = {}
    for label, edge, values in rows:
        if edge.id:
            yield GraphEdge(edge.id, label, edge.subject, edge.object, values)
        else:
            text = dump_line({key: to_plain(values[key]) for key in sorted(values)})
            key = label, edge.subject, edge.object, text
            if key in distinct:
                left_out.add("edges that are there twice", " ".join(key[:3]))
            distinct[key] = values
    order = sorted(distinct)
    for id_, key in zip(edge_ids(key[:3] for key in order), order, strict=True):
        yield GraphEdge(id_, *key[:3], distinct[key])


def edge_ids(edges: Iterable[tuple[str, str, str]]) -> list[str]:
    """An id for each (type, subject, object), in order; parallel edges are numbered from 2."""
    seen: Counter[tuple[str, str, str]] = Counter()
    ids = []
    for edge in edges:
        seen[edge] += 1
        number = f"#{seen[edge]}" if seen[edge] > 1 else ""
        ids.append("#".join(edge) + number)
    return ids


def readable_labels(
    sources: Iterable[str], capital: bool, texts: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Names in triples → names that Cypher takes without quotes, none twice.

    Args:
        sources: The names, sorted.
        capital: Whether they are types, written ``LikeThis``; relations stay as they are as far as possible.
        texts: What to make the names of, of sources that have words of their own.

    Example:
        >>> readable_labels(["/film/actor", "subject of lives_in"], capital=True)
        {'/film/actor': 'Actor', 'subject of lives_in': 'SubjectOfLivesIn'}
        >>> readable_labels(["/film/actor", "/tv/actor", "lives_in"], capital=False)
        {'/film/actor': 'film_actor', '/tv/actor': 'tv_actor', 'lives_in': 'lives_in'}
    """
    sources = list(sources)
    words = {source: (texts or {}).get(source) or source for source in sources}
    short = {
        source: _label(re.split("[/#]", words[source].rstrip("/#"))[-1], capital)
        for source in sources
    }
    often = Counter(short.values())
    found: dict[str, str] = {}
    taken: set[str] = set()
    for source in sources:
        plain = (
            short[source]
            if capital and often[short[source]] == 1
            else _label(words[source], capital)
        )
        label, number = plain, 1
        while label in taken:
            number += 1
            label = f"{plain}_{number}"
        taken.add(label)
        found[source] = label
    return found


def _label(text: str, capital: bool) -> str:
    words = [word for word in re.split(r"\W+", text) if word]
    if capital:
        words = [part for word in words for part in word.split("_") if part]
        label = "".join(word[0].upper() + word[1:] for word in words)
    else:
        label = "_".join(words)
    if not re.match(r"[^\W\d]", label):
        label = ("Type" if capital else "relation_") + label
    return label


@functools.cache  # it reads its definitions each time it is made
def _registry() -> Any:
    try:
        import pint
    except ImportError:
        raise ConfigError(
            "another unit needs the package pint: pip install 'rulemine[units]'."
        ) from None
    return pint.UnitRegistry()


@functools.cache
def converter(unit: str, to: Property) -> Callable[[Value], Value]:
    """A function from numbers in a unit to those of a property, with 12 significant digits.

    Args:
        unit: The unit of the source, e.g. ``mile``; "": that of the property.
        to: The property; an integer is rounded to the nearest.

    Raises:
        ConfigError: The property has no unit or no numbers, a unit is unknown, or one does not become the
            other; or ``pint`` is not installed.
    """
    if unit in ("", to.unit):
        return lambda value: value
    kind = to.datatype.removeprefix("list[").removesuffix("]")
    if not to.unit or kind not in ("int", "float"):
        raise ConfigError(f"from_unit {unit!r}: the property has no unit of its own, or no numbers")
    registry = _registry()
    try:
        source, target = registry.Unit(unit), registry.Unit(to.unit)
        registry.Quantity(1.0, source).to(target)
    except Exception as problem:  # noqa: BLE001  # of pint and of the parser below it, many kinds
        raise ConfigError(f"from_unit {unit!r} does not become {to.unit!r} ({problem})") from None

    def convert(value: Value) -> Value:
        return tuple(map(one, value)) if isinstance(value, tuple) else one(value)

    def one(value: Any) -> int | float:
        exact = float(registry.Quantity(float(value), source).to(target).magnitude)
        return round(exact) if kind == "int" else float(f"{exact:.12g}")

    return convert


def from_triples(
    kg: KnowledgeGraph,
    name: str,
    schema: Schema | None = None,
    names: Mapping[str, str] | None = None,
    left_out: Faults | None = None,
    nouns: Mapping[End, str] | None = None,
    words: Mapping[str, str] | None = None,
) -> PropertyGraph:
    """The property graph of triples; ids are the entities' names in the triples.

    Args:
        kg: The triples.
        name: The name of the graph, where no schema says it.
        schema: An edited draft: what it does not have is left out. None: the draft itself.
        names: Entity → its name for people; those that are not there are called as in the triples.
        left_out: Receives the entities and triples that are left out.
        nouns: Relation and end → what is there, such as *person*; ends that are not there say nothing.
        words: Entity → what it is, in a word, where that is known without its relations.
    """
    worded = words or (_worded(kg, nouns) if nouns else {})
    nodes = []
    for entity, kind in one_type_each(kg).items():
        # A schema may have been drafted before there were words.
        types = (worded.get(entity, "thing"), kind)[: 2 if schema else 1] if worded else (kind,)
        nodes.append(SourceNode(entity, types, (names or {}).get(entity) or entity))
    triples = plain_triples(kg)
    if worded and schema is None:
        triples = _usual(triples, worded, left_out)
    return graph_of(name, nodes, [SourceEdge(r, s, o) for s, r, o in triples], schema, left_out)


def _usual(
    triples: Sequence[Triple], types: Mapping[str, str], left_out: Faults | None
) -> list[Triple]:
    """The triples without those whose ends a relation hardly ever has: a country of a country.

    Where types are guessed, such triples are wrong guesses, and questions about them sound like it.
    """
    signatures = [(types.get(s, ""), r, types.get(o, "")) for s, r, o in triples]
    counts, sizes = Counter(signatures), Counter(r for _, r, _ in triples)
    found = []
    for triple, signature in zip(triples, signatures, strict=True):
        if _RARE * counts[signature] >= sizes[triple[1]]:
            found.append(triple)
        elif left_out is not None:
            left_out.add(
                "edges between types that their relation hardly ever joins", " ".join(triple)
            )
    return found


def one_type_each(kg: KnowledgeGraph) -> dict[str, str]:
    """Entity → its type, for the entities of `plain_triples`."""
    found = types_of(kg)
    every = [
        SourceNode(entity, found.labels(found.of(at)), entity)
        for at, entity in enumerate(kg.entities)
    ]
    place = _places(every)
    named = {entity for s, _, o in plain_triples(kg) for entity in (s, o)}
    named |= {s for s, r, _ in kg.labeled() if states_type(r)}
    return {n.id: min(n.types, key=place.__getitem__) for n in every if n.id in named}


def _worded(kg: KnowledgeGraph, nouns: Mapping[End, str]) -> dict[str, str]:
    """Entity → what most of its relations call it; empty where most entities would be called nothing.

    Each end of a relation at which an entity is counts as the number of its triples there has digits in base
    two: a film star is a person of many relations before an actor in many films. Of words with as many votes
    the one with most votes of all entities comes first, and a word for a role last. Types of few entities are
    not taken where another word is; without any it is *thing*.
    """
    if types_of(kg).source != "induced":
        return {}
    votes: list[Counter[str]] = [Counter() for _ in kg.entities]
    for column, end in ((0, "subject"), (2, "object")):
        codes = kg.triples[:, column].astype(np.int64) * len(kg.relations) + kg.triples[:, 1]
        for code, count in zip(
            *(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True
        ):
            entity, relation = divmod(code, len(kg.relations))
            if noun := nouns.get((kg.relations[relation], end)):
                votes[entity][noun] += count.bit_length() * (noun not in _ROLES)
    totals: Counter[str] = Counter()
    for vote in votes:
        totals.update(vote)

    def first(vote: Mapping[str, int]) -> str:
        return min(vote, key=lambda noun: (-vote[noun], -totals[noun], noun), default="thing")

    sizes = Counter(first(vote) for vote in votes if vote)
    if 2 * sizes.total() < len(votes):
        return {}
    least = min(_FEWEST, len(votes) // 20)
    common = {noun for noun, size in sizes.items() if size >= least}
    return {
        entity: first({noun: votes[at][noun] for noun in votes[at] if noun in common})
        for at, entity in enumerate(kg.entities)
    }


def plain_triples(kg: KnowledgeGraph) -> list[tuple[str, str, str]]:
    """The triples, without those that state a type."""
    stated = {relation for relation in kg.relations if states_type(relation)}
    return [triple for triple in kg.labeled() if triple[1] not in stated]
