"""Studies: every system on nested graphs and under several namings, in one folder and on one page."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.evaluation.study.plan import StudyPlan as StudyPlan
    from rulemine.evaluation.study.plan import read_plan as read_plan
    from rulemine.evaluation.study.results import run_study as run_study

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "StudyPlan": "rulemine.evaluation.study.plan",
        "read_plan": "rulemine.evaluation.study.plan",
        "run_study": "rulemine.evaluation.study.results",
    },
)
