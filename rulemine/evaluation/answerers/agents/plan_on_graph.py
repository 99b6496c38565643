"""Plan-on-Graph: a question is split into objectives, the graph explored, and a memory kept; it may go back.

Chen et al., *Plan-on-Graph: Self-Correcting Adaptive Planning of Large Language Model on Knowledge Graphs*,
NeurIPS 2024. Steps:

1. The model splits the question into objectives.
2. For each frontier entity it picks relations (no scores), at most `relations` that were not taken before.
3. For each of these the neighbors are fetched; more than `nearest`: those nearest to the question by BM25. Of
   two or more the model chooses which stay.
4. The model updates its memory, what is known for each objective, from the new triples.
5. It is asked for the answer and whether the triples suffice. If they do, and an answer is a name of the
   graph, the last step follows.
6. Else it is asked whether to go back; if so, it chooses which of the entities seen join the frontier; at
   most `returns` times. The frontier has at most `frontier` entities.
7. Nothing found, or after `depth` rounds: it answers from the memory and the triples, or without any.

Unlike the authors' program: the bounds on relations, frontier and returns are ours (the original has none on
the calls), neighbors are ranked by words and not by embeddings, and the answer is given in the form that all
systems share.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.evaluation.answerers.agents.agent import (
    Agent,
    Explorer,
    Way,
    chosen,
    is_none,
    json_value,
    read_yes,
    towards,
    written,
)
from rulemine.evaluation.answerers.bm25 import nearest
from rulemine.evaluation.answerers.final_answer import cut_note
from rulemine.evaluation.answerers.protocol import Answered, Typical
from rulemine.kg.graph import Triple

__all__ = ["PlanOnGraph"]


@dataclass
class _Plan(Explorer):
    """The exploration about one question.

    Attributes:
        objectives: What has to be found, one after the other.
        memory: Objective → what is known for it; the model may add others.
        taken: Entity → the relations that were followed from there.
        seen: The entities shown so far.
        returned: How often it went back.
    """

    agent: "PlanOnGraph"
    objectives: list[str] = field(default_factory=list)
    memory: dict[str, str] = field(default_factory=dict)
    taken: dict[str, set[Way]] = field(default_factory=lambda: defaultdict(set))
    seen: dict[str, None] = field(default_factory=dict)
    returned: int = 0

    async def run(self) -> Answered:
        """Explores, and answers."""
        options, concluded = self.agent, ""
        if not self.topics:
            return await self.answer(blind=True)
        await self._split()
        self.seen = dict.fromkeys(self.topics)
        frontier = self.topics[: options.frontier]
        for number in range(options.depth):
            reached, new = await self._round(frontier)
            if new:
                await self._remember(new)
                concluded = await self._conclude()
            if not reached or concluded or number == options.depth - 1:
                break
            reached = self.draw(reached, options.frontier, "frontier", number)
            back = await self._go_back(reached)
            frontier = list(dict.fromkeys([*back, *reached]))[: options.frontier]
        notes = [f"{objective}: {found}" for objective, found in self.memory.items() if found]
        return await self.answer(concluded, *notes)

    async def _split(self) -> None:
        reply = json_value(await self.say("objectives"), list) or []
        texts = [text.strip() for text in reply if isinstance(text, str) and text.strip()]
        self.objectives = texts or [self.question.question]
        self.memory = dict.fromkeys(self.objectives, "")

    async def _round(self, frontier: Iterable[str]) -> tuple[list[str], list[Triple]]:
        """Explores from entities: the names that stay, and the triples that are new."""
        reached: dict[str, None] = {}
        new: list[Triple] = []
        for entity in frontier:
            for way in await self._relations(entity):
                stay = near = self.near(entity, way)
                if len(near) > 1:
                    stay = await self._choose("entities", towards(entity, way), near)
                self.seen.update(dict.fromkeys(near))
                reached.update(dict.fromkeys(stay))
                new += self.keep(self.triple(entity, way, name) for name in stay)
        return list(reached), new

    async def _relations(self, entity: str) -> list[Way]:
        """The relations that the model picks at an entity, of those not taken before."""
        ways, most = self.ways(entity, without=self.taken[entity]), self.agent.relations
        lines = [f"Objectives: {'; '.join(self.objectives)}", f"Entity: {entity}"]
        lines += [f"Choose at most {most} of these relations:", *ways]
        reply = await self.say("relations", *lines) if ways else ""
        picked = [ways[name] for name in chosen(reply, ways)[:most]]
        self.taken[entity].update(picked)
        return picked

    async def _choose(self, step: str, line: str, names: Sequence[str]) -> list[str]:
        """The names that the model chooses, of those nearest to the question where they are too many."""
        at = nearest(names, self.question.question, self.agent.nearest)
        shown = [names[i] for i in sorted(at)]
        lines = [line, f"Choose among these entities{cut_note(len(shown), len(names))}:", *shown]
        return chosen(await self.say(step, *lines), shown)

    async def _remember(self, new: Iterable[Triple]) -> None:
        lines = [self._remembered(), "New triples:", *map(written, new)]
        reply = json_value(await self.say("memory", *lines), dict) or {}
        self.memory.update((str(key), _text(value)) for key, value in reply.items())

    async def _conclude(self) -> str:
        """The answer, where the model says that it is found and it is a name of the graph; else ""."""
        lines = [self._remembered(), "Triples:", *self.known()]
        reply = json_value(await self.say("answer", *lines), dict) or {}
        found = reply.get("Answer")
        names = found if isinstance(found, list) else [found]
        named = [name for item in names if isinstance(item, str) for name in self._names(item)]
        return ", ".join(named) if read_yes(_text(reply.get("Sufficient"))) else ""

    def _names(self, text: str) -> list[str]:
        """The entities that a text names: itself, or such as were seen."""
        if is_none(text):
            return []
        known = self.around.named(text)
        return [known] if known else chosen(text, self.seen)

    async def _go_back(self, reached: Sequence[str]) -> list[str]:
        """The entities seen before from which to go on; none where the model sees no need."""
        others = [
            name
            for name in self.seen
            if name not in reached and self.ways(name, without=self.taken[name])
        ]
        if self.returned >= self.agent.returns or not others:
            return []
        lines = [self._remembered(), f"Next entities: {'; '.join(reached)}"]
        if not read_yes(await self.say("reflect", *lines)):
            return []
        self.returned += 1
        return await self._choose("return", self._remembered(), others)

    def _remembered(self) -> str:
        return f"Memory: {json.dumps(self.memory, ensure_ascii=False)}"


def _text(value: Any) -> str:
    """A JSON value as a text: a list with commas, true as yes, nothing as the empty text."""
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else "yes" if value is True else str(value)


@dataclass(frozen=True)
class PlanOnGraph(Agent):
    """Plan-on-Graph; see the module.

    Attributes:
        depth: Rounds at most.
        frontier: Entities explored in a round, at most.
        relations: Relations picked for an entity, at most.
        nearest: Names that a choice is made from, at most.
        returns: How often it goes back, at most.
    """

    name: ClassVar = "plan-on-graph"
    typical: ClassVar = Typical(11, 1.9, 298)
    explorer: ClassVar = _Plan

    temperature: float = option(0.3, least=0, most=2)
    max_tokens: int = option(4096, least=1)
    depth: int = option(4, least=1)
    frontier: int = option(5, least=1)
    relations: int = option(3, least=1)
    nearest: int = option(70, least=1)
    returns: int = option(5, least=0)

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question: to split and to answer; for each frontier entity 1 + `relations`.

        For each round memory and answer; for each but the last, to reflect and to choose. With five topics
        and the defaults 96, within the bound 2 + D(5 + 15 + 4) = 98; with one topic 80.
        """
        explored = min(topics, self.frontier) + (self.depth - 1) * self.frontier
        reflected = (self.depth - 1) * (self.returns > 0) + min(self.depth - 1, self.returns)
        return 2 + explored * (1 + self.relations) + 2 * self.depth + reflected
