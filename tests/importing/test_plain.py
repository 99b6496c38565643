"""The form plain: columns that are named or guessed, lists, splits, and errors that say where."""

import json
from pathlib import Path

import pytest

from rulemine import Release, import_set
from rulemine.cli.main import main
from rulemine.errors import InputError
from rulemine.importing.registry import find_reader
from tests import ROOT, each
from tests.importing.round_trip import scores_of
from tests.releases import built


def read(path: Path, form: str = "plain"):  # type: ignore[no-untyped-def]
    return find_reader(form)(path, None, None).questions


def test_columns_are_guessed(tmp_path: Path) -> None:
    file = tmp_path / "test.csv"
    file.write_text('qid,Question,answer,q_entity,split,Note\n7,"Who, then?",a| b |a,t,dev,x\n')
    (q,) = read(file)
    assert (q.id, q.text, q.answers, q.topics) == ("7", "Who, then?", ("a", "b", "a"), ("t",))
    assert (q.split, q.hard, q.fields) == ("validation", None, {"Note": "x"})


def test_columns_are_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text("prompt\tgold\tquestion\nWho?\ta;b\tunused\n")
    (q,) = read(file, "plain:text=prompt:answers=gold:separator=;")
    assert (q.id, q.text, q.answers, q.split) == ("q00001", "Who?", ("a", "b"), "test")


def test_lists_are_lists_in_json_and_in_texts(tmp_path: Path) -> None:
    rows = [
        {"question": "One?", "answers": ["a", 1], "hard": []},
        {"question": "Two?", "answers": '["b", "c"]', "paraphrases": ["2?"], "type": "t"},
        {"question": "Three?", "answers": "[d"},
    ]
    rows += [
        {"question": "Four?", "answers": "a|b"},
        {"question": "Five?", "answers": ["a", "b", "a"]},
    ]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, two, three, *more = read(tmp_path)
    assert (one.answers, one.hard, one.split) == (("a", "1"), (), "train")
    assert (two.answers, two.paraphrases, two.fields) == (("b", "c"), ("2?",), {"type": "t"})
    assert three.answers == ("[d",)
    # A text of JSON is one answer, and a list keeps what it has twice, for scores that count it so.
    assert [q.answers for q in more] == [("a|b",), ("a", "b", "a")]


def test_lists_are_read_as_pandas_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "test.csv"
    file.write_text('question,answers\nWho?,"[\'a|b\', ""c\'s""]"\n')
    (q,) = read(file)
    assert q.answers == ("a|b", "c's")


def test_an_empty_cell_does_not_say_what_is_hard(tmp_path: Path) -> None:
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
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, text: str, form: str, message: str
) -> None:
    (tmp_path / "test.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "test.csv", form)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Release]:
    """A release of ours, and its questions as rows with their queries, imported."""
    release = Release.open(built("coast-structures") / "release")
    folder = tmp_path_factory.mktemp("plain")
    rows = [
        {"id": q.id, "question": q.question, "topics": q.anchors, "answers": q.answers,
         "split": q.split, "query": q.query, "graph": "a field of the source"}
        for q in release.questions()
        if q.value is None
    ]  # fmt: skip
    (folder / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    graphs = {
        key: release.file(f"kg/{name}.tsv.gz")
        for key, name in (("kg", "complete"), ("incomplete", "incomplete"))
    }
    return release, import_set("plain", folder / "all.jsonl", folder / "out", **graphs)


def test_execution_grades_answers_as_a_build_does(both: tuple[Release, Release]) -> None:
    ours, made = ({q.id: q for q in one.questions()} for one in both)
    assert len(made) >= 5
    assert any(q.hard for q in made.values())
    for id_, q in made.items():
        own = ours[id_]
        assert q.block.executed == own.answers
        assert (q.stated, q.hard_answers, q.further) == (own.stated, own.hard_answers, own.further)
        assert [row.missing for row in q.hard] == [row.missing for row in own.hard]
        assert (q.full_evidence, q.relations, q.sparql) == (
            own.full_evidence, own.relations, own.sparql,
        )  # fmt: skip


@each("system", ["lookup", "neighbors", "neighbors:hops=2"])
def test_what_is_read_back_scores_the_same(both: tuple[Release, Release], system: str) -> None:
    # What is asked for is in the core first, where there is one; and sets of answers come by private id.
    left_out = {"hits_hard", "hits_at_1"}
    ours, made = (scores_of(one, system) for one in both)
    for id_, row in made.items():
        assert row.keys() >= left_out
        assert {name: value for name, value in row.items() if name not in left_out} == {
            name: value for name, value in ours[id_].items() if name not in left_out
        }


def test_an_index_without_a_name_and_a_deep_cell_are_read(tmp_path: Path) -> None:
    file = tmp_path / "test.csv"
    file.write_text(f",question,answers\n0,Who?,{'[' * 200_000}\n")
    (q,) = read(file)
    assert (q.split, q.topics, q.answers) == ("test", (), ("[" * 200_000,))


def test_metaqa_becomes_rows_by_the_lines_of_the_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_sets_of_others_become_rows_by_the_lines_of_the_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
