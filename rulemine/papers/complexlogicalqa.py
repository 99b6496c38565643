"""The tables and figures of ComplexLogicalQA, by logical structure.

Its tables 1 to 4 and 6 and its figure 3 are made, and its case study is named; the list says nothing of
others, which were not at hand.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rulemine.errors import InputError
from rulemine.evaluation.predictions import read_run
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.reporting.titles import MEAN, TITLES
from rulemine.evaluation.scoring import evaluate
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.study.plan import graph_at
from rulemine.evaluation.study.scores import score_in
from rulemine.judging.filled_sheets import VERDICTS, FilledSheet, read_sheets
from rulemine.judging.sheet_tables import agreement_table, pass_table
from rulemine.papers.material import Material, check_same_questions
from rulemine.papers.paper import Exhibit, LackingError, Made, Paper
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import STRUCTURES, structure_of
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question, translation
from rulemine.seeds import stream
from rulemine.text.tables import FEW, MARK, Table, Values, few_notes, one_decimal

__all__ = ["COMPLEXLOGICALQA"]

DEFINITIONS = {
    "1p": '(p "r1" "a")',
    "2p": '(p "r2" (p "r1" "a"))',
    "3p": '(p "r3" (p "r2" (p "r1" "a")))',
    "2i": '(and (p "r1" "a") (p "r2" "b"))',
    "3i": '(and (p "r1" "a") (p "r2" "b") (p "r3" "c"))',
    "ip": '(p "r3" (and (p "r1" "a") (p "r2" "b")))',
    "pi": '(and (p "r2" (p "r1" "a")) (p "r3" "b"))',
    "2u": '(or (p "r1" "a") (p "r2" "b"))',
    "up": '(p "r3" (or (p "r1" "a") (p "r2" "b")))',
}
"""A query of each structure."""

PUBLISHED = {
    "WebQSP": (649, 291, 0, 45, 0, 7, 8, 0, 0),
    "CWQ": (55, 504, 201, 182, 8, 7, 43, 0, 0),
    "GrailQA": (784, 127, 22, 36, 20, 9, 2, 0, 0),
}
"""Questions per 1,000 of each of `STRUCTURES`, counted by hand: the paper's table 2."""

UNIONS = ("2u", "up")
"""The structures with a union."""

OTHER = "other"

_KIND = "structures"


def _definitions(_: Material) -> Made:
    rows: list[Values] = []
    for name, text in DEFINITIONS.items():
        query = parse(text)
        found = structure_of(query)
        rows.append((name, text, found.shape, found.hops, found.atoms, to_sparql(query)))
    header = ("structure", "query", "shape", "hops", "links", "SPARQL")
    note = 'Each (p "r" X) may also be (p- "r" X), from objects to subjects.'
    yield Table("", "", header, tuple(rows), (note,))


def _shares(material: Material) -> Made:
    if not material.releases:
        raise LackingError("a release, of questions of ours or imported")
    rows: list[Values] = [
        (f"{name}, published", None, *map(float, shares), None, None)
        for name, shares in PUBLISHED.items()
    ]
    for release in material.releases:
        counts = Counter(map(_structure, release.questions()))
        unread = counts.pop("", 0)
        read = counts.total()
        named = [counts[name] for name in STRUCTURES]
        shares = [1000 * n / read if read else None for n in (*named, read - sum(named))]
        rows.append((release.name, read, *shares, unread))
    header = ("data set", "questions", *STRUCTURES, OTHER, "no query")
    notes = (
        "Questions per 1,000, of those with a query over links, of all splits. The published figures were "
        "counted by hand, with linear qualifiers such as a release date as part of the chain, and have no "
        "other structures.",
    )
    yield Table("", "", header, tuple(rows), notes, dict.fromkeys(header, one_decimal))


def _structure(question: Question) -> str:
    """One of `STRUCTURES`, `OTHER`, or "" where there is no query over links."""
    name = question.structure
    return name if name in STRUCTURES else OTHER * bool(name)


