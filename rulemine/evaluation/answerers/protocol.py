"""What an answerer is given, and what it gives back.

Guarantees: a question's own answers are never given, nor is a certificate; what an answerer needs beyond
text, topic entities, graph and model it has to declare, so that tables can say so.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rulemine.errors import ConfigError, NoReplyError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.question_graphs import by_private_id
from rulemine.llm.call import Ask, Call, Failure, Message, Reply
from rulemine.llm.session import Session
from rulemine.release.records import Question, Removal
from rulemine.rules.rule import Rule

__all__ = ["Answered", "Answerer", "Chat", "Context", "OpenQuestion", "Part", "Typical"]

FIRST = 10
"""So many questions come first; a run ends where the last reply about each of them is cut off."""

FOLDS = 10
"""Parts of the training questions, by topic entity, where these are scored themselves."""


class OpenQuestion(NamedTuple):
    """What an answerer is given of a question: nothing that depends on its answers.

    Attributes:
        id: Its id.
        question: Its text.
        anchors: The topic entities, in the naming of the release, sorted.
        query: What is asked, as one line that `rulemine.query.parse` reads (of a property graph:
            `rulemine.cypher.questions.pattern_text.query_of`); "" unless it is needed.
    """

    id: str
    question: str
    anchors: tuple[str, ...]
    query: str = ""


class Answered(NamedTuple):
    """What was found for a question: answers, a text or SPARQL; of a property graph Cypher or rows.

    Attributes:
        answers: Names, the best first.
        text: What a model wrote, to be matched.
        cypher: A query.
        rows: The rows of a result, in order.
        sparql: A query over entities and relations.
        ranking: Candidates with finite scores, the best first; beside `answers`, which are a set.
        retrieved: The triples that were retrieved, in that order; None if the answerer does not say.
        generated: Triples that a model proposed.
        calls: Calls of a model. This and all that follow are filled in by `Context.converse`.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        seconds: From sending to receiving, over all calls.
        again: Whether it is not the last word: a program ended or a call failed, and the next run asks again.
        cut_off: For each reply that was cut off, the option that limits it, sorted.
        failed: Why the last call without a reply has none.
    """

    answers: Sequence[str] | None = None
    text: str | None = None
    cypher: str | None = None
    rows: Sequence[Sequence[Any]] | None = None
    sparql: str | None = None
    ranking: Sequence[tuple[str, float]] | None = None
    retrieved: Sequence[Triple] | None = None
    generated: Sequence[Triple] = ()
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float | None = None
    again: bool = False
    cut_off: tuple[str, ...] = ()
    failed: str = ""


COSTS = Answered._fields[Answered._fields.index("calls") :]
"""The fields that `Context.converse` fills in."""


class Typical(NamedTuple):
    """What a question costs with a model that follows instructions; measured on the demo with a capable one.

    Attributes:
        calls: Calls of the model.
        growth: How many times as long its prompts are, in the mean, as those that a model without a word is
            sent: what was found, thought or said before is in them.
        received: Tokens of all replies together.
    """

    calls: float
    growth: float
    received: float


class Numbered(NamedTuple):
    """A graph with its entities named by private order, so the same in every naming.

    Attributes:
        kg: The graph; the id of an entity is its place by private id.
        rows: int64, shape (triples,): the row of each of its triples in the graph that was given.
    """

    kg: KnowledgeGraph
    rows: npt.NDArray[np.int64]


class Part(NamedTuple):
    """Questions, and what they may be answered from.

    Attributes:
        numbers: Their positions among the questions asked.
        train: The training and validation questions, sorted by id; none of them is asked here.
    """

    numbers: tuple[int, ...]
    train: tuple[Question, ...]


class Chat:
    """Asks a model about one question, and counts what that costs.

    Attributes:
        spent: What it came to: the fields of `Answered` from `calls` on.
        ends_cut_off: Whether the latest reply was cut off.
    """

    def __init__(self, ask: Ask, model: str, subject: str, seconds: Callable[[str], float]) -> None:
        self.spent, self.ends_cut_off = Answered(seconds=0.0), False
        self._ask, self._model, self._subject, self._took = ask, model, subject, seconds

    async def say(
        self,
        messages: str | Sequence[Message],
        *,
        purpose: str,
        limit: str = "max_tokens",
        **parameters: Any,
    ) -> Reply | None:
        """Asks once.

        Args:
            messages: The conversation so far, or what the user says in a new one.
            purpose: What the call is for; counted in the journal.
            limit: The option of the answerer that `max_tokens` comes from.
            **parameters: Fields of `rulemine.llm.call.Call`: `max_tokens`, `temperature`, `sample` …

        Returns:
            The reply, maybe without a word; None where the call fails, which an answerer treats like that.

        Raises:
            EndpointError: The endpoint cannot be used at all.
            LimitError: The budget is spent.
        """
        chat = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
        call = Call(
            self._model, chat, purpose=purpose, subject=self._subject, blank=True, **parameters
        )
        reply = await self._ask(call)
        spent = self.spent  # read after the wait: an answerer may ask several at a time
        calls, failed = spent.calls + 1, reply.missing or spent.failed
        self.ends_cut_off = isinstance(reply, Reply) and reply.is_cut_off
        if isinstance(reply, Failure):
            again = spent.again or not reply.lasting
            self.spent = spent._replace(calls=calls, failed=failed, again=again)
            return None
        self.spent = spent._replace(
            calls=calls,
            prompt_tokens=spent.prompt_tokens + reply.prompt_tokens,
            completion_tokens=spent.completion_tokens + reply.completion_tokens,
            seconds=(spent.seconds or 0.0) + self._took(call.key),
            cut_off=tuple(sorted((*spent.cut_off, *[limit] * self.ends_cut_off))),
            failed=failed,
        )
        return reply


Work = Callable[[OpenQuestion, Chat], Awaitable[Answered]]
"""A conversation about one question."""


@dataclass(frozen=True)
class Context:
    """What an answerer is given beside the questions.

    Attributes:
        kg: The graph, its labels in the naming of the release.
        graph: The property graph whose edges these are; None unless the questions are about one.
        declarations: Which relations state the same facts.
        order: Entity → its place by private id, the same in every naming; for breaking ties.
        seed: For what is drawn.
        folder: A folder that lasts from run to run; what is kept in it bears the digest of what it is made
            from. None: there is none.
        rules: The rules of the release, for answerers that need them; else none.
        train: The questions that `parts` deals, for answerers that need them; else none.
        removals: The removed triples that these rest on, with their proofs.
        model: The model; "" without one.
        session: Where it is asked; None without one.
        naming: The naming of the release.
        progress: Called with what is done and all there is to do; None: nobody looks.
        note: Called with sentences for the user.
        room: Options that limit replies → how a user gives them more room.
    """

    kg: KnowledgeGraph
    graph: PropertyGraph | None = None
    declarations: Declarations = field(default_factory=Declarations)
    order: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    folder: Path | None = None
    rules: Sequence[Rule] = ()
    train: Sequence[Question] = ()
    removals: Sequence[Removal] = ()
    model: str = ""
    session: Session | None = None
    naming: str = "private"
    progress: Callable[[int, int], None] | None = None
    note: Callable[[str], None] = lambda text: None
    room: Callable[[Collection[str]], str] = lambda options: f"a larger {' and '.join(options)}"

    @cached_property
    def places(self) -> dict[str, int]:
        """Entity of the graph → its place among them by private id, the same in every naming; sorted."""
        last = len(self.order)
        names = sorted(self.kg.entities, key=lambda name: (self.order.get(name, last), name))
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def private(self) -> Numbered:
        """The graph in the order of private ids."""
        digits = len(str(len(self.places)))
        ids = {name: str(place).zfill(digits) for name, place in self.places.items()}
        return Numbered(*by_private_id(self.kg, ids))

    def placed(self, names: Iterable[str]) -> list[int]:
        """The places of entities; those that the graph lacks are left out."""
        return [self.places[name] for name in names if name in self.places]

    @property
    def asked(self) -> Session:
        """Where the model is asked.

        Raises:
            ConfigError: There is no model.
        """
        if self.session is None or not self.model:
            raise ConfigError(
                "this answerer asks a model: name one, --model NAME --set endpoint.base_url=URL."
            )
        return self.session

    def parts(self, questions: Sequence[OpenQuestion]) -> list[Part]:
        """Deals the questions out, each with the training questions that it may be answered from.

        Training questions that are asked themselves are dealt into `FOLDS` parts by topic entity, and each
        part is given the others.
        """
        known = {q.id for q in self.train}
        dealt: dict[int | None, list[int]] = {}
        for number, q in enumerate(questions):
            dealt.setdefault(self._fold(q.anchors) if q.id in known else None, []).append(number)
        return [
            Part(
                tuple(numbers),
                tuple(q for q in self.train if fold is None or self._fold(q.anchors) != fold),
            )
            for fold, numbers in dealt.items()
        ]

    def _fold(self, topics: Sequence[str]) -> int:
        return min((self.order.get(topic, 0) for topic in topics), default=0) % FOLDS

    def converse(self, work: Work, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """Runs a conversation about each question, several at a time.

        Every reply is in the journal before the conversation sees it, and is not asked for again.

        Raises:
            ConfigError: There is no model.
            NoReplyError: The last replies about the first `FIRST` questions, or all if there are fewer, were
                cut off.
            EndpointError: The endpoint cannot be used.
            LimitError: The budget is spent.
        """
        session = self.asked
        ends: list[bool] = []
        stopped: list[NoReplyError] = []
        may_go_on = asyncio.Event()  # one of the first was not cut off, or all of them were

        async def converse(number: int, question: OpenQuestion, ask: Ask) -> Answered:
            if number >= FIRST:
                await may_go_on.wait()
            if stopped:
                raise stopped[0]
            chat = Chat(ask, self.model, question.id, session.seconds)
            try:
                found = await work(question, chat)
            except BaseException:
                may_go_on.set()
                raise
            ends.append(chat.ends_cut_off)
            if not chat.ends_cut_off:
                may_go_on.set()
            elif len(ends) == min(FIRST, len(questions)) and all(ends):
                stopped.append(self._stop(len(ends), chat.spent.cut_off))
                may_go_on.set()
                raise stopped[0]
            seconds = round(chat.spent.seconds or 0.0, 3)
            spent = chat.spent._replace(  # a batch tells no seconds
                seconds=seconds if seconds or not chat.spent.calls else None
            )
            return found._replace(**{name: getattr(spent, name) for name in COSTS})

        works = [partial(converse, number, question) for number, question in enumerate(questions)]
        return session.run(works, self.progress)

    def _stop(self, many: int, options: Collection[str]) -> NoReplyError:
        asked = "the one question" if many == 1 else f"all of the first {many} questions"
        return NoReplyError(
            f"{self.model}: its last reply about {asked} was cut off: it ended at the limit of tokens, or "
            f"within its thoughts. Give it more room: {self.room(sorted({*options}))}. Every reply is kept; "
            "the same command with that asks again what was cut off, and nothing else."
        )


class Answerer(Protocol):
    """Anything that answers questions from a graph.

    It may have attributes more: ``needs``, of `NEEDS`, what it must be given beyond what every system is;
    ``uses_model``, whether it asks a model; ``answers``, whether it answers with ``entities`` (without it,
    these), with ``rows`` or with either, or ``kinds``, the only kinds of questions that it answers; for
    estimates of what it takes ``typical``, a `Typical`, ``worst_calls``, from the number of topic entities to
    the most calls for a question, ``graph_calls``, from the number of triples to the calls before the first
    question, and ``blind``, whether what it asks is the same on every graph; and ``spreads``, whether a run
    may be done in another process.
    """

    def __call__(
        self, given: Context, questions: Sequence[OpenQuestion]
    ) -> Sequence[Answered | Collection[int] | Collection[str]]:
        """What is found for each question.

        A plain collection holds ids of the graph or names; a list has the best first, a set is put into an
        order that is the same in every naming.
        """
        ...
