"""Splits by seed text: no text is in two of them, none gives away what another needs, sizes are reached."""

from dataclasses import replace

import pytest

from rulemine.errors import UserError
from rulemine.kg.facts import Declarations
from rulemine.kinds.locks import LockReason, RememberedFacts
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE, NearDuplicates
from rulemine.kinds.variants.ask import SeedSplits
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.variants.pairs import PairReason
from rulemine.kinds.variants.seed_texts import SeedSet, splits_of_sets
from rulemine.recipe.options import QuestionSection
from rulemine.recipe.recipe import Recipe
from rulemine.release.records import Question, SeedRow, seeds_with_splits
from tests.questions import no_patterns
from tests.variants import variant_question

SETS = [SeedSet(f"t{number}", (number,)) for number in range(20)]


@pytest.fixture(autouse=True)
def one_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question of validation or test may need one fact."""
    monkeypatch.setattr(QuestionSection, "max_facts", 1)


def recipe(split: str = "group", run: int = 0, core: int = 0, **options: int) -> Recipe:
    return Recipe(
        name="n",
        kg="demo",
        kind="variants",
        questions=QuestionSection(ratios=(7, 1, 2), split=split, test_core=core),
        own=VariantSection(run=run, **{"questions": 30, "pairs": 2, **options}),
    )


def splits(made: Recipe, *removed: tuple[str, str, str]) -> SeedSplits:
    return SeedSplits(
        made,
        SETS,
        RememberedFacts(removed),
        NearDuplicates(Declarations()),
        no_patterns(),
    )


def question(number: int, text: str, hard: bool = True) -> Question:
    """A question with an answer of its own."""
    return variant_question(number, text, f"a{number}", "r", f"b{number}", split="", hard=hard)


def texts_of(split: str) -> list[str]:
    dealt = splits_of_sets(recipe(), len(SETS))
    return [one.id for one, of in zip(SETS, dealt, strict=True) if of == split]


def test_texts_are_dealt_whole_and_no_more_is_kept_than_wanted() -> None:
    assert [len(texts_of(split)) for split in ("train", "validation", "test")] == [14, 2, 4]
    some = [question(number, f"t{number // 3}") for number in range(60)]
    dealt = splits(recipe()).deal(some)
    assert [q.query for q in dealt.kept] == [q.query for q in some if q in map(plain, dealt.kept)]
    for split in ("train", "validation", "test"):
        own = [q for q in dealt.kept if q.split == split]
        assert {q.block.seed_text for q in own} <= {*texts_of(split)}
        assert dealt.lacking[split] == {"train": 21, "validation": 3, "test": 6}[split] - len(own)
    assert not dealt.lacking.total()
    assert {reason for _, reason in dealt.refused} == {PairReason.MANY, PairReason.ENOUGH}


def plain(asked: Question) -> Question:
    return replace(asked, split="")


def test_nothing_that_test_needs_is_given_by_training_or_validation() -> None:
    test, validation, train = (texts_of(split)[0] for split in ("test", "validation", "train"))
    fact = ("a1", "r", "b1")
    asked = question(1, test)
    gives = replace(question(2, validation, hard=False), full_evidence=(("b1", "other", "a1"),))
    trains = replace(question(3, train, hard=False), anchors=("b1",), answers=("a1",))
    needs = replace(question(4, test), query="(x)")
    row = replace(needs.hard[0], witness=(fact, ("a4", "r", "b4")))
    needs = replace(needs, hard=(row,))
    found = splits(recipe(), fact, ("a4", "r", "b4")).deal([trains, gives, asked, needs])
    assert [(q.query, reason) for q, reason in found.refused] == [
        (trains.query, LockReason.GIVES), (gives.query, LockReason.GIVES), ("(x)", LockReason.MANY),
    ]  # fmt: skip
    free = splits(recipe("none"), fact).deal([trains, gives, asked])
    assert len(free.kept) == 3
    assert {q.split for q in free.kept} == {""}


def test_of_near_duplicates_the_one_of_the_core_stays_whatever_the_order() -> None:
    test, train = texts_of("test")[0], texts_of("train")[0]
    both = {"anchors": ("x", "y"), "answers": ("z",)}
    one = replace(question(1, test), **both)  # type: ignore[arg-type]
    core = replace(question(2, train), core=True, **both)  # type: ignore[arg-type]
    for some in ([one, core], [core, one]):
        dealt = splits(recipe()).deal(some)
        assert [plain(q) for q in dealt.kept] == [core]
        assert dealt.refused == [(one, NEAR_DUPLICATE)]
    other = replace(question(3, train), anchors=("x", "y"), answers=("w",))
    assert not splits(recipe()).deal([one, other]).refused  # other answers, as many


def test_test_takes_its_core_first_and_asks_on_for_it() -> None:
    test = texts_of("test")
    plain_ones = [question(number, test[number % 4], hard=False) for number in range(6)]
    core = [replace(question(number, test[number % 4]), core=True) for number in range(6, 12)]
    made = splits(recipe(core=2, pairs=9))
    dealt = made.deal([*plain_ones, *core])
    taken = [q for q in dealt.kept if q.split == "test"]
    assert sum(q.core for q in taken) >= 2
    assert len(taken) == 6
    assert splits(recipe(core=2)).deal(plain_ones).lacking_hard["test"] > 0


def test_sets_of_splits_that_lack_questions_come_next() -> None:
    made = splits(recipe())
    dealt = made.deal([])
    first = made.next(dealt, 8, 4)
    assert {made.split_of(one.id) for one in first} == {"train", "validation", "test"}
    rest = []
    while some := made.next(dealt, 8, 4):
        rest += some
    assert sorted(one.id for one in [*first, *rest]) == sorted(one.id for one in SETS)
    full = splits(recipe()).deal([question(n, f"t{n // 2}") for n in range(40)])
    assert not splits(recipe()).next(full, 8, 4)


def test_a_run_and_other_modes_have_no_splits_of_texts() -> None:
    for other in (recipe("none"), recipe("random"), recipe(run=1)):
        assert {*splits_of_sets(other, 9)} == {""}
    rows = (SeedRow("t0", ("a",), ""), SeedRow("t1", ("a",), ""))
    asked = [replace(question(1, "t0"), split="train")]
    assert {row.split for row in seeds_with_splits(rows, asked, 2)} == {"test"}
    assert [row.split for row in seeds_with_splits(rows, asked, 0)] == ["train", ""]


def test_an_empty_split_is_told() -> None:
    made = splits(recipe())
    with pytest.raises(UserError, match="no question for the split validation: 2 seed texts of 20"):
        made.check(made.deal([question(1, texts_of("test")[0]), question(2, texts_of("train")[0])]))
