"""Questions put into a language model's words, one conversation each, and told apart from one another.

Guarantees: questions, rejections and journal are functions of the replies alone, whatever the order in
which they arrive; no two formal queries share a text of the model; a question without a good text has its
template, or is dropped, with the reasons among the rejections, which name no entity.
"""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import Protocol, TypeVar

from rulemine.errors import UserError
from rulemine.llm.call import Ask, Conversations, Entry, Used
from rulemine.llm.usage import Tally as SessionTally
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.text.template import fill
from rulemine.verbalizer.brief import Brief
from rulemine.verbalizer.checks import explain
from rulemine.verbalizer.conversation import Talk, Writer
from rulemine.verbalizer.prompts import PURPOSES, Prompts
from rulemine.verbalizer.requests import Calls
from rulemine.verbalizer.rounds import accept_paraphrases, send_back
from rulemine.verbalizer.summary import Tally, count_talks

__all__ = ["Verbalized", "verbalize"]

T = TypeVar("T")

Progress = Callable[[int, int], object]

SHOWN = 120
"""Characters of a text that are shown in a message."""


class Session(Conversations, Protocol):
    """What conversations run in: over the network, or out of a journal."""

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every call that was asked, by key."""

    @property
    def tally(self) -> SessionTally:
        """What it has done so far."""


@dataclass(frozen=True, slots=True)
class Verbalized:
    """Questions in a model's words.

    Attributes:
        asked: The questions, source labels, ids unchanged, with the texts that were not kept among the
            rejections.
        journal: Every call that was made for a question, sorted by key.
        tally: What came of it in figures.
    """

    asked: QuestionSet
    journal: tuple[Used, ...]
    tally: Tally


def verbalize(
    asked: QuestionSet,
    briefs: Sequence[Brief],
    calls: Calls,
    session: Session,
    progress: Progress | None = None,
    status: Callable[[str], object] | None = None,
) -> Verbalized:
    """Puts questions into a model's words.

    Args:
        asked: The questions as templates ask them.
        briefs: What there is to know about each, in the same order.
        calls: Makes the calls; says how many attempts there are, and what else is asked.
        session: Where the model is asked.
        progress: Told (questions settled, of all). A text that is taken back is settled no longer.
        status: Told how it stands, in a few words.

    Raises:
        UserError: Every question was dropped.
        EndpointError: The endpoint cannot be used.
        LimitError: A limit of the session is reached.
        ReplayError: The session is a journal, and lacks a reply.
    """
    if [brief.question.id for brief in briefs] != [question.id for question in asked.questions]:
        raise ValueError("one brief for each question was expected, in the same order")
    talks = [Talk(brief) for brief in briefs]
    writer, chosen = Writer(calls), calls.chosen
    templates = chosen.on_failure == "template"
    stage = _Stage(session, talks, 1 + (chosen.paraphrases > 0), progress, status)
    stage.hold(talks, writer.word)
    while back := send_back(talks, writer, templates=templates):
        stage.hold(back, writer.word)
    while lacking := [talk for talk in talks if writer.missing(talk)]:
        proposed = stage.hold(lacking, writer.reword, phase=1)
        pairs = list(zip(lacking, proposed, strict=True))
        accept_paraphrases(talks, pairs, templates=templates)
    if not templates and not any(talk.pattern for talk in talks):
        raise UserError(_nothing_left(talks))
    return Verbalized(
        _outcome(asked, talks, templates),
        _journal(talks, session.entries, calls.prompts),
        count_talks(talks, chosen.paraphrases),
    )


class _Stage:
    """Holds conversations, and says how far all of them are."""

    def __init__(
        self,
        session: Session,
        talks: Sequence[Talk],
        phases: int,
        progress: Progress | None,
        status: Callable[[str], object] | None,
    ) -> None:
        self._session, self._talks, self._phases = session, talks, phases
        self._progress, self._status = progress, status
        self._rejected = 0

    def hold(
        self, talks: Sequence[Talk], work: Callable[[Talk, Ask], Awaitable[T]], phase: int = 0
    ) -> list[T]:
        """Holds a round of conversations.

        Args:
            talks: Those of the round; all others are settled as far as this phase goes.
            work: What is done in each.
            phase: 0 for texts, 1 for paraphrases.
        """
        left = len(talks)
        self._rejected = sum(not talk.pattern for talk in self._talks)
        self._rejected -= sum(not talk.pattern for talk in talks)

        async def one(talk: Talk, ask: Ask) -> T:
            nonlocal left
            result = await work(talk, ask)
            left -= 1
            self._rejected += not talk.pattern
            self._tell(left, phase)
            return result

        return self._session.run([partial(one, talk) for talk in talks])

    def _tell(self, left: int, phase: int) -> None:
        everything = len(self._talks)
        if self._progress is not None:
            steps = everything * (phase + 1) - left
            self._progress(steps // self._phases, everything)
        if self._status is not None:
            tally = self._session.tally
            rate = tally.calls_per_minute(time.monotonic())
            self._status(
                f"{self._rejected:,} rejected · {_short(tally.tokens)} tokens · {rate:,.0f} calls/min"
            )


def _short(number: int) -> str:
    """A number for a line that has little room, e.g. ``16.2M``."""
    return f"{number:,}" if number < 1_000_000 else f"{number / 1e6:,.1f}M"


def _outcome(asked: QuestionSet, talks: Sequence[Talk], templates: bool) -> QuestionSet:
    questions: list[Question] = []
    rejections: list[Rejection] = []
    for question, talk in zip(asked.questions, talks, strict=True):
        if talk.pattern:
            patterns = (talk.pattern, *talk.paraphrases)
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
        codes = [problem.code for _, problem in talk.rejected]
        what = "template used" if templates else "dropped"
        rejections.append(
            Rejection(
                "verbalize", codes[-1], question.id, question.removed, question.direction,
                question.rule, f"{what}: {', '.join(codes)}",
            )
        )  # fmt: skip
        if templates:
            questions.append(replace(question, wording="fallback"))
    return asked.keep(questions, rejections)


def _journal(
    talks: Sequence[Talk], entries: Mapping[str, Entry], prompts: Prompts
) -> tuple[Used, ...]:
    ids: dict[str, list[str]] = {}
    for talk in talks:
        for key in talk.keys:
            ids.setdefault(key, []).append(talk.brief.question.id)
    digests = {purpose: prompts.digest(purpose) for purpose in PURPOSES}
    # An answer to a prompt file that was edited since, in what this call does not show, is an answer to
    # this one; and how and when it was got is nobody's business.
    return tuple(
        Used(
            replace(e, prompt_digest=digests[e.purpose], attempts=1, time=""),
            tuple(sorted(ids[key])),
        )
        for key in sorted(ids)
        for e in [entries[key]]
    )


def _nothing_left(talks: Sequence[Talk]) -> str:
    counts = Counter(talk.rejected[-1][1].code for talk in talks)
    code = min(counts, key=lambda code: (-counts[code], code))
    talk = next(talk for talk in talks if talk.rejected[-1][1].code == code)
    text, problem = talk.rejected[-1]
    said = f" {shorten(text, SHOWN)!r}" if text else ""
    return (
        f"no question is left: none of {len(talks)} got a text that passes; most often the last attempt "
        f"failed with {code} ({counts[code]} times), e.g. {talk.brief.question.id}:{said} "
        f"{explain(problem)} Use another model, edit the prompts (rulemine/verbalizer/prompts.toml, given as "
        "verbalizer.prompt), or set verbalizer.on_failure to template."
    )
