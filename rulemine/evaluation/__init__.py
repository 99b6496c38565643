"""Release and predictions in, scores out: needs no JVM, no language model and no network."""

from rulemine.evaluation.answerers.model_free import ANSWERERS, answer
from rulemine.evaluation.comparison import compare
from rulemine.evaluation.matching import MATCHINGS
from rulemine.evaluation.metrics import METRICS
from rulemine.evaluation.predictions import read_predictions, write_predictions
from rulemine.evaluation.reporting.report import Comparison, Report
from rulemine.evaluation.scoring import evaluate

__all__ = [
    "ANSWERERS",
    "MATCHINGS",
    "METRICS",
    "Comparison",
    "Report",
    "answer",
    "compare",
    "evaluate",
    "read_predictions",
    "write_predictions",
]
