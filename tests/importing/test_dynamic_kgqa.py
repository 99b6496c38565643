"""The reader of Dynamic-KGQA: invented rows of its two forms, and what our export of that form writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine import import_set
from rulemine.errors import InputError
from rulemine.exports.exporting import export
from rulemine.files import write_jsonl, write_text
from rulemine.importing.readers.dynamic_kgqa import DynamicKgqaReader
from rulemine.release.reader import Release
from tests import each
from tests.importing.round_trip import WITHOUT_QUERIES, differing_scores

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


def test_entities_are_iris_with_labels(tmp_path: Path) -> None:
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


def test_rows_of_think_on_graph_have_topics_and_no_graph(tmp_path: Path) -> None:
    kept = ("question", "answer", "answer_readable", "answer_uri")
    row = {"id": "97", "question_num": 2} | {key: ROW[key] for key in kept}
    found = read(tmp_path / "in", row | {"qid_topic_entity": {"yago:Oak_Theatre": "the Oak"}})
    (question,) = found.questions
    assert (question.id, found.complete, found.labels) == ("97-2", None, {})
    assert (question.topics, question.answers) == (("the Oak",), ("Ash&Co",))
    assert found.notes == ()


PARTS = ("subject", "predicate", "object")


@each(
    "facts",
    [FACTS, [dict(zip(PARTS, fact, strict=True)) for fact in FACTS]],
)
def test_rows_that_the_pipeline_has_just_made_have_iris_as_facts(
    tmp_path: Path, facts: list[Any]
) -> None:
    row = ROW | {"supporting_facts": json.dumps(facts), "supporting_facts_uri": ""}
    (question,) = read(tmp_path / "in", row).questions
    assert [(s, o) for s, _, o in question.evidence] == [(s, o) for s, _, o in FACTS]


def test_a_graph_of_iris_can_be_given(tmp_path: Path) -> None:
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
        (
            {"subgraph": '[["a", "b"]]'},
            r"line 1: 'subgraph' is .*; expected a list, each item a list of 3",
        ),
        ({"question": None}, "line 1: has no 'question'"),
        ({"answer_uri": "", "answer_readable": None}, "line 1: has no 'answer_readable'"),
    ],
)
def test_rows_of_another_form_are_named(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path / "in", ROW | change)


def test_ids_that_occur_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: has the id 4 of .* 'question_num'"):
        read(tmp_path / "in", ROW, ROW)


@each("kg", ["complete", "incomplete"])
def test_predictions_have_the_same_scores_on_what_was_exported(
    labeled: Release, tmp_path: Path, kg: str
) -> None:
    one, other = (
        export(labeled, "dynamic-kgqa", tmp_path / which, kg=which).folder
        for which in ("complete", "incomplete")
    )
    made = import_set(
        "dynamic-kgqa", one, tmp_path / "made", kg=one / "graph.tsv", incomplete=other / "graph.tsv"
    )
    unknown = {"hits_hard", "hits_any_hard", "hard_recall", "hard_f1", "hits_any_asked"}
    for system in (*WITHOUT_QUERIES, "lookup"):  # the form does not say which answers are hard
        assert differing_scores(labeled, made, system, kg).keys() <= unknown


def test_what_the_export_writes_is_read(written: Release, tmp_path: Path) -> None:
    folder = export(written, "dynamic-kgqa", tmp_path / "out", kg="complete").folder
    found = DynamicKgqaReader()(folder, None, None)
    iri = {e.entity: f"http://rdf.freebase.com/ns/m.{e.private}" for e in written.entities}
    asked = {q.id: q for q in written.questions()}
    assert {q.id for q in found.questions} == asked.keys()
    for question in found.questions:
        own = asked[question.id]
        block = own.block  # type: ignore[attr-defined]
        stated = [str(own.value)] if own.value is not None else [iri[a] for a in own.answers]
        assert (question.text, question.split) == (own.question, own.split)
        assert list(question.answers) == stated
        assert [(s, o) for s, _, o in question.evidence] == [
            (iri[s], iri[o]) for s, _, o in block.triples
        ]
    subgraphs = {triple for own in asked.values() for triple in own.block.subgraph}  # type: ignore[attr-defined]
    assert len(found.complete) == len(subgraphs)
    assert {found.labels[iri[name]] for name in iri} == {*iri}


def test_equal_labels_without_a_graph_are_two_entities(tmp_path: Path) -> None:
    bare = {k: v for k, v in ROW.items() if k != "subgraph"} | {"supporting_facts_uri": "[]"}
    topics = {f"{YAGO}Elm_1": "Elm", f"{YAGO}Elm_2": "Elm", f"{YAGO}Fir": None}
    bare |= {"supporting_facts": "[]", "qid_topic_entity": topics}
    (question,) = read(tmp_path / "in", bare).questions
    assert question.topics == (f"Elm ({YAGO}Elm_1)", f"Elm ({YAGO}Elm_2)", f"{YAGO}Fir")
    with pytest.raises(InputError, match=r"'qid_topic_entity' is .*; expected an object"):
        read(tmp_path / "in", bare | {"qid_topic_entity": ["Elm"]})
