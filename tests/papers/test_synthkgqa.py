"""The tables of SynthKGQA on twelve questions, counted by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind

from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.reporting.document import Document, Picture
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.papers.material import read_material
from rulemine.papers.paper import make_tables
from rulemine.papers.synthkgqa import SYNTHKGQA, t_test
from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from rulemine.text.tables import Table
from tests import structures
from tests.written import subgraphs

Made = Callable[..., Document]

RETRIEVED = ["ann", "citizen_of", "france"]
"""Of the four triples behind both answers of q00006."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    folder = tmp_path_factory.mktemp("papers") / "world"
    folder.mkdir()
    write_release(folder, subgraphs(), "entity")
    return Release.open(folder)


@pytest.fixture
def made(release: Release, tmp_path: Path) -> Made:
    """The tables of the release and of predictions: system → what it says of some test questions."""

    def call(**systems: dict[str, Any]) -> Document:
        paths = [release.path]
        for number, (system, given) in enumerate(systems.items()):
            run = {
                "release": release.identity,
                "system": system,
                "kg": "complete",
                "naming": "entity",
            }
            rows = [
                {
                    "id": q.id,
                    "answers": [],
                    **({} if system == "closed-book" else {"retrieved": []}),
                }
                | given.get(q.id, {})
                for q in release.questions("test")
            ]
            path = tmp_path / f"{number}.jsonl"
            path.write_text("\n".join(map(json.dumps, [{"run": run}, *rows])) + "\n")
            paths.append(path)
        return make_tables(SYNTHKGQA, read_material(paths, resamples=10))

    return call


def table(document: Document, id_: str) -> Table:
    return next(one for one in document.every_table() if one.id == id_)


def row(found: Table, *label: str) -> list[Any]:
    """The values of a row, of estimates the middle."""
    values = next(one for one in found.rows if one[: len(label)] == label)[len(label) :]
    return [value[0] if isinstance(value, tuple) else value for value in values]


def test_the_questions_of_a_release(made: Made) -> None:
    document = made()
    assert row(table(document, "table-1"), "questions") == [6, 6, 12]
    assert row(table(document, "table-1"), "mean seed nodes")[:2] == [1, 2.17]
    assert row(table(document, "table-1"), "questions with redundant information") == [1, 0, 1]
    # q00007 and q00011 have both unseen, and count once.
    assert row(table(document, "table-5"), "all") == [6, 1, 1, 1 / 6, 2, 2 / 6, 3, 3 / 6]
    assert row(table(document, "table-5"), "(3)") == [2, 2 / 6, 0, 0, 0, 0, 0, 0]
    assert row(table(document, "figure-6"), "2") == [0, 5 / 6]
    assert row(table(document, "figure-7"), "3") == [2 / 6, 3 / 6]
    assert row(table(document, "figure-5"), "citizen_of") == [2, 6, 8 / 25]
    assert row(table(document, "figure-8"), "(1)") == [
        3 / 6,
        4 / 6,
    ]  # a chain of three says as much as one
    assert row(table(document, "figure-8"), "(3)") == [2 / 6, 1 / 6]


def test_shortest_paths_beside_the_ground_truth(made: Made) -> None:
    document = made()
    found = row(table(document, "table-6"), "1")
    assert (found[0], found[1], found[3]) == (3, 1, 2)  # of two, three and one triple, all on paths
    # A film of Ann is made in France, where it takes two steps by its writer.
    assert row(table(document, "figure-9"), "2") == [1, 1, 1]
    # One film is made in Italy, which takes three steps by its writer; from Ann there is no shorter way.
    assert row(table(document, "figure-9"), "3")[:2] == [2, (1 + 3) / 2]


ONE = {"q00006": {"answers": ["ann"], "retrieved": [RETRIEVED]}}
BOTH = {
    "q00006": {"answers": ["ann", "bob"], "retrieved": [RETRIEVED, ["bob", "citizen_of", "france"]]}
}
BOOK = {"q00007": {"answers": ["bob"]}}


def test_what_systems_answer_and_retrieve(made: Made) -> None:
    document = made(**{"closed-book": BOOK, "bm25:k=1": ONE, "bm25:k=2": BOTH})
    one = row(table(document, "table-2"), "bm25:k=1")
    f1 = 2 * 1 / (1 + 4)
    wanted = [1, 1 / 2, 1 / 4, 1, f1, 1, 1 / 2, 1]
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
    growing = table(document, "figure-14")
    assert [row(growing, k) for k in ("1", "2")] == [
        pytest.approx([1 / 6, 1 / 24, 1 / 12]),
        pytest.approx([1 / 6, 2 / 24, 2 / 12]),
    ]
    assert all(isinstance(one, Picture) for one in document.figures)


