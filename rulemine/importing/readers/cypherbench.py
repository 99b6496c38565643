"""The reader ``cypherbench``: CypherBench (Feng et al., ACL 2025), Cypher over property graphs.

Read is the folder of the data set (``train.json``, ``test.json``, ``graphs/simplekg/NAME_simplekg.json``), or
one file of questions and, with ``--kg``, the graph or the folder that has ``graphs/simplekg``. Files with
``id`` and ``cypher`` are read too, see `rulemine.cypher.questions.task_rows`.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rulemine.config import Section
from rulemine.cypher.questions.task_rows import TaskRow, graph_files, read_tasks, task_files
from rulemine.errors import InputError, counted
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import split_of, title_of
from rulemine.kg.property_graph.simplekg import read_simplekg

__all__ = ["CypherBench"]


@dataclass(frozen=True)
class CypherBench(Section):
    """Questions with their Cypher, and the graphs that they are about."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file or a folder; graphs that no question is about are not read."""
        if incomplete is not None:
            raise InputError(
                f"{incomplete}: is an incomplete graph; property graphs of others are asked whole. Leave "
                "--incomplete out."
            )
        if not task_files(path):
            raise InputError(
                f"{path}: holds no questions; expected CypherBench's test.json, or the folder that it is in."
            )
        tasks = read_tasks(path)
        if not path.is_dir():
            tasks = [task._replace(split=split_of(path) or "test") for task in tasks]
        if kg is not None and kg.is_file():  # a file need not name the one graph that it asks
            tasks = [task._replace(graph=task.graph or _name(kg)) for task in tasks]
        asked = Counter(task.graph for task in tasks)
        files = _graphs(path, kg, sorted(asked))
        kept = [task for task in tasks if task.graph in files]
        named = [name or "a graph without a name" for name in sorted(asked)]
        if not kept:
            raise InputError(
                f"{path}: has no graph for its questions, which are about {', '.join(named)}. Put "
                "NAME_simplekg.json for each into graphs/simplekg of the folder, or name the folder or the "
                "graph with --kg."
            )
        missing = [
            f"{counted(number, 'question')} about {name} left out: the graph is not there"
            for name, number in sorted(asked.items())
            if name not in files
        ]
        return ImportedSet(
            title="CypherBench",
            source="https://huggingface.co/datasets/megagonlabs/cypherbench",
            license="Apache-2.0",
            citation="Feng, Papicchio, Rahman: CypherBench: Towards Precise Retrieval over Full-scale Modern "
            "Knowledge Graphs in the LLM Era. ACL 2025. https://arxiv.org/abs/2412.18702",
            questions=[_question(task) for task in kept],
            property_graphs={name: read_simplekg(file) for name, file in files.items()},
            definitions={
                "execution_accuracy": "1 if the rows of the predicted query are those of the gold: columns "
                "in any order, rows too unless the gold has ORDER BY.",
                "psjs": "The Jaccard similarity of the nodes that the MATCH clauses of both queries bind.",
                "executable": "1 if the predicted query runs.",
            },
            notes=tuple(missing),
        )


def _graphs(path: Path, kg: Path | None, asked: list[str]) -> dict[str, Path]:
    """Name → file, of the graphs that questions are about."""
    if kg is not None and kg.is_file():
        if len(asked) > 1:
            raise InputError(
                f"{kg}: is one graph, and the questions are about {len(asked)}: {', '.join(asked)}. Name "
                "the folder that has graphs/simplekg."
            )
        return {asked[0]: kg}
    found = graph_files(kg or (path if path.is_dir() else path.parent))
    return {name: found[name] for name in asked if name in found}


def _name(file: Path) -> str:
    """What a graph is called whose file is all that is known of it."""
    stem = title_of(file).removesuffix("_simplekg")
    return re.sub(r"[^\w-]+", "-", stem) or "graph"


def _question(task: TaskRow) -> ImportedQuestion:
    template = task.fields.get("from_template")
    fields = dict(template) if isinstance(template, dict) else {}
    raw = task.fields.get("nl_question_raw")
    fields |= {"type": task.returns, "match_category": task.category}
    return ImportedQuestion(
        id=task.id,
        text=task.question,
        answers=task.rows or (),
        split=task.split,
        cypher=task.cypher,
        graph=task.graph,
        fields=fields | ({"nl_question_raw": raw} if isinstance(raw, str) else {}),
    )
