"""Audits of releases, as far as their files allow, and several side by side as JSON, Markdown and a page.

A figure is a number with its definition, the questions it is over, its interval and examples. What cannot be
had is no number: it is "not available", and the figure says why. Titles, definitions and what figures need
stand in ``figures.toml``, what each question adds to them in `rulemine.auditing.measures`.

Guarantee: the same release, seed and number of resamples give the same audit, whatever the number of threads.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from rulemine.auditing.audited import AuditedSet
from rulemine.auditing.measures import PARTS, Measure, Progress
from rulemine.config import read_toml
from rulemine.errors import ReleaseError
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import to_html, to_markdown
from rulemine.evaluation.statistics.bootstrap import Resamples, named_means
from rulemine.files import write_text
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.text.tables import Cell, Table, Values, number, percent, under_headings

__all__ = ["FILES", "Audit", "AuditedFigure", "audit", "document_of", "to_json", "write_audits"]

FILES = ("audit.json", "audit.md", "audit.html")
"""The files of an audit."""

EXAMPLES = 3
"""How many questions a figure gives as examples, and how many texts an audit shows of each set."""

DIGITS = 6
"""Decimals that values are rounded to, so that they are the same on every machine."""

OVER_ASKED = ("leaks", "guessing")
"""The sections whose figures are over the questions that systems are scored on."""

NOTES = (
    "A hard answer is one that the complete graph gives and the incomplete one, which systems are given, "
    "does not state: it must be inferred. Each figure is defined in the table of a set.",
    "Intervals are of 95 % (bootstrap of questions, those on the same topics together; exact at 0 and 100 "
    "%). Questions on the same topics alone and effective numbers have none.",
    "What a set does not have is not available, which is not 0; the table of the set says why.",
    "A figure is about what the files say, not about what a set is for: see what its authors say of it.",
)
"""Notes below the tables; the first one says what hard answers are."""


@dataclass(frozen=True, slots=True)
class AuditedFigure:
    """A figure of an audit.

    Attributes:
        section: The part of the audit, one of `rulemine.auditing.measures.PARTS`.
        key: Names the figure.
        title: In a few words.
        definition: In a sentence.
        unit: ``share``: a fraction of questions; or ``number``.
        value: The value; None: not available.
        why: Why it is not available, a sentence; else empty.
        n: The questions it is over.
        low: Lower bound of its interval, exact where no question counts or every one does; None: it has none,
            since all questions are on the same topics, or the value is no mean over questions.
        high: Upper bound.
        examples: Ids of the first questions that count, at most `EXAMPLES`.
        counts: What there is of each form, where the figure sums that up.
    """

    section: str
    key: str
    title: str
    definition: str
    unit: str
    value: float | None = None
    why: str = ""
    n: int = 0
    low: float | None = None
    high: float | None = None
    examples: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audit:
    """What is known of a question set.

    Attributes:
        name: The name of its folder or archive.
        facts: Where it is from, its license, its size: name → text.
        figures: The figures, section by section.
        texts: Id → text, of the first questions that figures name, at most `EXAMPLES`.
        definitions: How its authors define figures: name → sentence.
    """

    name: str
    facts: Mapping[str, str]
    figures: tuple[AuditedFigure, ...]
    texts: Mapping[str, str]
    definitions: Mapping[str, str]


def audit(
    release: Release,
    *,
    resamples: int = 1000,
    seed: int = 0,
    mines: bool = True,
    watch: Callable[[str], AbstractContextManager[Progress]] = lambda _: nullcontext(
        lambda *_: None
    ),
) -> Audit:
    """Audits a release.

    Args:
        release: The release, of any kind.
        resamples: How many resamples an interval is from, ≥ 1.
        seed: Of the resamples.
        mines: Whether rules are mined where questions need what is missing and the release has none.
        watch: Watches a step, given its name.

    Raises:
        ReleaseError: It has no question, or a file is missing or was edited.
    """
    with watch(f"{release.name}: reading"):
        of = AuditedSet(release, mines)
    if not of.questions:
        raise ReleaseError(f"{release.path}: has no question to audit. Name another release.")
    about = read_toml(Path(__file__).with_name("figures.toml"))
    measures: dict[str, Measure] = {}
    hits: dict[str, list[float | None]] = {}
    lacking: dict[str, str] = {}
    for section, part in PARTS.items():
        with watch(f"{release.name}: {section}") as progress:
            measures |= part(of, progress)
            lacking |= {
                key: of.lacks(text.get("needs", ())) for key, text in about[section].items()
            }
            hits |= {key: [] for key in about[section] if not lacking[key]}
            for at, question in enumerate(of.questions):
                progress(at, len(of.questions))
                over = of.asked[at] or section not in OVER_ASKED
                for key in hits.keys() & about[section].keys():
                    hits[key].append(measures[key].hit(question) if over else None)
    with watch(f"{release.name}: intervals"):
        table = np.array([*hits.values()], np.float64).T
        sampled = Resamples(
            table, of.clusters, np.ones((1, len(table)), bool), resamples, seed
        ).means(0, part=True)
    means = named_means(sampled, [*hits], core=False)
    apart = dict(zip(hits, (sampled.clusters > 1).tolist(), strict=True))
    figures = []
    for section, key, text in ((s, key, text) for s in PARTS for key, text in about[s].items()):
        one = measures[key]
        figure = AuditedFigure(
            section,
            key,
            text["title"],
            text["definition"].format_map(one.said),
            text.get("unit", "share"),
        )
        pairs = zip(of.questions, hits.get(key, ()), strict=False)
        counted = {q.id: hit for q, hit in pairs if hit is not None}
        counted |= dict.fromkeys(one.left_out if key in hits else (), True)
        if not counted:
            why = about["needs"].get(
                lacking[key], text.get("why", "no question of the set has it.")
            )
            figures.append(replace(figure, why=why))
            continue
        value, low, high = means[key].score() if apart[key] else (means[key].value, None, None)
        if one.total is not None or one.left_out:
            value = one.total or math.fsum(counted.values()) / len(counted)
            low = high = None
        value, low, high = (
            None if end is None else round(end, DIGITS) for end in (value, low, high)
        )
        examples = tuple(id_ for id_, hit in counted.items() if hit)[:EXAMPLES]
        known = replace(figure, value=value, n=len(counted), low=low, high=high)
        figures.append(replace(known, examples=examples, counts=one.counts))
    shown = list(dict.fromkeys(key for figure in figures for key in figure.examples))[:EXAMPLES]
    named = {q.id: q.question for q in of.questions if q.id in shown}
    name = re.sub(r"\.(tar(\.\w+)?|tgz)$", "", release.path.absolute().name) or release.name
    section = release.manifest["config"].get(release.kind, {})
    own = section if isinstance(section, dict) else {}
    return Audit(
        name,
        _facts(of, own.get("notes", ())),
        tuple(figures),
        named,
        dict(own.get("definitions", ())),
    )


def _facts(of: AuditedSet, notes: Sequence[str]) -> dict[str, str]:
    kg, asked = of.release.manifest["kg"], Counter(q.split for q in of.questions)
    graphs = {"triples": of.complete, "triples left": of.incomplete}
    return {
        **{name: str(kg.get(name) or "unknown") for name in ("title", "source", "license")},
        "questions": ", ".join(f"{split} {asked[split]:,}" for split in SPLITS if asked[split]),
        "topics": f"{len(set(of.clusters.tolist())):,} different",
        **{name: f"{len(graph):,}" for name, graph in graphs.items() if graph is not None},
        **({"notes": " ".join(f"{note.rstrip('.')}." for note in notes)} if notes else {}),
        "release": of.release.name,
        "kind": of.release.kind,
        "identity": of.release.identity,
    }


def document_of(audits: Sequence[Audit]) -> Document:
    """A report: a table with a column for each set, and a table for each set with all definitions."""
    names: list[str] = []
    for one in audits:
        again = sum(other.name == one.name for other in audits[: len(names)])
        names.append(f"{one.name} ({again + 1})" if again else one.name)
    rows = under_headings(
        (own[0].section.capitalize(), (own[0].title, *map(_cell, own)))
        for own in zip(*(one.figures for one in audits), strict=True)
    )
    tables = []
    for place, (name, one) in enumerate(zip(names, audits, strict=True), start=1):
        lines = under_headings((own.section.capitalize(), _line(own)) for own in one.figures)
        header = ("", "value", "95 %", "questions", "examples", "definition")
        notes = [f"{about.capitalize()}: {text}" for about, text in one.facts.items()]
        notes += [f"How its authors define {key}: {text}" for key, text in one.definitions.items()]
        tables.append(Table(f"set-{place}", name, header, lines, tuple(notes)))
        if one.texts:
            title = f"{name}: questions named above (license: {one.facts['license']})"
            tables.append(Table(f"texts-{place}", title, ("", "text"), tuple(one.texts.items())))
    title = "Side by side, in percent; below a value its interval and the questions that it is over"
    headline = Table("audits", title, ("", *names), rows, NOTES[:1])
    return Document(
        "Audit: what guesses get, what leaks into test, what the graph confirms", NOTES[1:],
        headline=headline, tables=tuple(tables),
    )  # fmt: skip


def _shown(figure: AuditedFigure) -> tuple[str, str]:
    """The value and its interval."""
    show = percent if figure.unit == "share" else number
    if figure.value is None:
        return "not available", ""
    known = figure.low is not None and figure.high is not None
    return show(figure.value), f"{show(figure.low)}–{show(figure.high)}" if known else ""  # type: ignore[arg-type]


def _cell(figure: AuditedFigure) -> Cell:
    value, interval = _shown(figure)
    about = "; ".join(filter(None, (interval, f"{figure.n:,}")))
    return Cell(value, "" if figure.value is None else about)


def _line(figure: AuditedFigure) -> Values:
    text = f"{figure.definition} Not available: {figure.why}" if figure.why else figure.definition
    if figure.counts:
        text += f" {', '.join(f'{form}: {n:,}' for form, n in figure.counts.items())}."
    return figure.title, *_shown(figure), figure.n, ", ".join(figure.examples), text


def to_json(audits: Sequence[Audit]) -> str:
    """The audits as indented JSON: ``sets``, each with its facts, figures, texts and definitions."""
    content = {"sets": [asdict(one) for one in audits]}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def write_audits(audits: Sequence[Audit], folder: Path) -> list[Path]:
    """Writes ``audit.json``, ``audit.md`` and ``audit.html`` into a folder; earlier ones are replaced.

    Returns:
        The files; the page is the last.

    Raises:
        OutputError: A file cannot be written.
    """
    document = document_of(audits)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    texts = (to_json(audits), to_markdown(document), to_html(document))
    for path, text in zip(paths, texts, strict=True):
        write_text(path, text)
    return paths
