"""What only the cards of the kind ``cypher`` say and count; the text is ``page.md``."""

from rulemine.errors import counted
from rulemine.release.card.figures import KindPage
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question
from rulemine.text.escaping import code

__all__ = ["CYPHER_PAGE"]


def _changed(parts: ReleaseParts) -> dict[str, int]:
    """Level → the questions whose rows it changes."""
    rows = [row for q in parts.questions for row in q.block.levels if row.lost or row.spurious]
    return {str(level): sum(row.level == level for row in rows) for level in parts.levels}


def _shown(q: Question) -> str:
    last = q.block.levels[-1]
    found = f"{counted(len(q.block.rows), 'row')}, {len(last.lost):,} lost, {len(last.spurious):,} wrong"
    return f"{code(q.block.cypher)} ({found}). "


CYPHER_PAGE = KindPage("kinds/cypher/page.md", figures={"changed": _changed}, shown=_shown)
