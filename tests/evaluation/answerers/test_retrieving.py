from typing import Any

import numpy as np
import pytest

from rulemine.evaluation.answerers.final_answer import final_messages, lines_of
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.retrieval import KHop, NearestTriples, fit
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
        assert "1 of 1 questions have more triples" in notes[0]
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


@pytest.mark.parametrize("characters", [0, 13, 14, 28, 1000])
def test_what_fits(characters: int) -> None:
    triples = [("aa", "bb", "cc")] * 3  # a line of 12 characters, and its end
    expected = np.clip(characters // 13, 0, 3)
    assert len(fit(triples, characters)) == expected
