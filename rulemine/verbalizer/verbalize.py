"""Verbalization of questions by a language model: one dialogue each, no two texts ambiguous.

Guarantees: questions, rejections and journal are functions of the replies alone, whatever the order in
which they arrive; no two formal queries share a text of the model; a question without an accepted text gets
its template, and its rejection gives the reasons without naming an entity.

Texts with the same words for different questions are retracted between iterations. What a question asks is
what its text from templates says, whatever its answers: relations that lead to the same entities have texts
of their own.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import TypeVar

from rulemine.codec import dump_line
from rulemine.errors import UserError
from rulemine.kinds.registry import kind_named
from rulemine.llm.call import Answer, Ask, Call
from rulemine.llm.session import Session
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection, topic_values
from rulemine.text.template import fill
from rulemine.verbalizer.checks import TextProblem, explain
from rulemine.verbalizer.dialogue import Dialogue, Verbalizer
from rulemine.verbalizer.inputs import QuestionInput
from rulemine.verbalizer.requests import Calls

__all__ = ["VerbalizationCounts", "Verbalized", "verbalize"]

T = TypeVar("T")
_Owner = TypeVar("_Owner", bound=Hashable)

Progress = Callable[[int, int], object]

MAX_SHOWN = 120
"""Most characters of a text that a message shows."""

FIRST_TEXTS, EXAMPLES = 50, 3
"""The stage ends when this many first texts all fail; the examples that the message shows."""

MAX_OTHERS = 3
"""Most questions with the same words that a model is shown."""


def find_ambiguous(texts: Iterable[tuple[str, str, _Owner]]) -> list[list[_Owner]]:
    """Groups texts that have the same words but ask for different things.

    Args:
        texts: Words, what is asked (`Dialogue.words`, `Dialogue.asks`), and owner of each text.

    Returns:
        The owners, group by group, sorted by words; each group in the order given.
    """
    groups: dict[str, list[tuple[str, _Owner]]] = {}
    for words, asks, owner in texts:
        groups.setdefault(words, []).append((asks, owner))
    return [
        [owner for _, owner in groups[words]]
        for words in sorted(groups)
        if len({asks for asks, _ in groups[words]}) > 1
    ]


def retract_ambiguous(dialogues: Sequence[Dialogue], verbalizer: Verbalizer) -> list[Dialogue]:
    """Retracts texts that have the same words as another question.

    A question without a text gets its template, which counts too. Dialogues without attempts left keep their
    text as long as another of the group may ask again: theirs may become the only one. When none may, all of
    the group lose their texts.

    Args:
        dialogues: All dialogues.
        verbalizer: Knows which dialogues have attempts left.

    Returns:
        The dialogues that have to ask again, in the order of `dialogues`; if none, no text is ambiguous.
    """
    while True:
        texts = [(d.words(), d.asks, i) for i, d in enumerate(dialogues)]
        groups = [[dialogues[i] for i in group] for group in find_ambiguous(texts)]
        groups = [group for group in groups if any(dialogue.pattern for dialogue in group)]
        if not groups:
            return []
        again: set[int] = set()
        for group in groups:
            verbalized = [dialogue for dialogue in group if dialogue.pattern]
            able = [dialogue for dialogue in verbalized if verbalizer.may_ask(dialogue)]
            for dialogue in able or verbalized:
                others = sorted({d.item.asked for d in group if d.asks != dialogue.asks})
                listed = "; ".join(others[:MAX_OTHERS]) + "; …" * (len(others) > MAX_OTHERS)
                dialogue.retract(TextProblem("ambiguous", f"the other one asks for {listed}"))
            again.update(id(dialogue) for dialogue in able)
        if again:
            return [dialogue for dialogue in dialogues if id(dialogue) in again]


def accept_paraphrases(
    dialogues: Sequence[Dialogue],
    proposed: Sequence[tuple[Dialogue, Sequence[str]]],
) -> None:
    """Accepts the proposed paraphrases that are not ambiguous.

    Args:
        dialogues: All dialogues; their texts and paraphrases so far must not be repeated.
        proposed: The dialogues of an iteration, and their patterns that pass all other checks.
    """
    texts = [
        (dialogue.words(pattern), dialogue.asks, -1)
        for dialogue in dialogues
        for pattern in (dialogue.pattern, *dialogue.paraphrases)
    ]
    drafts = [(dialogue, pattern) for dialogue, patterns in proposed for pattern in patterns]
    texts += [
        (dialogue.words(pattern), dialogue.asks, i) for i, (dialogue, pattern) in enumerate(drafts)
    ]
    ambiguous = {i for group in find_ambiguous(texts) for i in group}
    for i, (dialogue, pattern) in enumerate(drafts):
        if i in ambiguous:
            dialogue.refused.append((dialogue.text(pattern), TextProblem("ambiguous")))
        else:
            dialogue.paraphrases.append(pattern)


@dataclass(frozen=True, slots=True)
class VerbalizationCounts:
    """Counts over all questions; none depends on the order of replies.

    Attributes:
        questions: Questions to verbalize.
        verbalized: Questions with a text of the model.
        first: Those whose first text was accepted.
        problems: Code → texts, replies or calls rejected for it, sorted by code.
        paraphrases: Accepted paraphrases.
        wanted: Paraphrases wanted for the questions that have a text.
        refused: Code → rejected paraphrases, sorted by code.
    """

    questions: int
    verbalized: int
    first: int
    problems: dict[str, int]
    paraphrases: int
    wanted: int
    refused: dict[str, int]

    @classmethod
    def of(cls, dialogues: Sequence[Dialogue], paraphrases: int) -> "VerbalizationCounts":
        """Counts finished dialogues, each with so many paraphrases wanted."""
        verbalized = [dialogue for dialogue in dialogues if dialogue.pattern]
        problems = Counter(problem.code for d in dialogues for _, problem in d.rejected)
        refused = Counter(problem.code for d in dialogues for _, problem in d.refused)
        return cls(
            questions=len(dialogues),
            verbalized=len(verbalized),
            first=sum(not dialogue.rejected for dialogue in verbalized),
            problems=dict(sorted(problems.items())),
            paraphrases=sum(len(dialogue.paraphrases) for dialogue in verbalized),
            wanted=len(verbalized) * paraphrases,
            refused=dict(sorted(refused.items())),
        )

    def to_text(self) -> str:
        """The counts in a sentence."""
        text = (
            f"{self.first:,} of {self.questions:,} questions were verbalized at the first attempt, "
            f"{self.verbalized - self.first:,} later, {self.questions - self.verbalized:,} not at all"
            f"{_by_code(self.problems)}"
        )
        if self.wanted:
            text += (
                f"; {self.paraphrases:,} of {self.wanted:,} paraphrases were accepted"
                f"{_by_code(self.refused)}"
            )
        return f"{text}."


def _by_code(problems: dict[str, int]) -> str:
    """Counts of rejected texts, most frequent first."""
    ordered = sorted(problems.items(), key=lambda item: (-item[1], item[0]))
    rejected = ", ".join(f"{count:,} {code}" for code, count in ordered)
    return f" (rejected: {rejected})" if rejected else ""


@dataclass(frozen=True, slots=True)
class Verbalized:
    """Questions in a model's words.

    Attributes:
        asked: The questions, source labels, ids unchanged; rejected texts are among the rejections.
        journal: Every call made for a question, see `rulemine.release.contents.ModelTrace`.
        counts: Counts of texts and paraphrases, accepted and rejected.
    """

    asked: QuestionSet
    journal: tuple[bytes, ...]
    counts: VerbalizationCounts


def verbalize(
    asked: QuestionSet,
    inputs: Sequence[QuestionInput],
    calls: Calls,
    session: Session,
    progress: Progress | None = None,
    status: Callable[[str], object] | None = None,
    *,
    fail_fast: bool = True,
    verbalizer: type[Verbalizer] = Verbalizer,
) -> Verbalized:
    """Verbalizes questions with a language model.

    Args:
        asked: The questions, all of one kind, with the texts of their templates.
        inputs: Their verbalization inputs, in the same order.
        calls: Makes the calls; has the options (judge, paraphrases).
        session: Answers the calls.
        progress: Called with (settled questions, all questions). A question whose text is retracted is no
            longer settled.
        status: Called with a short line of counts.
        fail_fast: Whether to stop when none of the first `FIRST_TEXTS` texts passes the checks.
        verbalizer: Holds the dialogues.

    Raises:
        UserError: No text passes the checks.
        EndpointError: The endpoint cannot be used.
        LimitError: A limit of the session is reached.
        ReplayError: The session replays a journal that lacks a reply.
    """
    if [item.question.id for item in inputs] != [question.id for question in asked.questions]:
        raise ValueError("one input for each question was expected, in the same order")
    dialogues = [Dialogue(item) for item in inputs]
    held, chosen = verbalizer(calls), calls.chosen
    stage = _Stage(session, dialogues, calls, progress, status, fail_fast)
    stage.run(dialogues, held.verbalize)
    while again := retract_ambiguous(dialogues, held):
        stage.run(again, held.verbalize)
    while lacking := [dialogue for dialogue in dialogues if held.missing(dialogue)]:
        proposed = stage.run(lacking, held.paraphrase, phase=1)
        pairs = list(zip(lacking, proposed, strict=True))
        accept_paraphrases(dialogues, pairs)
    return Verbalized(
        _outcome(asked, dialogues),
        _journal(dialogues, session),
        VerbalizationCounts.of(dialogues, chosen.paraphrases),
    )


class _Stage:
    """Runs dialogues and reports how many of all are settled."""

    def __init__(
        self,
        session: Session,
        dialogues: Sequence[Dialogue],
        calls: Calls,
        progress: Progress | None,
        status: Callable[[str], object] | None,
        fail_fast: bool,
    ) -> None:
        self._session, self._dialogues, self._calls = session, dialogues, calls
        self._phases = 1 + (calls.chosen.paraphrases > 0)
        self._progress, self._status = progress, status
        self._rejected = self._texts = 0
        self._passed, self._fail_fast = False, fail_fast
        self._end: UserError | None = None

    def run(
        self,
        dialogues: Sequence[Dialogue],
        work: Callable[[Dialogue, Ask], Awaitable[T]],
        phase: int = 0,
    ) -> list[T]:
        """Runs one iteration.

        Args:
            dialogues: Those of the iteration; all others are settled as far as this phase goes.
            work: What to do in each.
            phase: 0 for texts, 1 for paraphrases.
        """
        left = len(dialogues)
        self._rejected = sum(not dialogue.pattern for dialogue in self._dialogues)
        self._rejected -= sum(not dialogue.pattern for dialogue in dialogues)

        async def one(dialogue: Dialogue, ask: Ask) -> T:
            nonlocal left

            async def ask_unless_ended(call: Call) -> Answer:
                if self._end is not None:
                    raise self._end
                return await ask(call)

            result = await work(dialogue, ask_unless_ended)
            left -= 1
            self._check_first_texts(dialogue)
            self._rejected += not dialogue.pattern
            self._report(left, phase)
            return result

        return self._session.run([partial(one, dialogue) for dialogue in dialogues])

    def _check_first_texts(self, dialogue: Dialogue) -> None:
        """Ends the stage when none of the first texts passes."""
        self._passed |= bool(dialogue.pattern)
        self._texts += len(dialogue.rejected)
        if self._fail_fast and not self._passed and self._texts >= FIRST_TEXTS:
            what = f"none of its first {FIRST_TEXTS} texts passes the checks; the build stops here"
            instead = "leave --verbalizer out: templates need no model"
            advice = self._session.advice
            self._end = _no_text_passes(self._calls, what, self._dialogues, instead, advice)

    def _report(self, left: int, phase: int) -> None:
        everything = len(self._dialogues)
        if self._progress is not None:
            steps = everything * (phase + 1) - left
            self._progress(steps // self._phases, everything)
        if self._status is not None:
            pace = self._session.usage.calls_per_minute
            self._status(f"{self._rejected:,} rejected · {pace:,.0f} calls/min")


def _outcome(asked: QuestionSet, dialogues: Sequence[Dialogue]) -> QuestionSet:
    questions: list[Question] = []
    rejections: list[Rejection] = []
    private = {row.entity: row.private for row in asked.names}
    for question, dialogue in zip(asked.questions, dialogues, strict=True):
        if dialogue.pattern:
            patterns = (dialogue.pattern, *dialogue.paraphrases)
            names = topic_values(question.anchors, private)
            text, *paraphrases = [fill(pattern, names) for pattern in patterns]
            questions.append(
                replace(
                    question,
                    question=text,
                    wording="model",
                    paraphrases=tuple(paraphrases),
                    patterns=patterns,
                )
            )
            continue
        rejections.append(_rejection(question, dialogue))
        questions.append(replace(question, wording="fallback"))
    return asked.keep(questions, rejections)


def _rejection(question: Question, dialogue: Dialogue) -> Rejection:
    """What became of a question without an accepted text, and why."""
    codes = [problem.code for _, problem in dialogue.rejected]
    detail = f"template used: {', '.join(codes)}"
    text = next((text for text, _ in reversed(dialogue.rejected) if text), "")
    removed, direction, rule, query = kind_named(question.kind).wording.about(question)
    return Rejection(
        "verbalize", codes[-1], question.id, removed, direction, rule, detail, text, query
    )


def _journal(dialogues: Sequence[Dialogue], session: Session) -> tuple[bytes, ...]:
    ids: dict[str, list[str]] = {}
    for dialogue in dialogues:
        for key in dialogue.keys:
            ids.setdefault(key, []).append(dialogue.item.question.id)
    return tuple(
        dump_line({**session.line(key), "questions": sorted(ids[key])}).encode()
        for key in sorted(ids)
    )


def _no_text_passes(
    calls: Calls, what: str, dialogues: Sequence[Dialogue], instead: str, advice: str
) -> UserError:
    failed = [(d.item.question.id, *d.rejected[-1]) for d in dialogues if d.rejected][:EXAMPLES]
    examples = "".join(
        f"\n  {question}: {shorten(text, MAX_SHOWN)!r}: {explain(problem)}"
        for question, text, problem in failed
    )
    return UserError(
        f"model {calls.chosen.model!r}: {what}. Examples:{examples}\n{advice}Use another model, edit the "
        f"prompts (a copy of rulemine/{calls.prompts.packaged}, given as --prompt), or {instead}."
    )
