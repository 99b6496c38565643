"""The verifier's statements and priors against those of the builder, on random graphs and declarations."""

import random

from rulemine.kg.facts import Declarations, facts_of, priors
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.verify.graph import Facts, Graph, Priors, Terms
from tests import each, some_seeds

RELATIONS = ("a", "b", "c", "d", "e")


def declared(rng: random.Random) -> Declarations:
    def pairs(n: int) -> list[tuple[str, str]]:
        return [(rng.choice(RELATIONS), rng.choice(RELATIONS)) for _ in range(rng.randrange(n))]

    return Declarations.of(rng.sample(RELATIONS, rng.randrange(2)), pairs(3), pairs(3))


def verifiers(declarations: Declarations) -> Facts:
    rows = {}
    for relation in RELATIONS:
        fact, *flags = declarations[relation]
        turned, both = ("yes" if flag else "" for flag in flags)
        rows[relation] = {"fact": fact, "reversed": turned, "symmetric": both}
    return Facts(rows)


@each("seed", some_seeds(60))
def test_statements_facts_and_priors_agree_with_the_builder(seed: int) -> None:
    rng = random.Random(seed)
    declarations = declared(rng)
    facts = verifiers(declarations)
    for relation in RELATIONS:
        for end in DIRECTIONS:
            assert facts.ways(relation, end) == list(declarations.statements(relation, end))
    kg = KnowledgeGraph.from_triples(
        (rng.choice("uvwxyz"), rng.choice(RELATIONS), rng.choice("uvwxyz")) for _ in range(40)
    )
    triples, numbers = kg.labeled(), facts_of(kg, declarations).tolist()
    own = Priors(Graph.of(triples, Terms()), facts)
    for triple, number, expected in zip(
        triples, numbers, priors(kg, declarations).tolist(), strict=True
    ):
        alike = [t for t, n in zip(triples, numbers, strict=True) if n == number]
        assert {facts.of(t) for t in alike} == {facts.of(triple)}
        assert [t for t in facts.statements(triple) if t in triples] == sorted(alike)
        assert own.of(triple) == dict(zip(DIRECTIONS, expected, strict=True))


def test_priors_by_hand() -> None:
    facts = Facts({"spouse": {"fact": "spouse", "reversed": "", "symmetric": "yes"}})
    # The topics are a, b, c; c is the answer for two of them.
    triples = [("a", "spouse", "c"), ("c", "spouse", "b"), ("b", "spouse", "c")]
    graph = Graph.of(triples, Terms())
    found = Priors(graph, facts)
    assert found.of(("a", "spouse", "c")) == {"subject": 1 / 3, "object": 2 / 3}
    assert sorted(found.answers_each("spouse", "object")) == [1, 1, 2]
    assert Priors(graph, Facts({})).of(("a", "spouse", "c")) == {"subject": 1 / 2, "object": 2 / 3}
