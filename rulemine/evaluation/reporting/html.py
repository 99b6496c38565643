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
from typing import Any, NamedTuple

from rulemine.errors import counted
from rulemine.evaluation.reporting.document import VERDICTS, Document, Outcome, QuestionRow
from rulemine.evaluation.reporting.questions import MOST_QUESTIONS
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.kg.graph import Triple
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


class _Limits(NamedTuple):
    """How much of each answer a page shows."""

    said: int
    triples: int


_LIMITS = (_Limits(2000, 100), _Limits(800, 30), _Limits(400, 12), _Limits(160, 5))
_DIRECTION = {c: f"\\u{c:04x}" for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Marks that could turn a line around, and how they are shown."""

_TRIED = 100
"""Questions from which the size of all is estimated."""

_NAMES = 60
"""Entities shown of a long list."""


def to_html(document: Document) -> str:
    """The page of a report.

    Raises:
        ConfigError: A package of the extra ``report`` is not installed.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    if document.figures:
        from rulemine.evaluation.reporting.figures import draw, embedded

        drawn = [(figure, embedded(draw(figure), figure)) for figure in document.figures]
    else:
        drawn = []
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
        "figures": drawn,
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
    rows: Sequence[QuestionRow] = sample(document.questions, MOST_QUESTIONS)
    limits, step = list(_LIMITS), max(1, len(rows) // _TRIED)
    while len(limits) > 1 and step * len(_data(document, rows[::step], limits[0])) > 2 * most:
        limits.pop(0)  # far too much: not worth making as a whole
    while True:
        data = _data(document, rows, limits[0])
        if len(data.encode()) <= most or not rows:
            break
        if len(limits) > 1:
            limits.pop(0)
        else:
            rows = sample(rows, len(rows) // 2) if len(rows) > 1 else ()
    shown = ""
    if len(rows) < len(document.questions):
        shown = (
            f"The page shows {len(rows):,} of {counted(len(document.questions), 'question')}, the first in "
            "the order in which samples are drawn (the core first). Its tables and figures are of all; every "
            "question is in questions.csv, or in what --format questions writes."
        )
    return data, shown


def _data(document: Document, rows: Sequence[QuestionRow], limits: _Limits) -> str:
    """What the script reads, as JSON that can stand in a script element."""
    pool = _Pool()
    runs = list(dict.fromkeys((o.system, o.kg) for q in rows for o in q.outcomes))
    places = {run: place for place, run in enumerate(runs)}
    questions = [_question(q, places, pool, limits) for q in rows]
    content = {
        "runs": [{"system": system, "kg": kg} for system, kg in runs],
        "verdicts": VERDICTS,
        "scores": _SCORES,
        "questions": questions,
        "names": list(pool.places),
        "labels": {
            place: document.labels[n] for n, place in pool.places.items() if n in document.labels
        },
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.translate({c: f"\\{shown}" for c, shown in _DIRECTION.items()})
    # Nothing in it can end the element or begin a comment in it.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class _Pool:
    """Names by their numbers, so that each is on the page once."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, names: Iterable[str]) -> list[int]:
        return [self.places.setdefault(name, len(self.places)) for name in names]

    def triples(self, triples: Iterable[Triple]) -> list[list[int]]:
        return [self(triple) for triple in triples]


def _question(
    q: QuestionRow, places: dict[tuple[str, str], int], pool: _Pool, limits: _Limits
) -> dict[str, Any]:
    return {
        "id": q.id,
        "text": q.text,
        "split": q.split,
        "form": q.form,
        "core": q.core,
        "missing": q.missing,
        "topics": pool(q.anchors),
        "query": q.query,
        "answer": pool([q.hard_answer])[0] if q.hard_answer is not None else None,
        **{
            kind: {"n": len(names), "names": pool(names[:_NAMES])}
            for kind, names in (("hard", q.hard), ("stated", q.stated), ("further", q.further))
        },
        "proof": pool.triples(q.proof),
        "shown": list(q.shown.items()),
        "outcomes": [
            {"run": places[o.system, o.kg], **_outcome(o, q, pool, limits)} for o in q.outcomes
        ],
    }


def _outcome(o: Outcome, q: QuestionRow, pool: _Pool, limits: _Limits) -> dict[str, Any]:
    output = o.said if len(o.said) <= limits.said else o.said[: limits.said] + "…"
    right = {*q.hard, *q.stated, *q.further}
    return {
        "verdict": o.verdict,
        "why": o.why,
        "said": output,
        "n": len(o.answers),
        "answers": [
            [place, int(name in right)]
            for name, place in zip(o.answers[:_NAMES], pool(o.answers[:_NAMES]), strict=True)
        ],
        "retrieved": pool.triples(o.retrieved[: limits.triples]),
        "count": o.retrieved_count,
        "generated": pool.triples(o.generated[: limits.triples]),
        "scores": {
            name: round(value, 3)
            for name, value in o.scores.items()
            if name in _SCORES and value is not None
        },
    }
