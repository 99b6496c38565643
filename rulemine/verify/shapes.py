"""The shape of every record: its keys, their types and ranges.

A shape is a function from a value (and the name of its place) to a `Misfit`, or None if it fits. Shapes are
written from the description of the format, not derived from the record classes, so that a class that
drifts from the format is caught.
"""

from typing import Any

from rulemine.verify.protocol import KindChecks
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

__all__ = ["HARD", "MANIFEST", "MISSED", "REMOVAL", "RULE", "question_shape", "rejection_shape"]

NAMINGS = ("private", "entity", "text", "numeric")
SPLITS = ("train", "validation", "test")
DIRECTIONS = ("subject", "object")
WORDINGS = ("template", "model", "fallback")
RULE_TYPES = ("symmetry", "inversion", "hierarchy", "composition", "other")


def _atom(value: Any, place: str) -> Misfit | None:
    if not isinstance(value, list) or len(value) != 3:
        return misfit_of(value, place, "[subject, relation, object]")
    subject, relation, target = value
    return (
        _variable(subject, f"{place}[0]")
        or name(relation, f"{place}[1]")
        or _variable(target, f"{place}[2]")
    )


_variable = like(r"\?[a-z]", "a variable ?a … ?z")
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

_MISSED: dict[str, Shape] = {"triple": triple, "level": integer(1, 100)}
MISSED = record(_MISSED)
REMOVAL = record(
    {
        **_MISSED,
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


HARD = {
    "answer": name,
    "missing": _count,
    "level": integer(1, 100),
    "witness": array(triple),
    "core": truth,
}
_value = nullable(integer(0))


def question_shape(kind: str, checks: KindChecks) -> Shape:
    """The shape of the questions of a kind."""
    fields: dict[str, Shape] = {
        "id": like(checks.ids, "q and a number"),
        "kind": one_of((kind,)),
        "question": line,
        "anchors": array(name),
        "query": line,
        "sparql": line if checks.known else text,
        "structure": line,
        "shape": line,
        "hops": integer(0),
        "answers": array(name, least=1),
        "stated": array(name),
        "hard": array(record(HARD)),
        "further": array(name),
        "hard_answer": nullable(name),
        "core": truth,
        "evidence": array(triple),
        "full_evidence": array(triple),
        "spurious": array(name),
        "value": _value,
        "stated_value": _value,
        "relations": array(name),
        "intermediates": array(name),
        "removed": array(triple),
        "rules": array(rule_id),
        "split": one_of(SPLITS),
        "unseen": record({"rule": truth, "relation": truth, "answer": truth}),
        "wording": one_of(WORDINGS),
        "paraphrases": array(line),
        "patterns": array(line),
    }
    return record({**fields, **checks.fields})


def rejection_shape(checks: KindChecks) -> Shape:
    """The shape of the rejections of a kind."""
    return record({**_REJECTION, "question": like(f"{checks.ids}|", "q and a number, or nothing")})


_REJECTION: dict[str, Shape] = {
    "stage": name,
    "reason": name,
    "question": text,  # as the ids of the kind are
    "removed": nullable(triple),
    "direction": one_of((*DIRECTIONS, "")),
    "rule": like(r"[0-9a-f]{12}|", "12 hexadecimal digits, or nothing"),
    "detail": text,
    "text": text,
    "query": text,
}

_digest = like("[0-9a-f]{64}", "64 hexadecimal digits")

_STANDARD = record(
    {
        **dict.fromkeys(("head", "head_not", "body_only", "body_any"), array(name)),
        "min_std_confidence": share,
        "reason": line,
    }
)

_LABELS = record({"file": text, "entities": integer(0), "relations": integer(0)})
_FOUND = record(
    {
        "relation": name,
        "other": name,
        "looks": one_of(("symmetric", "inverse", "same", "narrower", "narrower_inverse")),
        "counts": array(array(integer(0))),
    }
)

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
            optional={
                "amie_jar": text,
                "classes": mapping(array(text)),
                "dropped": mapping(text),
                "found": array(_FOUND),
                "labels": array(_LABELS),
                "relation_iris": mapping(text),
                "standards": array(_STANDARD),
                "types": text,
            },
        ),
        "counts": mapping(anything),
        "files": mapping(record({"bytes": integer(0), "sha256": _digest})),
    }
)
