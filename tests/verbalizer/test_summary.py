from rulemine.verbalizer.summary import Tally


def test_the_figures_in_a_sentence():
    tally = Tally(
        questions=1200,
        worded=1195,
        first=1100,
        failed=5,
        problems={"ambiguous": 20, "answer_named": 90, "audit_failed": 20},
        paraphrases=2300,
        wanted=2390,
        refused={"not_distinct": 120},
    )
    assert tally.to_text() == (
        "1,100 of 1,200 questions were worded at the first attempt, 95 later, 5 not (rejected: "
        "90 answer_named, 20 ambiguous, 20 audit_failed); 2,300 of 2,390 paraphrases were found "
        "(rejected: 120 not_distinct)."
    )


def test_without_paraphrases_and_problems_there_is_little_to_say():
    tally = Tally(3, 3, 3, 0, {}, 0, 0, {})
    assert tally.to_text() == ("3 of 3 questions were worded at the first attempt, 0 later, 0 not.")
