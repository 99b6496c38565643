"""Questions put into a language model's words, one conversation each, and told apart from one another.

Guarantees: questions, rejections and journal are functions of the replies alone, whatever the order in
which they arrive; no two formal queries share a text of the model; a question without a good text has its
template, or is dropped, with the reasons among the rejections, which name no entity.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import TypeVar

from rulemine.codec import dump_line
from rulemine.errors import UserError
from rulemine.llm.call import Answer, Ask, Call
from rulemine.llm.session import Session
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.text.template import fill
from rulemine.verbalizer.briefs import Brief
from rulemine.verbalizer.checks import explain
from rulemine.verbalizer.conversation import Dialogue, Verbalizer
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.requests import Calls
from rulemine.verbalizer.rounds import accept_paraphrases, send_back
from rulemine.verbalizer.summary import Tally, count_dialogues

__all__ = ["Verbalized", "verbalize"]

T = TypeVar("T")

Progress = Callable[[int, int], object]

SHOWN = 120
"""Characters of a text that are shown in a message."""

FIRST_TEXTS, EXAMPLES = 50, 3
"""Texts that may all fail before a model is given up; those of them that the message shows."""

DEFAULT_PROMPTS = "rulemine/verbalizer/prompts.toml"


@dataclass(frozen=True, slots=True)
class Verbalized:
    """Questions in a model's words.

    Attributes:
        asked: The questions, source labels, ids unchanged, with the texts that were not kept among the
            rejections.
        journal: Every call that was made for a question, see `rulemine.release.contents.ModelTrace`.
        tally: What came of it in figures.
    """

    asked: QuestionSet
    journal: tuple[bytes, ...]
    tally: Tally


def verbalize(
    asked: QuestionSet,
    briefs: Sequence[Brief],
    calls: Calls,
    session: Session,
    progress: Progress | None = None,
    status: Callable[[str], object] | None = None,
    *,
    hopes: bool = True,
) -> Verbalized:
    """Puts questions into a model's words.

    Args:
        asked: The questions as templates ask them.
        briefs: What there is to know about each, in the same order.
        calls: Makes the calls; says how many attempts there are, and what else is asked.
        session: Where the model is asked.
        progress: Told (questions settled, of all). A text that is taken back is settled no longer.
        status: Told how it stands, in a few words.
        hopes: Whether the stage ends when none of the first `FIRST_TEXTS` texts is good.

    Raises:
        UserError: Every question was dropped, or no text is good.
        EndpointError: The endpoint cannot be used.
        LimitError: A limit of the session is reached.
        ReplayError: The session is a journal, and lacks a reply.
    """
    if [brief.question.id for brief in briefs] != [question.id for question in asked.questions]:
        raise ValueError("one brief for each question was expected, in the same order")
    dialogues = [Dialogue(brief) for brief in briefs]
    verbalizer, chosen = Verbalizer(calls), calls.chosen
    templates = chosen.on_failure == "template"
    stage = _Stage(session, dialogues, chosen, progress, status, hopes)
    stage.hold(dialogues, verbalizer.word)
    while back := send_back(dialogues, verbalizer, templates=templates):
        stage.hold(back, verbalizer.word)
    while lacking := [dialogue for dialogue in dialogues if verbalizer.missing(dialogue)]:
        proposed = stage.hold(lacking, verbalizer.reword, phase=1)
        pairs = list(zip(lacking, proposed, strict=True))
        accept_paraphrases(dialogues, pairs, templates=templates)
    if not templates and not any(dialogue.pattern for dialogue in dialogues):
        raise UserError(_nothing_left(dialogues))
    return Verbalized(
        _outcome(asked, dialogues, templates),
        _journal(dialogues, session),
        count_dialogues(dialogues, chosen.paraphrases),
    )


class _Stage:
    """Holds conversations, and says how far all of them are."""

    def __init__(
        self,
        session: Session,
        dialogues: Sequence[Dialogue],
        chosen: VerbalizerSection,
        progress: Progress | None,
        status: Callable[[str], object] | None,
        hopes: bool,
    ) -> None:
        self._session, self._dialogues, self._model = session, dialogues, chosen.model
        self._phases = 1 + (chosen.paraphrases > 0)
        self._progress, self._status = progress, status
        self._rejected = self._texts = 0
        self._passed, self._hopes = False, hopes
        self._end: UserError | None = None

    def hold(
        self,
        dialogues: Sequence[Dialogue],
        work: Callable[[Dialogue, Ask], Awaitable[T]],
        phase: int = 0,
    ) -> list[T]:
        """Holds a round of conversations.

        Args:
            dialogues: Those of the round; all others are settled as far as this phase goes.
            work: What is done in each.
            phase: 0 for texts, 1 for paraphrases.
        """
        left = len(dialogues)
        self._rejected = sum(not dialogue.pattern for dialogue in self._dialogues)
        self._rejected -= sum(not dialogue.pattern for dialogue in dialogues)

        async def one(dialogue: Dialogue, ask: Ask) -> T:
            nonlocal left

            async def asking(call: Call) -> Answer:
                if self._end is not None:
                    raise self._end
                return await ask(call)

            result = await work(dialogue, asking)
            left -= 1
            self._judge(dialogue)
            self._rejected += not dialogue.pattern
            self._tell(left, phase)
            return result

        return self._session.run([partial(one, dialogue) for dialogue in dialogues])

    def _judge(self, dialogue: Dialogue) -> None:
        """Ends the stage where none of the first texts is good."""
        self._passed |= bool(dialogue.pattern)
        self._texts += len(dialogue.rejected)
        if self._hopes and not self._passed and self._texts >= FIRST_TEXTS:
            self._end = UserError(_hopeless(self._model, self._dialogues))

    def _tell(self, left: int, phase: int) -> None:
        everything = len(self._dialogues)
        if self._progress is not None:
            steps = everything * (phase + 1) - left
            self._progress(steps // self._phases, everything)
        if self._status is not None:
            usage = self._session.usage
            self._status(
                f"{self._rejected:,} rejected · {_short(usage.tokens)} tokens · "
                f"{usage.calls_per_minute:,.0f} calls/min"
            )


def _short(number: int) -> str:
    """A number for a line that has little room, e.g. ``16.2M``."""
    return f"{number:,}" if number < 1_000_000 else f"{number / 1e6:,.1f}M"


def _outcome(asked: QuestionSet, dialogues: Sequence[Dialogue], templates: bool) -> QuestionSet:
    questions: list[Question] = []
    rejections: list[Rejection] = []
    for question, dialogue in zip(asked.questions, dialogues, strict=True):
        if dialogue.pattern:
            patterns = (dialogue.pattern, *dialogue.paraphrases)
            text, *paraphrases = [fill(p, {"topic": question.topic}) for p in patterns]
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
        codes = [problem.code for _, problem in dialogue.rejected]
        what = "template used" if templates else "dropped"
        rejections.append(
            Rejection(
                "verbalize", codes[-1], question.id, question.removed, question.direction,
                question.rule, f"{what}: {', '.join(codes)}",
                next((text for text, _ in reversed(dialogue.rejected) if text), ""),
            )
        )  # fmt: skip
        if templates:
            questions.append(replace(question, wording="fallback"))
    return asked.keep(questions, rejections)


def _journal(dialogues: Sequence[Dialogue], session: Session) -> tuple[bytes, ...]:
    ids: dict[str, list[str]] = {}
    for dialogue in dialogues:
        for key in dialogue.keys:
            ids.setdefault(key, []).append(dialogue.brief.question.id)
    return tuple(
        dump_line({**session.line(key), "questions": sorted(ids[key])}).encode()
        for key in sorted(ids)
    )


def _hopeless(model: str, dialogues: Sequence[Dialogue]) -> str:
    shown = [(dialogue, *dialogue.rejected[-1]) for dialogue in dialogues if dialogue.rejected][
        :EXAMPLES
    ]
    examples = "".join(
        f"\n  {dialogue.brief.question.id}: {shorten(text, SHOWN)!r}: {explain(problem)}"
        for dialogue, text, problem in shown
    )
    return (
        f"model {model!r}: none of its first {FIRST_TEXTS} texts passes the checks, so the rest is not asked "
        f"for. Three of them:{examples}\nUse another model, edit the prompts ({DEFAULT_PROMPTS}, given as "
        "--prompt), or leave --verbalizer out: templates need no model."
    )


def _nothing_left(dialogues: Sequence[Dialogue]) -> str:
    counts = Counter(dialogue.rejected[-1][1].code for dialogue in dialogues)
    code = min(counts, key=lambda code: (-counts[code], code))
    dialogue = next(dialogue for dialogue in dialogues if dialogue.rejected[-1][1].code == code)
    text, problem = dialogue.rejected[-1]
    said = f" {shorten(text, SHOWN)!r}" if text else ""
    return (
        f"no question is left: none of {len(dialogues)} got a text that passes; most often the last attempt "
        f"failed with {code} ({counts[code]} times), e.g. {dialogue.brief.question.id}:{said} "
        f"{explain(problem)} Use another model, edit the prompts (rulemine/verbalizer/prompts.toml, given as "
        "--prompt), or set verbalizer.on_failure to template."
    )
