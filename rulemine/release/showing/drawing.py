"""Draws a proof for the terminal: nodes, the edges of the proof, and the removed edge.

A path from one end of the removed edge to the other is drawn as a line of nodes that the removed edge
closes, horizontally if it fits and vertically otherwise; any other shape is a list of edges. Widths are
terminal columns: wide characters take two, combining marks none. Names in right-to-left scripts are
isolated, so that they do not flip the arrows around them.
"""

import unicodedata
from collections.abc import Mapping, Sequence

from rulemine.kg.graph import Triple
from rulemine.query.evidence_tree import simple_path
from rulemine.text.printing import is_right_to_left, printable

__all__ = ["display_width", "draw_proof"]

REMOVED = "✗ removed"


def display_width(text: str) -> int:
    """The number of terminal columns of a text.

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


def draw_proof(
    body: Sequence[Triple], removed: Triple, names: Mapping[str, str], width: int
) -> list[str]:
    """Draws a proof.

    Args:
        body: The triples of the proof.
        removed: The triple that they prove.
        names: Entity → its printed name (see `printable`); other entities are printed as they are.
        width: Columns of the terminal.

    Returns:
        Lines; they exceed `width` only if a name or relation does.
    """
    path = _path(body, removed)
    if path is None:
        return _list(body, removed, names, width)
    names_of_path = [names.get(node, node) for node in path[0]]
    if not any(is_right_to_left(name) for name in names_of_path):
        across = _across(names_of_path, path[1], removed[1])
        if max(map(display_width, across)) <= width:
            return across
    return _down(names_of_path, path[1], removed[1])


def _path(
    body: Sequence[Triple], removed: Triple
) -> tuple[list[str], list[tuple[str, bool]]] | None:
    """The body as a simple path from the subject of the removed triple to its object.

    Returns:
        The nodes, and for each step the relation and whether it points forward; None if the body is not
        such a path.
    """
    path = simple_path([(subject, target) for subject, _, target in body], removed[0], removed[2])
    if path is None:
        return None
    nodes, edges = [removed[0]], []
    for at, forward in path:
        subject, relation, target = body[at]
        nodes.append(target if forward else subject)
        edges.append((relation, forward))
    return nodes, edges


def _across(names: Sequence[str], edges: Sequence[tuple[str, bool]], relation: str) -> list[str]:
    line = names[0]
    for (edge, forward), name in zip(edges, names[1:], strict=True):
        shown = printable(edge)
        line += f" ──{shown}──▶ {name}" if forward else f" ◀──{shown}── {name}"
    # The removed edge runs below, from the middle of the first name to that of the last.
    start = display_width(names[0]) // 2
    end = display_width(line) - (display_width(names[-1]) + 1) // 2
    label = f" {printable(relation)} "
    gap = end - start - 1 - display_width(label)
    if gap < 2:  # the label needs more room than the path has
        label, gap, after = "", end - start - 1, f"{printable(relation)}  "
    else:
        after = ""
    left = "╌" * (gap // 2)
    right = "╌" * (gap - gap // 2)
    return [
        line,
        " " * start + "╎" + " " * (end - start - 1) + "▲",
        " " * start + f"╰{left}{label}{right}╯  {after}{REMOVED}",
    ]


def _down(names: Sequence[str], edges: Sequence[tuple[str, bool]], relation: str) -> list[str]:
    lines = [f"╭╌╌ {names[0]}"]
    for place, ((edge, forward), name) in enumerate(zip(edges, names[1:], strict=True), start=1):
        shaft = ["│", "▼"] if forward else ["▲", "│"]
        lines += [f"╎    {shaft[0]} {printable(edge)}", f"╎    {shaft[1]}"]
        lines.append(f"{'╰╌▶' if place == len(edges) else '╎  '} {name}")
    lines.append(f"╌╌▶  {REMOVED}  {printable(relation)}")
    return lines


def _list(
    body: Sequence[Triple], removed: Triple, names: Mapping[str, str], width: int
) -> list[str]:
    rows = [(s, f"──{printable(r)}──▶", o, "") for s, r, o in body]
    rows.append((removed[0], f"╌╌{printable(removed[1])}╌╌▶", removed[2], f"   {REMOVED}"))
    shown = [(names.get(s, s), arrow, names.get(o, o), end) for s, arrow, o, end in rows]
    first, second = (max(display_width(row[column]) for row in shown) for column in (0, 1))
    lines = [
        f"{_pad(s, first)} {_pad(arrow, second)} {o}{end}".rstrip() for s, arrow, o, end in shown
    ]
    if max(map(display_width, lines)) <= width:
        return lines
    return [line for s, arrow, o, end in shown for line in (s, f"   {arrow} {o}{end}")]


def _pad(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))
