"""What agents share: how a graph is described to a model, how its choices are read back, and the last step.

An `Agent` holds the options. For each question it makes an `Explorer`, whose `run` is the agent's own loop.
Guarantees: a reply in which nothing of what was asked can be found counts as "none" and never ends a run;
what is drawn depends on the seed, the agent, the question and what it is drawn for, and entities are shown in
an order that is the same in every naming.
"""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, ClassVar, TypeVar

from rulemine.config import Section, option, packaged, read_toml
from rulemine.evaluation.answerers.bm25 import TextIndex
from rulemine.evaluation.answerers.final_answer import TOKENS, final_answer, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.surroundings import Surroundings
from rulemine.evaluation.matching.matching import IdsMatcher
from rulemine.evaluation.matching.names import NameFinder
from rulemine.evaluation.matching.vocabulary import VocabularyMatcher
from rulemine.evaluation.spelling import Spelling
from rulemine.kg.graph import Triple
from rulemine.llm.call import Message, Reply
from rulemine.seeds import stream
from rulemine.text.json_reply import decode
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "Agent", "Explorer", "Way", "chosen", "is_none", "json_value", "label", "opposite", "read_yes", "scored",
    "tasks", "towards", "written",
]  # fmt: skip

T = TypeVar("T")

Way = tuple[str, str]
"""A relation, and ``out`` or ``in``: how it leaves an entity."""

LONGEST = 30_000
"""Characters of a reply that are read; more than 4,096 tokens have."""

_SCORE = re.compile(r"\bscore\b\W{0,3}?(\d*\.?\d+)", re.IGNORECASE)
_YES_OR_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_NONE = frozenset({"", "none", "unknown", "null", "n/a"})
_BRACKETS = 50
"""Places where JSON is looked for in a reply, at most."""


def label(way: Way) -> str:
    """A relation and its direction as the model reads and writes them.

    >>> label(("mother_of", "out")), label(("mother_of", "in"))
    ('mother_of', 'inverse of mother_of')
    """
    return way[0] if way[1] == "out" else f"inverse of {way[0]}"


def opposite(way: Way) -> Way:
    """The way back."""
    return way[0], "in" if way[1] == "out" else "out"


def towards(entity: str, way: Way) -> str:
    """Where a relation is followed from, for a prompt.

    >>> towards("ann", ("mother", "out")), towards("ann", ("mother", "in"))
    ('Relation: mother from ann', 'Relation: mother to ann')
    """
    return f"Relation: {way[0]} {'from' if way[1] == 'out' else 'to'} {entity}"


def written(triple: Triple) -> str:
    """A triple as the model reads it, ``(subject, relation, object)``."""
    return f"({', '.join(triple)})"


def chosen(text: str, options: Collection[str]) -> list[str]:
    r"""The options that a reply names, in its order, each once.

    A reply that is a list of options and nothing else (lines, commas, bullets, quotes and brackets aside) is
    taken as such; of any other what a reader takes from it counts
    (`rulemine.evaluation.matching.vocabulary`).

    >>> chosen('1. likes\n2. "inverse of likes"', ["likes", "inverse of likes", "knows"])
    ['likes', 'inverse of likes']
    >>> chosen("I would follow knows.", ["likes", "knows"])
    ['knows']
    """
    names, spelling = set(options), Spelling(options)
    items = [spelling.of(item) for item in IdsMatcher(names).text(text)]
    if not names.issuperset(items):
        items = [spelling.of(name) for name in VocabularyMatcher(names).text(text)] if names else []
    return list(dict.fromkeys(items))


def scored(text: str, options: Collection[str]) -> dict[str, float]:
    """The options that a reply rates, with their scores cut to [0, 1]; the first rating of each counts.

    A rating is the word *score* with a number behind it; it belongs to the option named last before it.

    >>> scored("{likes (Score: 0.7)}, {knows (Score: 0.3)}", ["likes", "knows"])
    {'likes': 0.7, 'knows': 0.3}
    """
    found: dict[str, float] = {}
    begin = 0
    names, spelling = NameFinder(set(options)), Spelling(options)
    for rating in _SCORE.finditer(text):
        for name in names.find(text[begin : rating.start()])[-1:]:
            found.setdefault(spelling.of(name), min(1.0, float(rating[1])))
        begin = rating.end()
    return found


def read_yes(text: str) -> bool:
    """Whether the first *yes* or *no* of a reply is a *yes*."""
    found = _YES_OR_NO.search(text)
    return found is not None and found[1].lower() == "yes"


def is_none(text: str) -> bool:
    """Whether a text says that there is nothing: empty, none, unknown, null."""
    return text.strip(" .\"'").casefold() in _NONE


def json_value(text: str, kind: type[T]) -> T | None:
    """The first JSON value of a kind (`dict` or `list`) in a reply; None without one.

    >>> json_value('Sure: ["a", "b"].', list)
    ['a', 'b']
    """
    begins = re.finditer(r"\{" if kind is dict else r"\[", text)
    for found in islice(begins, _BRACKETS):
        with suppress(ValueError):
            value: T = decode(text, found.start())[0]
            return value
    return None


