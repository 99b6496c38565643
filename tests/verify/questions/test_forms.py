"""The verifier's links, shape codes and smaller queries against the builder's, and by hand."""

from random import Random

import pytest

from checks.oracles.queries import random_query, random_world
from rulemine.kg.facts import Declarations
from rulemine.query import evaluate, parse
from rulemine.query.links import expanded
from rulemine.query.links import smaller as smaller_queries
from rulemine.query.structures import STRUCTURES as NAMED
from rulemine.query.structures import Structure, structure_of
from rulemine.verify.graph import Facts, Graph, Terms
from rulemine.verify.questions.asked import STRUCTURES, form_of, leaves, linked, smaller
from rulemine.verify.questions.queries import LINK, answers, nodes, read
from tests import each

DECLARED = Declarations.of(symmetric=["spouse"], inverse=[("child", "parent")])


def facts_of(declared: Declarations) -> Facts:
    rows = {}
    for name, (fact, *flags) in declared.readings.items():
        turned, both = ("yes" * flag for flag in flags)
        rows[name] = {"fact": fact, "reversed": turned, "symmetric": both}
    return Facts(rows)


def form(expected: Structure) -> tuple[str, str, int, list[str]]:
    return expected.name, expected.shape, expected.hops, [*expected.anchors]


@each("block", range(2))
def test_forms_and_smaller_queries_are_those_of_the_builder(block: int) -> None:
    shapes = set()
    for seed in range(12 * block, 12 * block + 12):
        world, rng = random_world(seed, 12), Random(seed)
        relations = world.kg.relations
        pairs = [(relations[0], relations[-1])] * (seed % 3 > 0)
        declared = Declarations.of(symmetric=relations[2 : 2 + seed % 2], inverse=pairs)
        facts, triples = facts_of(declared), Graph.of(world.kg.labeled(), Terms())
        for _ in range(25):
            query = expanded(random_query(world, rng), declared)
            links = linked(read(query.text), facts)
            expected = structure_of(query, declared)
            found = form_of(links)
            assert (*found.values(),) == form(expected)
            assert answers(links, triples) == set(evaluate(world.kg, query).answers)
            less = sorted(tuple(sorted(answers(some, triples))) for some in smaller(links))
            assert less == sorted(
                evaluate(world.kg, some).answers for some in smaller_queries(query, declared)
            )
            shapes.add(found["shape"])
    assert len(shapes) > 40


def test_a_link_needs_all_statements_of_its_fact() -> None:
    facts = facts_of(DECLARED)
    for line in ('(p "spouse" "x")', '(or (p "child" "x") (p "parent" "x"))',
                 '(and (p "r" "y") (p "r" (p "parent" "x")))'):  # fmt: skip
        with pytest.raises(ValueError, match="x"):
            linked(read(line), facts)
    for line in ('(p "spouse" (p "child" "x"))', '(or (p "child" "x") (p- "child" "x"))'):
        query = expanded(parse(line), DECLARED)
        found = form_of(linked(read(query.text), facts))
        assert (*found.values(),) == form(structure_of(query, DECLARED))


def test_leaves_and_unions_are_found_at_any_depth() -> None:
    query = linked(
        read('(p "r" (and (p "r" "x") (p "r" (or (p "r" "x") (p "s" "y")))))'), Facts({})
    )
    assert leaves(query) == ["x", "x", "y"]
    assert [len(leaves(node)) for node in nodes(query) if node.word == "or"] == [2]


def test_the_constants_are_those_of_the_paper() -> None:
    assert {name: shape for shape, name in STRUCTURES.items()} == NAMED
    assert LINK not in NAMED
