from typing import Any

import numpy as np
import pytest

from rulemine.evaluation.answerers.final_answer import final_messages, lines_of
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.retrieval import (
    STEPS,
    KHop,
    NearestTriples,
    Nearness,
    PersonalizedPageRank,
    ease_of,
    fit,
    flow,
)
from rulemine.kg.graph import KnowledgeGraph, Triple
from tests.evaluation.answerers.test_prompted import Model, given

TRIPLES = [
    ("ann", "family.mother", "eve"),
    ("eve", "family.sister", "joe"),
    ("joe", "works_in", "Bern"),
    ("zoe", "works_in", "Bern"),
    ("zoe", "likes", "zoe"),
]
KG = KnowledgeGraph.from_triples(TRIPLES)
ORDER = {name: at for at, name in enumerate(KG.entities)}
ANN = OpenQuestion("q1", "Who is ann's mother?", ("ann",))


def retrieved(
    answerer: Any, question: OpenQuestion = ANN, **more: Any
) -> tuple[list[Triple], list[str]]:
    """What is retrieved for a question, and notes; the model is shown just that."""
    notes: list[str] = []
    model = Model(lambda call: "eve")
    settings = {"kg": KG, "order": ORDER, "note": notes.append, **more}
    [found] = answerer(given(model, **settings), [question])
    assert found.text == "eve"
    shown = list(model.calls[0].messages)
    assert shown == final_messages(question.question, lines_of(found.retrieved))
    return list(found.retrieved), notes


def test_hops_are_by_distance_and_each_triple_comes_once() -> None:
    assert retrieved(KHop())[0] == TRIPLES[:1]
    assert retrieved(KHop(hops=2))[0] == TRIPLES[:2]
    assert retrieved(KHop(hops=9)) == (TRIPLES, [])
    both = ANN._replace(anchors=("ann", "zoe"))
    assert retrieved(KHop(), both)[0] == [TRIPLES[0], TRIPLES[4], TRIPLES[3]]
    assert retrieved(KHop(), ANN._replace(anchors=("zoe",)))[0] == [TRIPLES[4], TRIPLES[3]]
    assert retrieved(KHop(), ANN._replace(anchors=("nobody",)))[0] == []


def test_the_nearest_are_shown_and_a_cut_is_stated() -> None:
    for limit in ({"max_triples": 2}, {"max_characters": 52}):
        triples, notes = retrieved(KHop(hops=9, **limit))
        assert triples == TRIPLES[:2]
        assert "1 of 1 questions have more" in notes[0]
    assert retrieved(KHop(max_characters=3))[0] == []


def star(names: list[str]) -> KnowledgeGraph:
    return KnowledgeGraph.from_triples([("hub", "likes", name) for name in names])


def test_of_equally_near_triples_a_sample_is_the_same_in_every_naming() -> None:
    names = [f"e{n:02}" for n in range(40)]
    hub = ANN._replace(anchors=("hub",))
    order = {"hub": 40} | {name: at for at, name in enumerate(names)}
    first, _ = retrieved(KHop(max_triples=5), hub, kg=star(names), order=order)
    assert len(first) == 5
    assert first == sorted(first)
    other = {name: f"x{99 - at}" for at, name in enumerate(names)}
    renamed = {"hub": 40} | {other[name]: at for at, name in enumerate(names)}
    again, _ = retrieved(KHop(max_triples=5), hub, kg=star([*other.values()]), order=renamed)
    assert again == [(s, r, other[o]) for s, r, o in first]
    seeded, _ = retrieved(KHop(max_triples=5), hub, kg=star(names), order=order, seed=1)
    assert seeded != first


def test_words_of_the_question_find_triples_anywhere_in_the_graph() -> None:
    assert retrieved(NearestTriples())[0] == TRIPLES[:1]
    place = OpenQuestion("q2", "Who works in Bern?", ("Bern",))
    assert retrieved(NearestTriples(), place)[0] == TRIPLES[2:4]
    assert retrieved(NearestTriples(k=1), place)[0] == TRIPLES[2:3]
    # Equals are in the order of private ids.
    assert retrieved(NearestTriples(), place, order=ORDER | {"joe": 99})[0] == TRIPLES[3:1:-1]
    assert retrieved(NearestTriples(), place._replace(question="?"))[0] == []


def test_an_empty_graph_is_no_failure() -> None:
    nothing = KnowledgeGraph.from_triples([])
    assert retrieved(NearestTriples(), kg=nothing)[0] == []
    assert retrieved(KHop(hops=2), kg=nothing)[0] == []
    assert retrieved(PersonalizedPageRank(), kg=nothing)[0] == []


def people() -> KnowledgeGraph:
    """Ann lives in Bern, which is in a country, and has met forty people who live somewhere, too."""
    met = [("ann", "has_met", f"e{n:02}") for n in range(40)]
    homes = [(f"e{n:02}", "lives_in", "Bern" if n % 2 else "Rome") for n in range(40)]
    return KnowledgeGraph.from_triples(
        [*met, *homes, ("ann", "lives_in", "Bern"), ("Bern", "country", "Helvetia")]
    )


