"""The tables and figures of BRINK (arXiv 2508.08344v1).

Its figures show scores of six systems; ours are of the systems of the studies given, a figure for each data
set, and in figure 3 side by side.
"""

from collections.abc import Iterator
from itertools import chain

from rulemine.evaluation.answerers.protocol import NEEDS
from rulemine.evaluation.answerers.registry import find_answerer, needs_of
from rulemine.evaluation.notes import NOTHING_TO_INFER
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.scoring import evaluate
from rulemine.evaluation.study.figures import picture_by_graph, picture_by_naming
from rulemine.evaluation.study.groups import MEANINGS, groups_in
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import StudyScores, score_in
from rulemine.papers.material import Material
from rulemine.papers.paper import Exhibit, LackingError, Made, Paper
from rulemine.release.groups import sample
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Prediction, Question
from rulemine.release.show import Views, read_views
from rulemine.text.tables import Table, Value, Values, few_notes, marked

__all__ = ["BRINK"]

KIND = "rules"

RULES = {
    "symmetry": "r(x,y) ⇒ r(y,x)",
    "inversion": "r1(x,y) ⇒ r2(y,x)",
    "hierarchy": "r1(x,y) ⇒ r2(x,y)",
    "composition": "r1(x,y) ∧ r2(y,z) ⇒ r3(x,z)",
}
"""Types of rules → how the paper writes them."""

FAILURES = {"retrieval_failures": "not retrieved", "reasoning_failures": "not reasoned"}
"""Scores that are 1 where a system fails in one of the paper's two ways → the way."""

MOST = 6
"""Answers and triples that an example names."""


def _releases(material: Material) -> dict[str, Release]:
    """The releases that the paper is about, by what they are called."""
    found = list(material.of_kind(KIND))
    if not found:
        raise LackingError(f"a release of the kind {KIND}")
    return dict(zip(_called([release.name for release in found]), found, strict=True))


def _studies(material: Material) -> dict[str, StudyScores]:
    """The studies of such releases, by what their releases are called."""
    found = list(material.studies_of(KIND))
    if not found:
        raise LackingError(f"a study of a release of the kind {KIND}")
    names = _called([scores.study.release.name for scores in found])
    return dict(zip(names, found, strict=True))


def _called(names: list[str]) -> list[str]:
    """Names, the second of two that are alike with a 2."""
    earlier = (names[:place].count(name) for place, name in enumerate(names))
    return [f"{name}-{n + 1}" if n else name for name, n in zip(names, earlier, strict=True)]


def _rules(material: Material) -> Made:
    """Table 1: rules by type."""
    releases = _releases(material)
    counts = [release.manifest["counts"]["rules_by_type"] for release in releases.values()]
    types = dict.fromkeys(chain.from_iterable(counts))
    rows: list[Values] = [
        (f"{name}: {RULES[name]}" if name in RULES else name, *(by.get(name, 0) for by in counts))
        for name in types
    ]
    rows.append(("all", *(sum(by.values()) for by in counts)))
    return [Table("", "Mined rules by type", ("rule type", *releases), tuple(rows))]


def _examples(material: Material) -> Made:
    """Table 2: a question of each release, with what is removed and how it can be inferred."""
    rows: list[Values] = []
    for name, release in _releases(material).items():
        some = sample(release.questions(material.split), 1)
        shown = read_views(release, some)
        rows += [
            (
                name,
                shown.of(question).question[0],
                ", ".join(map(shown.name, question.anchors)),
                _answers(question, shown),
                "; ".join(map(shown.sentence, question.removed)),
                _path(question, shown),
            )
            for question in some
        ]
    if not rows:
        raise LackingError(f"questions of the split {material.split}")
    header = (
        "data set", "question", "topic entity", "answers", "direct evidence", "alternative path",
    )  # fmt: skip
    note = "★: the hard answer; the direct evidence is what the incomplete graph lacks."
    return [Table("", "Examples", header, tuple(rows), (note,))]


def _answers(question: Question, shown: Views) -> str:
    """The answers of a question, the hard one that is asked for first."""
    first = [question.hard_answer] if question.hard_answer else []
    ordered = [*first, *(a for a in question.answers if a not in first)]
    named = [f"{'★ ' if a in first else ''}{shown.name(a)}" for a in ordered[:MOST]]
    return ", ".join(named) + (f" … ({len(ordered):,})" if len(ordered) > MOST else "")


def _path(question: Question, shown: Views) -> str:
    """The published proof of what a question lacks."""
    return " ".join(
        f"{'; '.join(map(shown.sentence, proof.body))}."
        for proof in shown.proofs(question).values()
    )


