"""Shows a question of a release in the terminal: question, answers, proof, and how hard it is.

Entities have their names in the naming of the release, followed by the text label if it differs.
"""

import difflib
from pathlib import Path

from rulemine.errors import ReleaseError
from rulemine.kinds.cypher.show import row_blocks
from rulemine.kinds.rules.show import rule_blocks
from rulemine.kinds.structures.show import structure_blocks
from rulemine.kinds.written.show import written_blocks
from rulemine.phrasing.templates import Templates
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.release.showing.layout import INDENT, indented, titled, wrapped
from rulemine.release.showing.proofs_left import ProofsLeft
from rulemine.text.printing import printable

__all__ = ["remaining", "show"]

NARROWEST = 40


def show(
    release: str | Path | Release,
    question_id: str,
    width: int = 100,
    proofs: ProofsLeft | None = None,
) -> str:
    """Shows one question.

    Args:
        release: The release, or its folder.
        question_id: Its id.
        width: Columns of the terminal; at least `NARROWEST` are used.
        proofs: What `remaining` made of the release, for more than one question.

    Returns:
        Lines separated by LF.

    Raises:
        ReleaseError: There is no such release or question; the message suggests a similar id, and says
            why a rejected question was rejected.
    """
    opened = release if isinstance(release, Release) else Release.open(release)
    question = _find(opened, question_id)
    names = _names(opened)
    inner = max(width, NARROWEST) - len(INDENT)
    blocks = [
        wrapped(_headline(opened, question), max(width, NARROWEST)),
        indented(wrapped(printable(question.question), inner)),
        *_otherwise(opened, question, inner),
    ]
    if question.kind == "rules":
        blocks += rule_blocks(opened, question, names, inner, lambda: proofs or remaining(opened))
    elif question.kind == "cypher":
        blocks += row_blocks(opened, question, names, inner)
    elif isinstance(question, Question):
        blocks += structure_blocks(opened, question, names, inner)
        removed = (row.triple for row in opened.removals())
        blocks += written_blocks(question, question.block, removed, names, inner)
    return "\n\n".join("\n".join(block) for block in blocks)


def remaining(release: Release) -> ProofsLeft:
    """Prepares the search for the remaining proofs of a release's removed triples.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    removed = [removal.triple for removal in release.removals()]
    declared = Templates.from_plain(release.relations().values()).declarations
    return ProofsLeft(release.kg("complete"), removed, release.rules(), declared)


def _find(release: Release, wanted: str) -> Question:
    questions = release.questions()
    for question in questions:
        if question.id == wanted:
            return question
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


def _names(release: Release) -> dict[str, str]:
    """Maps each entity, in the naming of the release, to its printed name."""
    shown: dict[str, str] = {}
    for row in release.entities:
        own = {"entity": row.entity, "text": row.text}.get(release.naming, row.private)
        if release.naming == "numeric":
            own = str(int(row.private[1:]))
        label = "" if row.text == own else f" ({printable(row.text)})"
        shown[own] = printable(own) + label
    return shown


def _headline(release: Release, question: Question) -> str:
    facts = [question.id, release.name, question.split, *(["core"] if question.core else [])]
    if release.levels != (100,) and question.hard_answer is not None:
        facts.append(f"level {question.level}")
    return " · ".join(facts)


def _otherwise(release: Release, question: Question, width: int) -> list[list[str]]:
    """Why a question fell back to its template, and the paraphrases."""
    if question.wording == "fallback":
        why = [r for r in release.rejections() if r.question == question.id]
        said = "".join(f" ({rejection.detail})" for rejection in why if rejection.detail)
        lines = wrapped(f"No text of the model passed the checks{said}.", width, "  ")
        for rejection in why:
            if rejection.text:
                lines += wrapped(f"Refused: {printable(rejection.text)}", width, "  ")
        return [indented(lines)]
    lines = [line for text in question.paraphrases for line in wrapped(printable(text), width)]
    return [titled("Paraphrases", lines)] if lines else []
