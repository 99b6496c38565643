"""A question set becomes a release of the kind imported: what is known of it, and what is not."""

import json
from pathlib import Path

import pytest

from rulemine import Release, answer, evaluate, import_set
from rulemine.errors import ConfigError, InputError, OutputError, ReleaseError
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.kinds.imported.making import levels_of_missing, parts_of
from rulemine.release.naming import questions_in
from tests import each

GRAPH = [
    ("ann", "parent", "bo"),
    ("bo", "parent", "cy"),
    ("bo", "parent", "dee"),
    ("ann", "friend", "cy"),
]

GONE = [("bo", "parent", "cy")]


def write_set(folder: Path, rows: list[dict[str, object]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row) + "\n" for row in rows)
    (folder / "test.jsonl").write_text("".join(lines))
    left = [t for t in GRAPH if t not in GONE]
    for name, triples in (("kg.tsv", GRAPH), ("left.tsv", left)):
        (folder / name).write_text("".join("\t".join(t) + "\n" for t in triples))
    return folder


ROWS: list[dict[str, object]] = [
    {
        "id": "one",
        "question": "Who are the grandparents of ann?",
        "topics": ["ann"],
        "answers": ["cy", "eve"],
        "query": '(p "parent" (p "parent" "ann"))',
    },
    {
        "id": "two",
        "question": "Who are the parents of ann?",
        "topics": ["ann"],
        "answers": ["bo"],
        "sparql": "SELECT ?x { <ann> <parent> ?x }",
    },
    {"id": "three", "question": "Who is a friend of ann?", "topics": ["ann"], "answers": ["cy"]},
    {"id": "four", "question": "Who is nobody?", "answers": []},
]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return write_set(tmp_path / "given", ROWS)


def whole(given: Path, output: Path, **more: object) -> Release:
    return import_set(
        "plain", given / "test.jsonl", output, kg=given / "kg.tsv", incomplete=given / "left.tsv"
    )


def test_answers_are_those_of_the_source_and_execution_stands_beside_them(
    given: Path, tmp_path: Path
) -> None:
    one, three, two = whole(given, tmp_path / "out").questions()
    assert one.answers == ("cy", "eve")
    assert one.block.executed == ("cy", "dee")
    assert (one.stated, one.hard_answers, one.further) == ((), ("cy",), ("eve",))
    assert (one.structure, one.hops, one.missing) == ("2p", 2, 1)
    assert one.evidence == (("ann", "parent", "bo"), ("bo", "parent", "cy"))
    assert one.removed == (("bo", "parent", "cy"),)
    assert one.intermediates == ("bo",)
    assert (two.stated, two.hard, two.query) == (("bo",), (), '(p "parent" "ann")')
    assert not three.graded
    assert (three.stated, three.hard, three.block.executed) == ((), (), None)


def test_the_graphs_are_nested_by_level(given: Path, tmp_path: Path) -> None:
    release = whole(given, tmp_path / "out")
    assert ({row.triple for row in release.missing()}, release.removals()) == (set(GONE), ())
    graphs = ("complete", "incomplete-0", "incomplete")
    assert [len(release.kg(name)) for name in graphs] == [4, 4, 3]
    many = [(f"e{i}", "r", f"e{i + 1}") for i in range(50)] + [("e1", "s", "e0")]
    levels = levels_of_missing(many)
    assert levels == levels_of_missing(reversed(many))
    assert sum(level <= 50 for level in levels.values()) in (25, 26, 27)
    assert levels["e0", "r", "e1"] == levels["e1", "s", "e0"]


