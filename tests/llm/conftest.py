"""What sessions are tested with: a key in the environment, and both ways to the network."""

import openai
import pytest

from rulemine.llm import dispatcher

from .running_server import KEY


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries come fast."""
    monkeypatch.setattr(dispatcher, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(dispatcher, "LONGEST_PAUSE", 0.05)


@pytest.fixture(params=["aiohttp", "default"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each of the two transports: the second is what the first falls back to."""
    if request.param == "default":

        def missing(**settings: object) -> None:
            raise RuntimeError("aiohttp is not installed")

        monkeypatch.setattr(openai, "DefaultAioHttpClient", missing)
    return str(request.param)
