"""Which way a request takes, and what arrives of it."""

import gzip
from collections.abc import Callable
from typing import Any

import pytest
from fake_endpoint import Connection

from rulemine.errors import EndpointError
from rulemine.llm.call import Reply
from rulemine.llm.client import Client
from tests.llm.running_server import KEY, Running, call_of, options_for, send


def test_a_login_of_the_address_is_sent(transport: str) -> None:
    with Running() as fake:
        [reply] = send(options_for(fake.url.replace("://", "://me:hush-hush@")), call_of())
        assert isinstance(reply, Reply)
        assert fake.server.authorizations == {"Basic bWU6aHVzaC1odXNo"}


def test_another_machine_is_asked_through_the_proxy(
    transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with Running() as fake:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, fake.url.removesuffix("/v1"))
        [error] = send(options_for("http://endpoint.invalid/v1"), call_of())
        assert isinstance(error, EndpointError), "the fake knows no such address"
        assert fake.server.paths == {"http://endpoint.invalid/v1/chat/completions"}


def test_answers_may_be_compressed(transport: str, monkeypatch: pytest.MonkeyPatch) -> None:
    send_bytes: Callable[..., None] = Connection.send_bytes

    def compressed(self: Connection, status: int, body: bytes, headers: bytes = b"") -> None:
        send_bytes(self, status, gzip.compress(body), b"Content-Encoding: gzip\r\n" + headers)

    monkeypatch.setattr(Connection, "send_bytes", compressed)
    with Running() as fake:
        [reply] = send(options_for(fake.url), call_of())
    assert isinstance(reply, Reply)
    assert "e00000?" in reply.text


def test_connections_are_kept(transport: str) -> None:
    with Running() as fake:
        made: list[Any] = []
        fake.server.connections = Watched(made.append)
        send(options_for(fake.url), *[call_of(number) for number in range(5)])
    assert len(made) == 1


class Watched(set[Any]):
    """A set that tells what is put into it."""

    def __init__(self, tell: Callable[[Any], object]) -> None:
        self.tell = tell

    def add(self, item: Any) -> None:
        self.tell(item)
        super().add(item)


def test_nothing_of_a_client_shows_the_key(transport: str) -> None:
    assert KEY not in repr(Client(options_for("http://127.0.0.1:1/v1"), KEY))
