"""Writes a report as one HTML page that opens from disk, needs no network and loads nothing.

Guarantees: whatever systems wrote is shown as text: the template escapes all it is given, the script sets
texts only, and the page's own policy lets no other script run and nothing be fetched. The page is at most
`MOST_BYTES` long. Figures need the extra ``report``.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from rulemine.errors import counted
from rulemine.evaluation.reporting.document import (
    MOST_QUESTIONS,
    VERDICTS,
    Document,
    Outcome,
    QuestionRow,
)
from rulemine.evaluation.reporting.figures import draw, embedded
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.kinds.registry import form_of
from rulemine.release.groups import sample

__all__ = ["MOST_BYTES", "to_html"]

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


def to_html(document: Document) -> str:
    """The page of a report.

    Raises:
        ConfigError: A package of the extra ``report`` is not installed.
    """
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
        "document": document,
        "warning": WARNING,
        "rest": [note for note in document.notes if not note.startswith(WARNING)],
        "figures": [(figure, embedded(draw(figure), figure)) for figure in document.figures],
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
