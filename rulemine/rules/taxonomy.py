"""The taxonomy of rule shapes: five types, and sub-types of the fifth.

The type depends on the rule alone. The first four are those of the literature on knowledge graph
embedding; *composition* is the strict forward chain. All other rules are *other*, with sub-types by the
shape of the body first and recursion last.
"""

from functools import lru_cache
from typing import NamedTuple

from rulemine.query.atom import Atom
from rulemine.query.evidence_tree import simple_path
from rulemine.rules.rule import Rule

__all__ = [
    "RULE_SUBTYPES",
    "RULE_TYPES",
    "SUBTYPE_NAMES",
    "AtomShape",
    "RuleType",
    "atom_shape",
    "classify",
    "classify_shapes",
]

RULE_TYPES = ("symmetry", "inversion", "hierarchy", "composition", "other")

RULE_SUBTYPES = {
    "common object": "composition with the second edge reversed: r1(x,z) ∧ r2(y,z) ⇒ r3(x,y)",
    "common subject": "composition with the first edge reversed: r1(z,x) ∧ r2(z,y) ⇒ r3(x,y)",
    "reversed chain": "composition with both edges reversed: r1(z,x) ∧ r2(y,z) ⇒ r3(x,y)",
    "longer chain": "a path of three or more atoms, edges in any direction",
    "triangle": "an edge between x and y together with a path x – z – y",
    "intersection": "two or more atoms, all between x and y",
    "recursive": "none of the above, and the head relation occurs in the body",
    "rest": "none of the above",
}
"""Maps each sub-type of *other*, as records name it, to its meaning; see `SUBTYPE_NAMES`."""

SUBTYPE_NAMES = {
    "common object": "collider",
    "common subject": "fork",
    "reversed chain": "inverse composition",
    "longer chain": "longer path",
}
"""What texts call a sub-type, where that is not its name in records."""


class RuleType(NamedTuple):
    """Type and sub-type of a rule; the sub-type is the type itself except for *other*."""

    type: str
    subtype: str


def classify(rule: Rule) -> RuleType:
    """The type of a rule; see `RULE_TYPES` and `RULE_SUBTYPES`.

    Example:
        >>> from rulemine.rules.formats import parse_readable
        >>> classify(parse_readable("wife(y,x) ⇒ husband(x,y)"))
        RuleType(type='inversion', subtype='inversion')
    """
    relation = rule.head.relation
    shapes = tuple(map(atom_shape, rule.body))
    return classify_shapes(
        atom_shape(rule.head), shapes, tuple(atom.relation == relation for atom in rule.body)
    )


AtomShape = tuple[int, int]
"""Variables of an atom, subject and object; -1 for an entity."""


def atom_shape(atom: Atom) -> AtomShape:
    """Which variables an atom joins."""
    subject, object_ = (t if isinstance(t, int) else -1 for t in (atom.subject, atom.object))
    return subject, object_


@lru_cache(maxsize=1 << 16)
def classify_shapes(
    head: AtomShape, body: tuple[AtomShape, ...], recursive: tuple[bool, ...]
) -> RuleType:
    """The type of a rule from the shapes that determine it; see `classify`.

    Args:
        head: The variables of the head.
        body: The variables of the body atoms.
        recursive: Whether each body atom has the relation of the head.
    """
    name = _shape(head, body, recursive)
    return RuleType(name if name in RULE_TYPES else "other", name)


def _shape(head: AtomShape, body: tuple[AtomShape, ...], recursive: tuple[bool, ...]) -> str:
    """The sub-type of a rule, which is its type unless that is *other*."""
    rest = "recursive" if any(recursive) else "rest"
    if head != (0, 1) or any(-1 in atom for atom in body):
        return rest
    path = simple_path(body, 0, 1)
    if path is not None:
        way = tuple(step.forward for step in path)
        if way == (False,) and recursive[0]:
            return "symmetry"
        return _PATHS.get(way, "longer chain")
    if set(map(frozenset, body)) == {frozenset((0, 1))}:
        return "intersection"
    third = max(map(max, body))
    if third > 1 and sorted(map(sorted, body)) == [[0, 1], [0, third], [1, third]]:
        return "triangle"
    return rest


_PATHS = {
    (True,): "hierarchy",
    (False,): "inversion",
    (True, True): "composition",
    (True, False): "common object",
    (False, True): "common subject",
    (False, False): "reversed chain",
}
"""Whether the atoms of a path run from the head's subject to its object → the sub-type."""
