"""Splits by seed text: sizes are exact to one text, and no text is in two of them."""

from dataclasses import replace

import pytest

from rulemine.builder.recipe import Recipe
from rulemine.builder.variants.seed_splits import split_by_seed_text
from rulemine.errors import UserError
from rulemine.release.question_set import QuestionSet
from rulemine.release.seed_rows import SeedRow, with_splits
from tests.variants import variant_question


def asked(texts: int) -> QuestionSet:
    """Three questions on each of some seed texts, and one text without."""
    questions = tuple(
        variant_question(3 * t + i, f"t{t}", "a", f"r{i}", f"b{t}", split="")
        for t in range(texts)
        for i in range(3)
    )
    rows = tuple(SeedRow(f"t{t}", ("a",), "") for t in range(texts + 1))
    return QuestionSet(questions, (), (), 0, seed_rows=rows)


def recipe(split: str = "group") -> Recipe:
    made = Recipe(name="n", kg="demo", kind="variants")
    return replace(
        made,
        questions=replace(made.questions, ratios=(7, 1, 2), split=split),
    )


def test_texts_are_dealt_whole():
    made = split_by_seed_text(recipe(), asked(20))
    splits = [
        {q.split for q in made.questions if q.variants.seed_text == f"t{t}"} for t in range(20)
    ]
    assert sorted(map(len, splits)) == [1] * 20
    flat = [split for one in splits for split in one]
    assert [flat.count(name) for name in ("train", "validation", "test")] == [14, 2, 4]
    rows = with_splits(made.seed_rows, made.questions, 0)
    assert [{row.split} for row in rows] == [*splits, {""}]
    unseen = [q.unseen.answer for q in made.questions if q.split == "test"]
    assert all(unseen)  # every text has an answer of its own


def test_other_modes_are_split_as_all_kinds_are_and_a_run_has_all_seed_texts_in_test():
    given = asked(4)
    assert {row.split for row in with_splits(given.seed_rows, given.questions, 2)} == {"test"}
    for mode in ("random", "none"):
        assert split_by_seed_text(recipe(split=mode), asked(4)) is None


def test_too_few_texts():
    with pytest.raises(UserError, match="2 seed texts with questions; 3 splits need at least 3"):
        split_by_seed_text(recipe(), asked(2))
