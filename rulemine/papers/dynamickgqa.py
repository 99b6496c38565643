"""The tables and figures of Dynamic-KGQA: data sets, fields of questions, and fresh runs in pairs."""

from collections import Counter
from dataclasses import replace
from typing import Any

from rulemine.evaluation.comparing.variant_runs import compare_runs
from rulemine.evaluation.reporting.report import Frame
from rulemine.exports.exporting import naming_for
from rulemine.exports.protocol import ExportInput
from rulemine.exports.registry import find_exporter
from rulemine.kg.entity_types import types_of
from rulemine.kinds.registry import having, kind_named, tool
from rulemine.papers.material import Material
from rulemine.papers.paper import Made, Paper, bars, frame_of
from rulemine.release.reader import Release
from rulemine.text.tables import Table, Values

__all__ = ["DYNAMICKGQA"]

_LETTERS = 60
"""Of an example; the subgraph of a question would fill a page."""


def _is_fresh(release: Release) -> bool:
    """Whether variants of a release can be drawn anew."""
    return bool(kind_named(release.kind).limits.fresh(release.manifest["config"], 1, 0))


def _sets(material: Material) -> Made:
    """Table 1: sizes by split, the graph, whether questions have subgraphs, and fresh variants."""
    rows: list[Values] = []
    for release in material.releases:
        asked, kg = Counter(q.split for q in release.questions()), release.manifest["kg"]
        sizes = (asked[split] or None for split in ("train", "test", "validation"))
        said = (having("subgraph").count(release.kind) > 0, _is_fresh(release))
        about = (
            str(kg.get("title") or kg.get("name") or "–"),
            *("yes" if one else "no" for one in said),
        )
        rows.append((material.names[release.path], *sizes, *about))
    yield Table(
        "",
        "",
        ("data set", "train", "test", "validation", "graph", "subgraph", "dynamic"),
        tuple(rows),
    )


def _fields(material: Material) -> Made:
    """Table 2: each field, how many questions have it, and an example."""
    releases = material.of(*having("subgraph")).items()
    asked = {name: own for name, r in releases if (own := _rows(r, material.split))}
    for first in [*asked][:1]:
        rows: list[Values] = [("questions", *map(len, asked.values()), None)]
        for field, value in asked[first][0].items():
            given = (sum(row[field] not in (None, "") for row in own) for own in asked.values())
            text = " ".join(str(value).split())
            text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
            rows.append((field, *given, None if value is None else text))
        yield Table(
            "", "", ("field", *asked, "example"), tuple(rows),
            (
                "Rows are those of the export dynamic-kgqa; counted is how many questions have a value, "
                "which is none of a judge's where no model judged.",
                f"The example is the first question of {first}.",
            ),
        )  # fmt: skip


def _rows(release: Release, split: str | None) -> list[dict[str, Any]]:
    exporter: Any = find_exporter("dynamic-kgqa")
    given = ExportInput(release, naming_for(release, None, lambda _: None))
    fields = exporter.fields(given).items()
    return [
        {name: getattr(q, of) if isinstance(of, str) else of(q) for name, of in fields}
        for q in given.questions(split)
    ]


def _hits(material: Material) -> Made:
    """Table 3: the hit of each system, by data set."""
    studied = dict(material.systems())
    found = [row for name, some in studied.items() for row in frame_of(name, some).rows]
    ordered = sorted(found, key=lambda row: row.graph != "complete")
    frame = Frame(tuple(ordered)).where(breakdown="all", metric="dynamickgqa_hit")
    asked = {row.release: f"{row.release} {row.n:,}" for row in frame.rows}
    yield frame.table(
        "", "", [*studied], rows=("system",), columns="release",
        heading=lambda row: f"on the graph {row.graph}",
        notes=(
            "Hit as the public code of the paper counts it: an answer, normalized, stands anywhere in the "
            "normalized output, so whoever lists more hits more. In percent, with 95 % intervals over ties "
            "of questions.",
            f"Questions: {', '.join(asked[name] for name in studied if name in asked)}.",
        ),
    )  # fmt: skip


def _runs(material: Material) -> Made:
    """Table 4: each pair of runs on the same seed texts, and the topics of each run."""
    groups: dict[str, list[Release]] = {}
    for release in filter(_is_fresh, material.releases):
        texts = sorted((t.id, t.entities) for t in release.seed_rows() if t.split == "test")
        groups.setdefault(f"{release.manifest['kg'].get('digest')} {texts}", []).append(release)
    for some in groups.values():
        if len(some) > 1:
            made = compare_runs(some)
            for table in made.tables():
                yield replace(table, notes=made.notes if table.id == "pairs" else ())


def _topics(material: Material) -> Made:
    """Figure 4: the share of the questions of each release that is about each topic."""
    releases = {name: r for name, r in material.of().items() if r.questions(material.split)}
    found = {name: _topics_of(r, material.split) for name, r in releases.items()}
    mean: Counter[str] = Counter()
    for own in found.values():
        mean.update({topic: n / own.total() / len(found) for topic, n in own.items()})
    other = tool("topics").OTHER
    yield bars(
        "",
        "Topics of a release of the kind variants are its own; those of another are read off the types of "
        "the hard answer, else of the first answer, with the names of at most five, and the rest is other. "
        f"Questions: {', '.join(f'{name} {own.total():,}' for name, own in found.items())}.",
        "topic", "questions", found,
        sorted(mean, key=lambda topic: (topic == other, -mean[topic], topic)),
    )  # fmt: skip


def _topics_of(release: Release, split: str | None) -> Counter[str]:
    """Topic → questions about it: those that its kind says, else those that are derived from types."""
    asked = release.questions(split)
    for group in kind_named(release.kind).groups:
        if group.key == "topic":
            return Counter(str(group.label(q, None)) for q in asked)
    kg, topics = release.kg("complete"), tool("topics")
    derived = topics.Topics.derived(types_of(kg))
    answers = ([kg.entity_ids.get(a or "") for a in (q.hard_answer, *q.answers)] for q in asked)
    known = (next((a for a in some if a is not None), None) for some in answers)
    return Counter(
        topics.OTHER if answer is None else derived.topic(answer, q.relations)
        for q, answer in zip(asked, known, strict=True)
    )


DYNAMICKGQA = Paper(
    "dynamickgqa",
    {
        "Table 1": _sets,
        "Table 2": _fields,
        "Table 3": _hits,
        "Table 4": _runs,
        "Figure 4": _topics,
    },
    metrics="dynamickgqa",
)
