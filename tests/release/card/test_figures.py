"""The figures of a release, against counting by hand."""

import json
import re
from dataclasses import replace
from typing import Any

from rulemine.kg.facts import Declarations
from rulemine.kinds.registry import KINDS
from rulemine.release.card.figures import COLUMNS, FIGURES, figures_of, page_of
from rulemine.release.reader import Release
from tests import ROOT, each
from tests.release.by_hand import FAMILY, QUESTIONS, REMOVALS, RULES, parts_of
from tests.releases import built


def used(value: Any) -> Any:
    """A distribution without what does not occur."""
    return {k: n for k, n in value.items() if n != 0} if isinstance(value, dict) else value


def test_every_figure_of_a_release_by_hand() -> None:
    declared = Declarations.of(symmetric=["spouse"])
    figures = figures_of(parts_of(FAMILY, REMOVALS, RULES, QUESTIONS, declared))
    statistics = figures.pop("statistics")
    # of aunt, only dan is stated, and is stated of ann: nothing else is of the right type
    hits = {name: {"all": 0, "core": 0} for name in ("prior", "prior:k=5", "nearest")}
    assert {key: used(value) for key, value in figures.items()} == {
        "triples_complete": 11, "triples_incomplete": 7, "triples_removed": 4,
        "removed_by_level": {"50": 1, "100": 4},
        "selection": {"rules_mined": 9, "upper_bound": 7, "core_upper_bound": 5},
        "entities": 6, "relations": 7, "relations_by_wording": {"derived": 7}, "relations_undeclared": [],
        "rules": 3, "rules_by_type": {"inversion": 1, "hierarchy": 1, "composition": 1},
        "questions": 3, "core": 1, "questions_by_split": {"train": 2, "test": 1},
        "hard_by_split": {"train": 2, "test": 1}, "core_by_split": {"test": 1},
        "answers": 4, "answers_stated": 1, "answers_hard": 3, "some_answer_stated": 1,
        "edges_left": {"inverse": 1}, "given_away": 0, "hits_hard": hits,
        "questions_by_wording": {"template": 3}, "distinct_texts": 3, "sampling": {}, "rejected": {},
        "model_calls": {}, "model_tokens": {}, "audits": {},
    }  # fmt: skip
    assert list(statistics) == ["all", "train", "validation", "test", "1p"]
    assert statistics["1p"] == statistics["all"]
    assert statistics["all"] == {
        "questions": 3, "tokens": statistics["all"]["tokens"], "topics": 1.0, "hops": 1.0,
        "answers": 1.33, "evidence": 1.0, "full_evidence": 1.0, "entities": 5, "relations": 3, "shapes": 1,
    }  # fmt: skip
    json.dumps(figures)


def test_an_empty_release_has_every_figure() -> None:
    empty, whole = (
        figures_of(parts_of(FAMILY, removals, RULES, questions))
        for removals, questions in (([], []), (REMOVALS, QUESTIONS))
    )
    assert list(empty) == list(whole)
    assert empty["questions"] == empty["core"] == 0
    assert empty["statistics"]["all"].keys() == COLUMNS.keys()


@each("naming", ["private", "text"])
def test_no_figure_depends_on_the_naming_or_the_order(naming: str) -> None:
    parts = parts_of(FAMILY, REMOVALS, RULES, QUESTIONS)
    figures, renamed = figures_of(parts), figures_of(parts.renamed(naming))
    for row, other in zip(*(of["statistics"].values() for of in (figures, renamed)), strict=True):
        other["tokens"] = row["tokens"]  # but the length of texts
    assert renamed == figures
    turned = replace(parts, questions=parts.questions[::-1], removals=parts.removals[::-1])
    assert figures_of(turned) == figures


def test_hits_of_the_hard_answer_are_those_of_answerers() -> None:
    from rulemine import answer

    release = Release.open(built("demo") / "demo")
    figures = release.manifest["counts"]["hits_hard"]
    test = {q.id: q for q in release.questions("test")}
    for name, hits in figures.items():
        found = [test[p.id] for p in answer(release, name) if test[p.id].hard_answer in p.answers]
        assert hits == {"all": len(found), "core": sum(q.core for q in found)}
    assert figures["nearest"]["core"] > figures["prior:k=5"]["core"] > 0


def test_the_rows_that_a_level_changes_are_counted() -> None:
    release = Release.open(built("coast") / "release")
    for level, number in release.manifest["counts"]["changed"].items():
        rows = [
            row for q in release.questions() for row in q.block.levels if str(row.level) == level
        ]
        assert number == sum(bool(row.lost or row.spurious) for row in rows) > 0


def test_the_documentation_has_every_figure_and_no_other() -> None:
    text = (ROOT / "docs/release.md").read_text(encoding="utf-8").partition("## Figures")[2]
    rows = re.findall(r"^\| (`[^|]+`) \|", text, flags=re.MULTILINE)
    found = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    of_kinds = {key for kind in KINDS.own for key in page_of(kind).figures}
    assert found == {*FIGURES, *of_kinds}
    assert {f"`{key}`" for key in COLUMNS} <= {*re.findall(r"`\w+`", text)}
