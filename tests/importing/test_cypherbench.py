"""The reader ``cypherbench``, and the release that is made of its set."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import InputError
from rulemine.evaluation.scorer import benchmark_at, evaluate
from rulemine.importing.importer import import_set
from rulemine.importing.registry import find_reader
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import write_simplekg
from tests.evaluation.cypher.test_error_kinds import EDGES, KNOWN, LARGEST, NODES, PEOPLE, SCHEMA

TEMPLATE = {
    "match_cypher": "MATCH (n)",
    "return_pattern_id": "n_name",
    "return_cypher": "RETURN n.name",
}
PLACES = [{"n.name": name} for name in ("Arden", "Bree", "Carn")]


def question(id_: str, cypher: str, answer: Any = None, graph: str = "coast") -> dict[str, Any]:
    category = "basic_(n)" if cypher == LARGEST else "basic_(n)-(m0*)"
    return {
        "qid": id_, "graph": graph, "gold_cypher": cypher, "nl_question": f"What about {id_}?",
        "nl_question_raw": f"{id_}?", "answer_json": None if answer is None else json.dumps(answer),
        "from_template": TEMPLATE | {"match_category": category},
    }  # fmt: skip


QUESTIONS = [
    question("people", PEOPLE, [["P0"], ["P3"], ["P6"]]),
    question("largest", LARGEST, PLACES),
    question("known", KNOWN),
    question("inland", PEOPLE, ["Other"], "inland"),
    question("elsewhere", PEOPLE, [], "nba"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "benchmark"
    for name in ("coast", "inland", "unasked"):
        path = made / f"graphs/simplekg/{name}_simplekg.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_simplekg(PropertyGraph(SCHEMA, NODES, EDGES), path)
    (made / "test.json").write_text(json.dumps(QUESTIONS), "utf-8")
    (made / "train.json").write_text(json.dumps([question("first", KNOWN)]), "utf-8")
    return made


def test_questions_and_graphs(folder):
    found = find_reader("cypherbench")(folder, None, None)
    assert list(found.property_graphs) == ["coast", "inland"]
    splits = [(q.id, q.split) for q in found.questions]
    assert splits == [("first", "train"), *((row["qid"], "test") for row in QUESTIONS[:4])]
    people, largest, known, inland = found.questions[1:]
    assert (people.text, people.cypher, people.graph) == ("What about people?", PEOPLE, "coast")
    # Rows are stated as lists, as objects by column, or as values.
    assert people.answers == ('["P0"]', '["P3"]', '["P6"]')
    assert largest.answers == ('["Arden"]', '["Bree"]', '["Carn"]')
    assert (known.answers, inland.answers) == ((), ('["Other"]',))
    own = {"match_category": "basic_(n)-(m0*)", "type": "n_name", "nl_question_raw": "people?"}
    assert people.fields == TEMPLATE | own
    assert found.notes == ("1 question about nba left out: the graph is not there",)


def test_file_beside_its_graphs_and_a_graph_that_is_named(folder, tmp_path):
    reader = find_reader("cypherbench")
    assert list(reader(folder / "test.json", None, None).property_graphs) == ["coast", "inland"]
    (first,) = reader(folder / "train.json", None, None).questions
    assert first.split == "train"
    (tmp_path / "some.jsonl").write_text(json.dumps({"id": "a", "cypher": PEOPLE, "question": "?"}))
    graph = folder / "graphs/simplekg/coast_simplekg.json"
    made = import_set("cypherbench", tmp_path / "some.jsonl", tmp_path / "release", kg=graph)
    assert [(q.id, q.block.graph) for q in made.questions()] == [("a", "coast")]


PREDICTIONS = {
    "people": PEOPLE.replace("n.name", "n.name AS x"),
    "largest": LARGEST.replace(" DESC", ""),
    "known": KNOWN.replace("n.name", "n.name, n.size"),
    "inland": "MATCH (n:Person RETURN n",
}


SCORES = ("ex", "ex_published", "psjs", "psjs_published", "executable")


def test_scores_are_those_of_the_files_as_they_are(folder, tmp_path):
    """They are of the gold where it is run; the order of its rows counts where it sorts them."""
    predictions = tmp_path / "result.json"
    rows = [{**row, "pred_cypher": PREDICTIONS.get(row["qid"], "")} for row in QUESTIONS[:4]]
    predictions.write_text(json.dumps(rows), "utf-8")
    (folder / "test.json").write_text(json.dumps(QUESTIONS[:4]), "utf-8")
    import_set("cypherbench", folder, tmp_path / "release")
    as_it_is = evaluate(benchmark_at(folder), predictions, resamples=10)
    imported = evaluate(benchmark_at(tmp_path / "release"), predictions, resamples=10)
    told, same = (json.loads(report.to_json()) for report in (imported, as_it_is))
    found = [told["all"]["scores"][name]["value"] for name in SCORES]
    assert found == [same["all"]["scores"][name]["value"] for name in SCORES]
    assert (found[0], found[-1]) == (0.25, 0.75)
    breakdowns = told["breakdowns"]
    assert list(breakdowns["graph"]) == ["coast", "inland"]
    assert list(breakdowns["match"]) == ["basic_(n)", "basic_(n)-(m0*)"]
    # What is stated of a question stays beside what its gold gives, and the report says that they differ.
    assert "gives other rows here than are stated of it, first inland" in imported.to_table()
    assert benchmark_at(tmp_path / "release").kind == "imported_cypher"


def test_wrong_files(folder, tmp_path):
    reader = find_reader("cypherbench")
    with pytest.raises(InputError, match="holds no questions; expected CypherBench's"):
        reader(tmp_path, None, None)
    with pytest.raises(InputError, match="property graphs of others are asked whole"):
        reader(folder, None, tmp_path)
    graph = folder / "graphs/simplekg/coast_simplekg.json"
    with pytest.raises(InputError, match="is one graph, and the questions are about 3: coast, "):
        reader(folder / "test.json", graph, None)
    wrong = [question("a", PEOPLE, graph="nba"), question("b", PEOPLE) | {"answer_json": "{"}]
    (folder / "test.json").write_text(json.dumps(wrong), "utf-8")
    with pytest.raises(InputError, match="item 2: 'b': its 'answer_json' is not valid JSON"):
        reader(folder, None, None)
    (folder / "test.json").write_text(json.dumps(wrong[:1]), "utf-8")
    (folder / "train.json").unlink()
    with pytest.raises(InputError, match=r"has no graph for its questions, which are about nba\."):
        reader(folder, None, None)
