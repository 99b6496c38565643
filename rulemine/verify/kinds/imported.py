"""Questions that others published: the graphs, and what their queries give; nothing has a proof.

Checks that names are known, that stated, hard and further answers are disjoint parts of the answers, and
which of them the graphs give where there is a query: what it gives on the complete graph, of each hard answer
how many triples are missing and from which level on. What the source alone says is taken as it is.
"""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from rulemine.verify import shaping
from rulemine.verify.contents import Contents, Located
from rulemine.verify.graphs import COMPLETE, INCOMPLETE, MISSING, as_triple
from rulemine.verify.protocol import KindChecks, Watch
from rulemine.verify.questions.asked import Asked, Checked
from rulemine.verify.questions.queries import answers, read
from rulemine.verify.questions.question import check_split
from rulemine.verify.report import Findings, shown

__all__ = ["CHECKS"]

_FIELDS = {
    "block": shaping.record(
        {
            "hard_from": shaping.one_of(("query", "source", "")),
            "listed": shaping.array(shaping.name),
            "executed": shaping.nullable(shaping.array(shaping.name)),
            "why": shaping.text,
            "source_query": shaping.text,
            "type": shaping.text,
            "fields": shaping.text,
        }
    ),
    **dict.fromkeys(("query", "sparql", "structure", "shape"), shaping.text),
    "wording": shaping.one_of(("source",)),
}


class ImportedChecks(KindChecks):
    """What holds for questions about triples."""

    known = True
    ids = r"\S(?:.*\S)?"
    as_given = True
    fields = MappingProxyType(_FIELDS)

    def optional(self, name: str) -> bool:
        """A source may have no graph."""
        return name in (COMPLETE, INCOMPLETE)

    def files(self, _levels: Iterable[int]) -> Iterable[str]:
        """The missing triples."""
        return (MISSING,)

    def check_otherwise(self, contents: Contents, findings: Findings, watch: Watch) -> bool:
        """Checks each question by its query, if it has one."""
        watch.on_phase("questions")
        for done, at in enumerate(contents.questions):
            if done % 256 == 0:
                watch.progress(done)
            self.check_one(at, contents, findings)
        findings.note("there are no proofs: what others published has no certificates")
        rows = (at.row for at in contents.questions)
        if run := sum(
            row["block"].get("executed") is not None and not row["query"] for row in rows
        ):
            findings.note(
                f"SPARQL that is no query over links, of {run:,} questions: not executed again"
            )
        return True

    def check_one(self, at: Located, contents: Contents, findings: Findings) -> None:
        """Checks a question."""
        here, row = Checked(at, findings, contents), at.row
        check_split(here)
        _check_names(here)
        hard = [item["answer"] for item in row["hard"]]
        parts = [*row["stated"], *hard, *row["further"]]
        if row["block"]["hard_from"] == "":
            here.equal("parts of the answers", parts, [], "block.hard_from: nothing is known")
        else:
            here.equal("parts of the answers", sorted(parts), row["answers"], "disjoint, and all")
        if row["answers"] != sorted(set(row["answers"])):
            here.add("answers sorted", shown(row["answers"]), "code point order, unique")
        if row["hard_answer"] not in (hard or [None]):
            here.add("hard answer", shown(row["hard_answer"]), "one of the hard answers")
        if row["block"]["listed"] and sorted(set(row["block"]["listed"])) != row["answers"]:
            here.add("listed", shown(row["block"]["listed"]), "the answers, some more than once")
        here.equal("core", row["core"], False, "nothing imported is in the core")
        gone = [triple for triple in row["evidence"] if as_triple(triple) in contents.removed]
        wanted = [list(t) for t in dict.fromkeys(map(tuple, gone))] if hard else []
        here.equal("removed", row["removed"], wanted, f"of the evidence, by {MISSING}")
        executed = row["block"]["executed"]
        if executed is None and row["query"]:
            here.add("query", shown(row["query"]), "none: it was not executed")
        elif row["query"]:
            self._check_executed(here)
        elif executed is not None and row["block"]["hard_from"] == "query":
            given = [answer for answer in row["answers"] if answer in executed]
            here.equal(
                "executed", sorted([*row["stated"], *hard]), given, "stated and hard answers"
            )

    def _check_executed(self, here: Checked) -> None:
        row = here.row
        try:
            asked = Asked(here.at, here.findings, here.contents, read(row["query"]))
        except ValueError:
            here.add("query", shown(row["query"]), "a canonical query")
            return
        for key, expected in asked.form._asdict().items():
            if key != "anchors":  # the source says what the topic entities are
                here.equal(key, row[key], expected, "the query")
        here.equal("executed", row["block"]["executed"], sorted(asked.whole), "the query")
        given = answers(asked.query, here.contents.left)
        if row["block"]["hard_from"] == "query":
            found = {
                "stated": [a for a in row["answers"] if a in asked.whole and a in given],
                "hard": [a for a in row["answers"] if a in asked.whole and a not in given],
            }
            here.equal("stated answers", row["stated"], found["stated"], "the query")
            here.equal(
                "hard answers", [i["answer"] for i in row["hard"]], found["hard"], "the query"
            )
        for item in row["hard"]:
            self._check_hard(asked, item)

    def _check_hard(self, here: Asked, item: dict[str, Any]) -> None:
        """Checks what a hard answer misses, where the query derives it from a missing triple."""
        if here.missing.get(item["answer"], 0):
            here.equal("missing", item["missing"], here.missing[item["answer"]], f"by {MISSING}")
            here.equal("level", item["level"], here.levels[item["answer"]], f"by {MISSING}")


def _check_names(here: Checked) -> None:
    """Checks that all entities of a question are in ``entities.tsv``."""
    row = here.row
    ends = [end for triple in (*row["evidence"], *row["full_evidence"]) for end in triple[::2]]
    named = {*row["anchors"], *row["answers"], *row["intermediates"], *ends}
    named.update(row["block"].get("executed") or ())
    if lost := here.contents.names.unknown(named, ()):
        here.add("names", shown(lost), "names of entities.tsv")


CHECKS = ImportedChecks()
