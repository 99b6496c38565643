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
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import option
from rulemine.evaluation.answerers.agents.agent import (
    Agent,
    Explorer,
    Way,
    opposite,
    read_yes,
    scored,
    towards,
)
from rulemine.evaluation.answerers.final_answer import cut_note
from rulemine.evaluation.answerers.protocol import Answered, Typical

__all__ = ["ThinkOnGraph", "read_ratings"]

_RATING = re.compile(r"(?<![\w.])(?:\d?\.\d+|[01](?![.)]))(?!\w)")


def read_ratings(text: str, count: int) -> list[float]:
    """The numbers from 0 to 1 in a reply, if there are as many as asked for; else the same share for all.

    >>> read_ratings("0.8, 0.2", 2), read_ratings("the first", 2)
    ([0.8, 0.2], [0.5, 0.5])
    """
    found = [min(1.0, float(rating)) for rating in _RATING.findall(text)]
    return found if len(found) == count else [1 / count] * count


Rated = tuple[float, str, Way, str]
"""A triple that may stay: its score, the frontier entity, the way from there, and where it leads."""


class _Search(Explorer):
    """The search about one question."""

    agent: "ThinkOnGraph"

    async def run(self) -> Answered:
        """Searches, and answers."""
        frontier: dict[str, set[Way]] = {topic: set() for topic in self.topics}
        for _ in range(self.agent.depth):
            best = await self._best(frontier)
            self.keep(self.triple(entity, way, end) for _, entity, way, end in best)
            if not best or await self._is_enough():
                return await self.answer()
            frontier = {end: set() for *_, end in best}
            for _, _, way, end in best:
                frontier[end].add(opposite(way))
        return await self.answer(blind=True)

    async def _best(self, frontier: Mapping[str, Set[Way]]) -> list[Rated]:
        """The best triples that lead on from entities, the best first; each is left by no way just come."""
        found: list[Rated] = []
        for entity, back in frontier.items():
            for way, weight in await self._relations(entity, back):
                ends = await self._rated(entity, way)
                found += [(weight * score, entity, way, end) for end, score in ends]
        found.sort(key=lambda one: -one[0])  # stable: the first found of equal ones
        return [one for one in found if one[0] > 0][: self.agent.width]

    async def _relations(self, entity: str, back: Set[Way]) -> list[tuple[Way, float]]:
        """The relations that the model picks at an entity, with scores, the best first."""
        ways, width = self.ways(entity, without=back), self.agent.width
        lines = [f"Entity: {entity}", f"Choose at most {width} of these relations:", *ways]
        picked = scored(await self.say("relations", *lines), ways) if ways else {}
        best = sorted(picked.items(), key=lambda item: -item[1])[:width]
        return [(ways[name], score) for name, score in best]

    async def _rated(self, entity: str, way: Way) -> list[tuple[str, float]]:
        """The neighbors, or some of many, with the scores that the model gives them."""
        near = every = self.near(entity, way)
        if len(every) >= self.agent.many:
            near = self.draw(every, self.agent.sample, entity, *way)
        if len(near) == 1:
            return [(near[0], 1.0)]
        heading = f"Entities{cut_note(len(near), len(every))}:"
        reply = await self.say("entities", towards(entity, way), heading, *near)
        return list(zip(near, read_ratings(reply, len(near)), strict=True))

    async def _is_enough(self) -> bool:
        known = self.known()
        return read_yes(await self.say("enough", "Triples:", *known, temperature=0.0))


@dataclass(frozen=True)
class ThinkOnGraph(Agent):
    """Think-on-Graph; see the module.

    Attributes:
        temperature: Of the steps that explore; the others are asked at 0.
        width: Relations picked for an entity, and triples that stay in a round, at most.
        depth: Rounds at most.
        many: From how many neighbors on some are drawn.
        sample: How many are drawn.
    """

    name: ClassVar = "think-on-graph"
    typical: ClassVar = Typical(6, 1.4, 94)
    explorer: ClassVar = _Search

    temperature: float = option(0.4, least=0, most=2)
    max_tokens: int = option(256, least=1)
    width: int = option(3, least=1)
    depth: int = option(3, least=1)
    many: int = option(20, least=2)
    sample: int = option(5, least=1)

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question: (T + TN) + (D − 1)(N + N²) + D + 1 with T topics, N wide, D deep.

        With one topic and the defaults 32; the paper counts 2ND + D + 1 = 22.
        """
        first, later = topics * (1 + self.width), self.width * (1 + self.width)
        return first + (self.depth - 1) * later + self.depth + 1
