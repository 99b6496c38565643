"""Exports for Generate-on-Graph, read as it reads them."""

from pathlib import Path

from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from tests.exports.readers import gog


def ids(release: Release) -> dict[str, str]:
    return {e.entity: f"m.{e.private}" for e in release.entities}


def test_the_incomplete_endpoint_hides_nothing(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "gog", tmp_path / "a").folder
    rows = gog.questions(folder / "data/incomplete/data.json")
    test = structures.questions("test")
    assert [row["ID"] for row in rows] == [q.id for q in test]
    assert [row["index"] for row in rows] == list(range(len(test)))
    assert [row["answer"] for row in rows] == [list(q.answers) for q in test]
    assert {*rows[0]["topic_entity"].items()} == {(ids(structures)[a], a) for a in test[0].anchors}
    assert all(row["mid_crucial_triples"] == [] for row in rows)


def test_names_lead_to_ids(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "gog", tmp_path / "a", naming="text").folder
    found = gog.names(folder / "Freebase/virtuoso-opensource/database/FilterFreebase")
    assert found == {e.text.lower(): f"m.{e.private}" for e in structures.entities}


def test_without_answers_no_triple_is_told(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "gog", tmp_path / "a", without_answers=True).folder
    (file,) = folder.glob("data/*/*")
    assert file.parent.name == "incomplete"
    assert all(row["answer"] == row["mid_crucial_triples"] == [] for row in gog.questions(file))


def test_the_complete_graph_lacks_nothing(structures: Release, tmp_path: Path) -> None:
    folder = export(structures, "gog", tmp_path / "a", kg="complete").folder
    (file,) = folder.glob("data/*/*")
    assert file.parent.name == "complete"
    assert all(row["answer"] and not row["mid_crucial_triples"] for row in gog.questions(file))
