"""CypherBench's tables, on a set of four questions over two small graphs and on a release of our own."""

import json
from collections import Counter

import pytest

from rulemine.evaluation.cypher.error_kinds import ERROR_KINDS
from rulemine.evaluation.reporting.document import Document
from rulemine.importing.importer import import_set
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import write_simplekg
from rulemine.papers.cypherbench import CYPHERBENCH, NAMES_OF_ERRORS, _having
from rulemine.papers.material import Material, read_material
from rulemine.papers.paper import make_tables
from rulemine.release.reader import Release
from tests.evaluation.cypher.test_error_kinds import EDGES, KNOWN, LARGEST, NODES, PEOPLE, SCHEMA
from tests.papers.conftest import rows, study, table
from tests.releases import built

EITHER = (
    "CALL { MATCH (n:Person)-[r0:lives_in]->(m0:Town {name: 'Arden'}) RETURN n, m0 AS m UNION "
    "MATCH (n:Person)-[r1:born_in]->(m1:Town {name: 'Arden'}) RETURN n, m1 AS m } "
    "WITH DISTINCT n RETURN count(n)"
)
GOLDS = {
    "people": ("coast", PEOPLE, "basic_(n)-(m0*)", "n_name"),
    "largest": ("coast", LARGEST, "basic_(n)", "n_order_by"),
    "known": ("coast", KNOWN, "basic_(n)-(m0)", "n_name"),
    "either": ("inland", EITHER, "special_union", "n_union_count"),
}
PREDICTED = {
    "first": {
        "people": PEOPLE, "largest": LARGEST.replace(" DESC", ""),
        "known": KNOWN.replace("n.name", "n.name, n.size"), "either": "MATCH (n:Person RETURN n",
    },
    "second": {"people": PEOPLE, "largest": LARGEST, "either": EITHER},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The set, its release and a file of predictions for each of two systems."""
    made = tmp_path_factory.mktemp("cypherbench")
    for name in ("coast", "inland"):
        path = made / f"set/graphs/simplekg/{name}_simplekg.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_simplekg(PropertyGraph(SCHEMA, NODES, EDGES), path)
    questions = [
        {
            "qid": id_, "graph": graph, "gold_cypher": gold, "nl_question": f"What about {id_}?",
            "from_template": {"match_category": match, "return_pattern_id": returns},
        }
        for id_, (graph, gold, match, returns) in GOLDS.items()
    ]  # fmt: skip
    (made / "set/test.json").write_text(json.dumps(questions))
    import_set("cypherbench", made / "set", made / "release")
    for name, queries in PREDICTED.items():
        rows = [{"qid": id_, "pred_cypher": query} for id_, query in queries.items()]
        (made / f"{name}.json").write_text(json.dumps(rows))
    return made


@pytest.fixture(scope="module")
def document(folder):
    files = [folder / "release", folder / "first.json", folder / "second.json"]
    return make_tables(CYPHERBENCH, read_material(files, resamples=20))


def scores(document: Document, id_: str) -> dict[str, list[float | None]]:
    """Label of a row → the scores in it."""
    return {
        name: [value[0] for value in row if isinstance(value, tuple) and len(value) == 3]
        for name, row in rows(document, id_).items()
    }


def test_scores_by_system(document):
    # EX published, PSJS published, executable, EX, EX with more columns; PSJS is tested where it is made.
    found = scores(document, "table-3")
    assert list(found) == ["first", "second"]
    first, second = found.values()
    assert [first[0], *first[2:5]] == [0.25, 0.75, 0.25, 0.5]
    assert [second[0], *second[2:5]] == [0.75, 0.75, 0.75, 0.75]
    pairs = table(document, "table-3-pairs")
    difference = next(row for row in pairs.rows if len(row) > 1)
    assert difference[2:5] == (0.25, 0.75, (-0.5, *difference[4][1:]))  # type: ignore[index]


def test_scores_by_template(document):
    assert scores(document, "figure-5-match") == {
        "basic (n) (1†)": [0.0, 1.0], "basic (n)-(m0) (1†)": [0.0, 0.0],
        "basic (n)-(m0*) (1†)": [1.0, 1.0], "special union (1†)": [0.0, 1.0],
    }  # fmt: skip
    # As the authors do: the union has no part in it.
    returned = scores(document, "figure-5-return")
    assert returned == {"NAME (2†)": [0.5, 0.5], "SORT (1†)": [0.0, 1.0]}
    coast = pytest.approx([1 / 3, 2 / 3])
    graphs = scores(document, "figure-5-graph")
    assert graphs == {"coast (3†)": coast, "inland (1†)": [0.0, 1.0]}


def test_errors(document):
    lines = table(document, "table-13").rows
    assert lines[0] == ("wrong predictions", "EX is 0", 3, 1)
    by_kind = {r[0]: [str(c)[:1] for c in r[2:]] for r in lines if r[0] in ERROR_KINDS}
    assert {kind: cells for kind, cells in by_kind.items() if cells != ["0", "0"]} == {
        "syntax": ["1", "0"], "columns": ["1", "0"], "order": ["1", "0"], "missing": ["0", "1"],
    }  # fmt: skip
    third = pytest.approx(1 / 3)
    assert scores(document, "figure-6") == {
        "syntax": [third, 0.0], "results not aligned": [third, 0.0], "deduplication": [third, 0.0],
        "others": [0.0, 1.0],
    }  # fmt: skip
    assert [row[:3] for row in table(document, "table-4").rows] == [
        ("first",), ("syntax", "syntax", "either"), ("results not aligned", "columns", "known"),
        ("deduplication", "order", "largest"), ("second",), ("others", "missing", "known"),
    ]  # fmt: skip
    shown = ("What about largest?", LARGEST, LARGEST.replace(" DESC", ""))
    assert rows(document, "table-4")["deduplication"][2:] == shown


def test_every_kind_of_error_has_one_place_and_a_prediction_counts_once_there():
    found = Counter(kind for kinds in NAMES_OF_ERRORS.values() for kind in kinds)
    assert found == Counter([*ERROR_KINDS])
    assert len(NAMES_OF_ERRORS) == 10 + 1
    errors = {"q1": ("schema:type", "schema:relation"), "q2": ("order",)}
    assert _having(errors, NAMES_OF_ERRORS["schema violation"]) == 1


def test_sizes(document):
    # Each graph: Town and Person; three relations; five properties; 4 + 8 nodes; 16 + 7 edges; the towns
    # have 3 × 2 values, the people 8 × 2, the edges 8.
    assert rows(document, "table-2") == {"cypherbench": (2, 4, 6, 6, 10, 24, 46, 60, 0, 0, 4)}
    size = (2, 3, 3, 5, 12, 23, 30, 23 / 12)
    assert rows(document, "table-8") == {"coast": (*size, 3), "inland": (*size, 1)}


def test_templates_of_a_set_of_others(document):
    counts = {name: row[1] for name, row in rows(document, "table-1").items() if row and row[1]}
    assert counts == {"(n)": 1, "(n)-(m0)": 1, "(n)-(m0*)": 1, "union": 1}
    returned = {name: row[1:] for name, row in rows(document, "table-12").items() if row}
    asked = {name: row[0] for name, row in returned.items() if row[0]}
    assert asked == {"n_name": 2, "n_order_by": 1, "union_count": 1}
    assert returned["n_name"] == (2, "What about known?", KNOWN)  # the shortest
    shares = scores(document, "figure-4-return") | scores(document, "figure-4-graph")
    of_graphs = {"coast": [0.75], "inland": [0.25]}
    assert shares == of_graphs | {"NAME": [0.5], "SORT": [0.25], "AGGREGATE": [0.25]}
    assert rows(document, "table-14")["(Person) lives_in (Town)"]
    assert any(n.startswith("Table 11 (MATCH templates): needs a rel") for n in document.notes)


def test_a_release_of_our_own_and_its_study(tmp_path):
    release = Release.open(built("coast") / "release")
    alone = make_tables(CYPHERBENCH, Material(releases=(release,)))
    assert any(note.startswith("Table 3 (EX, PSJS and exec") for note in alone.notes)
    folder = study(tmp_path / "study", release.path, "gold-cypher", levels=(0,)).folder
    document = make_tables(CYPHERBENCH, read_material([release.path, folder]))
    asked = release.questions("test")
    matches = {n: row[2] for n, row in rows(document, "table-11").items() if row and row[2]}
    assert matches == Counter(question.block.match for question in asked)
    of_rows = scores(document, "figure-4-rows")
    assert of_rows["1"] == [sum(len(q.answers) == 1 for q in asked) / len(asked)]
    # The study counts with its complete graph, where the gold is right and no error is left to show.
    assert [row[0] for row in scores(document, "table-3").values()] == [1.0]
    assert rows(document, "table-13")["wrong predictions"] == ("EX is 0", 0)
    assert not any(one.id.startswith("figure-6") for one in document.every_table())
