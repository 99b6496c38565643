from rulemine.kinds.rules.ask import NAMED, SELF_LOOP, TextCheck
from rulemine.phrasing.templates import load_templates
from rulemine.release.naming import name_entities


def checker(entities, labels=None):
    names = name_entities(sorted(entities), seed=0, labels=labels)
    return TextCheck(names, load_templates("family", ["aunt"]))


def test_a_text_without_answers_passes():
    check = checker(["7", "72"])
    assert check.problem(("aunt", "subject", "72"), ["7"], "7") is None


def test_a_topic_that_contains_an_answer_is_refused():
    check = checker(["New York", "York", "x"])
    assert check.problem(("aunt", "object", "New York"), ["York"], "York") == (
        NAMED,
        "in the naming entity",
        "Who is New York the aunt of?",
    )


def test_an_answer_that_is_a_word_of_the_template_is_refused():
    check = checker(["The", "x"])
    assert check.problem(("aunt", "subject", "x"), ["The"], "The") is not None


def test_all_namings_count_at_once():
    check = checker(["a1", "b2"], {"a1": "Kim Lee", "b2": "Kim"})
    problem = check.problem(("aunt", "object", "a1"), ["b2"], "b2")
    assert problem == (NAMED, "in the naming text", "Who is Kim Lee the aunt of?")


def test_a_private_number_in_a_phrase_is_seen():
    names = name_entities([f"n{i}" for i in range(40)], seed=0)
    five = next(n.entity for n in names if n.private == "e00005")
    topic = next(n.entity for n in names if n.private == "e00007")
    check = TextCheck(names, load_templates("", ["rent 5"]))
    problem = check.problem(("rent 5", "object", topic), [five], five)
    assert problem is not None
    assert (problem.detail, "5" in problem.text) == ("in the naming numeric", True)


def test_the_topic_may_be_an_answer_but_not_the_hard_one():
    check = checker(["x", "y"])
    assert check.problem(("aunt", "object", "x"), ["x", "y"], "y") is None
    problem = check.problem(("aunt", "object", "x"), ["x", "y"], "x")
    assert problem is not None
    assert (problem.reason, problem.text) == (SELF_LOOP, ""), "its text was not the reason"
