"""Shows a question of a release in the terminal: the question, its rule, proof and difficulty features.

Entities have their names in the naming of the release, followed by the text label if it differs.
"""

import difflib
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rulemine.errors import ReleaseError, counted
from rulemine.query.atom import Atom, Term
from rulemine.release.drawing import display_width, draw_proof, printable
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.rules.formats import format_readable
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import SUBTYPE_NAMES

__all__ = ["show"]

MOST_ANSWERS = 12
"""Number of answers that are listed; the others are counted."""

NARROWEST = 40

_INDENT = "  "
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(subject|object)\}")


def show(release: str | Path | Release, question_id: str, width: int = 100) -> str:
    """Shows one question.

    Args:
        release: The release, or its folder.
        question_id: Its id.
        width: Columns of the terminal; at least `NARROWEST` are used.

    Returns:
        Lines separated by LF.

    Raises:
        ReleaseError: There is no such release or question; the message suggests a similar id, and says
            why a rejected question was rejected.
    """
    opened = release if isinstance(release, Release) else Release.open(release)
    question = _find(opened, question_id)
    names = _names(opened)
    rule = next((rule for rule in opened.rules() if rule.id == question.rule), None)
    if rule is None:
        raise ReleaseError(
            f"{opened.path}: question {question.id} names rule {question.rule}, which rules.jsonl "
            "lacks. rulemine verify lists all faults."
        )
    width = max(width, NARROWEST)
    inner = width - len(_INDENT)
    statements = {r: row.get("statement", "") for r, row in opened.relations().items()}
    blocks = [
        _headline(opened, question),
        _indented(_wrapped(printable(question.question), inner)),
        *_otherwise(opened, question, inner),
        _asked(question, names, inner),
        _titled("Rule", _rule(question, rule, statements, inner)),
        _titled(
            "Remaining proof",
            draw_proof(question.certificate, question.removed, names, inner),
        ),
        _titled("Difficulty", _difficulty(opened, question, inner)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


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


def _headline(release: Release, question: Question) -> list[str]:
    facts = [question.id, release.name, question.split]
    if release.levels != (100,):
        facts.append(f"level {question.level}")
    return [" · ".join(facts)]


def _otherwise(release: Release, question: Question, width: int) -> list[list[str]]:
    """Why a question fell back to its template, and the paraphrases."""
    if question.wording == "fallback":
        why = [r for r in release.rejections() if r.question == question.id]
        said = "".join(f" ({rejection.detail})" for rejection in why if rejection.detail)
        lines = _wrapped(f"No text of the model passed the checks{said}.", width, "  ")
        for rejection in why:
            if rejection.text:
                lines += _wrapped(f"Refused: {printable(rejection.text)}", width, "  ")
        return [_indented(lines)]
    lines = [line for text in question.paraphrases for line in _wrapped(printable(text), width)]
    return [_titled("Paraphrases", lines)] if lines else []


def _asked(question: Question, names: Mapping[str, str], width: int) -> list[str]:
    end = "subject" if question.direction == "object" else "object"
    asked = printable(question.relation)
    triple = f"? ──{asked}──▶ topic" if question.direction == "subject" else f"topic ──{asked}──▶ ?"
    if display_width(triple) + len("asked for  subjects:  ") > width:
        triple = asked
    rows = [
        ("topic", f"{names.get(question.topic, question.topic)} · the {end}"),
        ("asked for", f"{question.direction}s:  {triple}"),
    ]
    others = [a for a in question.answers if a not in question.hard_answers]
    all_stated = question.diagnosis.answers_stated == len(others)
    order = [
        question.hard_answer,
        *(a for a in question.hard_answers if a != question.hard_answer),
        *others,
    ]
    for place, answer in enumerate(order[:MOST_ANSWERS]):
        name = names.get(answer, answer)
        if answer == question.hard_answer:
            name = f"★ {name}  hard answer of this question, its triple was removed"
        elif answer in question.hard_answers:
            name = f"☆ {name}  also hard, its triple was removed"
        else:
            name = f"  {name}" + ("  still stated" if all_stated else "")
        rows.append((counted(len(order), "answer") if place == 0 else "", name))
    if len(order) > MOST_ANSWERS:
        rows.append(("", f"  … and {len(order) - MOST_ANSWERS:,} more"))
    column = max(len(key) for key, _ in rows) + 2
    lines = []
    for key, text in rows:
        first, *rest = _wrapped(text, width - column, "  ")
        lines += [key.ljust(column) + first, *(" " * column + line for line in rest)]
    return _indented(lines)


def _rule(question: Question, rule: Rule, statements: Mapping[str, str], width: int) -> list[str]:
    kind = question.rule_type
    if question.rule_subtype != question.rule_type:
        kind += f" ({SUBTYPE_NAMES.get(question.rule_subtype, question.rule_subtype)})"
    symbols = _wrapped(printable(format_readable(rule)), width)
    if len(symbols) > 1:  # an atom a line
        atoms = [printable(format_readable(replace(rule, body=(atom,)))) for atom in rule.body]
        before = [atom.split(" ⇒ ")[0] for atom in atoms]
        after = atoms[0].split(" ⇒ ")[-1]
        symbols = ["  " + before[0], *(f"∧ {text}" for text in before[1:]), f"⇒ {after}"]
    said = [_say(atom, rule, statements) for atom in (*rule.body, rule.head)]
    condition = said[0] if len(said) == 2 else ", ".join(said[:-2]) + " and " + said[-2]
    words = f"If {condition}, then {said[-1]}."
    d = question.diagnosis
    measures = (
        f"{kind}; head coverage {d.head_coverage:.3f}, standard confidence {d.std_confidence:.3f}, "
        f"PCA confidence {d.pca_confidence:.3f}; id {rule.id}"
    )
    return [
        *symbols,
        *_wrapped(words, width),
        *_wrapped(measures, width),
    ]


def _say(atom: Atom, rule: Rule, statements: Mapping[str, str]) -> str:
    letters = "xyzwvutsrqponm"

    def term(value: Term) -> str:
        return letters[value] if isinstance(value, int) else printable(value)

    template = statements.get(atom.relation) or ""
    ends = {"subject": term(atom.subject), "object": term(atom.object)}
    if not template:
        return f"{ends['subject']} {printable(atom.relation)} {ends['object']}"
    return _PLACEHOLDER.sub(lambda m: ends[m[1]] if m[1] else m[0][0], printable(template))


def _difficulty(release: Release, question: Question, width: int) -> list[str]:
    d = question.diagnosis
    remain = "remains" if d.proofs == 1 else "remain"
    length = counted(d.shortest_proof, "triple")
    what = "it takes" if d.proofs == 1 else "the shortest takes"
    sentences = [f"{counted(d.proofs, 'proof')} of the removed triple {remain}; {what} {length}."]
    for relations, where, edge in (
        (d.reverse_edge, "from its object to its subject", "An inverse"),
        (d.parallel_edge, "from its subject to its object", "A parallel"),
    ):
        if relations:
            edges = ", ".join(map(printable, relations))
            sentences.append(
                f"{edge} edge gives the answer away in one hop: still stated {where}: {edges}."
            )
        else:
            sentences.append(f"No edge remains {where}.")
    verb = "is" if d.answers_stated == 1 else "are"
    stated = f"{d.answers_stated} of {counted(len(question.answers), 'answer')} {verb} still"
    sentences.append(f"{stated if d.answers_stated else 'No answer is'} stated directly.")
    if release.levels != (100,):
        higher = " and higher" if question.level < release.levels[-1] else " only"
        sentences.append(f"The triple was removed at level {question.level} %{higher}.")
    return [line for sentence in sentences for line in _wrapped(sentence, width, "  ")]


def _wrapped(text: str, width: int, hanging: str = "") -> list[str]:
    if display_width(text) <= width:
        return [text]
    # Wide characters count once here, so a line may exceed the width; terminals wrap it.
    return textwrap.wrap(
        text, max(width, 20), subsequent_indent=hanging, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *_indented(lines)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [_INDENT + line for line in lines]
