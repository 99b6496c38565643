"""The removed triples: each can still be proved from the incomplete KG, and what is said of it holds.

Checks for each certificate that its body and what it proves are an instance of its rule, that this is a
removed statement of the fact,
and that the whole body is in the incomplete KG (so no removed triple is in any body); and of the triple,
that all statements of its fact go at one level, and all between its ends where nothing may be restated; its
directions, priors, lifts and core flag; the remaining proofs, the shortest of them and the edges still
stated between its ends; that the rule which selected it still proves it; and that no rule selected more
triples than the per-rule cap.

Unless the selection is the published one (``brink``), a certificate also has no two statements of one fact,
no self-loop and no idle atom: no part of its body proves the head by another rule with at least the same
confidence; and no single edge proves it with as much. That it is the best of all, building again proves.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

from rulemine.verify.contents import Contents
from rulemine.verify.graphs import INCOMPLETE, REMOVED, Removed
from rulemine.verify.proofs import Bindings, bound, match
from rulemine.verify.report import Findings, shown
from rulemine.verify.rules import RULES, HornRule
from rulemine.verify.triples import Triple, member

__all__ = ["CORE_PRIOR", "RemovalChecks", "check_cap"]

CORE_PRIOR = 0.05
"""Highest prior of an answer in the core."""

CLOSE = 1e-9
"""Relative difference of two quotients of the same numbers."""

Proof = tuple[str, tuple[Triple, ...]]
Say = Callable[[str, str, str], None]
"""Adds a problem of one removed triple: invariant, found, expected."""


class _Removals:
    """The contents of a release, with what is looked up for every removed triple."""

    def __init__(self, contents: Contents) -> None:
        self.contents, self.facts, self.brink = contents, contents.facts, contents.brink
        self.removed, self.rules = contents.removed, contents.rules
        most = contents.folder.option("selection", "max_prior")
        self.restated = self.brink or contents.folder.option("questions", "restated") is not False
        self.max_prior = most if type(most) in (int, float) and not self.brink else 1
        self.statements: dict[Triple, list[Triple]] = defaultdict(list)
        for triple in self.removed:
            self.statements[self.facts.of(triple)].append(triple)
        self.proofs: dict[Triple, tuple[int, int]] = {}
        # Relations of head and body → rules.
        self.parts: dict[tuple[str, ...], list[HornRule]] = defaultdict(list)
        for rule in self.rules.values():
            self.parts[_relations(rule.head, rule.body)].append(rule)
        # Relation of the head → rules with one body atom, each with its confidence.
        self.edges: dict[str, list[tuple[float, HornRule]]] = defaultdict(list)
        for rule in self.rules.values():
            if len(rule.body) == 1:
                self.edges[rule.head[1]].append((rule.confidence, rule))


class RemovalChecks:
    """Checks removed triples, and keeps what is looked up for each.

    Args:
        contents: The contents of the release.
    """

    def __init__(self, contents: Contents) -> None:
        self._removals, complete = _Removals(contents), contents.complete
        keys = complete.keys_of(contents.removed)
        self._held = set(complete.triples(keys[member(complete.keys, keys)]))

    def check(self, triples: Iterable[Triple], findings: Findings) -> None:
        """Checks removed triples."""
        removals = self._removals
        for triple in triples:
            record = removals.removed[triple]
            if not record.certificates:  # a triple of missing.jsonl
                continue

            def say(invariant: str, found: str, expected: str, line: int = record.line) -> None:
                findings.add(REMOVED, line, invariant, found, expected)

            _check_certificates(triple, record, removals, say)
            if triple in self._held:
                _check_fact(triple, record, removals, say)
            _check_difficulty(triple, record, removals, say)


def check_cap(contents: Contents, findings: Findings) -> None:
    """Checks that no rule selected more triples than the cap, and counts the certificates."""
    findings.count("certificates", sum(len(r.certificates) for r in contents.removed.values()))
    cap = contents.folder.option("selection", "per_rule")
    if type(cap) is not int:
        return
    used: dict[str, set[tuple[Triple, tuple[Triple, ...]]]] = defaultdict(set)
    for triple, record in contents.removed.items():
        # Statements of one fact are selected together.
        proofs = record.certificates if contents.brink else record.certificates[:1]
        for rule, body in proofs:
            selecting = record.row["selected_by"] or rule
            used[selecting].add((contents.facts.of(triple), body if contents.brink else ()))
    for name, selected in sorted(used.items()):
        if len(selected) > cap and name in contents.rules:
            expected = f"at most {cap} (manifest, config.selection.per_rule)"
            line, found = contents.rules[name].line, f"selected {len(selected)} facts"
            findings.add(RULES, line, "per-rule cap", found, expected)


def _check_certificates(triple: Triple, record: Removed, removals: _Removals, say: Say) -> None:
    certificates = record.certificates
    if len(set(certificates)) != len(certificates):
        say("certificates unique", "a duplicate certificate", "unique certificates")
    if len(certificates) > 1 and not removals.brink:
        say("certificates unique", f"{len(certificates)} certificates", "one")
    heads = removals.statements[removals.facts.of(triple)]
    for head, proof in zip(record.proves, certificates, strict=True):
        if head not in heads:
            say("proves", shown(head), "a removed statement of the fact")
        for problem in certificate_problems(head, *proof, removals.rules):
            say(*problem)
        for other in proof[1]:
            if other not in removals.contents.left:
                why = "which is removed" if other in removals.removed else "which is not in the KG"
                say("body survives", f"{shown(other)}, {why}", f"triples of {INCOMPLETE} only")
        if not removals.brink:
            _check_undecorated(head, proof, removals, say)
            _check_best(heads, proof, removals, say)
    selected = record.row["selected_by"]
    if selected is None:
        return
    rule = removals.rules.get(selected)
    if removals.brink or selected == certificates[0][0]:
        say("selected by", shown(selected), "null, or another rule than the certificate's")
    elif rule is None or not any(removals.contents.prover.ways(rule, head) for head in heads):
        say("selected by", shown(selected), "a rule that still proves the triple")


def certificate_problems(
    head: Triple, rule_id: str, body: Sequence[Triple], rules: Mapping[str, HornRule]
) -> Iterator[tuple[str, str, str]]:
    """Yields the problems of a proof, as (invariant, found, expected)."""
    rule = rules.get(rule_id)
    if rule is None:
        yield "certificate rule", shown(rule_id), f"the id of a rule in {RULES}"
        return
    if head in body:
        yield "head not in body", shown(head), "a body without the head"
    bindings: Bindings = {}
    if len(body) != len(rule.body):
        found, expected = f"{len(body)} triple(s)", f"{len(rule.body)}, as the body of the rule"
        yield "instance of its rule", found, expected
    elif not match(rule.head, head, bindings):
        yield "instance of its rule", shown(head), f"an instance of the head of rule {rule_id}"
    else:
        for number, (atom, triple) in enumerate(zip(rule.body, body, strict=True), start=1):
            if not match(atom, triple, bindings):
                expected = f"an instance of body atom {number} of rule {rule_id}, same substitution"
                yield "instance of its rule", shown(triple), expected
                break


def _check_best(heads: list[Triple], proof: Proof, removals: _Removals, say: Say) -> None:
    """Checks that no single edge between two entities proves the triple with as much confidence."""
    prover, own = removals.contents.prover, removals.rules.get(proof[0])
    if own is None:
        return
    for head in heads:
        for confidence, rule in removals.edges.get(head[1], ()):
            better = (confidence, len(proof[1])) > (own.confidence, 1)
            bindings: Bindings = {}
            if not better or not match(rule.head, head, bindings):
                continue
            s, _, o = bound(rule.body[0], bindings)
            if s != o and prover.ways(rule, head):
                found, expected = f"rule {rule.row['id']} proves it too", "the best proof"
                say("best proof", f"{found}, with confidence {confidence}", expected)


def _check_undecorated(head: Triple, proof: Proof, removals: _Removals, say: Say) -> None:
    name, body = proof
    stated = [removals.facts.of(other) for other in (head, *body)]
    if len(set(stated)) != len(stated):
        say("decoration", shown(body), "each fact once, and not that of the head")
    if any(s == o for s, _, o in body):
        say("decoration", shown(body), "no self-loop")
    rule = removals.rules.get(name)
    if rule is None or len(body) > len(rule.body):
        return
    for size in range(1, len(body)):
        for part in combinations(body, size):
            for other in removals.parts.get(_relations(head, part), ()):
                if other.confidence >= rule.confidence and _proves(other, head, part):
                    found = f"{shown(part)} proves it by rule {other.row['id']}"
                    say("decoration", found, "no idle atom")


def _proves(rule: HornRule, head: Triple, part: Sequence[Triple]) -> bool:
    """Whether triples are an instance of the body of a rule, in any order."""
    for order in permutations(part):
        bindings: Bindings = {}
        if match(rule.head, head, bindings) and all(
            match(atom, triple, bindings) for atom, triple in zip(rule.body, order, strict=True)
        ):
            return True
    return False


def _relations(head: Sequence[object], body: Iterable[Sequence[object]]) -> tuple[str, ...]:
    return (str(head[1]), *sorted(str(atom[1]) for atom in body))


def _check_fact(triple: Triple, record: Removed, removals: _Removals, say: Say) -> None:
    """Statements, directions, prior and core."""
    if triple[1] in removals.contents.folder.manifest["kg"].get("dropped", {}):
        say("excluded relations", shown(triple), "no triple of an excluded relation")
    if triple[0] == triple[2] and not removals.brink:
        say("self-loop", shown(triple), "two entities")
    for other in removals.facts.statements(triple):
        if other in removals.contents.known:
            gone = removals.removed.get(other)
            if gone is None or gone.level != record.level:
                at = "never" if gone is None else f"at level {gone.level}"
                say("statements of a fact", f"{shown(other)} removed {at}", f"level {record.level}")
    row, stated = record.row, record.row["difficulty"]
    priors = removals.contents.priors.of(triple)
    for end, prior in priors.items():
        if abs(stated["prior"][end] - prior) > CLOSE * prior:
            say("prior", f"{end} {stated['prior'][end]}", f"{prior}, counted on the complete KG")
        lift = stated["std_confidence"] / prior
        if abs(stated["lift"][end] - lift) > CLOSE * lift:
            say("lift", f"{end} {stated['lift'][end]}", f"{lift} = std_confidence / prior")
    allowed = [end for end in priors if priors[end] <= removals.max_prior]
    if row["directions"] != allowed:
        expected = f"{allowed}: prior at most {removals.max_prior} (manifest, config)"
        say("directions", shown(row["directions"]), expected)
    if not removals.restated and (left := _left_between(triple, record, removals)):
        say("restated", shown(left), "no triple that stays between its two ends (manifest, config)")
    core = _is_core(triple, record, priors, removals)
    if row["core"] != core:
        say("core", shown(row["core"]), shown(core))


def _left_between(triple: Triple, record: Removed, removals: _Removals) -> list[Triple]:
    """The triples between the two ends of a removed one that stay at its level, sorted."""
    s, _, o = triple
    between = {(s, r, o) for r in removals.contents.complete.between(s, o)}
    between |= {(o, r, s) for r in removals.contents.complete.between(o, s)}
    gone = removals.removed
    return sorted(t for t in between if t not in gone or gone[t].level > record.level)


def _is_core(
    triple: Triple, record: Removed, priors: dict[str, float], removals: _Removals
) -> bool:
    """Nothing joins the two ends any more, and the proof is sound enough."""
    if any(priors[end] > CORE_PRIOR for end in record.row["directions"]):
        return False
    if _left_between(triple, record, removals):
        return False
    problems: list[str] = []
    if removals.brink:
        _check_undecorated(
            triple, record.certificates[0], removals, lambda what, *_: problems.append(what)
        )
    return not problems


def _check_difficulty(triple: Triple, record: Removed, removals: _Removals, say: Say) -> None:
    stated, (s, _, o) = record.row["difficulty"], triple
    fact = removals.facts.of(triple)
    if fact not in removals.proofs:
        found = [removals.contents.prover.prove(head) for head in removals.statements[fact]]
        shortest = min((proofs.shortest for proofs in found if proofs.ways), default=0)
        removals.proofs[fact] = sum(proofs.ways for proofs in found), shortest
    ways, shortest = removals.proofs[fact]
    expected = {
        "proofs": ways,
        "shortest_proof": shortest,
        "inverse_edge": sorted(removals.contents.incomplete.between(o, s)),
        "parallel_edge": sorted(removals.contents.incomplete.between(s, o)),
    }
    if (rule := removals.rules.get(record.certificates[0][0])) is not None:
        expected |= rule.measures
    for key, value in expected.items():
        if stated[key] != value:
            say(key.replace("_", " "), shown(stated[key]), shown(value))
