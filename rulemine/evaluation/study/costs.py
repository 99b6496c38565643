"""What a study costs before it starts, as far as that can be known without asking.

`rulemine.evaluation.answerers.forecast` says what a system takes typically and at most. Once the study has
answers of a system, typical calls, tokens and time are those of its answers; before, the time is unknown.
"""

from collections.abc import Sequence
from functools import reduce
from math import ceil
from statistics import fmean
from typing import NamedTuple

from rulemine.evaluation.answerers.forecast import LISTENED, forecast
from rulemine.evaluation.answerers.registry import asks_model, find_answerer
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.study.run import StudyFolder
from rulemine.llm.estimates import METHOD, Takes
from rulemine.release.groups import sample
from rulemine.text.tables import Table

__all__ = ["Expected", "costs_table", "expected"]


class Expected(NamedTuple):
    """What the runs of a system that are not finished cost.

    Attributes:
        system: The system.
        runs: Its runs that are not finished.
        answers: The questions in them.
        typical: What they take of a model, typically; None where the system does not say.
        worst: The same at most.
        proofs: How many questions are shown a whole proof, and of how many; None where that is not known.
        seconds: The time they take; None where none was measured.
    """

    system: str
    runs: int
    answers: int
    typical: Takes | None
    worst: Takes | None
    proofs: tuple[int, int] | None = None
    seconds: float | None = None


def expected(study: StudyFolder) -> list[Expected]:
    """What each system of a study costs; nothing is asked."""
    plan, questions = study.plan, study.release.questions()
    asked = len(sample(study.release.questions(plan.asked_split), plan.sample))
    found = []
    for system in plan.systems:
        mine = [run for run in study.runs if run.system == system]
        finished = [run for run in mine if study.is_done(run)]
        waiting = [run for run in mine if run not in finished]
        costs = [
            prediction.cost
            for run in finished
            for prediction in read_predictions(
                study.file(run), questions, split=None, missing="empty"
            )
            if prediction.cost is not None
        ]
        graphs = [run.kg for run in waiting]
        answerer = find_answerer(system)
        if getattr(answerer, "blind", False):  # replies are asked for once
            had = {run.naming for run in finished}
            graphs = [*{run.naming: run.kg for run in waiting if run.naming not in had}.values()]
        takes = forecast(
            study.release, system, graphs, split=plan.asked_split, sample=plan.sample,
            model=plan.model, measured=costs,
        )  # fmt: skip
        timed = [cost.seconds for cost in costs if cost.seconds is not None]
        at_once = plan.endpoint.concurrency if asks_model(answerer) else 1
        seconds = len(waiting) * asked * fmean(timed) / at_once if timed else None
        found.append(Expected(system, len(waiting), len(waiting) * asked, *takes, seconds))
    return found


def costs_table(costs: Sequence[Expected], *, in_batches: bool = False) -> Table:
    """What answers take, system by system, as a table with their sum.

    Args:
        costs: Of each system.
        in_batches: Whether the calls are written as batches.
    """
    times = [one.seconds for one in costs if one.seconds is not None]
    every = Expected(
        "all",
        sum(one.runs for one in costs),
        sum(one.answers for one in costs),
        _sum([one.typical for one in costs]),
        _sum([one.worst for one in costs]),
        None,
        sum(times) if len(times) == len(costs) else None,
    )
    below = []
    if any(one.worst and one.worst.calls for one in costs):
        below.append(
            "Typical / at most. Typical: as the answers so far; without any, as a capable model took on the "
            "demo, with prompts like those of the first questions. At most: all possible calls, the "
            "longest replies, and prompts twice as long as the longest of these, or 10 times, where a "
            "question takes several; endpoint.budget_tokens ends a run before. What the journal has is not "
            f"asked again. Tokens are {METHOD}."
        )
    if None in (one.worst for one in costs):
        below.append("A system that asks a model and does not declare its calls has none here.")
    if any(one.proofs for one in costs):
        below.append(
            f"Proof shown: for how many of the first {LISTENED} questions, if they have a hard answer, the "
            "model is shown a whole proof of it; no model can infer the others."
        )
    if in_batches:
        calls = {one.system: getattr(find_answerer(one.system), "typical", None) for one in costs}
        rounds = ", ".join(f"{name} {ceil(own.calls)}" for name, own in calls.items() if own)
        below.append(
            f"Rounds of a batch, if nothing fails: {rounds or 'none'}; fewer where a system asks several "
            "calls at once."
        )
    header = ("system", "runs", "questions", "calls", "tokens sent", "received", "proof shown",
              "time")  # fmt: skip
    cells = tuple(
        (
            *one[:3],
            *map(_both, one.typical or [None] * 3, one.worst or [None] * 3),
            one.proofs and "{} of {}".format(*one.proofs),
            _time(one.seconds),
        )
        for one in (*costs, *[every] * (len(costs) > 1))
    )
    return Table("costs", "What is still to be answered", header, cells, tuple(below))


def _sum(takes: Sequence[Takes | None]) -> Takes | None:
    """The sum; None where one is unknown, or a part of one."""
    known = [one for one in takes if one is not None]
    return reduce(Takes.plus, known, Takes()) if len(known) == len(takes) else None


def _both(typical: int | None, worst: int | None) -> str | None:
    """A cell: typical / at most."""
    shown = ["–" if value is None else f"{value:,}" for value in (typical, worst)]
    return " / ".join(shown) if typical != worst else None if worst is None else shown[0]


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return f"{ceil(seconds)} s" if seconds < 120 else f"{ceil(seconds / 60):,} min"
