"""Writes a report as JSON, CSV, Markdown and LaTeX, its figures as SVG, and all of it in one folder.

Guarantees: values in JSON and CSV are fractions with all their digits, elsewhere percentages with one
decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` elsewhere, never 0. The same document
gives the same bytes.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.reporting.document import Document, QuestionRow
from rulemine.evaluation.reporting.figures import draw
from rulemine.evaluation.reporting.html import to_html
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.files import write_lines
from rulemine.kinds.registry import form_of
from rulemine.text.escaping import csv_text, plain
from rulemine.text.tables import (
    LATEX_PREAMBLE,
    csv_of,
    exact,
    latex_of,
    markdown_of,
    plain_of,
    text_of,
    wrapped,
)  # fmt: skip

__all__ = [
    "FORMATS",
    "render",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "write_document",
]

_OF_QUESTION = (
    *("id", "split", "form", "core", "missing", "question", "anchors", "query"),
    *("hard_answer", "hard", "stated", "further"),
)
_OF_OUTCOME = ("system", "kg", "verdict", "why", "said", "answers", "triples_retrieved")


def to_json(document: Document) -> str:
    """A report without its questions as indented JSON.

    Keys: ``title``, ``facts``, ``notes``, ``headline``, ``figures``, ``tables``; of a table, see `plain_of`.
    A figure has ``id``, ``title``, ``caption``, ``kind``, ``across``, ``up`` and its ``table``.
    """
    parts = ("id", "title", "caption", "kind", "across", "up")
    figures = [
        {part: getattr(f, part) for part in parts} | {"table": plain_of(f.table())}
        for f in document.figures
    ]
    content = {
        "title": document.title,
        "facts": dict(document.facts),
        "notes": list(document.notes),
        "headline": None if document.headline is None else plain_of(document.headline),
        "figures": figures,
        "tables": [*map(plain_of, document.tables)],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def questions_csv(rows: Sequence[QuestionRow]) -> Iterator[str]:
    """All questions as CSV in pieces: a line for each question and system, or for each question alone.

    Lists are separated by newlines; there is a column for every score that a system has, and where
    answers are rows for what became of queries.
    """
    names = list(dict.fromkeys(n for row in rows for o in row.outcomes for n in o.scores))
    of_queries = list(dict.fromkeys(n for row in rows for o in row.outcomes for n in o.of_query))
    yield csv_text([[*_OF_QUESTION, *_OF_OUTCOME, *names, *of_queries]])
    for q, _, _, outcomes in rows:
        lists = ("\n".join(part) for part in (q.hard_answers, q.stated, q.further))
        of_question = [
            *(q.id, q.split, form_of(q), str(q.core).lower(), str(q.missing), q.question),
            *("\n".join(q.anchors), q.query, q.hard_answer or "", *lists),
        ]
        lines = [
            [
                *of_question,
                *(o.system, o.kg, o.verdict, o.why, o.said, "\n".join(o.answers)),
                exact(o.retrieved_count),
                *(exact(o.scores.get(name)) for name in names),
                *(o.of_query.get(name, "") for name in of_queries),
            ]
            for o in outcomes
        ]
        empty = [""] * (len(_OF_OUTCOME) + len(names) + len(of_queries))
        yield csv_text(lines or [of_question + empty])


def to_markdown(document: Document) -> str:
    """A report without its questions as Markdown, its figures as links to ``figures/ID.svg``."""
    drawn = {figure.id: figure for figure in document.figures}
    parts = [f"# {plain(document.title)}\n"]
    parts += [f"- **{plain(name)}**: {plain(text)}" for name, text in document.facts.items()]
    parts += ["", *(f"- {plain(note)}" for note in document.notes)]
    for table in document.every_table():
        parts.append(f"\n## {plain(table.title)}\n")
        if figure := drawn.get(table.id):
            parts.append(
                f"![{plain(figure.title)}](figures/{figure.id}.svg)\n\n{plain(figure.caption)}\n"
            )
        parts.append(markdown_of(replace(table, title="")).strip("\n"))
    return "\n".join(parts) + "\n"


def to_text(document: Document) -> str:
    """The facts, warnings, tables and other notes of a report for a terminal."""
    facts = [f"{name}: {text}" for name, text in document.facts.items() if name != "identity"]
    parts = [wrapped("\n".join([document.title, "", *facts]))]
    parts += [wrapped(note) for note in document.notes if note.startswith(WARNING)]
    parts += [text_of(table).rstrip("\n") for table in document.every_table()]
    parts += [wrapped(note) for note in document.notes if not note.startswith(WARNING)]
    return "\n\n".join(parts) + "\n"


def to_latex(document: Document) -> str:
    """The tables of a report as LaTeX."""
    first = f"% {document.title}".replace("\n", " ")
    return "\n".join([first, LATEX_PREAMBLE, *map(latex_of, document.every_table())])


FORMATS: dict[str, Callable[[Document], str]] = {
    "table": to_text,
    "json": to_json,
    "csv": lambda document: "\n".join(map(csv_of, document.every_table())),
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
    "questions": lambda document: "".join(questions_csv(document.questions)),
}
"""The formats of `render`."""


def render(document: Document, format_: str) -> str:
    """A report as one text.

    ``csv`` has its tables one after another, with empty lines between; ``questions`` every question, as CSV.

    Raises:
        ConfigError: There is no such format, or a package that it needs is not installed.
    """
    if format_ not in FORMATS:
        raise ConfigError(f"no format {format_!r}; {did_you_mean(format_, tuple(FORMATS))}")
    return FORMATS[format_](document)


def write_document(document: Document, folder: Path) -> list[Path]:
    """Writes a report into a folder; files of the same names are replaced.

    They are ``report.json``, ``.md``, ``.tex`` and ``.html``, ``tables/ID.csv``, ``figures/ID.svg`` and
    ``questions.csv``.

    Returns:
        The files, in the order written; the page is the last.

    Raises:
        ConfigError: A package of the extra ``report`` is not installed.
        OutputError: A file cannot be written.
    """
    texts: dict[str, Iterable[str]] = {
        "report.json": [to_json(document)],
        "report.md": [to_markdown(document)],
        "report.tex": [to_latex(document)],
        **{f"tables/{table.id}.csv": [csv_of(table)] for table in document.every_table()},
        **{f"figures/{figure.id}.svg": [draw(figure)] for figure in document.figures},
        **({"questions.csv": questions_csv(document.questions)} if document.questions else {}),
        "report.html": [to_html(document)],
    }
    for name, pieces in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_lines(folder / name, pieces)
    return [folder / name for name in texts]
