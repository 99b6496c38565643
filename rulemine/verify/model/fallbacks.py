"""Questions whose texts by a language model failed: those that have the template, and those dropped.

Checks that every rejection of stage ``verbalize`` says which, for reasons that are known, the last of
them being the reason; that each question with a template in the place of a text has one such rejection,
for its own triple, and each dropped one is gone; and that the options say which of the two is done.
"""

from collections.abc import Iterator
from typing import Any

from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.wording import Verbalizer

__all__ = ["FAILURES", "STAGE", "check_fallbacks", "codes_of", "is_kept"]

STAGE = "verbalize"

CODES = {
    "empty", "cut_off", "filtered", "malformed", "several_lines", "markup", "refusal",
    "meta_text", "triple_syntax", "relation_id", "topic_missing", "answer_named",
    "not_a_question", "several_questions", "too_short", "too_long", "wrong_language",
    "ambiguous", "not_distinct", "audit_failed", "round_trip_failed", "context_too_long",
    "refused_by_endpoint", "endpoint_error",
}  # fmt: skip
"""Why a text, or the call for it, was not good enough."""

FAILURES = {
    "context_too_long": "context_too_long",
    "refused": "refused_by_endpoint",
    "endpoint_error": "endpoint_error",
}
"""Why a call has no reply, in the journal → in a rejection."""

_KEPT, _DROPPED = "template used: ", "dropped: "


def is_kept(rejection: dict[str, Any]) -> bool:
    """Whether only the text was rejected, and the question asked with the template."""
    return rejection["stage"] == STAGE and str(rejection["detail"]).startswith(_KEPT)


def codes_of(rejection: dict[str, Any]) -> list[str]:
    """Why the attempts of a rejection of stage ``verbalize`` failed, one after the other."""
    detail = str(rejection["detail"])
    return detail.removeprefix(_KEPT).removeprefix(_DROPPED).split(", ")


def check_fallbacks(
    questions: list[Located],
    rejections: list[Located],
    verbalizer: Verbalizer,
    findings: Findings,
) -> None:
    """Checks the rejections of stage ``verbalize`` and the questions of wording ``fallback``.

    Args:
        questions: All questions.
        rejections: All rejections.
        verbalizer: The options.
        findings: Takes the problems.
    """
    made = {here.row["id"]: here for here in questions}
    kept: set[str] = set()
    for here in rejections:
        if here.row["stage"] != STAGE:
            continue
        problems = [*_form_problems(here.row, verbalizer)]
        if is_kept(here.row):
            problems += _kept_problems(here.row, made.get(here.row["question"]), kept)
            kept.add(here.row["question"])
        elif here.row["question"] in ("", *made):
            what = f"{shown(here.row['question'])} dropped"
            problems.append((what, "the id of a question that is not in the release"))
        for found, expected in problems:
            findings.add(here.file, here.line, "rejected text", found, expected)
    for here in questions:
        if here.row.get("wording") == "fallback" and here.row["id"] not in kept:
            expected = "a rejection that says why the template was used"
            findings.add(here.file, here.line, "rejected text", "none", expected)


def _form_problems(row: dict[str, Any], verbalizer: Verbalizer) -> Iterator[tuple[str, str]]:
    if not verbalizer.is_model:
        yield f"stage {STAGE}", "none (manifest, config.verbalizer.name)"
    start = _KEPT if is_kept(row) else _DROPPED
    codes = codes_of(row)
    if not row["detail"].startswith(start) or not CODES.issuperset(codes):
        yield shown(row["detail"]), f"{_KEPT!r} or {_DROPPED!r} and known codes"
    if row["reason"] != codes[-1]:
        yield f"reason {shown(row['reason'])}", f"{shown(codes[-1])}, the last of its detail"
    if is_kept(row) == verbalizer.drops:
        yield shown(row["detail"]), "what config.verbalizer.on_failure says (manifest)"


def _kept_problems(
    row: dict[str, Any], question: Located | None, earlier: set[str]
) -> Iterator[tuple[str, str]]:
    if question is None or question.row.get("wording") != "fallback":
        yield f"a template for {shown(row['question'])}", "a question of wording fallback"
        return
    for key in ("removed", "direction", "rule"):
        if row[key] != question.row[key]:
            expected = f"{shown(question.row[key])}, as {question.file} line {question.line}"
            yield f"{key} {shown(row[key])}", expected
    if row["question"] in earlier:
        yield f"{row['question']} once more", "each question once"
