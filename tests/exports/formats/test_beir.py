"""Exports for BEIR, read as its loader reads them."""

from pathlib import Path

from rulemine.exports.exporting import export
from rulemine.release.proof_triples import proof_rows
from rulemine.release.reader import Release
from tests import each
from tests.evaluation.world import ANN, BOB, CID, EVE
from tests.exports.readers import beir

WIFE, MOTHER = (ANN, "wife", BOB), (ANN, "mother", CID)
FATHER = [(BOB, "father", CID), (BOB, "father", EVE)]


def test_what_is_relevant_to_the_questions_of_the_small_world(
    release: Release, tmp_path: Path
) -> None:
    made = export(release, "beir", tmp_path / "a")
    corpus, queries, qrels = beir.load(made.folder, "test")
    key = dict(zip(release.kg().labeled(), corpus, strict=True))
    # Each removed triple has the certificate WIFE; the asked answer is derived from it in every question.
    assert qrels == {
        "q00001": {key[WIFE]: 2, key[MOTHER]: 1},
        "q00002": {key[WIFE]: 2},
        "q00003": {key[WIFE]: 2},
    }
    assert queries == {q.id: q.question for q in release.questions("test")}
    _, _, train = beir.load(made.folder, "train")
    assert train == {"q00004": {key[WIFE]: 2} | {key[triple]: 1 for triple in FATHER}}
    assert beir.load(made.folder, "dev")[2] == {}
    assert made.counts["passages"] == 7
    said = corpus[key[WIFE]]
    assert said["title"] == ANN
    assert {ANN, BOB} <= {*said["text"].rstrip(".").split()}


def test_passages_of_entities_and_one_grade(release: Release, tmp_path: Path) -> None:
    folder = export(release, "beir:passages=entity:graded=false", tmp_path / "a").folder
    corpus, _, qrels = beir.load(folder, "test")
    assert {*corpus} == {f"m.{s}" for s, _, _ in release.kg().labeled()}
    assert qrels == {q: {f"m.{ANN}": 1} for q in ("q00001", "q00002", "q00003")}
    assert beir.load(folder, "train")[2] == {"q00004": {f"m.{ANN}": 1, f"m.{BOB}": 1}}
    assert corpus[f"m.{BOB}"]["text"].count(".") == 2  # a sentence for each of its two triples


@each("kg", ["incomplete", "complete"])
def test_every_passage_named_is_there_and_proofs_are_whole(
    structures: Release, tmp_path: Path, kg: str
) -> None:
    made = export(structures, "beir", tmp_path / "a", kg=kg)
    graph = structures.kg(kg)
    proofs = proof_rows(graph, structures.questions(), structures.removals())
    proof_of = {q.id: rows.tolist() for q, rows in zip(structures.questions(), proofs, strict=True)}
    for split, name in (("train", "train"), ("validation", "dev"), ("test", "test")):
        corpus, queries, qrels = beir.load(made.folder, name)
        assert {*queries} == {q.id for q in structures.questions(split)} - made.left_out.keys()
        keys = [*corpus]
        for question, grades in qrels.items():
            assert grades.keys() <= corpus.keys()
            first = {passage for passage, grade in grades.items() if grade == 2}
            assert first == {keys[row] for row in proof_of[question] if row >= 0}


def test_without_answers_nothing_says_what_is_relevant(release: Release, tmp_path: Path) -> None:
    folder = export(release, "beir", tmp_path / "a", without_answers=True).folder
    assert not (folder / "qrels").exists()
