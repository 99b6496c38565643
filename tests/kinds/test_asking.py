"""A kind that draws more than it asks: what the engine makes of what it yields."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build
from rulemine.errors import UserError
from rulemine.kg.graph import DIRECTIONS
from rulemine.kinds.asking import HOPELESS, Asking, Draft, Tried
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.dealing import DRAWN
from rulemine.kinds.registry import KINDS
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.recipe import QuestionSection
from rulemine.release.reader import Release
from rulemine.verify import verify

PARTS = {"object": 60, "subject": 30}


class Ends(BuildingKind):
    """Asks for ends of what is removed, as many for each; an anchor is in one split alone."""

    name = "ends"

    def parts(self, asking: Asking) -> dict[Any, int]:
        return PARTS

    def marks(self, question: Any) -> Any:
        return question.anchors

    def drafts(self, asking: Asking) -> Iterator[Tried]:
        self.asking = asking
        triples = asking.kg.labeled(asking.selection.head)
        for end in DIRECTIONS:
            for triple in triples:
                if not asking.open(end, triple[1], 20):
                    continue
                graded = asking.grade(asking.link(triple, end), max_answers=9)
                found = graded if isinstance(graded, str) else Draft(graded, None)
                yield Tried(end, triple[1], found)


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Ends:
    made = Ends()
    monkeypatch.setattr(KINDS, "own", {"ends": made})
    return made


def build(folder: Path, *settings: Any) -> Release:
    Build(load_recipe("demo", [(("kind",), "ends"), *settings]), folder).run()
    return Release.open(folder)


def test_what_is_drawn_is_dealt_and_only_that_is_worded(kind: Ends, tmp_path: Path) -> None:
    release = build(tmp_path / "made", (("questions", "test_core"), 12))
    questions = release.questions()
    assert verify(release.path).ok
    counts = release.manifest["counts"]["sampling"]
    for end, wanted in PARTS.items():
        assert 0.8 * wanted < counts[end]["questions"] <= wanted == counts[end]["wanted"]
        refused = sum(counts[end]["rejected"].values())
        assert counts[end]["drawn"] == counts[end]["questions"] + refused
    of = {split: [q for q in questions if q.split == split] for split in ("test", "train")}
    assert sum(q.core for q in of["test"]) == 12
    anchors = {split: {a for q in some for a in q.anchors} for split, some in of.items()}
    assert anchors["test"].isdisjoint(anchors["train"])
    assert len(questions) <= len(kind.asking._words) < len(kind.asking.pool)
    again = build(tmp_path / "again", (("questions", "test_core"), 12)).questions()
    assert again == questions


def test_a_question_that_needs_many_facts_is_for_training(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(QuestionSection, "max_facts", 2)
    build(tmp_path / "made")
    needed = {
        len(kind.asking.facts.needed_by(question)): candidate.splits
        for question, candidate in kind.asking.pool
    }
    assert {n: [*splits] for n, splits in needed.items()} == {
        n: [*(DRAWN if n <= 2 else ("train",))] for n in needed
    }
    assert {2, 3} <= needed.keys()


def test_without_splits_as_many_are_asked(kind: Ends, tmp_path: Path) -> None:
    release = build(tmp_path / "made", (("questions", "split"), "none"))
    assert {q.split for q in release.questions()} == {"test"}
    counts = release.manifest["counts"]["sampling"]
    assert {end: row["questions"] for end, row in counts.items()} == PARTS


def test_what_is_refused_for_one_cause_ends_its_stratum_alone(kind, monkeypatch, tmp_path):
    tried = Counter[Any]()

    def drafts(asking: Asking) -> Iterator[Tried]:
        for number in range(1000):
            for stratum in ("all the same", "now and then", "many causes"):
                if asking.open("object", stratum, 100):
                    tried[stratum] += 1
                    why = str(number % 3) if stratum == "many causes" else "no"
                    yield Tried("object", stratum, why)
                    if stratum == "now and then" and number % 40 == 0:
                        asking._since.pop(("object", stratum))  # as if one had been asked

    monkeypatch.setattr(kind, "drafts", drafts, raising=False)
    with pytest.raises(UserError, match=r"no question is left: .* drafts \(.* × no"):
        build(tmp_path / "made")
    assert tried == {
        "all the same": HOPELESS, "now and then": 1000, "many causes": 3 * (HOPELESS - 1) + 1,
    }  # fmt: skip
