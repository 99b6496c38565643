"""The rules: their form and thresholds, and their measures, counted again on the graph they were mined from.

Checks that every rule is closed, connected and safe; that its measures fit together and reach the thresholds
of the selection and the standards of proof; and that no body has a relation that is kept out. Of the rules
behind published proofs all of one and two body atoms and a sample of longer ones are counted by joins, of the
others all on a small graph, else a sample; or all. Type and readable form follow, and are written again.
"""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rulemine.verify.contents import Contents, Record
from rulemine.verify.graph import Graph, distinct, member, packed
from rulemine.verify.names import sure_fraction
from rulemine.verify.proofs import HornRule, substitutions
from rulemine.verify.removals import proofs_of

__all__ = ["check_rules", "count_rules", "is_formed", "sizes_of"]

RULES = "rules.jsonl"

LARGE, SMALL, SAMPLE = 3, 100_000, 200
"""Body atoms of a long rule; triples of a graph on which all rules are counted; rules of a sample."""

MOST_BODY_ATOMS = 7
"""The longest body: no miner here writes longer ones, and to look for their idle atoms would take forever."""

_SIZES = {
    "head_coverage": "head_size", "std_confidence": "body_size", "pca_confidence": "pca_body_size",
}  # fmt: skip


def check_rules(contents: Contents) -> None:
    """Checks form, measures and thresholds of all rules."""
    rules, removes = contents.rules, contents.option("selection", "mode") != "none"
    if removes != bool(rules):
        contents.findings.add(
            RULES, None, "rules", str(len(rules)), "some where triples are selected"
        )
    for at in contents.records(RULES):
        rule, row = rules[at.row["id"]], at.row
        support, pca, body = row["support"], row["pca_body_size"], row["body_size"]
        in_order = 0 < support <= pca <= body and support <= row["head_size"]
        relations = {relation for _, relation, _ in (rule.head, *rule.body)}
        variables = {v for s, _, o in (rule.head, *rule.body) for v in (s, o)}
        claims = [
            ("rules unique", at.line, rule.line),
            ("rule form", is_formed(rule), True),
            ("variables", sorted(variables), [*range(len(variables))]),
            ("names", sorted(relations - contents.relations.keys()), []),
            ("support ≤ PCA body size ≤ body size, support ≤ head size", in_order, True),
            *(("measures", row[name], support / (row[size] or 1)) for name, size in _SIZES.items()),
        ]
        if in_order and not contents.brink:
            claims += _thresholds(contents, rule)
        for what, found, expected in claims:
            contents.equal(at, what, found, expected)
    contents.findings.checked["rules"] += len(rules)


def _thresholds(contents: Contents, rule: HornRule) -> Iterator[tuple[str, Any, Any]]:
    """Yields (invariant, found, expected) for each threshold of the selection and the standards of proof."""
    least, head = list[float](), rule.head[1]
    bodies = {relation for _, relation, _ in rule.body}
    for one in contents.manifest["kg"].get("standards", ()):
        only, some = {*one["body_only"]} or bodies, {*one["body_any"]} or bodies
        if head not in one["head_not"] and head in (one["head"] or [head]):
            least += [one["min_std_confidence"]] if bodies <= only and bodies & some else []
    yield "thresholds", [one for one in least if rule.confidence < one], []
    sure = sure_fraction(rule.row["support"], rule.row["body_size"])
    wanted = contents.option("selection", "min_sure_confidence") or 0
    yield "thresholds", sure < wanted - 1e-9, False  # roots differ in last bits
    yield "thresholds", sorted(contents.dropped & bodies), []


def is_formed(rule: HornRule) -> bool:
    """Whether a rule is closed, connected and safe, and not too long."""
    head, body = rule.head, rule.body
    times = Counter(v for s, _, o in (head, *body) for v in {s, o})
    reached = {*head[::2]}
    for _ in body:
        reached |= {v for s, _, o in body if {s, o} & reached for v in (s, o)}
    closed = min(times.values()) > 1 and reached == times.keys()
    short = 1 <= len(body) <= MOST_BODY_ATOMS and head not in body
    return closed and short and head[::2] in ((0, 1), (0, 0))


def count_rules(contents: Contents, thorough: bool) -> None:
    """Counts rules by joins, and compares; a note says which are not counted."""
    rules, findings, drawn = contents.rules, contents.findings, random.Random(0)  # noqa: S311
    if contents.config.get("rules"):
        return findings.notes.append(
            "rules that the recipe took from a file have measures of their own: not counted"
        )
    published = {name for at in contents.removed.values() for _, name, _ in proofs_of(at)}
    long = sorted(name for name in published & rules.keys() if len(rules[name].body) >= LARGE)
    others = sorted(rules.keys() - published) if len(contents.mined) > SMALL else []
    left = [
        {*some}.difference(some if thorough else drawn.sample(some, min(len(some), SAMPLE)))
        for some in (long, others)
    ]
    if any(left):
        findings.notes.append(
            f"supports not counted again of rules: {len(left[0]):,} long ones behind published proofs and "
            f"{len(left[1]):,} behind none (--thorough)"
        )
    for name in sorted(rules.keys() - left[0] - left[1]):
        rule, counted = rules[name], sizes_of(rules[name], contents.mined)
        stated = {key: rule.row[key] for key in counted}
        at = Record(RULES, rule.line, rule.row)
        contents.equal(at, "measures", stated, counted, "counted on the graph")
        findings.checked["rules counted again"] += 1
    return None


def sizes_of(rule: HornRule, graph: Graph) -> dict[str, Any]:
    """Counts a rule; the functional variable is that of the end with more entities, or the subject."""
    subject, relation, target = rule.head
    heads, ends = graph.pairs(relation), [distinct(graph.pairs(relation, i) >> 32) for i in (0, 1)]
    functional = int(len(ends[1]) > len(ends[0]))
    ends_of_first = [
        distinct(graph.pairs(atom[1], side) >> 32)
        for atom in rule.body
        for side in (0, 1)
        if atom[2 * side] == subject
    ]
    firsts = min(ends_of_first, key=len)
    body = pca = support = 0
    for table in substitutions(rule.body, {subject: firsts}, {subject, target}, graph):
        pairs = packed(table[subject], table[target])
        body += len(pairs)
        pca += int(member(ends[functional], table[(subject, target)[functional]]).sum())
        support += int(member(heads, pairs).sum())
    return {
        "support": support, "body_size": body, "pca_body_size": pca, "head_size": len(heads),
        "functional": ("?a", "?b")[functional],
    }  # fmt: skip
