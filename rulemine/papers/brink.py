"""The tables and figures of BRINK, from releases of the kind ``rules``, and of systems that answered them.

Its figures show six systems; ours show those that were given, a figure for each data set.
"""

from itertools import chain

from rulemine.papers.material import Material
from rulemine.papers.paper import Made, Paper, answers_of, pictures, proof_of, said_of, triples_of
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
            topics, removed = ", ".join(map(shown.name, question.anchors)), question.removed
            answers, proof = answers_of(question, shown), proof_of(question, shown)
            text = shown.of(question).question[0]
            rows.append((name, text, topics, answers, triples_of(removed, shown), proof))
    yield Table(
        "", "",
        ("data set", "question", "topic entity", "answers", "direct evidence", "alternative path"),
        tuple(rows),
        ("★: the hard answer; the direct evidence is what the incomplete graph lacks.",),
    )  # fmt: skip


def _sizes(material: Material) -> Made:
    """Table 3: triples of both graphs, and questions by split."""
    rows: list[Values] = []
    for name, release in material.of(KIND).items():
        counts = release.manifest["counts"]
        asked = *(counts["questions_by_split"].get(s, 0) for s in SPLITS), counts["questions"]
        for graph in ("complete", "incomplete"):
            rows.append((f"{name}, {graph}", counts[f"triples_{graph}"], *asked))
    yield Table("", "", ("data set", "triples", *SPLITS, "questions"), tuple(rows))


def _failures(material: Material) -> Made:
    """Table 4: how often each system fails in which way, and the first question of each."""
    counts: list[Values] = []
    examples: list[Values] = []
    for name, systems in material.systems(KIND):
        most = max(one.level for one in systems)
        for one in [one for one in systems if one.level == most and one.report.failures]:
            n, release = one.report.failures["all"], one.release
            of_each = (n["questions"], n["proved"], n["retrieval"], n["reasoning"])
            counts.append((name, one.called, *of_each))
            # Of another naming than the release's, triples could not be shown.
            asked = release.questions() if one.report.naming == release.naming else ()
            given = one.predictions()
            for column, called in FAILURES.items():
                pairs = zip(one.report.ids, one.column(column).tolist(), strict=True)
                failed = {id_ for id_, score in pairs if score == 1}
                for question in sample([q for q in asked if q.id in failed], 1):
                    shown, said = read_views(release, [question]), given[question.id]
                    texts = (
                        shown.of(question).question[0], answers_of(question, shown),
                        proof_of(question, shown), said_of(said, shown), triples_of(said.retrieved, shown),
                    )  # fmt: skip
                    examples.append((name, one.called, called, *texts))
    yield Table(
        "counts", "failures", ("data set", "system", "n", "proof retrieved", *FAILURES.values()),
        tuple(counts), ("Questions with a hard answer, on the graph that lacks most.",),
    )  # fmt: skip
    yield Table(
        "examples", "an example of each failure",
        (
            "data set", "system", "failure", "question", "answers", "alternative path", "prediction",
            "retrieved",
        ),
        tuple(examples),
    )  # fmt: skip


BRINK = Paper(
    "brink",
    {
        "Table 1": _rules,
        "Table 2": _examples,
        "Table 3": _sizes,
        "Table 4": _failures,
        "Figure 1": pictures(KIND, "hits_any", "f1", columns="system"),
        "Figure 2": pictures(KIND, "hhr", columns="system"),
        "Figure 3": pictures(KIND, "hhr", breakdown="rule_type", across="rule type", per="system"),
        "Figure 4": pictures(
            KIND, "f1", of=" by naming", rows=("naming", "graph"), columns="system"
        ),
        "Figure 5": pictures(KIND, "recall", "precision", columns="system"),
    },
)
