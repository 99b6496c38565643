"""Verbalization of questions by a language model: one dialogue each, no two texts ambiguous.

In a dialogue the model is asked for a text, its reply read, checked and judged, and asked again with the
reasons. A text that the judge rejects is followed by the one that the judge proposes, if there is one. Texts
with the same words for different questions are retracted between iterations. What a question asks is what its
text from templates says, whatever its answers: relations that lead to the same entities have texts of their
own.

Guarantees: questions, rejections and journal are functions of the replies alone, whatever the order in which
they arrive; the attempts of a dialogue are bounded, whatever the model replies; every accepted text has
passed the checks and the judge, if there is one; no two formal queries share a text of the model; a question
without an accepted text gets its template, and its rejection gives the reasons without naming an entity.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from textwrap import shorten

from rulemine.codec import dump_line
from rulemine.errors import UserError
from rulemine.kinds.registry import kind_named
from rulemine.llm.call import Ask, Call, Failure, Reply
from rulemine.llm.session import Session
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection, topic_values
from rulemine.text.normalization import QUESTION_MARKS, fold_loosely
from rulemine.text.template import fill
from rulemine.verbalizer.checks import Checker, QuestionInput, placeholders
from rulemine.verbalizer.prompts import Calls
from rulemine.verbalizer.replies import (
    TextProblem,
    Verdict,
    explain,
    read_list,
    read_question,
    read_verdict,
)

__all__ = ["ATTEMPTS", "VerbalizationCounts", "Verbalized", "same_words", "verbalize"]

Progress = Callable[[int, int], object]

ATTEMPTS = 3
"""Texts that are asked for until one passes the checks."""

MAX_SHOWN = 120
"""Most characters of a text that a message shows."""

FIRST_TEXTS, EXAMPLES = 50, 3
"""The stage ends when this many first texts all fail; the examples that the message shows."""

MAX_OTHERS = 3
"""Most questions with the same words that a model is shown."""


@dataclass(slots=True)
class Dialogue:
    """The state of the dialogue about one question.

    Attributes:
        item: The question.
        pattern: The accepted text, with placeholders; empty if there is none yet.
        asked: Texts asked for so far.
        rejected: The rejected texts so far, and why.
        paraphrases: The patterns of the accepted paraphrases.
        proposed: Patterns of paraphrases that pass the checks, before they are compared with other questions.
        asked_again: Calls for paraphrases so far.
        refused: The rejected paraphrases so far, and why.
        ended: Whether no more calls can be made.
        keys: The keys of its calls.
    """

    item: QuestionInput
    pattern: str = ""
    asked: int = 0
    rejected: list[tuple[str, TextProblem]] = field(default_factory=list)
    paraphrases: list[str] = field(default_factory=list)
    proposed: list[str] = field(default_factory=list)
    asked_again: int = 0
    refused: list[tuple[str, TextProblem]] = field(default_factory=list)
    ended: bool = False
    keys: set[str] = field(default_factory=set)

    @property
    def names(self) -> dict[str, str]:
        """What the placeholders of its patterns stand for, in the naming of the prompts."""
        return dict(zip(placeholders(len(self.item.topics)), self.item.names, strict=True))

    @property
    def may_ask(self) -> bool:
        """Whether there is an attempt left if the text so far, if any, is retracted."""
        return not self.ended and self.asked < ATTEMPTS

    def text(self, pattern: str) -> str:
        """A pattern, filled in with the names of the topic entities, in the naming of the prompts."""
        return fill(pattern, self.names)

    def words(self, pattern: str = "") -> str:
        """The words (`same_words`) of a pattern; without one, of the accepted text or else the template."""
        return same_words(pattern or self.pattern or self.item.template, self.names)

    @property
    def asks(self) -> str:
        """What it asks, whatever its text: the words of the template."""
        return same_words(self.item.template, self.names)

    def missing(self, paraphrases: int) -> int:
        """How many of so many paraphrases may still be asked for."""
        used_up = self.ended or self.asked_again >= ATTEMPTS
        return paraphrases - len(self.paraphrases) if self.pattern and not used_up else 0


_MARKS = " " + "".join(QUESTION_MARKS)


def same_words(pattern: str, names: Mapping[str, str]) -> str:
    """Reduces a text to what it shares with all texts that a reader would call the same.

    Args:
        pattern: A text with placeholders.
        names: What they stand for.

    Returns:
        The text without case, kinds of quotes and dashes, repeated white space, and the question mark at
        its end; marks that belong to the name stay.

    Example:
        >>> same_words("Who  met {topic} ?", {"topic": "Ann"}) == same_words("who met ann?", {})
        True
    """
    return fold_loosely(fill(pattern.rstrip(_MARKS), names)).strip()


Answered = Callable[[Call], Awaitable[Reply]]
"""Asks, and is sure to get a reply, or else raises `UnansweredError`."""


class UnansweredError(Exception):
    """A call without a reply, which ends its dialogue; has the `TextProblem`."""


class Verbalizer:
    """Holds the dialogues of a stage and reports how many are settled; arguments as of `verbalize`."""

    def __init__(
        self,
        dialogues: Sequence[Dialogue],
        calls: Calls,
        session: Session,
        progress: Progress | None,
        status: Callable[[str], object] | None,
        fail_fast: bool,
    ) -> None:
        self._dialogues, self._calls, self._session = dialogues, calls, session
        self._progress, self._status, self._watches = progress, status, fail_fast
        self._chosen = calls.chosen
        self._checker = Checker((row.relation for row in calls.glosses.rows), calls.glosses.rows)
        self._rejected = self._texts = 0
        self._end: UserError | None = None

    def run(self, dialogues: Sequence[Dialogue], again: bool = False) -> None:
        """Asks for the texts of some dialogues; all others are settled as far as texts or paraphrases go.

        Args:
            dialogues: The dialogues.
            again: Whether paraphrases are asked for, once each, and not texts.
        """
        self._rejected = sum(not dialogue.pattern for dialogue in self._dialogues)
        self._rejected -= sum(not dialogue.pattern for dialogue in dialogues)
        everything, phases = len(self._dialogues), 1 + (self._chosen.paraphrases > 0)

        async def one(dialogue: Dialogue, ask: Ask) -> None:
            async def answered(call: Call) -> Reply:
                if self._end is not None:
                    raise self._end
                dialogue.keys.add(call.key)
                answer = await ask(call)
                if isinstance(answer, Failure):
                    raise UnansweredError(TextProblem.of(answer))
                return answer

            try:
                await (self._paraphrase if again else self._verbalize)(dialogue, answered)
            except UnansweredError as unanswered:
                dialogue.ended = True
                (dialogue.refused if again else dialogue.rejected).append(("", unanswered.args[0]))
            self._rejected += not dialogue.pattern
            self._texts += len(dialogue.rejected)
            self._watches &= not dialogue.pattern
            if self._watches and self._texts >= FIRST_TEXTS:
                self._end = self._none_passes()

        def report(done: int, of: int) -> None:
            if self._progress is not None:
                self._progress((everything * (1 + again) - of + done) // phases, everything)
            if self._status is not None:
                pace = self._session.usage.calls_per_minute
                self._status(f"{self._rejected:,} rejected · {pace:,.0f} calls/min")

        self._session.run([partial(one, dialogue) for dialogue in dialogues], report)

    async def _verbalize(self, dialogue: Dialogue, ask: Answered) -> None:
        """Asks for a text until one is accepted or no attempts are left."""
        while not dialogue.pattern and dialogue.may_ask:
            dialogue.asked += 1
            call = self._calls.question(dialogue.item, dialogue.rejected)
            reply = await ask(call)
            text = read_question(reply)
            if isinstance(text, TextProblem):
                dialogue.rejected.append((reply.text, text))
                continue
            proposal = await self._try(dialogue, text, ask)
            if proposal not in ("", text) and not dialogue.pattern:
                await self._try(dialogue, proposal, ask)

    async def _try(self, dialogue: Dialogue, text: str, ask: Answered) -> str:
        """Accepts a text, or notes why it fails; returns the text that the judge proposes instead, if any."""
        pattern, verdict = await self._examine(dialogue, text, ask)
        if verdict.problem is None:
            dialogue.pattern = pattern
        else:
            dialogue.rejected.append((text, verdict.problem))
        return verdict.refined

    async def _paraphrase(self, dialogue: Dialogue, ask: Answered) -> None:
        """Asks once for the missing paraphrases; proposes at most as many, which differ from all so far."""
        missing = dialogue.missing(self._chosen.paraphrases)
        dialogue.asked_again += 1
        patterns = (dialogue.pattern, *dialogue.paraphrases)
        texts, taken = map(dialogue.text, patterns), set(map(dialogue.words, patterns))
        call = self._calls.paraphrase(dialogue.item, [*texts], missing, dialogue.refused)
        reply = await ask(call)
        drafts = read_list(reply)
        if isinstance(drafts, TextProblem):
            dialogue.refused.append((reply.text, drafts))
            return
        for text in drafts:
            if len(dialogue.proposed) == missing:
                break
            pattern, verdict = await self._examine(dialogue, text, ask, taken)
            if verdict.problem is None:
                taken.add(dialogue.words(pattern))
                dialogue.proposed.append(pattern)
            else:
                dialogue.refused.append((text, verdict.problem))

    async def _examine(
        self, dialogue: Dialogue, text: str, ask: Answered, taken: Container[str] = ()
    ) -> tuple[str, Verdict]:
        """The pattern of a text, and what checks, a comparison with those taken, and the judge say.

        A verdict that cannot be read fails the text and is not asked for again: the same call has the same
        reply. The judge sees the next text afresh.
        """
        item = dialogue.item
        pattern = item.check(text, self._chosen.language, self._checker)
        if isinstance(pattern, TextProblem):
            return "", Verdict(pattern)
        if dialogue.words(pattern) in taken:
            return "", Verdict(TextProblem("not_distinct"))
        if not (self._chosen.judge_model or item.always_judged):
            return pattern, Verdict(None)
        call = self._calls.audit(item, dialogue.text(pattern))
        return pattern, read_verdict(await ask(call), call.purpose)

    def _none_passes(self) -> UserError:
        """Why the stage ends when none of the first texts passes."""
        failed = [(d.item.question.id, *d.rejected[-1]) for d in self._dialogues if d.rejected]
        examples = "".join(
            f"\n  {question}: {shorten(text, MAX_SHOWN)!r}: {explain(problem)}"
            for question, text, problem in failed[:EXAMPLES]
        )
        return UserError(
            f"model {self._calls.chosen.model!r}: none of its first {FIRST_TEXTS} texts passes the checks; "
            f"the build stops here. Examples:{examples}\n{self._session.advice}Use another model, edit the "
            f"prompts (a copy of rulemine/{self._calls.prompts.packaged}, given as verbalizer.prompt), or "
            "leave --model out: templates need no model."
        )


def find_ambiguous(texts: Iterable[tuple[str, str, int]]) -> list[list[int]]:
    """Groups texts that have the same words but ask for different things.

    Args:
        texts: Words, what is asked (`Dialogue.words`, `Dialogue.asks`), and number of each text.

    Returns:
        The numbers, group by group, sorted by words; each group in the order given.
    """
    groups: dict[str, list[tuple[str, int]]] = {}
    for words, asks, number in texts:
        groups.setdefault(words, []).append((asks, number))
    return [
        [number for _, number in groups[words]]
        for words in sorted(groups)
        if len({asks for asks, _ in groups[words]}) > 1
    ]


def retract_ambiguous(dialogues: Sequence[Dialogue]) -> bool:
    """Retracts texts that have the same words as another question, and says whether there were any.

    A question without a text gets its template, which counts too, so there may be more then. Dialogues
    without attempts left keep their text as long as another of the group may ask again: theirs may become the
    only one. When none may, all of the group lose their texts.
    """
    retracted = False
    texts = [(d.words(), d.asks, i) for i, d in enumerate(dialogues)]
    for group in [[dialogues[i] for i in found] for found in find_ambiguous(texts)]:
        verbalized = [dialogue for dialogue in group if dialogue.pattern]
        able = [dialogue for dialogue in verbalized if dialogue.may_ask]
        for dialogue in able or verbalized:
            others = sorted({d.item.asked for d in group if d.asks != dialogue.asks})
            listed = "; ".join(others[:MAX_OTHERS]) + "; …" * (len(others) > MAX_OTHERS)
            problem = TextProblem("ambiguous", f"the other one asks for {listed}")
            dialogue.rejected.append((dialogue.text(dialogue.pattern), problem))
            dialogue.pattern, retracted = "", True
    return retracted


def accept_paraphrases(dialogues: Sequence[Dialogue]) -> None:
    """Accepts the proposed paraphrases that do not repeat a text of another question."""
    drafts = [(dialogue, pattern) for dialogue in dialogues for pattern in dialogue.proposed]
    had = [(d, pattern) for d in dialogues for pattern in (d.pattern, *d.paraphrases)]
    texts = [(d.words(pattern), d.asks, i) for i, (d, pattern) in enumerate([*drafts, *had])]
    ambiguous = {i for group in find_ambiguous(texts) for i in group}
    for i, (dialogue, pattern) in enumerate(drafts):
        dialogue.proposed = []
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

    Raises:
        UserError: No text passes the checks.
        EndpointError: The endpoint cannot be used.
        LimitError: A limit of the session is reached.
        ReplayError: The session replays a journal that lacks a reply.
    """
    if [item.question.id for item in inputs] != [question.id for question in asked.questions]:
        raise ValueError("one input for each question was expected, in the same order")
    dialogues = [Dialogue(item) for item in inputs]
    wanted = calls.chosen.paraphrases
    verbalizer = Verbalizer(dialogues, calls, session, progress, status, fail_fast)
    verbalizer.run(dialogues)
    while retract_ambiguous(dialogues):
        verbalizer.run([d for d in dialogues if not d.pattern and d.may_ask])
    while lacking := [dialogue for dialogue in dialogues if dialogue.missing(wanted)]:
        verbalizer.run(lacking, again=True)
        accept_paraphrases(dialogues)
    return Verbalized(
        _outcome(asked, dialogues),
        _journal(dialogues, session),
        VerbalizationCounts.of(dialogues, wanted),
    )


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
    """The record of a question without an accepted text, with the reasons."""
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