def _statistics(material: Material) -> Made:
    releases = list(material.of_kind(_KIND))
    if not releases:
        raise LackingError(f"a release of the kind {_KIND}")
    for release in releases:
        counted: Mapping[str, Mapping[str, int | float]] = release.manifest["counts"]["statistics"]
        columns = {
            "questions": "questions", "tokens": "tokens", "answers": "answers",
            "triples": "full_evidence", "entities": "entities",
        }  # fmt: skip
        rows = tuple(
            (name, *(row[key] for key in columns.values()))
            for name, row in counted.items()
            if name not in SPLITS
        )
        many = len(releases) > 1
        yield Table(
            release.name if many else "",
            f"{release.name}, all splits" if many else "",
            ("structure", *columns),
            rows,
            (
                "Tokens: words and numbers. Tokens, answers and triples (of all derivations) are means, "
                "entities are counted.",
            ),
            dict.fromkeys(columns, "{:.2f}".format),
        )


class _Answered(NamedTuple):
    """A system on a graph."""

    of: str
    system: str
    graph: str
    report: Report
    release: Release


def _answered(material: Material) -> list[_Answered]:
    """Every system on every graph: the complete one and the one that lacks most."""
    found = []
    for scores in material.studies_of(_KIND):
        plan, name = scores.study.plan, scores.study.release.name
        for level in dict.fromkeys((plan.levels[0], plan.levels[-1])):
            found += [
                _Answered(
                    name, scores.called[system], graph_at(level), report, scores.study.release
                )
                for system, report in scores.on(level).items()
            ]
    ours = list(material.of_kind(_KIND))
    for release, path in material.predictions:
        if release in ours:
            report = evaluate(
                release,
                path,
                split=material.split,
                resamples=material.resamples,
                seed=material.seed,
            )
            run = read_run(path) or {}
            graph = graph_at(release.level_of(str(run.get("kg") or "incomplete")))
            found.append(
                _Answered(release.name, str(run.get("system") or path.stem), graph, report, release)
            )
    if not found:
        raise LackingError(f"a study or predictions of a release of the kind {_KIND}")
    for release in ours:
        check_same_questions(
            release, (one.report for one in found if one.release.identity == release.identity)
        )
    return found


def _groups(found: Sequence[_Answered]) -> list[str]:
    """The structures that were asked for, in the order of the paper."""
    groups = {row.group for one in found for row in one.report.rows if row.breakdown == "structure"}
    return [*(name for name in STRUCTURES if name in groups), *sorted(groups - STRUCTURES.keys())]


def _score(one: _Answered, metric: str, group: str) -> Score | None:
    return score_in(one.report, metric, "structure", group)


def _results(material: Material) -> Made:
    found = _answered(material)
    groups = _groups(found)
    several = len({one.of for one in found}) > 1
    sizes = {
        group: min(
            one.report.row("structure", group).n for one in found if _score(one, "f1", group)
        )
        for group in groups
    }
    named = [f"{group}{MARK}" if sizes[group] < FEW else group for group in groups]
    for metric in ("hits_at_1", "f1"):
        rows = tuple(
            (
                f"{one.system}, {one.of}" if several else one.system,
                one.graph,
                *(_score(one, metric, group) for group in groups),
                score_in(one.report, metric, MEAN, MEAN),
            )
            for one in found
        )
        title = f"{TITLES[metric]} by logical structure, percent"
        note = "Mean: the plain mean over the structures, so that each weighs the same."
        notes = (note, *few_notes(sizes.values()))
        header = ("system", "graph", *named, "mean")
        yield Table(metric.replace("_", "-"), title, header, rows, notes)


