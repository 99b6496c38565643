"""The figures of a release: the counts of its manifest, from which the card and ``show --summary`` are made.

Each is counted from the parts that are written; ``docs/release.md`` says what it counts. Guarantees: the keys
are the same for all releases of a kind; no figure depends on the order of records or on the naming, but for
the lengths of texts.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import cleandoc
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from rulemine.kg.facts import undeclared_relations
from rulemine.kinds.registry import kind_named
from rulemine.query.structures import STRUCTURES
from rulemine.release.contents import MODEL_COUNTS, ReleaseParts
from rulemine.release.guessing import guesser, nearest, order_of_names
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.records import SPLITS, WORDINGS, Question
from rulemine.rules.rule import RULE_TYPES, classify

__all__ = ["COLUMNS", "FIGURES", "Figures", "KindPage", "figures_of", "page_of"]

Figures = Mapping[str, Callable[[ReleaseParts], Any]]
"""Key → the figure of the parts of a release, as JSON."""


class KindPage(NamedTuple):
    """What only the cards of a kind say and count.

    Attributes:
        template: A template of jinja2, as a path below this package: ``release/card/card.md``, or one that
            extends it with blocks of its own.
        about: What its questions are, for a kind without such blocks.
        figures: The figures that only its releases have.
        unknown: The figures of every release that cannot be had of one, by key.
        shown: What an example shows of a question beside its text, answer and proof, as Markdown.
    """

    template: str = "kinds/query_page.md"
    about: str = ""
    figures: Figures = MappingProxyType({})
    unknown: Callable[[ReleaseParts], Collection[str]] = lambda _: ()
    shown: Callable[[Question], str] = lambda _: ""


def page_of(name: str) -> KindPage:
    """What the cards of a kind say; of one without a template of its own, with the docstring of its class."""
    kind = kind_named(name)
    if isinstance(kind.page, KindPage):
        return kind.page
    if not kind.name:
        return KindPage(about=f"The package with the kind {name} was not installed.")
    return KindPage(kind.page, cleandoc(kind.__doc__ or ""))


def figures_of(parts: ReleaseParts) -> dict[str, Any]:
    """All figures of a release; JSON values only, None what its kind says is not known."""
    page = page_of(parts.kind)
    unknown = page.unknown(parts)
    every = {**FIGURES, **page.figures}
    return {key: None if key in unknown else count(parts) for key, count in every.items()}


def _by(bins: Iterable[str], values: Iterable[str]) -> dict[str, int]:
    """How often each of the bins occurs; other values are not counted."""
    counts = Counter(values)
    return {name: counts[name] for name in bins}


def _split(parts: ReleaseParts, key: str) -> dict[str, int]:
    """Split → the questions of which something holds."""
    return _by(SPLITS, (q.split for q in parts.questions if attrgetter(key)(q)))


def _worded(parts: ReleaseParts) -> dict[str, int]:
    return _by(("written", "derived", "book"), (
        row.source if row.source in ("written", "derived") else "book" for row in parts.templates.rows
    ))  # fmt: skip


def _undeclared(parts: ReleaseParts) -> list[dict[str, Any]]:
    found = undeclared_relations(parts.complete, parts.templates.declarations)
    dropped = parts.source.get("dropped", {}).keys()
    return [row._asdict() for row in found if not {row.relation, row.other} & dropped]


def _edges_left(parts: ReleaseParts) -> dict[str, int]:
    """Way → the questions that need a removed triple whose ends such an edge still joins."""
    rows = {row.triple: row.difficulty for row in parts.removals}
    needed = [[rows[triple] for triple in q.removed] for q in parts.questions]
    return {
        way: sum(any(getattr(row, f"{way}_edge") for row in some) for some in needed)
        for way in ("inverse", "parallel")
    }


def _hits_hard(parts: ReleaseParts) -> dict[str, dict[str, int]]:
    """Answerer → the test questions, and those of the core, whose hard answer it names."""
    test = [q for q in parts.questions if q.split == "test" and q.hard]
    declared = parts.templates.declarations
    order = order_of_names(parts.names, parts.naming)
    guesses = guesser((q for q in parts.questions if q.split == "train"), declared, order)
    found: dict[str, list[Sequence[str]]] = {
        name: [guesses(q.query)[:k] for q in test] for name, k in GUESSES.items()
    }
    if parts.graph is None:
        ((_, kg),) = replace(parts, levels=parts.levels[-1:]).incomplete()
        asked = ((q.query, q.anchors, q.stated) for q in test)
        found["nearest"] = nearest(kg, asked, declared, order)
    return {
        name: {
            "all": sum(q.hard_answer in some for q, some in zip(test, named, strict=True)),
            "core": sum(q.core and q.hard_answer in some for q, some in zip(test, named, strict=True)),
        }
        for name, named in found.items()
    }  # fmt: skip


GUESSES = {"prior": 1, "prior:k=5": 5}
"""Answerers that guess, and how often."""


def _given_away(parts: ReleaseParts) -> int:
    facts = RemovedFacts(row.triple for row in parts.missing)
    return facts.leaked(parts.questions, "test")


def _statistics(parts: ReleaseParts) -> dict[str, dict[str, float]]:
    """The columns of all questions, of those of each split, and of each structure."""
    named = {q.structure for q in parts.questions if q.structure}
    ordered = [*(s for s in STRUCTURES if s in named), *sorted(named - STRUCTURES.keys())]
    rows = {
        "all": parts.questions,
        **{split: [q for q in parts.questions if q.split == split] for split in SPLITS},
        **{name: [q for q in parts.questions if q.structure == name] for name in ordered},
    }
    return {
        name: {key: count(some) for key, count in COLUMNS.items()} for name, some in rows.items()
    }


def _mean(of: Callable[[Question], int]) -> Callable[[Sequence[Question]], float]:
    """The mean of a number of questions with two decimals; 0 without any."""
    return lambda some: round(sum(map(of, some)) / len(some), 2) if some else 0.0


def _entities(questions: Sequence[Question]) -> int:
    ends = {end for q in questions for s, _, o in q.full_evidence for end in (s, o)}
    return len(ends.union(*(q.anchors for q in questions)))


COLUMNS: Mapping[str, Callable[[Sequence[Question]], float]] = {
    "questions": len,
    "tokens": _mean(lambda q: len(re.findall(r"\w+", q.question))),
    "topics": _mean(lambda q: len(q.anchors)),
    "hops": _mean(lambda q: q.hops),
    "answers": _mean(lambda q: len(q.answers)),
    "evidence": _mean(lambda q: len(q.evidence)),
    "full_evidence": _mean(lambda q: len(q.full_evidence)),
    "entities": _entities,
    "relations": lambda some: len({r for q in some for _, r, _ in q.full_evidence}),
    "shapes": lambda some: len({q.shape for q in some}),
}
"""The columns of ``statistics``."""

FIGURES: Figures = {
    "triples_complete": lambda p: len(p.complete),
    "triples_incomplete": lambda p: len(p.complete) - len(p.missing),
    "triples_removed": lambda p: len(p.missing),
    "removed_by_level": lambda p: {
        str(level): sum(row.level <= level for row in p.missing) for level in p.levels
    },
    "selection": lambda p: p.selection_counts,
    "entities": lambda p: len(p.names),
    "relations": lambda p: len(p.templates.rows),
    "relations_by_wording": _worded,
    "relations_undeclared": _undeclared,
    "rules": lambda p: len(p.rules),
    "rules_by_type": lambda p: _by(RULE_TYPES, (classify(rule).type for rule in p.rules)),
    "questions": lambda p: len(p.questions),
    "core": lambda p: sum(q.core for q in p.questions),
    "questions_by_split": partial(_split, key="split"),
    "hard_by_split": partial(_split, key="hard"),
    "core_by_split": partial(_split, key="core"),
    "answers": lambda p: sum(len(q.answers) for q in p.questions),
    "answers_stated": lambda p: sum(len(q.stated) for q in p.questions),
    "answers_hard": lambda p: sum(len(q.hard) for q in p.questions),
    "some_answer_stated": lambda p: sum(bool(q.stated) for q in p.questions),
    "edges_left": _edges_left,
    "given_away": _given_away,
    "hits_hard": _hits_hard,
    "questions_by_wording": lambda p: _by(WORDINGS, (q.wording for q in p.questions)),
    "distinct_texts": lambda p: len({q.question for q in p.questions}),
    "statistics": _statistics,
    "sampling": lambda p: p.sampling_counts,
    "rejected": lambda p: dict(
        sorted(Counter(f"{row.stage}: {row.reason}" for row in p.rejections).items())
    ),
    **{key: lambda p, key=key: p.model_counts.get(key, {}) for key in MODEL_COUNTS},  # type: ignore[misc]
}
"""The figures of every release, in the order of its counts."""
