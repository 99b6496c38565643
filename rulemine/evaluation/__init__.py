"""Release and predictions in, scores out: needs no JVM, no language model and no network."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.evaluation.answerers.registry import ANSWERERS as ANSWERERS
    from rulemine.evaluation.answerers.registry import answer as answer
    from rulemine.evaluation.comparing.comparison import compare as compare
    from rulemine.evaluation.matching.matching import MATCHINGS as MATCHINGS
    from rulemine.evaluation.metrics import METRICS as METRICS
    from rulemine.evaluation.predictions import read_predictions as read_predictions
    from rulemine.evaluation.predictions import write_predictions as write_predictions
    from rulemine.evaluation.reporting.report import Frame as Frame
    from rulemine.evaluation.reporting.report import Report as Report
    from rulemine.evaluation.scorer import evaluate as evaluate

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ANSWERERS": "rulemine.evaluation.answerers.registry",
        "MATCHINGS": "rulemine.evaluation.matching.matching",
        "METRICS": "rulemine.evaluation.metrics",
        "Frame": "rulemine.evaluation.reporting.report",
        "Report": "rulemine.evaluation.reporting.report",
        "answer": "rulemine.evaluation.answerers.registry",
        "compare": "rulemine.evaluation.comparing.comparison",
        "evaluate": "rulemine.evaluation.scorer",
        "read_predictions": "rulemine.evaluation.predictions",
        "write_predictions": "rulemine.evaluation.predictions",
    },
)
