"""Has a language model, or a script, write what a kind asks for: from tasks to what may be asked.

A kind says which tasks are written next, how a reply is read, and what a candidate asks; all else is here.
Guarantees: tasks are written in batches, and what comes of them in their order, so that the same seed and
replies give the same questions, however many calls are in flight; what a model can mend it sees once more,
with the reason; and no more is asked of a model once `HOPELESS` replies in a row were refused for one cause.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rulemine.errors import UserError, counted
from rulemine.kinds.asking import HOPELESS, Asking, Draft, Tried
from rulemine.kinds.written.replies import Candidate, Refusal, Task, text_of
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.release.records import Question, Rejection

if TYPE_CHECKING:  # builds without a model load nothing of these
    from rulemine.kinds.written.model_calls import WritingCalls
    from rulemine.llm.call import Ask, Call

__all__ = ["AT_ONCE", "FEWEST_AT_ONCE", "Engine", "Made"]

AT_ONCE, FEWEST_AT_ONCE = 64, 8
"""Tasks of a batch at most, and what is written at least where fewer are lacking."""

MOST_QUOTED = 4000
"""Characters of a refused reply that the model sees again."""


class Made(NamedTuple):
    """What came of a candidate.

    Attributes:
        task: The task.
        found: The question, or its draft where the kind words it; or why there is none.
        reply: The reply; "": there is none.
        keys: The keys of the calls made for it.
    """

    task: Task
    found: Question | Draft | Rejection | Refusal
    reply: str
    keys: tuple[str, ...]


class _Said(NamedTuple):
    """What a writer said to a task, or why there is nothing; and the keys of the calls made for it."""

    said: str | Refusal
    keys: tuple[str, ...] = ()


class Engine:
    """A build's questions in the making.

    Args:
        asking: What all kinds ask with.

    Attributes:
        noun: What a reply has, in messages.
        advice: What to do where there is no question.
        names: The names of the entities of the complete graph, as writers use them.
        session: What answers calls; None: no model is named, and a script writes.
    """

    noun: ClassVar[str] = "candidate"
    advice: ClassVar[str]

    def __init__(self, asking: Asking) -> None:
        self.asking, self.inputs, self.kg = asking, asking.inputs, asking.kg
        self.options, self.session = asking.options, asking.writing.session
        self.names = WriterNames.of(asking.kg, asking.names, self.inputs.prompt_naming)
        self._since: Counter[str] = Counter()
        self._written = self._good = 0

    # What a kind supplies.

    def tasks(self) -> Sequence[Task]:
        """What is written next; empty: it is enough."""
        raise NotImplementedError

    def scripted(self, task: Task) -> str | Refusal:
        """The reply of the scripted writer, or why there is none."""
        raise NotImplementedError

    def call(self, task: Task) -> "Call":
        """The call that has a model write."""
        raise NotImplementedError

    def read(self, reply: str) -> Iterable[Candidate | Refusal]:
        """What a reply has, or why it has nothing."""
        raise NotImplementedError

    def draft(self, task: Task, candidate: Candidate) -> Draft | Refusal:
        """What a candidate asks, or why it is no question."""
        raise NotImplementedError

    def may_mend(self, reason: str) -> bool:
        """Whether a model is asked once more for what was refused so."""
        raise NotImplementedError

    def drawn(self, made: Made) -> Tried:
        """Where what came of a candidate belongs."""
        return Tried(made.task.part, made.task.stratum, rejected(made.found))

    def judged(self, made: Iterator[Made]) -> Iterator[Made]:
        """What came of a batch, where a question may still be refused."""
        return made

    # What is the same for all.

    def drafts(self) -> Iterator[Tried]:
        """What may be asked, and why the rest may not.

        Raises:
            UserError: A model wrote nothing of use.
        """
        while tasks := self.tasks():
            for made in self.judged(self._of_batch(tasks)):
                self._written += 1
                if isinstance(made.found, Question | Draft):
                    self._good += 1
                    query = made.found.query if isinstance(made.found, Question) else ""
                    self.asking.writing.concerns(made.keys, [query])
                yield self.drawn(made)
            self.asking.writing.status(
                f"{self._good / max(1, self._written):.0%} of {counted(self._written, self.noun)} accepted"
            )
            if self._is_hopeless():
                return

    def _of_batch(self, tasks: Sequence[Task]) -> Iterator[Made]:
        """What comes of tasks; what can be mended, at the end and once more."""
        again: dict[int, Made] = {}
        for made in self._replied(tasks):
            refused = made.found if isinstance(made.found, Rejection | Refusal) else None
            if refused and self.session is not None and self.may_mend(refused.reason):
                task = self._mended(made.task, refused, made.reply)
                again[task.number] = made._replace(task=task)
            else:
                yield made
        if self._is_hopeless():
            yield from again.values()
            return
        for made in self._replied([one.task for one in again.values()]):
            yield made._replace(keys=(*again[made.task.number].keys, *made.keys))

    def _replied(self, tasks: Sequence[Task]) -> Iterator[Made]:
        """What comes of tasks, in their order."""
        if self.session is None:
            replies = [_Said(self.scripted(task)) for task in tasks]
        else:
            replies = self.session.run([partial(self._ask, task) for task in tasks])
        for task, (reply, keys) in zip(tasks, replies, strict=True):
            self.asking.writing.concerns(keys)
            for one in [reply] if isinstance(reply, Refusal) else self.read(reply):
                found = self._made(task, one)
                if isinstance(found, Question | Draft):
                    self._since.clear()
                elif self.session is not None:
                    self._since[found.reason] += 1
                yield Made(task, found, "" if isinstance(reply, Refusal) else reply, keys)

    async def _ask(self, task: Task, ask: "Ask") -> _Said:
        call = self.call(task)
        return _Said(text_of(await ask(call)), (call.key,))

    def _made(
        self, task: Task, candidate: Candidate | Refusal
    ) -> Question | Draft | Rejection | Refusal:
        """The question of a candidate, or why it is none; of a script, its draft."""
        if isinstance(candidate, Refusal):
            return candidate
        draft = self.draft(task, candidate)
        if isinstance(draft, Refusal):
            return replace(draft, text=candidate.question)
        if self.session is None:
            return draft
        return self.asking.question(draft._replace(text=candidate.question))

    def _mended(self, task: Task, refused: Rejection | Refusal, reply: str) -> Task:
        """A task whose reply is to be mended, with the reason in words."""
        if isinstance(refused, Rejection):
            why = self.asking.texts.objection
        else:
            why = refused.reason + f" ({refused.detail})" * bool(refused.detail) + "."
        return replace(task, refused=(" ".join(reply.split())[:MOST_QUOTED], why))

    def _is_hopeless(self) -> bool:
        """Whether too many replies of a model in a row were refused for one cause.

        Raises:
            UserError: None was of use before, either.
        """
        if self.session is None or max(self._since.values(), default=0) < HOPELESS:
            return False
        if not self._good:
            why = "; ".join(f"{n:,} × {reason}" for reason, n in self._since.most_common())
            raise UserError(f"no question is left: {why}.\n{self.session.advice}{self.advice}")
        return True

    @cached_property
    def calls(self) -> "WritingCalls":
        """Makes the calls of a model."""
        from rulemine.kinds.written.model_calls import WritingCalls

        recipe, inputs = self.asking.recipe, self.inputs
        return WritingCalls(recipe, inputs.prompts, self.names, inputs.glosses)


def rejected(found: Question | Draft | Rejection | Refusal) -> Question | Draft | Rejection:
    """What was found, a refusal as the release keeps it."""
    if not isinstance(found, Refusal):
        return found
    return Rejection(
        "ask", found.reason, "", None, "", "", found.detail, found.text, query=found.query
    )
