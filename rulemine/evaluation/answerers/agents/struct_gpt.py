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
from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import Section, option
from rulemine.evaluation.answerers.agents.exploring import (
    Explorer,
    Way,
    chosen,
    explore,
    label,
    opposite,
)
from rulemine.evaluation.answerers.final_answer import TOKENS, cut_note
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
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


@dataclass(frozen=True)
class StructGPT(Section):
    """StructGPT; see the module.

    Attributes:
        rounds: Rounds at most.
        relations: Relations picked in a round, at most.
        triples: Triples of a relation that are fetched in a round, at most.
        mediator: A regular expression for names of entities that are crossed; empty: there are none.
        temperature: Of every step but the last.
        max_tokens: Tokens of a reply of these steps, at most.
        answer_tokens: Tokens of the answer, at most.
    """

    uses_model: ClassVar = True
    typical: ClassVar = Typical(4.3, 1.7, 50)

    rounds: int = option(3, least=1)
    relations: int = option(10, least=1)
    triples: int = option(60, least=1)
    mediator: str = option("", fits_too=_mediates, expected="a regular expression")
    temperature: float = option(0.0, least=0, most=2)
    max_tokens: int = option(300, least=1)
    answer_tokens: int = option(TOKENS, least=1)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question."""
        return explore(
            lambda explorer: _Reading(self, explorer).run(),
            given,
            questions,
            "struct-gpt",
            max_tokens=self.max_tokens,
            answer_tokens=self.answer_tokens,
            temperature=self.temperature,
        )

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question, whatever its topics: 2 in a round, 3 with mediators.

        In the last round nothing more is asked, but for the answer.
        """
        return (3 if self.mediator else 2) * self.rounds


class _Reading:
    """The reading for one question."""

    def __init__(self, options: StructGPT, explorer: Explorer) -> None:
        self._options, self._explorer = options, explorer
        self._next: list[str] = []  # what is asked now, where that is not the question itself
        self._cut: list[str] = []

    async def run(self) -> Answered:
        """Reads, and answers."""
        explorer = self._explorer
        current, concluded = explorer.topics, ""
        for number in range(self._options.rounds):
            triples = await self._triples(current, number)
            if not triples:
                break
            explorer.keep(triples)
            if number == self._options.rounds - 1:
                break
            lines = [*self._next, f"Triples: {'; '.join(explorer.known())}", *self._cut]
            choice = _NEXT.search(await explorer.say("next", *lines))
            if choice is None:
                break
            if choice[1].lower() == "answer":
                concluded = choice[2].strip()
                break
            self._next = [f"Next question: {choice[2].strip()}"]
            current = _far_ends(triples, current)
        return await explorer.answer(concluded)

    async def _triples(self, current: Sequence[str], number: int) -> list[Triple]:
        """The triples of the relations that the model picks, and those behind mediators."""
        ways = self._explorer.ways(*current)
        if not ways:
            return []
        some = current[:_SHOWN_ENTITIES]
        heading = f"Entities{cut_note(len(some), len(current))}"
        picked = await self._pick("relations", ways, f"{heading}: {'; '.join(some)}")
        triples = self._fetch(current, picked, number)
        if not self._options.mediator:
            return triples
        crossed = [name for name in _far_ends(triples, current) if self._is_mediator(name)]
        behind = self._explorer.ways(*crossed, without={opposite(way) for way in picked})
        if not behind:
            return triples
        named = await self._pick("constraints", behind)
        return triples + self._fetch(crossed, named or list(behind.values()), number)

    def _fetch(self, entities: Sequence[str], ways: Iterable[Way], number: int) -> list[Triple]:
        explorer, found = self._explorer, []
        for way in ways:
            triples = [
                explorer.triple(entity, way, other)
                for entity in entities
                for other in explorer.near(entity, way)
            ]
            triples = list(dict.fromkeys(triples))
            drawn = explorer.draw(triples, self._options.triples, number, *way)
            if len(drawn) < len(triples):
                self._cut.append(f"{label(way)}: {len(drawn)} of {len(triples)} shown")
            found += drawn
        return list(dict.fromkeys(found))

    def _is_mediator(self, name: str) -> bool:
        return re.fullmatch(self._options.mediator, name) is not None

    async def _pick(self, step: str, ways: dict[str, Way], *lines: str) -> list[Way]:
        lines = (*self._next, *lines, f"Relations: {'; '.join(ways)}")
        reply = await self._explorer.say(step, *lines)
        names = chosen(reply.replace(";", "\n"), ways)
        return [ways[name] for name in names[: self._options.relations]]


def _far_ends(triples: Iterable[Triple], current: Iterable[str]) -> list[str]:
    """The entities of triples that are not the current ones."""
    here = set(current)
    ends = dict.fromkeys(end for triple in triples for end in (triple[0], triple[2]))
    return [end for end in ends if end not in here]
