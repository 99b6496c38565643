"""The reader of Dynamic-KGQA: invented rows of its two forms, and what our export of that form writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import InputError
from rulemine.files import write_jsonl, write_text
from rulemine.importing.readers.dynamic_kgqa import DynamicKgqaReader
from tests import each

YAGO = "http://yago-knowledge.org/resource/"
PARENT = "http://yago-knowledge.org/resource/ownedBy"
FACTS = [
    [f"{YAGO}Oak_Theatre", PARENT, f"{YAGO}Elm_Trust"],
    [f"{YAGO}Elm_Trust", PARENT, f"{YAGO}Ash_u0026_Co"],
]
ROW = {
    "id": 4,
    "question": "Which firm stands behind the owner of the Oak Theatre?",
    "answer": "Ash_u0026_Co",
    "answer_readable": "Ash&Co",
    "answer_uri": f"{YAGO}Ash_u0026_Co",
    "supporting_facts": json.dumps(
        [{"subject": "Oak Theatre", "predicate": "ownedBy", "object": "Elm Trust"}]
    ),
    "supporting_facts_uri": json.dumps(FACTS),
    "subgraph": json.dumps([*FACTS, [f"{YAGO}Fir_Hall", PARENT, f"{YAGO}Elm_Trust"]]),
    "subgraph_size": 3,
    "redundancy_flag_llm_judge1": False,
}


def read(folder: Path, *rows: dict[str, Any], kg: Path | None = None) -> Any:
    write_jsonl(folder / "test.jsonl", rows)
    return DynamicKgqaReader()(folder, kg, None)


def test_entities_are_iris_with_labels(tmp_path):
    found = read(tmp_path / "in", ROW)
    (question,) = found.questions
    assert (question.id, question.split) == ("4", "test")
    assert question.answers == (f"{YAGO}Ash_u0026_Co",)
    assert question.topics == (f"{YAGO}Oak_Theatre",)  # the Elm Trust is between it and the answer
    assert [(s, o) for s, _, o in question.evidence] == [(s, o) for s, _, o in FACTS]
    assert {r for _, r, _ in found.complete} == {"ownedBy"}
    assert len(found.complete) == 3
    assert found.labels[f"{YAGO}Ash_u0026_Co"] == "Ash&Co"
    assert question.fields == {"redundancy_flag_llm_judge1": False}
    assert found.notes == (
        "1 question: topics are the entities that one supporting fact alone has; the rows say none",
    )


def test_rows_of_think_on_graph_have_topics_and_no_graph(tmp_path):
    kept = ("question", "answer", "answer_readable", "answer_uri")
    row = {"id": "97", "question_num": 2} | {key: ROW[key] for key in kept}
    found = read(tmp_path / "in", row | {"qid_topic_entity": {"yago:Oak_Theatre": "the Oak"}})
    (question,) = found.questions
    assert (question.id, question.topics, question.answers) == ("97-2", ("the Oak",), ("Ash&Co",))
    assert (found.complete, found.labels, found.notes) == (None, {}, ())


def test_rows_that_the_pipeline_has_just_made_have_iris_as_facts(tmp_path):
    named = [dict(zip(("subject", "predicate", "object"), fact, strict=True)) for fact in FACTS]
    for facts in (FACTS, named):
        row = ROW | {"supporting_facts": json.dumps(facts), "supporting_facts_uri": ""}
        (question,) = read(tmp_path / "in", row).questions
        assert [(s, o) for s, _, o in question.evidence] == [(s, o) for s, _, o in FACTS]


def test_a_graph_of_iris_can_be_given(tmp_path):
    kg = tmp_path / "kg.nt"
    label = f'<{PARENT}> <http://www.w3.org/2000/01/rdf-schema#label> "belongs to"@en .\n'
    write_text(kg, label + "".join(f"<{s}> <{r}> <{o}> .\n" for s, r, o in FACTS))
    found = read(tmp_path / "in", ROW, kg=kg)
    assert found.complete == sorted(found.complete)
    assert {*found.complete} == {*found.questions[0].evidence}


@each(
    ("change", "message"),
    [
        ({"subgraph": "[["}, "line 1: 'subgraph' is .* which is not valid JSON"),
        ({"subgraph": '[["a", "b"]]'}, "line 1: 'subgraph' is .* each item a list of 3"),
        ({"answer_uri": "", "answer_readable": None}, "line 1: has no 'answer_readable'"),
    ],
)
def test_rows_of_another_form_are_named(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path / "in", ROW | change)
    with pytest.raises(InputError, match=r"line 2: has the id 4 of .* 'question_num'"):
        read(tmp_path / "in", ROW, ROW)


def test_equal_labels_without_a_graph_are_two_entities(tmp_path):
    bare = {k: v for k, v in ROW.items() if k != "subgraph"} | {"supporting_facts_uri": "[]"}
    topics = {f"{YAGO}Elm_1": "Elm", f"{YAGO}Elm_2": "Elm", f"{YAGO}Fir": None}
    bare |= {"supporting_facts": "[]", "qid_topic_entity": topics}
    (question,) = read(tmp_path / "in", bare).questions
    assert question.topics == (f"Elm ({YAGO}Elm_1)", f"Elm ({YAGO}Elm_2)", f"{YAGO}Fir")
    with pytest.raises(InputError, match=r"'qid_topic_entity' is .*; expected an object"):
        read(tmp_path / "in", bare | {"qid_topic_entity": ["Elm"]})
