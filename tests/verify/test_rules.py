"""The verifier's own reading of rules against the one of the core: two ways to the same answer."""

from rulemine.query.atom import Atom
from rulemine.rules.rule import Rule
from rulemine.seeds import stream
from rulemine.verify.proofs import HornRule
from rulemine.verify.rules import is_formed


def test_what_the_core_calls_no_rule_is_none_here() -> None:
    draw = stream(5, "bad rules")
    verdicts = set()
    for _ in range(2000):
        free = draw.below(3)
        body = tuple(
            Atom(draw.below(2 + free), "rs"[draw.below(2)], draw.below(2 + free))
            for _ in range(1 + draw.below(3))
        )
        rule = Rule(Atom(0, "r", 1), body)
        formed = is_formed(HornRule(1, (0, "r", 1), tuple((s, r, o) for s, r, o in body), {}))
        assert formed == (rule.problem() is None), rule
        verdicts.add(formed)
    assert verdicts == {True, False}


def test_a_body_that_is_too_long_is_turned_away_before_its_canonical_form() -> None:
    ring = [(0, "r", 2), *((i, "r", i + 1) for i in range(2, 12)), (12, "r", 1)]
    assert not is_formed(HornRule(1, (0, "r", 1), tuple(ring), {}))
    assert is_formed(HornRule(1, (0, "r", 1), (*ring[:4], (5, "r", 1)), {}))
