"""Ready tasks for lm-evaluation-harness and for Inspect: data, prompts, tools and scores.

What is written needs the framework alone: the files of ``tasks``, `rulemine.evaluation.matching.vocabulary`
and what it needs are copied, so that names are looked for in outputs as the mode ``vocabulary`` does. Answers
are in the data, which the scorers read, and in no prompt.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from string import Template
from typing import ClassVar

from rulemine.config import option, packaged
from rulemine.evaluation.answerers.final_answer import TRIPLES, instruction
from rulemine.evaluation.targets import golds_of, topics_are_answers
from rulemine.exports.graph_per_question import GraphPerQuestion
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import EntityRows
from rulemine.files import read_text
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Question, names_in

__all__ = ["InspectTask", "LmEvalTask"]

_READING = (
    ("text", "json_reply.py"),
    ("text", "visible_reply.py"),
    ("evaluation", "matching", "vocabulary.py"),
    *(
        ("evaluation", "reading", f"{module}.py")
        for module in (
            "asides",
            "blocks",
            "choices",
            "lines",
            "marked",
            "names",
            "prose",
            "structured",
            "words",
        )
    ),
)
"""The modules that read outputs, copied into one package."""

_IMPORT = re.compile(r"^from rulemine\.(?:\w+\.)+(\w+) import", re.MULTILINE)

_RATIO = "hhr"
_METRICS = (
    "hits_any", "hits_at_1", "precision", "recall", "f1", "hits_hard", _RATIO, "hits_any_hard", "hard_recall",
    "hard_f1", "core_hard_f1",
)  # fmt: skip


@dataclass(frozen=True)
class LmEvalTask(GraphPerQuestion):
    """A task folder for lm-evaluation-harness (Gao et al., "The Language Model Evaluation Harness").

    Attributes:
        max_triples: Triples around the topic entities, chosen without looking at the answers, that a second
            task shows before each question, at most; 0: no such task.
    """

    max_triples: int = option(100, least=0, most=1_000_000)

    names_of_clients: ClassVar[bool] = False

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the tasks."""
        task = _task_name(given)
        graphs = self.by_split(given, folder) if self.max_triples else product(given.splits, [()])
        for split, some in graphs:
            lines = ([" | ".join(t) for t in given.kg.labeled(one.rows)] for one in some)
            rows = self.rows(given, folder, split)
            if self.max_triples:
                rows = (row | {"triples": next(lines)} for row in rows)
            folder.jsonl(f"questions/{split}.jsonl", rows)
        metrics = ("answered",) if given.without_answers else _METRICS
        values = _values(given) | {
            "task": task,
            "fewshot": "null" if given.without_answers else "train",
            "target": "" if given.without_answers else r"{{answers|join('\n')}}",
            "metrics": "\n".join(map(_metric, metrics)),
            "triples": "",
            "alone": instruction(),
            "shown": instruction(TRIPLES),
        }
        if self.max_triples:
            shown = f"up to {self.max_triples:,} triples around its topic entities"
            values["triples"] = f"\n- `{task}_triples`: after {shown}"
            _fill(folder, "lm_eval/triples.yaml", f"{task}_triples.yaml", values)
        _fill(folder, "lm_eval/task.yaml", f"{task}.yaml", values)
        _write(given, folder, ("lm_eval/utils.py", "lm_eval/predictions.py"), values)

    def fields(self, given: ExportInput) -> Fields:
        """Those of a task."""
        return _fields(given)


@dataclass(frozen=True)
class InspectTask(EntityRows):
    """A task file for Inspect (UK AI Security Institute) with tools that walk the graph."""

    file: ClassVar[str] = "questions/{split}.jsonl"

    def fields(self, given: ExportInput) -> Fields:
        """Those of a task."""
        return _fields(given)

    def beside(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the task, and the graph."""
        folder.text("graph.tsv", given.kg.to_tsv())
        _write(given, folder, ("inspect/task.py", "inspect/predictions.py"), _values(given))


def _fields(given: ExportInput) -> Fields:
    """What a line has: hard answers are those that the graph exported does not state."""
    level = given.release.level_of(given.kg_name) or 100
    questions = given.questions()
    gold = dict(zip((q.id for q in questions), golds_of(questions, str, level=level), strict=True))
    asked: Fields = {"id": "id", "question": "question", "topics": "anchors"}
    if topics_are_answers(given.release):
        asked["topics_are_answers"] = lambda _: True
    kind = kind_named(given.release.kind)
    if any(map(kind.choices, questions)):
        asked["choices"] = kind.choices

    def core(q: Question) -> list[str] | None:
        found = gold[q.id].core_answers
        return None if found is None else sorted(found)

    return asked | given.unless_secret(
        {
            "answers": "answers",
            "hard_answer": lambda q: gold[q.id].hard_answer,
            "hard_answers": lambda q: sorted(gold[q.id].hard_answers),
            "core_answers": core,
        }
    )


def _task_name(given: ExportInput) -> str:
    graph = [] if given.kg_name == "incomplete" else [given.kg_name]
    return re.sub(r"\W+", "_", "_".join(["rulemine", given.release.name, *graph]))


def _values(given: ExportInput) -> dict[str, str]:
    """What is filled into files for people."""
    return {
        "release": given.release.name,
        "questions": f"{len(given.questions('test')):,}",
        "kg": given.kg_name,
        "naming": given.naming,
    }


def _metric(name: str) -> str:
    how = "!function utils.hard_hits_rate" if name == _RATIO else "mean"
    return f"  - metric: {name}\n    aggregation: {how}\n    higher_is_better: true"


def _write(
    given: ExportInput, folder: ExportFolder, files: Sequence[str], values: dict[str, str]
) -> None:
    """Writes what both frameworks are given: names, scores, and files as they are."""
    folder.lines("entities.txt", sorted(set(names_in(given.release.entities, given.naming))))
    for file in (*files, "scores.py"):
        folder.text(file.rpartition("/")[2], read_text(packaged("exports", "tasks", file)))
    folder.text("reading/__init__.py", '"""How outputs are read."""\n')
    for place in _READING:
        code = read_text(packaged(*place))
        folder.text(f"reading/{place[-1]}", _IMPORT.sub(r"from .\1 import", code))
    _fill(folder, files[0].partition("/")[0] + "/README.md", "README.md", values)


def _fill(folder: ExportFolder, template: str, name: str, values: dict[str, str]) -> None:
    text = read_text(packaged("exports", "tasks", template))
    folder.text(name, Template(text).substitute(values))
