"""Splits by what training lacks, against counting by hand and brute force over random questions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Any

import pytest

from rulemine.errors import UserError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kinds.locks import LockReason, RememberedFacts
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.split import (
    TESTED_SHAPES,
    Lacking,
    SplitReason,
    split_subgraphs,
    without_lost_parents,
)
from rulemine.kinds.written.block import MinimalQuery
from rulemine.recipe.options import QuestionSection
from rulemine.recipe.recipe import Recipe
from rulemine.release.question_set import QuestionSet, read_question_set, write_question_set
from rulemine.release.records import HardAnswer, Question
from rulemine.seeds import stream
from tests.questions import no_patterns
from tests.structures import structure_question
from tests.written import as_subgraph

RESERVED_SHAPES = SubgraphSection.reserved_shapes
BASE = as_subgraph(structure_question(0, '(p "citizen_of" "ann")'))
QUERIES = {
    "(1)(1)-{(1)}": ('(minus (and (p "r" "{0}") (p "s" "{0}")) (p "t" "a"))', "(1)(1)"),
    "((1)-{(1)})": ('(p "r" (minus (p "s" "{0}") (p "t" "a")))', "(2)"),
    "(2(2)-{(1)})": ('(p "r" (p "r" (minus (p "r" (p "s" "{0}")) (p "t" "a"))))', "(4)"),
    "#(2)(1)": ('(count (and (p "r" (p "r" "{0}")) (p "s" "{0}")))', "(2)(1)"),
    "#(1)-{(1)}": ('(count (minus (p "r" "{0}") (p "t" "a")))', "(1)"),
}
"""Shape → a query of it, and the shape of what an answer rests on."""

TRAINING_RELATIONS = "rulemine.kinds.subgraphs.split.TRAINING_RELATIONS"
OTHERS = ("(5)", "((1)(1)(1))")


def asked(
    number: int,
    shape: str = "(1)",
    relations: Sequence[str] = ("r0",),
    answers: Sequence[str] = (),
    parent: str = "",
) -> Question:
    """A question; its evidence has a triple of each of its relations."""
    anchors = (f"x{number}",)
    query = QUERIES.get(shape, ('(p "r" "{0}")', ""))[0].replace("{0}", f"x{number}")
    block = replace(
        BASE.block,
        minimal_shape=shape,
        minimal=(MinimalQuery(anchors, query),),
        parent=parent,
    )
    return replace(
        BASE,
        id=f"q{number:05d}",
        anchors=anchors,
        query=query,
        shape=shape,
        answers=tuple(answers) or (f"a{number}",),
        evidence=tuple((f"x{number}", r, f"a{number}") for r in relations),
        relations=tuple(sorted(relations)),
        block=block,
    )


def plain(question: Question) -> str:
    return QUERIES.get(question.shape, ("", question.shape))[1]


def of(questions: Sequence[Question], declared: Declarations | None = None) -> QuestionSet:
    told: dict[str, Any] = {"subgraphs": {"wanted": 9, "drawn": 30}}
    return QuestionSet(
        tuple(questions), (), (), 0, declarations=declared or Declarations(), sampling=told
    )


def recipe_of(options: SubgraphSection, seed: int = 7, **chosen: int) -> Recipe:
    return Recipe(
        "t", "t.tsv", kind="subgraphs", seed=seed, own=options,
        questions=QuestionSection(**chosen),
    )  # fmt: skip


def split(
    asked: QuestionSet,
    options: SubgraphSection,
    seed: int,
    removed: Sequence[Triple] = (),
    **chosen: int,
) -> QuestionSet:
    removals = RememberedFacts(removed)
    return split_subgraphs(asked, recipe_of(options, seed, **chosen), removals, no_patterns())


def drawn(seed: int, n: int) -> list[Question]:
    """Random questions of many shapes, with relations of a long tail and answers that many share."""
    draws = stream(seed, "test")
    shapes = (*TESTED_SHAPES, *RESERVED_SHAPES, *OTHERS, *QUERIES)
    found = []
    for number in range(n):
        relations = {f"r{int(20 * draws.uniform(1)[0] ** 2)}" for _ in range(1 + draws.below(3))}
        answers = {f"a{draws.below(n)}" for _ in range(1 + draws.below(3))}
        found.append(
            asked(
                number,
                shapes[draws.below(len(shapes))],
                sorted(relations),
                sorted(answers),
                parent=f"q{draws.below(n):05d}" if not draws.below(5) else "",
            )
        )
    return found


@pytest.mark.parametrize("seed", range(6))
def test_every_promise_of_the_split(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = drawn(seed, 300 + 200 * seed)
    per_cell = 45 if seed else 2
    monkeypatch.setattr("rulemine.kinds.subgraphs.split.PER_CELL", per_cell)
    options = SubgraphSection(questions=2000, test_share=0.1)
    made = split(of(questions), options, seed)
    before = {q.id: q for q in questions}
    train = [q for q in made.questions if q.split == "train"]
    test = [q for q in made.questions if q.split == "test"]
    assert len(train) + len(test) + len(made.rejections) == len(questions)
    told = made.sampling["subgraphs"]
    assert (told["wanted"], told["drawn"], told["split"]["accepted"]) == (9, 30, len(questions))

    # Relations by frequency, counted with nothing but loops.
    times = Counter(r for q in questions for _, r, _ in q.evidence)
    ordered = sorted(times, key=lambda r: (-times[r], r))
    may_train = set(ordered[: floor(0.54 * len(ordered) + 0.5)])
    trained = {r for q in train for r in q.relations}
    assert trained <= may_train
    assert told["split"]["training_relations"] == sorted(trained)

    # No answer, reserved shape or relation in both.
    assert not any(set(a.answers) & set(b.answers) for a in train for b in test)
    kept = {q.id for q in made.questions}
    for q in made.questions:
        shape = plain(q)
        lacking = [
            *["ugt"] * (shape in RESERVED_SHAPES),
            *["urt"] * (not set(q.relations) <= trained),
        ]
        block = q.block
        assert block.test_type == (tuple(lacking) or ("id",) if q.split == "test" else ())
        assert q.split == "test" or not lacking
        given = before[q.id].block
        assert block.parent == (given.parent if given.parent in kept else "")
        assert replace(block, test_type=(), parent="") == replace(given, parent="")
    assert all(q.block.minimal == (MinimalQuery(q.anchors, q.query),) for q in test)
    assert {q.query for q in test}.isdisjoint(m.query for q in train for m in q.block.minimal)

    # Cells are even: one that has fewer than another has had all that there are.
    size = floor(0.1 * len(questions) + 0.5)
    most = min(per_cell, ceil(size / 20))

    def cell(q: Question) -> tuple[str, str] | None:
        shape = plain(q)
        if shape in RESERVED_SHAPES:
            return "ugt", shape
        known = "id" if set(q.relations) <= may_train else "urt"
        return (known, shape) if shape in TESTED_SHAPES else None

    there_are = Counter(cell(q) for q in questions)
    have = Counter(cell(q) for q in test)
    del there_are[None]
    assert None not in have
    assert len(test) == min(size, sum(min(most, n) for n in there_are.values()))
    assert all(have[c] >= min(n, most - 1) and have[c] <= most for c, n in there_are.items())

    # Whatever is in neither has its reason.
    taken = {answer for q in test for answer in q.answers}
    for row in made.rejections:
        q = before[row.question]
        assert (row.stage, row.query) == ("split", q.query)
        expected = (
            SplitReason.SHARED if cell(q) is None and row.detail == "id" else
            SplitReason.NO_CELL if cell(q) is None else
            SplitReason.SHARED if row.detail == "id" else SplitReason.ENOUGH
        )  # fmt: skip
        assert row.reason == expected
        assert (row.reason == SplitReason.SHARED) <= bool(taken & set(q.answers))


def test_the_order_changes_nothing_and_the_seed_does() -> None:
    questions = drawn(1, 400)
    made = split(of(questions), SubgraphSection(), 7)
    turned = split(of(questions[::-1]), SubgraphSection(), 7)
    assert turned == made
    assert split(of(questions), SubgraphSection(), 8).questions != made.questions


def test_a_stage_hands_on_all_that_the_split_sets(tmp_path: Any) -> None:
    made = split(of(drawn(2, 100)), SubgraphSection(), 7)
    write_question_set(tmp_path, made)
    assert read_question_set(tmp_path) == made


def test_parents_that_are_dropped_later_are_named_no_more() -> None:
    """What the final filter drops may be the parent of a training question."""
    some = [
        asked(0),
        asked(1, parent="q00000"),
        asked(2, parent="q00001"),
        asked(3, parent="q00009"),
    ]
    found = without_lost_parents(some[1:])
    assert [q.block.parent for q in found] == ["", "q00001", ""]


def test_relations_that_state_the_same_facts_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """`child` is rare and `parent` is not; a training question about one would prepare for the other."""
    declared = Declarations.of(inverse=[("child", "parent")])
    questions = [asked(n, relations=["parent"]) for n in range(6)]
    questions += [
        asked(6, relations=["child"]),
        asked(7, relations=["q"]),
        asked(8, relations=["q"]),
    ]
    monkeypatch.setattr(TRAINING_RELATIONS, 0.5)
    options = SubgraphSection(test_share=0.2)
    made = split(of(questions, declared), options, 7)
    assert made.sampling["subgraphs"]["split"]["training_relations"] == ["child", "parent"]
    types = {q.id: q.block.test_type for q in made.questions if q.split == "test"}
    assert sorted(types.values()) == [("id",), ("urt",)]


def test_what_a_difference_takes_away_counts_as_a_relation() -> None:
    """A relation that only a difference has is in no evidence, so it is the rarest."""
    questions = [asked(n, relations=["r"]) for n in range(9)]
    minus = asked(9, "(1)-{(1)}", ["r"])
    minus = replace(minus, relations=("r", "s"))
    made = split(of([*questions, minus]), SubgraphSection(test_share=0.2), 7)
    assert made.sampling["subgraphs"]["split"]["training_relations"] == ["r"]
    assert next(q for q in made.questions if q.id == minus.id).block.test_type == ("urt",)


def test_a_relation_that_the_split_itself_takes_from_training_is_unseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The only training question about `s` shares its answer with a test question."""
    questions = [asked(n, relations=["r"]) for n in range(9)]
    questions += [asked(9, "(2)", ["s"], ["a"]), asked(10, "(5)", ["s"], ["a"])]
    monkeypatch.setattr(TRAINING_RELATIONS, 1.0)
    options = SubgraphSection(test_share=0.2)
    made = split(of(questions), options, 7)
    assert {q.id: q.block.test_type for q in made.questions}["q00009"] == ("urt",)
    assert made.sampling["subgraphs"]["split"]["training_relations"] == ["r"]


