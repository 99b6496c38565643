"""BRINK's evaluator on its gold as we export it: its scores are those of ``--metrics brink``.

They are so for the release, and for what ``rulemine import`` makes of the export, on a file of predictions of
each form.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from same_scores import Row, imported, outputs, same

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
        exported = root / release.name / "brink"
        gold = exported / "test_gold.json"
        answers = {row["id"]: row["answers"] for row in json.loads(gold.read_text("utf-8"))}
        rows, theirs = scored(gold, outputs(answers, FORMS))
        print(f"{release.name}: {same(release, rows, 'brink', theirs)}")
        made = imported("brink", exported)
        for number, form in enumerate(FORMS, start=1):
            rows, theirs = scored(gold, outputs(answers, [form]))
            print(f"{release.name}, imported, file {number}: {same(made, rows, 'brink', theirs)}")


def scored(gold: Path, said: Mapping[str, str]) -> tuple[list[Row], dict[str, float]]:
    """The rows of a file of predictions, and what the evaluator gives for them."""
    rows = [{"id": question, "raw_output": text} for question, text in said.items()]
    Path("predictions.json").write_text(json.dumps(rows), "utf-8")
    command = ["evaluation/evaluate_brink.py", "--gold", str(gold), "--pred", "predictions.json"]
    done = subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["num_missing_predictions"] == found["num_examples"] - len(said) > 0
    return rows, {name.lower().replace("@", "_"): found[name] for name in SCORES}


if __name__ == "__main__":
    main()