@dataclass(frozen=True)
class Agent(Section):
    """Base class of agents: the options that all have; see the module.

    Attributes:
        temperature: Of every step but the last.
        max_tokens: Tokens of a reply of these steps, at most.
        answer_tokens: Tokens of the answer, at most.
    """

    temperature: float = option(0.0, least=0, most=2)
    max_tokens: int = option(300, least=1)
    answer_tokens: int = option(TOKENS, least=1)

    uses_model: ClassVar = True
    name: ClassVar[str]
    typical: ClassVar[Typical]
    explorer: ClassVar[Callable[..., "Explorer"]]

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The answer to each question, several at a time."""
        around = Surroundings(given.kg)
        index = functools.cache(lambda: TextIndex(given.kg.entities))

        async def work(question: OpenQuestion, chat: Chat) -> Answered:
            return await self.explorer(self, given, around, index, question, chat).run()

        return given.converse(work, questions)


@dataclass
class Explorer:
    """One question, the graph around it, and the model; made anew for each question.

    Attributes:
        agent: The options, of the agent's own class.
        given: See there.
        around: The graph.
        index: Gives the names of all entities by their words.
        question: The question.
        chat: Where the model is asked.
        retrieved: The triples retrieved so far, in that order.
    """

    agent: Any
    given: Context
    around: Surroundings
    index: Callable[[], TextIndex]
    question: OpenQuestion
    chat: Chat
    retrieved: dict[Triple, None] = field(default_factory=dict)

    async def run(self) -> Answered:
        """Explores, and answers."""
        raise NotImplementedError

    @functools.cached_property
    def topics(self) -> list[str]:
        """The topic entities that the graph has, in the order of the question."""
        return [name for name in self.question.anchors if self.around.known(name)]

    async def say(self, step: str, *lines: str, **parameters: Any) -> str:
        """What the model says to one step.

        Args:
            step: Its name in ``steps.toml``, where it stands what it is to do.
            *lines: What it is to do it with, beside the question.
            **parameters: See `Chat.say`.

        Returns:
            The reply without thoughts, cut to `LONGEST`; "" where the call fails.
        """
        content = "\n".join([f"Question: {self.question.question}", *lines])
        messages = [
            {"role": "system", "content": tasks()[self.agent.name][step]},
            {"role": "user", "content": content},
        ]
        reply = await self.ask(step, messages, **parameters)
        return reply.text if reply else ""

    async def ask(self, step: str, messages: Sequence[Message], **parameters: Any) -> Reply | None:
        """The reply to a conversation; None if the call fails."""
        own = {"max_tokens": self.agent.max_tokens, "temperature": self.agent.temperature}
        purpose = f"{self.agent.name}-{step}"
        reply = await self.chat.say(messages, purpose=purpose, **{**own, **parameters})
        return reply and replace(reply, text=visible_reply(reply.text).strip()[:LONGEST])

    def ways(self, *entities: str, without: Collection[Way] = ()) -> dict[str, Way]:
        """The relations at entities by label, in both directions, sorted; some may be left out."""
        found = {way for entity in entities for way in self.around.relations(entity)}
        return {label(way): way for way in sorted(found.difference(without))}

    def near(self, entity: str, way: Way) -> list[str]:
        """What a relation leads to, in an order that is the same in every naming."""
        order = self.given.order
        ends = self.around.neighbors(entity, *way)
        return sorted(ends, key=lambda name: (order.get(name, len(order)), name))

    def similar(self, name: str, k: int) -> list[str]:
        """The names of at most `k` entities that share words with a name, the nearest first (BM25)."""
        return [self.given.kg.entities[at] for at in self.index().nearest(name, k)]

    def triple(self, entity: str, way: Way, other: str) -> Triple:
        """The triple that leads from an entity to another."""
        return (entity, way[0], other) if way[1] == "out" else (other, way[0], entity)

    def draw(self, items: Sequence[T], k: int, *what: Any) -> list[T]:
        """At most `k` of the items, drawn without replacement, in their order.

        Args:
            items: The items.
            k: How many stay.
            *what: Names and numbers that they are drawn for; entities stand for themselves in every naming.
        """
        names = [self.given.order.get(name, name) for name in what]
        drawn = stream(self.given.seed, self.agent.name, self.question.id, *names)
        return [items[at] for at in sorted(drawn.permutation(len(items))[:k].tolist())]

    def keep(self, triples: Iterable[Triple]) -> list[Triple]:
        """Adds to what was retrieved.

        Returns:
            The triples that are new.
        """
        new = [triple for triple in dict.fromkeys(triples) if triple not in self.retrieved]
        self.retrieved.update(dict.fromkeys(new))
        return new

    def known(self) -> list[str]:
        """The triples retrieved, as the steps show them."""
        return [written(triple) for triple in self.retrieved]

    async def answer(
        self, concluded: str = "", *notes: str, blind: bool = False, **parameters: Any
    ) -> Answered:
        """The last step: from the triples retrieved, unless `blind`, and from what the agent noted.

        Args:
            concluded: What it concluded; may say that there is nothing.
            *notes: What it noted before.
            blind: Whether it is asked without the graph.
            **parameters: As of `final_answer`.
        """
        thoughts = [*notes, *([] if is_none(concluded) else [f"Concluded: {concluded}"])]
        known = [] if blind else lines_of(self.retrieved)
        own = {"tokens": self.agent.answer_tokens, "limit": "answer_tokens", **parameters}
        text = await final_answer(self.chat, self.question.question, known, thoughts, **own)
        return Answered(text=text, retrieved=list(self.retrieved))


@functools.cache
def tasks() -> Mapping[str, Mapping[str, str]]:
    """The instructions to the model, by agent and step."""
    return read_toml(packaged("evaluation", "answerers", "agents", "steps.toml"))
