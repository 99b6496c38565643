"""The reader ``brink``, on invented files of its forms and on our own exports."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine import import_set
from rulemine.errors import InputError
from rulemine.exports.exporting import export
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.readers.brink import BrinkReader
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from tests import each
from tests.evaluation.world import write_release, write_structures
from tests.importing.round_trip import WITHOUT_QUERIES, scores_of
from tests.releases import built

COLUMNS = "id\trule_index\tquestion\tq_entity\tanswer\ta_entity\trule\tgrounding\n"
AUNT = (
    "7\tRule_4\tWho is 12 the aunt of?\t['12']\t['31', '33']\t['31', '33']\t"
    "['?a sister ?c ?c father ?b => ?a aunt ?b']\t['12 sister 20 | 20 father 31 => 12 aunt 31']\n"
)
NIECE = (
    "8\tRule_4\tWho is an aunt of 33?\t['33']\t['31', '33']\t['31', '33']\t"
    "['?a sister ?c ?c father ?b => ?a aunt ?b']\t['12 sister 20 | 20 father 33 => 12 aunt 33']\n"
)
FACTS = "12\tsister\t20\n20\tfather\t31\n20\tfather\t33\n"
REMOVED = "12\taunt\t31\n12\taunt\t33\n"


def _read(path: Path, kg: Path | None = None, incomplete: Path | None = None) -> ImportedSet:
    return BrinkReader()(path, kg, incomplete)


def _only(path: Path) -> ImportedQuestion:
    (question,) = _read(path).questions
    return question


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table, and the graphs."""
    folder = tmp_path / "small"
    for name, text in {
        "test.tsv": COLUMNS + AUNT,
        "complete/facts.tsv": FACTS + REMOVED,
        "incomplete/facts.tsv": FACTS,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_table_gives_texts_answers_link_and_grounding(folder: Path) -> None:
    found = _read(folder)
    (question,) = found.questions
    assert (question.id, question.split, question.text) == ("7", "test", "Who is 12 the aunt of?")
    assert (question.topics, question.answers, question.hard_answer) == (
        ("12",),
        ("31", "33"),
        "31",
    )
    assert question.query == '(p "aunt" "12")'
    assert question.evidence == (("12", "sister", "20"), ("20", "father", "31"))
    assert question.fields == {
        "rule_index": "Rule_4",
        "a_entity": ["31", "33"],
        "rule": ["?a sister ?c ?c father ?b => ?a aunt ?b"],
        "grounding": ["12 sister 20 | 20 father 31 => 12 aunt 31"],
    }
    assert (len(list(found.complete or ())), len(list(found.incomplete or ()))) == (5, 3)
    assert (found.title, found.notes) == ("small", ())


def test_who_is_the_subject_is_asked_backward_whatever_the_answers_say(folder: Path) -> None:
    (folder / "test.tsv").write_text(COLUMNS + NIECE)
    question = _only(folder)
    assert question.query == '(p- "aunt" "33")'
    assert question.hard_answer == "12"
    assert question.answers == ("31", "33")  # objects, as the public script completes all answers


def test_gold_goes_before_the_table_and_stands_alone(folder: Path) -> None:
    row = {"id": 7, "question": "Who is 12 the aunt of?", "answers": ["33"], "hard_answer": "33"}
    (folder / "test_gold.json").write_text(json.dumps([row]))
    both = _only(folder)
    assert (both.answers, both.hard_answer, both.topics) == (("33",), "33", ("12",))
    assert both.query == ""  # the gold does not know the answer of the grounding
    (folder / "test.tsv").unlink()
    alone = _only(folder)
    assert (alone.id, alone.answers, alone.hard_answer, alone.topics) == ("7", ("33",), "33", ())
    assert (alone.query, alone.evidence) == ("", ())
    file = _read(
        folder / "test_gold.json", folder / "complete/facts.tsv", folder / "incomplete/facts.tsv"
    )
    assert [q.id for q in file.questions] == ["7"]
    assert len(list(file.incomplete or ())) == 3


def test_rows_in_json_lines_have_the_same_fields(folder: Path) -> None:
    before = _only(folder)
    row = {
        "id": "7", "rule_index": "Rule_4", "question": before.text, "q_entity": ["12"],
        "answer": ["31", "33"], "a_entity": ["31", "33"], "hard_answer": "31",
        "rule": before.fields["rule"], "grounding": before.fields["grounding"],
    }  # fmt: skip
    (folder / "test.tsv").unlink()
    (folder / "data").mkdir()
    (folder / "data" / "test.jsonl").write_text(json.dumps(row) + "\n")
    assert _only(folder) == before


def test_splits_come_in_their_order_and_may_share_ids(folder: Path) -> None:
    (folder / "train.tsv").write_text(COLUMNS + NIECE)
    (folder / "val.tsv").write_text(COLUMNS + AUNT)
    found = [(q.split, q.id) for q in _read(folder).questions]
    assert found == [("train", "8"), ("validation", "7"), ("test", "7")]


def test_names_in_quotes_are_those_of_the_questions(folder: Path) -> None:
    quoted = "".join(
        '"{}"\t{}\t"{}"\n'.format(*line.split("\t")) for line in (FACTS + REMOVED).splitlines()
    )
    (folder / "complete" / "facts.tsv").write_text(quoted)
    assert ("12", "aunt", "31") in list(_read(folder).complete or ())
    (folder / "complete" / "facts.tsv").write_text(quoted + FACTS)
    assert ('"12"', "aunt", '"31"') in list(_read(folder).complete or ())  # then they are of names


def test_names_with_blanks_are_read_by_the_relations_of_the_graph(folder: Path) -> None:
    line = AUNT.replace("12", "Ann of Ely").replace("31", "Bo Quist")
    facts = (FACTS + REMOVED).replace("12\t", "Ann of Ely\t").replace("\t31", "\tBo Quist")
    (folder / "test.tsv").write_text(COLUMNS + line)
    (folder / "complete" / "facts.tsv").write_text(facts)
    question = _only(folder)
    assert question.evidence == (("Ann of Ely", "sister", "20"), ("20", "father", "Bo Quist"))
    assert (question.query, question.hard_answer) == ('(p "aunt" "Ann of Ely")', "Bo Quist")
    (folder / "complete" / "facts.tsv").write_text(facts + "a\tof\tb\n")  # now it is not known
    found = _read(folder)
    assert (found.questions[0].query, found.questions[0].evidence) == ("", ())
    assert found.notes == ("questions whose grounding cannot be read: 1",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("test.tsv", COLUMNS.replace("answer\ta_", "a_"), "has no rows"),
        ("test.tsv", "id\tquestion\n1\tWho?\n", "has no 'answer'; its fields are: id, question"),
        ("test.tsv", COLUMNS + AUNT.replace("['31', '33']", "['31'"), "'answer' is \"['31'\""),
        ("test.tsv", COLUMNS + "7\tRule_4\n", "line 2 has 2 columns; 8 were expected"),
        ("val_gold.json", '[{"id": 1,', "is not valid JSON"),
        ("other/facts.tsv", FACTS, "is a second complete graph beside"),
    ],
)
def test_messages_name_the_file_and_what_was_expected(
    folder: Path, name: str, text: str, message: str
) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    with pytest.raises(InputError) as caught:
        _read(folder)
    assert name in str(caught.value)
    assert message in str(caught.value)


