import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulemine.errors import ConfigError, EndpointError
from rulemine.evaluation.answerers import retrieval
from rulemine.evaluation.answerers.bm25 import TextIndex, nearest, words
from rulemine.evaluation.answerers.final_answer import final_messages, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.answerers.retrieval import (
    STEPS,
    ConnectedSubgraph,
    Dense,
    KHop,
    NearestTriples,
    PersonalizedPageRank,
    Prize,
    ease_of,
    fit,
    flow,
    grow,
)
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence
from rulemine.llm import EndpointOptions, Session
from tests.chat_server import ChatServer, error
from tests.evaluation.answerers.scripted import Script, graph, run

TRIPLES = [
    ("ann", "family.mother", "eve"), ("eve", "family.sister", "joe"), ("joe", "works_in", "Bern"),
    ("zoe", "works_in", "Bern"), ("zoe", "likes", "zoe"),
]  # fmt: skip
KG = graph(TRIPLES)
ORDER = {name: at for at, name in enumerate(KG.entities)}
ANN = OpenQuestion("q1", "Who is ann's mother?", ("ann",))


def retrieved(answerer, question=ANN, kg=KG, order=ORDER, **more):
    """What is retrieved for a question, and notes; the model is shown just that."""
    notes, script = [], Script(answer=["eve"])
    found = run(answerer, script, kg, question, order=order, note=notes.append, **more)
    assert found.text == "eve"
    shown = final_messages(question.question, lines_of(found.retrieved))
    assert list(script.calls[0].messages) == shown
    return list(found.retrieved), notes


def test_hops_are_by_distance_and_each_triple_comes_once():
    assert retrieved(KHop())[0] == TRIPLES[:1]
    assert retrieved(KHop(hops=2))[0] == TRIPLES[:2]
    assert retrieved(KHop(hops=9)) == (TRIPLES, [])
    for topics, expected in (
        (("ann", "zoe"), [0, 4, 3]), (("zoe",), [4, 3]), (("nobody",), []),
    ):  # fmt: skip
        assert retrieved(KHop(), ANN._replace(anchors=topics))[0] == [TRIPLES[n] for n in expected]


def test_the_nearest_are_shown_and_a_cut_is_stated():
    for limit in ({"max_triples": 2}, {"max_characters": 52}):
        triples, notes = retrieved(KHop(hops=9, **limit))
        assert triples == TRIPLES[:2]
        assert "1 of 1 questions have more" in notes[0]
    assert retrieved(KHop(max_characters=3))[0] == []
    same = [("aa", "bb", "cc")] * 3  # a line of 12 characters, and its end
    assert [len(fit(same, n)) for n in (0, 12, 13, 28, 1000)] == [0, 0, 1, 2, 3]


def test_words_of_the_question_find_triples_anywhere_in_the_graph():
    assert retrieved(NearestTriples())[0] == TRIPLES[:1]
    place = OpenQuestion("q2", "Who works in Bern?", ("Bern",))
    assert retrieved(NearestTriples(), place)[0] == TRIPLES[2:4]
    assert retrieved(NearestTriples(k=1), place)[0] == TRIPLES[2:3]
    # Equals are in the order of private ids.
    assert retrieved(NearestTriples(), place, order=ORDER | {"joe": 99})[0] == TRIPLES[3:1:-1]
    assert retrieved(NearestTriples(), place._replace(question="?"))[0] == []
    for answerer in (NearestTriples(), KHop(hops=2), PersonalizedPageRank()):
        assert retrieved(answerer, kg=graph([]))[0] == []


def people():
    """Ann lives in Bern, which is in a country, and has met forty people who live somewhere, too."""
    met = [("ann", "has_met", f"e{n:02}") for n in range(40)]
    homes = [(f"e{n:02}", "lives_in", "Bern" if n % 2 else "Rome") for n in range(40)]
    return graph([*met, *homes, ("ann", "lives_in", "Bern"), ("Bern", "country", "Helvetia")])


def test_a_walk_comes_to_a_whole_proof_led_by_the_words_of_the_question():
    def walked(text="Whom has ann met?", kg=None, **options):
        question = ANN._replace(question=text)
        return retrieved(PersonalizedPageRank(**options), question, kg or people())

    found, notes = walked("In which country does ann live?", max_triples=2)
    assert set(found) == {("ann", "lives_in", "Bern"), ("Bern", "country", "Helvetia")}
    assert not notes
    found, _ = walked(max_triples=2)
    assert {relation for _, relation, _ in found} == {"has_met"}
    # Whole lines are shown, of whatever a walk comes to.
    everything, _ = walked()
    assert len(everything) == len(people())
    assert everything[:2] == found
    shorter, notes = walked(max_characters=100)
    assert shorter == fit(everything, 100)
    assert "1 of 1 questions have more than max_characters=100" in notes[0]
    assert sorted(walked(kg=graph([*TRIPLES, ("far", "likes", "away")]))[0]) == sorted(TRIPLES)
    assert retrieved(PersonalizedPageRank(), ANN._replace(anchors=("nobody",)))[0] == []


