"""The export ``brink``, read as that benchmark's public code (b95506d) does.

`scores_of` follows ``load_gold``, ``process_prediction`` and ``evaluate`` of ``evaluate_brink.py``;
`table` follows ``clean_output_entity_check`` of ``question_generation.py``.
"""

import ast
import csv
import json
import re
import string
from pathlib import Path
from typing import Any

import pytest

from rulemine.evaluation import evaluate, read_predictions
from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.release.writer import write_release
from tests import structures as nine
from tests.verify import tiny


def plain(text: str) -> str:
    kept = (sign for sign in text.lower().replace("<pad>", " ") if sign not in string.punctuation)
    return " ".join(word for word in "".join(kept).split() if word not in ("a", "an", "the"))


def scores_of(gold: Path, predictions: Path) -> dict[str, float]:
    """The means of the evaluator."""
    told = {row["id"]: str(row["raw_output"]) for row in json.loads(predictions.read_text())}
    rows = json.loads(gold.read_text())
    sums = dict.fromkeys(("hits_any", "precision", "recall", "f1", "hits_hard"), 0.0)
    for row in rows:
        right = {plain(str(answer)) for answer in row["answers"]} - {""}
        cut = re.split(r"[,\n\r]+", told.get(row["id"], ""))
        given = {plain(piece) for piece in cut} - {""}
        both = len(given & right)
        sums["hits_any"] += both > 0
        sums["precision"] += both / len(given) if given else 0
        sums["recall"] += both / len(right) if right else 0
        sums["f1"] += 2 * both / (len(given) + len(right)) if given or right else 0
        sums["hits_hard"] += plain(str(row["hard_answer"])) in given
    means = {name: value / len(rows) for name, value in sums.items()}
    means["hhr"] = means["hits_hard"] / means["hits_any"] if means["hits_any"] else 0
    return means


def table(file: Path) -> list[dict[str, Any]]:
    """The questions that it keeps: with a topic in the text, and the hard answer not in it."""
    kept = []
    with file.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            for column in ("q_entity", "answer", "a_entity", "rule", "grounding"):
                row[column] = ast.literal_eval(row[column])
            hard = row["a_entity"][0] if row["a_entity"] else ""
            if row["q_entity"][0] in row["question"] and (not hard or hard not in row["question"]):
                kept.append(row)
    return kept


SAID = ["{0}, nobody\n{0}", "The {1}", "-{1}\n- {0}!", "", "{0},{1}, {0}"]


def test_the_evaluator_says_what_ours_says(release, tmp_path):
    made = export(release, "brink", tmp_path / "brink")
    asked = release.questions("test")
    for first in range(len(SAID)):
        rows = [
            {"id": q.id, "raw_output": said.format(q.answers[0], q.answers[-1])}
            for q, said in zip(asked[1:], SAID[first:] + SAID, strict=False)
        ]  # the first question has none
        file = tmp_path / "predictions.json"
        file.write_text(json.dumps(rows))
        theirs = scores_of(made.folder / "test_gold.json", file)
        predictions = read_predictions(file, asked)
        ours = evaluate(release, predictions, matching="brink", resamples=2).overall
        assert theirs == pytest.approx({name: ours[name].value for name in theirs})
        assert theirs["hits_any"] > 0


