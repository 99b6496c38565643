"""The tables of SynthKGQA on twelve questions, counted by hand."""

import json

import numpy as np
import pytest
from scipy.stats import ttest_ind

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting.document import Picture
from rulemine.papers.material import read_material
from rulemine.papers.paper import make_tables
from rulemine.papers.synthkgqa import SYNTHKGQA, t_test
from tests import structures
from tests.papers.conftest import middle, release_of, row, study, table
from tests.written_releases import subgraphs

RETRIEVED = [["ann", "citizen_of", "france"], ["bob", "citizen_of", "france"]]
"""Of the four triples behind both answers of q00006."""

ONE = {"q00006": {"answers": ["ann"], "retrieved": RETRIEVED[:1]}}
BOTH = {"q00006": {"answers": ["ann", "bob"], "retrieved": RETRIEVED}}
BOOK = {"q00007": {"answers": ["bob"]}}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return release_of(tmp_path_factory.mktemp("papers") / "world", subgraphs())


def tables(*paths):
    return make_tables(SYNTHKGQA, read_material(paths, resamples=10))


@pytest.fixture
def made(release, tmp_path):
    """The tables of the release and of predictions: system → what it says of some test questions."""

    def call(**systems):
        paths = [tmp_path / f"{number}.jsonl" for number in range(len(systems))]
        for path, (system, given) in zip(paths, systems.items(), strict=True):
            run = {"release": release.identity, "system": system, "kg": "complete"}
            none = {"answers": []} if system == "closed-book" else {"answers": [], "retrieved": []}
            asked = [q.id for q in release.questions("test")]
            rows = [{"run": run | {"naming": "entity"}}]
            rows += [{"id": id_, **none, **given.get(id_, {})} for id_ in asked]
            path.write_text("\n".join(map(json.dumps, rows)))
        return tables(release.path, *paths)

    return call


def test_the_questions_of_a_release(release):
    document = tables(release.path)
    sizes = table(document, "table-1")
    assert row(sizes, "questions") == [6, 6, 12]
    assert row(sizes, "mean seed nodes")[:2] == [1, 2.17]
    assert row(sizes, "questions with redundant information") == [1, 0, 1]
    for id_, label, cells in (
        # q00007 and q00011 have both unseen, and count once.
        ("table-5", "all", [6, 1, 1, 1 / 6, 2, 2 / 6, 3, 3 / 6]),
        ("table-5", "(3)", [2, 2 / 6, 0, 0, 0, 0, 0, 0]), ("figure-6", "2", [0, 5 / 6]),
        ("figure-7", "3", [2 / 6, 3 / 6]), ("figure-5", "citizen_of", [2, 6, 8 / 25]),
        ("figure-8", "(1)", [3 / 6, 4 / 6]),  # a chain of three says as much as one
        ("figure-8", "(3)", [2 / 6, 1 / 6]),
        # A film of Ann is made in France, where it takes two steps by its writer.
        ("figure-9", "2", [1, 1, 1]),
    ):  # fmt: skip
        assert row(table(document, id_), label) == cells
    found = row(table(document, "table-6"), "1")
    assert (found[0], found[1], found[3]) == (3, 1, 2)  # of two, three and one triple, all on paths
    # One film is made in Italy, which takes three steps by its writer; from Ann there is no shorter way.
    assert row(table(document, "figure-9"), "3")[:2] == [2, (1 + 3) / 2]


def test_what_systems_answer_and_retrieve(made):
    document = made(**{"closed-book": BOOK, "bm25:k=1": ONE, "bm25:k=2": BOTH})
    f1 = 2 * 1 / (1 + 4)
    wanted = [1, 1 / 2, 1 / 4, 1, f1, 1, 1 / 2, 1]
    one = row(table(document, "table-2"), "bm25:k=1")
    assert one == pytest.approx([value / 6 for value in wanted])
    assert row(table(document, "table-2"), "closed-book")[2:] == [None] * 6
    by_shape = table(document, "figure-2")
    assert by_shape.header == ("graph isomorphism", "closed-book", "bm25:k=1", "bm25:k=2")
    assert row(by_shape, "(1)(1) (1†)") == [0, 1, 1]
    assert row(by_shape, "(1)(1)(1) (1†)") == [1, 0, 0]
    recall = table(document, "figure-10")
    assert recall.header == ("graph isomorphism", "bm25:k=1", "bm25:k=2")
    assert row(recall, "(1)(1) (1†)") == [1 / 4, 2 / 4]
    # Hits and both recalls are 1, 3/4 and 3/8 there, and 0 elsewhere.
    assert row(table(document, "figure-13"), "(1)(1)") == [1, 3 / 8, 3 / 4, 1]
    assert "triple recall +1.00, answer node recall +1.00" in table(document, "figure-13").notes[0]
    for k in (1, 2):
        growing = row(table(document, "figure-14"), str(k))
        assert growing == pytest.approx([1 / 6, k / 24, k / 12])
    assert all(isinstance(one, Picture) for one in document.figures)


