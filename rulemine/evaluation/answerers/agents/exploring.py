"""What agents share: how a graph is described to a model, how its choices are read back, what was retrieved.

Guarantees: a reply in which nothing of what was asked can be found counts as "none" and never ends a run;
what is drawn depends on the seed, the agent, the question and what it is drawn for, and entities are shown in
an order that is the same in every naming.
"""

import functools
import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rulemine.config import packaged, read_toml
from rulemine.evaluation.answerers.bm25 import TextIndex
from rulemine.evaluation.answerers.final_answer import TOKENS, final_answer, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion
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
    "Explorer",
    "Way",
    "as_json",
    "chosen",
    "explore",
    "is_none",
    "json_value",
    "label",
    "opposite",
    "read_yes",
    "scored",
    "task",
    "written",
]

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
    bracket = "{" if kind is dict else "["
    at = text.find(bracket)
    for _ in range(_BRACKETS):
        if at < 0:
            break
        try:
            value: Any = decode(text, at)[0]
        except ValueError:
            value = None
        if isinstance(value, kind):
            return value
        at = text.find(bracket, at + 1)
    return None


def as_json(value: object) -> str:
    """A JSON value in letters as they are; half a surrogate pair, which JSON can write, is replaced."""
    plain = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
    return plain.decode("utf-16", "replace")


class Explorer:
    """One question, the graph around it, and the model; made anew for each question.

    Attributes:
        given: See there.
        around: The graph.
        question: The question.
        chat: Where the model is asked.
        topics: The topic entities that the graph has, in its order.
        retrieved: The triples retrieved so far, in that order.
    """

    def __init__(
        self, given: Context, around: Surroundings, index: Callable[[], TextIndex],
        question: OpenQuestion, chat: Chat, agent: str, parameters: Mapping[str, Any],
        answer_tokens: int = TOKENS,
    ) -> None:  # fmt: skip
        self.given, self.around, self.question, self.chat = given, around, question, chat
        self.topics = [name for name in question.anchors if around.known(name)]
        self.retrieved: dict[Triple, None] = {}
        self._index, self._agent, self._parameters = index, agent, parameters
        self._last: dict[str, Any] = {"tokens": answer_tokens, "limit": "answer_tokens"}

    async def say(self, step: str, *lines: str, **parameters: Any) -> str:
        """What the model says to one step.

        Args:
            step: Its name in ``steps.toml``, where it stands what it is to do.
            *lines: What it is to do it with, beside the question.
            **parameters: See `Chat.say`.

        Returns:
            The reply without thoughts, cut to `LONGEST`; "" where the call fails.
        """
        content = [f"Question: {self.question.question}", *lines]
        messages = [
            {"role": "system", "content": task(self._agent, step)},
            {"role": "user", "content": "\n".join(content)},
        ]
        reply = await self.ask(step, messages, **parameters)
        return "" if reply is None else reply.text

    async def ask(self, step: str, messages: Sequence[Message], **parameters: Any) -> Reply | None:
        """The reply to a conversation; None if the call fails."""
        purpose = f"{self._agent}-{step}"
        reply = await self.chat.say(messages, purpose=purpose, **{**self._parameters, **parameters})
        return reply and replace(reply, text=visible_reply(reply.text).strip()[:LONGEST])

    def ways(self, *entities: str, without: Collection[Way] = ()) -> dict[str, Way]:
        """The relations at entities by label, in both directions, sorted; some may be left out."""
        found = {way for entity in entities for way in self.around.relations(entity)}
        return {label(way): way for way in sorted(found.difference(without))}

    def near(self, entity: str, way: Way) -> list[str]:
        """What a relation leads to, in an order that is the same in every naming."""
        return sorted(self.around.neighbors(entity, *way), key=self._place)

    def similar(self, name: str, k: int) -> list[str]:
        """The names of at most `k` entities that share words with a name, the nearest first (BM25)."""
        return [self.given.kg.entities[at] for at in self._index().nearest(name, k)]

    def triple(self, entity: str, way: Way, other: str) -> Triple:
        """The triple that leads from an entity to another."""
        return (entity, way[0], other) if way[1] == "out" else (other, way[0], entity)

    def draw(self, items: Sequence[T], k: int, *what: str | int) -> list[T]:
        """At most `k` of the items, drawn without replacement, in their order.

        Args:
            items: The items.
            k: How many stay.
            *what: What they are drawn for; entities among it stand for themselves in every naming.
        """
        if len(items) <= k:
            return list(items)
        names = (
            self.given.order.get(name, name) if isinstance(name, str) else name for name in what
        )
        drawn = stream(self.given.seed, self._agent, self.question.id, *names)
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

    async def answer(self, concluded: str = "", *notes: str) -> Answered:
        """The last step: from the triples retrieved, what the agent concluded, and what it noted."""
        thoughts = [*notes, *([] if is_none(concluded) else [f"Concluded: {concluded}"])]
        known = lines_of(self.retrieved)
        text = await final_answer(self.chat, self.question.question, known, thoughts, **self._last)
        return Answered(text=text, retrieved=list(self.retrieved))

    async def answer_blind(self, **parameters: Any) -> Answered:
        """The last step without the graph; parameters as in `final_answer`."""
        parameters = {**self._last, **parameters}
        text = await final_answer(self.chat, self.question.question, **parameters)
        return Answered(text=text, retrieved=list(self.retrieved))

    def _place(self, entity: str) -> tuple[int, str]:
        order = self.given.order
        return order.get(entity, len(order)), entity


def explore(
    run: Callable[[Explorer], Awaitable[Answered]],
    given: Context,
    questions: Sequence[OpenQuestion],
    agent: str,
    *,
    max_tokens: int,
    answer_tokens: int,
    temperature: float,
) -> list[Answered]:
    """Has an agent explore the graph for each question, several at a time.

    Args:
        run: Explores for one question.
        given: See there.
        questions: The questions.
        agent: Its name, in prompts, draws and the journal.
        max_tokens: Tokens of a reply at most, but for the last step.
        answer_tokens: Tokens of the reply to that.
        temperature: Of all steps but that.
    """
    around = Surroundings(given.kg)
    index = functools.cache(lambda: TextIndex(given.kg.entities))
    parameters = {"max_tokens": max_tokens, "temperature": temperature}

    async def work(question: OpenQuestion, chat: Chat) -> Answered:
        explorer = Explorer(given, around, index, question, chat, agent, parameters, answer_tokens)
        return await run(explorer)

    return given.converse(work, questions)


def task(agent: str, step: str) -> str:
    """The instructions to the model at a step of an agent."""
    return str(_prompts()[agent][step])


@functools.cache
def _prompts() -> Mapping[str, Mapping[str, str]]:
    return read_toml(packaged("evaluation", "answerers", "agents", "steps.toml"))
