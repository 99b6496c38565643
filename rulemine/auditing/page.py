"""Audits of several question sets side by side: JSON, Markdown and a page."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rulemine.auditing.audit import Audit
from rulemine.auditing.figures import AuditedFigure
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import to_markdown
from rulemine.evaluation.reporting.html import to_html
from rulemine.files import write_text
from rulemine.text.tables import Cell, Table, Value, Values, number, percent, under_headings

__all__ = ["FILES", "document_of", "to_json", "write_audits"]

FILES = ("audit.json", "audit.md", "audit.html")
"""The files of an audit."""

NOT_AVAILABLE = "not available"

NOTES = (
    "A hard answer is one that the complete graph gives and the incomplete one, which systems are given, "
    "does not state: it must be inferred. Each figure is defined in the table of a set.",
    "Intervals are of 95 % (bootstrap of questions, those on the same topics together; exact at 0 and 100 "
    "%). Questions on the same topics alone and effective numbers have none.",
    f"What a set does not have is {NOT_AVAILABLE}, which is not 0; the table of the set says why.",
    "A figure is about what the files say, not about what a set is for: see what its authors say of it.",
)
"""What a reader of the numbers must know; what hard answers are stands below the first of them."""


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
    return Document("Audit", NOTES[1:], headline=headline, tables=tuple(tables))


def _shown(figure: AuditedFigure) -> Cell:
    """The value and its interval."""
    show = percent if figure.unit == "share" else number
    if figure.value is None:
        return Cell(NOT_AVAILABLE)
    known = figure.low is not None and figure.high is not None
    return Cell(show(figure.value), f"{show(figure.low)}–{show(figure.high)}" if known else "")  # type: ignore[arg-type]


def _cell(figure: AuditedFigure) -> Value:
    value, interval = _shown(figure)
    about = "; ".join(filter(None, (interval, f"{figure.n:,}")))
    return Cell(value, "" if figure.value is None else about)


def _line(figure: AuditedFigure) -> Values:
    value, interval = _shown(figure)
    text = f"{figure.definition} Not available: {figure.why}" if figure.why else figure.definition
    if figure.counts:
        text += f" {', '.join(f'{form}: {n:,}' for form, n in figure.counts.items())}."
    return figure.title, value, interval, figure.n, ", ".join(figure.examples), text


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
