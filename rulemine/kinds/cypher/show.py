"""A question over a property graph in the terminal.

Shown are its Cypher, its rows before and after the removal, and what was removed, each with its proof.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from rulemine.cypher.rows import row_of
from rulemine.errors import counted
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.release.showing.drawing import REMOVED
from rulemine.release.showing.layout import columns, in_words, indented, titled, wrapped
from rulemine.text.printing import printable

__all__ = ["row_blocks"]

MOST_ROWS = 24
"""Rows that are listed; the others are counted."""

MOST_REMOVED = 12
"""Removed triples, and removed values, that are listed."""


def row_blocks(
    release: Release, question: Question, names: Mapping[str, str], width: int
) -> list[list[str]]:
    """What is shown of a question below its text, in blocks of lines.

    Args:
        release: The release.
        question: The question.
        names: Entity → its printed name.
        width: Columns within a block.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    blocks = [
        indented(columns(list(_asked(question, names)), width)),
        _rows(question, names, width),
    ]
    if lines := list(_triples(release, question, names, width)):
        blocks.append(titled("Removed triples that it matches", lines))
    if lines := list(_values(release, question, names, width)):
        blocks.append(titled("Removed values that it reads", lines))
    return blocks


def _asked(question: Question, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    block = question.block
    yield "pattern", f"{block.match}  returns {block.returns} ({block.family})"
    for place, anchor in enumerate(question.anchors):
        key = "" if place else "topic" if len(question.anchors) == 1 else "topics"
        yield key, names.get(anchor, anchor)
    yield "Cypher", printable(block.cypher)
    for place, change in enumerate(block.levels):
        said = f"{change.level} %: {counted(change.rows, 'row')}"
        if change.lost or change.spurious:
            said += f", {len(change.lost):,} lost, {len(change.spurious):,} spurious"
        yield "" if place else "removed", said


def _rows(question: Question, names: Mapping[str, str], width: int) -> list[str]:
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
        lines += wrapped(f"{mark} {_printed(row, names)}{about}{star}", width, "    ")
    if len(marked) > MOST_ROWS:
        lines.append(f"  … and {len(marked) - MOST_ROWS:,} more")
    order = ", in this order" if block.ordered else ""
    if len(block.tied) > 1:
        order = f", any of {len(block.tied)} that tie"
    title = f"Rows ({counted(len(block.rows), 'row')}{order}): {' | '.join(block.columns)}"
    legend = "− lost on the incomplete graph  + only there, wrong  ★ the hard row that is asked for"
    return titled(
        printable(title), [*(wrapped(legend, width) if last.lost or last.spurious else []), *lines]
    )


def _printed(row: str, names: Mapping[str, str]) -> str:
    cells = [_cell(value, names) for value in row_of(row)]
    return " | ".join(cells)


def _cell(value: object, names: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return names.get(value, printable(value))
    if isinstance(value, tuple):
        return f"[{', '.join(_cell(item, names) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _triples(
    release: Release, question: Question, names: Mapping[str, str], width: int
) -> Iterator[str]:
    removals = {row.triple: row for row in release.removals()}
    rules = {rule.id: rule for rule in release.rules()}
    statements = {r: row.get("statement", "") for r, row in release.relations().items()}

    def said(subject: str, relation: str, object_: str) -> str:
        return f"{names.get(subject, subject)} {printable(relation)} {names.get(object_, object_)}"

    for triple in question.removed[:MOST_REMOVED]:
        removal = removals.get(triple)
        level = f"  {REMOVED} at {removal.level} %" if removal else ""
        yield from wrapped(f"{said(*triple)}{level}", width, "  ")
        if removal is None:
            continue
        proof = removal.certificate
        because = ", ".join(said(*one) for one in proof.body)
        yield from wrapped(f"  because {because}", width, "    ")
        if proof.rule in rules:
            sure = f" ({removal.difficulty.std_confidence:.2f})"
            yield from wrapped(f"  {in_words(rules[proof.rule], statements)}{sure}", width, "    ")
    if (more := len(question.removed) - MOST_REMOVED) > 0:
        yield f"… and {more:,} more"


def _values(
    release: Release, question: Question, names: Mapping[str, str], width: int
) -> Iterator[str]:
    if not question.block.removed_values:
        return
    known = {(row.node, row.property): row for row in release.removed_values()}
    rules = {rule.id: rule.text for rule in release.value_rules()}
    for node, name in question.block.removed_values[:MOST_REMOVED]:
        row = known.get((node, name))
        if row is None:
            continue
        value = printable(str(row.value))
        said = f"{names.get(node, node)}: {printable(name)} = {value}  {REMOVED} at {row.level} %"
        yield from wrapped(said, width, "  ")
        proof = row.certificate
        source = f"{printable(proof.property)} of {names.get(proof.node, proof.node)}"
        rule = printable(rules.get(proof.rule, proof.rule))
        yield from wrapped(f"  because of the {source}: {rule}", width, "    ")
    if (more := len(question.block.removed_values) - MOST_REMOVED) > 0:
        yield f"… and {more:,} more"
