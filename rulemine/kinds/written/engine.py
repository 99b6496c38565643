"""Asks by a writer, a language model or a script: from tasks to candidates to questions that are graded.

A kind says what is asked for next, how a reply is read and checked, and what is kept of what passes; all
else is here. Guarantees: tasks are written in batches, and candidates accepted in the order of their tasks,
so that the same seed and replies give the same questions, however many calls are in flight; no two questions
share a query or a text; no part of one is idle; of what a script writes, the less contrived candidates of
each shape are asked; what is refused is counted by reason, and kept if it has
words.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from rulemine.errors import UserError, counted
from rulemine.kinds.asking import MOST_SHOWN, Asking, Draft, question_ids
from rulemine.kinds.checks import Unaskable, refusal
from rulemine.kinds.contrived import LessContrived
from rulemine.kinds.graded import Graded
from rulemine.kinds.written.candidate import Refusal, Written
from rulemine.kinds.written.replies import text_of
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.replay import Replay
from rulemine.query.grading import Grades
from rulemine.query.structures import structure_of
from rulemine.query.tree import Query
from rulemine.release.naming import Namer
from rulemine.release.records import Question, Rejection

if TYPE_CHECKING:  # builds without a model load nothing of these
    from rulemine.kinds.written.model_calls import WritingCalls
    from rulemine.llm.call import Ask, Call

__all__ = ["FEWEST_AT_ONCE", "MOST_AT_ONCE", "Engine"]

MOST_AT_ONCE, FEWEST_AT_ONCE = 64, 8
"""Tasks of a batch: what is in flight together, and what is written beyond what was wanted."""

CUT_OFF = 50
"""Tasks without a question that end a build most of whose replies are cut off."""


class _Candidate(Protocol):
    @property
    def question(self) -> str: ...


CONTRIVED = "it is more contrived than others"

Task = TypeVar("Task")
Candidate = TypeVar("Candidate", bound=_Candidate)
Made = Question | Rejection | Refusal
"""What comes of a candidate: a question, or why there is none."""


class Engine(Generic[Task, Candidate]):
    """A build's questions in the making.

    Args:
        asking: What all kinds ask with.

    Attributes:
        noun: What a reply has, in messages.
        patience: With a model: so many tasks, asked or skipped, without a question end the build.
        advice: What to do where there is no question.
        names: The names of the entities of the complete graph, as writers use them.
        found: The questions so far, with source labels, without ids.
        keys: Query of each → the keys of the calls made for it.
        asked: How many tasks there were.
        drawn: How many candidates there were.
        skipped: Why nothing was written for more → how many.
    """

    noun: ClassVar[str]
    patience: ClassVar[int]
    advice: ClassVar[str]

    def __init__(self, asking: Asking) -> None:
        self.asking, self.inputs, self.kg = asking, asking.inputs, asking.kg
        self.options, self.chosen = asking.options, asking.recipe.questions
        self.writing, self.session = asking.writing, asking.writing.session
        self.naming = asking.inputs.prompt_naming
        self.names = WriterNames.of(asking.kg, asking.names, self.naming)
        self.namer = Namer(asking.names, asking.templates, self.naming)
        self.found: list[Question] = []
        self.keys: dict[str, tuple[str, ...]] = {}
        self.asked = self.drawn = 0
        self.skipped: Counter[str] = Counter()
        self.better = LessContrived()

    # What a kind supplies.

    def tasks(self) -> Sequence[Task] | None:
        """What is written next; None: it is enough."""
        raise NotImplementedError

    def scripted(self, task: Task) -> str | Refusal:
        """The reply of the scripted writer, or why there is none."""
        raise NotImplementedError

    def call(self, task: Task) -> "Call":
        """The call that has a model write."""
        raise NotImplementedError

    def read(self, reply: str) -> "Iterable[Candidate | Refusal]":
        """What a reply has, or why it has nothing."""
        raise NotImplementedError

    def draft(self, task: Task, candidate: Candidate) -> Draft | Refusal:
        """What a candidate asks, or why it is no question."""
        raise NotImplementedError

    def take(self, tasks: Sequence[Task]) -> None:
        """Has a batch written, accepts or refuses what comes of it, and reports."""
        raise NotImplementedError

    def kept(self) -> tuple[list[Question], list[tuple[Question, str]]]:
        """The questions that stay, in the order of their ids, and the others with the reasons.

        Raises:
            UserError: None is left for a split.
        """
        raise NotImplementedError

    def counts(self, kept: Sequence[Question]) -> dict[str, Any]:
        """What the manifest says of the kind beside what it says of all."""
        raise NotImplementedError

    @property
    def tried(self) -> str:
        """What was tried, in words."""
        return counted(self.drawn, self.noun)

    # What is the same for all.

    def drafts(self) -> Iterator[Question]:
        """The questions, once there are enough.

        Raises:
            UserError: There is none.
        """
        asking, wanted = self.asking, self.options.questions
        while (tasks := self.tasks()) is not None:
            self.asked += len(tasks)
            self.take(tasks)
            self._check_patience()
        kept, refused = self.kept()
        if not kept:
            raise UserError(self._explain_none())
        for question, reason in refused:
            self.turn_down(question, reason)
        for question, own in zip(kept, question_ids(len(kept)), strict=True):
            self.writing.concerns(self.keys[question.query], [own])
        counts = {
            "wanted": wanted,
            "questions": len(kept),
            "drawn": self.drawn,
            "rejected": dict(sorted(asking.reasons.items())),
            "contrived": self.better.to_plain(question.query for question in kept),
        }
        asking.sampling = {asking.kind.name: counts | self.counts(kept)}
        yield from kept

    @cached_property
    def calls(self) -> "WritingCalls":
        """Makes the calls of a model."""
        from rulemine.kinds.written.model_calls import WritingCalls

        return WritingCalls(
            self.asking.recipe, self.inputs.prompts, self.names, self.inputs.glosses
        )

    def written(
        self, tasks: Sequence[Task]
    ) -> Iterator[tuple[Task, str | Refusal, Made, tuple[str, ...]]]:
        """What comes of tasks, in their order: each task, reply and question, and the keys of the calls."""
        if self.session is None:
            written = [Written(self.scripted(task)) for task in tasks]
        else:
            written = self.session.run([partial(self.ask, task) for task in tasks])
        for task, (reply, keys) in zip(tasks, written, strict=True):
            self.writing.concerns(keys)
            for one in [reply] if isinstance(reply, Refusal) else self.read(reply):
                yield task, reply, self._question(task, one), keys

    async def ask(self, task: Task, ask: "Ask") -> Written:
        """Has a model write."""
        call = self.call(task)
        return Written(text_of(await ask(call)), (call.key,))

    def report(self, done: int, accepted: int) -> None:
        """Says how many questions there are, and how many of all candidates stay so far."""
        self.asking.progress(done, self.options.questions)
        share = f"{accepted / max(1, self.drawn):.0%}"
        self.writing.status(f"{share} of {counted(self.drawn, self.noun)} accepted")

    def accept(self, question: Question, keys: tuple[str, ...]) -> None:
        """Takes a question."""
        self.found.append(question)
        self.keys[question.query] = keys

    def refuse(self, found: Rejection | Refusal) -> None:
        """Counts what is refused, and keeps what has words."""
        if isinstance(found, Refusal):
            detail = found.detail or f"in the naming {self.naming}"
            found = Rejection(
                "ask", found.reason, "", None, "", "", detail, found.text, query=found.query
            )
        self.asking.refuse(found)

    def turn_down(self, question: Question, reason: str) -> None:
        """Refuses a question that passed all checks of its own."""
        text = self.namer.question(question).question
        self.refuse(Refusal(reason, text=text, query=question.query))

    def graded(self, query: Query) -> Graded | str:
        """What a query, with all statements of its relations, gives, or why it is no question."""
        asking = self.asking
        if query.text in asking.queries:
            return Unaskable.SAME
        shape = structure_of(query, asking.declarations).shape
        if self.session is None and self.better.refused(shape, query):
            return CONTRIVED  # found in an earlier batch
        grades = Grades(asking.graph, query)
        most = self.options.max_answers or len(grades)
        if 0 < len(grades) <= most and not self._is_better(shape, grades):
            return CONTRIVED
        limits = self.options.max_answers or math.inf, self.options.max_evidence
        graded = Graded(asking.grader, query, *limits, grades)
        return refusal(graded) or graded

    def _is_better(self, shape: str, grades: Grades) -> bool:
        """Whether a query is among the less contrived ones of its shape; what a model writes always is."""
        points = self.asking.contrived.points(grades)
        return self.better.has(shape, grades.query, points) or self.session is not None

    def _question(self, task: Task, candidate: Candidate | Refusal) -> Made:
        """The question of a candidate, or why it is none."""
        if isinstance(candidate, Refusal):
            return candidate
        draft = self.draft(task, candidate)
        if isinstance(draft, Refusal):
            return replace(draft, text=candidate.question)
        text = None if self.session is None else candidate.question
        return self.asking.question(draft._replace(text=text))

    def _check_patience(self) -> None:
        """Ends a build whose model writes nothing that can be used."""
        if self.session is None or isinstance(self.session, Replay) or self.found:
            return
        patience = min(self.patience, CUT_OFF) if self.session.advice else self.patience
        if self.asked + self.skipped.total() >= patience:
            raise UserError(self._explain_none())

    def _explain_none(self) -> str:
        ways = (self.skipped + self.asking.reasons).most_common(MOST_SHOWN)
        why = "; ".join(f"{n:,} × {reason}" for reason, n in ways)
        advice = "" if self.session is None else self.session.advice
        return f"no question is left: {self.tried} ({why}).\n{advice}{self.advice}"
