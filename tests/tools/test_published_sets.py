"""Question sets of others, in files of our own in the same form, become columns that an import reads."""

import json
from pathlib import Path

from rulemine.importing.importer import import_set
from tools.published_sets import main

FILES = {
    "PQ-2H.txt": "where was ann 's boss born ?\toslo(oslo/rome/)\tann#boss#bo#born_in#oslo#<end>#oslo\n",
    "PQ-3H.txt": "",
    "annotated_wd_data_train_answerable.txt": "Q1\tR19\tQ2\twho was born in Oslo\n",
    "annotated_wd_data_valid_answerable.txt": "",
    "annotated_wd_data_test_answerable.txt": "Q2\tP19\tQ1\twhere was Bo born\n",
    "entity2text.txt": "0\tA Film\n1\tAnn Bo\n",
    "relation2text.txt": "0\tdirected by\n",
    "2-hop/test.txt": "what else did the director of [A Film] direct\tB|C\n",
    "2-hop/qa_test_qtype.txt": "movie_to_director_to_movie\n",
    "train.tsv": "0\t0\t1\n", "dev.tsv": "0\t0\t7\n", "test.tsv": "", "test_old.tsv": "0\t0\t1\n",
    "qald-9-test-multilingual.json": json.dumps({"questions": [
        {"question": [{"language": "de", "string": "Wer?"}, {"language": "en", "string": "Who?"}],
         "query": {"sparql": "SELECT ?x"},
         "answers": [{"results": {"bindings": [{"x": {"value": "urn:a"}}]}}, {"boolean": True}]},
    ]}),
    "graliqa.json": json.dumps([
        {"qid": 7, "question": "which play?", "topic_entity": {"m.1": "Hall"}, "sparql_query": "SELECT ?y",
         "level": "i.i.d.",
         "answer": [{"answer_argument": "m.2"}, {"answer_argument": "m.3", "entity_name": "B"}]},
    ]),
    "WebQSP.json": json.dumps([
        {"QuestionId": "W-1", "RawQuestion": "who?", "answer": [None, "Bo"], "topic_entity": {"m.1": "Ann"}},
    ]),
    "cwq.json": json.dumps([
        {"ID": "C-1", "question": "where?", "answer": "Rome", "topic_entity": {"m.1": "Ann"}, "sparql": "S"},
    ]),
}  # fmt: skip


def test_what_lies_in_a_folder_becomes_columns(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    main(tmp_path)

    def rows(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]

    assert rows("pathquestion-2H.jsonl") == [
        {"question": "where was ann 's boss born ?", "topics": ["ann"], "answers": ["oslo", "rome"],
         "query": '(p "born_in" (p "boss" "ann"))'},
    ]  # fmt: skip
    assert [row["query"] for row in rows("simplequestions/train.jsonl")] == ['(p- "P19" "Q1")']
    assert (tmp_path / "simplequestions.tsv").read_text() == "Q2\tP19\tQ1\n"
    assert rows("qald-9/test.jsonl") == [
        {"question": "Who?", "sparql": "SELECT ?x", "answers": ["urn:a", "true"]}
    ]
    assert [row["answers"] for row in rows("grailqa.jsonl")] == [["m.2", "B"]]
    assert [row["answers"] for row in rows("webqsp.jsonl")] == [["Bo"]]
    assert [(row["answers"], row["sparql"]) for row in rows("cwq.jsonl")] == [(["Rome"], "S")]
    assert (tmp_path / "kb.tsv").read_text() == "A Film\tdirected_by\tAnn Bo\n"
    assert [(row["query"], row["answers"]) for row in rows("metaqa-2/test.jsonl")] == [
        ('(minus (p- "directed_by" (p "directed_by" "A Film")) "A Film")', ["B", "C"])
    ]
    (tmp_path / "kg.tsv").write_text("ann\tboss\tbo\nbo\tborn_in\toslo\nbo\tborn_in\trome\n")
    place = tmp_path / "pathquestion-2H.jsonl"
    release = import_set("plain", place, tmp_path / "out", kg=tmp_path / "kg.tsv")
    assert release.questions()[0].block.executed == ("oslo", "rome")
