"""StructGPT: a model reads a graph through two interfaces, relations of entities and their triples.

Jiang et al., *StructGPT: A General Framework for Large Language Model to Reason over Structured Data*, EMNLP
2023. Steps:

1. The current entities are the topic entities.
2. Their relations are fetched, in both directions, and the model picks from them.
3. The triples of the current entities under these relations are fetched; of a relation with more than
   `triples` that many are drawn. An entity whose whole name matches `mediator` (a node that stands for a
   statement, such as Freebase's compound value types) is crossed: its other triples are fetched too, and the
   model may name the relations that matter.
4. The model is asked for the final answer or for the next question.
5. Next question: the current entities are the far ends of the triples; at most `rounds` rounds. The model
   sees the original question, too, and all triples so far. The answer is given from all triples, or without
   any.

The paper iterates, the authors' program makes one round and follows forward edges alone. Bounds on rounds,
relations and triples are ours, triples are drawn and not cut off in the order of a file, and the answer is
given in the form that all systems share.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rulemine.config import option
from rulemine.evaluation.answerers.agents.agent import (
    Agent,
    Explorer,
    Way,
    chosen,
    label,
    opposite,
)
from rulemine.evaluation.answerers.final_answer import cut_note
from rulemine.evaluation.answerers.protocol import Answered, Typical
from rulemine.kg.graph import Triple

__all__ = ["StructGPT"]

_NEXT = re.compile(r"(answer|next question)\s*:[ \t]*(\S.*)", re.IGNORECASE)
_SHOWN_ENTITIES = 20
"""Current entities that a prompt names; the relations are those of all."""


def _mediates(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


@dataclass
class _Reading(Explorer):
    """The reading for one question.

    Attributes:
        next: A line with what is asked now, where that is not the question itself.
        cut: Lines that say of which relations only some triples are shown.
    """

    agent: "StructGPT"
    next: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)

    async def run(self) -> Answered:
        """Reads, and answers."""
        current, concluded = self.topics, ""
        for number in range(self.agent.rounds):
            triples = await self._triples(current, number)
            self.keep(triples)
            if not triples or number == self.agent.rounds - 1:
                break
            lines = [*self.next, f"Triples: {'; '.join(self.known())}", *self.cut]
            choice = _NEXT.search(await self.say("next", *lines))
            said = choice[2].strip() if choice else ""
            if choice is None or choice[1].lower() == "answer":
                concluded = said
                break
            self.next = [f"Next question: {said}"]
            current = _far_ends(triples, current)
        return await self.answer(concluded)

    async def _triples(self, current: Sequence[str], number: int) -> list[Triple]:
        """The triples of the relations that the model picks, and those behind mediators."""
        some = current[:_SHOWN_ENTITIES]
        heading = f"Entities{cut_note(len(some), len(current))}"
        picked = await self._pick("relations", self.ways(*current), f"{heading}: {'; '.join(some)}")
        triples = self._fetch(current, picked, number)
        if not self.agent.mediator:
            return triples
        ends = _far_ends(triples, current)
        crossed = [name for name in ends if re.fullmatch(self.agent.mediator, name)]
        behind = self.ways(*crossed, without={opposite(way) for way in picked})
        named = await self._pick("constraints", behind)
        return triples + self._fetch(crossed, named or behind.values(), number)

    def _fetch(self, entities: Sequence[str], ways: Iterable[Way], number: int) -> list[Triple]:
        """The triples of entities under relations, of a relation with too many some."""
        found: list[Triple] = []
        for way in ways:
            each = (
                self.triple(one, way, other) for one in entities for other in self.near(one, way)
            )
            triples = list(dict.fromkeys(each))
            drawn = self.draw(triples, self.agent.triples, number, *way)
            if len(drawn) < len(triples):
                self.cut.append(f"{label(way)}: {len(drawn)} of {len(triples)} shown")
            found += drawn
        return list(dict.fromkeys(found))

    async def _pick(self, step: str, ways: dict[str, Way], *lines: str) -> list[Way]:
        """The relations that the model picks; none where there are none."""
        lines = (*self.next, *lines, f"Relations: {'; '.join(ways)}")
        reply = await self.say(step, *lines) if ways else ""
        names = chosen(reply.replace(";", "\n"), ways)
        return [ways[name] for name in names[: self.agent.relations]]


def _far_ends(triples: Iterable[Triple], current: Iterable[str]) -> list[str]:
    """The entities of triples that are not the current ones."""
    here = set(current)
    ends = dict.fromkeys(end for triple in triples for end in (triple[0], triple[2]))
    return [end for end in ends if end not in here]


@dataclass(frozen=True)
class StructGPT(Agent):
    """StructGPT; see the module.

    Attributes:
        rounds: Rounds at most.
        relations: Relations picked in a round, at most.
        triples: Triples of a relation that are fetched in a round, at most.
        mediator: A regular expression for names of entities that are crossed; empty: there are none.
    """

    name: ClassVar = "struct-gpt"
    typical: ClassVar = Typical(4.3, 1.7, 50)
    explorer: ClassVar = _Reading

    rounds: int = option(3, least=1)
    relations: int = option(10, least=1)
    triples: int = option(60, least=1)
    mediator: str = option("", fits_too=_mediates, expected="a regular expression")

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question, whatever its topics: 2 in a round, 3 with mediators.

        In the last round nothing more is asked, but for the answer.
        """
        return (3 if self.mediator else 2) * self.rounds
