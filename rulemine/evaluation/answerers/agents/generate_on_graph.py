"""Generate-on-Graph: thought, action, observation; where the graph says nothing, the model proposes triples.

Xu et al., *Generate-on-Graph: Treat LLM as both Agent and KG for Incomplete Knowledge Graph Question
Answering*, EMNLP 2024. At most `steps` times the model writes a thought and an action:

- ``Search[entities]``: for each entity, at most `entities`, the model picks relations; of a relation with
  `many` triples or more that many are drawn. The first search is among the topic entities, the nearest name
  counts. Later a name that is no entity's is looked up in an index: the model chooses among the `candidates`
  nearest names by the relations at them.
- ``Generate[thought]``: the `known` retrieved triples nearest to the thought (BM25) are shown, and the model
  proposes triples, `samples` times; of more than one sample it selects those that hold. They are marked as
  generated and never count as retrieved.
- ``Finish[a | b]``: the answers. ``Finish[unknown]`` takes back what was generated and searches the entities
  met but not searched yet; at the third time, after the last step, and where no action can be read, the model
  answers without the graph, at most `tries` times until it names something.

Unlike the authors' program: the bounds on relations and entities of a search are ours, so is the wording of
all steps, and the answer is given in the form that all systems share.
"""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from rulemine.config import option
from rulemine.evaluation.answerers.agents.agent import (
    Agent,
    Explorer,
    chosen,
    is_none,
    written,
)
from rulemine.evaluation.answerers.bm25 import nearest
from rulemine.evaluation.answerers.final_answer import cut_note, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Typical
from rulemine.kg.graph import Triple

__all__ = ["Action", "GenerateOnGraph", "read_action", "read_proposals"]

UNKNOWNS = 3
"""So many times unknown, and the graph is left."""

MOST_PROPOSED = 20
"""Triples of one reply that are read."""

_ACTION = re.compile(r"\b(search|generate|finish)\s*\[(.*)", re.IGNORECASE)
_HEADING = re.compile(r"\b(?:thought|action)\s*\d*\s*:", re.IGNORECASE)
_LIST_MARK = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")


class Action(NamedTuple):
    """What the model wants to do.

    Attributes:
        name: ``search``, ``generate`` or ``finish``.
        what: What stands in the brackets.
        thought: What stands before it.
    """

    name: str
    what: str
    thought: str


def read_action(text: str) -> Action | None:
    r"""The first action of a reply; None without one.

    >>> read_action("Thought 1: The wife is needed.\nAction 1: Search[Ann | Bob]")
    Action(name='search', what='Ann | Bob', thought='The wife is needed.')
    """
    found = _ACTION.search(text)
    if found is None:
        return None
    what = found[2].rpartition("]")[0] if "]" in found[2] else found[2]
    thought = " ".join(_HEADING.sub(" ", text[: found.start()]).split())
    return Action(found[1].lower(), what.strip(), thought)


def read_proposals(text: str) -> list[Triple]:
    r"""The lines ``subject | relation | object`` of a reply, or ``(subject, relation, object)``.

    >>> read_proposals("1. Ann | wife | Bob\n(Bob, father, Cid)\nnothing else")
    [('Ann', 'wife', 'Bob'), ('Bob', 'father', 'Cid')]
    """
    found: dict[Triple, None] = {}
    for line in text.splitlines():
        bare = _LIST_MARK.sub("", line, count=1).strip()
        if "|" not in bare and bare.startswith("("):
            bare = bare.strip("().;").replace(",", "|")
        parts = [" ".join(part.split()) for part in bare.split("|")]
        if len(parts) == 3 and all(parts):
            found[parts[0], parts[1], parts[2]] = None
    return list(found)[:MOST_PROPOSED]


