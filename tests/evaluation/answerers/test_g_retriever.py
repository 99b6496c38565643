from collections.abc import Sequence

import numpy as np

from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.retrieval import ConnectedSubgraph, Prize, grow
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Incidence
from tests.evaluation.answerers.test_retrieving import retrieved

TRIPLES = [
    ("ann", "mother", "eve"), ("eve", "knows", "joe"), ("joe", "lives_in", "Bern"), ("joe", "likes", "tea"),
    ("zoe", "plays", "chess"),
]  # fmt: skip
KG = KnowledgeGraph.from_triples(TRIPLES)


def grown(kg: KnowledgeGraph, prizes: Sequence[Prize], price: float = 0.5) -> list[Triple]:
    return kg.labeled(np.array(grow(kg, Incidence(kg), prizes, price), int))


def of(name: str, worth: float) -> Prize:
    return Prize(worth, (KG.entity_ids[name],))


def test_what_pays_is_connected():
    assert grown(KG, [of("ann", 3), of("Bern", 2)]) == TRIPLES[:3]
    assert grown(KG, [of("ann", 3), of("Bern", 1.5)]) == []  # it would cost as much
    assert grown(KG, [of("ann", 3), of("Bern", 1.5), of("joe", 1.5)]) == TRIPLES[:3]
    assert grown(KG, [of("ann", 1), of("chess", 9)]) == []  # there is no way
    assert grown(KG, []) == grown(KG, [of("ann", -1)]) == []


def test_a_triple_is_worth_its_prize_less_its_price():
    at = KG.labeled().index(TRIPLES[3])
    tea = Prize(2.5, tuple(KG.triples[at][[0, 2]].tolist()), at)
    assert grown(KG, [tea]) == TRIPLES[3:4]
    there = [TRIPLES[3], TRIPLES[1], TRIPLES[0]]
    assert grown(KG, [tea, of("ann", 1.5)]) == there
    assert grown(KG, [tea, of("ann", 1.0)]) == TRIPLES[3:4]


def test_the_model_is_shown_what_was_grown():
    question = OpenQuestion("q1", "Does the mother of ann live near tea?", ("ann",))
    for options, text, expected in (
        ({}, question.question, [TRIPLES[0], TRIPLES[1], TRIPLES[3]]),
        ({"entities": 0, "triples": 1}, question.question, TRIPLES[:1]),
        ({}, "?", []),
    ):
        asked = question._replace(question=text)
        found, _ = retrieved(ConnectedSubgraph(**options), asked, kg=KG, order={})
        assert found == expected
