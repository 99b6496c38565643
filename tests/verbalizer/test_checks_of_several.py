"""The checks of texts with several topic entities, and of what else than answers must not be named."""

import random

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.text.naming_rules import naming_problem
from rulemine.text.template import fill
from rulemine.verbalizer.checks import TextProblem, check_text
from rulemine.verbalizer.inputs import placeholders
from rulemine.verbalizer.structure_inputs import StructureInput
from rulemine.verify.questions.mentions import occurrences
from tests.structures import structure_question

QUESTION = structure_question(1, '(and (p- "citizen_of" "france") (p- "won" "oscar"))')


def test_every_anchor_is_named_and_nobody_hidden_in_any_naming():
    """Where names are parts of each other, the longer one counts; what is inside an anchor's is no leak."""
    draw = random.Random(3)
    labels = ["York", "New York", "New York City", "Ann", "Ann Lee", "Lee", "7", "Duke of York"]
    passed = caught = 0
    for _ in range(1_000):
        names = [
            EntityNames(f"e{n:05d}", id_, text)
            for n, id_, text in zip(
                draw.sample(range(100), 5),
                draw.sample("abcdefg", 5),
                draw.sample(labels, 5),
                strict=True,
            )
        ]
        topics, answer, inner = sorted(names[:3], key=lambda row: row.private), names[3], names[4]
        naming = draw.choice(NAMINGS)
        item = StructureInput(QUESTION, QUESTION, naming, tuple(topics), (answer,), (inner,), ())
        said = [row.name_in(naming) for row in draw.choices(names, (5, 5, 5, 1, 1), k=4)]
        text = f"Who of {said[0]} and {said[1]} is not with {said[2]} or {said[3]}?"
        found = check_text(text, item, "any language")
        if isinstance(found, TextProblem):
            caught += found.code in ("answer_named", "intermediate_named")
            continue
        passed += 1
        slots = dict(zip(placeholders(3), topics, strict=True))
        assert fill(found, {key: row.name_in(naming) for key, row in slots.items()}) == text
        assert (
            naming_problem(
                lambda other, found=found, slots=slots: fill(
                    found, {key: row.name_in(other) for key, row in slots.items()}
                ),
                topics,
                [answer],
                [inner],
            )
            is None
        )
        for other in NAMINGS:
            own = {key: row.name_in(other) for key, row in slots.items()}
            whole = fill(found, own)
            spots = [spot for name in own.values() for spot in occurrences(whole, name)]
            assert all(occurrences(whole, name) for name in own.values())
            for name in (answer.name_in(other), inner.name_in(other)):
                for low, high in occurrences(whole, name):
                    assert any(start <= low and high <= end for start, end in spots)
    assert min(passed, caught) > 50


def test_an_anchor_that_another_naming_hides_is_missing():
    york, new = EntityNames("e1", "a", "York"), EntityNames("e2", "b", "New York")
    for naming in ("private", "text"):
        item = StructureInput(QUESTION, QUESTION, naming, (york, new), (), (), ())
        text = f"Who is both of New {york.name_in(naming)} and in {new.name_in(naming)}?"
        found = check_text(text, item, "English")
        assert isinstance(found, TextProblem)
        assert found.code == "topic_missing"
