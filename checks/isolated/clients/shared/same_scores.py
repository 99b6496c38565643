"""What the scripts of authors' own code share: predictions of many forms, and our scores of them."""

import json
import os
import random
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows_of(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def outputs(
    gold: Mapping[str, list[str]], forms: list[Callable[[list[str]], str]]
) -> dict[str, str]:
    """An output for nine of ten questions: some of its answers, some of others, in one of the forms."""
    draw = random.Random(0)
    pool = sorted({answer for answers in gold.values() for answer in answers})
    said = {}
    for number, (question, answers) in enumerate(gold.items()):
        some = [a for a in answers if draw.random() < 0.6]
        some += draw.sample(pool, min(len(pool), draw.randrange(3)))
        draw.shuffle(some)
        if number % 10 != 9:
            said[question] = forms[number % len(forms)](some or pool[:1])
    return said


def imported(form: str, exported: Path) -> Path:
    """The release that ``rulemine import`` makes of an export."""
    folder = Path(f"imported.{exported.parent.name}")
    command = [os.environ["RULEMINE"], "import", form, str(exported), "-o", str(folder)]
    done = subprocess.run([*command, "--replace"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def same(release: Path, predictions: list[Row], metric: str, theirs: Mapping[str, float]) -> str:
    """Scores predictions with ``rulemine evaluate --metrics`` and compares.

    Args:
        release: The folder of the release.
        predictions: A row for each prediction.
        metric: The name of the metric.
        theirs: Name of a score without that of the metric → its value as the authors' code has it.

    Returns:
        A line with all of them; a difference ends the program.
    """
    file = Path("predictions.of.ours.jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in predictions), "utf-8")
    command = [os.environ["RULEMINE"], "evaluate", str(release), str(file), "--metrics", metric]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    of_metric = json.loads(done.stdout)["metrics_of_others"][metric]
    ours = {key: of_metric[f"{metric}_{key}"]["all"]["score"]["value"] for key in theirs}
    for key, value in theirs.items():
        assert abs(ours[key] - value) < 1e-9, f"{metric}_{key}: theirs {value}, ours {ours[key]}"
    n = {of_metric[f"{metric}_{key}"]["all"]["n"] for key in theirs}
    return f"{', '.join(f'{k} {v:.4f}' for k, v in theirs.items())}: theirs and ours, n {n}"
