"""What questions of the kind ``rules`` are grouped by."""

from math import inf
from typing import Any

from rulemine.kinds.group import About, Group, of_hard
from rulemine.release.records import Question
from rulemine.rules.rule import RULE_SUBTYPES, RULE_TYPES

__all__ = ["GROUPS"]

_PROOFS = {"none": 0, "1": 1, "2": 2, "3–5": 5, "6–10": 10, ">10": inf}
"""Groups → most remaining proofs; a removed triple of a sound release has one at least, its certificate."""


def _difficulty(question: Question, about: About) -> Any:
    return about.removals[question.removed[0]].difficulty


def _subtype(question: Question, _: About) -> str:
    own = question.block
    return str(own.rule_subtype) if own.rule_type == "other" else ""


def _proofs(question: Question, about: About) -> str:
    proofs = _difficulty(question, about).proofs
    return next(name for name, most in _PROOFS.items() if proofs <= most)


def _inverse(question: Question, about: About) -> str:
    return "left" if _difficulty(question, about).inverse_edge else "not left"


GROUPS = tuple(
    group._replace(label=of_hard(group.label))
    for group in (
        Group("rule_type", "rule type", lambda q, _: q.block.rule_type, RULE_TYPES, least=0),
        Group("rule_subtype", "other rules by shape", _subtype, tuple(RULE_SUBTYPES), least=1),
        Group("proofs", "proofs left", _proofs, tuple(_PROOFS), least=1),
        Group("inverse_edge", "inverse edge", _inverse, ("left", "not left"), least=1),
    )
)
