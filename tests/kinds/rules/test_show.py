"""A question in the terminal."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import ReleaseError
from rulemine.kg.facts import Declarations
from rulemine.release.reader import Release
from rulemine.release.records import Certificate, HardAnswer, Rejection
from rulemine.release.show import show
from rulemine.release.showing.layout import display_width
from rulemine.release.writer import write_release
from tests.release.by_hand import AUNT, FAMILY, QUESTIONS, REMOVALS, RULES, WIFE, parts_of
from tests.release.card.test_page import CONFIG, SOURCE

REJECTED = Rejection(
    "balance", "too many", "q00009", ("ann", "aunt", "cy"), "object", "r", "at most 3"
)


def release(folder: Path, naming: str = "text", **changes) -> Path:
    config = CONFIG | changes.pop("config", {})
    whole = {"removals": REMOVALS, "rules": RULES, "questions": QUESTIONS} | changes
    parts = parts_of(
        FAMILY, **whole, declared=Declarations.of(symmetric=["spouse"]), config=config, source=SOURCE,
        rejections=(REJECTED,), levels=(50, 100),
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    write_release(folder, parts, naming)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return release(tmp_path / "release")


EXPECTED = """\
q00000 · tiny · test · core · level 100

  To whom does the relation “aunt” lead from Ann?

  topic      Ann · the subject
  asked for  objects:  topic ──aunt──▶ ?
  query      (p "aunt" "Ann")
  removed    Ann ──aunt──▶ Cy
  2 answers  ★ Cy  the hard answer that is asked for
               Dan  stated

Rule
  sister(x,z) ∧ parent(z,y) ⇒ aunt(x,y)
  If the relation “sister” leads from x to z and the relation “parent” leads from z to y, then the
  relation “aunt” leads from x to y.
  composition; head coverage 0.030, standard confidence 0.750, PCA confidence 0.750; id c73e44b7f6e9

Proof
  Ann ──sister──▶ Bea
  Bea ──parent──▶ Cy
  ⇒ Ann ──aunt──▶ Cy   ✗ removed

Why this proof
  Compared: 1 of 3 remaining proofs, without those that have a triple twice, a self-loop, or a
    triple that is not needed.
  It is the only one.

