r"""Writes a report as JSON, CSV, Markdown and LaTeX, its figures as SVG, and all of it in one folder.

Guarantees: values in JSON and CSV are fractions with all their digits, elsewhere percentages with one
decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` elsewhere, never 0. The same document
gives the same bytes.

Example:
    >>> grid = Grid("t", "F1 & more", ("system", "F1"), (("prior:k=5", Score(0.5, 0.4, 0.6)),))
    >>> print(to_latex(Document("T", tables=(grid,))).split("\\midrule")[1].split("\\bottom")[0].strip())
    prior:k=5 & \scored{50.0}{40.0}{60.0} \\
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.reporting.cells import cells, notes_of, text_columns
from rulemine.evaluation.reporting.document import Document, Grid, QuestionRow, Score
from rulemine.evaluation.reporting.report import WARNING
from rulemine.evaluation.reporting.tables import format_markdown, format_table, wrapped
from rulemine.files import write_lines, write_text
from rulemine.text.markdown import plain
from rulemine.text.spreadsheet import csv_text

__all__ = [
    "FORMATS",
    "render",
    "table_text",
    "to_csv",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "write_document",
]

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\ldots{}",
    "⇒": r"$\Rightarrow$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "†": r"\textdagger{}",
    "\n": " ",
} | {c: f"\\{c}" for c in "&%$#_{}"}

_OF_QUESTION = (
    *("id", "split", "form", "core", "missing", "question", "anchors", "query"),
    *("hard_answer", "hard", "stated", "further"),
)
_OF_OUTCOME = ("system", "kg", "verdict", "why", "said", "answers", "triples_retrieved")

_PREAMBLE = r"""% Needs \usepackage{booktabs} and \usepackage[T1]{fontenc}. Percentages with 95 % intervals;
% to show them otherwise, define \scored before, e.g. \newcommand{\scored}[3]{#1} for none.
\providecommand{\scored}[3]{\begin{tabular}[t]{@{}r@{}}#1\\[-3pt]{\scriptsize[#2, #3]}\end{tabular}}
"""


def to_json(document: Document) -> str:
    """A report without its questions as indented JSON.

    Keys: ``title``, ``facts``, ``notes``, ``headline``, ``figures``, ``tables``. A table has ``id``,
    ``title``, ``header``, ``rows`` and ``notes``; a score in it is ``{"value", "low", "high"}``. A figure has
    ``id``, ``title``, ``caption``, ``kind``, ``across``, ``up`` and the ``table`` of its numbers.
    """
    figures = [
        {
            "id": f.id,
            "title": f.title,
            "caption": f.caption,
            "kind": f.kind,
            "across": f.across,
            "up": f.up,
            "table": _plain(f.grid()),
        }
        for f in document.figures
    ]
    content = {
        "title": document.title,
        "facts": dict(document.facts),
        "notes": list(document.notes),
        "headline": None if document.headline is None else _plain(document.headline),
        "figures": figures,
        "tables": [_plain(grid) for grid in document.tables],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _plain(grid: Grid) -> dict[str, Any]:
    rows = [[v._asdict() if isinstance(v, Score) else v for v in row] for row in grid.rows]
    head = {"id": grid.id, "title": grid.title, "header": list(grid.header)}
    return head | {"rows": rows, "notes": list(grid.notes)}


def to_csv(grid: Grid) -> str:
    """A table as CSV; a column of scores becomes three: the value and the bounds of its interval."""
    scores = [any(isinstance(row[i], Score) for row in grid.rows) for i in range(len(grid.header))]
    header: list[str] = []
    for name, score in zip(grid.header, scores, strict=True):
        header += [name, f"{name} low", f"{name} high"] if score else [name]
    lines = []
    for row in grid.rows:
        line: list[Any] = []
        for value, score in zip(row, scores, strict=True):
            found = value if isinstance(value, Score) else (value, None, None)
            line += found if score else [value]
        lines.append([_exact(value) for value in line])
    return csv_text([header, *lines])


def _exact(value: Any) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def questions_csv(questions: Sequence[QuestionRow]) -> Iterator[str]:
    """All questions as CSV in pieces: a line for each question and system, or for each question alone.

    Lists are separated by newlines; there is a column for every score that a system has.
    """
    names = list(dict.fromkeys(n for q in questions for o in q.outcomes for n in o.scores))
    yield csv_text([[*_OF_QUESTION, *_OF_OUTCOME, *names]])
    for q in questions:
        of_question = [q.id, q.split, q.form, str(q.core).lower(), str(q.missing), q.text]
        of_question += ["\n".join(q.anchors), q.query, q.hard_answer or ""]
        of_question += ["\n".join(part) for part in (q.hard, q.stated, q.further)]
        lines = [
            [
                *of_question,
                *(o.system, o.kg, o.verdict, o.why, o.said, "\n".join(o.answers)),
                _exact(o.retrieved_count),
                *(_exact(o.scores.get(name)) for name in names),
            ]
            for o in q.outcomes
        ]
        yield csv_text(lines or [of_question + [""] * (len(_OF_OUTCOME) + len(names))])


def to_markdown(document: Document) -> str:
    """A report without its questions as Markdown, its figures as links to ``figures/ID.svg``."""
    parts = [f"# {plain(document.title)}\n"]
    parts += [f"- **{plain(name)}**: {plain(text)}" for name, text in document.facts.items()]
    parts += ["", *(f"- {plain(note)}" for note in document.notes)]
    figures = {figure.id: figure for figure in document.figures}
    for grid in document.grids():
        figure = figures.get(grid.id)
        parts.append(f"\n## {plain(grid.title)}\n")
        if figure is not None:
            image = f"![{plain(figure.title)}](figures/{figure.id}.svg)"
            parts.append(f"{image}\n\n{plain(figure.caption)}\n")
        rows = [(row[0][0], row[1:]) for row in cells(grid)]
        table = format_markdown("", grid.header, [("", rows)], notes_of(grid))
        parts.append(table.strip("\n"))
    return "\n".join(parts) + "\n"


def table_text(grid: Grid) -> str:
    """A table with its notes, for a terminal."""
    rows = [(row[0][0], row[1:]) for row in cells(grid)]
    return format_table(grid.title, grid.header, [("", rows)], notes_of(grid))


def to_text(document: Document) -> str:
    """The facts, warnings, tables and other notes of a report for a terminal."""
    facts = [f"{name}: {text}" for name, text in document.facts.items() if name != "identity"]
    parts = [wrapped("\n".join([document.title, "", *facts]))]
    parts += [wrapped(note) for note in document.notes if note.startswith(WARNING)]
    parts += [table_text(grid).rstrip("\n") for grid in document.grids()]
    parts += [wrapped(note) for note in document.notes if not note.startswith(WARNING)]
    return "\n\n".join(parts) + "\n"


def to_latex(document: Document) -> str:
    """The tables of a report as LaTeX (booktabs), each a floating ``table`` with the label ``tab:ID``."""
    parts = [f"% {document.title}".replace("\n", " "), _PREAMBLE]
    for grid in document.grids():
        columns = "".join("l" if text else "r" for text in text_columns(grid))
        lines = [r"\begin{table}", r"\centering", f"\\caption{{{_tex(grid.title)}}}"]
        lines += [
            f"\\label{{tab:{grid.id}}}",
            f"\\begin{{tabular}}{{{columns}}}",
        ]
        lines += [r"\toprule", " & ".join(map(_tex, grid.header)) + r" \\", r"\midrule"]
        for row in cells(grid):
            shown = []
            for value, about in row:
                low, _, high = about.replace(" … ", "–").partition("–")
                scored = "".join(f"{{{part.replace('-', '$-$')}}}" for part in (value, low, high))
                shown.append(rf"\scored{scored}" if about else _tex(value))
            lines.append(" & ".join(shown) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        lines += [f"\\par\\smallskip{{\\footnotesize {_tex(note)}}}" for note in notes_of(grid)]
        parts.append("\n".join([*lines, r"\end{table}", ""]))
    return "\n".join(parts)


def _tex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _page(document: Document) -> str:
    from rulemine.evaluation.reporting.html import to_html

    return to_html(document)


FORMATS: dict[str, Callable[[Document], str]] = {
    "json": to_json,
    "csv": lambda document: "\n".join(map(to_csv, document.grids())),
    "markdown": to_markdown,
    "latex": to_latex,
    "html": _page,
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
    from rulemine.evaluation.reporting.figures import draw

    texts = {"report.json": to_json(document), "report.md": to_markdown(document)}
    texts["report.tex"] = to_latex(document)
    texts |= {f"tables/{grid.id}.csv": to_csv(grid) for grid in document.grids()}
    texts |= {f"figures/{figure.id}.svg": draw(figure) for figure in document.figures}
    written = [folder / name for name in texts]
    for path, text in zip(written, texts.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    if document.questions:
        written.append(folder / "questions.csv")
        write_lines(written[-1], questions_csv(document.questions))
    written.append(folder / "report.html")
    write_text(written[-1], _page(document))
    return written
