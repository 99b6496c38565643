"""A question set becomes a release of the kind imported: what is known of it, and what is not."""

from typing import Any

import pytest

from rulemine import answer, evaluate, import_set
from rulemine.errors import ConfigError, InputError, OutputError, ReleaseError
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.kinds.imported.making import levels_of_missing, parts_of
from rulemine.release import rename
from rulemine.release.naming import questions_in
from rulemine.release.records import Question
from tests import each
from tests.importing.conftest import GONE, ROWS, release_of, with_graphs, write_set

PARENTS = (("ann", "parent", "bo"), ("bo", "parent", "cy"))
"""How cy is a grandparent of ann."""


def assert_has(question: Question, **expected: Any) -> None:
    """Of the question; ``executed`` and ``listed`` of its block."""
    own = question
    found = {
        name: getattr(own.block if name in ("executed", "listed") else own, name)
        for name in expected
    }
    assert found == expected


def test_answers_are_those_of_the_source_and_execution_stands_beside_them(whole):
    one, three, two = whole.questions()
    assert_has(
        one, answers=("cy", "eve"), executed=("cy", "dee"), stated=(), hard_answers=("cy",),
        further=("eve",), structure="2p", hops=2, missing=1, evidence=PARENTS, removed=(GONE,),
        intermediates=("bo",),
    )  # fmt: skip
    assert_has(two, stated=("bo",), hard=(), query='(p "parent" "ann")')
    assert_has(three, graded=False, stated=(), hard=(), executed=None)
    assert [(r.question, r.reason) for r in whole.rejections()] == [("four", "it has no answer")]
    assert whole.manifest["counts"]["rejected"] == {"import: it has no answer": 1}


@each(
    ("row", "expected"),
    [
        # What the source says is hard is hard, also where no query gives it.
        (ROWS[2] | {"answers": ["cy", "bo"], "hard": ["cy"]},
         {"graded": True, "stated": ("bo",), "hard_answers": ("cy",), "hard_answer": "cy"}),
        (ROWS[0] | {"hard": ["cy", "eve"]}, {"hard_answers": ("cy", "eve"), "hard_answer": "cy"}),
        # What the source calls an answer is no intermediate.
        (ROWS[0] | {"answers": ["bo", "cy"]}, {"intermediates": ()}),
        # A query that gives nothing has its structure.
        (ROWS[1] | {"sparql": "SELECT ?x { <cy> <parent> ?x }", "topics": []},
         {"structure": "1p", "anchors": ("cy",), "evidence": (), "executed": (), "stated": (), "hard": (),
          "further": ("bo",)}),
    ],
)  # fmt: skip
def test_what_is_known_of_a_question(tmp_path, row, expected):
    (question,) = release_of(tmp_path, row).questions()
    assert_has(question, **expected)
    for hard in question.hard:
        derived = "query" in row and hard.answer == "cy"
        known = (1, 1, 2) if derived else (1, 100, 0)
        assert (hard.missing, hard.level, len(hard.witness)) == known


def test_evidence_is_that_of_the_hard_answer_that_misses_fewest(tmp_path):
    row = ROWS[0] | {"answers": ["cy", "dee"]}
    given = write_set(tmp_path / "given", [row, row | {"id": "told", "hard": ["cy"]}])
    (given / "left.tsv").write_text("bo\tparent\tdee\nann\tfriend\tcy\n")
    one, told = with_graphs(given, tmp_path / "out").questions()
    assert {row.answer: row.missing for row in one.hard} == {"cy": 2, "dee": 1}
    assert_has(one, hard_answer="dee", evidence=(PARENTS[0], ("bo", "parent", "dee")))
    assert_has(told, hard_answer="cy", evidence=PARENTS)


def test_answers_are_listed_as_in_the_source_in_any_naming(tmp_path):
    release = release_of(tmp_path, ROWS[2] | {"answers": ["eve", "cy", "eve"]})
    (question,) = questions_in(release, release.questions(), "text")
    assert_has(question, answers=("cy", "eve"), listed=("eve", "cy", "eve"))


