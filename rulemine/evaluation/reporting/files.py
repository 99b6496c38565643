"""Writes a report: as JSON, CSV, Markdown, LaTeX and a page, and all of it with its figures in one folder.

Guarantees: values in JSON and CSV are fractions with all their digits, elsewhere percentages with one
decimal; what is undefined is ``null`` in JSON, empty in CSV and ``–`` elsewhere, never 0. The same document
gives the same bytes.

The page opens from disk, needs no network and loads nothing. Whatever systems wrote is shown as text: the
template escapes all it is given, the script sets texts only, and the page's own policy lets no other script
run and nothing be fetched. It is at most `MOST_BYTES` long. Without matplotlib figures are tables.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from rulemine.errors import ConfigError, counted, did_you_mean
from rulemine.evaluation.reporting.document import (
    MOST_QUESTIONS,
    VERDICTS,
    Document,
    Outcome,
    QuestionRow,
)
from rulemine.evaluation.reporting.figures import draw, drawable, embedded
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.files import write_lines
from rulemine.kinds.registry import form_of
from rulemine.release.groups import sample
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
    "MOST_BYTES",
    "render",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "write_document",
]

MOST_BYTES = 20_000_000
"""Size of a page."""

_SCORES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "hard_f1": "hard F1",
    "hard_mrr": "MRR of the hard answer",
    "mrr": "MRR",
    "triple_recall": "recall of evidence",
    "triple_precision": "precision of evidence",
    "certificate_recall": "proof retrieved",
}
"""The scores that a question shows → in words."""


_LIMITS = ((2000, 100), (800, 30), (400, 12), (160, 5))
"""How many characters of each text and triples of each list a page shows: the first that fit."""

_DIRECTION = {c: f"\\u{c:04x}" for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Marks that could turn a line around, and how they are shown."""

_NAMES = 60
"""Entities shown of a long list."""


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


def to_html(document: Document) -> str:
    """The page of a report."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    folder = files("rulemine.evaluation.reporting") / "templates"
    script = (folder / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(
        loader=PackageLoader("rulemine.evaluation.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value.translate(_DIRECTION) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("page.html.j2")
    given: dict[str, Any] = {
        "document": (drawn := drawable(document)),
        "warning": WARNING,
        "rest": [note for note in drawn.notes if not note.startswith(WARNING)],
        "figures": [(figure, embedded(draw(figure), figure)) for figure in drawn.figures],
        "script": script,
        "style": (folder / "page.css").read_text("utf-8"),
        "policy": f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
    }
    empty = len(template.render(given, data="", shown="").encode())
    data, shown = _fitting(document, MOST_BYTES - empty - 1000)
    return template.render(given, data=data, shown=shown)


def _fitting(document: Document, most: int) -> tuple[str, str]:
    """The data of a page that fit into so many bytes, and a sentence on what they leave out."""
    rows = _first(document.questions, MOST_QUESTIONS)
    limits = list(_LIMITS)
    while len((data := _data(document, rows, *limits[0])).encode()) > most and rows:
        if len(limits) > 1:
            limits.pop(0)
        else:
            rows = _first(rows, len(rows) // 2)
    if len(rows) == len(document.questions):
        return data, ""
    return data, (
        f"The page shows {len(rows):,} of {counted(len(document.questions), 'question')}, the first in the "
        "order in which samples are drawn (the core first). Its tables and figures are of all; every "
        "question is in questions.csv, or in what --format questions writes."
    )


def _first(rows: Sequence[QuestionRow], n: int) -> list[QuestionRow]:
    """The first rows of the order of samples, sorted by id."""
    chosen = {q.id for q in sample([row.question for row in rows], n)} if n else ()
    return [row for row in rows if row.question.id in chosen]


def _data(document: Document, rows: Sequence[QuestionRow], letters: int, triples: int) -> str:
    """What the script reads, as JSON that can stand in a script element."""
    pool = _Pool()
    runs = list(dict.fromkeys((o.system, o.kg) for row in rows for o in row.outcomes))
    questions = [
        _question(row, pool)
        | {
            "outcomes": [
                {"run": runs.index((o.system, o.kg)), **_outcome(o, row, pool, letters, triples)}
                for o in row.outcomes
            ]
        }
        for row in rows
    ]
    content = {
        "runs": [{"system": system, "kg": kg} for system, kg in runs],
        "verdicts": VERDICTS,
        "scores": _SCORES,
        "questions": questions,
        "names": list(pool),
        "labels": {
            place: document.labels[name] for name, place in pool.items() if name in document.labels
        },
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.translate({c: f"\\{shown}" for c, shown in _DIRECTION.items()})
    # Nothing in it can end the element or begin a comment in it.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class _Pool(dict[str, int]):
    """Names by their numbers, so that each is on the page once."""

    def __call__(self, names: Iterable[str]) -> list[int]:
        return [self.setdefault(name, len(self)) for name in names]


def _question(row: QuestionRow, pool: _Pool) -> dict[str, Any]:
    q = row.question
    return {
        "id": q.id,
        "text": q.question,
        "split": q.split,
        "form": form_of(q),
        "core": q.core,
        "missing": q.missing,
        "topics": pool(q.anchors),
        "query": q.query,
        "answer": pool([q.hard_answer])[0] if q.hard_answer is not None else None,
        **{
            kind: {"n": len(names), "names": pool(names[:_NAMES])}
            for kind, names in (
                ("hard", q.hard_answers), ("stated", q.stated), ("further", q.further)
            )
        },
        "proof": [*map(pool, row.proof)],
        "shown": list(row.shown.items()),
    }  # fmt: skip


def _outcome(
    o: Outcome, row: QuestionRow, pool: _Pool, letters: int, triples: int
) -> dict[str, Any]:
    right = {*row.question.hard_answers, *row.question.stated, *row.question.further}
    return {
        "verdict": o.verdict,
        "why": o.why,
        "said": o.said if len(o.said) <= letters else f"{o.said[:letters]}…",
        "n": len(o.answers),
        "answers": [
            [place, int(name in right)]
            for name, place in zip(o.answers[:_NAMES], pool(o.answers[:_NAMES]), strict=True)
        ],
        "retrieved": [*map(pool, o.retrieved[:triples])],
        "count": o.retrieved_count,
        "generated": [*map(pool, o.generated[:triples])],
        "scores": {
            name: round(value, 3)
            for name, value in o.scores.items()
            if name in _SCORES and value is not None
        },
    }


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
        ConfigError: There is no such format.
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
        OutputError: A file cannot be written.
    """
    texts: dict[str, Iterable[str]] = {
        "report.json": [to_json(document)],
        "report.md": [to_markdown(drawable(document))],
        "report.tex": [to_latex(document)],
        **{f"tables/{table.id}.csv": [csv_of(table)] for table in document.every_table()},
        **{f"figures/{figure.id}.svg": [draw(figure)] for figure in drawable(document).figures},
        **({"questions.csv": questions_csv(document.questions)} if document.questions else {}),
        "report.html": [to_html(document)],
    }
    for name, pieces in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_lines(folder / name, pieces)
    return [folder / name for name in texts]
