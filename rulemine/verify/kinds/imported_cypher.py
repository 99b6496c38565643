"""Cypher questions that others published: their graphs are there; the Cypher is run where it is scored."""

from types import MappingProxyType

from rulemine.verify import shaping
from rulemine.verify.contents import Contents, Located
from rulemine.verify.kinds.imported import CHECKS as ABOUT_TRIPLES
from rulemine.verify.kinds.imported import ImportedChecks
from rulemine.verify.questions.asked import Checked
from rulemine.verify.questions.question import check_split
from rulemine.verify.report import Findings, shown

__all__ = ["CHECKS"]

_PLACE = "property_graph/{}.json.gz"


class _Checks(ImportedChecks):
    fields = MappingProxyType(
        {
            **ABOUT_TRIPLES.fields,
            "answers": shaping.array(shaping.name),
            "block": shaping.record(
                {
                    "cypher": shaping.text,
                    "rows": shaping.array(shaping.name),
                    **dict.fromkeys(("graph", "type", "fields"), shaping.text),
                }
            ),
        }
    )

    def optional(self, name: str) -> bool:
        """Property graphs, one for each name."""
        return super().optional(name) or name.startswith(_PLACE.partition("{")[0])

    def check_one(self, at: Located, contents: Contents, findings: Findings) -> None:
        """Checks the rows and the graph of a question."""
        here, block = Checked(at, findings, contents), at.row["block"]
        check_split(here)
        here.equal("answers", at.row["answers"], sorted(set(block["rows"])), "the distinct rows")
        here.equal("query", at.row["query"], " ".join(block["cypher"].split()), "the Cypher")
        if not block["cypher"].strip():
            here.add("Cypher", shown(block["cypher"]), "a query")
        known = {name for name in contents.folder.manifest["files"] if self.optional(name)}
        if known and _PLACE.format(block["graph"]) not in known:
            here.add("graph", shown(block["graph"]), "a property graph of the release")
        findings.note("rows of the Cypher: not checked; rulemine evaluate runs it")


CHECKS = _Checks()
