"""Inspect runs our task without a model and with a scripted one that calls the tools."""

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model

EXPORTS = Path(sys.argv[1])
# Of the scripted model's outputs; otherwise Inspect fetches a tokenizer to count them.
USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    logs = Path(tempfile.mkdtemp(dir=EXPORTS))
    asked = 0
    for name, kg in (("demo", "incomplete"), ("structures-demo", "complete")):
        folder = EXPORTS / (name if kg == "incomplete" else f"{name}-{kg}") / "inspect"
        task = f"{folder / 'task.py'}@graph_questions"
        (log,) = evaluate(task, model="none", log_dir=str(logs), display="none")
        asked += same_scores(name, kg, folder, log)
    (log,) = evaluate(
        task, model=get_model("mockllm/model", custom_outputs=walk), log_dir=str(logs), display="none",
        epochs=2,
    )  # fmt: skip
    assert log.status == "success", log.error
    assert {m.role for m in log.samples[0].messages} == {"system", "user", "assistant", "tool"}
    walked = scores(log)
    assert walked["hits_any"] > 0, walked
    inspect = Path(sys.executable).with_name("inspect")
    demo = EXPORTS / "demo" / "inspect"
    command = ("eval", "task.py", "--model", "none", "--display", "plain", "--log-dir", logs)
    assert "hhr" in run(inspect, *command, "-T", "split=validation", cwd=demo)
    mypy = ("-m", "mypy", "--strict", "task.py", "predictions.py", "scores.py", "reading")
    run(sys.executable, *mypy, cwd=demo)
    print(
        f"{asked} answers without a model scored as rulemine does; tools called; mypy --strict passes"
    )


def scores(log: EvalLog) -> dict[str, float]:
    found = {}
    for score in log.results.scores:
        values = {name: metric.value for name, metric in score.metrics.items()}
        found |= {"hhr": values["hhr"]} if "hhr" in values else {score.name: values["mean"]}
    return found


def same_scores(name: str, kg: str, folder: Path, log: EvalLog) -> int:
    assert log.status == "success", log.error
    predictions = EXPORTS / "predictions.jsonl"
    predictions.write_text(run(sys.executable, folder / "predictions.py", log.location))
    release = EXPORTS / "releases" / name
    told = run(
        os.environ["RULEMINE"], "evaluate", release, predictions, "--kg", kg, "--format", "json"
    )
    report, ours = json.loads(told), scores(log)
    wanted = {k: v["value"] for k, v in report["all"]["scores"].items() if k in ours}
    wanted["core_hard_f1"] = report["core"]["scores"]["hard_f1"]["value"]
    assert wanted.keys() == ours.keys(), (wanted, ours)
    assert wanted["hhr"] > 0, wanted
    for metric, value in wanted.items():
        assert math.isclose(ours[metric], value), (metric, ours, value)
    samples = read_eval_log(log.location).samples
    for sample in samples:
        given = f"Question: {sample.metadata['question']}\nTopic entities: "
        assert sample.input == given + " | ".join(sample.metadata["topics"])
    return len(samples)


def walk(messages: list[ChatMessage], tools: Any, choice: Any, config: Any) -> ModelOutput:
    """Lists the relations of the first topic, follows the first one, and answers with what is there."""
    topic = messages[1].text.rpartition("Topic entities: ")[2].split(" | ")[0]
    last = messages[-1]
    if last.role == "user":
        output = call("relations", entity=topic)
    elif last.function == "relations":
        relation, direction, _ = last.text.split("\n")[0].split(" | ")
        output = call("neighbors", entity=topic, relation=relation, direction=direction)
    else:
        output = ModelOutput.from_content("mockllm", f"Answer:\n{last.text}")
    output.usage = USAGE
    return output


def call(tool: str, **arguments: str) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm", tool, arguments)


main()
