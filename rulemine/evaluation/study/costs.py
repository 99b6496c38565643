"""What a study costs before it starts, as far as that can be known.

Calls are bounded by what each system declares (`worst_calls`). Tokens and time of a call are those of the
answers that the study already has from that system, or else unknown: they depend on model, endpoint and
graph.
"""

from math import ceil
from typing import NamedTuple

from rulemine.evaluation.answerers.registry import asks_model, find_answerer
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.document import Grid, Value
from rulemine.evaluation.study.run import StudyFolder
from rulemine.release.records import Cost
from rulemine.release.sampling_order import sample

__all__ = ["Expected", "expected", "format_expected"]


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
        if asks_model(answerer):
            worst = getattr(answerer, "worst_calls", None)
            calls = worst and len(waiting) * sum(worst(len(q.anchors)) for q in asked)
            found.append(_with_model(system, len(waiting), answers, calls, done, study))
        else:
            timed = [cost.seconds for cost in done if cost.seconds is not None]
            seconds = answers * sum(timed) / len(timed) if timed else None
            found.append(Expected(system, len(waiting), answers, 0, 0, seconds))
    return found


def _with_model(
    system: str, runs: int, answers: int, calls: int | None, done: list[Cost], study: StudyFolder
) -> Expected:
    made = sum(cost.calls for cost in done)
    if calls is None or not made:
        return Expected(system, runs, answers, calls, None, None)
    tokens = sum(cost.prompt_tokens + cost.completion_tokens for cost in done) / made
    seconds = sum(cost.seconds or 0.0 for cost in done) / made / study.plan.endpoint.concurrency
    return Expected(system, runs, answers, calls, ceil(calls * tokens), calls * seconds)


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
            "time are known once a run of the system is finished."
        )
    if any(one.calls is None for one in costs):
        notes.append("A system that asks a model and does not declare its calls has none here.")
    header = ("system", "runs", "questions", "calls", "tokens", "time")
    return Grid("costs", "What is still to be answered", header, tuple(rows), tuple(notes))


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return f"{ceil(seconds)} s" if seconds < 120 else f"{ceil(seconds / 60):,} min"