How hard
  3 proofs of the removed triple remain; the shortest takes 2 triples.
  Prior 0.04: 4 % of the relation's topic entities have this answer. Lift 18.8: the rule is right
    18.8 times as often.
  No edge remains between its two ends.
  1 of 2 answers is still stated directly.
  The triple was removed at level 100 % only.
  In the core: nothing else joins the two ends, and the answer cannot be guessed."""


def test_a_question_as_a_whole(folder: Path) -> None:
    assert show(folder, "q00000", 100) == EXPECTED


def test_an_inverse_edge_and_an_answer_that_nothing_states(folder: Path) -> None:
    text = show(folder, "q00001")
    assert "An inverse edge is still stated, from its object to its subject: wife." in text
    assert "No answer is stated directly." in text
    assert "Not in the core: an edge still joins the two ends." in text


def test_a_triple_that_another_rule_selected(tmp_path: Path) -> None:
    rows = [REMOVALS[0], replace(REMOVALS[1], selected_by=AUNT.id), *REMOVALS[2:]]
    text = show(release(tmp_path, removals=rows), "q00001")
    assert "Another rule selected the triple: sister(x,z) ∧ parent(z,y) ⇒ aunt(x,y)." in text
    assert "Another rule" not in show(tmp_path, "q00000")


def test_the_published_procedure_compares_nothing(tmp_path: Path) -> None:
    text = show(
        release(tmp_path, config={"selection": {"mode": "brink", "per_rule": 30}}), "q00000"
    )
    assert (
        "It is among the first groundings of its rule, as the published procedure takes them"
        in text
    )


def test_a_question_of_a_further_certificate_shows_that_one(tmp_path: Path) -> None:
    body = (("ann", "sister", "bea"), ("bea", "parent", "cy"))
    row = replace(
        REMOVALS[0], certificate=Certificate(WIFE.id, REMOVALS[0].triple, (("bea", "wife", "bob"),)),
        further_certificates=(Certificate(AUNT.id, REMOVALS[0].triple, body),),
    )  # fmt: skip
    text = show(release(tmp_path, removals=[row, *REMOVALS[1:]]), "q00000")
    assert "  Ann ──sister──▶ Bea\n  Bea ──parent──▶ Cy\n" in text


@pytest.mark.parametrize(
    ("prior", "directions", "reason"),
    [
        (0.5, ("object",), "its prior is above 0.05 in a direction that may be asked for"),
        (0.5, (), "its prior is too high when the object is asked for"),
        (0.05, ("object",), "its proof is below the thresholds of the core, or an edge"),
    ],
)
def test_why_a_question_is_not_in_the_core(
    tmp_path: Path, prior: float, directions: tuple[str, ...], reason: str
) -> None:
    d = REMOVALS[0].difficulty
    hard = replace(d, prior=replace(d.prior, object=prior))
    row = replace(REMOVALS[0], difficulty=hard, core=False, directions=directions)
    q = replace(QUESTIONS[0], core=False)
    text = show(release(tmp_path, removals=[row, *REMOVALS[1:]], questions=[q]), "q00000", 200)
    assert f"Not in the core: {reason}" in text


@pytest.mark.parametrize("naming", ["private", "entity", "numeric"])
def test_every_naming_shows_labels_that_differ(tmp_path: Path, naming: str) -> None:
    text = show(release(tmp_path, naming), "q00000")
    name = {"entity": "ann (Ann)", "private": "e1 (Ann)", "numeric": "1 (Ann)"}[naming]
    assert f"topic      {name} · the subject" in text


@pytest.mark.parametrize("width", [40, 44, 60, 80])
def test_a_narrow_terminal_gets_short_lines(folder: Path, width: int) -> None:
    for question in QUESTIONS:
        assert max(map(display_width, show(folder, question.id, width).split("\n"))) <= width


def test_many_answers_are_counted(tmp_path: Path) -> None:
    q = QUESTIONS[0]
    rows = (*q.hard, HardAnswer("dan", 1, 100, (("ann", "aunt", "dan"),), False))
    names = [*FAMILY, *((f"n{i:02d}", "met", "ann") for i in range(20))]
    stated = tuple(f"n{i:02d}" for i in range(18))
    q = replace(q, hard=rows, stated=stated, further=("n18", "n19"))
    q = replace(q, answers=tuple(sorted((*stated, "cy", "dan", "n18", "n19"))))
    parts = parts_of(names, REMOVALS, RULES, [q], config=CONFIG, source=SOURCE)
    write_release(tmp_path, parts, "text")
    text = show(tmp_path, "q00000")
    assert "22 answers  ★ Cy" in text
    assert "☆ Dan  hard: it is not stated either" in text
    assert "… and 10 more" in text
    q = replace(q, stated=(), answers=("cy", "dan", "n18", "n19"))
    (tmp_path / "few").mkdir()
    write_release(tmp_path / "few", replace(parts, questions=(q,)), "text")
    assert "N18  right by the reference graph alone" in show(tmp_path / "few", "q00000")


def test_an_unknown_question_gets_a_hint(folder: Path) -> None:
    with pytest.raises(ReleaseError, match=r"no question 'q00'; did you mean 'q00002'\?"):
        show(folder, "q00")
    with pytest.raises(ReleaseError, match="its ids run from q00000 to q00002"):
        show(folder, "what")


def test_a_rejected_question_says_why_it_is_not_there(folder: Path) -> None:
    with pytest.raises(ReleaseError, match="q00009 was rejected by the stage balance: too many"):
        show(folder, "q00009")


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [({"rules": [WIFE]}, "rules.jsonl"), ({"removals": REMOVALS[1:]}, "removed.jsonl")],
)
def test_a_question_whose_rule_or_triple_is_gone_points_to_verify(
    folder: Path, tmp_path: Path, changes: dict, lacks: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    whole = {"removals": REMOVALS, "rules": RULES} | changes
    parts = parts_of(FAMILY, **whole, questions=[], config=CONFIG, source=SOURCE)
    write_release(other, parts, "text")
    broken, whole_one = Release.open(other), Release.open(folder)
    broken._read.update(
        {f"questions/{s}.jsonl": whole_one.questions(s) for s in ("train", "validation", "test")}
    )
    with pytest.raises(ReleaseError, match=rf"which {lacks} lacks.*rulemine verify"):
        show(broken, "q00000")