def test_without_graphs_there_are_texts_and_answers_only(given: Path, tmp_path: Path) -> None:
    release = import_set("plain", given / "test.jsonl", tmp_path / "out")
    assert {q.hard_answer for q in release.questions()} == {None}
    assert len(release.kg("incomplete")) == len(release.kg("complete")) == 0
    counts = release.manifest["counts"]
    for key in ("core", "triples_complete", "triples_removed", "answers_hard", "answers_stated"):
        assert counts[key] is None, key
    assert counts["executed"] is None
    assert counts["questions"] == 3
    card = (tmp_path / "out/README.md").read_text()
    assert "| missing triples | not available |" in card
    assert "| questions whose query was executed | not available |" in card


def test_what_the_source_says_is_hard_is_hard(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"question": "Who?", "topics": ["ann"], "answers": ["cy", "bo"], "hard": ["cy"]}
    ]
    given = write_set(tmp_path / "given", rows)
    (q,) = whole(given, tmp_path / "out").questions()
    assert q.graded
    assert (q.stated, q.hard_answers, q.hard_answer) == (("bo",), ("cy",), "cy")
    assert (q.hard[0].missing, q.hard[0].level, q.hard[0].witness) == (1, 100, ())


def test_evidence_is_that_of_the_hard_answer_that_misses_fewest(tmp_path: Path) -> None:
    row = ROWS[0] | {"answers": ["cy", "dee"]}
    given = write_set(tmp_path / "given", [row, row | {"id": "told", "hard": ["cy"]}])
    (given / "left.tsv").write_text("bo\tparent\tdee\nann\tfriend\tcy\n")
    one, told = whole(given, tmp_path / "out").questions()
    assert {row.answer: row.missing for row in one.hard} == {"cy": 2, "dee": 1}
    assert (one.hard_answer, told.hard_answer) == ("dee", "cy")
    assert one.evidence == (("ann", "parent", "bo"), ("bo", "parent", "dee"))
    assert told.evidence == (("ann", "parent", "bo"), ("bo", "parent", "cy"))


def test_answers_are_listed_as_in_the_source_in_any_naming(tmp_path: Path) -> None:
    given = write_set(tmp_path / "given", [ROWS[2] | {"answers": ["eve", "cy", "eve"]}])
    release = whole(given, tmp_path / "out")
    (q,) = questions_in(release, release.questions(), "text")
    assert (q.answers, q.block.listed) == (("cy", "eve"), ("eve", "cy", "eve"))


def test_what_the_source_calls_an_answer_is_no_intermediate(tmp_path: Path) -> None:
    given = write_set(tmp_path / "given", [ROWS[0] | {"answers": ["bo", "cy"]}])
    (q,) = whole(given, tmp_path / "out").questions()
    assert q.intermediates == ()


def test_a_query_that_gives_nothing_has_its_structure(tmp_path: Path) -> None:
    row = ROWS[1] | {"sparql": "SELECT ?x { <cy> <parent> ?x }", "topics": []}
    (q,) = whole(write_set(tmp_path / "given", [row]), tmp_path / "out").questions()
    assert (q.structure, q.anchors, q.evidence, q.block.executed) == ("1p", ("cy",), (), ())
    assert (q.stated, q.hard, q.further) == ((), (), ("bo",))


def test_without_an_incomplete_graph_nothing_is_said_of_what_is_removed(
    given: Path, tmp_path: Path
) -> None:
    release = import_set("plain", given / "test.jsonl", tmp_path / "out", kg=given / "kg.tsv")
    counts = release.manifest["counts"]
    assert (counts["triples_complete"], counts["triples_removed"]) == (4, None)


def test_a_hard_answer_that_no_query_gives_has_no_witness(tmp_path: Path) -> None:
    row = ROWS[0] | {"hard": ["cy", "eve"]}
    (q,) = whole(write_set(tmp_path / "given", [row]), tmp_path / "out").questions()
    derived, other = q.hard
    assert (derived.answer, len(derived.witness)) == ("cy", 2)
    assert (other.answer, other.missing, other.level, other.witness) == ("eve", 1, 100, ())