def test_a_walk_follows_triples_as_often_as_powers_of_its_matrix_say():
    kg, weights = people(), np.array([0.5, 0.1, 0.9])
    topics = [kg.entity_ids["ann"], kg.entity_ids["Rome"]]
    found = flow(kg, ease_of(kg), topics, weights)
    size = len(kg.entities)
    at_both = [(s, r, o, +1) for s, r, o in kg.triples.tolist()]
    ways = at_both + [(o, r, s, -1) for s, r, o, _ in at_both]
    alike = {(s, r, d): sum(w[:2] == (s, r) and w[3] == d for w in ways) for s, r, _, d in ways}
    degree = np.bincount([s for s, *_ in ways])
    share = [weights[r] / alike[s, r, d] ** 0.5 / degree[o] ** 0.25 for s, r, o, d in ways]
    out, matrix, start = np.zeros(size), np.zeros((size, size)), np.zeros(size)
    for (s, *_), one in zip(ways, share, strict=True):
        out[s] += one
    for (s, _, o, _), one in zip(ways, share, strict=True):
        matrix[o, s] += one / out[s]
    start[topics] = 1
    there = start
    for _ in range(STEPS):
        there = 0.2 * start + 0.8 * matrix @ there
    followed = [there[s] * one / out[s] for (s, *_), one in zip(ways, share, strict=True)]
    assert np.allclose(found, np.array(followed).reshape(2, -1).sum(axis=0), rtol=1e-12)


FACTS = ["Ann family.mother_of Bob", "Bob likes tea", "Eve likes Bob", "Eve likes tea and tea"]


def test_scores_are_those_of_the_formula():
    """By hand: "tea" is in two of four texts; lengths are 5, 3, 3, 5 words, 4 on average."""
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    once = idf * 1 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4))
    twice = idf * 2 / (2 + 1.2 * (0.25 + 0.75 * 5 / 4))
    assert TextIndex(FACTS).scores("Tea?").tolist() == pytest.approx([0, once, 0, twice])
    assert TextIndex(FACTS).nearest("Tea?", 10) == [3, 1]
    assert words("/people/person.place_of_birth") == ["people", "person", "place", "of", "birth"]
    assert words("Köln_北京") == words("KO\u0308LN 北京") == ["köln", "北", "京"]
    assert TextIndex(FACTS).nearest("whose mother?", 2) == [0]


def test_without_words_nothing_is_found():
    for texts in ([], ["?"], ["", "!"]):
        assert TextIndex(texts).nearest("tea", 3) == []
        assert nearest(texts, "tea", 1) == list(range(len(texts)))[:1]
    assert TextIndex(FACTS).nearest("?!", 3) == TextIndex(FACTS).nearest("coffee", 3) == []


def test_a_list_is_cut_to_the_nearest_and_then_the_first():
    assert nearest(FACTS, "Who likes tea?", 3) == [3, 1, 2]
    assert nearest(FACTS, "mother", 3) == [0, 1, 2]
    assert nearest(FACTS, "mother", 9) == [0, 1, 2, 3]
    assert TextIndex(["tea"] * 50).nearest("tea", 50) == list(range(50))


GROWING = [
    ("ann", "mother", "eve"), ("eve", "knows", "joe"), ("joe", "lives_in", "Bern"), ("joe", "likes", "tea"),
    ("zoe", "plays", "chess"),
]  # fmt: skip
WOOD = graph(GROWING)


def grown(prizes, price=0.5):
    return WOOD.labeled(np.array(grow(WOOD, Incidence(WOOD), prizes, price), int))


def of(name, worth):
    return Prize(worth, (WOOD.entity_ids[name],))


def test_of_prizes_what_pays_is_connected():
    assert grown([of("ann", 3), of("Bern", 2)]) == GROWING[:3]
    assert grown([of("ann", 3), of("Bern", 1.5)]) == []  # it would cost as much
    assert grown([of("ann", 3), of("Bern", 1.5), of("joe", 1.5)]) == GROWING[:3]
    assert grown([of("ann", 1), of("chess", 9)]) == []  # there is no way
    assert grown([]) == grown([of("ann", -1)]) == []


def test_a_triple_is_worth_its_prize_less_its_price():
    at = WOOD.labeled().index(GROWING[3])
    tea = Prize(2.5, tuple(WOOD.triples[at][[0, 2]].tolist()), at)
    assert grown([tea]) == GROWING[3:4]
    there = [GROWING[3], GROWING[1], GROWING[0]]
    assert grown([tea, of("ann", 1.5)]) == there
    assert grown([tea, of("ann", 1.0)]) == GROWING[3:4]


