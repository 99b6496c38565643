"""What relations are like, by type of subject, relation and type of object: drafted from the data, or read.

A draft looks at single steps, each of which may lack some facts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rulemine.config import read_toml
from rulemine.cypher.questions.pattern import END, START
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Schema
from rulemine.kg.relation_overlap import LEAST_SHARE

__all__ = [
    "Characteristics", "Signature", "characteristics_text", "draft_characteristics", "read_characteristics",
]  # fmt: skip

Signature = tuple[str, str, str]

NEARLY = 0.95
"""In a draft, what holds for this share holds: some facts are missing from every graph.

Of inverse relations `rulemine.kg.relation_overlap.LEAST_SHARE`, because both lack some."""

LEAST_IMPLYING = 10
"""In a draft, a relation of fewer pairs implies nothing, and is the inverse of none."""

_TOLD = 0.5
"""A draft tells of relations of which this share is the same the other way round."""

_Pairs = set[tuple[str, str]]
"""The ids of subject and object of each edge of a relation between two types."""

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
        inverse: Relations between the types in turn that say the same the other way round; that either of
            two relations names the other is enough.
        counts: What a draft has counted, for people; "": it is no draft.
    """

    subj_cardinality: str = "many"
    obj_cardinality: str = "many"
    mandatory_subj: bool = False
    mandatory_obj: bool = False
    symmetric: bool = False
    time_sensitive: bool = False
    implies: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    counts: str = ""


_LISTS = ("implies", "inverse")
_FLAGS = ("mandatory_subj", "mandatory_obj", "symmetric", "time_sensitive")


def draft_characteristics(graph: PropertyGraph) -> dict[Signature, Characteristics]:
    """What the relations of a graph look like: what holds for `NEARLY` all, with the counts.

    Relations that the schema gives a start and an end year are time-sensitive.
    """
    pairs: dict[Signature, _Pairs] = {row.signature: set() for row in graph.schema.relations}
    for edge in graph.edges:
        ends = graph.node(edge.subject).type, graph.node(edge.object).type
        pairs[ends[0], edge.type, ends[1]].add((edge.subject, edge.object))
    between: dict[tuple[str, str], dict[str, _Pairs]] = {}
    for (subject, name, object_), some in pairs.items():
        between.setdefault((subject, object_), {})[name] = some
    return {signature: _drafted(graph, signature, between) for signature in pairs}


def _drafted(
    graph: PropertyGraph,
    signature: Signature,
    between: Mapping[tuple[str, str], Mapping[str, _Pairs]],
) -> Characteristics:
    subject, label, object_ = signature
    same, reverse = between[subject, object_], between.get((object_, subject), {})
    own = same[label]
    objects, subjects = Counter(s for s, _ in own), Counter(o for _, o in own)
    one = [sum(n == 1 for n in side.values()) for side in (objects, subjects)]
    types = len(graph.of_type(subject)), len(graph.of_type(object_))
    back = sum((o, s) in own for s, o in own) if subject == object_ else 0
    implied = [(name, len(own & more)) for name, more in same.items() if name != label]
    turned = {(o, s) for s, o in own}
    backward = [
        (name, len(turned & more), len(more)) for name, more in reverse.items() if more is not own
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
    counts += [
        f"{n:,} are the other way round in {name}, which has {size:,} pairs"
        for name, n, size in backward
        if n >= _TOLD * max(len(own), size, 1)
    ]
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
        tuple(
            name
            for name, n, size in backward
            if size >= LEAST_IMPLYING and n >= LEAST_SHARE * max(len(own), size)
        ),
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
        for key in _LISTS:
            names = ", ".join(f'"{name}"' for name in getattr(row, key))
            lines += [f"{key} = [{names}]\n"] * bool(names)
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
                rest |= {key: tuple(rest.get(key, ())) for key in _LISTS}
                found[signature] = replace(Characteristics(), **rest)
    if problems:
        raise ConfigError(list_problems(str(path), problems, "Correct the file."))
    return found


def _wrong(given: Mapping[str, Any], signature: Signature, schema: Schema) -> Iterator[str]:
    cardinalities = ("subj_cardinality", "obj_cardinality")
    ends = signature[0], signature[2]
    known = {
        key: {row.label for row in schema.relations if (row.subject, row.object) == wanted}
        for key, wanted in (("implies", ends), ("inverse", ends[::-1]))
    }
    for key, value in given.items():
        if key in cardinalities:
            if value not in _CARDINALITIES:
                yield f"{key} is {value!r}; expected one or many"
        elif key in _FLAGS:
            if not isinstance(value, bool):
                yield f"{key} is {value!r}; expected true or false"
        elif key in _LISTS:
            if not isinstance(value, list) or not known[key].issuperset(map(str, value)):
                turn = "the same types" if key == "implies" else f"{ends[1]} and {ends[0]}"
                yield f"{key} is {value!r}; expected relations between {turn}"
        else:
            yield f"key {key!r} is unknown; {did_you_mean(key, (*cardinalities, *_FLAGS, *_LISTS))}"
