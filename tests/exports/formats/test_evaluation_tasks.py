"""Tasks for lm-evaluation-harness and Inspect: what is in them, and that they score as we do.

The frameworks run them in ``make clients``; here only their files are used, as the frameworks load them.
"""

import importlib.util
import json
import math
import random
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.final_answer import TRIPLES, instruction
from rulemine.evaluation.scorer import Scorer
from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.evaluation.world import write_structures
from tests.structures import structure_question

PROSE = (
    "It is {}, not {}.",
    "{} {}",
    "Answer: {}\n{}",
    "- **{}**\n- “{}”",
    "{{{}}} {}",
    "",
    "X{}x",
    "{},{}",
)


class Dataset:
    """Stands for the class of the library ``datasets``."""

    @staticmethod
    def from_list(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return rows


def load(file: Path) -> ModuleType:
    """A module by its path, as the harness does it."""
    spec = importlib.util.spec_from_file_location(str(file.with_suffix("")), file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> None:
    library = ModuleType("datasets")
    library.Dataset = Dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", library)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


@pytest.mark.usefixtures("harness")
@pytest.mark.parametrize("kind", ["release", "structures"])
@pytest.mark.parametrize("kg", ["incomplete", "complete", "incomplete-50"])
def test_scores_are_those_of_evaluate(
    kind: str, kg: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    release: Release = request.getfixturevalue(kind)
    export(release, "lm-eval", tmp_path / "task", kg=kg, naming="text")
    task = load(tmp_path / "task" / "utils.py")
    docs = task.dataset(version=1)
    assert sorted(docs) == ["test", "train", "validation"]
    draw = random.Random(kg)
    names = (tmp_path / "task" / "entities.txt").read_text("utf-8").split("\n")[:-1]
    assert names == sorted(e.text for e in release.entities)
    scorer = Scorer(release, split=None, resamples=1)
    rates = set()
    for _ in range(25):
        said = {
            doc["id"]: "\n".join(
                draw.choice(PROSE).format(*draw.choices([*names, *doc["answers"]], k=2))
                for _ in range(draw.randrange(4))
            )
            for split in docs.values()
            for doc in split
        }
        report = scorer(
            [Prediction(i, raw_output=t) for i, t in said.items()], kg=kg, naming="text"
        )
        ours = {
            doc["id"]: task.process_results(doc, [said[doc["id"]]])
            for split in docs.values()
            for doc in split
        }
        for question, row in zip(report.ids, report.scores, strict=True):
            wanted = dict(zip(report.columns, row.tolist(), strict=True))
            found = ours[question]
            for metric in task.scores.METRICS:
                same = found.get(metric, math.nan), wanted[metric]
                assert same[0] == same[1] or all(map(math.isnan, same)), (metric, said[question])
        pairs = [found["hhr"] for found in ours.values()]
        (rate,) = (r.scores["hhr"].value for r in report.rows if r.breakdown == "all")
        ratio = task.hard_hits_rate(pairs)
        assert math.isnan(ratio) if rate is None else math.isclose(ratio, rate)
        rates.add(rate)
    assert len(rates) > 2 or rates == {None}  # half of the removal gone, nothing is missing


def test_the_hard_hits_rate_is_undefined_where_nothing_is_hit(
    harness: None, release: Release, tmp_path: Path
) -> None:
    export(release, "lm-eval", tmp_path / "task")
    task = load(tmp_path / "task" / "utils.py")
    assert math.isnan(task.hard_hits_rate([(0.0, 0.0), (math.nan, 1.0)]))
    assert task.hard_hits_rate([(1.0, 1.0), (0.0, 1.0), (math.nan, 1.0)]) == 0.5


def test_prompts_hold_no_answer(release: Release, tmp_path: Path) -> None:
    export(release, "lm-eval:max_triples=3", tmp_path / "task")
    asked, shown = (
        (tmp_path / "task" / f"{name}.yaml").read_text("utf-8") for name in _names(release)
    )
    assert re.findall(r"\{\{(\w+)", _value(asked, "doc_to_text")) == ["question"]
    assert re.findall(r"\{\{(\w+)", _value(shown, "doc_to_text")) == ["triples", "question"]
    assert _value(asked, "description") == f'"{instruction()}\\n\\n"', "as the answerers are told"
    assert _value(shown, "description") == f'"{instruction(TRIPLES)}\\n\\n"'
    stated = {" | ".join(t) for t in release.kg().labeled()}
    for row in rows_of(tmp_path / "task" / "questions" / "test.jsonl"):
        assert len(row["triples"]) <= 3
        assert set(row["triples"]) <= stated
    counts = json.loads((tmp_path / "task" / "export.json").read_text("utf-8"))["counts"]
    assert 0 < counts["triples_a_question"] <= 3


def _names(release: Release) -> tuple[str, str]:
    name = "rulemine_" + re.sub(r"\W", "_", release.name)
    return name, f"{name}_triples"


def _value(yaml: str, key: str) -> str:
    (found,) = re.findall(rf"^{key}: (.*)$", yaml, re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("to", ["lm-eval", "inspect"])
def test_without_answers_there_are_none(structures: Release, to: str, tmp_path: Path) -> None:
    export(structures, to, tmp_path / "task", without_answers=True)
    (file,) = (tmp_path / "task" / "questions").iterdir()
    assert file.name == "test.jsonl"
    rows = rows_of(file)
    assert [row["id"] for row in rows] == [q.id for q in structures.questions("test")]
    known = {"id", "question", "topics", *(["triples"] if to == "lm-eval" else [])}
    assert all(set(row) == known for row in rows)


@pytest.mark.usefixtures("harness")
def test_without_answers_the_task_says_what_was_answered(release: Release, tmp_path: Path) -> None:
    export(release, "lm-eval", tmp_path / "task", without_answers=True)
    task = load(tmp_path / "task" / "utils.py")
    (doc, *_) = task.dataset()["test"]
    assert task.process_results(doc, ["Nobody."]) == {"answered": 0.0}
    assert task.process_results(doc, [f"I say {doc['topics'][0]}."]) == {"answered": 1.0}
    yaml = (tmp_path / "task" / f"{_names(release)[0]}.yaml").read_text("utf-8")
    assert re.findall(r"- metric: (\w+)", yaml) == ["answered"]
    assert _value(yaml, "fewshot_split") == "null"


def test_the_task_for_inspect_needs_only_its_folder(structures: Release, tmp_path: Path) -> None:
    export(structures, "inspect", tmp_path / "task", kg="complete")
    folder = tmp_path / "task"
    imported = set()
    for file in folder.rglob("*.py"):
        imported |= set(
            re.findall(r"^(?:from|import) (\w+)", file.read_text("utf-8"), re.MULTILINE)
        )
    beside = {file.stem for file in folder.glob("*")}
    assert imported - set(sys.stdlib_module_names) - beside == {"inspect_ai"}
    graph = (folder / "graph.tsv").read_text("utf-8").split("\n")[:-1]
    assert [tuple(line.split("\t")) for line in graph] == structures.kg("complete").labeled()
    topics = {t for row in rows_of(folder / "questions" / "test.jsonl") for t in row["topics"]}
    assert topics <= set((folder / "entities.txt").read_text("utf-8").split("\n"))


@pytest.mark.parametrize("to", ["lm-eval", "lm-eval:max_triples=0", "inspect"])
def test_a_question_that_asks_for_a_number_is_left_out(to: str, tmp_path: Path) -> None:
    asked = structure_question(1, '(p- "won" "oscar")', "test")
    number = replace(structure_question(2, '(p- "won" "palme")', "test"), value=4, stated_value=4)
    made = export(write_structures(tmp_path / "w", [asked, number]), to, tmp_path / "task")
    assert made.left_out == {number.id: "it asks for a number; answers here are entities"}
    assert [r["id"] for r in rows_of(tmp_path / "task" / "questions" / "test.jsonl")] == [asked.id]


def test_options_are_checked(release: Release, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="max_triples is -1"):
        export(release, "lm-eval:max_triples=-1", tmp_path / "task")
    export(release, "lm-eval:max_triples=0", tmp_path / "task")
    assert len(list((tmp_path / "task").glob("*.yaml"))) == 1
    (tmp_path / "task" / "__pycache__").mkdir()
    (tmp_path / "task" / "__pycache__" / "utils.pyc").touch()
    export(release, "lm-eval:max_triples=0", tmp_path / "task")  # which a task leaves that was run
