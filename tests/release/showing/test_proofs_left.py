"""Remaining proofs one by one, against trying every body, and what is said of the best."""

from itertools import product

import pytest

from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.atom import Atom
from rulemine.release.records import Certificate
from rulemine.release.showing.proofs_left import Proof, ProofsLeft, why_best
from rulemine.rules.rule import Rule
from rulemine.seeds import stream
from tests import some_seeds
from tests.release.by_hand import rule

RULES = [
    rule("r1(x,y) ⇒ r0(x,y)", 4, 10),
    rule("r0(y,x) ⇒ r0(x,y)", 3, 10),
    rule("r1(x,z) ∧ r2(z,y) ⇒ r0(x,y)", 5, 10),
    rule("r1(x,z) ∧ r1(z,y) ⇒ r0(x,y)", 9, 10),
    rule("r1(x,z) ∧ r2(z,w) ∧ r1(w,y) ⇒ r0(x,y)", 8, 10),
    rule("r2(x,z) ∧ r0(z,y) ⇒ r3(x,y)", 7, 10),
]


def heading(relation):
    return [rule for rule in RULES if rule.head.relation == relation]


def brute_force(kg, removed, declared, triple):
    """All bodies of all rules over the triples that are left, one after another."""
    facts = dict(zip(kg.labeled(), facts_of(kg, declared).tolist(), strict=True))
    left = [t for t in facts if t not in removed]
    heads = [t for t in removed if facts[t] == facts[triple]]
    found = set()
    for r in RULES:
        for body in product(*([t for t in left if t[1] == a.relation] for a in r.body)):
            for s, relation, o in heads:
                names = {0: s, 1: o}
                if relation == r.head.relation and all(
                    names.setdefault(a.subject, t[0]) == t[0]
                    and names.setdefault(a.object, t[2]) == t[2]
                    for a, t in zip(r.body, body, strict=True)
                ):
                    found.add((r, body))
    plain = [
        (r, body)
        for r, body in found
        if all(s != o for s, _, o in body) and len({facts[t] for t in body}) == len(body)
    ]
    return {
        (r.id, body)
        for r, body in plain
        if not any(
            set(other) < set(body) and q.known.std_confidence >= r.known.std_confidence
            for q, other in plain
        )
    }


@pytest.mark.parametrize("seed", some_seeds(8))
def test_the_proofs_are_those_of_brute_force(seed: int) -> None:
    draw = stream(seed, "proofs left")
    triples = {(f"n{draw.below(5)}", f"r{draw.below(4)}", f"n{draw.below(5)}") for _ in range(60)}
    kg = KnowledgeGraph.from_triples(sorted(triples))
    declared = Declarations.of(symmetric=["r2"], inverse=[("r0", "r3")] if seed % 2 else [])
    facts = facts_of(kg, declared).tolist()
    heads = [f for f, t in zip(facts, kg.labeled(), strict=True) if t[1] in ("r0", "r3")]
    gone = {fact for fact in heads if draw.below(3) == 0}
    removed = [t for t, fact in zip(kg.labeled(), facts, strict=True) if fact in gone]
    left = ProofsLeft(kg, removed, heading, declared)
    assert sum(len(left.of(triple)) for triple in removed) > 3
    for triple in removed:
        found = {(proof.rule.id, proof.body) for proof in left.of(triple)}
        assert found == brute_force(kg, set(removed), declared, triple)


def test_a_triple_that_was_not_removed_has_no_remaining_proof() -> None:
    kg = KnowledgeGraph.from_triples([("a", "r1", "b"), ("a", "r0", "b")])
    left = ProofsLeft(kg, [("a", "r0", "b")], heading, Declarations())
    assert len(left.of(("a", "r0", "b"))) == 1
    assert left.of(("a", "r1", "b")) == left.of(("a", "r0", "zoe")) == []


def proof(confidence: int, atoms: int, name: str = "r") -> Proof:
    body = tuple(Atom(0, f"{name}{i}", 1) for i in range(atoms))
    made = Rule(Atom(0, "head", 1), body, rule("a(x,y) ⇒ b(x,y)", confidence, 100).measures)
    return Proof(made, tuple(("a", f"{name}{i}", "b") for i in range(atoms)))


@pytest.mark.parametrize(
    ("proofs", "said"),
    [
        ([proof(80, 1)], "It is the only one."),
        (
            [proof(80, 2), proof(40, 1)],
            "It has the best confidence, 0.80; the other one is more than 0.1 below.",
        ),
        (
            [proof(78, 1), proof(83, 2), proof(75, 3), proof(20, 1, "s")],
            "It is the shortest of 3 proofs within 0.1 of the best confidence, 0.83.",
        ),
        (
            [proof(83, 2), proof(80, 2, "s"), proof(80, 3)],
            "It has the highest confidence among the 2 shortest of the 3 proofs within 0.1 of the best "
            "confidence, 0.83.",
        ),
        (
            [proof(83, 2), proof(83, 2, "s")],
            "It shares the highest confidence among the 2 equally short proofs within 0.1 of the best "
            "confidence, 0.83, with 1 more.",
        ),
        (
            [proof(70, 1), proof(90, 2)],
            "It is not the best that remains: r0(x,y) ∧ r1(x,y) ⇒ head(x,y) proves the triple with a "
            "confidence of 0.90.",
        ),
    ],
)
def test_why_the_first_is_the_best(proofs: list[Proof], said: str) -> None:
    certificate = Certificate(proofs[0].rule.id, ("a", "head", "b"), proofs[0].body)
    assert why_best(certificate, proofs) == said
    assert why_best(certificate, proofs[::-1]) == said


def test_without_any_proof_nothing_is_compared() -> None:
    assert (
        why_best(Certificate("r", ("a", "head", "b"), ()), [])
        == "No other proof remains to compare it with."
    )