def _sizes(material: Material) -> Made:
    """Table 3: triples of both graphs, and questions by split."""
    rows: list[Values] = []
    for name, release in _releases(material).items():
        counts = release.manifest["counts"]
        by_split = [counts["questions_by_split"].get(split, 0) for split in SPLITS]
        for graph in ("complete", "incomplete"):
            rows.append(
                (f"{name}, {graph}", counts[f"triples_{graph}"], *by_split, counts["questions"])
            )
    header = ("data set", "triples", *SPLITS, "questions")
    return [Table("", "Sizes of the data sets", header, tuple(rows))]


def _failures(material: Material) -> Made:
    """Table 4: how often each system fails in which way, and an example of each."""
    rows: list[Values] = []
    examples: list[Values] = []
    found = list(material.studies_of(KIND))
    names = _called([scores.study.release.name for scores in found])
    for name, scores in zip(names, found, strict=True):
        for system, report in scores.top.items():
            if report.failures:
                rows.append((name, scores.called[system], *_counted(report)))
                examples += _failed(name, scores, system)
    ours = {release.identity for release in material.of_kind(KIND)}
    for release, path in material.predictions:
        if release.identity in ours:
            report = evaluate(
                release,
                path,
                split=material.split,
                resamples=material.resamples,
                seed=material.seed,
            )
            rows += [(release.name, path.stem, *_counted(report))] if report.failures else []
    if not rows:
        raise LackingError("a study or predictions of a system that lists what it retrieved")
    header = ("data set", "system", "n", "proof retrieved", *FAILURES.values())
    note = "Questions with a hard answer; of studies on the graph that lacks most."
    tables = [Table("counts", "Failures", header, tuple(rows), (note,))]
    if examples:
        header = (
            "data set", "system", "failure", "question", "answers", "alternative path", "prediction",
            "retrieved",
        )  # fmt: skip
        tables.append(Table("examples", "Failures by example", header, tuple(examples)))
    return tables


def _counted(report: Report) -> list[int]:
    """Questions, whole proofs retrieved, and failures of both ways."""
    n = report.failures["all"]
    return [n["questions"], n["proved"], n["retrieval"], n["reasoning"]]


def _failed(name: str, scores: StudyScores, system: str) -> Iterator[Values]:
    """The first question of the fixed order for each way in which a system fails."""
    report, level = scores.top[system], scores.study.plan.levels[-1]
    release = scores.study.named(scores.naming)
    by_id = {q.id: q for q in release.questions()}
    given = {p.id: p for p in scores.predictions(system, level)}
    for column, called in FAILURES.items():
        failed = report.scores[:, report.columns.index(column)] == 1
        ids = [id_ for id_, one in zip(report.ids, failed.tolist(), strict=True) if one]
        for question in sample([by_id[id_] for id_ in ids], 1) if ids else ():
            shown, prediction = read_views(release, [question]), given[question.id]
            triples = [shown.sentence(triple) for triple in prediction.retrieved or ()]
            more = f" … ({len(triples):,})" if len(triples) > MOST else ""
            yield (
                name,
                scores.called[system],
                called,
                shown.of(question).question[0],
                _answers(question, shown),
                _path(question, shown),
                _said(prediction, shown),
                "; ".join(triples[:MOST]) + more,
            )


def _said(prediction: Prediction, shown: Views) -> str:
    if prediction.answers is None:
        return " ".join((prediction.raw_output or prediction.sparql or "").split())[:300]
    return ", ".join(map(shown.name, prediction.answers[:MOST]))


def _on_both_graphs(material: Material, *metrics: str) -> Made:
    """Scores of each system on both graphs, a figure for each score and data set."""
    return [
        picture_by_graph(
            scores, f"{name}-{metric.replace('_', '-')}", metric, f"{TITLES[metric]}, {name}"
        )
        for metric in metrics
        for name, scores in _studies(material).items()
    ]


def _answering(material: Material) -> Made:
    """Figure 1: whether and how well each system answers."""
    return _on_both_graphs(material, "hits_any", "f1")


def _inferring(material: Material) -> Made:
    """Figure 2: how much of what each system gets right must be inferred."""
    return _on_both_graphs(material, "hhr")


def _saying(material: Material) -> Made:
    """Figure 5: recall and precision."""
    return _on_both_graphs(material, "recall", "precision")


