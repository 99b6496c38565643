"""The shape of every record: its keys, their types and ranges.

A shape is a function from a value (and the name of its place) to a `Misfit`, or None if it fits. Shapes are
written from the description of the format, not derived from the record classes, so that a class that
drifts from the format is caught.
"""

import math
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from rulemine.verify.report import shown

__all__ = [
    "MANIFEST", "QUESTIONS", "REJECTIONS", "REMOVAL", "RULE", "SEED_TEXT", "Misfit", "Shape",
]  # fmt: skip

NAMINGS = ("private", "entity", "text", "numeric")
SPLITS = ("train", "validation", "test")
DIRECTIONS = ("subject", "object")
WORDINGS = ("template", "model", "fallback")
FLAGS = ("logical_structure", "redundancy", "answer_support", "answer_adequacy")
TEST_TYPES = ("id", "ugt", "urt")
RULE_TYPES = ("symmetry", "inversion", "hierarchy", "composition", "other")


_NAME = re.compile(r"\S(?:[^\t\n\r]*\S)?")


class Misfit(NamedTuple):
    """Why a value does not fit a shape."""

    found: str
    expected: str


Shape = Callable[[Any, str], Misfit | None]


def _misfit(value: Any, place: str, expected: str) -> Misfit:
    return Misfit(f"{place or 'the line'} = {shown(value)}", expected)


