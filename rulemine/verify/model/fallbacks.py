"""Questions whose texts by a language model all failed: template fallbacks, and dropped questions.

Checks that every rejection of stage ``verbalize`` says which it is and gives known codes, the last of them
as its reason; that each fallback has exactly one such rejection, for its own triple, and no dropped question
is in the release; and that the options ask for that one of the two.
"""

from collections.abc import Iterator
from typing import Any

from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.wording import VerbalizerConfig

__all__ = ["FAILURES", "STAGE", "check_fallbacks", "codes_of", "is_kept"]

STAGE = "verbalize"

FAILURES = {
    "context_too_long": "context_too_long",
    "refused": "refused_by_endpoint",
    "endpoint_error": "endpoint_error",
}
"""Failure code of a call in the journal → reason code in a rejection."""

CODES = {
    "empty", "cut_off", "filtered", "malformed", "several_lines", "markup", "refusal",
    "meta_text", "triple_syntax", "relation_id", "topic_missing", "answer_named",
    "not_a_question", "several_questions", "too_short", "too_long", "wrong_language",
    "ambiguous", "not_distinct", "audit_failed", "round_trip_failed", *FAILURES.values(),
}  # fmt: skip
"""The reason codes of texts and calls."""

_KEPT, _DROPPED = "template used: ", "dropped: "


def is_kept(rejection: dict[str, Any]) -> bool:
    """Whether only the text was rejected and the question has its template."""
    return rejection["stage"] == STAGE and str(rejection["detail"]).startswith(_KEPT)


def codes_of(rejection: dict[str, Any]) -> list[str]:
    """The reason codes of a rejection of stage ``verbalize``, one per attempt."""
    detail = str(rejection["detail"])
    return detail.removeprefix(_KEPT).removeprefix(_DROPPED).split(", ")


def check_fallbacks(
    questions: list[Located],
    rejections: list[Located],
    verbalizer: VerbalizerConfig,
    findings: Findings,
) -> None:
    """Checks the rejections of stage ``verbalize`` and the questions of wording ``fallback``."""
    made = {here.row["id"]: here.row for here in questions}
    kept: set[str] = set()
    for here in rejections:
        if here.row["stage"] == STAGE:
            for found, expected in _problems(here.row, made, kept, verbalizer):
                findings.add(here.file, here.line, "rejected text", found, expected)
            if is_kept(here.row):
                kept.add(here.row["question"])
    for here in questions:
        if here.row.get("wording") == "fallback" and here.row["id"] not in kept:
            expected = "a rejection of stage verbalize with the reasons"
            findings.add(here.file, here.line, "rejected text", "none", expected)


def _problems(
    row: dict[str, Any],
    made: dict[str, dict[str, Any]],
    kept: set[str],
    verbalizer: VerbalizerConfig,
) -> Iterator[tuple[str, str]]:
    codes, name = codes_of(row), row["question"]
    if not verbalizer.is_model:
        yield f"stage {STAGE}", "none (manifest, config.verbalizer.name)"
    if not row["detail"].startswith((_KEPT, _DROPPED)) or not CODES.issuperset(codes):
        yield shown(row["detail"]), f"{_KEPT!r} or {_DROPPED!r} and known reason codes"
    if row["reason"] != codes[-1]:
        yield f"reason {shown(row['reason'])}", f"{shown(codes[-1])}, the last of its detail"
    if is_kept(row) == verbalizer.drops:
        yield shown(row["detail"]), "what config.verbalizer.on_failure says (manifest)"
    if not is_kept(row):
        if name in ("", *made):
            yield f"{shown(name)} dropped", "the id of a question that is not in the release"
    elif made.get(name, {}).get("wording") != "fallback" or name in kept:
        yield f"a template for {shown(name)}", "one question of wording fallback"
    else:
        for key in ("removed", "direction", "rule"):
            if row[key] != made[name][key]:
                yield f"{key} {shown(row[key])}", f"{shown(made[name][key])}, as {name} has it"
