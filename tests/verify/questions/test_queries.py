"""The verifier's queries against pyoxigraph, all derivations and the builder's."""

from collections.abc import Sequence
from itertools import islice
from operator import add
from random import Random

import pytest

from checks.oracles.queries import Answerer, World, derivations, random_query, random_world
from rulemine.kg.facts import Declarations
from rulemine.query import evaluate, parse
from rulemine.query.links import expanded
from rulemine.query.links import smaller as smaller_queries
from rulemine.query.structures import STRUCTURES as NAMED
from rulemine.query.structures import Structure, structure_of
from rulemine.verify.graph import Facts, Graph, Terms, Triple
from rulemine.verify.questions.asked import STRUCTURES, form_of, linked, smaller
from rulemine.verify.questions.queries import (
    LINK,
    MOST_DEPTH,
    Few,
    Query,
    answers,
    costs,
    evidence,
    read,
)
from rulemine.verify.questions.queries import derivations as read_derivations
from tests import each

MOST = 2_000
"""Derivations of a query from which on they are not compared."""


def check_grades(world: World, own: Query, answer: str, graph: Graph) -> None:
    """Compares the cost, the level and each derivation of an answer with all derivations."""
    removed, query = world.removed, parse(own.text)
    every = list(derivations(world, query, answer))
    few = Few(graph)
    missing = costs(own, few, graph, lambda triple: triple in removed, add)
    assert missing[answer] == min(d.missing for d in every)
    late = costs(own, few, graph, lambda triple: 101 - removed.get(triple, 101), max)
    until = (min((removed.get(t, 101) for t in d.triples), default=101) for d in every)
    assert 101 - late[answer] == max(until)
    for d in every[:20]:
        assert answer in whole_derivations(own, graph, d.triples)
        assert answer not in whole_derivations(own, graph, (*d.triples, ("x", "r", "y")))
    lists = {d.triples for d in every}
    for d in every[:20]:
        if d.triples[::-1] not in lists:
            assert answer not in whole_derivations(own, graph, d.triples[::-1])
        assert (
            answer not in whole_derivations(own, graph, d.triples[:-1]) or d.triples[:-1] in lists
        )


def whole_derivations(query: Query, graph: Graph, triples: Sequence[Triple]) -> set[str]:
    found = list(read_derivations(query, triples, graph))
    for answer, ends in found:
        if len(ends) == len(triples) > 0:
            s, _, o = triples[-1]
            assert answer == (s if ends[-1] == "subject" else o)
    return {answer for answer, ends in found if len(ends) == len(triples)}


def test_lines_answers_and_evidence_are_those_of_others() -> None:
    enumerated = 0
    for seed in range(40):
        world = random_world(seed, 6 if seed % 2 else 30)
        answerer, rng = Answerer(world), Random(seed)
        triples = Graph.of(world.kg.labeled(), Terms())
        for _ in range(25):
            query = random_query(world, rng)
            own = read(query.text)
            found = answers(own, triples)
            given = answerer.answers(query, complete=True)
            assert (len(found) if own.word == "count" else sorted(found)) == given, query
            wanted = sorted(found)[:2]
            every = [
                d for answer in wanted for d in islice(derivations(world, query, answer), MOST)
            ]
            if len(every) < MOST:
                enumerated += 1
                expected = {triple for d in every for triple in d.triples}
                for answer in wanted:
                    check_grades(world, own, answer, triples)
                assert {t for t, _ in evidence(own, set(wanted), triples)} == expected, query
    assert enumerated > 800


@each(
    "line",
    [
        "", " ", "(", ")", "x", "5", "null", '"x', '"x" ', '"x" "x"', '"\\u0078"', '"\\ud800"', "()", '("x")',
        '(p "r")', '(p "r" "x"', '(p "r" "x"))', '(p  "r" "x")', '(p "r" "x" "y")', '(q "r" "x")',
        '(P "r" "x")', '(p (p "r" "x") "x")', '(and "x")', '(and "x" "x")', '(or "y" "x")', '(not "x")',
        '(or (or "x" "y") "z")', '(or "x" "y" and)', '(minus "x")', '(minus "x" (minus "y" "z"))',
        '(p "r" (count "x"))', '(count (count "x"))', '(p "r\x01" "x")',
        '(p "r" ' * (MOST_DEPTH + 1) + '"x"' + ")" * (MOST_DEPTH + 1), "(p" * 100_000, ")" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_canonical_query_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"\A"):
        read(line)


def test_the_deepest_query_is_read_and_answered() -> None:
    line = '(p "r" ' * MOST_DEPTH + '"x"' + ")" * MOST_DEPTH
    triples = Graph.of([("x", "r", "y"), ("y", "r", "x")], Terms())
    assert answers(read(line), triples) == {"x"}
    assert {t for t, _ in evidence(read(line), {"x"}, triples)} == {
        ("x", "r", "y"),
        ("y", "r", "x"),
    }


# Links, shapes and smaller queries, against the builder's.

DECLARED = Declarations.of(symmetric=["spouse"], inverse=[("child", "parent")])


def facts_of(declared: Declarations) -> Facts:
    rows = {}
    for name, (fact, *flags) in declared.readings.items():
        turned, both = ("yes" * flag for flag in flags)
        rows[name] = {"fact": fact, "reversed": turned, "symmetric": both}
    return Facts(rows)


def form(expected: Structure) -> tuple[str, str, int, list[str]]:
    return expected.name, expected.shape, expected.hops, [*expected.anchors]


def test_forms_and_smaller_queries_are_those_of_the_builder() -> None:
    shapes = set()
    for seed in range(24):
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


def test_the_constants_are_those_of_the_paper() -> None:
    assert {name: shape for shape, name in STRUCTURES.items()} == NAMED
    assert LINK not in NAMED
