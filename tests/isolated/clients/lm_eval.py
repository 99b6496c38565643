"""lm-evaluation-harness runs our tasks; its scores are those of ``rulemine evaluate`` on the same outputs."""

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

EXPORTS = Path(sys.argv[1])


class Scripted(LM):
    """Answers with some of the names that it was told to choose from, and with prose."""

    def __init__(self, names: list[str], golds: list[str]) -> None:
        super().__init__()
        self.names, self.golds, self.draw = names, golds, random.Random(0)
        self.prompts: list[str] = []

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        self.prompts += [request.args[0] for request in requests]
        return [self.say() for _ in requests]

    def say(self) -> str:
        said = self.draw.choices(self.golds, k=12) + self.draw.choices(self.names, k=2)
        return self.draw.choice(["", "I think {} or {}.\n", "Answer: "]).format(*said) + "\n".join(
            said
        )

    def loglikelihood(self, requests: Any) -> Any:
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def run(*command: str | Path) -> str:
    return subprocess.run(
        list(map(str, command)), check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def main() -> None:
    rows = 0
    for name, kg, shots in (("demo", "incomplete", 0), ("structures-demo", "complete", 2)):
        folder = EXPORTS / (name if kg == "incomplete" else f"{name}-{kg}") / "lm-eval"
        rows += check(name, kg, folder, shots)
    folder = EXPORTS / "demo" / "lm-eval"
    lm_eval = Path(sys.executable).with_name("lm_eval")
    said = run(lm_eval, "--model", "dummy", "--tasks", "rulemine_demo", "--include_path", folder)
    assert any("hhr" in line and "NaN" in line for line in said.split("\n")), said
    print(f"{rows} outputs scored as rulemine does; --model dummy scores 0, its hhr undefined")


def check(name: str, kg: str, folder: Path, shots: int) -> int:
    tasks = sorted(file.stem for file in folder.glob("*.yaml"))
    assert len(tasks) == 2, tasks
    docs = [json.loads(line) for line in (folder / "questions/test.jsonl").open(encoding="utf-8")]
    golds = sorted({answer for doc in docs for answer in doc["answers"]})
    names = (folder / "entities.txt").read_text("utf-8").split("\n")[:-1]
    model = Scripted(names, golds)
    found = simple_evaluate(
        model, tasks=tasks, num_fewshot=shots, log_samples=True, bootstrap_iters=0,
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
    )  # fmt: skip
    for task in tasks:
        samples = found["samples"][task]
        same_scores(found["results"][task], name, kg, folder, samples)
        for sample in samples:
            no_gold(sample["doc"], sample["arguments"][0][0], shots, task.endswith("_triples"))
    return len(tasks) * len(docs)


def same_scores(
    ours: dict[str, Any], name: str, kg: str, folder: Path, samples: list[dict[str, Any]]
) -> None:
    logged = EXPORTS / "samples.jsonl"
    logged.write_text("".join(json.dumps(sample, default=str) + "\n" for sample in samples))
    predictions = EXPORTS / "predictions.jsonl"
    predictions.write_text(run(sys.executable, folder / "predictions.py", logged))
    release = EXPORTS / "releases" / name
    told = run(
        os.environ["RULEMINE"], "evaluate", release, predictions, "--kg", kg, "--format", "json"
    )
    report = json.loads(told)
    wanted = {k: v["value"] for k, v in report["all"]["scores"].items() if f"{k},none" in ours}
    wanted["core_hard_f1"] = report["core"]["scores"]["hard_f1"]["value"]
    assert len(wanted) == 11, wanted
    assert wanted["hhr"] > 0, wanted
    for metric, value in wanted.items():
        assert math.isclose(ours[f"{metric},none"], value), (metric, ours, value)


def no_gold(doc: dict[str, Any], prompt: str, shots: int, triples: bool) -> None:
    asked = f"Question: {doc['question']}\nAnswers, a name a line:"
    assert prompt.endswith(asked), prompt
    assert prompt.count("Answers, a name a line:") == shots + 1, prompt
    if shots == 0:
        before = prompt.removesuffix(asked).partition("none.\n\n")[2].strip()
        known = "What is known:\n" + "\n".join(doc["triples"]) if triples else ""
        assert before == known, (before, known)


main()
