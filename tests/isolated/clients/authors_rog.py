"""RoG without a model: plans lead to answers, as in its README but for its planner; its scores are ours."""

import json
import re
import subprocess
import sys
from pathlib import Path

from same_scores import rows_of, same

SCORES = {"Accuracy": "accuracy", "Hit": "hit", "F1": "f1", "Precision": "precision"}
"""Its recall is its accuracy."""

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
        asked = {row["id"] for row in rows_of(exported / "test.jsonl")}
        assert {row["id"] for row in predicted} == asked
        said = written.with_name("eval_result.txt").read_text()
        found = {name: float(v) / 100 for name, v in re.findall(r"(\w+): ([\d.e-]+)", said)}
        assert found["Recall"] == found["Accuracy"]
        theirs = {ours: found[name] for name, ours in SCORES.items()}
        rows = [{"id": row["id"], "answers": by_count(row["prediction"])} for row in predicted]
        print(f"{release.name}: {same(release, rows, 'rog', theirs)}")
        assert theirs["hit"] > 0.5, json.dumps(theirs)


def by_count(names: list[str]) -> list[str]:
    """Each name once, as its scorer takes them: what it found most often first."""
    return sorted(dict.fromkeys(names), key=names.count, reverse=True)


if __name__ == "__main__":
    main()