def test_the_model_is_shown_what_was_grown():
    question = OpenQuestion("q1", "Does the mother of ann live near tea?", ("ann",))
    for options, text, expected in (
        ({}, question.question, [GROWING[0], GROWING[1], GROWING[3]]),
        ({"entities": 0, "triples": 1}, question.question, GROWING[:1]),
        ({}, "?", []),
    ):
        asked = question._replace(question=text)
        found, _ = retrieved(ConnectedSubgraph(**options), asked, kg=WOOD, order={})
        assert found == expected


MEANT_TRIPLES = [
    ("ann", "mother_of", "eve"),
    ("eve", "sister/of", "joe"),
    ("joe", "works.in", "Bern"),
]
MEANT_KG = KnowledgeGraph.from_triples(MEANT_TRIPLES)
MEANT = {
    "ann mother of eve": [1.0, 0.0, 0.1],
    "eve sister of joe": [3.0, 0.0, 0.3],  # the same direction
    "joe works in Bern": [0.0, 2.0, 0.0], "Whose child?": [0.5, 0.1, 0.0], "Whose job?": [0.0, 0.1, 0.0],
}  # fmt: skip
ASKED = [OpenQuestion("q1", "Whose child?", ("ann",)), OpenQuestion("q2", "Whose job?", ("joe",))]


def says(request: dict[str, Any], times: int) -> Any:
    if "messages" in request:
        return "eve"
    return {"data": [{"embedding": MEANT[text.removeprefix("> ")]} for text in request["input"]]}


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer(says) as running:
        yield running


def embedded(answerer: Dense, server: ChatServer, place: Path, **more: Any) -> list[Answered]:
    with Session(EndpointOptions(base_url=server.url), place / "calls.sqlite") as session:
        settings = {"kg": MEANT_KG, "model": "m", "session": session, "folder": place, **more}
        return answerer(Context(**settings), ASKED)


def test_the_nearest_triples_by_cosine_are_shown(server, tmp_path, monkeypatch):
    for at_once in (1, 4096):
        monkeypatch.setattr(retrieval, "AT_ONCE", at_once)
        first, second = embedded(Dense(k=2, model="e", batch=2), server, tmp_path / str(at_once))
        assert first.retrieved == MEANT_TRIPLES[:2]  # equals are in their order
        assert second.retrieved == [MEANT_TRIPLES[2], MEANT_TRIPLES[0]]
        assert (first.text, first.calls) == ("eve", 1)
    asked = [body for body in server.bodies if "input" in body]
    chat = [body for body in server.bodies if "messages" in body]
    assert ({body["model"] for body in asked}, {body["model"] for body in chat}) == ({"e"}, {"m"})
    assert sum(len(body["input"]) for body in asked) == 2 * 5
    assert Dense(batch=2).graph_calls(len(MEANT_KG)) == 2
    said = next(text for body in chat if "child" in (text := body["messages"][0]["content"]))
    assert "ann | mother_of | eve\neve | sister/of | joe\n" in said


def test_nothing_is_embedded_again(server, tmp_path):
    assert embedded(Dense(), server, tmp_path) == embedded(Dense(), server, tmp_path)
    assert server.again == 0
    assert server.received.total() == 4
    embedded(Dense(query_prefix="> "), server, tmp_path)
    assert server.bodies[-1]["input"] == ["> Whose child?", "> Whose job?"]


def test_embeddings_may_have_an_endpoint_of_their_own(server, tmp_path):
    with ChatServer(says) as other:
        found = embedded(Dense(url=other.url, text_prefix="> "), server, tmp_path)
        assert found[0].retrieved == MEANT_TRIPLES
        assert all("input" in body for body in other.bodies)
        with pytest.raises(ConfigError, match="url needs a folder"):
            embedded(Dense(url=other.url), server, tmp_path, folder=None)
    assert all("messages" in body for body in server.bodies)


def test_what_cannot_be_embedded_ends_the_run(server, tmp_path):
    server.says = lambda request, times: error(400, "input exceeds the context length")
    with pytest.raises(EndpointError, match=r"begin with 'Whose child\?'.*dense:batch=1"):
        embedded(Dense(), server, tmp_path)
    server.says = lambda request, times: {
        "data": [{"embedding": [1.0] * len(request["input"])}] * len(request["input"])
    }
    with pytest.raises(EndpointError, match="different lengths"):
        embedded(Dense(model="other"), server, tmp_path)
    server.says = says
    found = embedded(Dense(), server, tmp_path / "empty", kg=KnowledgeGraph.from_triples([]))
    assert [f.retrieved for f in found] == [[], []]
