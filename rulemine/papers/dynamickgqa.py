"""The tables and figures of Dynamic-KGQA (arXiv 2503.05049)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from rulemine.evaluation.comparing.variant_runs import compare_runs
from rulemine.evaluation.predictions import read_run
from rulemine.evaluation.reporting.document import Picture, Series
from rulemine.evaluation.reporting.report import Report
from rulemine.evaluation.scorer import Scorer
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.study.plan import graph_at
from rulemine.exports.exporting import naming_for
from rulemine.exports.protocol import ExportInput
from rulemine.exports.registry import find_exporter
from rulemine.kg.entity_types import types_of
from rulemine.kinds.registry import having, kind_named, tool
from rulemine.papers.material import Material
from rulemine.papers.paper import Exhibit, LackingError, Made, Paper
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.text.tables import Table, Values, percent, under_headings

__all__ = ["DYNAMICKGQA"]

_FORMAT, _METRICS, _METRIC = "dynamic-kgqa", "dynamickgqa", "dynamickgqa_hit"

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


def _names(releases: Sequence[Release]) -> list[str]:
    """What releases are called: their folders, as fresh runs all have the name of what they are of."""
    names = [release.path.resolve().name for release in releases]
    return names if len({*names}) == len(names) else [str(release.path) for release in releases]


# Table 2


def _fields(material: Material) -> Made:
    """Each field, how many questions have it, and an example."""
    releases = [r for r in material.releases if r.kind in having("subgraph")]
    rows = [_rows(release, material.split) for release in releases]
    asked = [(r, own) for r, own in zip(releases, rows, strict=True) if own]
    if not asked:
        raise LackingError("a release of the kind variants with questions of the split")
    releases = [release for release, _ in asked]
    counts: Counter[tuple[int, str]] = Counter(
        (at, name)
        for at, (_, own) in enumerate(asked)
        for row in own
        for name, value in row.items()
        if value not in (None, "")
    )
    first = asked[0][1][0]
    yield Table(
        "",
        "",
        ("field", "what it has", *_names(releases), "example"),
        (
            ("questions", "", *(len(own) for _, own in asked), ""),
            *(
                (name, _about(name), *(counts[at, name] for at in range(len(asked))), _cut(value))
                for name, value in first.items()
            ),
        ),
        (
            "Rows are those of the export dynamic-kgqa; counted is how many questions have a value, which is "
            "none of a judge's where no model judged.",
            f"The example is the first question of {_names(releases)[0]}.",
        ),
    )


def _rows(release: Release, split: str | None) -> list[dict[str, Any]]:
    exporter: Any = find_exporter(_FORMAT)
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


def _cut(value: object) -> str | None:
    text = " ".join(str(value).split())
    return None if value is None else text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


# Table 3


def _hits(material: Material) -> Made:
    """The hit of each system, by data set."""
    found: dict[tuple[int, str], dict[str, Score]] = {}
    asked: dict[str, int] = {}
    names = dict(
        zip((r.identity for r in material.releases), _names(material.releases), strict=True)
    )
    for release, system, level, report in _reports(material):
        name = names[release.identity]
        (hit,) = (
            (s for s in report.others.scores if s.subset == "all") if report.others else (None,)
        )
        if hit is not None and hit.n:
            found.setdefault((level, system), {})[name] = hit.score
            asked[name] = max(hit.n, asked.get(name, 0))
    if not found:
        raise LackingError("a study, or predictions, of a release whose answers are entities")
    levels = sorted({level for level, _ in found})
    rows = under_headings(
        (
            f"on the graph {graph_at(level)}",
            (system, *(found[level, system].get(name) for name in asked)),
        )
        for level in levels
        for system in dict.fromkeys(one for _, one in found)
        if (level, system) in found
    )
    numbers = ", ".join(f"{name} {n:,}" for name, n in asked.items())
    yield Table(
        "",
        "",
        ("system", *asked),
        rows,
        (
            f"Hit as the public code of the paper counts it ({_METRIC}): an answer, normalized, stands "
            "anywhere in the normalized output, so whoever lists more hits more. In percent, with 95 % "
            "intervals over ties of questions.",
            f"Questions: {numbers}. A study asked the questions of its own split.",
        ),
    )


def _reports(material: Material) -> Iterator[tuple[Release, str, int, Report]]:
    """The release, system, level of the graph and report of everything that was answered."""
    for study in material.studies:
        plan, release = study.study.plan, study.study.release
        if release.answers == "rows":
            continue
        scorer = Scorer(
            release,
            matching=plan.matching,
            split=None if plan.split == "all" else plan.split,
            sample=plan.sample,
            resamples=plan.resamples,
            seed=plan.seed,
            metrics=_METRICS,
        )
        for system in plan.systems:
            for level in plan.levels:
                if given := study.predictions(system, level):
                    report = scorer(given, kg=graph_at(level), naming=study.naming)
                    yield release, study.called[system], level, report
    for release, path in material.predictions:
        if release.answers == "rows":
            continue
        run = read_run(path) or {}
        kg = str(run.get("kg") or "incomplete")
        scorer = Scorer(
            release,
            split=material.split,
            sample=run.get("sample"),
            resamples=material.resamples,
            seed=material.seed,
            metrics=_METRICS,
        )
        report = scorer(path, kg=kg)
        yield release, str(run.get("system") or path.stem), release.level_of(kg), report


# Table 4


def _runs(material: Material) -> Made:
    """Each pair of runs, and the topics of each run."""

    def texts(release: Release) -> str:
        own = sorted((row.id, row.entities) for row in release.seed_rows() if row.split == "test")
        return f"{release.manifest['kg'].get('digest')} {own}"

    fresh = [
        r for r in material.releases if kind_named(r.kind).limits.fresh(r.manifest["config"], 1, 0)
    ]
    groups = [[*some] for _, some in groupby(sorted(fresh, key=texts), texts)]
    groups = [some for some in groups if len(some) > 1]
    if not groups:
        raise LackingError("two or more runs of one release: rulemine variants DIR --runs 3 -o OUT")
    for number, some in enumerate(groups, start=1):
        made = compare_runs(sorted(some, key=material.releases.index))
        for table in made.tables():
            id_ = table.id if len(groups) == 1 else f"{table.id}-{number}"
            notes = made.notes if table.id == "pairs" else ()
            yield Table(id_, table.title, table.header, table.rows, notes, table.show)


# Figure 4


def _topics(material: Material) -> Made:
    """The share of the questions of each release that is about each topic."""
    asked = [
        r for r in material.releases if r.answers == "entities" and r.questions(material.split)
    ]
    if not asked:
        raise LackingError("a release whose answers are entities, with questions of the split")
    found = [Counter(_topics_of(release, material.split)) for release in asked]
    mean = {
        topic: sum(own[topic] / own.total() for own in found) / len(found)
        for topic in {topic for own in found for topic in own}
    }
    other = tool("topics").OTHER
    topics = sorted(mean, key=lambda topic: (topic == other, -mean[topic], topic))
    yield Picture(
        "",
        "",
        "Share of the questions that is about each topic. The topics of a release of the kind variants are "
        "its own; those of another are read off the types of the hard answer, else of the first answer, "
        "with the names of at most five, and the rest is other.",
        "bars",
        "topic",
        "questions, percent",
        tuple(topics),
        tuple(
            Series(name, tuple(Score(own[topic] / own.total(), None, None) for topic in topics))
            for name, own in zip(_names(asked), found, strict=True)
        ),
    )
    rows: list[Values] = [(topic, *(own[topic] for own in found), mean[topic]) for topic in topics]
    yield Table(
        "numbers",
        "Questions by topic",
        ("topic", *_names(asked), "mean share, %"),
        tuple(rows),
        show={"mean share, %": percent},
    )


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


_UNKNOWN = "The text of the paper was not at hand when its tables and figures were listed."

_EARLIER = ("Figure 1", "Figure 2", "Figure 3")

DYNAMICKGQA = Paper(
    name="dynamickgqa",
    title="Dammu, Naidu and Shah: Dynamic-KGQA: A Scalable Framework for Generating Adaptive Question "
    "Answering Datasets",
    version="arXiv 2503.05049v1",
    exhibits=(
        *(Exhibit(number, "not known here", None, _UNKNOWN) for number in ("Table 1", *_EARLIER)),
        Exhibit("Table 2", "the fields of a question", _fields),
        Exhibit("Table 3", "hits of systems on data sets", _hits),
        Exhibit("Table 4", "questions and topics of fresh runs, in pairs", _runs),
        Exhibit(
            "Figure 4",
            "topics of the questions of data sets",
            _topics,
            "Topics are those of types; the paper has six domains by a zero-shot classifier.",
        ),
    ),
)
