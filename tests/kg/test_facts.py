"""Facts and their statements, against saying each fact again in every declared way."""

import random

import pytest

from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import DIRECTIONS
from tests import some_seeds
from tests.small_graphs import Declared, small_graph, some_declared


@pytest.mark.parametrize("seed", some_seeds(60))
def test_triples_state_one_fact_exactly_when_one_says_the_other(seed: int) -> None:
    rng = random.Random(seed)
    kg, declared = small_graph(rng), some_declared(rng)
    triples = kg.labeled()
    row = {triple: i for i, triple in enumerate(triples)}
    expected = [min(row[t] for t in declared.statements(t) if t in row) for t in triples]
    assert facts_of(kg, declared.closed()).tolist() == expected


@pytest.mark.parametrize("seed", some_seeds(60))
def test_a_question_is_answered_by_every_statement_of_its_facts(seed: int) -> None:
    declared = some_declared(random.Random(seed))
    declarations = declared.closed()
    keys = {}
    for relation in "pqr":
        for place, direction in enumerate(DIRECTIONS):
            # The answer is "answer"; which relations state it of "topic", and at which end?
            triple = ("answer", relation, "topic") if place == 0 else ("topic", relation, "answer")
            expected = {
                (r, DIRECTIONS[0] if s == "answer" else DIRECTIONS[1])
                for s, r, o in declared.statements(triple)
            }
            found = declarations.statements(relation, direction)
            assert set(found) == expected
            assert list(found) == sorted(expected)
            keys[relation, direction] = (declarations.asked(relation, direction), expected)
    for key, statements in keys.values():
        for other, others in keys.values():
            assert (key == other) == (statements == others)


def test_order_of_declarations_does_not_matter() -> None:
    one = Declarations.of(["p"], [("q", "r")], [("r", "s")])
    other = Declarations.of(["p"], [("r", "q")], [("s", "r")])
    assert one == other
    assert one["q"].reversed != one["r"].reversed == one["s"].reversed
    assert Declared((("p", "p"),)).closed()["p"].symmetric