def test_a_folder_without_questions_says_what_was_expected(folder: Path) -> None:
    (folder / "test.tsv").unlink()
    with pytest.raises(InputError, match="holds no questions"):
        _read(folder)
    with pytest.raises(InputError, match="does not exist"):
        _read(folder / "absent.json")


@each("write", [write_release, write_structures])
def test_an_export_is_read_back(write: Callable[[Path], Release], tmp_path: Path) -> None:
    release = write(tmp_path / "release")
    found = _read(export(release, "brink", tmp_path / "brink").folder)
    asked = {
        q.id: (q, split)
        for split in SPLITS
        for q in release.questions(split)
        if q.hard_answer is not None
    }
    assert {q.id for q in found.questions} == {*asked}
    for read in found.questions:
        q, split = asked[read.id]
        assert (read.text, read.split) == (q.question, split)
        assert (read.topics, read.answers) == (q.anchors, q.answers)
        assert read.hard_answer == q.hard_answer
        assert read.query in q.query  # which reads relations declared symmetric either way
    assert any(read.query for read in found.questions)
    for which in ("complete", "incomplete"):
        assert set(getattr(found, which)) == set(release.kg(which).labeled())


def test_the_hard_answer_asked_for_is_that_of_the_source_beside_all_others(
    folder: Path, tmp_path: Path
) -> None:
    row = {
        "id": 7,
        "question": "Who is 12 the aunt of?",
        "answers": ["31", "33"],
        "hard_answer": "33",
    }
    (folder / "test.tsv").write_text(COLUMNS + AUNT)
    (folder / "test_gold.json").write_text(json.dumps([row]))
    (question,) = import_set("brink", folder, tmp_path / "imported").questions()
    assert question.hard_answer == "33"  # of two, each hard by its own missing triple
    assert [hard.answer for hard in question.hard] == ["31", "33"]
    assert question.removed == (("12", "aunt", "33"),)
    (folder / "complete" / "facts.tsv").unlink()
    (folder / "incomplete" / "facts.tsv").unlink()
    (alone,) = import_set("brink", folder, tmp_path / "alone").questions()
    assert [hard.answer for hard in alone.hard] == ["33"]  # more is not known


