"""Which patterns nobody would ask for, by what relations are like.

The checks are those of CypherBench (arXiv 2412.18702) with entailment and symmetry taken into account; what
relations are like is told per type of subject, relation and type of object. A draft is counted from the data.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rulemine.config import read_toml
from rulemine.cypher.pattern import END, START, MatchPattern, PatternEdge
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Schema

__all__ = [
    "Characteristics", "Realism", "characteristics_text", "draft_characteristics", "read_characteristics",
]  # fmt: skip

Signature = tuple[str, str, str]

NEARLY = 0.95
"""In a draft, what holds for this share holds: some facts are missing from every graph."""

LEAST_IMPLYING = 10
"""In a draft, a relation of fewer pairs implies nothing."""

_CARDINALITIES = ("one", "many")


@dataclass(frozen=True, slots=True)
class Characteristics:
    """What a relation between two types is like.

    Attributes:
        subj_cardinality: ``one``: an object has at most one subject; else ``many``.
        obj_cardinality: ``one``: a subject has at most one object; else ``many``.
        mandatory_subj: Whether every entity of the subject's type has an object.
        mandatory_obj: Whether every entity of the object's type has a subject.
        symmetric: Whether it always holds both ways.
        time_sensitive: Whether it may begin and end.
        implies: Relations between the same types that hold wherever it does.
        counts: What a draft has counted, for people; "": it is no draft.
    """

    subj_cardinality: str = "many"
    obj_cardinality: str = "many"
    mandatory_subj: bool = False
    mandatory_obj: bool = False
    symmetric: bool = False
    time_sensitive: bool = False
    implies: tuple[str, ...] = ()
    counts: str = ""


_FLAGS = ("mandatory_subj", "mandatory_obj", "symmetric", "time_sensitive")


def draft_characteristics(graph: PropertyGraph) -> dict[Signature, Characteristics]:
    """What the relations of a graph look like: what holds for `NEARLY` all, with the counts.

    Relations that the schema gives a start and an end year are time-sensitive.
    """
    pairs: dict[Signature, set[tuple[str, str]]] = {
        row.signature: set() for row in graph.schema.relations
    }
    for edge in graph.edges:
        ends = graph.node(edge.subject).type, graph.node(edge.object).type
        pairs[ends[0], edge.type, ends[1]].add((edge.subject, edge.object))
    return {signature: _drafted(graph, signature, pairs) for signature in pairs}


def _drafted(
    graph: PropertyGraph, signature: Signature, pairs: Mapping[Signature, set[tuple[str, str]]]
) -> Characteristics:
    own, (subject, _, object_) = pairs[signature], signature
    objects, subjects = Counter(s for s, _ in own), Counter(o for _, o in own)
    one = [sum(n == 1 for n in side.values()) for side in (objects, subjects)]
    types = len(graph.of_type(subject)), len(graph.of_type(object_))
    back = sum((o, s) in own for s, o in own) if subject == object_ else 0
    implied = [
        (other[1], len(own & more))
        for other, more in pairs.items()
        if other != signature and (other[0], other[2]) == (subject, object_)
    ]
    relation = graph.schema.relation(*signature)
    held = {row.name for row in relation.properties} if relation else set()
    counts = [
        f"{len(own):,} pairs",
        f"{one[0]:,} of {len(objects):,} subjects have one object",
        f"{one[1]:,} of {len(subjects):,} objects have one subject",
        f"{len(objects):,} of {types[0]:,} {subject} are subjects",
        f"{len(subjects):,} of {types[1]:,} {object_} are objects",
    ] + [f"{back:,} hold both ways"] * (subject == object_)
    implies = tuple(
        name for name, n in implied if len(own) >= LEAST_IMPLYING and n >= NEARLY * len(own)
    )
    return Characteristics(
        _CARDINALITIES[not _nearly(one[1], len(subjects))],
        _CARDINALITIES[not _nearly(one[0], len(objects))],
        _nearly(len(objects), types[0]),
        _nearly(len(subjects), types[1]),
        _nearly(back, len(own)),
        {START, END} <= held,
        implies,
        "; ".join(counts),
    )


def _nearly(some: int, all_: int) -> bool:
    return all_ > 0 and some >= NEARLY * all_


def characteristics_text(rows: Mapping[Signature, Characteristics]) -> str:
    """The TOML file of characteristics, with the counts of a draft as comments."""
    lines = [
        "# What relations are like, for the checks of realism: edit what the data do not show.\n"
    ]
    for (subject, label, object_), row in rows.items():
        lines.append("\n[[relation]]\n")
        lines += [f"# {count}\n" for count in row.counts.split("; ") if count]
        named = {"subject": subject, "relation": label, "object": object_}
        named |= {key: getattr(row, key) for key in ("subj_cardinality", "obj_cardinality")}
        lines += [f'{key} = "{value}"\n' for key, value in named.items()]
        lines += [f"{key} = true\n" for key in _FLAGS if getattr(row, key)]
        if row.implies:
            names = ", ".join(f'"{name}"' for name in row.implies)
            lines.append(f"implies = [{names}]\n")
    return "".join(lines)


def read_characteristics(path: Path, schema: Schema) -> dict[Signature, Characteristics]:
    """The characteristics of a file; a relation that it leaves out is many to many, and optional.

    Raises:
        InputError: It is missing or not TOML.
        ConfigError: A key, value or relation is unknown; one message lists all.
    """
    problems: list[str] = []
    whole = read_toml(path)
    for key in sorted(whole.keys() - {"relation"}):
        problems.append(f"key {key!r} is unknown; [[relation]] was expected")
    found: dict[Signature, Characteristics] = {}
    tables = whole.get("relation", [])
    if not isinstance(tables, list) or not all(isinstance(row, dict) for row in tables):
        problems, tables = [*problems, "relation is no array of tables; write [[relation]]"], []
    for number, row in enumerate(tables, start=1):
        where = f"relation {number}"
        signature = tuple(row.get(key, "") for key in ("subject", "relation", "object"))
        if signature not in {known.signature for known in schema.relations}:
            problems.append(f"{where}: {' '.join(map(str, signature))} is not in the schema")
        elif signature in found:
            problems.append(f"{where}: {' '.join(signature)} is there twice")
        else:
            rest = {k: v for k, v in row.items() if k not in ("subject", "relation", "object")}
            problems += [f"{where}: {line}" for line in _wrong(rest, signature, schema)]
            if not problems:
                rest["implies"] = tuple(rest.get("implies", ()))
                found[signature] = replace(Characteristics(), **rest)
    if problems:
        raise ConfigError(list_problems(str(path), problems, "Correct the file."))
    return found


def _wrong(given: Mapping[str, Any], signature: Signature, schema: Schema) -> Iterator[str]:
    cardinalities = ("subj_cardinality", "obj_cardinality")
    same = {
        row.label
        for row in schema.relations
        if (row.subject, row.object) == (signature[0], signature[2])
    }
    for key, value in given.items():
        if key in cardinalities:
            if value not in _CARDINALITIES:
                yield f"{key} is {value!r}; expected one or many"
        elif key in _FLAGS:
            if not isinstance(value, bool):
                yield f"{key} is {value!r}; expected true or false"
        elif key == "implies":
            if not isinstance(value, list) or not same.issuperset(map(str, value)):
                yield f"implies is {value!r}; expected relations between the same types"
        else:
            yield f"key {key!r} is unknown; {did_you_mean(key, (*cardinalities, *_FLAGS, 'implies'))}"


class Realism:
    """The checks.

    Args:
        rows: What the relations are like; those left out are many to many, and optional.
    """

    def __init__(self, rows: Mapping[Signature, Characteristics]) -> None:
        self._rows = rows

    def of(self, match: MatchPattern, edge: PatternEdge) -> Characteristics:
        """What the relation of an edge is like."""
        return self._rows.get(_signature(match, edge), Characteristics())

    def objection(self, match: MatchPattern) -> str:
        """Why nobody would ask for a pattern; "": nothing is wrong with it.

        Returns:
            ``redundant``: an edge says what another between the same nodes says. ``there and back``: two
            edges lead from a node to what must be one node. ``unnecessary leaf``: an edge that every neighbor
            has, to a node about which nothing else is said. ``pointless group``: counts are at most one.
        """
        edges = match.edges
        if len(edges) == 2 and self._redundant(match, *edges):
            return "redundant"
        if len(edges) == 2 and self._there_and_back(match, *edges):
            return "there and back"
        kind = self.of(match, edges[0]) if edges else Characteristics()
        forward = bool(edges) and edges[0].subject == "n"
        mandatory = kind.mandatory_subj if forward else kind.mandatory_obj
        if len(edges) == 1 and "m0" not in match.category.fixed and mandatory:
            return "unnecessary leaf"
        counts = match.category.form == "optional" or match.template.endswith("by n")
        if counts and (kind.obj_cardinality if forward else kind.subj_cardinality) == "one":
            return "pointless group"
        return ""

    def _redundant(self, match: MatchPattern, one: PatternEdge, other: PatternEdge) -> bool:
        if {one.subject, one.object} != {other.subject, other.object}:
            return False
        both = self.of(match, one).symmetric or self.of(match, other).symmetric
        if one.subject != other.subject and not both:
            return False
        return other.relation in self._implied(match, one) or one.relation in self._implied(
            match, other
        )

    def _implied(self, match: MatchPattern, edge: PatternEdge) -> set[str]:
        """The relation of an edge and what it implies, step by step."""
        ends = _signature(match, edge)
        found, new = {edge.relation}, [edge.relation]
        while new:
            row = self._rows.get((ends[0], new.pop(), ends[2]), Characteristics())
            more = set(row.implies) - found
            found |= more
            new += sorted(more)
        return found

    def _there_and_back(self, match: MatchPattern, one: PatternEdge, other: PatternEdge) -> bool:
        if _signature(match, one) != _signature(match, other):
            return False
        kind = self.of(match, one)
        if one.subject == other.subject and one.object != other.object:
            return kind.obj_cardinality == "one"
        if one.object == other.object and one.subject != other.subject:
            return kind.subj_cardinality == "one"
        return kind.symmetric and kind.obj_cardinality == "one"


def _signature(match: MatchPattern, edge: PatternEdge) -> Signature:
    return match.named[edge.subject].type, edge.relation, match.named[edge.object].type
