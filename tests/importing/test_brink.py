"""The reader ``brink``, on invented files of its forms; what our export writes is in `test_round_trip`."""

import gzip
import json
from pathlib import Path

import pytest

from rulemine import Release, import_set
from rulemine.errors import InputError
from rulemine.exports.exporting import export
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.readers.brink import BrinkReader
from tests import each

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
GOLD = {"id": 7, "question": "Who is 12 the aunt of?", "answers": ["31", "33"], "hard_answer": "33"}


def read(path: Path, kg: Path | None = None, incomplete: Path | None = None) -> ImportedSet:
    return BrinkReader()(path, kg, incomplete)


def only(path: Path) -> ImportedQuestion:
    (question,) = read(path).questions
    return question


def imported(folder: Path) -> Release:
    return import_set("brink", folder, folder.with_name("imported"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table, and the graphs."""
    folder = tmp_path / "small"
    for name, text in (
        ("test.tsv", COLUMNS + AUNT), ("complete/facts.tsv", FACTS + REMOVED),
        ("incomplete/facts.tsv", FACTS),
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_table_gives_texts_answers_link_and_grounding(folder):
    found = read(folder)
    (question,) = found.questions
    assert (question.id, question.split, question.text) == ("7", "test", "Who is 12 the aunt of?")
    assert (question.topics, question.answers) == (("12",), ("31", "33"))
    assert (question.hard_answer, question.query) == ("31", '(p "aunt" "12")')
    assert question.evidence == (("12", "sister", "20"), ("20", "father", "31"))
    assert question.fields == {
        "rule_index": "Rule_4",
        "a_entity": ["31", "33"],
        "rule": ["?a sister ?c ?c father ?b => ?a aunt ?b"],
        "grounding": ["12 sister 20 | 20 father 31 => 12 aunt 31"],
    }
    assert (len(list(found.complete or ())), len(list(found.incomplete or ()))) == (5, 3)
    assert (found.title, found.notes) == ("small", ())


def test_who_is_the_subject_is_asked_backward_whatever_the_answers_say(folder):
    (folder / "test.tsv").write_text(COLUMNS + NIECE)
    found = read(folder)
    (question,) = found.questions
    assert (question.query, question.hard_answer) == ('(p- "aunt" "33")', "12")
    assert question.answers == ("31", "33")  # objects, as the public script completes all answers
    assert found.notes == (
        "questions whose hard answer is none of their answers, so that they have none: 1",
    )
    (made,) = imported(folder).questions()
    assert (made.hard_answer, made.hard) == (None, ())


def test_gold_goes_before_the_table_and_stands_alone(folder):
    (folder / "test_gold.json").write_text(json.dumps([GOLD | {"answers": ["33"]}]))
    both = only(folder)
    assert (both.answers, both.hard_answer, both.topics) == (("33",), "33", ("12",))
    assert both.query == ""  # the gold does not know the answer of the grounding
    (folder / "test.tsv").unlink()
    alone = only(folder)
    assert (alone.id, alone.answers, alone.hard_answer, alone.topics) == ("7", ("33",), "33", ())
    assert (alone.query, alone.evidence) == ("", ())
    graphs = (folder / f"{which}/facts.tsv" for which in ("complete", "incomplete"))
    file = read(folder / "test_gold.json", *graphs)
    assert (file.questions, len(list(file.incomplete or ()))) == ([alone], 3)


def test_rows_in_json_lines_and_compressed_files_are_the_same(folder):
    before = read(folder)
    (question,) = before.questions
    row = {
        "id": "7", "question": question.text, "q_entity": ["12"], "answer": ["31", "33"], "hard_answer": "31",
        **question.fields,
    }  # fmt: skip
    for name in ("test.tsv", "complete/facts.tsv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    after = read(folder)
    assert (after.questions, after.complete) == (before.questions, before.complete)
    (folder / "test.tsv.gz").unlink()
    (folder / "data").mkdir()
    (folder / "data" / "test.jsonl").write_text(json.dumps(row) + "\n")
    assert only(folder) == question


def test_splits_come_in_their_order_and_may_share_ids(folder):
    (folder / "train.tsv").write_text(COLUMNS + NIECE)
    (folder / "val.tsv").write_text(COLUMNS + AUNT)
    found = [(q.split, q.id) for q in read(folder).questions]
    assert found == [("train", "8"), ("validation", "7"), ("test", "7")]


def test_names_in_quotes_are_those_of_the_questions(folder):
    lines = [line.split("\t") for line in (FACTS + REMOVED).splitlines()]
    quoted = "".join('"{}"\t{}\t"{}"\n'.format(*line) for line in lines)
    (folder / "complete" / "facts.tsv").write_text(quoted)
    assert ("12", "aunt", "31") in list(read(folder).complete or ())
    (folder / "complete" / "facts.tsv").write_text(quoted + FACTS)
    assert ('"12"', "aunt", '"31"') in list(read(folder).complete or ())  # then they are of names


def test_names_with_blanks_are_read_by_the_relations_of_the_graph(folder):
    line = AUNT.replace("12", "Ann of Ely").replace("31", "Bo Quist")
    facts = (FACTS + REMOVED).replace("12\t", "Ann of Ely\t").replace("\t31", "\tBo Quist")
    (folder / "test.tsv").write_text(COLUMNS + line)
    (folder / "complete" / "facts.tsv").write_text(facts)
    question = only(folder)
    assert question.evidence == (("Ann of Ely", "sister", "20"), ("20", "father", "Bo Quist"))
    assert (question.query, question.hard_answer) == ('(p "aunt" "Ann of Ely")', "Bo Quist")
    (folder / "complete" / "facts.tsv").write_text(facts + "a\tof\tb\n")  # now it is not known
    found = read(folder)
    assert (found.questions[0].query, found.questions[0].evidence) == ("", ())
    assert found.notes == ("questions whose grounding cannot be read: 1",)


@each(
    ("name", "text", "message"),
    [
        ("test.tsv", COLUMNS.replace("answer\ta_", "a_"), "has no rows"),
        ("test.tsv", "id\tquestion\n1\tWho?\n", "has no 'answer'; its fields are: id, question"),
        ("test.tsv", COLUMNS + AUNT.replace("['31', '33']", "['31'"), "'answer' is \"['31'\""),
        ("test.tsv", COLUMNS + "7\tRule_4\n", "line 2 has 2 columns; 8 were expected"),
        (
            "test.tsv",
            COLUMNS + AUNT + NIECE.replace("8", "7", 1),
            "line 3: has the id 7 of another",
        ),
        ("test.tsv.gz", "id\tquestion\n", "is not a complete gz file"),
        ("val_gold.json", '[{"id": 1,', "is not valid JSON"),
        ("other/facts.tsv", FACTS, "is a second complete graph beside"),
    ],
)
def test_messages_name_the_file_and_what_was_expected(tmp_path, name, text, message):
    for file, content in (
        ("complete/facts.tsv", FACTS),
        ("test.tsv", COLUMNS + AUNT),
        (name, text),
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(content)
    if name == "test.tsv.gz":
        (tmp_path / "test.tsv").unlink()
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert name in str(caught.value)
    assert message in str(caught.value)


def test_a_folder_without_questions_says_what_was_expected(folder):
    (folder / "test.tsv").unlink()
    with pytest.raises(InputError, match="holds no questions"):
        read(folder)
    with pytest.raises(InputError, match="does not exist"):
        read(folder / "absent.json")


def test_the_hard_answer_asked_for_is_that_of_the_source_beside_all_others(folder, tmp_path):
    (folder / "test_gold.json").write_text(json.dumps([GOLD]))
    made = imported(folder)
    (question,) = made.questions()
    assert question.hard_answer == "33"  # of two, each hard by its own missing triple
    assert [hard.answer for hard in question.hard] == ["31", "33"]
    assert question.removed == (("12", "aunt", "33"),)
    counts = export(made, "rog", tmp_path / "rog").counts  # nothing has a proof to be reached
    assert {key for key in counts if key.startswith(("answer_", "proof_"))} == {
        "answer_undirected", "answer_digraph_2", "answer_forward_2",
    }  # fmt: skip


def test_without_a_query_only_the_hard_answer_asked_for_is_known(tmp_path):
    rows = [GOLD, GOLD | {"id": 8, "hard_answer": "99"}]
    (tmp_path / "test_gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, other = imported(tmp_path / "test_gold.jsonl").questions()
    assert (one.hard_answers, one.stated, one.further) == (("33",), (), ("31",))
    assert not other.graded
