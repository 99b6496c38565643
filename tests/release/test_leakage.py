"""What earlier splits give away."""

from dataclasses import replace

from rulemine.release.proof_triples import RemovedFacts
from tests.questions import question


def test_what_joins_the_ends_of_a_removed_triple_gives_it_away():
    train = [
        replace(question(0, ("a", "r", "b"), split="train"), answers=("b", "c"), further=("c",))
    ]
    test = [
        question(1, ("c", "s", "a"), split="test"),  # a further answer of train joins its ends
        question(2, ("x", "r", "y"), split="test"),
    ]
    facts = RemovedFacts(q.removed[0] for q in (*train, *test))
    assert [facts.leaked([*train, *test], split) for split in ("validation", "test")] == [0, 1]


def test_a_split_gives_away_what_its_questions_remove_to_later_splits_alone():
    validation = replace(question(0, ("a", "r", "b"), split="validation"), full_evidence=())
    test = question(1, ("b", "s", "a"), split="test")
    facts = RemovedFacts(test.removed)
    # Its own ends would give it away too.
    validation = replace(validation, anchors=("c",))
    assert [facts.leaked([validation, test], split) for split in ("validation", "test")] == [0, 1]
