"""What questions that a writer asks are grouped by."""

from rulemine.kinds.group import Group

__all__ = ["GROUPS"]

GROUPS = (
    Group("triples", "triples that the writer used", lambda q, _: str(len(q.block.triples))),
    Group(
        "redundancy",
        "topic entities needed",
        lambda q, _: "not minimal" if q.block.redundant else "minimal",
        ("minimal", "not minimal"),
    ),
)
