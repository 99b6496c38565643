"""Measures counted again, against the definition: try every substitution."""

from itertools import product

import pytest

from rulemine.seeds import stream
from rulemine.verify import proofs
from rulemine.verify.graph import Graph, Terms, Triple
from rulemine.verify.proofs import Atom, HornRule
from rulemine.verify.rules import sizes_of


def by_definition(rule: HornRule, facts: set[Triple]) -> dict[str, object]:
    entities = sorted({end for s, _, o in facts for end in (s, o)})
    atoms = (rule.head, *rule.body)
    variables = sorted({t for s, _, o in atoms for t in (s, o)})
    pairs = set()
    for values in product(entities, repeat=len(variables)):
        chosen = dict(zip(variables, values, strict=True))

        def instance(atom: Atom, chosen: dict[int, str] = chosen) -> Triple:
            return (chosen[atom[0]], atom[1], chosen[atom[2]])

        if all(instance(atom) in facts for atom in rule.body):
            pairs.add(instance(rule.head))
    heads = {triple for triple in facts if triple[1] == rule.head[1]}
    ends = [len({triple[place] for triple in heads}) for place in (0, 2)]
    end = 0 if ends[0] >= ends[1] else 2
    having = {triple[end] for triple in heads}
    return {
        "support": len(pairs & heads),
        "body_size": len(pairs),
        "pca_body_size": sum(pair[end] in having for pair in pairs),
        "head_size": len(heads),
        "functional": "?a" if end == 0 else "?b",
    }


@pytest.mark.parametrize("most", [1 << 21, 5])
def test_sizes_are_those_of_the_definition(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "MOST_ROWS", most)  # so that heads are taken in parts
    draw = stream(7, "measures")
    nonzero = 0
    for _ in range(400):
        facts = {
            ("abcd"[draw.below(4)], "rs"[draw.below(2)], "abcd"[draw.below(4)])
            for _ in range(4 + draw.below(10))
        } | {("a", "r", "b"), ("b", "s", "a")}
        terms = 2 + draw.below(3)
        body = [
            (draw.below(terms), "rs"[draw.below(2)], draw.below(terms))
            for _ in range(1 + draw.below(3))
        ]
        head: Atom = (0, "r", 1)
        if {0, 1} - {t for s, _, o in body for t in (s, o)} or not connected(body):
            continue
        rule = HornRule(1, head, tuple(body), {})
        found = sizes_of(rule, Graph.of(facts, Terms()))
        assert found == by_definition(rule, facts), (rule, facts)
        nonzero += int(found["support"]) > 1
    assert nonzero > 20


def connected(body: list[Atom]) -> bool:
    reached, grown = {0}, True
    while grown:
        more = {t for s, _, o in body for t in (s, o) if {s, o} & reached}
        grown, reached = not more <= reached, reached | more
    return all({s, o} & reached for s, _, o in body)
