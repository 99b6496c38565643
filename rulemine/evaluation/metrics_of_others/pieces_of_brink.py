"""BRINK's metrics, per question; the matching is that of `rulemine.evaluation.matching.brink`.

Zhou et al., arXiv 2508.08344; ``evaluation/`` at b95506d. With P the pieces of the output and A the
answers, both normalized sets: hits_any = [P ∩ A ≠ ∅], precision = |P ∩ A| / |P|, recall = |P ∩ A| / |A|,
F1 = 2 |P ∩ A| / (|P| + |A|), each 0 where the denominator is 0; hits_hard = [the hard answer ∈ P]. No
prediction is an empty one. Questions without a hard answer, which BRINK does not have, are left out. For its
hard hits rate and its treatment of files use the matching mode ``brink``.
"""

from collections.abc import Sequence

from rulemine.evaluation.matching.brink import normalize, pieces
from rulemine.evaluation.metrics import score
from rulemine.evaluation.metrics_of_others.asked import has_hard_answer
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["BRINK"]


def _scores(judged: Judged) -> Sequence[float | None]:
    if isinstance(judged.prediction, tuple):
        given = [key for key in map(normalize, judged.prediction) if key]
    else:
        given = pieces(judged.text(""))
    answers = {key for key in map(normalize, judged.answers) if key}
    hard = None if judged.hard_answer is None else normalize(judged.hard_answer)
    found = score(given, answers, hard, set())
    hit = None if hard is None else found.hits_hard
    return [found.hits_any, found.precision, found.recall, found.f1, hit]


BRINK = ProjectMetrics(
    "BRINK (Zhou et al., arXiv 2508.08344), b95506d",
    {
        "brink_hits_any": "hits_any",
        "brink_precision": "precision",
        "brink_recall": "recall",
        "brink_f1": "f1",
        "brink_hits_hard": "hits_hard",
    },
    _scores,
    missing=0.0,
    asks=has_hard_answer,
)
