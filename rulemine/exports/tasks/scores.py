"""The scores of a raw output, as ``rulemine evaluate --matching vocabulary`` has them.

P are the entities that the output names, A the answers of the question, H ⊆ A its hard answers, which the
incomplete graph does not state, and P′ = P − (A − H). ``hits_hard`` is about the one hard answer that the
question asks for; over the core, H is what of it is in the core. The hard hits rate (HHR; Zhou et al.,
arXiv 2508.08344) is mean ``hits_hard`` / mean ``hits_any``, both over the questions with a hard answer: a
ratio of two means, undefined where the latter is 0.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

METRICS = (
    "hits_any",
    "hits_at_1",
    "precision",
    "recall",
    "f1",
    "hits_hard",
    "hits_any_hard",
    "hard_recall",
    "hard_f1",
    "core_hard_f1",
)
"""The scores of one answer; from ``hits_hard`` on NaN where the question has no such hard answer."""


class OutputReader(Protocol):
    """Reads outputs; see ``reading``."""

    def text(self, raw_output: str, topics: Sequence[str] = ()) -> Iterable[str]:
        """The names that an output gives as answers; topic entities only if they can be some."""
        ...

    def name(self, name: str) -> str:
        """The form in which names are compared."""
        ...


def score(matcher: OutputReader, question: Mapping[str, Any], raw_output: str) -> dict[str, float]:
    """The scores of an output; without answers to compare with, only whether it names an entity."""
    topics = () if question.get("topics_are_answers") else question["topics"]
    named = list(dict.fromkeys(matcher.text(raw_output, topics)))
    if "answers" not in question:
        return {"answered": float(bool(named))}
    predicted, answers = set(named), set(map(matcher.name, question["answers"]))
    shared, sizes = len(predicted & answers), len(predicted) + len(answers)
    found = {
        "hits_any": float(shared > 0),
        "hits_at_1": float(named[0] in answers) if named else 0.0,
        "precision": shared / len(predicted) if predicted else 0.0,
        "recall": shared / len(answers) if answers else 0.0,
        "f1": 2 * shared / sizes if sizes else 0.0,
    }
    found |= dict.fromkeys(METRICS[len(found) :], math.nan)
    if question["hard_answer"] is None:
        return found
    hard = set(map(matcher.name, question["hard_answers"]))
    right, f1 = _of_hard_answers(predicted, answers, hard)
    found |= {
        "hits_hard": float(matcher.name(question["hard_answer"]) in predicted),
        "hits_any_hard": float(right > 0),
        "hard_recall": right / len(hard),
        "hard_f1": f1,
    }
    if question["core_answers"] is not None:
        core = set(map(matcher.name, question["core_answers"]))
        found["core_hard_f1"] = _of_hard_answers(predicted, answers, core)[1]
    return found


def _of_hard_answers(predicted: set[str], answers: set[str], hard: set[str]) -> tuple[int, float]:
    """How many of H are predicted, and the F1."""
    right = len(predicted & hard)
    counted = len(predicted - (answers - hard)) + len(hard)
    return right, 2 * right / counted if counted else 0.0


def hard_hits_rate(pairs: Sequence[tuple[float, float]]) -> float:
    """The HHR of the pairs (hits_hard, hits_any) of questions; NaN where it is undefined."""
    asked = [(hard, any_) for hard, any_ in pairs if not math.isnan(hard)]
    hits = math.fsum(any_ for _, any_ in asked)
    return math.fsum(hard for hard, _ in asked) / hits if hits else math.nan
