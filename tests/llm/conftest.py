"""What sessions are tested with: a server, a key in the environment, retries that come fast."""

from collections.abc import Callable
from typing import Any

import pytest

from rulemine.llm import Call, EndpointOptions, Session, session
from tests.chat_server import KEY, ChatServer

Open = Callable[..., Session]


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(session, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(session, "LONGEST_PAUSE", 0.05)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.05)


@pytest.fixture
def server(http):
    with ChatServer(http=http) as running:
        yield running


@pytest.fixture
def path(tmp_path):
    return tmp_path / "llm" / "journal.sqlite"


@pytest.fixture
def opened(server, path):
    """Opens a session with the server, or with another address; sentences go to ``opened.told``."""

    def opens(url="", place="", **changed):
        own = path.with_name(f"{place}.sqlite") if place else path
        return Session(options_for(url or server.url, **changed), own, told.append)

    opens.told = told = []
    return opens


def options_for(url: str, **changed: Any) -> EndpointOptions:
    return EndpointOptions(**{"base_url": url, "api_key_variable": "TEST_KEY", **changed})


def call_of(number: int = 0, **changed: Any) -> Call:
    text = f"Question Entity: e{number:05}\nAsked For: the aunts of e{number:05}"
    messages = ({"role": "system", "content": "You ask."}, {"role": "user", "content": text})
    settings = {"model": "fake", "messages": messages, "subject": f"q{number}", "max_tokens": 50}
    return Call(**{**settings, "temperature": 0, "seed": 0, **changed})


def text_of(number: int) -> str:
    """What the fake model says to `call_of`."""
    return f"Who or what are the aunts of e{number:05}?"
