"""A metric of another package: whether the list of answers is exactly the set of correct ones."""

from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics


def score(judged: Judged) -> list[float | None]:
    """1 or 0; undefined for a text, which would have to be matched first."""
    if not isinstance(judged.prediction, tuple):
        return [None]
    return [float(set(judged.prediction) == set(judged.answers))]


EXACT = ProjectMetrics("an example", {"exact_set": "f1"}, score, missing=0.0)
