"""Think-on-Graph: a beam search over relations and entities that a model prunes.

Sun et al., *Think-on-Graph: Deep and Responsible Reasoning of Large Language Model on Knowledge Graph*, ICLR
2024. Steps:

1. The frontier is the topic entities.
2. For each frontier entity the model picks at most `width` of its relations, with scores. Both directions are
   offered, without the way just come.
3. For each relation picked its neighbors are fetched; `many` or more: `sample` of them are drawn. The model
   scores them; a single one scores 1, and where the number of scores is wrong all score the same. A triple's
   score is the product of both.
4. The `width` best triples of all stay, without those of score 0; without any, the answer is given from what
   was found before.
5. The model is asked whether the triples suffice. If they do, it answers from them; if not, the entities just
   reached are the next frontier.
6. After `depth` rounds it answers without the graph.

Unlike the authors' program: parallel relations stay apart, entities reached twice are one frontier entity,
and the answer is given in the form that all systems share.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rulemine.config import Section, option
from rulemine.evaluation.answerers.agents.exploring import (
    Explorer,
    Way,
    explore,
    opposite,
    read_yes,
    scored,
)
from rulemine.evaluation.answerers.final_answer import TOKENS, cut_note
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.kg.graph import Triple

__all__ = ["ThinkOnGraph", "read_ratings"]

_RATING = re.compile(r"(?<![\w.])(?:\d?\.\d+|[01](?![.)]))(?!\w)")


def read_ratings(text: str, count: int) -> list[float]:
    """The numbers from 0 to 1 in a reply, if there are as many as asked for; else the same share for all.

    >>> read_ratings("0.8, 0.2", 2), read_ratings("the first", 2)
    ([0.8, 0.2], [0.5, 0.5])
    """
    found = [min(1.0, float(rating)) for rating in _RATING.findall(text)]
    return found if len(found) == count else [1 / count] * count


class _Step(NamedTuple):
    """A triple that may stay."""

    score: float
    triple: Triple
    end: str
    back: Way


@dataclass(frozen=True)
class ThinkOnGraph(Section):
    """Think-on-Graph; see the module.

    Attributes:
        width: Relations picked for an entity, and triples that stay in a round, at most.
        depth: Rounds at most.
        many: From how many neighbors on some are drawn.
        sample: How many are drawn.
        temperature: Of the steps that explore; the others are asked at 0.
        max_tokens: Tokens of a reply of these steps, at most.
        answer_tokens: Tokens of the answer, at most.
    """

    uses_model: ClassVar = True
    typical: ClassVar = Typical(6, 1.4, 94)

    width: int = option(3, least=1)
    depth: int = option(3, least=1)
    many: int = option(20, least=2)
    sample: int = option(5, least=1)
    temperature: float = option(0.4, least=0, most=2)
    max_tokens: int = option(256, least=1)
    answer_tokens: int = option(TOKENS, least=1)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question."""
        return explore(
            lambda explorer: _Search(self, explorer).run(),
            given,
            questions,
            "think-on-graph",
            max_tokens=self.max_tokens,
            answer_tokens=self.answer_tokens,
            temperature=self.temperature,
        )

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question: (T + TN) + (D − 1)(N + N²) + D + 1 with T topics, N wide, D deep.

        With one topic and the defaults 32; the paper counts 2ND + D + 1 = 22.
        """
        first, later = topics * (1 + self.width), self.width * (1 + self.width)
        return first + (self.depth - 1) * later + self.depth + 1


class _Search:
    """The search about one question."""

    def __init__(self, options: ThinkOnGraph, explorer: Explorer) -> None:
        self._options, self._explorer = options, explorer

    async def run(self) -> Answered:
        """Searches, and answers."""
        explorer = self._explorer
        frontier: dict[str, set[Way]] = {topic: set() for topic in explorer.topics}
        for _ in range(self._options.depth):
            kept = await self._round(frontier)
            if not kept:
                return await explorer.answer()
            explorer.keep(step.triple for step in kept)
            if await self._is_enough():
                return await explorer.answer()
            frontier = {}
            for step in kept:
                frontier.setdefault(step.end, set()).add(step.back)
        return await explorer.answer_blind()

    async def _round(self, frontier: dict[str, set[Way]]) -> list[_Step]:
        """The best triples that lead on from the frontier, the best first."""
        found: list[_Step] = []
        for entity, back in frontier.items():
            for way, weight in await self._relations(entity, back):
                near = self._explorer.near(entity, way)
                every = len(near)
                if every >= self._options.many:
                    near = self._explorer.draw(near, self._options.sample, entity, *way)
                shares = await self._rate(entity, way, near, every)
                for name, share in zip(near, shares, strict=True):
                    triple = self._explorer.triple(entity, way, name)
                    found.append(_Step(weight * share, triple, name, opposite(way)))
        found.sort(key=lambda step: -step.score)  # stable: the first found of equal ones
        return [step for step in found if step.score > 0][: self._options.width]

    async def _relations(self, entity: str, back: Iterable[Way]) -> list[tuple[Way, float]]:
        """The relations that the model picks at an entity, with scores, the best first."""
        ways = self._explorer.ways(entity, without=set(back))
        if not ways:
            return []
        width = self._options.width
        lines = [f"Entity: {entity}", f"Choose at most {width} of these relations:", *ways]
        picked = scored(await self._explorer.say("relations", *lines), ways)
        best = sorted(picked.items(), key=lambda item: -item[1])[:width]
        return [(ways[name], score) for name, score in best]

    async def _rate(self, entity: str, way: Way, near: Sequence[str], every: int) -> list[float]:
        """The scores of neighbors, which are some of so many."""
        if len(near) == 1:
            return [1.0]
        along = f"{way[0]} {'from' if way[1] == 'out' else 'to'} {entity}"
        heading = f"Entities{cut_note(len(near), every)}:"
        reply = await self._explorer.say("entities", f"Relation: {along}", heading, *near)
        return read_ratings(reply, len(near))

    async def _is_enough(self) -> bool:
        known = self._explorer.known()
        return read_yes(await self._explorer.say("enough", "Triples:", *known, temperature=0.0))
