"""Guesses from training answers alone, against counting by hand."""

from collections.abc import Sequence

import pytest

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kinds.rules.block import RuleBlock
from rulemine.query.parser import parse
from rulemine.release.guessing import asked_ends, commonest_answers, guessed, order_of_names
from rulemine.release.records import HardAnswer, Question, Unseen
from tests.questions import what_is_asked
from tests.structures import DECLARED, structure_question


def asked(
    number: int, relation: str, answers: Sequence[str], hard: str | None, direction: str = "object"
) -> Question:
    topic = f"t{number}"
    end = hard or answers[0]
    triple = (topic, relation, end) if direction == "object" else (end, relation, topic)
    rows = (HardAnswer(end, 1, 100, (triple,), True),) if hard else ()
    return Question(
        id=f"q{number}", kind="rules", question=f"{relation} of {topic}?",
        **what_is_asked(topic, relation, direction), answers=tuple(sorted(answers)),
        stated=tuple(sorted(set(answers) - {hard})), hard=rows, further=(),
        hard_answer=hard, core=bool(hard), evidence=(triple,), full_evidence=(triple,),
        spurious=(), value=None, stated_value=None, relations=(relation,), intermediates=(),
        removed=(triple,), rules=("r",), split="train",
        unseen=Unseen(False, False, False), wording="template", paraphrases=(), patterns=(),
        block=RuleBlock(direction, "composition", "composition"),
    )  # fmt: skip


TRAINING = [
    asked(1, "likes", ("a", "b"), "a"),
    asked(2, "likes", ("b", "c"), "c"),
    asked(3, "likes", ("c", "d"), "c"),
    asked(4, "likes", ("z",), "z", "subject"),
    asked(5, "knows", ("d", "e"), "e"),
]


def test_the_commonest_come_first_hard_ones_first_among_equals() -> None:
    found = commonest_answers(TRAINING)
    assert found == {
        (("knows", "object"),): ["e", "d"],
        (("likes", "object"),): ["c", "b", "a", "d"],
        (("likes", "subject"),): ["z"],
    }
    assert commonest_answers(TRAINING[::-1]) == found
    assert commonest_answers([]) == {}


def test_the_order_among_equals_is_the_same_in_every_naming() -> None:
    names = [EntityNames("e0", "b", "Zoe"), EntityNames("e1", "a", "Ann")]
    assert order_of_names(names, "entity") == {"b": 0, "a": 1}
    assert order_of_names(names, "text") == {"Zoe": 0, "Ann": 1}
    pair = [asked(1, "likes", ("a", "b", "x"), "x")]
    order = {"x": 2, **order_of_names(names, "entity")}
    assert commonest_answers(pair, order=order)[(("likes", "object"),)] == ["x", "b", "a"]


def test_relations_that_state_the_same_facts_are_counted_together() -> None:
    training = [
        asked(1, "parent", ("a",), "a", "subject"),
        asked(2, "child", ("a",), "a", "object"),
        asked(3, "child", ("b",), "b", "object"),
    ]
    declared = Declarations.of(inverse=[("parent", "child")])
    assert commonest_answers(training, declared) == {(("child", "object"),): ["a", "b"]}
    test = [asked(9, "parent", ("b", "c"), "b", "subject")]
    guesses = commonest_answers(training, declared)
    assert guessed(test, guesses, 1, declared) == 0
    assert guessed(test, guesses, 2, declared) == 1


@pytest.mark.parametrize(("most", "expected"), [(1, 1), (2, 2), (9, 2)])
def test_a_guess_is_right_if_the_hard_answer_is_among_the_first(most: int, expected: int) -> None:
    test = [
        asked(11, "likes", ("c",), "c"),
        asked(12, "likes", ("b", "c"), "b"),
        asked(13, "never trained", ("c",), "c"),
        asked(14, "likes", ("c",), None),  # every answer stated
    ]
    assert guessed(test, commonest_answers(TRAINING), most) == expected


def test_structures_are_guessed_by_the_ends_asked_for_at_the_answer() -> None:
    queries = {
        '(p "born_in" (and (p- "citizen_of" "france") (p- "won" "oscar")))': ("born_in", "object"),
        '(p "in" (p "born_in" (p- "wrote" "film4")))': ("in", "object"),
        '(or (p- "citizen_of" "france") (p- "citizen_of" "italy"))': ("citizen_of", "subject"),
        '(or (p "spouse" "bob") (p- "spouse" "bob"))': ("spouse", "object"),
    }
    for query, end in queries.items():
        assert asked_ends(parse(query), DECLARED) == (end,)
    pi = parse('(and (p- "citizen_of" (p "in" "paris")) (p- "won" "palme"))')
    both = (("citizen_of", "subject"), ("won", "subject"))
    assert asked_ends(pi, DECLARED) == both
    two = '(and (p- "citizen_of" "france") (p- "won" "oscar"))'
    train = [structure_question(1, two), structure_question(2, pi.text)]
    guesses = commonest_answers(train, DECLARED)
    assert guesses == {both: ["bob", "ann", "dan"]}
    three = structure_question(
        3, '(and (p- "citizen_of" "france") (p- "won" "oscar") (p- "won" "palme"))'
    )
    easy = structure_question(4, '(and (p- "born_in" "rome") (p- "won" "palme"))')
    assert easy.hard_answer is None
    assert guessed([three, easy], guesses, 1, DECLARED) == 1
