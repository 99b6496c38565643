"""Questions that others published: what their queries give on the graphs, and no proofs.

Checks that names are known, and that stated, hard and further answers are disjoint parts of the answers, all
of them. Where a question has a query: its form, what it gives on the complete graph, which answers the
incomplete one still gives, and of each hard answer how many triples are missing and from which level on. Of a
question in Cypher that its answers are the distinct rows, and that its graph is there. What the source alone
says is taken as it is.
"""

from collections.abc import Callable, Iterable
from functools import partial

from rulemine.verify.contents import Contents, Record, as_triple
from rulemine.verify.kinds import GoldServer, KindChecks
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.queries import answers, read

__all__ = ["ABOUT_ROWS", "CHECKS"]


def _check_all(
    check: Callable[[Contents, Record], object],
    contents: Contents,
    questions: Iterable[Record],
    _gold: GoldServer | None,
) -> None:
    """Checks each question, in one of the ways below."""
    for at in questions:
        contents.equal(at, "wording", at.row["wording"], "source")
        check(contents, at)
    contents.findings.notes.append("there are no proofs: what others published has no certificates")


def _about_triples(contents: Contents, at: Record) -> None:
    row, block, executed = at.row, at.row["block"], at.row["block"]["executed"]
    hard = [item["answer"] for item in row["hard"]]
    given = sorted([*row["stated"], *hard])
    ends = (end for triple in (*row["evidence"], *row["full_evidence"]) for end in triple[::2])
    named = {*row["anchors"], *row["answers"], *row["intermediates"], *(executed or ()), *ends}
    gone = dict.fromkeys(t for t in map(as_triple, row["evidence"]) if t in contents.removed)
    from_query = executed is not None and block["hard_from"] == "query"
    for what, found, expected in (
        ("names", sorted(named - contents.entities.keys()), []),
        ("answers sorted", row["answers"], sorted({*row["answers"]})),
        ("listed", row["answers"], sorted({*(block["listed"] or row["answers"])})),
        (
            "parts of the answers",
            sorted([*given, *row["further"]]),
            row["answers"] if block["hard_from"] else [],
        ),
        ("hard answer", row["hard_answer"] in (hard or [None]), True),
        ("core", row["core"], False),
        ("removed", row["removed"], [[*triple] for triple in gone] if hard else []),
        ("query", row["query"] if executed is None else "", ""),
        (
            "executed",
            [one for one in row["answers"] if one in executed] if from_query else given,
            given,
        ),
    ):
        contents.equal(at, what, found, expected)
    if executed is not None and row["query"]:
        _check_executed(Asked(contents, at, read(row["query"])))
    elif executed is not None:
        contents.findings.notes.append("SPARQL that is no query over links: not executed again")


def _check_executed(here: Asked) -> None:
    """Checks a question by its query."""
    row, whole, left = here.row, here.whole, answers(here.query, here.contents.incomplete)
    for key in ("structure", "shape", "hops"):  # the source says what the topic entities are
        here.equal(key, row[key], here.form[key])
    here.equal("executed", here.block["executed"], sorted(whole))
    if here.block["hard_from"] == "query":
        here.equal(
            "stated answers", row["stated"], [a for a in row["answers"] if a in whole & left]
        )
    for item in row["hard"]:  # the source may say more than its query derives
        if missing := here.missing.get(item["answer"]):
            here.equal("missing", item["missing"], missing)
            here.equal("level", item["level"], here.levels[item["answer"]])


def _about_rows(contents: Contents, at: Record) -> None:
    row, block = at.row, at.row["block"]
    contents.equal(at, "answers", row["answers"], sorted({*block["rows"]}))
    contents.equal(at, "query", row["query"], " ".join(block["cypher"].split()) or "some Cypher")
    graphs = [name for name in contents.manifest["files"] if name.startswith("property_graph/")]
    if graphs and f"property_graph/{block['graph']}.json.gz" not in graphs:
        contents.wrong(at, "graph", block["graph"], "a property graph of the release")
    contents.findings.notes.append("rows of the Cypher: not checked; rulemine evaluate runs it")


CHECKS = KindChecks(otherwise=partial(_check_all, _about_triples), as_given=True)
ABOUT_ROWS = KindChecks(otherwise=partial(_check_all, _about_rows), as_given=True)
