"""What is shown of a question: of each kind, in any naming, and of releases that lack something."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.errors import ReleaseError
from rulemine.kg.facts import Declarations
from rulemine.release.contents import read_parts
from rulemine.release.reader import Release
from rulemine.release.records import HardAnswer, Rejection
from rulemine.release.sheet import SHEET_COLUMNS, sheet_rows
from rulemine.release.show import MOST, read_views, show
from rulemine.release.writer import write_release
from tests import each
from tests.release.by_hand import FAMILY, QUESTIONS, REMOVALS, RULES, WIFE, parts_of
from tests.release.card.test_page import CONFIG, SOURCE
from tests.releases import built
from tests.structures import ASKED, TYPES, structure_question, world
from tests.written_releases import written_world

REJECTED = Rejection(
    "balance", "too many", "q00009", ("ann", "aunt", "cy"), "object", "r", "at most 3"
)


def release(folder: Path, naming: str = "text", **changes) -> Path:
    """The family as a release."""
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


@pytest.fixture(scope="module")
def structures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("world")
    write_release(made, world(), "text")
    return made


EXPECTED = """\
q00000 · tiny · test · core · missing from 100 % of the removal on

  To whom does the relation “aunt” lead from Ann?

Answers
  2 answers; the incomplete graph states 1 of them.
  ★ Cy
    Dan

Rule
  If the relation “sister” leads from x to z and the relation “parent” leads from z to y, then the
    relation “aunt” leads from x to y. This is right in 75 % of the cases.

Proof
  The relation “aunt” leads from Ann to Cy: removed, but it follows from
    The relation “sister” leads from Ann to Bea.
    The relation “parent” leads from Bea to Cy.

Why it is hard
  The incomplete graph has 3 proofs of the removed triple, the shortest of 2 triples.
  Guessing this answer is right in 4 % of such questions.
  In the core: nothing else joins the ends of a missing link, and none can be guessed.

Query
  (p "aunt" "Ann")"""


@each("naming", ["text", "private", "entity", "numeric"])
def test_a_question_is_shown_with_text_labels_in_every_naming(tmp_path: Path, naming: str) -> None:
    assert show(release(tmp_path, naming), "q00000") == EXPECTED


@each("width", [40, 60])
def test_a_narrow_terminal_gets_short_lines_but_a_whole_query(structures: Path, width: int) -> None:
    opened = Release.open(structures)
    for question in opened.questions():
        *lines, query = show(opened, question.id, width=width).split("\n")
        assert max(map(len, lines)) <= width
        assert query == f"  {question.query}"


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
    assert "22 answers; the incomplete graph states 18 of them." in text
    assert "  ★ Cy (the one that is asked for)\n  ★ Dan\n    N00\n" in text
    assert f"  … and {22 - MOST} more\n" in text
    q = replace(q, stated=(), answers=("cy", "dan", "n18", "n19"))
    (tmp_path / "few").mkdir()
    write_release(tmp_path / "few", replace(parts, questions=(q,)), "text")
    text = show(tmp_path / "few", "q00000")
    assert "4 answers; the incomplete graph states none of them." in text
    assert "    N18 (known from a larger graph alone)" in text


def test_a_question_that_is_not_there_says_why(folder: Path, tmp_path: Path) -> None:
    for name, told in (
        ("q0000", r"no question 'q0000'; did you mean 'q0000.'\?"),
        ("what", "Ids run from q00000 to q00002"),
        ("q00009", "q00009 was rejected by the stage balance: too many"),
    ):
        with pytest.raises(ReleaseError, match=told):
            show(folder, name)
    (question,) = Release.open(folder).questions("test")
    for changes in ({"rules": [WIFE]}, {"removals": REMOVALS[1:]}):
        other = release(tmp_path / f"without {[*changes]}", questions=[], **changes)
        with pytest.raises(ReleaseError, match=r"question q00000: .* lacks .*rulemine verify"):
            read_views(Release.open(other), [question]).of(question)


@each("kind", ["subgraphs", "variants"])
def test_counts_and_wrong_answers_of_written_questions(tmp_path: Path, kind: str) -> None:
    write_release(tmp_path, written_world(kind), "private")
    ids = [question.id for question in Release.open(tmp_path).questions()]
    text = show(tmp_path, *ids)
    assert text.count("─" * 100) == len(ids) - 1
    assert "The number is 3; the incomplete graph gives 1.\n  ★ Ann" in text
    assert "  ✗ Ann (wrong, but what the incomplete graph gives)" in text


def test_rows_and_cypher_of_questions_over_a_property_graph() -> None:
    coast = Release.open(built("coast") / "release")
    asked = coast.questions()
    for question in asked:
        text = show(coast, question.id)
        assert text.endswith(f"\n\nQuery\n  {question.block.cypher}")
        assert text.count("\n  ★ ") == min(len(question.hard), MOST)
        assert text.count("\n  ✗ ") == min(len(question.spurious), MOST)
        if question.hard_answer is not None:
            assert ": removed, but it follows from\n" in text


@pytest.fixture
def world_folder(tmp_path: Path) -> Path:
    write_release(tmp_path, world(), "entity")
    return tmp_path


def test_types_are_read_as_they_were_written(world_folder: Path) -> None:
    assert Release.open(world_folder).types() == TYPES
    assert (
        (world_folder / "types.tsv")
        .read_text()
        .startswith("entity\ttype\nann\tperson\nbob\tperson\n")
    )
    parts = read_parts(Release.open(world_folder))
    assert parts.kind == "structures"
    assert (parts.types, parts.questions) == (TYPES, world().questions)


def test_the_sheet_has_a_row_for_each_question_and_no_verdict(world_folder: Path) -> None:
    header, *rows = [
        line.split("\t") for line in (world_folder / "sheet.tsv").read_text().splitlines()
    ]
    assert header == list(SHEET_COLUMNS)
    assert len(rows) == len(ASKED)
    assert rows[3] == [
        "q00003", "2p", world().questions[3].question, '(p "citizen_of" (p- "wrote" "film1"))',
        "(ann, citizen_of, france); (ann, wrote, film1)", "france", "", "", "",
    ]  # fmt: skip


def test_a_sample_of_each_structure_by_the_seed_alone() -> None:
    questions = [structure_question(n, ASKED[n % 2][1], "test") for n in range(60)]
    questions += [structure_question(n, ASKED[3][1], "test") for n in range(60, 75)]
    parts = world(questions=tuple(questions))
    rows = list(sheet_rows(parts))
    assert [row[1] for row in rows] == ["1p"] * 10 + ["2p"] * 10
    assert [row[0] for row in rows] == [*sorted(row[0] for row in rows)]
    assert list(sheet_rows(replace(parts, questions=parts.questions[::-1]))) == rows
    assert list(sheet_rows(replace(parts, config=parts.config | {"seed": 8}))) != rows
