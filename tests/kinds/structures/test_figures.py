"""The statistics of releases of the kind ``structures``, against counting by hand."""

import json
from dataclasses import replace

from rulemine.kinds.registry import KINDS
from rulemine.query.structures import STRUCTURES
from rulemine.release.card.figures import figures_of
from rulemine.release.records import Question
from tests.structures import world

FIGURES = figures_of(world())


def test_a_release_by_hand() -> None:
    rows = FIGURES["statistics"]
    assert list(rows) == ["all", *STRUCTURES]
    assert rows["1p"] == {
        "questions": 3,
        "core": 1,
        "by_split": {"train": 2, "validation": 1, "test": 0},
        "by_missing": {"0": 1, "1": 2, "2": 0, "3": 0},
        "by_inference": {"none": 1, "partial": 0, "full": 2},
        "tokens": round(sum(len(q.question.split()) for q in world().questions[:3]) / 3, 2),
        "answers": 1.0,
        "hard": 0.67,
        "triples": 1.0,
        "entities": 5,  # ann, france | ann, bob | cat, rome
        "relations": 3,
        "top_anchor": 1,
        "top_relation": 1,
        "top_answer": 1,
        "same_type": 3,
        "mediated": 0,
        "degrees": {"0": 5, "25": 5, "50": 8, "75": 8, "100": 8},  # cat 5, ann 8, bob 8
    }
    assert rows["all"]["by_missing"] == {"0": 2, "1": 8, "2": 1, "3": 1}
    assert rows["3p"]["by_inference"] == {"none": 1, "partial": 0, "full": 1}
    assert rows["up"]["by_inference"] == {"none": 0, "partial": 1, "full": 0}
    assert rows["2u"]["answers"] == 5.0
    assert FIGURES["hard_by_split"] == {"train": 3, "validation": 1, "test": 6}
    # 1p citizen_of, spouse; 2p wrote, citizen_of; 3p spouse, wrote, made_in; all others citizen_of
    kinds = {"symmetry": 0, "inversion": 0, "hierarchy": 4, "composition": 9, "other": 0}
    assert FIGURES["missing_by_type"] == kinds
    assert FIGURES["top_answer"] == 3  # ann
    told = {"1p": {"drawn": 3}}
    assert figures_of(world(sampling_counts=told))["sampling"] == told
    own = ["hard_by_split", "missing_by_type", "statistics", "sampling"]
    assert [figure.key for figure in KINDS["structures"].page.figures] == own
    json.dumps(FIGURES)


def test_the_rows_of_structures_add_up() -> None:
    whole, *rows = FIGURES["statistics"].values()
    for key in ("questions", "core", "same_type", "mediated"):
        assert whole[key] == sum(row[key] for row in rows)
    for key in ("by_split", "by_missing", "by_inference"):
        for name, n in whole[key].items():
            assert n == sum(row[key][name] for row in rows)
    assert whole["questions"] == FIGURES["questions"] == len(world().questions)
    assert whole["by_split"] == FIGURES["questions_by_split"]


def test_mediators_and_answers_without_a_common_type() -> None:
    parts = world()

    def turned(q: Question) -> Question:
        joined = tuple(r.replace("won", "award./award/won") for r in q.relations)
        return replace(q, relations=joined)

    types = {name: types for name, types in parts.types.items() if name != "eve"}
    rows = figures_of(replace(parts, types=types, questions=tuple(map(turned, parts.questions))))
    assert rows["statistics"]["2u"]["same_type"] == 0  # eve is an answer
    assert rows["statistics"]["up"]["same_type"] == 1
    assert [rows["statistics"][name]["mediated"] for name in ("1p", "2i", "3i", "pi")] == [
        0,
        1,
        1,
        1,
    ]


def test_an_empty_release_has_every_figure() -> None:
    empty = figures_of(world(questions=(), removals=(), rules=()))
    assert list(empty) == list(FIGURES)
    assert empty["statistics"]["all"].keys() == FIGURES["statistics"]["all"].keys()
    assert empty["statistics"]["2u"]["tokens"] == 0.0
    assert empty["statistics"]["all"]["degrees"] == dict.fromkeys(("0", "25", "50", "75", "100"), 0)


def test_no_figure_depends_on_the_order() -> None:
    parts = world()
    turned = replace(parts, questions=parts.questions[::-1], removals=parts.removals[::-1])
    assert figures_of(turned) == FIGURES
