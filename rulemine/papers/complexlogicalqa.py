"""The tables and figures of ComplexLogicalQA, by logical structure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rulemine.errors import InputError
from rulemine.evaluation.reporting.titles import MEAN, TITLES
from rulemine.judging.sheets import VERDICTS, agreement_table, pass_table, read_sheets
from rulemine.papers.material import Material
from rulemine.papers.paper import (
    Made,
    Paper,
    answers_of,
    each,
    frame_of,
    pictures,
    said_of,
    triples_of,
)
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import STRUCTURES, structure_of
from rulemine.release.groups import sample
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, Question, translation
from rulemine.release.show import Views, read_views
from rulemine.seeds import stream
from rulemine.text.tables import Table, Values, few_notes, marked, one_decimal

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

UNIONS = ("2u", "up")
"""The structures with a union."""

CASES = ("pi", "2u")
"""The structures of the paper's two cases."""

_KIND = "structures"


def _definitions(_: Material) -> Made:
    """Table 1."""
    parsed = [(name, text, parse(text)) for name, text in DEFINITIONS.items()]
    rows: list[Values] = [
        (name, text, own.shape, own.hops, own.atoms, to_sparql(query))
        for name, text, query in parsed
        for own in [structure_of(query)]
    ]
    yield Table(
        "",
        "",
        ("structure", "query", "shape", "hops", "links", "SPARQL"),
        tuple(rows),
        ('Each (p "r" X) may also be (p- "r" X), from objects to subjects.',),
    )


def _shares(material: Material) -> Made:
    """Table 2."""
    rows: list[Values] = []
    for release in material.releases:
        found = Counter(q.structure for q in release.questions())
        unread = found.pop("", 0)
        read, named = found.total(), [found[name] for name in STRUCTURES]
        shares = (1000 * n / read if read else None for n in (*named, read - sum(named)))
        rows.append((material.names[release.path], read, *shares, unread))
    header = ("data set", "questions", *STRUCTURES, "other", "no query")
    yield Table(
        "", "", header, tuple(rows),
        ("Questions per 1,000, of those with a query over links, of all splits.",),
        dict.fromkeys(header, one_decimal),
    )  # fmt: skip


def _statistics(name: str, release: Release, _: Material) -> Made:
    """Table 3."""
    counted = release.manifest["counts"]["statistics"].items()
    keys = ("questions", "tokens", "answers", "full_evidence", "entities")
    rows = tuple((one, *map(row.get, keys)) for one, row in counted if one not in SPLITS)
    header = ("structure", "questions", "tokens", "answers", "triples", "entities")
    yield Table(
        "", f"statistics of {name}, all splits", header, rows,
        (
            "Tokens: words and numbers. Tokens, answers and triples (of all derivations) are means, entities "
            "are counted.",
        ),
        dict.fromkeys(header, "{:.2f}".format),
    )  # fmt: skip


def _results(material: Material) -> Made:
    """Table 4."""
    for name, systems in material.systems(_KIND):
        frame = frame_of(name, systems)
        sizes = {row.group: row.n for row in frame.where(breakdown="structure").rows}
        asked = ", ".join(f"{structure} {marked(n)}" for structure, n in sizes.items())
        notes = (
            f"Questions: {asked}. The mean is the plain one, so that each structure weighs the same.",
            *few_notes(sizes.values()),
        )
        for metric in ("hits_at_1", "f1"):
            title = f"{TITLES[metric]} by logical structure, {name}, percent"
            yield frame.where(breakdown=("structure", MEAN), metric=metric).table(
                metric.replace("_", "-"), title, (*sizes, MEAN), columns="group", notes=notes
            )


def _cases(material: Material) -> Made:
    """Table 5: what each system retrieved and said, of a nested question and of a union."""
    for name, systems in material.systems(_KIND):
        release = systems[0].release
        asked = [q for q in release.questions() if q.id in systems[0].report.ids]
        given = [(o, o.predictions()) for o in systems if o.report.naming == release.naming]
        for question in _first(asked, CASES):
            shown = read_views(release, [question])
            rows: list[Values] = [("gold", "", *_gold(question, shown))]
            for one, said in given:
                mine = said[question.id]
                texts = said_of(mine, shown), triples_of(mine.retrieved, shown)
                rows.append((one.called, one.report.kg, *texts))
            text, header = shown.of(question).question[0], ("system", "graph", "answers", "triples")
            title = f"{question.structure}: {text} ({name})"
            yield Table(question.structure, title, header, tuple(rows))


