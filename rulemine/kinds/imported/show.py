"""What is shown of a question that others published."""

from collections.abc import Iterator
from typing import Any

from rulemine.errors import counted
from rulemine.release.records import Question
from rulemine.release.showing.layout import REMOVED, hanging
from rulemine.release.showing.view import Row, ShownRelease, Titled, topics
from rulemine.text.printing import printable

__all__ = ["imported_view"]

MOST_LISTED = 24
"""Rows, and triples of evidence, that are listed; the others are counted."""


def imported_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What is shown of a question below its text: what the source says, and what its query gives."""
    blocks = [Titled("", list(_asked(question, shown)))]
    evidence = [
        f"{shown.triple(triple)}   {REMOVED if triple in shown.missing else 'stated'}"
        for triple in question.evidence[:MOST_LISTED]
    ]
    if evidence:
        blocks.append(Titled("Evidence", [hanging(evidence)]))
    if found := list(_found(question, question.block, shown)):
        blocks.append(Titled("What the query gives", [hanging(found)]))
    return blocks


def _asked(question: Question, shown: ShownRelease) -> Iterator[Row]:
    block: Any = question.block
    if block.type:
        yield "type", printable(block.type)
    if question.structure:
        yield "structure", f"{question.structure} · {counted(question.hops, 'hop')}"
    if question.query:
        yield "query", printable(question.query)
    for key, name in (("source", "source_query"), ("Cypher", "cypher"), ("graph", "graph")):
        lines = getattr(block, name, "").expandtabs(4).splitlines()
        for place, line in enumerate(filter(str.strip, lines)):
            yield "" if place else key, printable(line)
    yield from topics(question, shown)
    kinds = dict.fromkeys(question.stated, "   stated") | dict.fromkeys(
        question.hard_answers, "   hard"
    )
    for place, answer in enumerate(question.answers[:MOST_LISTED]):
        total = "" if place else counted(len(question.answers), "answer")
        yield total, f"{shown.name(answer)}{kinds.get(answer, '')}"
    if (more := len(question.answers) - MOST_LISTED) > 0:
        yield "", f"… and {more:,} more"
    if not question.answers:
        yield "answers", "not stated: those of its Cypher"
    elif not question.graded:
        yield "", "Which of them the incomplete graph states is not known."


def _found(question: Question, block: Any, shown: ShownRelease) -> Iterator[str]:
    """How what the query gives differs from the stated answers, in sentences."""
    if getattr(block, "why", ""):
        yield f"It was not executed: {printable(block.why)}"
    executed = getattr(block, "executed", None)
    if executed is None:
        return
    given, stated = set(executed), set(question.answers)
    if given == stated:
        yield "The stated answers."
    for what, names in (
        ("Not among the stated answers", sorted(given - stated)),
        ("Stated, but not given", sorted(stated - given)),
    ):
        if names:
            listed = ", ".join(shown.name(name) for name in names[:MOST_LISTED])
            more = f" and {len(names) - MOST_LISTED:,} more" * (len(names) > MOST_LISTED)
            yield f"{what}: {listed}{more}."
