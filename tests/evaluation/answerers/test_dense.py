from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import ConfigError, EndpointError
from rulemine.evaluation.answerers import retrieval
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.evaluation.answerers.retrieval import Dense
from rulemine.kg.graph import KnowledgeGraph
from rulemine.llm import EndpointOptions, Session
from tests.chat_server import ChatServer, error

TRIPLES = [("ann", "mother_of", "eve"), ("eve", "sister/of", "joe"), ("joe", "works.in", "Bern")]
KG = KnowledgeGraph.from_triples(TRIPLES)
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


def run(answerer: Dense, server: ChatServer, place: Path, **more: Any) -> list[Answered]:
    with Session(EndpointOptions(base_url=server.url), place / "calls.sqlite") as session:
        settings = {"kg": KG, "model": "m", "session": session, "folder": place, **more}
        return answerer(Context(**settings), ASKED)


def test_the_nearest_triples_by_cosine_are_shown(server, tmp_path, monkeypatch):
    for at_once in (1, 4096):
        monkeypatch.setattr(retrieval, "AT_ONCE", at_once)
        first, second = run(Dense(k=2, model="e", batch=2), server, tmp_path / str(at_once))
        assert first.retrieved == TRIPLES[:2]  # equals are in their order
        assert second.retrieved == [TRIPLES[2], TRIPLES[0]]
        assert (first.text, first.calls) == ("eve", 1)
    asked = [body for body in server.bodies if "input" in body]
    chat = [body for body in server.bodies if "messages" in body]
    assert ({body["model"] for body in asked}, {body["model"] for body in chat}) == ({"e"}, {"m"})
    assert sum(len(body["input"]) for body in asked) == 2 * 5
    assert Dense(batch=2).graph_calls(len(KG)) == 2
    said = next(text for body in chat if "child" in (text := body["messages"][0]["content"]))
    assert "ann | mother_of | eve\neve | sister/of | joe\n" in said


def test_nothing_is_embedded_again(server, tmp_path):
    assert run(Dense(), server, tmp_path) == run(Dense(), server, tmp_path)
    assert server.again == 0
    assert server.received.total() == 4
    run(Dense(query_prefix="> "), server, tmp_path)
    assert server.bodies[-1]["input"] == ["> Whose child?", "> Whose job?"]


def test_embeddings_may_have_an_endpoint_of_their_own(server, tmp_path):
    with ChatServer(says) as other:
        found = run(Dense(url=other.url, text_prefix="> "), server, tmp_path)
        assert found[0].retrieved == TRIPLES
        assert all("input" in body for body in other.bodies)
        with pytest.raises(ConfigError, match="url needs a folder"):
            run(Dense(url=other.url), server, tmp_path, folder=None)
    assert all("messages" in body for body in server.bodies)


def test_what_cannot_be_embedded_ends_the_run(server, tmp_path):
    server.says = lambda request, times: error(400, "input exceeds the context length")
    with pytest.raises(EndpointError, match=r"begin with 'Whose child\?'.*dense:batch=1"):
        run(Dense(), server, tmp_path)
    server.says = lambda request, times: {
        "data": [{"embedding": [1.0] * len(request["input"])}] * len(request["input"])
    }
    with pytest.raises(EndpointError, match="different lengths"):
        run(Dense(model="other"), server, tmp_path)
    server.says = says
    found = run(Dense(), server, tmp_path / "empty", kg=KnowledgeGraph.from_triples([]))
    assert [f.retrieved for f in found] == [[], []]
