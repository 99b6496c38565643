"""Questions over a knowledge graph, and a model that walks it with two tools; see README.md.

``inspect eval task.py --model MODEL``. Without a model (``--model none``) a question is answered with all
neighbors of its topic entities: a trial of everything but the model.
"""

import functools
import json
from math import nan
from pathlib import Path
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ModelOutput
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, tool
from reading.choices import spelled_out
from reading.vocabulary import VocabularyMatcher
from scores import hard_hits_rate, score

FOLDER = Path(__file__).parent
NEIGHBORS = 50
"""Neighbors that a tool lists, at most."""

ASKED = (
    "Answer the question. End with a line that says 'Answer:' and after it every answer on a line of its "
    "own: the name of an entity, and nothing else. If there is none, write none."
)
TOOLS = (
    " The tools show a knowledge graph, whose names are to be spelled as there. The graph lacks facts: give "
    "the answers that it states, and add those that it does not state but that can be concluded from it."
)

Direction = Literal["out", "in"]
Graph = dict[str, dict[tuple[str, Direction], list[str]]]


@task
def graph_questions(split: str = "test", tools: bool = True, message_limit: int = 40) -> Task:
    """The questions of a split.

    Args:
        split: The split, a file of the folder ``questions``.
        tools: Whether the model can look at the graph; if not, it answers by heart.
        message_limit: Messages of a conversation, at most.
    """
    return Task(
        dataset=MemoryDataset(questions(split), name=split),
        solver=explorer(tools),
        scorer=answers(),
        message_limit=message_limit,
    )


def lines(file: str) -> list[str]:
    """The lines of a file; names may hold other separators than LF."""
    return (FOLDER / file).read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def questions(split: str) -> list[Sample]:
    """The questions of a split; what is scored is not in the input."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines(f"questions/{split}.jsonl")]
    return [
        Sample(
            id=row["id"],
            input=f"Question: {row['question']}\nTopic entities: {' | '.join(row['topics'])}",
            target=row.get("answers", ""),
            metadata=row,
        )
        for row in rows
    ]


@functools.cache
def graph() -> Graph:
    """Entity → (relation, direction) → neighbors."""
    found: Graph = {}
    for line in lines("graph.tsv"):
        subject, relation, object_ = line.split("\t")
        found.setdefault(subject, {}).setdefault((relation, "out"), []).append(object_)
        found.setdefault(object_, {}).setdefault((relation, "in"), []).append(subject)
    return found


@solver
def explorer(tools: bool) -> Solver:
    """Lets a model call tools until it answers."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == "none":
            near = [graph().get(topic, {}).values() for topic in state.metadata["topics"]]
            names = dict.fromkeys(name for ways in near for way in ways for name in way)
            state.output = ModelOutput.from_content("none", "\n".join(names))
            return state
        state.messages.insert(0, ChatMessageSystem(content=ASKED + TOOLS * tools))
        if tools:
            state.tools = [relations(), neighbors()]
        return await generate(state)

    return solve


@tool
def relations() -> Tool:
    """The relations at an entity."""

    async def execute(entity: str) -> str:
        """List the relations at an entity, with their directions and numbers of neighbors.

        Args:
            entity: The name of an entity, exactly as in the graph.
        """
        ways = graph().get(entity)
        if ways is None:
            return "no such entity"
        return "\n".join(f"{r} | {d} | {len(ways[r, d])}" for r, d in sorted(ways))

    return execute


@tool
def neighbors() -> Tool:
    """The neighbors of an entity along a relation."""

    async def execute(entity: str, relation: str, direction: Direction) -> str:
        """List the entities that a relation leads to from an entity.

        Args:
            entity: The name of an entity, exactly as in the graph.
            relation: A relation, as listed by relations.
            direction: out: the entity is the subject; in: it is the object.
        """
        found = graph().get(entity, {}).get((relation, direction), [])
        more = [f"({len(found) - NEIGHBORS} more)"] * (len(found) > NEIGHBORS)
        return "\n".join([*found[:NEIGHBORS], *more]) or "none"

    return execute


@metric
def hhr() -> Metric:
    """The hard hits rate; NaN where it is undefined."""

    def value(score: Score, name: str) -> float:
        found = score.as_dict().get(name)
        return nan if found is None else float(found)

    def rate(scores: list[SampleScore]) -> float:
        found = [s.score for s in scores]
        return hard_hits_rate([(value(s, "hits_hard"), value(s, "hits_any")) for s in found])

    return rate


@scorer(metrics=[hhr(), {"*": [mean(), stderr()]}])
def answers() -> Scorer:
    """Compares the entities that an output names with the answers."""
    matcher = VocabularyMatcher(set(lines("entities.txt")))

    async def judge(state: TaskState, target: Target) -> Score:
        said = spelled_out(state.output.completion, state.metadata.get("choices", {}))
        return Score(value=score(matcher, state.metadata, said), answer=said)

    return judge
