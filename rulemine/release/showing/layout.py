"""The layout of what is printed of a question: wrapped lines, rows, rules in words, answers."""

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from rulemine.errors import counted
from rulemine.query.atom import Atom, Term
from rulemine.release.records import Question
from rulemine.rules.rule import Rule
from rulemine.text.printing import printable

__all__ = [
    "INDENT", "REMOVED", "answer_rows", "columns", "display_width", "hanging", "in_words", "wrapped",
]  # fmt: skip

MOST_ANSWERS = 12
"""Number of answers that are listed; the others are counted."""

INDENT = "  "

REMOVED = "✗ removed"
"""What stands behind a removed triple."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(subject|object)\}")


def display_width(text: str) -> int:
    """The number of terminal columns of a text: wide characters take two, combining marks none.

    Example:
        >>> display_width("Zoë"), display_width("東京")
        (3, 4)
    """
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def hanging(texts: Iterable[str], indent: str = INDENT) -> Callable[[int], list[str]]:
    """Writes each text from the start of a line; its further lines are indented by `indent` more."""
    kept = [(text, text[: len(text) - len(text.lstrip(" "))] + indent) for text in texts]
    return lambda width: [line for text, deeper in kept for line in wrapped(text, width, deeper)]


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """A text in lines; those after the first begin with `indent`."""
    if display_width(text) <= width:
        return [text]
    # Wide characters count once here, so a line may exceed the width; terminals wrap it.
    return textwrap.wrap(
        text, max(width, 20), subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def columns(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Rows of a key and a text, the texts below each other."""
    column = max(len(key) for key, _ in rows) + 2
    lines = []
    for key, text in rows:
        line, *rest = wrapped(text, width - column, "  ")
        lines += [key.ljust(column) + line, *(" " * column + more for more in rest)]
    return lines


def answer_rows(
    question: Question, names: Mapping[str, str], hard: Mapping[str, str]
) -> list[tuple[str, str]]:
    """The answers as rows of `columns`, the one asked for first; no more than `MOST_ANSWERS`.

    Args:
        question: The question.
        names: Entity → its printed name.
        hard: Hard answer → what is said of it where it is not the one asked for.
    """
    kinds = {**dict.fromkeys(question.stated, "stated"), **hard}
    kinds |= dict.fromkeys(question.further, "right by the reference graph alone, never asked for")
    first = [a for a in (question.hard_answer,) if a is not None]
    order = [*first, *(a for a in (*question.hard_answers, *question.stated) if a not in first)]
    order += question.further
    rows = []
    total = counted(len(order), "answer") if question.value is None else f"{len(order)} counted"
    for place, answer in enumerate(order[:MOST_ANSWERS]):
        name = names.get(answer, answer)
        if answer == question.hard_answer:
            name = f"★ {name}  the hard answer that is asked for"
        else:
            name = f"{'☆' if answer in question.hard_answers else ' '} {name}  {kinds[answer]}"
        rows.append((total if place == 0 else "", name))
    if len(order) > MOST_ANSWERS:
        rows.append(("", f"  … and {len(order) - MOST_ANSWERS:,} more"))
    return rows


def in_words(rule: Rule, statements: Mapping[str, str]) -> str:
    """A rule as a sentence.

    Args:
        rule: The rule.
        statements: Relation → its template ``statement``; relations without one are named.
    """
    phrases = [_say(atom, statements) for atom in (*rule.body, rule.head)]
    condition = phrases[0] if len(phrases) == 2 else ", ".join(phrases[:-2]) + " and " + phrases[-2]
    return f"If {condition}, then {phrases[-1]}."


def _say(atom: Atom, statements: Mapping[str, str]) -> str:
    letters = "xyzwvutsrqponm"

    def term(value: Term) -> str:
        return letters[value] if isinstance(value, int) else printable(value)

    template = statements.get(atom.relation) or ""
    ends = {"subject": term(atom.subject), "object": term(atom.object)}
    if not template:
        return f"{ends['subject']} {printable(atom.relation)} {ends['object']}"
    return _PLACEHOLDER.sub(lambda m: ends[m[1]] if m[1] else m[0][0], printable(template))