@dataclass
class _Loop(Explorer):
    """Thoughts, actions and observations about one question.

    Attributes:
        done: The actions carried out, each with its observation.
        generated: The triples that the model proposed.
        met: The entities met so far.
        searched: Those of them that were searched.
        unknowns: How often the model finished without an answer.
    """

    agent: "GenerateOnGraph"
    done: list[tuple[Action, str]] = field(default_factory=list)
    generated: dict[Triple, None] = field(default_factory=dict)
    met: dict[str, None] = field(default_factory=dict)
    searched: set[str] = field(default_factory=set)
    unknowns: int = 0

    async def run(self) -> Answered:
        """Searches, generates, and answers."""
        self.met = dict.fromkeys(self.topics)
        for _ in range(self.agent.steps if self.topics else 0):
            action = await self._act()
            if action is None:
                break
            if action.name == "search":
                await self._search(action, await self._entities(action.what))
            elif action.name == "generate":
                await self._generate(action)
            elif not is_none(action.what):
                proposed = [f"Proposed: {line}" for line in lines_of(self.generated)]
                found = await self.answer(action.what, *proposed)
                return found._replace(generated=list(self.generated))
            else:
                self.unknowns += 1
                if self.unknowns == UNKNOWNS:
                    break
                self.generated.clear()
                self.done = [one for one in self.done if one[0].name != "generate"]
                names = [name for name in self.met if name not in self.searched]
                if names := names[: self.agent.entities]:
                    again = action._replace(name="search", what=" | ".join(names))
                    await self._search(again, names)
        for number in range(self.agent.tries):
            temperature = self.agent.temperature if number else 0.0
            found = await self.answer(blind=True, sample=number, temperature=temperature)
            if found.text:
                break
        return found._replace(generated=list(self.generated))

    async def _act(self) -> Action | None:
        """The next thought and action; another sample after each time unknown."""
        lines = [f"Topic entities: {' | '.join(self.topics)}"]
        for number, (action, observation) in enumerate(self.done, start=1):
            lines.append(f"Thought {number}: {action.thought}")
            lines.append(f"Action {number}: {action.name.capitalize()}[{action.what}]")
            lines.append(f"Observation {number}: {observation}")
        number = len(self.done) + 1
        lines.append(f"Write thought {number} and action {number}.")
        return read_action(await self.say("step", *lines, sample=self.unknowns))

    async def _entities(self, what: str) -> list[str]:
        """The entities that a search names."""
        parts = [part.strip(" \"'") for part in what.split("|")]
        named: list[str] = []
        for part in [part for part in parts if part][: self.agent.entities]:
            named += await self._meant(part)
        return list(dict.fromkeys(named))[: self.agent.entities]

    async def _meant(self, part: str) -> list[str]:
        """The entities that a part of a search names: at first topic entities, then any."""
        if not self.searched:
            near = difflib.get_close_matches(part, self.topics, n=1, cutoff=0.0)
            return chosen(part, self.topics) or near
        known = self.around.named(part)
        return [known] if known else chosen(part, self.met) or await self._look_up(part)

    async def _look_up(self, name: str) -> list[str]:
        """The entity that the model chooses among those with the nearest names."""
        names = self.similar(name, self.agent.candidates)
        ways = [f"{each}: {', '.join(list(self.ways(each))[:5])}" for each in names]
        lines = [f"Name: {name}", "Entities:", *ways]
        return chosen(await self.say("name", *lines), names)[:1] if names else []

    async def _search(self, action: Action, entities: Iterable[str]) -> None:
        """Fetches triples of entities; what is seen is the observation."""
        triples: dict[Triple, None] = {}
        asked, most = action.what.count("|") + 1, self.agent.entities
        cuts = [f"entities: {most} of {asked} searched"] if asked > most else []
        for entity in entities:
            self.searched.add(entity)
            triples.update(dict.fromkeys(await self._triples(entity, cuts)))
        self.keep(triples)
        self.met.update(dict.fromkeys(end for t in triples for end in (t[0], t[2])))
        observation = "; ".join([*map(written, triples), *cuts]) or "nothing found"
        self.done.append((action, observation))

    async def _triples(self, entity: str, cuts: list[str]) -> list[Triple]:
        """The triples of an entity under the relations that the model picks; what is cut is noted."""
        ways, found = self.ways(entity), list[Triple]()
        lines = [f"Entity: {entity}", "Relations:", *ways]
        reply = await self.say("relations", *lines) if ways else ""
        for name in chosen(reply, ways)[: self.agent.relations]:
            way = ways[name]
            every = [self.triple(entity, way, other) for other in self.near(entity, way)]
            # Searched again, it gives what it has not given yet.
            new = [triple for triple in every if triple not in self.retrieved] or every
            found += (some := self.draw(new, self.agent.many, entity, *way))
            if len(some) < len(every):
                cuts.append(f"{name} at {entity}: {len(some)} of {len(every)} shown")
        return found

    async def _generate(self, action: Action) -> None:
        """Has the model propose triples; they are the observation."""
        about, known = action.what or action.thought, self.known()
        shown = [known[at] for at in nearest(known, about, self.agent.known)]
        lines = [f"Thought: {about}", f"Known triples{cut_note(len(shown), len(known))}:", *shown]
        proposed: dict[Triple, None] = {}
        for sample in range(self.agent.samples):
            reply = await self.say("propose", *lines, sample=sample)
            proposed.update(dict.fromkeys(read_proposals(reply)))
        if self.agent.samples > 1 and proposed:
            named = {" | ".join(triple): triple for triple in proposed}
            reply = await self.say("select", *lines, "Proposed triples:", *named)
            proposed = dict.fromkeys(named[name] for name in chosen(reply, named))
        self.generated.update(proposed)
        self.done.append((action, "; ".join(map(written, proposed)) or "nothing proposed"))


@dataclass(frozen=True)
class GenerateOnGraph(Agent):
    """Generate-on-Graph; see the module.

    Attributes:
        temperature: Of every step, and of the second and later tries.
        steps: Thoughts with an action, at most.
        entities: Entities of a search, at most.
        relations: Relations picked for an entity, at most.
        many: Triples of a relation that are fetched, at most.
        candidates: Names offered for one that is no entity's, at most.
        known: Triples shown to the model that proposes others, at most.
        samples: How often triples are proposed.
        tries: Answers without the graph, at most, until one names something.
    """

    name: ClassVar = "generate-on-graph"
    typical: ClassVar = Typical(7.7, 1.6, 223)
    explorer: ClassVar = _Loop

    temperature: float = option(0.7, least=0, most=2)
    max_tokens: int = option(512, least=1)
    steps: int = option(6, least=1)
    entities: int = option(5, least=1)
    relations: int = option(10, least=1)
    many: int = option(5, least=1)
    candidates: int = option(10, least=1)
    known: int = option(10, least=1)
    samples: int = option(1, least=1)
    tries: int = option(5, least=1)

    def worst_calls(self, topics: int) -> int:
        """The most calls for a question: one a step, its action, and the tries at the end.

        A search costs two calls for each entity, to look up its name and to pick relations, but the first
        one for each topic entity; a generation one for each sample, and one more to select from several.
        With one topic and the defaults 62; without look-ups it is 6(1 + 5) + 5 = 41.
        """
        generation = self.samples + (self.samples > 1)
        first = max(min(topics, self.entities), generation)
        later = max(2 * self.entities, generation)
        return self.steps + first + (self.steps - 1) * later + self.tries