def _first(questions: Sequence[Question], structures: Iterable[str]) -> Iterator[Question]:
    """The first question of the fixed order of each structure."""
    for structure in structures:
        yield from sample([q for q in questions if q.structure == structure], 1)


def _gold(question: Question, shown: Views) -> Values:
    return answers_of(question, shown), triples_of(question.full_evidence, shown)


def _samples(name: str, release: Release, material: Material) -> Made:
    """Table 7: a question of each structure."""
    rows: list[Values] = []
    for question in _first(release.questions(material.split), STRUCTURES):
        shown = read_views(release, [question])
        told = shown.of(question).question[0], *_gold(question, shown)
        rows.append((question.structure, *told))
    header = ("structure", "question", "answers", "triples")
    yield Table("", f"a question of each structure, {name}", header, tuple(rows))


def _human_check(material: Material) -> Made:
    """Table 6."""
    sheets = read_sheets(material.sheets) if material.sheets else []
    asked = [{q.id: q.structure for q in r.questions()}.items() for r in material.releases]
    for path, sheet in zip(material.sheets, sheets, strict=True):
        checked = {id_: one.structure for id_, one in sheet.checked.items()}
        if asked and not any(checked.items() <= own for own in asked):
            raise InputError(
                f"{path}: its questions are those of none of the releases that were given. Give the release "
                "that the sheet was written from."
            )
        if checked and not STRUCTURES.keys() & {*checked.values()}:
            raise InputError(
                f"{path}: none of its questions has one of the structures {', '.join(STRUCTURES)}. Give "
                "sheets of questions that have."
            )
    if sheets:
        yield pass_table("passed", f"share that passes, {' and '.join(VERDICTS)}, percent", sheets)
    if len(sheets) > 1:
        yield agreement_table("agreement", "agreement of those who checked", sheets, material.seed)


def _anchor_similarity(name: str, release: Release, material: Material) -> Made:
    """Section 5.4: how near the anchors of unions are to each other, beside random pairs."""
    unions = [q for q in release.questions() if q.structure in UNIONS and len(q.anchors) > 1]
    if not unions or material.embed is None:
        return
    called = translation(release.entities, release.naming, "text")
    names = sorted({name for q in unions for name in q.anchors[:2]})
    vectors = material.embed([called.get(name, name) for name in names])
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    of_name = dict(zip(names, vectors, strict=True))
    draw = stream(material.seed, "anchor-similarity")
    groups = {u: [q.anchors[:2] for q in unions if q.structure == u] for u in UNIONS}
    groups["random pairs"] = [
        tuple(names[at] for at in draw.permutation(len(names))[:2]) for _ in unions
    ]
    cosines = {g: [float(of_name[a] @ of_name[b]) for a, b in some] for g, some in groups.items()}
    rows = ((g, len(some), sum(some) / len(some) if some else None) for g, some in cosines.items())
    yield Table(
        "", f"cosine of the anchors, {name}", ("anchors of", "pairs", "mean cosine"), tuple(rows),
        (
            "The first two anchors of each union, by their labels; random pairs are of the same anchors, as "
            "many as there are unions.",
        ),
        {"mean cosine": "{:.3f}".format},
    )  # fmt: skip


COMPLEXLOGICALQA = Paper(
    "complexlogicalqa",
    {
        "Table 1": _definitions,
        "Table 2": _shares,
        "Table 3": each(_statistics, _KIND),
        "Table 4": _results,
        "Table 5": _cases,
        "Table 6": _human_check,
        "Table 7": each(_samples, _KIND),
        "Figure 3": pictures(
            _KIND, "triple_recall", "triple_precision",
            breakdown="structure", of=" of the retrieved triples", across="structure",
            rows=("system", "graph"),
        ),
        "Section 5.4": each(_anchor_similarity, _KIND),
    },
)  # fmt: skip
