"""Facts, their statements and priors, against saying each fact again in every declared way; access paths."""

import random

import numpy as np
import pytest

from rulemine.kg import index as module
from rulemine.kg.facts import Declarations, facts_of, priors
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Incidence, Index
from tests import each, some_seeds
from tests.small_graphs import Declared, small_graph, some_declared


@each("seed", some_seeds(60))
def test_facts_and_priors_are_those_of_saying_each_triple_in_every_way(seed: int) -> None:
    rng = random.Random(seed)
    kg, declared = small_graph(rng), some_declared(rng)
    triples = kg.labeled()
    row = {triple: i for i, triple in enumerate(triples)}
    expected = [min(row[t] for t in declared.statements(t) if t in row) for t in triples]
    assert facts_of(kg, declared.closed()).tolist() == expected
    shares = [[declared.prior(kg, t, 0), declared.prior(kg, t, 2)] for t in triples]
    assert priors(kg, declared.closed()).tolist() == shares


@each("seed", some_seeds(60))
def test_a_question_is_answered_by_every_statement_of_its_facts(seed: int) -> None:
    declared = some_declared(random.Random(seed))
    declarations = declared.closed()
    keys = []
    for relation in "pqr":
        for direction in DIRECTIONS:
            # The answer is "answer"; which relations state it of "topic", and at which end?
            ends = ("answer", "topic") if direction == "subject" else ("topic", "answer")
            expected = {
                (r, DIRECTIONS[s != "answer"])
                for s, r, o in declared.statements((ends[0], relation, ends[1]))
            }
            assert list(declarations.statements(relation, direction)) == sorted(expected)
            keys.append((declarations.asked(relation, direction), expected))
    for key, statements in keys:
        assert all((key == other) == (statements == others) for other, others in keys)


def test_order_of_declarations_does_not_matter() -> None:
    one = Declarations.of(["p"], [("q", "r")], [("r", "s")])
    other = Declarations.of(["p"], [("r", "q")], [("s", "r")])
    assert one == other
    assert one["q"].reversed != one["r"].reversed == one["s"].reversed
    assert Declared((("p", "p"),)).closed()["p"].symmetric


def test_a_common_answer_and_a_rare_one() -> None:
    people = [(f"p{i}", "gender", "male" if i < 3 else "female") for i in range(4)]
    kg = KnowledgeGraph.from_triples(people)
    found = dict(zip(kg.labeled(), priors(kg).tolist(), strict=True))
    assert found["p0", "gender", "male"] == [0.5, 0.75]
    assert found["p3", "gender", "female"] == [0.5, 0.25]


@each("seed", range(4))
def test_each_triple_stands_at_both_ends(seed: int) -> None:
    kg = small_graph(random.Random(seed), 20)
    which = np.flatnonzero(kg.triples[:, 1] == 0) if seed % 2 else np.arange(len(kg))
    made = Incidence(kg, which if seed % 2 else None)
    rows = [(row, *kg.triples[row, [0, 2]].tolist()) for row in which.tolist()]
    stood = [(s, o, False, row) for row, s, o in rows] + [(o, s, True, row) for row, s, o in rows]
    for entity in range(len(kg.entities)):
        at = made.at(np.array([entity]))
        assert at.tolist() == [*range(made.starts[entity], made.starts[entity + 1])]
        columns = (made.others[at], ~made.forward[at], made.rows[at])
        found = list(zip(*(column.tolist() for column in columns), strict=True))
        assert found == sorted(tuple(rest) for this, *rest in stood if this == entity)
        assert made.degrees[entity] == len(found)
    both = made.at(np.array([1, 0])).tolist()
    assert both == [*made.at(np.array([1])).tolist(), *made.at(np.array([0])).tolist()]


@each("most", [0, 10**6])
def test_a_table_says_what_searching_finds(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STARTS", most)
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("a", "r", "c"), ("d", "s", "c")])
    made = Index(kg)
    for column, rows in ((0, made.by_subject), (2, made.by_object)):
        first, count = made.ranges(column, np.arange(2 * made.entities))
        for key, (at, number) in enumerate(zip(first.tolist(), count.tolist(), strict=True)):
            wanted = np.flatnonzero(kg.triples[:, 1] * made.entities + kg.triples[:, column] == key)
            assert rows[at : at + number].tolist() == wanted.tolist()
    assert [made.mean_degree(0, 0), made.mean_degree(0, 2), made.mean_degree(1, 2)] == [2, 1, 1]
