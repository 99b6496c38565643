"""Exports for Generate-on-Graph, read as it reads them."""

from pathlib import Path

import pytest

from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from tests.exports.readers import gog
from tests.structures import REMOVALS, WORLD


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


@pytest.mark.parametrize(
    ("distance", "kg", "level"), [(0, "incomplete-50", 50), (1, "incomplete", 100)]
)
def test_the_complete_endpoint_hides_the_removed_triples_near_the_topics(
    structures: Release, tmp_path: Path, distance: int, kg: str, level: int
) -> None:
    folder = export(structures, f"gog:distance={distance}", tmp_path / "a", kg=kg).folder
    rows = gog.questions(folder / "data/complete/data.json")
    of = ids(structures)
    differing = set()
    for question, row in zip(structures.questions("test"), rows, strict=True):
        near = set(question.anchors)
        for _ in range(distance):
            near |= {end for s, _, o in WORLD for end in (s, o) if {s, o} & near}
        wanted = {
            r.triple
            for r in REMOVALS
            if r.level <= level
            and (r.triple in question.full_evidence or {r.triple[0], r.triple[2]} & near)
        }
        graph = [[of[s], f"graph.{r}", of[o]] for s, r, o in WORLD]
        hidden = [triple for triple in graph if triple not in gog.seen(graph, row)]
        assert sorted(hidden) == sorted([of[s], f"graph.{r}", of[o]] for s, r, o in wanted)
        differing.add(len(wanted))
    assert len(differing) > 1


def test_what_answers_are_derived_from_is_hidden_first(structures: Release, tmp_path: Path) -> None:
    made = export(structures, "gog:max_triples=1", tmp_path / "a")
    assert made.counts["questions_cut"] > 0
    of = ids(structures)
    for question, row in zip(
        structures.questions("test"),
        gog.questions(made.folder / "data/complete/data.json"),
        strict=True,
    ):
        ((subject, _, obj),) = row["mid_crucial_triples"]
        gone = {r.triple for r in REMOVALS} & {*question.full_evidence}
        assert (subject, obj) in {(of[s], of[o]) for s, _, o in gone}


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


def test_more_triples_than_memory_likes_are_said(
    structures: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulemine.exports.formats.without_training.MANY", 3)
    notes: list[str] = []
    made = export(structures, "gog", tmp_path / "a", note=notes.append)
    assert made.counts["questions_cut"] == 0
    assert f"hides {made.counts['hidden_triples']} triples" in notes[0]
    export(structures, "gog:distance=0:max_triples=1", tmp_path / "b", note=notes.append)
    assert len(notes) == 2
    assert "hides 6 triples" in notes[1]
