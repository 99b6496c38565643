"""Priors, against counting topic entities one by one."""

import random

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.priors import priors
from tests import some_seeds
from tests.small_graphs import small_graph, some_declared


@pytest.mark.parametrize("seed", some_seeds(60))
def test_a_prior_is_the_fraction_of_topic_entities_with_the_answer(seed: int) -> None:
    rng = random.Random(seed)
    kg, declared = small_graph(rng), some_declared(rng)
    expected = [[declared.prior(kg, t, 0), declared.prior(kg, t, 2)] for t in kg.labeled()]
    assert priors(kg, declared.closed()).tolist() == expected


def test_a_common_answer_and_a_rare_one() -> None:
    people = [(f"p{i}", "gender", "male" if i < 3 else "female") for i in range(4)]
    kg = KnowledgeGraph.from_triples(people)
    found = dict(zip(kg.labeled(), priors(kg).tolist(), strict=True))
    assert found["p0", "gender", "male"] == [0.5, 0.75]
    assert found["p3", "gender", "female"] == [0.5, 0.25]
