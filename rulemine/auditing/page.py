"""Audits of several question sets side by side: JSON, Markdown and a page."""

import json
from collections.abc import Sequence
from pathlib import Path

from rulemine.auditing.audit import SECTIONS, Audit
from rulemine.auditing.figures import NOT_AVAILABLE, AuditedFigure
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import to_markdown
from rulemine.evaluation.reporting.html import to_html
from rulemine.files import write_text
from rulemine.text.tables import Cell, Table, Value, Values, number, percent

__all__ = ["FILES", "document_of", "to_json", "write_audits"]

_TITLE = "Audit"

FILES = ("audit.json", "audit.md", "audit.html")
"""The files of an audit."""

NOTES = (
    "Shares are percentages; in parentheses the 95 % interval (bootstrap of questions, those on the same "
    "topics together) and the number of questions a figure is over.",
    "There is no interval where no question counts, or every one does, since resampling shows no spread; nor "
    "of questions on the same topics alone, or of an effective number of very many values.",
    f"What a set does not have is {NOT_AVAILABLE}, which is not 0; the table of the set says why.",
    "A figure is about what the files say, not about what a set is for: see what its authors say of it.",
)


def document_of(audits: Sequence[Audit]) -> Document:
    """A report: a table with a column for each set, and a table for each set with all definitions."""
    names = _names(audits)
    rows: list[Values] = []
    for section in SECTIONS:
        rows.append((section.capitalize(),))
        for at, figure in enumerate(audits[0].figures):
            if figure.section == section:
                rows.append((figure.title, *(_cell(one.figures[at]) for one in audits)))
    headline = Table("audits", "Side by side, in percent", ("", *names), tuple(rows))
    tables = [
        table
        for place, (name, one) in enumerate(zip(names, audits, strict=True), start=1)
        for table in _tables(place, name, one)
    ]
    return Document(_TITLE, NOTES, headline=headline, tables=tuple(tables))


def _names(audits: Sequence[Audit]) -> list[str]:
    """The names of the sets, with a number where two have the same."""
    names: list[str] = []
    for one in audits:
        again = sum(other.name == one.name for other in audits[: len(names)])
        names.append(f"{one.name} ({again + 1})" if again else one.name)
    return names


def _shown(figure: AuditedFigure, value: float) -> str:
    return percent(value) if figure.unit == "share" else number(value)


def _interval(figure: AuditedFigure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{_shown(figure, figure.low)}–{_shown(figure, figure.high)}"


def _cell(figure: AuditedFigure) -> Value:
    if figure.value is None:
        return Cell(NOT_AVAILABLE)
    about = "; ".join(filter(None, (_interval(figure), f"{figure.n:,}")))
    return Cell(_shown(figure, figure.value), about)


def _tables(place: int, name: str, of: Audit) -> list[Table]:
    rows: list[Values] = []
    for section in SECTIONS:
        rows.append((section.capitalize(),))
        for one in of.figures:
            if one.section == section:
                value = NOT_AVAILABLE if one.value is None else _shown(one, one.value)
                text = f"{one.definition} Not available: {one.why}" if one.why else one.definition
                if one.counts:
                    text += f" {', '.join(f'{form}: {n:,}' for form, n in one.counts.items())}."
                examples = ", ".join(one.examples)
                rows.append((one.title, value, _interval(one), one.n, examples, text))
    header = ("", "value", "95 %", "questions", "examples", "definition")
    notes = [f"{about.capitalize()}: {text}" for about, text in of.facts.items()]
    notes += [f"How its authors define {key}: {text}" for key, text in of.definitions.items()]
    found = [Table(f"set-{place}", name, header, tuple(rows), tuple(notes))]
    if of.texts:
        title = f"{name}: questions named above (license: {of.facts['license']})"
        texts = tuple((key, text) for key, text in of.texts.items())
        found.append(Table(f"texts-{place}", title, ("", "text"), texts))
    return found


def to_json(audits: Sequence[Audit]) -> str:
    """The audits as indented JSON: ``sets``, each with its facts, figures, texts and definitions."""
    content = {"sets": [one.content() for one in audits]}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def write_audits(audits: Sequence[Audit], folder: Path) -> list[Path]:
    """Writes ``audit.json``, ``audit.md`` and ``audit.html`` into a folder; earlier ones are replaced.

    Returns:
        The files; the page is the last.

    Raises:
        OutputError: A file cannot be written.
    """
    document = document_of(audits)
    texts = {
        "audit.json": to_json(audits),
        "audit.md": to_markdown(document),
        "audit.html": to_html(document),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        write_text(folder / name, texts[name])
    return [folder / name for name in FILES]
