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
    rest = _other("recursive" if any(recursive) else "rest")
    if head != (0, 1) or any(-1 in atom for atom in body):
        return rest
    if len(body) == 1:
        if body[0][0] == 0:
            return RuleType("hierarchy", "hierarchy")
        name = "symmetry" if recursive[0] else "inversion"
        return RuleType(name, name)
    path = simple_path(body, 0, 1)
    if path is not None and len(path) == 2:
        if all(step.forward for step in path):
            return RuleType("composition", "composition")
        shapes = {
            (True, False): "common object",
            (False, True): "common subject",
            (False, False): "reversed chain",
        }
        return _other(shapes[path[0].forward, path[1].forward])
    if path is not None:
        return _other("longer chain")
    pairs = sorted((min(atom), max(atom)) for atom in body)
    third = max(v for pair in pairs for v in pair)
    if third > 1 and pairs == [(0, 1), (0, third), (1, third)]:
        return _other("triangle")
    if set(pairs) == {(0, 1)}:
        return _other("intersection")
    return rest


def _other(subtype: str) -> RuleType:
    return RuleType("other", subtype)