def test_gains_over_a_closed_book(made):
    document = made(**{"closed-book": BOOK, "bm25:k=1": ONE})
    gains, lost = table(document, "figure-3"), table(document, "figure-11")
    assert gains.header[2] == "hits beyond closed-book"
    classes = ("in distribution", "unseen relation type", "unseen graph type")
    assert gains.rows[::2] == tuple((name,) for name in classes)
    assert [[*map(middle, found[1:])] for found in gains.rows[1::2]] == [
        [1, 0, 0, 0],
        [4, 1 / 4 - 1 / 4, 1 / 8, 1 / 16],
        [3, 0 - 1 / 3, 0, 0],
    ]
    assert row(lost, "(1)(1)(1), bm25:k=1") == [1, -1, 0, 0]
    for one in (gains, lost):  # 1 + 4 + 3 of 6 questions
        assert any(note.endswith("with both unseen counts in both.") for note in one.notes)


def test_trained_retrievers_are_means_over_seeds(made):
    name = "trained-retriever:labels={}:seed={}"
    document = made(
        **{name.format("shortest", 1): ONE, name.format("shortest", 2): {},
           name.format("evidence", 1): BOTH, "bm25": ONE, "bm25:k=2": {}},
    )  # fmt: skip
    assert row(table(document, "figure-14"), "10")[0] == 1 / 6  # bm25 asks for ten
    found = table(document, "table-4")
    assert row(found, "hits")[:3] == pytest.approx([1 / 12, 1 / 6, 1])
    # Triples of one of six questions, a half of them, beside a quarter in one of two runs.
    assert row(found, "triple recall")[2:4] == [pytest.approx(3), "0.173"]
    assert "2 on shortest paths, 1 on the ground truth" in found.notes[0]
    assert row(table(document, "figure-12"), "1")[:3] == [3, 2, 4]


def test_t_test_as_scipy_has_it():
    for first, second in ((2, 2), (2, 3), (9, 40), (1, 5), (300, 500)):
        random = np.random.default_rng(first)
        for apart in (-0.5, 0, 0.3, 4):
            some, others = random.random(first) + apart, random.random(second)
            expected = ttest_ind(some, others, alternative="greater").pvalue
            assert t_test(some, others) == pytest.approx(expected, abs=1e-12)
    assert t_test(np.ones(3), np.zeros(3)) is None
    assert t_test(np.ones(1), np.zeros(2)) is None


def test_what_is_lacking_is_said(made, tmp_path):
    notes = " ".join(made(**{"closed-book": BOOK}).notes)
    assert "Figure 10 (triple recall by graph isomorphism): needs a study or pred" in notes
    assert "Table 2 (" not in notes
    assert "Table 3 (transfer of trained retrievers to Mintaka): not made." in notes
    with pytest.raises(ConfigError, match="needs a release of the kind subgraphs"):
        tables(release_of(tmp_path / "other", structures.world()).path)


def test_a_study_has_both_graphs(release, tmp_path):
    study(tmp_path / "study", release.path, "lookup", "prior", levels=(0, 50, 100))
    document = tables(release.path, tmp_path / "study")
    for id_, graph in (("table-2", "complete"), ("table-2-2", "incomplete")):
        assert f"{graph} graph" in table(document, id_).title
        assert [row[0] for row in table(document, id_).rows] == ["lookup", "prior"]
    assert row(table(document, "table-2"), "lookup")[:2] == [1, 1]
    assert row(table(document, "table-2-2"), "lookup")[1] < 1
    assert table(document, "figure-3-2").header[2] == "hits beyond prior"
