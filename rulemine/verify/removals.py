"""The graphs and the removed triples: each can still be proved from the incomplete graph, as is said of it.

Checks that the incomplete graph of each level is the complete one without what is removed up to it, and how
much that is. Of each certificate, that it is an instance of its rule with the whole body in the incomplete
graph (so no removed triple is in any body), and unless the selection is the published one (``brink``) that it
has no two statements of one fact, no self-loop and no idle atom: no part of the body proves the triple by
another rule with as much confidence, nor does a single edge. Of each removed triple, that all statements of
its fact go at one level, and all between its ends where nothing may be restated; its directions, priors,
lifts, core flag, remaining proofs and the edges left between its ends; that the rule which selected it still
proves it; and that no rule selected more than the cap. That a certificate is the best of all, building again
proves.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

from rulemine.verify.contents import Contents, Record, as_triple
from rulemine.verify.graph import Graph, Triple, blocks
from rulemine.verify.proofs import HornRule, Proofs, match
from rulemine.verify.report import shown

__all__ = ["CORE_PRIOR", "RemovalChecks", "check_cap", "check_graphs", "proofs_of"]

CORE_PRIOR = 0.05
"""Highest prior of an answer in the core."""

Body = tuple[Triple, ...]


def check_graphs(contents: Contents) -> None:
    """Checks the incomplete graph of each level, and what is removed."""
    complete, removed, findings = contents.complete, contents.removed, contents.findings
    for at in contents.removals:
        triple, level = as_triple(at.row["triple"]), at.row["level"]
        if triple not in complete or removed[triple] is not at or not 1 <= level <= 100:
            contents.wrong(
                at, "removed ⊆ complete", triple, "in it, once, at a level from 1 to 100"
            )
    units = Counter(frozenset((s, o)) for s, _, o in removed)
    most = max(units.values(), default=1)  # all removed triples between two entities go together
    for level in contents.release.levels:
        gone = [triple for triple, at in removed.items() if at.row["level"] <= level]
        exact = len(removed) * level / 100
        if removed and abs(len(gone) - max(1.0, exact)) > most:
            found = f"{len(gone)} of {len(removed)} triples removed at level {level}"
            findings.add("removed.jsonl", None, "level size", found, f"{exact:.1f}, within {most}")
        name = "incomplete" if level == 100 else f"incomplete-{level}"
        if contents.has(f"kg/{name}.tsv.gz") and not _is_left(contents, name, gone):
            left, rest = contents.graph(name), complete - Graph.of(gone, contents.terms)
            more, less = [("has", *t) for t in left - rest], [("lacks", *t) for t in rest - left]
            if other := more[:2] + less[:2]:  # and not their order alone
                findings.add(
                    f"kg/{name}.tsv.gz",
                    None,
                    "incomplete = complete − removed",
                    shown(other),
                    "nothing too much or too little",
                )
    findings.checked["triples"] += len(complete)
    findings.checked["removed triples"] += len(removed)


def _is_left(contents: Contents, name: str, gone: Collection[Triple]) -> bool:
    """Whether a graph has the lines of the complete one without some, which is faster told than read."""
    lines, digest = {"\t".join(triple).encode() for triple in gone}, hashlib.sha256()
    for block in blocks(contents.release.folder / "kg/complete.tsv.gz"):
        kept = [line + b"\n" for line in block.split(b"\n") if line and line not in lines]
        digest.update(b"".join(kept))
    stated = contents.manifest["files"].get(f"kg/{name}.tsv.gz", {}).get("sha256")
    return bool(stated == digest.hexdigest())


def check_cap(contents: Contents) -> None:
    """Checks that no rule selected more triples than the cap, and counts the proofs."""
    cap: Any = None if contents.given else contents.option("selection", "per_rule")
    used = defaultdict[str, set[Any]](set)
    for triple, at in contents.removed.items():
        proofs = proofs_of(at)
        contents.findings.checked["proofs"] += len(proofs)
        for _, rule, body in proofs if contents.brink else proofs[:1]:
            own = body if contents.brink else ()  # statements of one fact are selected together
            used[at.row["selected_by"] or rule].add((contents.facts.of(triple), own))
    for name in used.keys() & contents.rules.keys() if type(cap) is int else ():
        if len(used[name]) > cap:
            at = Record("rules.jsonl", contents.rules[name].line, {})
            contents.wrong(
                at, "per-rule cap", len(used[name]), f"at most {cap} (selection.per_rule)"
            )


def proofs_of(at: Record) -> list[tuple[Triple, str, Body]]:
    """What each certificate proves, the id of its rule, and its body, the published one first."""
    row = at.row  # in missing.jsonl there are none
    return [
        (as_triple(one["proves"]), one["rule"], tuple(map(as_triple, one["body"])))
        for one in ([row["certificate"], *row["further_certificates"]] if "core" in row else ())
    ]


class RemovalChecks:
    """Checks removed triples, and keeps what is looked up for each.

    Args:
        contents: The contents of the release.
    """

    def __init__(self, contents: Contents) -> None:
        self._contents, self._facts = contents, contents.facts
        # Fact → its removed statements; relations of head and body → rules.
        self._statements = defaultdict[Triple, list[Triple]](list)
        for triple in contents.removed:
            self._statements[self._facts.of(triple)].append(triple)
        self._alike = defaultdict[tuple[str, ...], list[HornRule]](list)
        for rule in contents.rules.values():
            self._alike[_relations(rule.head, rule.body)].append(rule)

    def check(self, triples: Sequence[Triple]) -> None:
        """Checks removed triples."""
        contents = self._contents
        proved = [triple for triple in triples if "core" in contents.removed[triple].row]
        heads = {triple: self._statements[self._facts.of(triple)] for triple in proved}
        counted = contents.prover.prove_all(head for own in heads.values() for head in own)
        for triple in proved:
            at, left = contents.removed[triple], {head: counted[head] for head in heads[triple]}
            claims = [*self._certificates(left, at), *self._difficulty(left.values(), at)]
            if triple in contents.complete:
                claims += self._fact(triple, at)
            for what, found, expected in claims:
                contents.equal(at, what, found, expected)

    def _certificates(
        self, left: dict[Triple, Proofs], at: Record
    ) -> Iterator[tuple[str, Any, Any]]:
        """What is wrong with each certificate, which is nothing, by the name of the invariant."""
        proofs, brink, selected = proofs_of(at), self._contents.brink, at.row["selected_by"]
        yield "certificates unique", len(proofs), len({*proofs} if brink else proofs[:1])
        rules = {rule.row["id"]: rule for own in left.values() for rule in own.rules}
        for head, name, body in proofs:
            rule = self._contents.rules.get(name)
            yield "proves", [head] if head not in left else [], []
            yield "instance of its rule", rule is not None and is_instance(rule, head, body), True
            yield "body survives", [t for t in body if t not in self._contents.incomplete], []
            if rule and not brink:
                yield "decoration", [*self._decorations(head, rule, body)], []
                better = [
                    other.row["id"]
                    for other in rules.values()
                    if len(other.body) == 1 and (other.confidence, len(body)) > (rule.confidence, 1)
                ]
                yield "best proof", better if head[0] != head[2] else [], []
        others = set() if brink else {*rules} - {proofs[0][1]}
        yield "selected by", [*{selected} - {None, *others}], []

    def _decorations(self, head: Triple, rule: HornRule, body: Body) -> Iterator[Any]:
        """Two statements of one fact, a self-loop, and parts that prove as much by another rule."""
        if len({self._facts.of(t) for t in (head, *body)}) <= len(body):
            yield "a fact again"
        yield from (triple for triple in body if triple[0] == triple[2])
        for size in range(1, min(len(body), len(rule.body))):
            for part in combinations(body, size):
                for other in self._alike.get(_relations(head, part), ()):
                    orders = permutations(part) if other.confidence >= rule.confidence else ()
                    if any(is_instance(other, head, order) for order in orders):
                        yield other.row["id"], part

    def _difficulty(self, left: Any, at: Record) -> Iterator[tuple[str, Any, Any]]:
        stated, rule = at.row["difficulty"], self._contents.rules.get(proofs_of(at)[0][1])
        yield "proofs", stated["proofs"], sum(proofs.ways for proofs in left)
        lengths = (len(one.body) for proofs in left for one in proofs.rules)
        yield "shortest proof", stated["shortest_proof"], min(lengths, default=0)
        for measure in ("head_coverage", "std_confidence", "pca_confidence") if rule else ():
            yield measure.replace("_", " "), stated[measure], rule.row[measure]  # type: ignore[union-attr]

    def _fact(self, triple: Triple, at: Record) -> Iterator[tuple[str, Any, Any]]:
        """Checks statements, directions, priors, core, and the edges left between its ends."""
        contents, (s, relation, o) = self._contents, triple
        row, stated, removed, level = (
            at.row,
            at.row["difficulty"],
            contents.removed,
            at.row["level"],
        )
        yield "excluded", relation in contents.dropped or (s == o and not contents.brink), False
        levels = {
            other: removed[other].row["level"] if other in removed else None
            for other in self._facts.statements(triple)
            if other in contents.complete
        }
        yield "statements of a fact", levels, dict.fromkeys(levels, level)
        priors, most = contents.priors.of(triple), contents.option("selection", "max_prior")
        yield "prior", stated["prior"], priors
        lifts = {end: stated["std_confidence"] / prior for end, prior in priors.items()}
        yield "lift", stated["lift"], lifts
        allowed = [end for end in priors if contents.brink or priors[end] <= (most or 1)]
        yield "directions", row["directions"], allowed
        edges = [(s, r, o) for r in contents.complete.between(s, o)]
        back = [(o, r, s) for r in contents.complete.between(o, s)]
        left = [t for t in edges + back if t not in removed or removed[t].row["level"] > level]
        if not contents.brink and contents.option("questions", "restated") is False:
            yield "restated", left, []
        core = not left and all(priors[end] <= CORE_PRIOR for end in row["directions"])
        head, name, body = proofs_of(at)[0]
        if core and contents.brink and name in contents.rules:
            core = not [*self._decorations(head, contents.rules[name], body)]
        yield "core", row["core"], core
        yield "inverse edge", stated["inverse_edge"], [t[1] for t in back if t not in removed]
        yield "parallel edge", stated["parallel_edge"], [t[1] for t in edges if t not in removed]


def is_instance(rule: HornRule, head: Triple, body: Sequence[Triple]) -> bool:
    """Whether triples are what a rule and its body say, in this order."""
    bindings: dict[int, str] = {}
    pairs = zip((rule.head, *rule.body), (head, *body), strict=False)
    return len(body) == len(rule.body) and all(match(a, t, bindings) for a, t in pairs)


def _relations(head: Sequence[object], body: Sequence[Sequence[object]]) -> tuple[str, ...]:
    return str(head[1]), *sorted(str(atom[1]) for atom in body)
