"""The taxonomy of rule shapes: five types, and sub-types of the fifth.

The type is a function of the rule alone. The first four are those of knowledge graph embedding
papers; *composition* is the strict forward chain. What is left is *other*, told apart further by
the shape of the body first and recursion last.
"""

from typing import NamedTuple

from rulemine.query.path import simple_path
from rulemine.rules.rule import Rule

__all__ = ["RULE_SUBTYPES", "RULE_TYPES", "RuleType", "classify"]

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
"""Sub-type of *other* → what it means."""


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
    if rule.head.variables != (0, 1) or any(len(atom.variables) < 2 for atom in rule.body):
        return _other(rule, None)
    if len(rule.body) == 1:
        atom = rule.body[0]
        if atom.subject == 0:
            return RuleType("hierarchy", "hierarchy")
        name = "symmetry" if atom.relation == rule.head.relation else "inversion"
        return RuleType(name, name)
    path = simple_path([(atom.subject, atom.object) for atom in rule.body], 0, 1)
    if path is not None and len(path) == 2:
        if all(step.forward for step in path):
            return RuleType("composition", "composition")
        shapes = {
            (True, False): "common object",
            (False, True): "common subject",
            (False, False): "reversed chain",
        }
        return _other(rule, shapes[path[0].forward, path[1].forward])
    if path is not None:
        return _other(rule, "longer chain")
    pairs = sorted(tuple(sorted(atom.variables)) for atom in rule.body)
    third = max(v for pair in pairs for v in pair)
    if third > 1 and pairs == [(0, 1), (0, third), (1, third)]:
        return _other(rule, "triangle")
    if set(pairs) == {(0, 1)}:
        return _other(rule, "intersection")
    return _other(rule, None)


def _other(rule: Rule, shape: str | None) -> RuleType:
    if shape is None:
        recursive = any(atom.relation == rule.head.relation for atom in rule.body)
        shape = "recursive" if recursive else "rest"
    return RuleType("other", shape)
