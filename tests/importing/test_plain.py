"""The form plain: columns that are named or guessed, lists, splits, and errors that say where."""

import json
from pathlib import Path

import pytest

from rulemine import Release
from rulemine.cli.main import main
from rulemine.errors import InputError
from rulemine.importing.registry import find_reader
from tests import ROOT, each


def read(path: Path, form: str = "plain"):
    return find_reader(form)(path, None, None).questions


def rows_of(release: Release, file: Path) -> Path:
    """Writes the questions of a release that ask for entities, with their queries."""
    rows = [
        {"id": q.id, "question": q.question, "topics": q.anchors, "answers": q.answers,
         "split": q.split, "query": q.query, "graph": "a field of the source"}
        for q in release.questions()
        if q.value is None
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_columns_are_guessed_or_named(tmp_path):
    file = tmp_path / "test.csv"
    file.write_text('qid,Question,answer,q_entity,split,Note\n7,"Who, then?",a| b |a,t,dev,x\n')
    (q,) = read(file)
    assert (q.id, q.text, q.answers, q.topics) == ("7", "Who, then?", ("a", "b", "a"), ("t",))
    assert (q.split, q.hard, q.fields) == ("validation", None, {"Note": "x"})

    file = tmp_path / "mine.tsv"
    file.write_text("prompt\tgold\tquestion\nWho?\ta;b\tunused\n")
    (q,) = read(file, "plain:text=prompt:answers=gold:separator=;")
    assert (q.id, q.text, q.answers, q.split) == ("q00001", "Who?", ("a", "b"), "test")


def test_lists_are_lists_in_json_and_in_texts(tmp_path):
    rows: list[dict[str, object]] = [
        {"answers": ["a", 1], "hard": []},
        {"answers": '["b", "c"]', "paraphrases": ["2?"], "type": "t"},
        *({"answers": answers} for answers in ("[d", "a|b", ["a", "b", "a"])),
    ]
    rows = [{"question": "Who?"} | row for row in rows]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, two, *more = read(tmp_path)
    assert (one.answers, one.hard, one.split) == (("a", "1"), (), "train")
    assert (two.answers, two.paraphrases, two.fields) == (("b", "c"), ("2?",), {"type": "t"})
    # A text of JSON is one answer, and a list keeps what it has twice, for scores that count it so.
    assert [q.answers for q in more] == [("[d",), ("a|b",), ("a", "b", "a")]
    # As pandas writes lists
    file = tmp_path / "test.csv"
    file.write_text('question,answers\nWho?,"[\'a|b\', ""c\'s""]"\n')
    (q,) = read(file)
    assert q.answers == ("a|b", "c's")


def test_an_empty_cell_does_not_say_what_is_hard(tmp_path):
    (tmp_path / "test.csv").write_text("question,answers,hard\nOne?,a,\nTwo?,a,[]\nThree?,a,a\n")
    (tmp_path / "train.jsonl").write_text('{"question": "?", "answers": ["a"], "hard": null}\n')
    assert [q.hard for q in read(tmp_path / "test.csv")] == [None, (), ("a",)]
    assert [q.hard for q in read(tmp_path / "train.jsonl")] == [None]


@each(
    ("text", "form", "message"),
    [
        ("a,b\n1,2\n", "plain", "which column has the text\\? Found a, b; expected question or"),
        ("question,b\n1,2\n", "plain", "Name it: plain:answers=COLUMN"),
        ("question,answer\n1,2\n", "plain:id=nr", "there is no 'nr' .option id.; found question"),
        ("question,answer\n,2\n", "plain", "line 2: question is empty; expected the question"),
        ("question,answer,split\n1,2,mid\n", "plain", "line 2: split is 'mid'; expected train"),
        ("question,answer\n1,['a' 'b']\n", "plain", "line 2: answer is .*; expected commas"),
        ("question,answer\n1,2,3\n", "plain", "line 2 has 3 columns; 2 were expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, form, message):
    (tmp_path / "test.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "test.csv", form)


def test_an_index_without_a_name_and_a_deep_cell_are_read(tmp_path):
    file = tmp_path / "test.csv"
    file.write_text(f",question,answers\n0,Who?,{'[' * 200_000}\n")
    (q,) = read(file)
    assert (q.split, q.topics, q.answers) == ("test", (), ("[" * 200_000,))


def test_metaqa_becomes_rows_by_the_lines_of_the_documentation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "[Ada Penn] appears in which movies\tLow Tide|Ebb\n"
    (tmp_path / "1-hop/vanilla").mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (tmp_path / f"1-hop/vanilla/qa_{split}.txt").write_text(lines)
    (tmp_path / "kb.txt").write_text("Low Tide|starred_actors|Ada Penn\nEbb|has_tags|Low Tide\n")
    section = (ROOT / "docs/importing.md").read_text("utf-8").split("### MetaQA\n")[1]
    exec(section.split("```python\n")[1].split("```")[0], {})
    words = section.split("```sh\nrulemine ")[1].split("\n")[0].split()
    assert main(words) == 0
    questions = Release.open(tmp_path / "out/metaqa-1").questions()
    assert {(q.split, q.answers, q.anchors) for q in questions} == {
        (split, ("Ebb", "Low Tide"), ("Ada Penn",)) for split in ("train", "validation", "test")
    }


PUBLISHED: dict[str, object] = {
    "qald-9-test-multilingual.json": {"questions": [{
        "id": "1", "query": {"sparql": "SELECT ?x"}, "question": [{"language": "en", "string": "Who?"}],
        "answers": [{"results": {"bindings": [{"x": {"value": "a"}}]}}, {"boolean": True}],
    }]},
    "grailqa_v1.0_dev.json": [
        {"qid": 1, "question": "Who?", "sparql_query": "SELECT ?x", "level": "i.i.d.",
         "answer": [{"answer_argument": "a"}]},
    ],
    "WebQSP.test.json": {"Questions": [
        {"QuestionId": "1", "RawQuestion": "Who?", "Parses": 2 * [
            {"TopicEntityMid": None, "Answers": [{"AnswerArgument": "a"}]}]},
    ]},
    "ComplexWebQuestions_test.json": [
        {"ID": "1", "question": "Who?", "sparql": "SELECT ?x", "compositionality_type": "composition",
         "answers": [{"answer_id": None, "answer": "a"}]},
    ],
    "data.jsonl": {"id": 1, "question": "Who?", "answer": ["a"], "sparql": "SELECT ?x", "proof": []},
    "lcquad-test.json": [
        {"uid": 1, "question": "Who?", "answer": ["a"], "sparql_wikidata": "SELECT ?x"},
    ],
}  # fmt: skip


def test_sets_of_others_become_rows_by_the_lines_of_the_documentation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in PUBLISHED.items():
        (tmp_path / name).write_text(json.dumps(content))
    section = (ROOT / "docs/importing.md").read_text("utf-8").split("### QALD, GrailQA and")[1]
    exec(section.split("```python\n")[1].split("```")[0], {})
    commands = section.split("```sh\n")[1].split("```")[0].splitlines()
    assert len(commands) == len(PUBLISHED)
    for command in commands:
        words = command.split()[1:]
        assert main(words) == 0
        (q,) = Release.open(tmp_path / words[-1]).questions()
        assert (q.id, q.question, q.answers, q.block.listed) == ("1", "Who?", ("a",), ())
