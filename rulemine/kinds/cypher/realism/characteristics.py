"""What relations are like, by type of subject, relation and type of object, as the data show it.

Single steps are looked at, each of which may lack some facts.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rulemine.cypher.questions.pattern import END, START
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.relation_overlap import LEAST_SHARE

__all__ = ["Characteristics", "Signature", "draft_characteristics"]

Signature = tuple[str, str, str]

NEARLY = 0.95
"""What holds for this share holds: some facts are missing from every graph.

Of inverse relations `rulemine.kg.relation_overlap.LEAST_SHARE`, because both lack some."""

LEAST_IMPLYING = 10
"""A relation of fewer pairs implies nothing, and is the inverse of none."""

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
    """

    subj_cardinality: str = "many"
    obj_cardinality: str = "many"
    mandatory_subj: bool = False
    mandatory_obj: bool = False
    symmetric: bool = False
    time_sensitive: bool = False
    implies: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()


def draft_characteristics(graph: PropertyGraph) -> dict[Signature, Characteristics]:
    """What the relations of a graph look like: what holds for `NEARLY` all.

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
    )


def _nearly(some: int, all_: int) -> bool:
    return all_ > 0 and some >= NEARLY * all_
