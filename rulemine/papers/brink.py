"""The tables and figures of BRINK, from releases of the kind ``rules``, and of systems that answered them.

Its figures show six systems; ours show those that were given, a figure for each data set.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from rulemine.evaluation.notes import NOTHING_TO_INFER
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.papers.material import Material
from rulemine.papers.paper import Made, Paper
from rulemine.papers.systems import (
    ScoredSystem,
    answers_of,
    frame_of,
    proof_of,
    said_of,
    triples_of,
)
from rulemine.release.groups import sample
from rulemine.release.records import SPLITS
from rulemine.release.show import read_views
from rulemine.text.tables import Table, Values

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


def _rules(material: Material) -> Made:
    """Table 1: rules by type."""
    releases = material.of(KIND)
    counts = [release.manifest["counts"]["rules_by_type"] for release in releases.values()]
    rows: list[Values] = [
        (f"{name}: {RULES[name]}" if name in RULES else name, *(by.get(name, 0) for by in counts))
        for name in dict.fromkeys(chain.from_iterable(counts))
    ]
    if rows:
        rows.append(("all", *(sum(by.values()) for by in counts)))
    yield Table("", "", ("rule type", *releases), tuple(rows))


def _examples(material: Material) -> Made:
    """Table 2: a question of each release, with what is removed and how it can be inferred."""
    rows: list[Values] = []
    for name, release in material.of(KIND).items():
        for question in sample(release.questions(material.split), 1):
            shown = read_views(release, [question])
            rows.append(
                (
                    name,
                    shown.of(question).question[0],
                    ", ".join(map(shown.name, question.anchors)),
                    answers_of(question, shown),
                    triples_of(question.removed, shown),
                    proof_of(question, shown),
                )
            )
    header = (
        "data set", "question", "topic entity", "answers", "direct evidence", "alternative path",
    )  # fmt: skip
    note = "★: the hard answer; the direct evidence is what the incomplete graph lacks."
    yield Table("", "", header, tuple(rows), (note,))


def _sizes(material: Material) -> Made:
    """Table 3: triples of both graphs, and questions by split."""
    rows: list[Values] = []
    for name, release in material.of(KIND).items():
        counts = release.manifest["counts"]
        by_split = [counts["questions_by_split"].get(split, 0) for split in SPLITS]
        rows += [
            (f"{name}, {graph}", counts[f"triples_{graph}"], *by_split, counts["questions"])
            for graph in ("complete", "incomplete")
        ]
    yield Table("", "", ("data set", "triples", *SPLITS, "questions"), tuple(rows))


def _failures(material: Material) -> Made:
    """Table 4: how often each system fails in which way, and an example of each."""
    counts: list[Values] = []
    examples: list[Values] = []
    for name, systems in material.systems(KIND):
        for one in systems:
            if one.level == max(o.level for o in systems) and (failures := one.report.failures):
                n = failures["all"]
                of_each = (n["questions"], n["proved"], n["retrieval"], n["reasoning"])
                counts.append((name, one.called, *of_each))
                examples += [(name, one.called, *row) for row in _failed(one)]
    header = ("data set", "system", "n", "proof retrieved", *FAILURES.values())
    note = "Questions with a hard answer, on the graph that lacks most."
    yield Table("counts", "failures", header, tuple(counts), (note,))
    header = (
        "data set", "system", "failure", "question", "answers", "alternative path", "prediction",
        "retrieved",
    )  # fmt: skip
    yield Table("examples", "an example of each failure", header, tuple(examples))


def _failed(one: ScoredSystem) -> Iterator[Values]:
    """The first question of the fixed order for each way in which a system fails."""
    if one.report.naming != one.release.naming:
        return  # its triples could not be shown
    by_id, given = {q.id: q for q in one.release.questions()}, one.predictions()
    for column, called in FAILURES.items():
        pairs = zip(one.report.ids, one.column(column).tolist(), strict=True)
        for question in sample([by_id[id_] for id_, failed in pairs if failed == 1], 1):
            shown, said = read_views(one.release, [question]), given[question.id]
            yield (
                called, shown.of(question).question[0], answers_of(question, shown),
                proof_of(question, shown), said_of(said, shown), triples_of(said.retrieved, shown),
            )  # fmt: skip


def _on_both_graphs(*metrics: str) -> Callable[[Material], Made]:
    """Figures 1, 2 and 5: scores of each system on both graphs, a figure for each score."""

    def make(material: Material) -> Made:
        for metric in metrics:
            for name, systems in material.systems(KIND):
                caption = f"Over {systems[0].report.n:,} questions ({systems[0].report.split})."
                if metric == "hhr":
                    caption += f" {NOTHING_TO_INFER}."
                frame = frame_of(name, systems).where(breakdown="all", metric=metric)
                title = f"{TITLES[metric]}, {name}"
                yield frame.picture("", title, caption, rows=("graph",), columns="system")

    return make


def _by_type(material: Material) -> Made:
    """Figure 3: HHR by rule type on both graphs, a figure for each system."""
    for name, systems in material.systems(KIND):
        frame = frame_of(name, systems).where(breakdown="rule_type", metric="hhr")
        for called in dict.fromkeys(one.called for one in systems):
            title, caption = f"HHR by rule type, {called}, {name}", f"{NOTHING_TO_INFER}."
            yield frame.where(system=called).picture(
                "", title, caption, rows=("graph",), across="rule type"
            )


def _by_naming(material: Material) -> Made:
    """Figure 4: F1 of each system under each naming."""
    for name, systems in material.systems(KIND):
        every = [o for o in material.answered if o.release.path == systems[0].release.path]
        if len({one.report.naming for one in every}) > 1:
            frame = frame_of(name, every).where(breakdown="all", metric="f1")
            title, rows = f"F1 by naming, {name}", ("naming", "graph")
            yield frame.picture("", title, "", rows=rows, columns="system")


BRINK = Paper(
    "brink",
    {
        "Table 1": _rules,
        "Table 2": _examples,
        "Table 3": _sizes,
        "Table 4": _failures,
        "Figure 1": _on_both_graphs("hits_any", "f1"),
        "Figure 2": _on_both_graphs("hhr"),
        "Figure 3": _by_type,
        "Figure 4": _by_naming,
        "Figure 5": _on_both_graphs("recall", "precision"),
    },
)
