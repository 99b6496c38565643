"""A question of the kind ``structures`` in the terminal."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.cli.main import main
from rulemine.errors import ReleaseError
from rulemine.query.parser import parse
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.release.show import show
from rulemine.release.showing.derivation import Bound, bind
from rulemine.release.showing.layout import display_width
from rulemine.release.writer import write_release
from tests.structures import ASKED, DECLARED, world


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("world")
    write_release(made, world(), "text")
    return made


EXPECTED = """\
Tree of proofs
  ★ Lyon
    Bob ──born_in──▶ Lyon   stated
      Bob ──citizen_of──▶ France   ✗ removed
        If x was born in z and z is in y, then x is a citizen of y. (confidence 0.80)
          Bob ──born_in──▶ Lyon
          Lyon ──in──▶ France
      (1 other branch not needed)

How hard
  1 of 2 links is missing: partial inference.
  Bob ──citizen_of──▶ France: 3 proofs of it remain, the shortest of 2 triples; prior 0.05 of its subject; no
    edge remains between its ends.
  2 of 4 answers are still stated.
  The answer is not stated at level 100 % only.
  In the core: nothing else joins the two ends of a missing link, and none can be guessed."""


def test_the_tree_of_proofs_as_a_whole(folder: Path) -> None:
    text = show(folder, "q00011", 110)
    assert text.endswith(EXPECTED)
    assert "  4 answers  ★ Lyon  the hard answer that is asked for\n" in text
    assert "             ☆ Paris  hard: misses 1 link\n" in text
    assert "  structure  up · 2 hops\n" in text
    assert "  topics     France\n             Italy\n" in text


def test_every_atom_is_in_the_tree_with_its_proof(folder: Path) -> None:
    text = show(folder, "q00005")
    assert text.count("✗ removed") == 3
    assert "3 of 3 links are missing: full inference." in text
    assert "Not in the core: 2 of its missing links are not" in text
    first, second, third = (text.index(f"──{name}──▶") for name in ("made_in", "wrote", "spouse"))
    assert first < second < third


def test_where_every_answer_is_stated_there_is_a_derivation_without_proofs(folder: Path) -> None:
    text = show(folder, "q00004")
    assert "Derivation\n  Italy\n    Rome ──in──▶ Italy   stated\n" in text
    assert "Every answer is stated" in text
    assert "removed" not in text
    assert " · level" not in text


@pytest.mark.parametrize("width", [40, 47, 60, 80])
def test_a_narrow_terminal_gets_short_lines(folder: Path, width: int) -> None:
    for number in range(len(ASKED)):
        lines = show(folder, f"q{number:05d}", width).split("\n")
        assert max(map(display_width, lines)) <= width


@pytest.mark.parametrize("naming", ["private", "entity"])
def test_every_naming_shows_the_same_tree(folder: Path, tmp_path: Path, naming: str) -> None:
    write_release(tmp_path, world(), naming)
    for number in range(len(ASKED)):
        trees = [show(at, f"q{number:05d}", 200).split("\n\n") for at in (folder, tmp_path)]
        ours, theirs = (
            next(block for block in blocks if block.startswith(("Tree", "Derivation")))
            for blocks in trees
        )
        assert [line.count("──") for line in ours.split("\n")] == [
            line.count("──") for line in theirs.split("\n")
        ]


def test_a_sample_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(folder), "--sample", "5"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Tree of proofs") + shown.count("Derivation") == 5


def test_evidence_that_gives_no_answer_points_to_verify(tmp_path: Path) -> None:
    parts = world()
    first = parts.questions[0]
    for name, wrong in (
        ("evidence", replace(first, evidence=first.evidence[1:])),
        ("proof", replace(first, removed=(("a", "b", "c"),))),
    ):
        made = tmp_path / name
        made.mkdir()
        write_release(made, parts, "entity")
        opened = Release.open(made)
        opened._read["questions/train.jsonl"] = (wrong,)
        with pytest.raises(ReleaseError, match="rulemine verify lists all faults"):
            show(opened, first.id)


def test_of_a_kind_that_is_not_installed_the_common_view_is_shown(folder: Path) -> None:
    opened = Release.open(folder)
    known = opened.questions()
    hard = next(q for q in known if q.hard_answer is not None and not q.core)
    stated = next(q for q in known if q.hard_answer is None)
    strange = [
        replace(q, kind="riddles", block={"trick": 3}, query="(riddle)") for q in (hard, stated)
    ]
    opened._read.update({f"questions/{split}.jsonl": () for split in SPLITS})
    opened._read["questions/train.jsonl"] = tuple(strange)
    opened.manifest["config"]["kind"] = "riddles"
    text = show(opened, hard.id)
    assert text.startswith(f"{hard.id} · ")
    assert f"\n  {hard.question}\n" in text
    assert "  query      (riddle)\n" in text
    assert f"★ {hard.hard_answer}  the hard answer that is asked for" in text
    assert text.count("✗ removed") == len(hard.removed)
    assert "\n  Not in the core.\n" in text
    assert text.endswith(
        "\n\n  The kind riddles is not installed: what it alone shows is left out."
    )
    assert "Every answer is stated" in show(opened, stated.id)


def test_variables_are_bound_by_the_witness() -> None:
    for question in world().questions:
        if question.hard_answer is None:
            continue
        tree = bind(parse(question.query), question.hard_answer, question.evidence, DECLARED)
        assert tree is not None
        triples, anchors = taken(tree)
        assert set(triples) == set(question.evidence)
        assert set(anchors) <= set(question.anchors)
        assert bind(parse(question.query), "nobody", question.evidence, DECLARED) is None


def taken(tree: Bound) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The triples and the anchors of a tree."""
    if not tree.steps:
        return [], [tree.entity]
    below = [taken(step.below) for step in tree.steps]
    triples = [step.triple for step in tree.steps] + [t for some, _ in below for t in some]
    return triples, [anchor for _, some in below for anchor in some]