def test_a_split_without_training_says_so() -> None:
    with pytest.raises(UserError, match="no training question is left of 1 accepted question"):
        split(of([asked(0)]), SubgraphSection(), 7)


def test_questions_with_answers_of_their_own_are_tested_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rulemine.kinds.subgraphs.split.PER_CELL", 1)
    questions = [asked(n, answers=["shared"]) for n in range(30)] + [asked(30), asked(31)]
    made = split(of(questions), SubgraphSection(), 7)
    (tested,) = [q.id for q in made.questions if q.split == "test"]
    assert tested in ("q00030", "q00031")
    assert not made.rejections


def test_training_gives_nothing_away_that_test_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    fact = ("b", "r", "c")
    row = HardAnswer("a0", 1, 100, (fact,), True)
    needs = replace(asked(0, "(4)"), hard=(row,), core=True)
    gives = replace(asked(1), full_evidence=(("c", "other", "b"),))
    other = [asked(number) for number in range(2, 9)]
    made = split(of([needs, gives, *other]), SubgraphSection(test_share=0.5), 7, [fact])
    assert {q.id for q in made.questions if q.split == "test"} >= {needs.id}
    found = {row.question: row.reason for row in made.rejections}
    assert found[gives.id] == LockReason.GIVES
    many = replace(needs, hard=(replace(row, witness=(fact, ("d", "r", "e"))),))
    monkeypatch.setattr(QuestionSection, "max_facts", 1)
    facts = [fact, ("d", "r", "e")]
    made = split(of([many, gives, *other]), SubgraphSection(test_share=0.5), 7, facts)
    found = {row.question: row.reason for row in made.rejections}
    assert found[many.id] == LockReason.MANY
    assert gives.id not in found


def test_the_core_comes_first_in_test_and_training_ends_with_what_is_wanted() -> None:
    questions = [
        replace(asked(n, shape), core=n % 4 == 0, hard_answer=f"a{n}")
        for n, shape in enumerate(["(1)", "(2)", "(4)"] * 40)
    ]
    options = SubgraphSection(questions=60, test_share=0.1)
    made = split(of(questions), options, 3, test_core=9)
    test = [q for q in made.questions if q.split == "test"]
    assert sum(q.core for q in test) >= 9
    assert sum(q.core for q in split(of(questions), options, 3).questions if q.split == "test") < 9
    assert len(made.questions) == 60
    third = split(of(questions), options, 3, test_core=99).sampling["subgraphs"]["split"]["core"]
    assert third == sum(q.core for q in questions) // 3
    full = [row for row in made.rejections if row.reason == SplitReason.FULL]
    assert len(full) > 0
    chosen = QuestionSection(test_core=9)
    recipe = Recipe("t", "t.tsv", kind="subgraphs", own=options, questions=chosen)
    lacking = Lacking.after(made, recipe)
    assert (lacking.questions, lacking.core) == (0, 0)
    assert Lacking.after(None, recipe).questions == 60
