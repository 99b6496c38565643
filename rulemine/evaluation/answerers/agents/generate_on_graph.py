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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rulemine.config import Section, option
from rulemine.evaluation.answerers.agents.exploring import (
    Explorer,
    chosen,
    explore,
    is_none,
    written,
)
from rulemine.evaluation.answerers.bm25 import nearest
from rulemine.evaluation.answerers.final_answer import TOKENS, cut_note, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
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


@dataclass(frozen=True)
class GenerateOnGraph(Section):
    """Generate-on-Graph; see the module.

    Attributes:
        steps: Thoughts with an action, at most.
        entities: Entities of a search, at most.
        relations: Relations picked for an entity, at most.
        many: Triples of a relation that are fetched, at most.
        candidates: Names offered for one that is no entity's, at most.
        known: Triples shown to the model that proposes others, at most.
        samples: How often triples are proposed.
        tries: Answers without the graph, at most, until one names something.
        temperature: Of every step, and of the second and later of these tries.
        max_tokens: Tokens of a reply of a step, at most.
        answer_tokens: Tokens of the answer, at most.
    """

    uses_model: ClassVar = True
    typical: ClassVar = Typical(7.7, 1.6, 223)

    steps: int = option(6, least=1)
    entities: int = option(5, least=1)
    relations: int = option(10, least=1)
    many: int = option(5, least=1)
    candidates: int = option(10, least=1)
    known: int = option(10, least=1)
    samples: int = option(1, least=1)
    tries: int = option(5, least=1)
    temperature: float = option(0.7, least=0, most=2)
    max_tokens: int = option(512, least=1)
    answer_tokens: int = option(TOKENS, least=1)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question."""
        return explore(
            lambda explorer: _Loop(self, explorer).run(),
            given,
            questions,
            "generate-on-graph",
            max_tokens=self.max_tokens,
            answer_tokens=self.answer_tokens,
            temperature=self.temperature,
        )

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


class _Entry(NamedTuple):
    """A step that was done."""

    thought: str
    name: str
    what: str
    observation: str


class _Loop:
    """Thoughts, actions and observations about one question."""

    def __init__(self, options: GenerateOnGraph, explorer: Explorer) -> None:
        self._options, self._explorer = options, explorer
        self._entries: list[_Entry] = []
        self._generated: dict[Triple, None] = {}
        self._met = dict.fromkeys(explorer.topics)
        self._searched: set[str] = set()
        self._unknowns = 0

    async def run(self) -> Answered:
        """Searches, generates, and answers."""
        for _ in range(self._options.steps if self._explorer.topics else 0):
            action = await self._act()
            if action is None:
                break
            if action.name == "search":
                await self._search(action, await self._entities(action.what))
            elif action.name == "generate":
                await self._generate(action)
            elif not is_none(action.what):
                proposed = [f"Proposed: {line}" for line in lines_of(self._generated)]
                found = await self._explorer.answer(action.what, *proposed)
                return found._replace(generated=list(self._generated))
            else:
                self._unknowns += 1
                if self._unknowns == UNKNOWNS:
                    break
                self._generated.clear()
                self._entries = [e for e in self._entries if e.name != "generate"]
                unsearched = [name for name in self._met if name not in self._searched]
                names = unsearched[: self._options.entities]
                if names:
                    await self._search(action._replace(what=" | ".join(names)), names)
        for number in range(self._options.tries):
            temperature = self._options.temperature if number else 0.0
            found = await self._explorer.answer_blind(sample=number, temperature=temperature)
            if found.text:
                break
        return found._replace(generated=list(self._generated))

    async def _act(self) -> Action | None:
        """The next thought and action; another sample after each time unknown."""
        lines = [f"Topic entities: {' | '.join(self._explorer.topics)}"]
        for number, entry in enumerate(self._entries, start=1):
            lines.append(f"Thought {number}: {entry.thought}")
            lines.append(f"Action {number}: {entry.name.capitalize()}[{entry.what}]")
            lines.append(f"Observation {number}: {entry.observation}")
        number = len(self._entries) + 1
        lines.append(f"Write thought {number} and action {number}.")
        return read_action(await self._explorer.say("step", *lines, sample=self._unknowns))

    async def _entities(self, what: str) -> list[str]:
        """The entities that a search names."""
        found: dict[str, None] = {}
        parts = [part.strip(" \"'") for part in what.split("|")]
        for part in [part for part in parts if part][: self._options.entities]:
            if self._searched and (known := self._explorer.around.named(part)):
                found[known] = None
                continue
            named = chosen(part, self._met if self._searched else self._explorer.topics)
            if not named and self._searched:
                named = await self._look_up(part)
            elif not named:
                named = difflib.get_close_matches(part, self._explorer.topics, n=1, cutoff=0.0)
            found.update(dict.fromkeys(named))
        return list(found)[: self._options.entities]

    async def _look_up(self, name: str) -> list[str]:
        """The entity that the model chooses among those with the nearest names."""
        names = self._explorer.similar(name, self._options.candidates)
        if not names:
            return []
        ways = [f"{each}: {', '.join(list(self._explorer.ways(each))[:5])}" for each in names]
        reply = await self._explorer.say("name", f"Name: {name}", "Entities:", *ways)
        return chosen(reply, names)[:1]

    async def _search(self, action: Action, entities: Iterable[str]) -> None:
        """Fetches triples of entities; what is seen is the observation."""
        triples: dict[Triple, None] = {}
        asked, most = action.what.count("|") + 1, self._options.entities
        cuts = [f"entities: {most} of {asked} searched"] if asked > most else []
        for entity in entities:
            self._searched.add(entity)
            triples.update(dict.fromkeys(await self._triples(entity, cuts)))
        self._explorer.keep(triples)
        self._met.update(dict.fromkeys(end for t in triples for end in (t[0], t[2])))
        observation = "; ".join([*map(written, triples), *cuts]) or "nothing found"
        self._entries.append(_Entry(action.thought, "search", action.what, observation))

    async def _triples(self, entity: str, cuts: list[str]) -> list[Triple]:
        """The triples of an entity under the relations that the model picks; what is cut is noted."""
        explorer, options = self._explorer, self._options
        ways = explorer.ways(entity)
        if not ways:
            return []
        reply = await explorer.say("relations", f"Entity: {entity}", "Relations:", *ways)
        found: list[Triple] = []
        for name in chosen(reply, ways)[: options.relations]:
            near = explorer.near(entity, ways[name])
            every = [explorer.triple(entity, ways[name], other) for other in near]
            # Searched again, it gives what it has not given yet.
            new = [triple for triple in every if triple not in explorer.retrieved] or every
            found += (some := explorer.draw(new, options.many, entity, *ways[name]))
            if len(some) < len(every):
                cuts.append(f"{name} at {entity}: {len(some)} of {len(every)} shown")
        return found

    async def _generate(self, action: Action) -> None:
        """Has the model propose triples; they are the observation."""
        explorer = self._explorer
        about = action.what or action.thought
        known = explorer.known()
        shown = [known[at] for at in nearest(known, about, self._options.known)]
        lines = [f"Thought: {about}", f"Known triples{cut_note(len(shown), len(known))}:", *shown]
        proposed: dict[Triple, None] = {}
        for sample in range(self._options.samples):
            reply = await explorer.say("propose", *lines, sample=sample)
            proposed.update(dict.fromkeys(read_proposals(reply)))
        if self._options.samples > 1 and proposed:
            named = {" | ".join(triple): triple for triple in proposed}
            reply = await explorer.say("select", *lines, "Proposed triples:", *named)
            proposed = dict.fromkeys(named[name] for name in chosen(reply, named))
        self._generated.update(proposed)
        observation = "; ".join(map(written, proposed)) or "nothing proposed"
        self._entries.append(_Entry(action.thought, "generate", action.what, observation))
