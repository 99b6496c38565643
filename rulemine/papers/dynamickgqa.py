"""The tables and figures of Dynamic-KGQA: data sets, fields of questions, and fresh runs in pairs."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from rulemine.evaluation.comparing.variant_runs import compare_runs
from rulemine.evaluation.reporting.frame import Frame
from rulemine.exports.exporting import naming_for
from rulemine.exports.protocol import ExportInput
from rulemine.exports.registry import find_exporter
from rulemine.kg.entity_types import types_of
from rulemine.kinds.registry import having, kind_named, tool
from rulemine.papers.material import Material
from rulemine.papers.paper import Made, Paper
from rulemine.papers.systems import bars, frame_of, share
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.text.tables import Table, Values

__all__ = ["DYNAMICKGQA"]

_LETTERS = 60
"""Of an example; the subgraph of a question would fill a page."""

_FIELDS = {
    "id": "the id of the question",
    "question": "its text",
    "answer": "its answer, an entity",
    "answer_readable": "the label of the answer",
    "answer_uri": "the IRI of the answer",
    "supporting_facts": "the triples that the question was written for, by label",
    "supporting_facts_uri": "the same by IRI",
    "subgraph": "the triples that the writer was shown, by IRI",
    "subgraph_size": "how many these are",
    "all_answers_uri": "every answer of the query; not a field of the paper",
    "logical_structure": "the question is a grammatical one",
    "redundancy": "the question contains or gives away its answer",
    "answer_support": "the triples support the answer",
    "answer_adequacy": "the answer is direct and complete",
}
"""Fields, and what judges say → what they have."""


def _is_fresh(release: Release) -> bool:
    """Whether variants of a release can be drawn anew."""
    return bool(kind_named(release.kind).limits.fresh(release.manifest["config"], 1, 0))


def _sets(material: Material) -> Made:
    """Table 1: sizes by split, the graph, whether questions have subgraphs, and fresh variants."""
    rows: list[Values] = []
    for release in material.releases:
        asked = Counter(question.split for question in release.questions())
        kg = release.manifest["kg"]
        said = (having("subgraph").count(release.kind) > 0, _is_fresh(release))
        rows.append(
            (
                material.names[release.path],
                *(asked[split] or None for split in ("train", "test", "validation")),
                str(kg.get("title") or kg.get("name") or "–"),
                *("yes" if one else "no" for one in said),
            )
        )
    header = ("data set", "train", "test", "validation", "graph", "subgraph", "dynamic")
    yield Table("", "", header, tuple(rows))


def _fields(material: Material) -> Made:
    """Table 2: each field, how many questions have it, and an example."""
    asked = {name: _rows(r, material.split) for name, r in material.of(*having("subgraph")).items()}
    asked = {name: rows for name, rows in asked.items() if rows}
    if not asked:
        return
    counts = {
        name: Counter(f for row in own for f, value in row.items() if value not in (None, ""))
        for name, own in asked.items()
    }
    first = next(iter(asked.values()))[0]
    rows: list[Values] = [("questions", "", *map(len, asked.values()), "")]
    for field, value in first.items():
        text = " ".join(str(value).split())
        shown = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
        numbers = (counts[name][field] for name in asked)
        rows.append((field, _about(field), *numbers, None if value is None else shown))
    header = ("field", "what it has", *asked, "example")
    notes = (
        "Rows are those of the export dynamic-kgqa; counted is how many questions have a value, which is "
        "none of a judge's where no model judged.",
        f"The example is the first question of {next(iter(asked))}.",
    )
    yield Table("", "", header, tuple(rows), notes)


def _rows(release: Release, split: str | None) -> list[dict[str, Any]]:
    exporter: Any = find_exporter("dynamic-kgqa")
    given = ExportInput(release, naming_for(release, None, lambda _: None))
    fields: dict[str, str | Callable[[Question], Any]] = exporter.fields(given)
    return [
        {name: getattr(q, of) if isinstance(of, str) else of(q) for name, of in fields.items()}
        for q in given.questions(split)
    ]


def _about(field: str) -> str:
    if field in _FIELDS:
        return _FIELDS[field]
    said, _, judge = field.rpartition("_llm_judge")
    aspect, _, part = said.rpartition("_")
    return f"judge {judge}: {'why' if part == 'reasoning' else 'whether'} {_FIELDS[aspect]}"


def _hits(material: Material) -> Made:
    """Table 3: the hit of each system, by data set."""
    studied = dict(material.systems())
    found = [row for name, some in studied.items() for row in frame_of(name, some).rows]
    found.sort(key=lambda row: row.graph != "complete")
    frame = Frame(tuple(found)).where(breakdown="all", metric="dynamickgqa_hit")
    asked = {row.release: f"{row.release} {row.n:,}" for row in frame.rows}
    notes = (
        "Hit as the public code of the paper counts it: an answer, normalized, stands anywhere in the "
        "normalized output, so whoever lists more hits more. In percent, with 95 % intervals over ties of "
        "questions.",
        f"Questions: {', '.join(asked[name] for name in studied if name in asked)}.",
    )
    yield frame.table(
        "", "", [*studied], rows=("system",), columns="release", notes=notes,
        heading=lambda row: f"on the graph {row.graph}",
    )  # fmt: skip


def _runs(material: Material) -> Made:
    """Table 4: each pair of runs, and the topics of each run."""

    def texts(release: Release) -> str:
        own = sorted((row.id, row.entities) for row in release.seed_rows() if row.split == "test")
        return f"{release.manifest['kg'].get('digest')} {own}"

    for _, group in groupby(sorted(filter(_is_fresh, material.releases), key=texts), texts):
        some = sorted(group, key=material.releases.index)
        if len(some) > 1:
            made = compare_runs(some)
            for table in made.tables():
                notes = made.notes if table.id == "pairs" else ()
                yield Table(table.id, table.title, table.header, table.rows, notes, table.show)


def _topics(material: Material) -> Made:
    """Figure 4: the share of the questions of each release that is about each topic."""
    found = {}
    for release in material.releases:
        if release.answers == "entities" and release.questions(material.split):
            found[material.names[release.path]] = Counter(_topics_of(release, material.split))
    mean: Counter[str] = Counter()
    for own in found.values():
        mean.update({topic: n / own.total() / len(found) for topic, n in own.items()})
    other = tool("topics").OTHER
    topics = sorted(mean, key=lambda topic: (topic == other, -mean[topic], topic))
    caption = (
        "Topics of a release of the kind variants are its own; those of another are read off the types of "
        "the hard answer, else of the first answer, with the names of at most five, and the rest is other. "
        f"Questions: {', '.join(f'{name} {own.total():,}' for name, own in found.items())}."
    )
    cells = [
        (name, topic, share(own[topic], own.total()))
        for name, own in found.items()
        for topic in topics
    ]
    yield bars("", caption, "topic", "questions", cells)


def _topics_of(release: Release, split: str | None) -> Iterator[str]:
    """The topic of each question: that its kind says, else one that is derived from types."""
    own = next((one for one in kind_named(release.kind).groups if one.key == "topic"), None)
    if own is not None:
        yield from (str(own.label(q, None)) for q in release.questions(split))
        return
    kg = release.kg("complete")
    ids, topics = kg.entity_ids, tool("topics")
    derived = topics.Topics.derived(types_of(kg))
    for q in release.questions(split):
        answer = next((ids[a] for a in (q.hard_answer, *q.answers) if a in ids), None)
        yield topics.OTHER if answer is None else derived.topic(answer, q.relations)


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
