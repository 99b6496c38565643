"""What is shown of a question over a property graph.

That is its Cypher, its rows before and after the removal, and what was removed, each with its proof.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from rulemine.cypher.rows import row_of
from rulemine.errors import counted
from rulemine.kg.graph import Triple
from rulemine.release.records import Question
from rulemine.release.showing.layout import REMOVED, hanging
from rulemine.release.showing.view import Drawing, Row, ShownRelease, Titled, topics
from rulemine.text.printing import printable

__all__ = ["row_view"]

MOST_ROWS = 24
"""Rows that are listed; the others are counted."""

MOST_REMOVED = 12
"""Removed triples that are listed."""


def row_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What is shown of a question below its text.

    Args:
        question: The question.
        shown: Its release.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    triples = [_triple(triple, shown) for triple in question.removed]
    return [
        Titled("", list(_asked(question, shown))),
        _rows(question, shown),
        *_listed("Removed triples that it matches", triples),
    ]


def _listed(title: str, told: Sequence[Iterator[Drawing]]) -> Iterator[Titled]:
    """A block of the first of what is told, if there is anything."""
    parts = [part for one in told[:MOST_REMOVED] for part in one]
    if (more := len(told) - MOST_REMOVED) > 0:
        parts.append(hanging([f"… and {more:,} more"]))
    if parts:
        yield Titled(title, parts)


def _asked(question: Question, shown: ShownRelease) -> Iterator[Row]:
    block = question.block
    yield "pattern", f"{block.match}  returns {block.returns} ({block.family})"
    yield from topics(question, shown)
    yield "Cypher", printable(block.cypher)
    for place, change in enumerate(block.levels):
        said = f"{change.level} %: {counted(change.rows, 'row')}"
        if change.lost or change.spurious:
            said += f", {len(change.lost):,} lost, {len(change.spurious):,} spurious"
        yield "" if place else "removed", said


def _rows(question: Question, shown: ShownRelease) -> Titled:
    """The rows of the complete graph, those lost marked, and what the incomplete one gives besides."""
    block = question.block
    last = block.levels[-1]
    lost = Counter(last.lost)
    marked = []
    for row in block.rows:
        mark = "−" if lost[row] > 0 else " "
        lost[row] -= 1
        marked.append((mark, row))
    marked += [("+", row) for row in last.spurious]
    if len(marked) > MOST_ROWS:  # what changes first
        marked.sort(key=lambda pair: pair[0] == " ")
    hard = {item.answer: item for item in question.hard}
    lines = []
    for mark, row in marked[:MOST_ROWS]:
        about = f"  misses {hard[row].missing:,}" if mark == "−" and row in hard else ""
        star = " ★" if mark == "−" and row == question.hard_answer else ""
        cells = " | ".join(_cell(value, shown) for value in row_of(row))
        lines.append(f"{mark} {cells}{about}{star}")
    if len(marked) > MOST_ROWS:
        lines.append(f"  … and {len(marked) - MOST_ROWS:,} more")
    order = ", in this order" if block.ordered else ""
    if len(block.tied) > 1:
        order = f", any of {len(block.tied)} that tie"
    title = f"Rows ({counted(len(block.rows), 'row')}{order}): {' | '.join(block.columns)}"
    legend = "− lost on the incomplete graph  + only there, wrong  ★ the hard row that is asked for"
    return Titled(printable(title), [*[legend][: block.changed], hanging(lines, "    ")])


def _cell(value: object, shown: ShownRelease) -> str:
    if isinstance(value, str):
        return shown.names.get(value, printable(value))
    if isinstance(value, tuple):
        return f"[{', '.join(_cell(item, shown) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _triple(triple: Triple, shown: ShownRelease) -> Iterator[Drawing]:
    """A removed triple and its proof."""

    def said(one: Triple) -> str:
        return f"{shown.name(one[0])} {printable(one[1])} {shown.name(one[2])}"

    removal = shown.removals.get(triple)
    if removal is None:
        yield hanging([said(triple)])
        return
    yield hanging([f"{said(triple)}  {REMOVED} at {removal.level} %"])
    proof = removal.certificate
    because = [f"  because {', '.join(map(said, proof.body))}"]
    if proof.rule in shown.rules:
        sure = f"({removal.difficulty.std_confidence:.2f})"
        because.append(f"  {shown.in_words(shown.rules[proof.rule])} {sure}")
    yield hanging(because, "    ")
