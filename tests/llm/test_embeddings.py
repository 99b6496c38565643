import base64
import struct
from typing import Any

import pytest

from rulemine.errors import EndpointError
from rulemine.llm import Call, Reply
from rulemine.llm.call import Answer, Ask


def vector_of(packed: str) -> list[float]:
    data = base64.b64decode(packed)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def embedded(*vectors: Any, **more: Any) -> dict[str, Any]:
    """The body of an answer with vectors, the last one first."""
    data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return {"data": data[::-1], **more}


async def two(ask: Ask) -> Answer:
    return await ask(Call("fake", inputs=["ann", "bob"]))


def test_vectors_are_in_the_order_of_the_texts(server, opened):
    server.says = lambda request, times: embedded([1, 0.5], [0, -2], usage={"prompt_tokens": 7})
    with opened() as session:
        [reply] = session.run([two])
    assert isinstance(reply, Reply)
    assert server.bodies == [{"model": "fake", "input": ["ann", "bob"]}]
    assert [vector_of(packed) for packed in reply.vectors] == [[1, 0.5], [0, -2]]
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("", 7, 0)


def test_anything_but_a_vector_for_each_text_is_a_fault(server, opened, monkeypatch):
    monkeypatch.setattr("rulemine.llm.session.PATIENCE", 0.1)
    for number, body in enumerate((
        embedded([1.0]), embedded([1.0], [1.0, 2.0]), embedded([1.0], []), embedded([1.0], [None]),
        embedded([1.0], ["x"]), embedded([1.0], [[1.0]]), embedded([1.0], float("nan")),
        {"data": [{"index": 0, "embedding": [1.0]}] * 2},
        {"choices": [{"message": {"content": "no vector"}}]},
    )):  # fmt: skip
        server.says = lambda request, times, body=body: body
        none = pytest.raises(EndpointError, match="an answer without vectors for 2 texts: ")
        with opened(place=str(number)) as session, none:
            session.run([two])


def test_embeddings_are_journalled_as_chat_is(server, opened):
    async def converse(ask: Ask) -> list[float]:
        reply = await ask(Call("fake", inputs=["ann"], purpose="embed"))
        assert isinstance(reply, Reply)
        return vector_of(*reply.vectors)

    server.says = lambda request, times: {"data": [{"embedding": [0.1, 3e38]}]}
    for _ in range(2):
        with opened() as session:
            assert session.run([converse]) == [pytest.approx([0.1, 3e38])]
    assert server.received.total() == 1
