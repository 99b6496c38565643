import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.retrieval import ConnectedSubgraph, Prize, grow
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Incidence
from rulemine.seeds import stream
from tests import some_seeds
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


def connected(edges: Sequence[tuple[int, int]]) -> bool:
    parts = [{*edge} for edge in edges]
    for edge in edges:
        touched = [part for part in parts if part & {*edge}]
        parts = [part for part in parts if not part & {*edge}] + [set().union(*touched)]
    return len(parts) <= 1


def choices(kg: KnowledgeGraph) -> Iterator[tuple[set[int], int]]:
    """Every connected subgraph: its entities, and how many triples it takes."""
    ends = [(int(s), int(o)) for s, _, o in kg.triples]
    yield from (({e}, 0) for e in range(len(kg.entities)))
    for size in range(1, len(ends) + 1):
        for some in itertools.combinations(ends, size):
            if connected(some):
                yield {e for edge in some for e in edge}, size


@pytest.mark.parametrize("seed", some_seeds(30))
def test_on_small_connected_graphs_nothing_is_worth_more(seed):
    draw = stream(seed, "graph")
    chain = [(f"e{n}", "r", f"e{n + 1}") for n in range(5)]
    more = [(f"e{draw.below(6)}", "s", f"e{draw.below(6)}") for _ in range(3)]
    kg = KnowledgeGraph.from_triples(chain + more)
    prizes = [Prize(3.0 - n, (e,)) for n, e in enumerate(draw.permutation(6)[:3].tolist())]
    triples = grown(kg, prizes)
    entities = {kg.entity_ids[e] for s, _, o in triples for e in (s, o)} or set(prizes[0].entities)

    def left(entities, price):
        return sum(p.worth for p in prizes if entities.issuperset(p.entities)) - price

    best = max(left(reached, 0.5 * size) for reached, size in choices(kg))
    # Growing is greedy: two prizes whose ways meet half-way may be passed over, at most one edge each.
    assert best - 0.5 <= left(entities, 0.5 * len(triples)) <= best


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
