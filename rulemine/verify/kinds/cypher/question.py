"""Questions about rows: rows on every graph, what they lose, and what the text names.

Checks that the block says what the query says; that rows, order, keys and ties are those of the query on
the complete property graph, and rows, lost and spurious ones those of every level; that answers are the
distinct rows, the disjoint union of stated and hard ones; of each hard row how much is missing, its level,
witness and core, and that the one asked for is the one that the format names; that full evidence, removed
triples and rules are those of its matches; and that the text is its pattern, names every
anchor and, in every naming, no other name of an answer. The Cypher of the query is written again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.graphs import REMOVED, as_triple
from rulemine.verify.kinds.cypher.graphs import LabeledGraph
from rulemine.verify.kinds.cypher.idle import idle_parts
from rulemine.verify.kinds.cypher.patterns import FAMILIES, AskedPattern, read_pattern
from rulemine.verify.kinds.cypher.rows import NAMED, FoundRows, counted, rows_of, text_of
from rulemine.verify.questions.asked import Checked
from rulemine.verify.questions.mentions import find_leaks, occurrences
from rulemine.verify.questions.question import check_split, check_telling
from rulemine.verify.questions.wording import Cut, check_origin, check_patterns
from rulemine.verify.report import Findings, shown
from rulemine.verify.rules import RULES
from rulemine.verify.shapes import NAMINGS
from rulemine.verify.triples import Triple

__all__ = ["RowQuestion", "check_rows"]

_ALL_MATCHES = {
    "n_agg", "n_group_by", "n_m0_group_by_count", "comparison_argmax", "comparison_boolean",
    "comparison_arithmetic", "union_count",
}  # fmt: skip
"""RETURN templates whose rows rest on all their matches; a row of the others rests on any one of its own."""

_TWO_STEPS = {"(n)-(m0)-(m1*)", "group-by"}


@dataclass(frozen=True)
class RowQuestion(Checked):
    """A question, and what it gives."""

    asked: AskedPattern
    graphs: Mapping[int, LabeledGraph]

    @cached_property
    def found(self) -> Mapping[int, FoundRows]:
        """Level → rows."""
        return {level: rows_of(graph, self.asked) for level, graph in self.graphs.items()}

    @cached_property
    def matches(self) -> list[tuple[dict[str, str], frozenset[Triple], frozenset[Triple]]]:
        """The matches on the complete graph: nodes, triples, and the removed ones of these."""
        found = []
        for one in counted(self.graphs[0], self.asked):
            triples = frozenset(edge.triple for edge in one.edges)
            found.append((one.nodes, triples, triples & self.contents.removed.keys()))
        return found


def check_rows(
    at: Located,
    contents: Contents,
    graphs: Mapping[int, LabeledGraph],
    findings: Findings,
) -> None:
    """Checks one question."""
    try:
        here = RowQuestion(at, findings, contents, read_pattern(at.row["query"]), graphs)
        _ = here.found
    except ValueError as problem:
        findings.add(at.file, at.line, "query", shown(str(problem)), "a question of the templates")
        return
    check_split(here)
    check_origin(here)
    _check_form(here)
    _check_apart(here)
    for part in idle_parts(graphs[0], here.asked):
        here.add("nothing idle", part, "parts without which something else is asked")
    _check_levels(here)
    _check_hard(here)
    _check_evidence(here)
    for cut in check_patterns(here):
        _check_names(here, cut)
    if here.block["returns"] in NAMED:
        topics = {
            name: {e.relation for e in here.asked.edges if variable in (e.subject, e.object)}
            for variable, name in here.asked.names.items()
        }
        check_telling(here, topics, [_json_row(text)[0] for text in at.row["answers"]])


def _check_form(here: RowQuestion) -> None:
    row, block, asked = here.row, here.block, here.asked
    query = asked.row
    names = [query[key] for key in ("property", "key") if query.get(key)]
    hops = 2 if asked.category in _TWO_STEPS else min(1, len(asked.edges))
    for key, found, expected in (
        ("structure", row["structure"], asked.category),
        ("shape", row["shape"], query["match"]),
        ("hops", row["hops"], hops),
        ("anchors", row["anchors"], sorted({*asked.names.values()})),
        ("match", block["match"], query["match"]),
        ("returns", block["returns"], query["return"]),
        ("family", block["family"], FAMILIES[query["return"]]),
        ("relations", row["relations"], sorted({step.relation for step in asked.edges})),
        ("properties", block["properties"], sorted({f"{asked.types['n']}.{p}" for p in names})),
        ("ordered", block["ordered"], query["return"] in ("n_order_by", "n_argmax")),
    ):
        here.equal(key, found, expected, "the query")


def _json_row(text: str) -> list[Any]:
    row: list[Any] = json.loads(text)
    return row


def _check_apart(here: RowQuestion) -> None:
    """Checks that no match leads back to where it came from, over two statements of one declared fact."""
    facts, steps = here.contents.declared, here.asked.edges
    if len(steps) != 2 or len({facts.reading(step.relation).fact for step in steps}) > 1:
        return
    ends = sorted({steps[0].subject, steps[0].object} ^ {steps[1].subject, steps[1].object})
    for nodes, _, _ in here.matches if facts.declared(steps[0].relation) else ():
        if len(ends) == 2 and {*ends} <= nodes.keys() and nodes[ends[0]] == nodes[ends[1]]:
            here.add(
                "there and back", shown(nodes), f"other nodes for {ends[0]} than for {ends[1]}"
            )
            return


def _check_levels(here: RowQuestion) -> None:
    row, block, whole = here.row, here.block, here.found[0]
    last = block["levels"][-1]
    lost = {*last["lost"]}
    rows = _one_of(whole, block["rows"])
    answers = sorted({*rows})
    here.equal("rows", block["rows"], rows, "the query on the complete graph")
    here.equal("keys", block["keys"], whole.keys, "the query on the complete graph")
    here.equal("tied", block["tied"], whole.tied, "the query on the complete graph")
    here.equal("answers", row["answers"], answers, "the distinct rows")
    stated = [answer for answer in answers if answer not in lost]
    here.equal("stated answers", row["stated"], stated, "the rows that are not lost")
    found = [item["answer"] for item in row["hard"]]
    here.equal("hard answers", found, sorted(lost), "the rows lost at the last level")
    here.equal("spurious answers", row["spurious"], sorted({*last["spurious"]}), "the last level")
    levels = [change["level"] for change in block["levels"]]
    here.equal("levels", levels, here.contents.folder.levels, "manifest")
    for change in block["levels"]:
        if (left := here.found.get(change["level"])) is None:
            continue
        expected = {"rows": len(left.rows), "lost": [], "spurious": []}
        if not {*whole.tied} & {*left.rows, *left.tied}:
            before, after = Counter(rows), Counter(_one_of(left, change["spurious"]))
            expected |= {"lost": sorted((before - after).elements())}
            expected |= {"spurious": sorted((after - before).elements())}
        for key, value in expected.items():
            here.equal(f"{key} at level {change['level']}", change[key], value, "its graph")


def _one_of(found: FoundRows, stated: list[str]) -> list[str]:
    """The rows; of what ties for the greatest or least, the one that is stated."""
    return stated if len(stated) == 1 and stated[0] in found.tied else found.rows


def _check_hard(here: RowQuestion) -> None:
    row, removed = here.row, here.contents.removed
    changes = here.block["levels"]
    for item in row["hard"]:
        level = changes[-1]["level"]
        for change in reversed(changes):
            if item["answer"] not in change["lost"]:
                break
            level = change["level"]
        here.equal("level", item["level"], level, "the levels from which on the row is lost")
        own = [match for match in here.matches if _gives(here, match[0], item["answer"])]
        if not own:
            continue  # rows are another problem
        witness = list(map(as_triple, item["witness"]))
        if here.block["returns"] in _ALL_MATCHES:
            lacks = {triple for match in own for triple in match[2]}
            least = len(lacks)
            fits = witness == sorted(lacks)
        else:
            least = min(len(match[2]) for match in own)
            some = [match[1] for match in own if len(match[2]) == least]
            fits = frozenset(witness) in some and witness == sorted(set(witness))
        here.equal("missing", item["missing"], least, "removed triples that it lacks")
        if not fits:
            here.add("witness", shown(witness), "the triples of a match that lacks least, sorted")
        of_core = [removed[t].row["core"] for t in witness if t in removed]
        core = bool(of_core) and all(of_core)
        here.equal("core", item["core"], core, f"by {REMOVED}")
    best: Row = min(
        row["hard"],
        key=lambda item: (not item["core"], item["missing"], _in_source(here, item["answer"])),
        default={"answer": None, "core": False, "witness": []},
    )
    wanted = "of the core first, then fewest missing, then by its text in the source"
    here.equal("hard answer", row["hard_answer"], best["answer"], wanted)
    here.equal("core", row["core"], best["core"], "as of the hard answer")
    here.equal("evidence", row["evidence"], best["witness"], "witness of the hard answer")


def _in_source(here: RowQuestion, row: str) -> str:
    """A row with the name that its node has in the source."""
    values = _json_row(row)
    known = here.contents.names.entities
    if here.block["returns"] in NAMED and values[0] in known:
        values[0] = known[values[0]].source
    return text_of(values)


def _gives(here: RowQuestion, nodes: dict[str, str], text: str) -> bool:
    """Whether a match has part in a row."""
    row, n = _json_row(text), nodes["n"]
    query, values = here.asked.row, here.graphs[0].values[n]
    if query["return"] == "n_group_by":
        return bool(values.get(query["key"]) == row[0])
    if query["return"] == "n_prop_distinct":
        return bool(values.get(query["property"]) == row[0])
    if query["return"] == "n_prop_array_distinct":
        return row[0] in values.get(query["property"], ())
    return n == row[0] or query["return"] not in NAMED - {"comparison_argmax"}


def _check_evidence(here: RowQuestion) -> None:
    row, removed = here.row, here.contents.removed
    triples = sorted({triple for match in here.matches for triple in match[1]})
    gone = [triple for triple in triples if triple in removed]
    most = here.contents.folder.option(here.row["kind"], "max_evidence")
    plain = [list(triple) for triple in triples]
    evidence = plain if type(most) is not int or len(plain) <= most else row["evidence"]
    rules = sorted({removed[triple].certificates[0][0] for triple in gone})
    for key, found, expected in (
        ("full evidence", row["full_evidence"], evidence),
        ("removed", row["removed"], [list(triple) for triple in gone]),
        ("rules", row["rules"], rules),
    ):
        here.equal(key, found, expected, f"the matches of the query, and {RULES}")


def _check_names(here: RowQuestion, cut: Cut) -> None:
    """Checks that a text names the anchors and no other node of an answer, in every naming."""
    known = here.contents.names.entities
    answers = [_json_row(text)[0] for text in here.row["answers"]]
    hidden = [
        known[name].spelled
        for name in (answers if here.block["returns"] in NAMED else ())
        if isinstance(name, str) and name in known and name not in here.row["anchors"]
    ]
    for number, naming in enumerate(NAMINGS if known.keys() >= {*cut.topics} else ()):
        own = {topic: known[topic].spelled[number] for topic in cut.topics}
        whole = cut.text(own)
        for name in own.values():
            if not occurrences(whole, name):
                found = f"{shown(whole)} (naming {naming})"
                here.add("text names the topic", found, f"{shown(name)} as a whole word")
        # texts have numbers
        secret = [] if naming == "numeric" else [names[number] for names in hidden]
        for name in find_leaks(whole, own.values(), secret):
            # Some towns are called Most or Of; as names they stand where no sentence begins.
            if any(not _opens(whole, low) for low, _ in occurrences(whole, name)):
                found = f"{shown(name)} in {shown(whole)} (naming {naming})"
                here.add("text hides the answers", found, "a text without names of answers")


def _opens(text: str, at: int) -> bool:
    return at == 0 or text[:at].endswith((". ", "? "))
