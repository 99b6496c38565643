"""What questions say of their query and its evidence, and the limits on them; most kinds check it so.

Checks relations, intermediates, removed triples and rules; that no relation is excluded; and the limits on
answers and evidence.
"""

from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.forms import LINK, nodes
from rulemine.verify.report import shown

__all__ = ["check_lifted"]


def check_lifted(here: Asked) -> None:
    """Checks what one question says of its query and evidence."""
    row, contents = here.row, here.contents
    ends = {entity for (s, _, o), _ in here.evidence for entity in (s, o)}
    removed = here.removed_of(row["evidence"])
    links = (node for node in nodes(here.links) if node.word == LINK)
    relations = sorted({way.name for link in links for way in link.parts})
    for key, expected in (
        ("relations", relations),
        ("intermediates", sorted(ends - {*row["anchors"], *row["answers"]})),
        ("removed", [list(triple) for triple in removed]),
        ("rules", sorted({contents.removed[triple].certificates[0][0] for triple in removed})),
    ):
        here.equal(key, row[key], expected, "the query and its evidence")
    if kept_out := sorted({*contents.folder.manifest["kg"].get("dropped", {})} & {*relations}):
        here.add("excluded relations", shown(kept_out), "no excluded relation in a query")
    for option, what in (("max_answers", "answers"), ("max_evidence", "full_evidence")):
        here.at_most(f"number of {what}".replace("_", " "), len(row[what]), option)
