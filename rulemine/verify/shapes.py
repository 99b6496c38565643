"""The shape of every record: its keys, their types and ranges.

A shape is a function from a value (and the name of its place) to a `Misfit`, or None if it fits. Shapes are
written from the description of the format, not derived from the record classes, so that a class that
drifts from the format is caught.
"""

from typing import Any

from rulemine.verify.cypher.records import OF_CYPHER, OTHERWISE
from rulemine.verify.shaping import (
    Misfit,
    Shape,
    anything,
    array,
    integer,
    like,
    line,
    mapping,
    misfit_of,
    name,
    nothing,
    nullable,
    one_of,
    positive,
    record,
    rule_id,
    share,
    text,
    triple,
    truth,
)

__all__ = ["MANIFEST", "QUESTIONS", "REJECTIONS", "REMOVAL", "RULE", "SEED_TEXT"]

NAMINGS = ("private", "entity", "text", "numeric")
SPLITS = ("train", "validation", "test")
DIRECTIONS = ("subject", "object")
WORDINGS = ("template", "model", "fallback")
FLAGS = ("logical_structure", "redundancy", "answer_support", "answer_adequacy")
TEST_TYPES = ("id", "ugt", "urt")
RULE_TYPES = ("symmetry", "inversion", "hierarchy", "composition", "other")


def _term(value: Any, place: str) -> Misfit | None:
    if isinstance(value, dict):
        return record({"entity": name})(value, place)
    return _variable(value, place)


def _atom(value: Any, place: str) -> Misfit | None:
    if not isinstance(value, list) or len(value) != 3:
        return misfit_of(value, place, "[subject, relation, object]")
    subject, relation, target = value
    return (
        _term(subject, f"{place}[0]")
        or name(relation, f"{place}[1]")
        or _term(target, f"{place}[2]")
    )


_variable = like(r"\?[a-z]", "a variable ?a … ?z, or {entity: name}")
_question_id = like(r"q\d+", "q and a number")
_count = integer(1)

RULE = record(
    {
        "id": rule_id,
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

_certificate = record({"rule": rule_id, "proves": triple, "body": array(triple, least=1)})
_per_direction = record({"subject": share, "object": share})

REMOVAL = record(
    {
        "triple": triple,
        "level": integer(1, 100),
        "directions": array(one_of(DIRECTIONS), least=1),
        "certificate": _certificate,
        "selected_by": nullable(rule_id),
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


_HARD = record(
    {
        "answer": name,
        "missing": _count,
        "level": integer(1, 100),
        "witness": array(triple, least=1),
        "core": truth,
    }
)


def _question(
    kind: str,
    block: dict[str, Shape],
    anchors: int | None = None,
    hard: int = 0,
    written: bool = False,
    other: dict[str, Shape] | None = None,
) -> Shape:
    """A question.

    Args:
        kind: Its kind.
        block: What only this kind has.
        anchors: How many anchors it has; None: some.
        hard: At least how many hard answers it has.
        written: Whether its query may have differences and be a count.
        other: Fields that have another shape in this kind.
    """
    number = nullable(integer(0)) if written else nothing
    fields = {
        "id": _question_id,
        "kind": one_of((kind,)),
        "question": line,
        "anchors": array(name, 1, anchors),
        "query": line,
        "sparql": line,
        "structure": line,
        "shape": line,
        "hops": integer(1),
        "answers": array(name, least=1),
        "stated": array(name),
        "hard": array(_HARD, hard),
        "further": array(name),
        "hard_answer": name if hard else nullable(name),
        "core": truth,
        "evidence": array(triple, least=1),
        "full_evidence": array(triple, least=1),
        "spurious": array(name, length=None if written else 0),
        "value": number,
        "stated_value": number,
        "split": one_of(SPLITS),
        "unseen": record({"rule": truth, "relation": truth, "answer": truth}),
        "wording": one_of(WORDINGS),
        "paraphrases": array(line),
        "patterns": array(line),
        kind: record(block),
    }
    return record(fields | (other or {}))


_OF_QUERIES = {
    "relations": array(name, 1),
    "intermediates": array(name),
    "removed": array(triple),
    "rules": array(rule_id),
}
"""What the block of every kind but ``rules`` has."""

_OF_WRITERS = {
    **_OF_QUERIES,
    "answer": name,
    "triples": array(triple, 1),
    "subgraph": array(triple, 1),
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
            "removed": triple,
            "relation": name,
            "direction": one_of(DIRECTIONS),
            "rule": rule_id,
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
            "minimal_shape": line,
            "minimal": array(record({"anchors": array(name, 1), "query": line}), 1),
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
    "cypher": _question("cypher", OF_CYPHER, other=OTHERWISE),
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
    "rules": _rejection(triple, one_of((*DIRECTIONS, "")), rule_id),
    **dict.fromkeys(
        ("structures", "subgraphs", "variants", "cypher"),
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
            optional={"amie_jar": text, "dropped": mapping(text), "types": text},
        ),
        "counts": mapping(anything),
        "files": mapping(record({"bytes": integer(0), "sha256": _digest})),
    }
)
