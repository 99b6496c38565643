"""RoG without a model: plans lead to answers, as in its README but for its planner; its scores are ours.

They are so for the release, and for what ``rulemine import`` makes of the export, on a file of predictions of
each form.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from datasets import load_dataset
from same_scores import Row, imported, outputs, rows_of, same

SCORES = {"Accuracy": "accuracy", "Hit": "hit", "F1": "f1", "Precision": "precision"}
"""Its recall is its accuracy."""

FORMS = [
    "\n".join,
    ", ".join,
    lambda some: f"The {some[0].upper()}, <pad> an\r\n\n{some[-1]}",
    lambda some: some[0][:2],
    lambda some: [name for name in some for _ in name[::2]],
    lambda _: [],
]
"""The last two are lists, as it gives them without a model."""

PROMPT = "prompts/llama2_predict.txt"


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    Path("rmanluo").mkdir()
    for release in sorted((root / "releases").iterdir()):
        exported = Path("rmanluo") / release.name
        exported.symlink_to(root / release.name / "rog")
        script = [sys.executable, "src/qa_prediction/predict_answer.py", "--model_name", "no-llm"]
        given = ["--data_path", "rmanluo", "-d", release.name, "--prompt_path", PROMPT]
        plans = ["--add_rule", "--rule_path", str(exported / "rule_paths_test.jsonl")]
        subprocess.run([*script, *given, *plans], check=True, capture_output=True)
        (written,) = Path("results/KGQA", release.name).rglob("predictions.jsonl")
        predicted = rows_of(written)
        answers = {q["id"]: q["answer"] for q in load_dataset(str(exported), split="test")}
        assert {row["id"] for row in predicted} == answers.keys()
        theirs = means(written)
        print(f"{release.name}: {same(release, ours_of(predicted), 'rog', theirs)}")
        assert theirs["hit"] > 0.5, json.dumps(theirs)
        made = imported("rog", root / release.name / "rog")
        for number, form in enumerate(FORMS, start=1):
            rows = [
                {"id": question, "prediction": text, "ground_truth": answers[question]}
                for question, text in outputs(answers, [form]).items()
            ]
            theirs = scored(rows)
            print(
                f"{release.name}, imported, file {number}: {same(made, ours_of(rows), 'rog', theirs)}"
            )


def scored(rows: list[Row]) -> dict[str, float]:
    """What its evaluator gives for predictions."""
    file = Path("predictions.jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = ["src/qa_prediction/evaluate_results.py", "-d", str(file), "--cal_f1"]
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return means(file)


def means(predictions: Path) -> dict[str, float]:
    """What its evaluator has written beside a file of predictions."""
    said = predictions.with_name("eval_result.txt").read_text()
    found = {name: float(v) / 100 for name, v in re.findall(r"(\w+): ([\d.e-]+)", said)}
    assert found["Recall"] == found["Accuracy"]
    return {ours: found[name] for name, ours in SCORES.items()}


def ours_of(predicted: list[Row]) -> list[Row]:
    """Its predictions in our form: a text, or a list."""
    return [
        {"id": row["id"], "raw_output": row["prediction"]}
        if isinstance(row["prediction"], str)
        else {"id": row["id"], "answers": by_count(row["prediction"])}
        for row in predicted
    ]


def by_count(names: list[str]) -> list[str]:
    """Each name once, as its scorer takes them: what it found most often first."""
    return sorted(dict.fromkeys(names), key=names.count, reverse=True)


if __name__ == "__main__":
    main()