def test_an_export_of_what_has_no_proofs_says_nothing_of_their_reach(
    folder: Path, tmp_path: Path
) -> None:
    made = import_set("brink", folder, tmp_path / "imported")
    counts = export(made, "rog", tmp_path / "rog").counts
    assert {key for key in counts if key.startswith(("answer_", "proof_"))} == {
        "answer_undirected", "answer_digraph_2", "answer_forward_2",
    }  # fmt: skip


def test_a_hard_answer_that_is_no_answer_is_noted_and_left_out(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "test.tsv").write_text(COLUMNS + NIECE)
    assert _read(folder).notes == (
        "questions whose hard answer is none of their answers, so that they have none: 1",
    )
    (question,) = import_set("brink", folder, tmp_path / "imported").questions()
    assert (question.hard_answer, question.hard) == (None, ())


def test_without_a_query_only_the_hard_answer_asked_for_is_known(tmp_path: Path) -> None:
    rows = [
        {"id": n, "question": "Who?", "answers": ["33", "31"], "hard_answer": hard}
        for n, hard in ((1, "33"), (2, "99"))
    ]
    (tmp_path / "test_gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, other = import_set("brink", tmp_path, tmp_path / "imported").questions()
    assert (one.hard_answers, one.stated, one.further) == (("33",), (), ("31",))
    assert not other.graded


def test_scores_of_an_export_are_those_of_its_release(tmp_path: Path) -> None:
    release = Release.open(built("demo") / "demo")
    folder = export(release, "brink", tmp_path / "brink", naming=release.naming).folder
    made = import_set("brink", folder, tmp_path / "imported")
    queries = {q.id: q.query for q in made.questions()}
    assert queries.keys() == {q.id for q in release.questions()}
    # The form says nothing of relations that were declared symmetric or inverse.
    same = {q.id for q in release.questions() if q.query == queries[q.id]}
    assert len(same) > 0.7 * len(queries)
    for system in (*WITHOUT_QUERIES, "lookup", "prior:k=5"):
        before, after = (scores_of(one, system, only=same) for one in (release, made))
        assert before == after, system


def test_compressed_files_are_read(folder: Path) -> None:
    before = _read(folder)
    for name in ("test.tsv", "complete/facts.tsv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    after = _read(folder)
    assert (after.questions, after.complete) == (before.questions, before.complete)
    (folder / "test.tsv.gz").write_bytes(b"id\tquestion\n")
    with pytest.raises(InputError, match="is not a complete gz file"):
        _read(folder)


def test_an_id_of_two_questions_of_one_table_is_refused(folder: Path) -> None:
    (folder / "test.tsv").write_text(COLUMNS + AUNT + NIECE.replace("8", "7", 1))
    with pytest.raises(
        InputError, match=r"test.tsv: line 3: has the id 7 of another question, .*2"
    ):
        _read(folder)