def test_names_are_clean_before_they_are_checked() -> None:
    some = [ImportedQuestion("a", "Who?", ("b\0c", " ")), ImportedQuestion("d\te", "Who?", (" ",))]
    parts = parts_of(ImportedSet("set", "", some), "", "set")
    assert [q.answers for q in parts.questions] == [("b c",)]
    assert [(r.question, r.reason) for r in parts.rejections] == [("d e", "it has no answer")]
    same = [ImportedQuestion(name, "Who?", ("b",)) for name in ("d e", "d\te")]
    with pytest.raises(InputError, match="two questions have the id"):
        parts_of(ImportedSet("set", "", same), "", "set")


def test_what_queries_give_is_counted_by_its_side(tmp_path: Path) -> None:
    rows = [ROWS[1] | {"answers": ["bo", "eve"]}, ROWS[0] | {"answers": ["cy", "dee", "eve"]}]
    rows.append(ROWS[0] | {"id": "more", "answers": ["cy"]})
    release = whole(write_set(tmp_path / "given", rows), tmp_path / "out")
    found = release.manifest["counts"]["executed"]
    assert [found[side] for side in ("missing", "extra", "same")] == [2, 1, 0]


def test_a_question_without_an_answer_is_left_out_and_counted(given: Path, tmp_path: Path) -> None:
    release = whole(given, tmp_path / "out")
    assert [(r.question, r.reason) for r in release.rejections()] == [("four", "it has no answer")]
    assert release.manifest["counts"]["rejected"] == {"import: it has no answer": 1}


def test_the_same_set_gives_the_same_bytes(given: Path, tmp_path: Path) -> None:
    whole(given, tmp_path / "a")
    whole(given, tmp_path / "b")
    files = [sorted(p.relative_to(tmp_path / n) for p in (tmp_path / n).rglob("*")) for n in "ab"]
    assert files[0] == files[1]
    for name in files[0]:
        one, other = tmp_path / "a" / name, tmp_path / "b" / name
        assert one.is_dir() or one.read_bytes() == other.read_bytes(), name


def test_answers_are_scored(given: Path, tmp_path: Path) -> None:
    release = whole(given, tmp_path / "out")
    found = evaluate(release, answer(release, "neighbors", split=None), split=None)
    rows = dict(zip(found.ids, found.scores[:, found.columns.index("recall")], strict=True))
    assert rows == {"one": 0.5, "two": 1.0, "three": 1.0}


def test_an_answerer_that_needs_a_query_leaves_out_what_has_none(
    given: Path, tmp_path: Path
) -> None:
    release = whole(given, tmp_path / "out")
    notes: list[str] = []
    found = answer(release, "lookup", split=None, note=notes.append)
    assert {p.id: p.answers for p in found} == {"one": ("dee",), "two": ("bo",), "three": ()}
    assert notes == ["1 question without a query: not answered"]
    bare = import_set("plain", given / "test.jsonl", tmp_path / "bare")
    with pytest.raises(ConfigError, match="no question has a query"):
        answer(bare, "lookup", split=None)


def test_what_is_the_users_is_not_replaced(given: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="nothing was changed"):
        whole(given, tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["mine.txt"]
    with pytest.raises(OutputError, match="contains an input"):
        import_set("plain", given / "test.jsonl", given)


@each("naming", ["private", "numeric"])
def test_names_are_not_hidden_where_texts_show_them(
    given: Path, tmp_path: Path, naming: str
) -> None:
    from rulemine.release import rename

    release = whole(given, tmp_path / "out")
    with pytest.raises(ReleaseError, match="name entities as their source does"):
        rename(release, tmp_path / "renamed", naming)


def test_the_incomplete_graph_is_part_of_the_complete_one(given: Path, tmp_path: Path) -> None:
    (given / "left.tsv").write_text("ann\tparent\tzoe\n")
    with pytest.raises(InputError, match="1 triple of the incomplete graph is not in the complete"):
        whole(given, tmp_path / "out")
