import pytest

from rulemine.builder.balance import TOO_MANY, balance
from tests.builder.rule_questions.asking import asked, question

# 60 questions with the answer "hub", 40 with one each.
MANY = [question(i, (f"s{i:03}", "r", "hub" if i < 60 else f"o{i}")) for i in range(100)]


def hubs(made):
    return sum(q.hard_answer == "hub" for q in made.questions)


def test_one_changes_nothing():
    before = asked(MANY)
    assert balance(before, 1.0, 0) == before


@pytest.mark.parametrize(("share", "kept"), [(0.29, 29), (0.6, 60), (0.07, 7), (0.001, 1)])
def test_at_most_the_share_of_all_questions_stays(share, kept):
    made = balance(asked(MANY), share, 0)
    assert hubs(made) == kept
    assert len(made.questions) == 40 + kept


def test_what_goes_is_kept_with_the_reason():
    made = balance(asked(MANY), 0.1, 0)
    gone = {q.id for q in MANY} - {q.id for q in made.questions}
    assert [r.question for r in made.rejections] == sorted(gone)
    assert {(r.stage, r.reason) for r in made.rejections} == {("balance", TOO_MANY)}
    assert [q.id for q in made.questions] == sorted(q.id for q in made.questions)


def test_the_draw_is_seeded():
    first, again, other = (balance(asked(MANY), 0.1, seed) for seed in (0, 0, 1))
    assert first == again
    assert first.questions != other.questions


def test_reference_triples_go_with_their_question():
    questions = [question(0, ("a", "r", "hub")), question(1, ("b", "r", "hub"))]
    before = asked(questions, reference=[("a", "r", "new"), ("b", "r", "new2")],
                   further=["new", "new2"])  # fmt: skip
    made = balance(before, 0.5, 0)
    (left,) = made.questions
    new = "new" if left.topic == "a" else "new2"
    assert made.reference == ((left.topic, "r", new),)
    assert {n.entity for n in made.names} == {"a", "b", "hub", new}
