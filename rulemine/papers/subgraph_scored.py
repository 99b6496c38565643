"""The systems that answered releases, scored for the tables of SynthKGQA."""

from collections.abc import Iterator
from typing import NamedTuple

from rulemine.errors import RulemineError
from rulemine.evaluation.answerers.registry import find_answerer
from rulemine.evaluation.prediction_file import read_run
from rulemine.evaluation.predictions import read_predictions
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import Scorer
from rulemine.kinds.registry import kind_named
from rulemine.papers.material import Material, check_same_questions
from rulemine.papers.paper import LackingError
from rulemine.papers.subgraph_questions import KIND
from rulemine.release.reader import Release

__all__ = ["Scored", "asked", "of_kinds", "on_graphs"]


class Scored(NamedTuple):
    """A system on a graph.

    Attributes:
        called: What the system is called.
        name: The answerer with its options; "" where it is not known.
        graph: The graph.
        report: Its scores.
    """

    called: str
    name: str
    graph: str
    report: Report

    @property
    def retrieves(self) -> bool:
        """Whether it says what it retrieved."""
        return "triple_recall" in self.report.metrics

    def options(self) -> tuple[str, dict[str, str]]:
        """The answerer, and its options."""
        base, *given = self.name.split(":")
        pairs = (one.partition("=") for one in given)
        return base, {key: value for key, _, value in pairs}

    def triples_asked(self) -> int | None:
        """The option ``k`` of the answerer, given or not; None where it has none."""
        try:
            found = getattr(find_answerer(self.name), "k", None)
        except RulemineError:  # predictions of somebody else's system
            found = self.options()[1].get("k")
        return int(str(found)) if str(found).isdigit() else None


def _scored(material: Material) -> list[tuple[Release, list[Scored]]]:
    """Every release with the systems that answered it."""
    if "scored" not in material.kept:
        material.kept["scored"] = _score(material)
    kept: list[tuple[Release, list[Scored]]] = material.kept["scored"]
    return kept


def _score(material: Material) -> list[tuple[Release, list[Scored]]]:
    found: dict[str, tuple[Release, list[Scored]]] = {}
    for folder in material.folders:
        plan, release = folder.plan, folder.release
        split = None if plan.split == "all" else plan.split
        scorer = Scorer(
            release, matching=plan.matching, split=split, sample=plan.sample, metrics="gtsqa_exact",
            resamples=plan.resamples, seed=plan.seed,
        )  # fmt: skip
        _, some = found.setdefault(release.identity, (release, []))
        naming = folder.runs[0].naming
        for run in folder.runs:
            if run.naming == naming and run.level in (plan.levels[0], plan.levels[-1]):
                file, questions = folder.file(run), release.questions()
                given = read_predictions(file, questions, split=split, missing="empty")
                report = scorer(given, kg=run.kg, naming=naming)
                own = Scored(plan.called[run.system], run.system, run.kg, report)
                check_same_questions(release, (*(one.report for one in some), report))
                # Two studies of a release may share a system, e.g. the one without a graph.
                if (own.called, own.graph) not in [(one.called, one.graph) for one in some]:
                    some.append(own)
    for release, path in material.predictions:
        run_of = read_run(path) or {}
        scorer = Scorer(
            release, split=material.split, metrics="gtsqa_exact", resamples=material.resamples,
            seed=material.seed,
        )  # fmt: skip
        removes = kind_named(release.kind).removes
        graph = str(run_of.get("kg") or ("incomplete" if removes else "complete"))
        given_naming = str(run_of["naming"]) if "naming" in run_of else None
        report = scorer(path, kg=graph, naming=given_naming)
        name, model = str(run_of.get("system") or ""), run_of.get("model")
        called = f"{name or path.stem}, {model}" if model else name or path.stem
        _, some = found.setdefault(release.identity, (release, []))
        check_same_questions(release, (*(one.report for one in some), report))
        some.append(Scored(called, name, graph, report))
    return list(found.values())


def of_kinds(material: Material, *kinds: str) -> list[tuple[Release, list[Scored]]]:
    """The releases of some kinds that systems answered, with these.

    Raises:
        LackingError: There is none.
    """
    found = [(release, some) for release, some in _scored(material) if release.kind in kinds]
    if not found:
        raise LackingError(f"a study or predictions of a release of the kind {' or '.join(kinds)}")
    return found


def on_graphs(material: Material) -> Iterator[tuple[str, str, list[Scored], Release]]:
    """An id, where it is in words, the systems and the release, for each graph of each release.

    Raises:
        LackingError: None was given.
    """
    found = of_kinds(material, KIND)
    for release, some in found:
        graphs = sorted({one.graph for one in some}, key=lambda graph: (graph != "complete", graph))
        for graph in graphs:
            id_ = f"{release.name}-{graph}" if len(found) > 1 else graph
            where = f"{graph} graph, {asked(some[0].report)} of {release.name}"
            yield id_, where, [one for one in some if one.graph == graph], release


def asked(report: Report) -> str:
    """How many questions of which split, in words."""
    return f"{report.n:,} questions ({report.split})"