def record(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Shape:
    """An object with all required keys, maybe some optional ones, and no others."""
    known = {**required, **(optional or {})}

    def fits(value: Any, place: str) -> Misfit | None:
        if not isinstance(value, dict):
            return _misfit(value, place, "an object")
        missing = [key for key in required if key not in value]
        unknown = [key for key in value if key not in known]
        if missing or unknown:
            parts = [f"no key {', '.join(map(repr, missing))}"] if missing else []
            parts += [f"unknown key {', '.join(map(shown, unknown))}"] if unknown else []
            return Misfit(" and ".join(parts), f"the keys {', '.join(required)}")
        prefix = f"{place}." if place else ""
        for key, item in value.items():
            if (misfit := known[key](item, prefix + key)) is not None:
                return misfit
        return None

    return fits


def array(item: Shape, least: int = 0, length: int | None = None) -> Shape:
    """An array of items of one shape, of a minimal or an exact length."""

    def fits(value: Any, place: str) -> Misfit | None:
        if not isinstance(value, list):
            return _misfit(value, place, "an array")
        if len(value) < least or (length is not None and len(value) != length):
            wanted = f"at least {least}" if length is None else str(length)
            return _misfit(value, place, f"{wanted} item(s)")
        for position, entry in enumerate(value):
            if (misfit := item(entry, f"{place}[{position}]")) is not None:
                return misfit
        return None

    return fits


def value(fits: Callable[[Any], bool], expected: str) -> Shape:
    """A value that passes a test."""
    return lambda value, place: None if fits(value) else _misfit(value, place, expected)


def integer(low: int, high: float = math.inf) -> Shape:
    """An integer in a range; true and false are not integers."""
    expected = f"an integer {low} … {'' if high == math.inf else high}".rstrip()
    return value(lambda value: type(value) is int and low <= value <= high, expected)


def nullable(shape: Shape) -> Shape:
    """null, or a value of a shape."""
    return lambda value, place: None if value is None else shape(value, place)


def is_name(value: str) -> bool:
    """Whether a text can be a label in a TSV file."""
    return _NAME.fullmatch(value) is not None


def one_of(values: Collection[str]) -> Shape:
    """One of the given texts."""
    fits = frozenset(values)
    return value(lambda v: isinstance(v, str) and v in fits, f"one of {', '.join(values)}")


def like(pattern: str, expected: str) -> Shape:
    """Text that matches a whole pattern."""
    matches = re.compile(pattern).fullmatch
    return value(lambda v: isinstance(v, str) and matches(v) is not None, expected)


_is_number = frozenset((int, float)).__contains__  # true and false are none
share = value(lambda v: _is_number(type(v)) and 0 < v <= 1, "a number above 0 and at most 1")
positive = value(lambda v: _is_number(type(v)) and 0 < v < math.inf, "a number above 0")
nothing = value(lambda v: v is None, "null")
text = value(lambda v: isinstance(v, str), "text")
_a_name = "a name (text without tab, line break or blanks at its ends)"
name = value(lambda v: isinstance(v, str) and is_name(v), _a_name)
truth = value(lambda v: isinstance(v, bool), "true or false")
anything = value(lambda _: True, "any JSON value")


def mapping(item: Shape) -> Shape:
    """An object with any keys and values of one shape."""

    def fits(value: Any, place: str) -> Misfit | None:
        if not isinstance(value, dict):
            return _misfit(value, place, "an object")
        for key, entry in value.items():
            if (misfit := item(entry, f"{place}[{shown(key)}]")) is not None:
                return misfit
        return None

    return fits


def _term(value: Any, place: str) -> Misfit | None:
    if isinstance(value, dict):
        return record({"entity": name})(value, place)
    return _variable(value, place)


def _atom(value: Any, place: str) -> Misfit | None:
    if not isinstance(value, list) or len(value) != 3:
        return _misfit(value, place, "[subject, relation, object]")
    subject, relation, target = value
    return (
        _term(subject, f"{place}[0]")
        or name(relation, f"{place}[1]")
        or _term(target, f"{place}[2]")
    )


_variable = like(r"\?[a-z]", "a variable ?a … ?z, or {entity: name}")
_question_id = like(r"q\d+", "q and a number")
_rule_id = like(r"[0-9a-f]{12}", "12 hexadecimal digits")
_triple = array(name, length=3)
_count = integer(1)

RULE = record(
    {
        "id": _rule_id,
        "rule": text,
        "type": one_of(RULE_TYPES),
        "subtype": name,
        "head": _atom,
        "body": array(_atom, least=1),
        "head_coverage": share,
        "std_confidence": share,
        "pca_confidence": share,
        "support": _count,
        "body_size": _count,
        "pca_body_size": _count,
        "head_size": _count,
        "functional": one_of(("?a", "?b")),
    }
)

_certificate = record({"rule": _rule_id, "body": array(_triple, least=1)})
_per_direction = record({"subject": share, "object": share})

REMOVAL = record(
    {
        "triple": _triple,
        "level": integer(1, 100),
        "directions": array(one_of(DIRECTIONS), least=1),
        "certificate": _certificate,
        "selected_by": nullable(_rule_id),
        "difficulty": record(
            {
                "proofs": _count,
                "shortest_proof": _count,
                "inverse_edge": array(name),
                "parallel_edge": array(name),
                "std_confidence": share,
                "pca_confidence": share,
                "head_coverage": share,
                "prior": _per_direction,
                "lift": record({"subject": positive, "object": positive}),
            }
        ),
        "core": truth,
        "further_certificates": array(_certificate),
    }
)

_line = like(r"[^\t\n\r]+", "a line of text")

_HARD = record(
    {
        "answer": name,
        "missing": _count,
        "level": integer(1, 100),
        "witness": array(_triple, least=1),
        "core": truth,
    }
)


def _question(
    kind: str,
    block: dict[str, Shape],
    anchors: int | None = None,
    hard: int = 0,
    written: bool = False,
) -> Shape:
    """A question.

    Args:
        kind: Its kind.
        block: What only this kind has.
        anchors: How many anchors it has; None: some.
        hard: At least how many hard answers it has.
        written: Whether its query may have differences and be a count.
    """
    number = nullable(integer(0)) if written else nothing
    fields = {
        "id": _question_id,
        "kind": one_of((kind,)),
        "question": _line,
        "anchors": array(name, 1, anchors),
        "query": _line,
        "sparql": _line,
        "structure": _line,
        "shape": _line,
        "hops": integer(1),
        "answers": array(name, least=1),
        "stated": array(name),
        "hard": array(_HARD, hard),
        "further": array(name),
        "hard_answer": name if hard else nullable(name),
        "core": truth,
        "evidence": array(_triple, least=1),
        "full_evidence": array(_triple, least=1),
        "spurious": array(name, length=None if written else 0),
        "value": number,
        "stated_value": number,
        "split": one_of(SPLITS),
        "unseen": record({"rule": truth, "relation": truth, "answer": truth}),
        "wording": one_of(WORDINGS),
        "paraphrases": array(_line),
        "patterns": array(_line),
        kind: record(block),
    }
    return record(fields)


_OF_QUERIES = {
    "relations": array(name, 1),
    "intermediates": array(name),
    "removed": array(_triple),
    "rules": array(_rule_id),
}
"""What the block of every kind but ``rules`` has."""

_OF_WRITERS = {
    **_OF_QUERIES,
    "answer": name,
    "triples": array(_triple, 1),
    "subgraph": array(_triple, 1),
}

_JUDGEMENT = record(
    {
        "model": name,
        **{
            f"{flag}_{part}": shape
            for flag in FLAGS
            for part, shape in (("flag", truth), ("reasoning", text))
        },
    }
)

QUESTIONS = {
    "rules": _question(
        "rules",
        {
            "removed": _triple,
            "relation": name,
            "direction": one_of(DIRECTIONS),
            "rule": _rule_id,
            "rule_type": one_of(RULE_TYPES),
            "rule_subtype": name,
        },
        anchors=1,
        hard=1,
    ),
    "structures": _question("structures", {**_OF_QUERIES, "answer_types": array(name)}),
    "subgraphs": _question(
        "subgraphs",
        {
            **_OF_WRITERS,
            "redundant": truth,
            "minimal_shape": _line,
            "minimal": array(record({"anchors": array(name, 1), "query": _line}), 1),
            "test_type": array(one_of(TEST_TYPES)),
            "parent": like(r"q\d+|", "q and a number, or nothing"),
        },
        written=True,
    ),
    "variants": _question(
        "variants",
        {
            **_OF_WRITERS,
            "seed_text": name,
            "seeds": array(name, 1),
            "topic": text,
            "unique": truth,
            "redundant": truth,
            "judgements": array(_JUDGEMENT),
        },
        written=True,
    ),
}
"""Kind → the shape of its questions."""


def _rejection(removed: Shape, direction: Shape, rule: Shape) -> Shape:
    return record(
        {
            "stage": name,
            "reason": name,
            "question": like(r"q\d+|", "q and a number, or nothing"),
            "removed": removed,
            "direction": direction,
            "rule": rule,
            "detail": text,
            "text": text,
            "query": text,
        }
    )


REJECTIONS = {
    "rules": _rejection(_triple, one_of((*DIRECTIONS, "")), _rule_id),
    **dict.fromkeys(
        ("structures", "subgraphs", "variants"),
        _rejection(nothing, one_of(("",)), one_of(("",))),
    ),
}
"""Kind → the shape of what was rejected."""

SEED_TEXT = record(
    {"id": name, "entities": array(name), "topic": text, "split": one_of((*SPLITS, ""))}
)

_digest = like("[0-9a-f]{64}", "64 hexadecimal digits")

MANIFEST = record(
    {
        "format": one_of(("rulemine release",)),
        "format_version": integer(1),
        "name": name,
        "naming": one_of(NAMINGS),
        "levels": anything,
        "config": mapping(anything),
        "kg": record(
            {
                "title": text,
                "source": text,
                "license": text,
                "citation": text,
                "digest": text,
                "duplicates": integer(0),
            },
            optional={"dropped": mapping(text), "types": text},
        ),
        "counts": mapping(anything),
        "files": mapping(record({"bytes": integer(0), "sha256": _digest})),
    }
)
