"""BRINK's metrics, per question; the matching is that of `rulemine.evaluation.matching.brink`.

Zhou et al., arXiv 2508.08344; ``evaluation/`` at b95506d. With P the pieces of the output and A the
answers, both normalized sets: hits_any = [P ∩ A ≠ ∅], precision = |P ∩ A| / |P|, recall = |P ∩ A| / |A|,
F1 = 2 |P ∩ A| / (|P| + |A|), each 0 where the denominator is 0; hits_hard = [the hard answer ∈ P]. No
prediction is an empty one. Questions without a hard answer, which BRINK does not have, are left out. For its
hard hits rate and its treatment of files use the matching mode ``brink``. ``brink_spaces`` is the same with
the evaluator's option ``--split-on-spaces``: blanks and tabs cut an output too.
"""

from collections.abc import Sequence
from functools import partial

from rulemine.evaluation.matching.brink import normalize, pieces
from rulemine.evaluation.metrics import score
from rulemine.evaluation.metrics_of_others.asked import has_hard_answer
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["BRINK", "BRINK_SPACES"]


def _scores(judged: Judged, *, at_spaces: bool = False) -> Sequence[float | None]:
    if isinstance(judged.prediction, tuple):
        given = [key for key in map(normalize, judged.prediction) if key]
    else:
        given = pieces(judged.text(""), at_spaces=at_spaces)
    answers = {key for key in map(normalize, judged.answers) if key}
    hard = None if judged.hard_answer is None else normalize(judged.hard_answer)
    found = score(given, answers, hard, set())
    hit = None if hard is None else found.hits_hard
    return [found.hits_any, found.precision, found.recall, found.f1, hit]


def _metrics(name: str, title: str, *, at_spaces: bool) -> ProjectMetrics:
    columns = ("hits_any", "precision", "recall", "f1", "hits_hard")
    return ProjectMetrics(
        title,
        {f"{name}_{column}": column for column in columns},
        partial(_scores, at_spaces=at_spaces),
        missing=0.0,
        asks=has_hard_answer,
    )


_SOURCE = "BRINK (Zhou et al., arXiv 2508.08344), b95506d"

BRINK = _metrics("brink", _SOURCE, at_spaces=False)
BRINK_SPACES = _metrics("brink_spaces", f"{_SOURCE}, --split-on-spaces", at_spaces=True)
