"""The verifier's queries against pyoxigraph, and against all derivations."""

from collections.abc import Sequence
from itertools import islice
from operator import add
from random import Random

import pytest

from checks.oracles.queries import Answerer, World, derivations, random_query, random_world
from rulemine.query import parse
from rulemine.verify.graph import Graph, Terms, Triple
from rulemine.verify.questions.queries import MOST_DEPTH, Few, Query, answers, costs, evidence, read
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


@each("block", range(4))
def test_lines_answers_and_evidence_are_those_of_others(block: int) -> None:
    enumerated = 0
    for seed in range(10 * block, 10 * block + 10):
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
    assert enumerated > 200


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
