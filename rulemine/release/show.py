"""Shows a question of a release in the terminal: its text, and what its kind shows of it."""

import difflib
from collections.abc import Iterator
from pathlib import Path

from rulemine.errors import ReleaseError
from rulemine.kinds.registry import KINDS, kind_named
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.release.showing.layout import hanging, wrapped
from rulemine.release.showing.view import ShownRelease, Titled, common_view, draw
from rulemine.text.printing import printable

__all__ = ["show"]

NARROWEST = 40


def show(release: str | Path | Release | ShownRelease, question_id: str, width: int = 100) -> str:
    """Shows one question.

    Args:
        release: The release, its folder, or, to show several questions, what is made of it once.
        question_id: Its id.
        width: Columns of the terminal; at least `NARROWEST` are used.

    Returns:
        Lines separated by LF.

    Raises:
        ReleaseError: There is no such release or question; the message suggests a similar id, and says
            why a rejected question was rejected.
    """
    if isinstance(release, str | Path):
        release = Release.open(release)
    shown = release if isinstance(release, ShownRelease) else ShownRelease(release)
    question, columns = _find(shown.release, question_id), max(width, NARROWEST)
    blocks = [
        Titled("", [printable(question.question)]),
        *_otherwise(shown.release, question),
        *(kind_named(question.kind).view(question, shown) or common_view(question, shown)),
    ]
    if question.kind not in KINDS:
        left = f"The kind {printable(question.kind)} is not installed: what it alone shows is left out."
        blocks.append(Titled("", [left]))
    lines = [wrapped(_headline(shown.release, question), columns)]
    lines += [draw(block, columns) for block in blocks]
    return "\n\n".join("\n".join(block) for block in lines)


def _find(release: Release, wanted: str) -> Question:
    if (question := release.question(wanted)) is not None:
        return question
    questions = release.questions()
    for rejection in release.rejections():
        if rejection.question == wanted:
            detail = f" ({rejection.detail})" if rejection.detail else ""
            detail += f": {rejection.text!r}" if rejection.text else ""
            raise ReleaseError(
                f"{release.path}: question {wanted} was rejected by the stage "
                f"{rejection.stage}: {rejection.reason}{detail}. Choose another one."
            )
    known = [question.id for question in questions]
    hint = f"its ids run from {known[0]} to {known[-1]}." if known else "it has no questions."
    number = wanted.lower().lstrip("q").lstrip("0")
    same = [id_ for id_ in known if number.isdigit() and id_.lstrip("q0") == number]
    if close := same or difflib.get_close_matches(wanted, known, n=1):
        hint = f"did you mean {close[0]!r}? {hint[0].upper()}{hint[1:]}"
    raise ReleaseError(f"{release.path}: no question {wanted!r}; {hint}")


def _headline(release: Release, question: Question) -> str:
    facts = [question.id, release.name, question.split, *(["core"] if question.core else [])]
    if release.levels != (100,) and question.hard_answer is not None:
        facts.append(f"level {question.level}")
    return " · ".join(facts)


def _otherwise(release: Release, question: Question) -> Iterator[Titled]:
    """Why a question fell back to its template, and the paraphrases."""
    if question.wording == "fallback":
        why = [r for r in release.rejections() if r.question == question.id]
        details = "".join(f" ({rejection.detail})" for rejection in why if rejection.detail)
        refused = [f"Refused: {printable(r.text)}" for r in why if r.text]
        lines = [f"No text of the model passed the checks{details}.", *refused]
        yield Titled("", [hanging(lines)])
    elif question.paraphrases:
        yield Titled("Paraphrases", [printable(text) for text in question.paraphrases])
