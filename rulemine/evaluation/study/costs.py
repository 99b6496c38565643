"""What a study costs before it starts, as far as that can be known without asking.

Calls are bounded by what each system declares (`worst_calls`, and `graph_calls` before the first question).
Tokens and time of a call are those of the answers that the study already has from that system. Before there
are any, tokens are estimated from what the system is about to send for the first questions, which is
listened to and not sent, and from the longest replies that it allows; the time is unknown.
"""

import json
from contextlib import suppress
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rulemine.errors import UserError
from rulemine.evaluation.answerers.registry import JOURNAL, answer, asks_model, find_answerer
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.document import Grid, Value
from rulemine.evaluation.study.plan import StudyRun
from rulemine.evaluation.study.run import StudyFolder
from rulemine.llm.call import Call, Failure
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from rulemine.release.sampling_order import sample

__all__ = ["Expected", "expected", "format_expected"]

LISTENED = 3
"""Questions whose calls are listened to."""

LETTERS = 4
"""Letters of a token, about."""

LONGEST = 512
"""Tokens of a reply whose length a system does not limit."""


class Expected(NamedTuple):
    """What the runs of a system that are not finished cost.

    Attributes:
        system: The system.
        runs: Its runs that are not finished.
        answers: The questions in them.
        calls: Calls of a model at most; None where the system does not say.
        tokens: Tokens of so many calls, sent and received; None where nothing is known of a call.
        seconds: The time they take; likewise.
    """

    system: str
    runs: int
    answers: int
    calls: int | None
    tokens: int | None
    seconds: float | None


def expected(study: StudyFolder) -> list[Expected]:
    """What each system of a study costs; nothing is asked."""
    plan = study.plan
    questions = study.release.questions(None if plan.split == "all" else plan.split)
    asked = sample(questions, plan.sample)
    found = []
    for system in plan.systems:
        mine = [run for run in study.runs if run.system == system]
        waiting = [run for run in mine if not study.is_done(run)]
        done = [
            prediction.cost
            for run in mine
            if run not in waiting
            for prediction in read_predictions(
                study.file(run), study.release.questions(), split=None, missing="empty"
            )
            if prediction.cost is not None
        ]
        answers, answerer = len(waiting) * len(asked), find_answerer(system)
        if not asks_model(answerer):
            timed = [cost.seconds for cost in done if cost.seconds is not None]
            seconds = answers * sum(timed) / len(timed) if timed else None
            found.append(Expected(system, len(waiting), answers, 0, 0, seconds))
            continue
        worst = getattr(answerer, "worst_calls", None)
        calls = worst and len(waiting) * sum(worst(len(q.anchors)) for q in asked)
        of_graph = getattr(answerer, "graph_calls", None)
        if calls is not None and of_graph:
            triples = {run.kg: len(study.release.kg(run.kg)) for run in waiting}
            calls += sum(of_graph(triples[run.kg]) for run in waiting)
        made = sum(cost.calls for cost in done)
        tokens = seconds = None
        if calls and made:
            sent = sum(cost.prompt_tokens + cost.completion_tokens for cost in done)
            tokens = ceil(calls * sent / made)
            seconds = calls * sum(c.seconds or 0.0 for c in done) / made / plan.endpoint.concurrency
        elif calls and (a_call := _tokens_a_call(study, waiting[0])):
            tokens = ceil(calls * a_call)
        found.append(Expected(system, len(waiting), answers, calls, tokens, seconds))
    return found


class _Listener(Session):
    """A session that hears what would be asked, and answers nothing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(EndpointOptions(), folder / JOURNAL)
        self.heard: list[Call] = []

    async def _ask(self, call: Call, place: EndpointOptions | None = None) -> Failure:
        self.heard.append(call)
        return Failure("not_asked", "", lasting=False)


def _tokens_a_call(study: StudyFolder, run: StudyRun) -> float | None:
    """Tokens of the first calls of a run in the mean, with the longest replies; None if it cannot be told."""
    plan = study.plan
    if getattr(find_answerer(run.system), "url", ""):
        return None  # it opens a session of its own, which would send
    with TemporaryDirectory() as folder, _Listener(Path(folder)) as listener:
        with suppress(UserError):  # it needs replies to go on; or it will say so when it runs
            answer(
                study.release,
                run.system,
                kg=run.kg,
                split=None if plan.split == "all" else plan.split,
                sample=min(plan.sample or LISTENED, LISTENED),
                model=plan.model,
                session=listener,
                folder=Path(folder),
            )
        if not listener.heard or any(call.inputs for call in listener.heard):
            return None
        letters = sum(len(json.dumps(c.request, ensure_ascii=False)) for c in listener.heard)
        replies = sum(call.max_tokens or LONGEST for call in listener.heard)
        return (letters / LETTERS + replies) / len(listener.heard)


def format_expected(study: StudyFolder, costs: list[Expected]) -> Grid:
    """The costs as a table, with their sum."""
    rows: list[tuple[Value, ...]] = [
        (one.system, one.runs, one.answers, one.calls, one.tokens, _time(one.seconds))
        for one in costs
    ]
    if len(costs) > 1:
        sums: list[int | None] = []
        for values in zip(*(one[1:5] for one in costs), strict=True):
            known = [value for value in values if value is not None]
            sums.append(sum(known) if len(known) == len(values) else None)
        known_times = [one.seconds for one in costs if one.seconds is not None]
        total = sum(known_times) if len(known_times) == len(costs) else None
        rows.append(("all", *sums, _time(total)))
    done = len(study.runs) - sum(one.runs for one in costs)
    notes = [f"{done} of {len(study.runs)} runs are finished."] if done else []
    if any(one.calls for one in costs):
        notes.append(
            "Calls are the most that a system may make; what the journal has is not asked again. Tokens and "
            "time are as in the finished runs of the system; without any, tokens are estimated from its "
            "first prompts and longest replies, and the time is unknown."
        )
    if any(one.calls is None for one in costs):
        notes.append("A system that asks a model and does not declare its calls has none here.")
    header = ("system", "runs", "questions", "calls", "tokens", "time")
    return Grid("costs", "What is still to be answered", header, tuple(rows), tuple(notes))


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return f"{ceil(seconds)} s" if seconds < 120 else f"{ceil(seconds / 60):,} min"
