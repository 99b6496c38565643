"""BRINK's evaluator on its gold as we export it: its scores are those of ``--metrics brink``."""

import json
import subprocess
import sys
from pathlib import Path

from same_scores import outputs, same

FORMS = [
    ", ".join,
    "\n".join,
    lambda some: f"The {some[0].upper()}.",
    lambda some: "; ".join(some),
    lambda some: f"- {some[0]}\r\n- {some[-1]}, <pad>",
    lambda _: "",
]
SCORES = ("Hits@Any", "Precision", "Recall", "F1", "Hits@Hard")


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    for release in sorted((root / "releases").iterdir()):
        gold = root / release.name / "brink" / "test_gold.json"
        answers = {row["id"]: row["answers"] for row in json.loads(gold.read_text("utf-8"))}
        said = outputs(answers, FORMS)
        rows = [{"id": question, "raw_output": text} for question, text in said.items()]
        Path("predictions.json").write_text(json.dumps(rows), "utf-8")
        command = [
            "evaluation/evaluate_brink.py",
            "--gold",
            str(gold),
            "--pred",
            "predictions.json",
        ]
        done = subprocess.run(
            [sys.executable, *command], check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout)
        assert found["num_missing_predictions"] == len(answers) - len(said) > 0
        theirs = {name.lower().replace("@", "_"): found[name] for name in SCORES}
        print(f"{release.name}: {same(release, rows, 'brink', theirs)}")


if __name__ == "__main__":
    main()
