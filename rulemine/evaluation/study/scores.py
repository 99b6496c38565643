"""The scores of a study: every run scored, all in one frame.

Guarantee: they are the same whatever was scored before, and whoever reads the replies.
"""

from collections import defaultdict
from collections.abc import Callable

from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.frame import Frame, ScoreRow
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.study.run import StudyFolder
from rulemine.release.groups import sample
from rulemine.release.records import Prediction
from rulemine.rules.blocks import MapLike

__all__ = ["StudyScores"]


class StudyScores:
    """The scores of the runs of a study, made when it is opened.

    Args:
        study: The study, answered.
        progress: Called with (runs scored, all runs).
        spread: Reads the replies, here or in other processes.

    Attributes:
        study: The study.
        asked: The questions, sorted by id.
        every: All scores in every naming, of the hard answers that are missing at the highest level. Here and
            in the other frames ``level`` says how much the graph lacks; groups of no questions are left out.
        first: Those in the first naming.
        top: Those of them on the graph that lacks most.
        ends: Those of them on the complete graph, if that is asked, and on the one that lacks most.
        lowest: As `first`, of the hard answers that are missing at the lowest level above 0.
        own: As `first`, of the hard answers that the graph itself lacks; the complete one as in `first`.
        reports: System and level → report, in the first naming, of the hard answers of the highest level.
        predictions: System and level → what the system answered, in the first naming.
        cut_off: System → `Prediction.cut_off` of the answers of its runs that have one.
    """

    def __init__(
        self,
        study: StudyFolder,
        progress: Callable[[int, int], None] = lambda done, total: None,
        spread: MapLike = map,
    ) -> None:
        plan, first = study.plan, study.runs[0].naming
        self.study = study
        self.asked = sample(study.release.questions(plan.asked_split), plan.sample)
        self.reports: dict[tuple[str, int], Report] = {}
        self.predictions: dict[tuple[str, int], tuple[Prediction, ...]] = {}
        self.cut_off: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        highest, lowest = plan.highest or 100, plan.lowest or 100
        scorer = Scorer(
            study.release, matching=plan.matching, split=plan.asked_split, sample=plan.sample,
            resamples=plan.resamples, seed=plan.seed, metrics=plan.metrics, spread=spread,
        )  # fmt: skip
        rows: tuple[list[ScoreRow], ...] = ([], [], [])
        for number, run in enumerate(study.runs):
            progress(number, len(study.runs))
            found = read_predictions(
                study.file(run), study.release.questions(), split=plan.asked_split, missing="empty"
            )
            wanted = (highest, lowest, run.level or highest)[: 3 if run.naming == first else 1]
            levels = list(dict.fromkeys(wanted))
            reports = scorer.at_levels(found, levels, kg=run.kg, naming=run.naming)
            self.cut_off[run.system] += [p.cut_off for p in found if p.cut_off]
            if run.naming == first:
                key = run.system, run.level
                self.predictions[key], self.reports[key] = found, reports[0]
            for part, level in zip(rows, wanted, strict=False):
                scored = Frame.of([(plan.called[run.system], reports[levels.index(level)])]).rows
                part += [r._replace(graph=run.kg, level=run.level) for r in scored if r.n]
        self.every, self.lowest, self.own = (Frame(tuple(part)) for part in rows)
        self.first = self.every.where(naming=first)
        self.top = self.first.where(level=plan.levels[-1])
        self.ends = self.first.where(level={plan.complete, plan.highest})

    @property
    def at_top(self) -> dict[str, Report]:
        """System → its report on the graph that lacks most."""
        level = self.study.plan.levels[-1]
        return {system: report for (system, at), report in self.reports.items() if at == level}

    @property
    def subset(self) -> str:
        """What the headline is over: ``core``, or ``all`` where no question is in it."""
        return next(iter(self.reports.values())).headline.group

    @property
    def everything(self) -> str:
        """All questions that were asked, in words: those of the split, or of a sample."""
        whole = len(self.study.release.questions(self.study.plan.asked_split))
        if len(self.asked) == whole:
            return "all questions"
        return f"{len(self.asked):,} of {whole:,} questions, the core first"

    @property
    def over(self) -> str:
        """What the headline is over, in words."""
        return "the core" if self.subset == "core" else self.everything