def test_gains_over_a_closed_book(made: Made) -> None:
    document = made(**{"closed-book": BOOK, "bm25:k=1": ONE})
    gains = table(document, "figure-3")
    assert gains.header[2] == "hits beyond closed-book"
    assert gains.rows[::2] == (
        ("in distribution",), ("unseen relation type",), ("unseen graph type",),
    )  # fmt: skip
    of_each = [
        [v[0] if isinstance(v, tuple) else v for v in found[1:]] for found in gains.rows[1::2]
    ]
    assert of_each == [
        [1, 0, 0, 0],
        [4, 1 / 4 - 1 / 4, 1 / 8, 1 / 16],
        [3, 0 - 1 / 3, 0, 0],
    ]
    lost = table(document, "figure-11")
    assert row(lost, "(1)(1)(1), bm25:k=1") == [1, -1, 0, 0]
    for one in (gains, lost):  # 1 + 4 + 3 of 6 questions
        assert any(note.endswith("with both unseen counts in both.") for note in one.notes)


def test_trained_retrievers_are_means_over_seeds(made: Made) -> None:
    name = "trained-retriever:labels={}:seed={}"
    document = made(
        **{name.format("shortest", 1): ONE, name.format("shortest", 2): {},
           name.format("evidence", 1): BOTH, "bm25": ONE, "bm25:k=2": {}},
    )  # fmt: skip
    assert row(table(document, "figure-14"), "10")[0] == 1 / 6  # bm25 asks for ten
    found = table(document, "table-4")
    assert row(found, "hits")[:3] == pytest.approx([1 / 12, 1 / 6, 1])
    assert row(found, "triple recall")[2] == pytest.approx(3)
    # Triples of one of six questions, a half of them, beside a quarter in one of two runs.
    assert row(found, "triple recall")[3] == "0.173"
    assert "2 on shortest paths, 1 on the ground truth" in found.notes[0]
    assert row(table(document, "figure-12"), "1")[:3] == [3, 2, 4]


@pytest.mark.parametrize(("first", "second"), [(2, 2), (2, 3), (9, 40), (1, 5), (300, 500)])
def test_t_test_as_scipy_has_it(first: int, second: int) -> None:
    random = np.random.default_rng(first)
    for apart in (-0.5, 0, 0.3, 4):
        some, others = random.random(first) + apart, random.random(second)
        expected = ttest_ind(some, others, alternative="greater").pvalue
        assert t_test(some, others) == pytest.approx(expected, abs=1e-12)
    assert t_test(np.ones(3), np.zeros(3)) is None
    assert t_test(np.ones(1), np.zeros(2)) is None


def test_what_is_lacking_is_said(made: Made, tmp_path: Path) -> None:
    notes = " ".join(made(**{"closed-book": BOOK}).notes)
    assert (
        "Figure 10 (triple recall by graph isomorphism): needs a study or predictions of" in notes
    )
    assert "Table 2 (" not in notes
    assert "Table 3 (transfer of trained retrievers to Mintaka): not made." in notes
    (tmp_path / "other").mkdir()
    write_release(tmp_path / "other", structures.world(), "entity")
    with pytest.raises(ConfigError, match="needs a release of the kind subgraphs"):
        make_tables(SYNTHKGQA, read_material([tmp_path / "other"]))


def test_a_study_has_both_graphs(release: Release, tmp_path: Path) -> None:
    plan = StudyPlan(
        release=str(release.path), systems=("lookup", "prior"), levels=(0, 50, 100),
        resamples=10,
    )  # fmt: skip
    StudyFolder(plan, tmp_path / "study").answer()
    document = make_tables(SYNTHKGQA, read_material([release.path, tmp_path / "study"]))
    for id_, graph in (("table-2", "complete"), ("table-2-2", "incomplete")):
        assert f"{graph} graph" in table(document, id_).title
        assert [row[0] for row in table(document, id_).rows] == ["lookup", "prior"]
    assert row(table(document, "table-2"), "lookup")[:2] == [1, 1]
    assert row(table(document, "table-2-2"), "lookup")[1] < 1
    assert table(document, "figure-3-2").header[2] == "hits beyond prior"


def test_studies_of_different_splits_are_not_side_by_side(release: Release, tmp_path: Path) -> None:
    for split in ("test", "all"):
        plan = StudyPlan(
            release=str(release.path), systems=("lookup",), levels=(0,), resamples=5, split=split
        )
        StudyFolder(plan, tmp_path / split).answer()
    paths = [release.path, tmp_path / "test", tmp_path / "all"]
    with pytest.raises(InputError, match=r"6 questions \(test\), 12 questions \(all\)"):
        make_tables(SYNTHKGQA, read_material(paths, resamples=10))