def _retrieval(material: Material) -> Made:
    found = [one for one in _answered(material) if "triple_recall" in one.report.metrics]
    if not found:
        raise LackingError(
            "a study or predictions with a system that says which triples it retrieved"
        )
    groups = _groups(found)
    several = len({one.of for one in found}) > 1
    for metric, word in (("triple_recall", "recall"), ("triple_precision", "precision")):
        for graph in dict.fromkeys(one.graph for one in found):
            series = tuple(
                Series(
                    f"{one.system}, {one.of}" if several else one.system,
                    tuple(_score(one, metric, group) for group in groups),
                )
                for one in found
                if one.graph == graph
            )
            yield Picture(
                f"{word}-{graph.replace(' ', '-')}",
                f"{word} of the retrieved triples by logical structure, {graph} graph",
                "Against the triples of the evidence, with 95 % intervals; systems that do not say what they "
                "retrieved are left out.",
                "bars",
                "structure",
                f"triple {word}, percent",
                tuple(groups),
                series,
            )


def _human_check(material: Material) -> Made:
    if not material.sheets:
        raise LackingError(
            "filled sheets: rulemine show DIR --sheet 110 -o sheet.tsv writes an empty one"
        )
    sheets = read_sheets(material.sheets)
    asked = [{q.id: q.structure for q in release.questions()} for release in material.releases]
    for path, sheet in zip(material.sheets, sheets, strict=True):
        checked = {(id_, one.structure) for id_, one in sheet.checked.items()}
        if asked and not any(checked <= own.items() for own in asked):
            raise InputError(
                f"{path}: its questions are those of none of the releases that were given. Give the release "
                "that the sheet was written from."
            )
    return _of_sheets(sheets, material.seed)


def _of_sheets(sheets: Sequence[FilledSheet], seed: int) -> Iterator[Table]:
    yield pass_table("passed", f"share that passes, {' and '.join(VERDICTS)}, percent", sheets)
    if len(sheets) > 1:
        yield agreement_table("agreement", "agreement of those who checked", sheets, seed)


def _anchor_similarity(material: Material) -> Made:
    releases = list(material.of_kind(_KIND))
    if not releases or material.embed is None:
        raise LackingError(f"a release of the kind {_KIND}, and an embedding model (--model)")
    for release in releases:
        unions = [q for q in release.questions() if q.structure in UNIONS and len(q.anchors) > 1]
        if not unions:
            continue
        called = translation(release.entities, release.naming, "text")
        names = sorted({name for q in unions for name in q.anchors[:2]})
        place = {name: at for at, name in enumerate(names)}
        vectors = material.embed([called.get(name, name) for name in names])
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
        draw = stream(material.seed, "anchor-similarity")
        of_random = [draw.permutation(len(names))[:2].tolist() for _ in unions]
        rows: list[Values] = []
        for group, pairs in (
            *(
                (union, [[place[a] for a in q.anchors[:2]] for q in unions if q.structure == union])
                for union in UNIONS
            ),
            ("random pairs", of_random),
        ):
            cosines = [float(vectors[one] @ vectors[other]) for one, other in pairs]
            rows.append((group, len(cosines), sum(cosines) / len(cosines) if cosines else None))
        yield Table(
            release.name if len(releases) > 1 else "",
            "",
            ("anchors of", "pairs", "mean cosine"),
            tuple(rows),
            (
                "The first two anchors of each union, by their labels; random pairs are of the same anchors, "
                "as many as there are unions. Published: 0.76 and 0.57.",
            ),
            {"mean cosine": "{:.3f}".format},
        )


COMPLEXLOGICALQA = Paper(
    name="complexlogicalqa",
    title="ComplexLogicalQA",
    version="its tables 1 to 4 and 6, figure 3",
    exhibits=(
        Exhibit("Table 1", "the nine logical structures", _definitions),
        Exhibit("Table 2", "structures of existing data sets, per 1,000", _shares),
        Exhibit("Table 3", "statistics by structure", _statistics),
        Exhibit("Table 4", "H@1 and F1 of systems by structure", _results),
        Exhibit("Table 6", "the check by people", _human_check),
        Exhibit("Figure 3", "triples retrieved, by structure", _retrieval),
        Exhibit(
            "Case study",
            "questions with what a system of each paradigm answered",
            None,
            "The page of a study or of rulemine evaluate shows every question with what each system "
            "retrieved and said.",
        ),
        Exhibit(
            "Anchor similarity",
            "cosine of the anchors of unions against random pairs",
            _anchor_similarity,
        ),
    ),
)
