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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import Section, option
from rulemine.evaluation.answerers.agents.exploring import (
    Explorer,
    Way,
    chosen,
    explore,
    is_none,
    json_value,
    read_yes,
    written,
)
from rulemine.evaluation.answerers.bm25 import nearest
from rulemine.evaluation.answerers.final_answer import TOKENS, cut_note
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.kg.graph import Triple

__all__ = ["PlanOnGraph"]


@dataclass(frozen=True)
class PlanOnGraph(Section):
    """Plan-on-Graph; see the module.

    Attributes:
        depth: Rounds at most.
        frontier: Entities explored in a round, at most.
        relations: Relations picked for an entity, at most.
        nearest: Names that a choice is made from, at most.
        returns: How often it goes back, at most.
        temperature: Of every step but the last.
        max_tokens: Tokens of a reply of these steps, at most.
        answer_tokens: Tokens of the answer, at most.
    """

    uses_model: ClassVar = True
    typical: ClassVar = Typical(11, 1.9, 298)

    depth: int = option(4, least=1)
    frontier: int = option(5, least=1)
    relations: int = option(3, least=1)
    nearest: int = option(70, least=1)
    returns: int = option(5, least=0)
    temperature: float = option(0.3, least=0, most=2)
    max_tokens: int = option(4096, least=1)
    answer_tokens: int = option(TOKENS, least=1)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question."""
        return explore(
            lambda explorer: _Plan(self, explorer).run(),
            given,
            questions,
            "plan-on-graph",
            max_tokens=self.max_tokens,
            answer_tokens=self.answer_tokens,
            temperature=self.temperature,
        )

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question: to split and to answer; for each frontier entity 1 + `relations`.

        For each round memory and answer; for each but the last, to reflect and to choose. With five topics
        and the defaults 96, within the bound 2 + D(5 + 15 + 4) = 98; with one topic 80.
        """
        explored = min(topics, self.frontier) + (self.depth - 1) * self.frontier
        reflected = (self.depth - 1) * (self.returns > 0) + min(self.depth - 1, self.returns)
        return 2 + explored * (1 + self.relations) + 2 * self.depth + reflected


class _Plan:
    """The exploration about one question."""

    def __init__(self, options: PlanOnGraph, explorer: Explorer) -> None:
        self._options, self._explorer = options, explorer
        self._objectives: list[str] = []
        self._memory: dict[str, str] = {}
        self._taken: dict[str, set[Way]] = {}
        self._seen: dict[str, None] = dict.fromkeys(explorer.topics)
        self._returned = 0

    async def run(self) -> Answered:
        """Explores, and answers."""
        explorer, options = self._explorer, self._options
        if not explorer.topics:
            return await explorer.answer_blind()
        await self._split()
        frontier, concluded = explorer.topics[: options.frontier], ""
        for number in range(options.depth):
            reached, new = await self._round(frontier)
            if not reached:
                break
            if new:
                await self._remember(new)
                concluded = await self._conclude()
            if concluded or number == options.depth - 1:
                break
            reached = explorer.draw(reached, options.frontier, "frontier", number)
            back = await self._go_back(reached)
            frontier = list(dict.fromkeys([*back, *reached]))[: options.frontier]
        notes = [f"{objective}: {found}" for objective, found in self._memory.items() if found]
        return await explorer.answer(concluded, *notes)

    async def _split(self) -> None:
        reply = json_value(await self._explorer.say("objectives"), list) or []
        texts = [text.strip() for text in reply if isinstance(text, str) and text.strip()]
        self._objectives = texts or [self._explorer.question.question]
        self._memory = dict.fromkeys(self._objectives, "")

    async def _round(self, frontier: Iterable[str]) -> tuple[list[str], list[Triple]]:
        """Explores from entities: the names that stay, and the triples that are new."""
        explorer = self._explorer
        reached: dict[str, None] = {}
        new: list[Triple] = []
        for entity in frontier:
            for way in await self._relations(entity):
                near = explorer.near(entity, way)
                stay = await self._entities(entity, way, near)
                self._seen.update(dict.fromkeys(near))
                reached.update(dict.fromkeys(stay))
                new += explorer.keep(explorer.triple(entity, way, name) for name in stay)
        return list(reached), new

    async def _relations(self, entity: str) -> list[Way]:
        taken = self._taken.setdefault(entity, set())
        ways = self._explorer.ways(entity, without=taken)
        if not ways:
            return []
        most = self._options.relations
        lines = [f"Objectives: {'; '.join(self._objectives)}", f"Entity: {entity}"]
        lines += [f"Choose at most {most} of these relations:", *ways]
        picked = [
            ways[name] for name in chosen(await self._explorer.say("relations", *lines), ways)
        ]
        taken.update(picked[:most])
        return picked[:most]

    async def _entities(self, entity: str, way: Way, near: Sequence[str]) -> list[str]:
        if len(near) == 1:
            return list(near)
        along = f"{way[0]} {'from' if way[1] == 'out' else 'to'} {entity}"
        return await self._choose("entities", f"Relation: {along}", near)

    async def _choose(self, step: str, line: str, names: Sequence[str]) -> list[str]:
        """The names that the model chooses, of those nearest to the question where they are too many."""
        at = nearest(names, self._explorer.question.question, self._options.nearest)
        shown = [names[i] for i in sorted(at)]
        lines = [line, f"Choose among these entities{cut_note(len(shown), len(names))}:", *shown]
        return chosen(await self._explorer.say(step, *lines), shown)

    async def _remember(self, new: Iterable[Triple]) -> None:
        lines = [self._remembered(), "New triples:", *map(written, new)]
        reply = json_value(await self._explorer.say("memory", *lines), dict) or {}
        self._memory.update((str(key), _text(value)) for key, value in reply.items())

    async def _conclude(self) -> str:
        """The answer, where the model says that it is found and it is a name of the graph; else ""."""
        explorer = self._explorer
        lines = [self._remembered(), "Triples:", *explorer.known()]
        reply = json_value(await explorer.say("answer", *lines), dict) or {}
        found = reply.get("Answer")
        names = found if isinstance(found, list) else [found]
        named = [name for item in names if isinstance(item, str) for name in self._names(item)]
        return ", ".join(named) if read_yes(_text(reply.get("Sufficient"))) else ""

    def _names(self, text: str) -> list[str]:
        """The entities that a text names: itself, or such as were seen."""
        if is_none(text):
            return []
        known = self._explorer.around.named(text)
        return [known] if known else chosen(text, self._seen)

    async def _go_back(self, reached: Sequence[str]) -> list[str]:
        """The entities seen before from which to go on; none where the model sees no need."""
        explorer, options = self._explorer, self._options
        others = [
            name
            for name in self._seen
            if name not in reached and explorer.ways(name, without=self._taken.get(name, ()))
        ]
        if self._returned >= options.returns or not others:
            return []
        lines = [self._remembered(), f"Next entities: {'; '.join(reached)}"]
        if not read_yes(await explorer.say("reflect", *lines)):
            return []
        self._returned += 1
        return await self._choose("return", self._remembered(), others)

    def _remembered(self) -> str:
        return f"Memory: {json.dumps(self._memory, ensure_ascii=False)}"


def _text(value: Any) -> str:
    """A JSON value as a text: a list with commas, true as yes, nothing as the empty text."""
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else "yes" if value is True else str(value)