def test_the_graphs_are_nested_by_level(whole):
    assert ({row.triple for row in whole.missing()}, whole.removals()) == ({GONE}, ())
    sizes = [len(whole.kg(name)) for name in ("complete", "incomplete-0", "incomplete")]
    assert sizes == [4, 4, 3]
    many = [(f"e{i}", "r", f"e{i + 1}") for i in range(50)] + [("e1", "s", "e0")]
    levels = levels_of_missing(many)
    assert levels == levels_of_missing(reversed(many))
    assert sum(level <= 50 for level in levels.values()) in (25, 26, 27)
    assert levels["e0", "r", "e1"] == levels["e1", "s", "e0"]


def test_without_graphs_there_are_texts_and_answers_only(given, bare, tmp_path):
    assert {q.hard_answer for q in bare.questions()} == {None}
    assert len(bare.kg("incomplete")) == len(bare.kg("complete")) == 0
    counts = bare.manifest["counts"]
    unknown = {
        "core",
        "triples_complete",
        "triples_removed",
        "answers_hard",
        "answers_stated",
        "executed",
    }
    assert {counts[key] for key in unknown} == {None}
    assert counts["questions"] == 3
    card = (bare.path / "README.md").read_text()
    for figure in ("missing triples", "questions whose query was executed"):
        assert f"| {figure} | not available |" in card
    half = import_set("plain", given / "test.jsonl", tmp_path / "out", kg=given / "kg.tsv")
    counts = half.manifest["counts"]
    assert (counts["triples_complete"], counts["triples_removed"]) == (4, None)


def test_names_are_clean_before_they_are_checked():
    some = [ImportedQuestion("a", "Who?", ("b\0c", " ")), ImportedQuestion("d\te", "Who?", (" ",))]
    parts = parts_of(ImportedSet("set", "", some), "", "set")
    assert [q.answers for q in parts.questions] == [("b c",)]
    assert [(r.question, r.reason) for r in parts.rejections] == [("d e", "it has no answer")]
    same = [ImportedQuestion(name, "Who?", ("b",)) for name in ("d e", "d\te")]
    with pytest.raises(InputError, match="two questions have the id"):
        parts_of(ImportedSet("set", "", same), "", "set")


def test_what_queries_give_is_counted_by_its_side(tmp_path):
    release = release_of(
        tmp_path,
        ROWS[1] | {"answers": ["bo", "eve"]},
        ROWS[0] | {"answers": ["cy", "dee", "eve"]},
        ROWS[0] | {"id": "more", "answers": ["cy"]},
    )
    found = release.manifest["counts"]["executed"]
    assert [found[side] for side in ("missing", "extra", "same")] == [2, 1, 0]


def test_the_same_set_gives_the_same_bytes(given, whole, tmp_path):
    again = with_graphs(given, tmp_path / "again").path
    files, others = (
        {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        for folder in (whole.path, again)
    )
    assert files == others


def test_answers_are_scored(whole, bare):
    found = evaluate(whole, answer(whole, "neighbors", split=None), split=None)
    recall = found.scores[:, found.columns.index("recall")]
    assert dict(zip(found.ids, recall, strict=True)) == {"one": 0.5, "two": 1.0, "three": 1.0}
    notes = []
    looked_up = answer(whole, "lookup", split=None, note=notes.append)
    assert {p.id: p.answers for p in looked_up} == {"one": ("dee",), "two": ("bo",), "three": ()}
    assert notes == ["1 question without a query: not answered"]
    with pytest.raises(ConfigError, match="no question has a query"):
        answer(bare, "lookup", split=None)


def test_what_is_the_users_is_not_replaced(given, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="nothing was changed"):
        with_graphs(given, tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["mine.txt"]
    with pytest.raises(OutputError, match="contains an input"):
        import_set("plain", given / "test.jsonl", given)


@each("naming", ["private", "numeric"])
def test_names_are_not_hidden_where_texts_show_them(whole, tmp_path, naming):
    with pytest.raises(ReleaseError, match="name entities as their source does"):
        rename(whole, tmp_path / "renamed", naming)


def test_the_incomplete_graph_is_part_of_the_complete_one(tmp_path):
    given = write_set(tmp_path / "given")
    (given / "left.tsv").write_text("ann\tparent\tzoe\n")
    with pytest.raises(InputError, match="1 triple of the incomplete graph is not in the complete"):
        with_graphs(given, tmp_path / "out")