@pytest.mark.parametrize("kind", ["structures", "subgraphs"])
def test_questions_that_the_export_leaves_out_are_not_scored(request, tmp_path, kind):
    release: Release = request.getfixturevalue(kind)
    asked = release.questions("train")
    gold = export(release, "brink", tmp_path / "brink").folder / "train_gold.json"
    rows = [
        {"id": q.id, "raw_output": q.answers[0]} for q in asked
    ]  # whether it is in the gold or not
    rows += [{"id": asked[-1].id, "raw_output": "nobody"}, {"id": "q99999", "raw_output": ""}]
    file = tmp_path / "predictions.json"
    file.write_text(json.dumps(rows))
    theirs = scores_of(gold, file)
    how = {"split": "train", "resamples": 2}
    report = evaluate(release, file, matching="brink", metrics="brink", **how)
    assert theirs == pytest.approx({name: report.overall[name].value for name in theirs})
    counted = {s.metric: s for s in report.others.scores if s.subset == "all"}
    for name in theirs.keys() - {"hhr"}:
        assert counted[f"brink_{name}"].score.value == pytest.approx(theirs[name])
    gone = len(asked) - len(json.loads(gold.read_text()))
    assert gone > 0
    assert report.n == counted["brink_f1"].n == len(asked) - gone
    told = "\n".join(report.notes)
    assert f"{gone} of {len(asked)} questions have no hard answer" in told
    assert f"Warning: 1 of {len(rows)} predictions have an unknown id" in told
    assert f"Warning: 1 of {len(rows)} predictions repeat an id" in told
    official = read_predictions(file, release.questions(), split="train", official=True)
    beside = evaluate(release, official, metrics="brink,rog", **how).others
    scored = {s.n for s in beside.scores if (s.project, s.subset) == ("brink", "all")}
    assert scored == {report.n}
    assert f"nor in ours beside them: brink {gone}" in beside.notes[0]


def test_names_that_can_never_match_are_counted(release, tmp_path):
    never = "questions_with_a_hard_answer_never_matched"
    assert export(release, "brink", tmp_path / "ids").counts[never] == 0
    made = export(release, "brink", tmp_path / "texts", naming="text")
    assert made.counts[never] == 1  # "Dora, Countess of X"
    assert made.counts["questions_with_an_answer_never_matched"] == 1
    gold = made.folder / "train_gold.json"
    said = [{**row, "raw_output": row["hard_answer"]} for row in json.loads(gold.read_text())]
    (tmp_path / "predictions.json").write_text(json.dumps(said))
    assert scores_of(gold, tmp_path / "predictions.json")["hits_hard"] == 0


def test_questions_of_every_kind_have_their_proofs(tmp_path):
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
    for split in SPLITS:
        for row in json.loads((made.folder / f"{split}_gold.json").read_text()):
            assert row["answers"] == list(asked[row["id"]].answers)
        for row in table(made.folder / f"{split}.tsv"):
            question = asked[row["id"]]
            seen.add(question.id)
            assert len(row["q_entity"]) == len(question.anchors)
            assert len(row["grounding"]) == len(question.removed)
            for grounding in row["grounding"]:
                body, head = grounding.split(" => ")
                stated = {"\t".join(atom.split()) for atom in body.split(" | ")}
                assert stated <= set(graphs["incomplete"])
                assert "\t".join(head.split()) not in graphs["incomplete"]
    assert seen == asked.keys() - made.left_out.keys()


def test_its_scripts_find_the_answers_again(tmp_path):
    """All of ``complete_answer_search.py``: by the subject and relation of the first grounding's head."""
    release = Release.open(tiny.write_release(tmp_path / "tiny"))
    made = export(release, "brink", tmp_path / "brink", naming="private")
    assert made.counts["questions_with_blanks_in_names_of_groundings"] == 0
    facts = (made.folder / "complete/facts.tsv").read_text().splitlines()
    checked = 0
    for row in (row for split in SPLITS for row in table(made.folder / f"{split}.tsv")):
        assert row["answer"] == row["a_entity"]
        subject, relation, _ = row["grounding"][0].split("=>")[-1].split()
        if row["q_entity"][0] == subject:
            again = {
                line.split("\t")[2] for line in facts if line.startswith(f"{subject}\t{relation}\t")
            }
            assert set() < again <= set(row["answer"])
            checked += 1
    assert checked
    spoken = export(release, "brink", tmp_path / "spoken", naming="text")
    assert spoken.counts["questions_with_blanks_in_names_of_groundings"] > 0