def test_a_walk_comes_to_a_whole_proof_led_by_the_words_of_the_question() -> None:
    proof = {("ann", "lives_in", "Bern"), ("Bern", "country", "Helvetia")}
    asked = ANN._replace(question="In which country does ann live?")
    found, notes = retrieved(PersonalizedPageRank(max_triples=2), asked, kg=people())
    assert set(found) == proof
    assert not notes
    asked = ANN._replace(question="Whom has ann met?")
    found, _ = retrieved(PersonalizedPageRank(max_triples=2), asked, kg=people())
    assert {relation for _, relation, _ in found} == {"has_met"}
    # Whole lines are shown, of whatever a walk comes to.
    everything, _ = retrieved(PersonalizedPageRank(), asked, kg=people())
    assert len(everything) == len(people())
    assert everything[:2] == found
    shorter, notes = retrieved(PersonalizedPageRank(max_characters=100), asked, kg=people())
    assert shorter == fit(everything, 100)
    assert "1 of 1 questions have more than max_characters=100" in notes[0]
    apart = KnowledgeGraph.from_triples([*TRIPLES, ("far", "likes", "away")])
    assert sorted(retrieved(PersonalizedPageRank(), kg=apart)[0]) == sorted(TRIPLES)
    assert retrieved(PersonalizedPageRank(), ANN._replace(anchors=("nobody",)))[0] == []


# The topic has the name of a relation, or one that is a part of the word "live".
@pytest.mark.parametrize("topic", ["country", "liv"])
def test_a_walk_is_the_same_in_every_naming(topic: str) -> None:
    kg = people()
    order = {name: at for at, name in enumerate(kg.entities)}
    # In the other naming the order of names is the reverse.
    other = {name: f"x{99 - at}" for at, name in enumerate(kg.entities)} | {"ann": topic}
    asked = ANN._replace(question="Where does ann live?")
    first, _ = retrieved(PersonalizedPageRank(max_triples=9), asked, kg=kg, order=order)
    again, _ = retrieved(
        PersonalizedPageRank(max_triples=9),
        ANN._replace(question=f"Where does {topic} live?", anchors=(topic,)),
        kg=KnowledgeGraph.from_triples((other[s], r, other[o]) for s, r, o in kg.labeled()),
        order={other[name]: at for name, at in order.items()},
    )
    assert again == [(other[s], r, other[o]) for s, r, o in first]


def test_a_walk_follows_triples_as_often_as_powers_of_its_matrix_say() -> None:
    kg, weights = people(), np.array([0.5, 0.1, 0.9])
    topics = [kg.entity_ids["ann"], kg.entity_ids["Rome"]]
    found = flow(kg, ease_of(kg), topics, weights)
    size = len(kg.entities)
    at_both = [(s, r, o, +1) for s, r, o in kg.triples.tolist()]
    ways = at_both + [(o, r, s, -1) for s, r, o, _ in at_both]
    alike = {(s, r, d): sum(w[:2] == (s, r) and w[3] == d for w in ways) for s, r, _, d in ways}
    degree = np.bincount([s for s, *_ in ways])
    share = np.array(
        [weights[r] / alike[s, r, d] ** 0.5 / degree[o] ** 0.25 for s, r, o, d in ways]
    )
    out = np.zeros(size)
    for (s, *_), one in zip(ways, share, strict=True):
        out[s] += one
    matrix = np.zeros((size, size))
    for (s, _, o, _), one in zip(ways, share, strict=True):
        matrix[o, s] += one / out[s]
    start = np.zeros(size)
    start[topics] = 1
    there = start
    for _ in range(STEPS):
        there = 0.2 * start + 0.8 * matrix @ there
    followed = [there[s] * one / out[s] for (s, *_), one in zip(ways, share, strict=True)]
    expected = np.array(followed).reshape(2, -1).sum(axis=0)
    assert np.allclose(found, expected, rtol=1e-12)


def test_names_of_relations_are_near_to_words_with_the_same_parts() -> None:
    near = Nearness(["person/nationality", "film/runtime", "->"])
    nationality, runtime, nothing = near.to("Who are nationals of it?").tolist()
    assert nationality > 0.5
    assert (runtime, nothing) == (0, 0)
    assert near.to("?").tolist() == [0, 0, 0]
    assert near.to("film runtime")[1] == pytest.approx(1)


@pytest.mark.parametrize("characters", [0, 13, 14, 28, 1000])
def test_what_fits(characters: int) -> None:
    triples = [("aa", "bb", "cc")] * 3  # a line of 12 characters, and its end
    expected = np.clip(characters // 13, 0, 3)
    assert len(fit(triples, characters)) == expected
