"""What questions of the kind ``cypher`` are grouped by."""

from rulemine.cypher.questions.templates import MATCHES, RETURN_GROUPS, return_group
from rulemine.cypher.rows import ROW_GROUPS, rows_group
from rulemine.kinds.group import STRUCTURE, About, Group
from rulemine.release.records import Question

__all__ = ["GROUPS"]


def _changed(question: Question, about: About) -> str:
    levels = question.block.levels
    if not levels:
        return ""
    own = next((row for row in reversed(levels) if row.level <= about.level), None)
    return "changed" if own is not None and (own.lost or own.spurious) else "unchanged"


GROUPS = (
    STRUCTURE,
    Group("shape", "MATCH template", lambda q, _: q.block.match, tuple(MATCHES)),
    Group(
        "return",
        "RETURN, basic questions",
        lambda q, _: return_group(q.block.returns),
        RETURN_GROUPS,
    ),
    Group(
        "rows", "rows of the gold", lambda q, _: rows_group(len(q.block.rows)), tuple(ROW_GROUPS)
    ),
    Group("template", "RETURN template", lambda q, _: "" if q.block.levels else q.block.returns),
    Group("graph", "graph", lambda q, _: getattr(q.block, "graph", "")),
    Group("changed", "rows on the graph of the level", _changed, ("changed", "unchanged")),
)
