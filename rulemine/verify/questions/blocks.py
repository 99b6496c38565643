"""What questions of every kind but ``rules`` say of their query: their block, and the limits on them.

Checks relations, intermediates, removed triples and rules; that no relation is excluded; and the limits on
answers and evidence.
"""

from collections.abc import Iterator
from typing import Any

from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.queries import ENDS, Query
from rulemine.verify.report import shown

__all__ = ["check_block", "most_of"]


def check_block(here: Asked) -> None:
    """Checks the block of one question."""
    row, contents = here.row, here.contents
    kind = row["kind"]
    block = row[kind]
    ends = {entity for (s, _, o), _ in here.evidence for entity in (s, o)}
    removed = here.removed_of(row["evidence"])
    relations = sorted(set(_relations(here.query)))
    for key, expected in (
        ("relations", relations),
        ("intermediates", sorted(ends - {*row["anchors"], *row["answers"]})),
        ("removed", [list(triple) for triple in removed]),
        ("rules", sorted({contents.removed[triple].certificates[0][0] for triple in removed})),
    ):
        here.equal(key, block[key], expected, "the query and its evidence")
    if kept_out := sorted({*contents.folder.manifest["kg"].get("dropped", {})} & {*relations}):
        here.add("excluded relations", shown(kept_out), "no excluded relation in a query")
    for option, what in (("max_answers", "answers"), ("max_evidence", "full_evidence")):
        if len(row[what]) > (most := most_of(here, option)) > 0:
            limit = f"at most {most} (manifest, config.{kind}.{option})"
            here.add(f"number of {what}".replace("_", " "), f"{len(row[what])}", limit)


def most_of(here: Asked, option: str) -> int:
    """A limit of the section of the kind; 0 where there is none."""
    value: Any = here.contents.folder.option(here.row["kind"], option)
    return value if type(value) is int else 0


def _relations(query: Query) -> Iterator[str]:
    if query.word in ENDS:
        yield query.name
    for part in query.parts:
        yield from _relations(part)
