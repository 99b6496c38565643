"""The checks of texts with several topic entities, and of what else than answers must not be named."""

import random
from collections.abc import Sequence

import pytest

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.text.naming_rules import naming_problem
from rulemine.text.template import fill
from rulemine.verbalizer.checks import QuestionInput, check_text, placeholders
from rulemine.verbalizer.replies import TextProblem
from rulemine.verify.questions.texts import occurrences
from tests.structures import structure_question

QUESTION = structure_question(1, '(and (p- "citizen_of" "france") (p- "won" "oscar"))')


def about(
    topics: Sequence[EntityNames], naming: str = "text", *hidden: EntityNames
) -> QuestionInput:
    """A question with these topic entities, of which an answer and an intermediate must not be named."""
    codes = zip(("answer_named", "intermediate_named"), ((row,) for row in hidden), strict=False)
    return QuestionInput(QUESTION, naming, tuple(topics), tuple(codes), QUESTION.question)


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
        item = about(topics, naming, answer, inner)
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


@pytest.mark.parametrize(
    ("labels", "text", "private"),
    [
        (["York", "New York"], "Who left York's north for new york?", "Who left e1's north for e2?"),
        (["Film", "Will"], "Which film of the genre Film will Will like?",
         "Which film of the genre e1 will e2 like?"),
        (["Oda Pe\u0301ry", "Caf\u00e9 A"], "Who met Oda P\u00e9ry at Cafe\u0301 A?", "Who met e1 at e2?"),
        (["O'Neil", "O\u2019Neil"], "Who met O\u2019Neil at O'Neil's?", "Who met e2 at e1's?"),
        (["Drama", "drama"], "Who left drama for Drama?", "topic_missing"),
        (["O'Neil", "O\u2019Neil"], "Who met O\u02bcNeil at O'Neil's?", "topic_missing"),
        (["Ann Lee", "York"], "Who met Ann Lee in York, where Lee lives?", "foreign_name"),
    ],
)  # fmt: skip
def test_each_name_is_replaced_where_it_stands_and_none_is_left(
    labels: list[str], text: str, private: str
) -> None:
    topics = tuple(EntityNames(f"e{n}", f"Q{n}", label) for n, label in enumerate(labels, 1))
    item = about(topics)
    found = check_text(text, item, "English")
    if isinstance(found, TextProblem):
        assert found.code == private
        return
    names = dict(zip(placeholders(2), ("e1", "e2"), strict=True))
    assert fill(found, names) == private
    assert not any(label in private for label in labels)


def test_each_of_several_anchors_has_to_be_named():
    topics = (EntityNames("e1", "a", "Ann"), EntityNames("e2", "b", "York"))
    item = about(topics)
    found = check_text("Who met Ann in that city?", item, "English")
    assert found == TextProblem("topic_missing", "“York”")


def test_an_anchor_that_another_naming_hides_is_missing():
    york, new = EntityNames("e1", "a", "York"), EntityNames("e2", "b", "New York")
    for naming in ("private", "text"):
        item = about((york, new), naming)
        text = f"Who is both of New {york.name_in(naming)} and in {new.name_in(naming)}?"
        found = check_text(text, item, "English")
        assert isinstance(found, TextProblem)
        assert found.code == "topic_missing"
