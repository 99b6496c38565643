"""The verifier's own reading of rules against the one of the core: two ways to the same answer."""

from dataclasses import fields

import pytest

from rulemine.kg.entity_names import NAMINGS
from rulemine.kg.graph import DIRECTIONS
from rulemine.query.atom import Atom
from rulemine.release import records
from rulemine.rules.formats import format_readable, parse_readable
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import RULE_TYPES, classify
from rulemine.seeds import stream
from rulemine.verify import folder, rules, shapes
from rulemine.verify.report import Findings


def random_rule(seed: int) -> Rule | None:
    """A rule of one to four body atoms; None when what was drawn is no closed, connected rule."""
    draw = stream(seed, "rule")
    free = draw.below(3)

    def term() -> int | str:
        return "k" if not draw.below(25) else draw.below(2 + free)

    body = tuple(Atom(term(), "rst"[draw.below(3)], term()) for _ in range(1 + draw.below(4)))
    rule = Rule(Atom(0, "r", 1), body)
    return None if rule.problem() else rule


def test_types_and_readable_forms_agree_with_the_core() -> None:
    made = [rule for seed in range(6000) if (rule := random_rule(seed)) is not None]
    assert len(made) > 500
    seen = set()
    for rule in made:
        head, body = tuple(rule.head), [tuple(atom) for atom in rule.body]
        assert rules.rule_type(head, body) == classify(rule.canonical()), rule
        assert rules.readable(head, body) == format_readable(rule)
        seen.add(classify(rule.canonical()))
    assert {kind.type for kind in seen} == set(RULE_TYPES)
    assert len(seen) == 12


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s(y,x) ⇒ r(x,y)", ("inversion", "inversion")),
        ("r(y,x) ⇒ r(x,y)", ("symmetry", "symmetry")),
        ("s(x,z) ∧ t(z,y) ⇒ r(x,y)", ("composition", "composition")),
        ("s(x,z) ∧ t(y,z) ⇒ r(x,y)", ("other", "common object")),
        ("s(z,x) ∧ t(z,y) ⇒ r(x,y)", ("other", "common subject")),
        ("s(z,x) ∧ t(y,z) ⇒ r(x,y)", ("other", "reversed chain")),
        ("s(x,y) ∧ s(x,z) ∧ t(z,y) ⇒ r(x,y)", ("other", "triangle")),
        ("s(x,y) ∧ t(y,x) ⇒ r(x,y)", ("other", "intersection")),
    ],
)
def test_types_by_hand(text: str, expected: tuple[str, str]) -> None:
    rule = parse_readable(text)
    found = rules.rule_type(tuple(rule.head), [tuple(atom) for atom in rule.body])
    assert found == expected


def test_a_body_that_is_too_long_is_turned_away_before_its_canonical_form() -> None:
    body = [(i, "r", i + 1) for i in range(12)]
    assert "12 body atoms" in (rules._form_problem((0, "r", 1), body) or "")


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        *((shapes.QUESTIONS[name], kind) for name, kind in records.QUESTION_KINDS.items()),
        *((shape, records.Rejection) for shape in shapes.REJECTIONS.values()),
        (shapes.REMOVAL, records.Removal),
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
