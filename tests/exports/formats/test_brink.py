"""The export ``brink``, read as that benchmark's code does."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rulemine.evaluation import evaluate, read_predictions
from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from tests import structures as nine
from tests.evaluation.world import write_structures
from tests.exports.readers import brink
from tests.verify import tiny

SAID = ["{0}, nobody\n{0}", "The {1}", "-{1}\n- {0}!", "", "{0},{1}, {0}"]


def test_the_evaluator_says_what_ours_says(release: Release, tmp_path: Path) -> None:
    made = export(release, "brink", tmp_path / "brink")
    asked = release.questions("test")
    for first in range(len(SAID)):
        rows = [
            {"id": q.id, "raw_output": said.format(q.answers[0], q.answers[-1])}
            for q, said in zip(asked[1:], SAID[first:] + SAID, strict=False)
        ]  # the first question has none
        file = tmp_path / "predictions.json"
        file.write_text(json.dumps(rows))
        theirs = brink.scores(made.folder / "test_gold.json", file)
        predictions = read_predictions(file, asked)
        ours = evaluate(release, predictions, matching="brink", resamples=2).overall
        assert theirs == pytest.approx({name: ours[name].value for name in theirs})
        assert theirs["hits_any"] > 0


def test_questions_that_the_export_leaves_out_are_not_scored(
    structures: Release, subgraphs: Release, tmp_path: Path
) -> None:
    for release, split in ((structures, "train"), (subgraphs, "train")):
        asked = release.questions(split)
        gold = (
            export(release, "brink", tmp_path / f"of-{release.kind}").folder / f"{split}_gold.json"
        )
        rows = [
            {"id": q.id, "raw_output": q.answers[0]} for q in asked
        ]  # one for each, asked or not
        rows += [{"id": asked[-1].id, "raw_output": "nobody"}, {"id": "q99999", "raw_output": ""}]
        file = tmp_path / "predictions.json"
        file.write_text(json.dumps(rows))
        theirs = brink.scores(gold, file)
        report = evaluate(
            release, file, matching="brink", split=split, resamples=2, metrics="brink"
        )
        assert theirs == pytest.approx({name: report.overall[name].value for name in theirs})
        counted = {s.metric: s for s in report.others.scores if s.subset == "all"}
        for name, value in theirs.items():
            if name != "hhr":
                assert counted[f"brink_{name}"].score.value == pytest.approx(value)
        gone = len(asked) - len(json.loads(gold.read_text()))
        assert gone > 0
        assert report.n == counted["brink_f1"].n == len(asked) - gone
        told = "\n".join(report.notes)
        assert f"{gone} of {len(asked)} questions have no hard answer" in told
        assert f"Warning: 1 of {len(rows)} predictions have an unknown id" in told
        assert f"Warning: 1 of {len(rows)} predictions repeat an id" in told
        beside = evaluate(
            release, read_predictions(file, release.questions(), split=split, official=True),
            split=split, resamples=2, metrics="brink,rog",
        ).others  # fmt: skip
        assert {s.n for s in beside.scores if (s.project, s.subset) == ("brink", "all")} == {
            report.n
        }
        assert f"nor in ours beside them: brink {gone}" in beside.notes[0]


def test_names_that_can_never_match_are_counted(release: Release, tmp_path: Path) -> None:
    never = "questions_with_a_hard_answer_never_matched"
    assert export(release, "brink", tmp_path / "ids").counts[never] == 0
    made = export(release, "brink", tmp_path / "texts", naming="text")
    assert made.counts[never] == 1  # "Dora, Countess of X"
    assert made.counts["questions_with_an_answer_never_matched"] == 1
    gold = json.loads((made.folder / "train_gold.json").read_text())
    file = tmp_path / "predictions.json"
    file.write_text(
        json.dumps([{"id": row["id"], "raw_output": row["hard_answer"]} for row in gold])
    )
    assert brink.scores(made.folder / "train_gold.json", file)["hits_hard"] == 0


def test_questions_of_every_kind_have_their_proofs(tmp_path: Path) -> None:
    write_release(tmp_path / "nine", nine.world(), "entity")
    release = Release.open(tmp_path / "nine")
    made = export(release, "brink", tmp_path / "brink", kg="incomplete-50")
    asked = {q.id: q for q in release.questions()}
    assert made.left_out.keys() == {q.id for q in asked.values() if q.hard_answer is None}
    assert made.left_out
    graphs = {
        name: (made.folder / name / "facts.tsv").read_text().splitlines()
        for name in ("complete", "incomplete", "incomplete-50")
    }
    assert len(graphs["incomplete"]) < len(graphs["incomplete-50"]) < len(graphs["complete"])
    seen = set()
    for split in ("train", "validation", "test"):
        for row in json.loads((made.folder / f"{split}_gold.json").read_text()):
            assert row["answers"] == list(asked[row["id"]].answers)
        for row in brink.questions(made.folder / f"{split}.tsv"):
            question = asked[str(row["id"])]
            seen.add(question.id)
            assert len(row["q_entity"]) == len(question.anchors)
            assert len(row["grounding"]) == len(question.removed)
            for grounding in row["grounding"]:
                body, head = grounding.split(" => ")
                stated = {"\t".join(atom.split()) for atom in body.split(" | ")}
                assert stated <= set(graphs["incomplete"])
                assert "\t".join(head.split()) not in graphs["incomplete"]
    assert seen == asked.keys() - made.left_out.keys()


def test_its_scripts_find_the_answers_again(tmp_path: Path) -> None:
    release = Release.open(tiny.write_release(tmp_path / "tiny"))
    made = export(release, "brink", tmp_path / "brink", naming="private")
    assert made.counts["questions_with_blanks_in_names_of_groundings"] == 0
    checked = 0
    for split in ("train", "validation", "test"):
        for row in brink.questions(made.folder / f"{split}.tsv"):
            assert row["answer"] == row["a_entity"]
            if row["q_entity"][0] == row["grounding"][0].split("=> ")[1].split()[0]:
                again = brink.found(row, made.folder / "complete/facts.tsv")
                assert again
                assert set(again) <= set(row["answer"])
                checked += 1
    assert checked
    spoken = export(release, "brink", tmp_path / "spoken", naming="text")
    assert spoken.counts["questions_with_blanks_in_names_of_groundings"] > 0


def test_counts_are_left_out(tmp_path: Path) -> None:
    first, *others = nine.world().questions
    counting = replace(first, value=3, stated_value=2)
    made = export(write_structures(tmp_path / "nine", [counting, *others]), "brink", tmp_path / "b")
    assert made.left_out[counting.id] == "its answer is a number, not entities"


def test_without_answers_fields_are_there_and_empty(release: Release, tmp_path: Path) -> None:
    made = export(release, "brink", tmp_path / "brink", without_answers=True)
    (rows,) = (brink.questions(path) for path in made.folder.glob("*.tsv"))
    assert [row["id"] for row in rows] == [q.id for q in release.questions("test")]
    for row in rows:
        assert row["q_entity"]
        assert not row["rule_index"]
        assert not any(row[c] for c in ("answer", "a_entity", "rule", "grounding"))
    files = {p.relative_to(made.folder).as_posix() for p in made.folder.rglob("*") if p.is_file()}
    assert files == {"test.tsv", "incomplete/facts.tsv", "export.json"}


def test_without_answers_it_is_not_told_which_question_has_no_hard_answer(tmp_path: Path) -> None:
    first, *others = nine.world().questions
    stated = replace(first, hard=(), hard_answer=None, split="test")
    release = write_structures(tmp_path / "nine", [stated, *others])
    assert stated.id in export(release, "brink", tmp_path / "gold").left_out
    made = export(release, "brink", tmp_path / "asked", without_answers=True)
    assert not made.left_out
    (rows,) = (brink.questions(path) for path in made.folder.glob("*.tsv"))
    assert stated.id in {row["id"] for row in rows}
