"""The verifier's own reading of rules against the one of the core: two ways to the same answer."""

from dataclasses import fields

import pytest

from rulemine.kg.entity_names import NAMINGS
from rulemine.kg.graph import DIRECTIONS
from rulemine.kinds.registry import KINDS
from rulemine.query.atom import Atom
from rulemine.release import records
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import RULE_TYPES
from rulemine.seeds import stream
from rulemine.verify import folder, rules, shapes
from rulemine.verify.kinds import checks_of
from rulemine.verify.report import Findings


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
        here = rules._form_problem(tuple(rule.head), [tuple(atom) for atom in body])
        assert (here is None) == (rule.problem() is None), rule
        verdicts.add(here is None)
    assert verdicts == {True, False}


def test_a_body_that_is_too_long_is_turned_away_before_its_canonical_form() -> None:
    body = [(i, "r", i + 1) for i in range(12)]
    assert "12 body atoms" in (rules._form_problem((0, "r", 1), body) or "")


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        *((shapes.question_shape(name, checks_of(name)), records.Question) for name in KINDS),
        *((checks_of(name).fields["block"], KINDS[name].block) for name in KINDS),
        (shapes.rejection_shape(checks_of("rules")), records.Rejection),
        (shapes.REMOVAL, records.Removal),
        (shapes.MISSED, records.Missing),
    ],
)
def test_the_shapes_have_the_fields_of_the_records(shape: shapes.Shape, kind: type) -> None:
    misfit = shape({}, "")
    assert misfit is not None
    assert misfit.expected == "the keys " + ", ".join(f.name for f in fields(kind))


def test_the_constants_are_those_of_the_format() -> None:
    assert folder.FORMAT_VERSION == records.FORMAT_VERSION
    assert shapes.NAMINGS == NAMINGS
    assert shapes.SPLITS == records.SPLITS
    assert shapes.DIRECTIONS == DIRECTIONS
    assert shapes.WORDINGS == records.WORDINGS
    assert shapes.RULE_TYPES == RULE_TYPES
    assert Findings().report is not None