def _by_type(material: Material) -> Made:
    """Figure 3: HHR by rule type on both graphs; the data sets side by side, a figure for each system."""
    studies = _studies(material)
    rows: list[Values] = []
    for name, scores in studies.items():
        sizes = groups_in(scores, "rule_type")
        for system, called in scores.called.items():
            for level in _ends(scores):
                report = scores.report(system, level)
                rows += [
                    (name, called, graph_at(level), group, n, *_scored(report, group))
                    for group, n in (sizes.items() if report else ())
                ]
    header = ("data set", "system", "graph", "rule type", "n", "HHR", "Hits@Any", "Hits@Hard")
    notes = (*_asked(studies), f"{NOTHING_TO_INFER}.")
    table = Table("numbers", "HHR by rule type", header, tuple(rows), notes)
    systems = dict.fromkeys(chain.from_iterable(s.called.values() for s in studies.values()))
    figures = (_of_system(studies, system, n) for n, system in enumerate(systems, start=1))
    return [*figures, table]


def _ends(scores: StudyScores) -> list[int]:
    plan = scores.study.plan
    return [level for level in (plan.complete, plan.highest) if level is not None]


def _scored(report: Report | None, group: str) -> Iterator[Value]:
    for metric in ("hhr", "hits_any", "hits_hard"):
        yield score_in(report, metric, "rule_type", group)


def _of_system(studies: dict[str, StudyScores], called: str, number: int) -> Picture:
    """HHR of one system by rule type; a bar for each data set and graph."""
    types = list(dict.fromkeys(chain(*(groups_in(s, "rule_type") for s in studies.values()))))
    ordered = [*(t for t in RULES if t in types), *(t for t in types if t not in RULES)]
    series, counts = [], []
    for name, scores in studies.items():
        system = next((s for s, other in scores.called.items() if other == called), None)
        if system is None:
            continue
        sizes = groups_in(scores, "rule_type")
        counts.append(
            f"{name}: {', '.join(f'{t} {marked(sizes[t])}' for t in ordered if t in sizes)}"
        )
        for level in _ends(scores):
            report = scores.report(system, level)
            found = tuple(score_in(report, "hhr", "rule_type", t) for t in ordered)
            complete = level == scores.study.plan.complete
            series.append(Series(f"{name}, {graph_at(level)}", found, complete))
    few = few_notes(n for s in studies.values() for n in groups_in(s, "rule_type").values())
    caption = [f"{MEANINGS['hhr']}; hollow: the complete graph, where there is nothing to infer."]
    caption += [f"Questions: {'; '.join(counts)}.", *_asked(studies), *few]
    return Picture(
        f"system-{number}",
        f"HHR by rule type, {called}",
        " ".join(caption),
        "bars",
        "rule type",
        "HHR, percent",
        tuple(ordered),
        tuple(series),
    )


def _asked(studies: dict[str, StudyScores]) -> list[str]:
    """Over which splits studies are, and what is to be known where the training split is among them."""
    said = []
    for name, scores in studies.items():
        split = scores.study.plan.split
        over = "all splits" if split == "all" else f"the split {split}"
        said.append(f"{name}: {scores.everything} of {over}.")
        taught = [
            scores.called[s]
            for s in scores.study.plan.systems
            if "train" in needs_of(find_answerer(s))
        ]
        if taught and split in ("all", "train"):
            said.append(
                f"{', '.join(taught)}: given {NEEDS['train']}; the paper scores what learns on the test "
                "split alone."
            )
    return list(dict.fromkeys(said))


def _by_naming(material: Material) -> Made:
    """Figure 4: F1 of each system under each naming, a figure for each data set."""
    found = [
        picture_by_naming(scores, name, f"F1 by naming, {name}")
        for name, scores in _studies(material).items()
    ]
    if pictures := [picture for picture in found if picture is not None]:
        return pictures
    raise LackingError("a study with --namings private,entity,text")


BRINK = Paper(
    name="brink",
    title="BRINK (Zhou et al.)",
    version="arXiv 2508.08344v1",
    exhibits=(
        Exhibit("Table 1", "mined rules by type", _rules),
        Exhibit("Table 2", "an example of each data set", _examples),
        Exhibit("Table 3", "sizes of graphs and splits", _sizes),
        Exhibit(
            "Table 4", "failures to retrieve and to reason", _failures,
            why="Ours are counted, too; the paper shows two examples.",
        ),
        Exhibit("Figure 1", "Hits@Any and F1 on both graphs", _answering),
        Exhibit("Figure 2", "HHR on both graphs", _inferring),
        Exhibit(
            "Figure 3", "HHR by rule type on both graphs", _by_type,
            why="The paper's is of FB15k-237 alone.",
        ),
        Exhibit("Figure 4", "F1 by naming of the entities", _by_naming),
        Exhibit("Figure 5", "recall and precision on both graphs", _saying),
    ),
)  # fmt: skip
