import json
from pathlib import Path

import pytest

from rulemine.errors import ReleaseError
from rulemine.release.drawing import display_width
from rulemine.release.show import show
from tests.verify.tiny import read_file, seal, write_file, write_release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", "private")


EXPECTED = """\
q0 · tiny · test

  Who is the grandparent of e3?

  topic      e3 (Eve O'Hara) · the object
  asked for  subjects:  ? ──grandparent──▶ topic
  2 answers  ★ e1 (Ada, the elder)  hard answer of this question, its triple was removed
               e4 (Бен)  still stated

Rule
  parent(x,z) ∧ parent(z,y) ⇒ grandparent(x,y)
  If x is the parent of z and z is the parent of y, then x is the grandparent of y.
  composition; head coverage 1.000, standard confidence 0.500, PCA confidence 1.000; id 3f5a0d012ec5

Remaining proof
  e1 (Ada, the elder) ──parent──▶ e6 (Cleo) ──parent──▶ e3 (Eve O'Hara)
           ╎                                                   ▲
           ╰╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ grandparent ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╯  ✗ removed

Difficulty
  1 proof of the removed triple remains; it takes 2 triples.
  No edge remains from its object to its subject.
  No edge remains from its subject to its object.
  1 of 2 answers is still stated directly."""


def test_a_question_as_a_whole(folder: Path) -> None:
    assert show(folder, "q0", 100) == EXPECTED


def test_a_reverse_edge_and_an_answer_that_nobody_states(folder: Path) -> None:
    text = show(folder, "q1")
    assert "  If y is the wife of x, then x is the husband of y." in text
    assert "An inverse edge gives the answer away in one hop" in text
    assert "No answer is stated directly." in text


@pytest.mark.parametrize("naming", ["entity", "text", "numeric"])
def test_every_naming_shows_labels_that_differ(tmp_path: Path, naming: str) -> None:
    text = show(write_release(tmp_path, naming), "q0")
    name = {"entity": "eve (Eve O'Hara)", "text": "Eve O'Hara", "numeric": "3 (Eve O'Hara)"}[naming]
    assert f"topic      {name} · the object" in text


@pytest.mark.parametrize("width", [40, 44, 60, 80])
def test_a_narrow_terminal_gets_short_lines(folder: Path, width: int) -> None:
    for question in ("q0", "q1", "q2"):
        assert max(map(display_width, show(folder, question, width).split("\n"))) <= width


def test_many_answers_are_counted(folder: Path) -> None:
    name = "questions/test.jsonl"
    row = json.loads(read_file(folder, name))
    row["answers"] = [f"e{i}" for i in range(9)] + [f"e{i}" for i in range(10, 30)]
    row["hard_answers"] = ["e1", "e2"]
    write_file(folder, name, json.dumps(row) + "\n")
    seal(folder)
    text = show(folder, "q0")
    assert "29 answers  ★ e1 (Ada, the elder)" in text
    assert "☆ e2 (Gus Ada)  also hard, its triple was removed" in text
    assert "… and 17 more" in text
    assert "still stated\n" not in text  # 27 others, 1 stated: which one is not said


def test_an_unknown_question_gets_a_hint(folder: Path) -> None:
    with pytest.raises(ReleaseError, match=r"no question 'q00'; did you mean 'q0'\?"):
        show(folder, "q00")
    with pytest.raises(ReleaseError, match="its ids run from q0 to q2"):
        show(folder, "what")


def test_a_rejected_question_says_why_it_is_not_there(folder: Path) -> None:
    with pytest.raises(ReleaseError, match="q3 was rejected by the stage balance: too many"):
        show(folder, "q3")


def test_a_question_whose_rule_is_gone_points_to_verify(folder: Path) -> None:
    lines = read_file(folder, "rules.jsonl").splitlines(keepends=True)
    write_file(folder, "rules.jsonl", lines[1])
    seal(folder)
    with pytest.raises(ReleaseError, match="rulemine verify"):
        show(folder, "q0")
