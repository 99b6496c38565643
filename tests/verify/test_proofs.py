"""The matcher against the definition: try every substitution."""

from itertools import product

from rulemine.seeds import stream
from rulemine.verify.graph import Graph, Terms, Triple
from rulemine.verify.proofs import Atom, HornRule, Prover, match


def all_proofs(head: Atom, body: list[Atom], triple: Triple, facts: set[Triple]) -> int:
    entities = sorted({end for s, _, o in facts for end in (s, o)} | {triple[0], triple[2]})
    variables = sorted({t for s, _, o in (head, *body) for t in (s, o)})
    found = 0
    for values in product(entities, repeat=len(variables)):
        chosen = dict(zip(variables, values, strict=True))

        def instance(atom: Atom, chosen: dict[int, str] = chosen) -> Triple:
            return (chosen[atom[0]], atom[1], chosen[atom[2]])

        found += instance(head) == triple and all(instance(atom) in facts for atom in body)
    return found


def connected(head: Atom, body: list[Atom]) -> bool:
    reached = {head[0], head[2]}
    for _ in body:
        reached |= {t for s, _, o in body for t in (s, o) if {s, o} & reached}
    return all({s, o} <= reached for s, _, o in body)


def test_counts_are_those_of_the_definition() -> None:
    draw = stream(3, "proofs")
    nonzero = 0
    for _ in range(300):
        facts = {
            ("abcd"[draw.below(4)], "rs"[draw.below(2)], "abcd"[draw.below(4)])
            for _ in range(4 + draw.below(12))
        }
        free = draw.below(3)

        def term(free: int = free) -> int:
            return draw.below(2 + free)

        body: list[Atom] = [(term(), "rs"[draw.below(2)], term()) for _ in range(1 + draw.below(3))]
        head: Atom = (0, "r", draw.below(2))
        if {*head[::2]} - {t for s, _, o in body for t in (s, o)} or not connected(head, body):
            continue
        prover = Prover([HornRule(1, head, tuple(body), {})], Graph.of(facts, Terms()))
        asked = [(s, "r", o) for s in "abcd" for o in "abcd"]
        proved = prover.prove_all(asked)
        for triple in asked:
            expected = all_proofs(head, body, triple, facts)
            assert proved[triple].ways == expected, (head, body, triple, facts)
            nonzero += expected > 1
    assert nonzero > 50


def test_the_prover_adds_up_rules() -> None:
    facts = {("a", "s", "b"), ("a", "r", "c"), ("c", "r", "b"), ("a", "r", "d"), ("d", "r", "b")}
    rules = [
        HornRule(1, (0, "t", 1), ((0, "r", 2), (2, "r", 1)), {}),
        HornRule(2, (0, "t", 1), ((0, "s", 1),), {}),
        HornRule(3, (0, "u", 1), ((0, "s", 1),), {}),
    ]
    prover = Prover(rules, Graph.of(facts, Terms()))
    found = prover.prove_all([("a", "t", "b"), ("c", "t", "b"), ("nobody", "t", "b")])
    assert [*found.values()] == [(3, rules[:2]), (0, []), (0, [])]


def test_a_matched_atom_keeps_to_earlier_bindings() -> None:
    bindings = {0: "a"}
    assert match((0, "r", 2), ("a", "r", "b"), bindings)
    assert bindings == {0: "a", 2: "b"}
    assert not match((0, "r", 2), ("a", "r", "c"), dict(bindings))
    assert not match((0, "s", 2), ("a", "r", "b"), dict(bindings))
    assert not match((2, "r", 2), ("a", "r", "b"), {})
