"""What sessions are tested with: a key in the environment, and both ways to the network."""

import sys
from collections.abc import Callable

import pytest

from rulemine.llm import dispatcher, job, session
from tests.llm.running_server import KEY

AtStop = Callable[[Callable[[], None]], None]
"""Has something done when a run ends early, as soon as it sends nothing more."""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries come fast."""
    monkeypatch.setattr(job, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(job, "LONGEST_PAUSE", 0.05)


@pytest.fixture
def at_stop(monkeypatch: pytest.MonkeyPatch) -> AtStop:
    """See `AtStop`; and calls in flight are waited for as long as they take."""
    monkeypatch.setattr(session, "GRACE", 120.0)
    real = dispatcher.Dispatcher.stop

    def have_done(what: Callable[[], None]) -> None:
        async def stop(self: dispatcher.Dispatcher, seconds: float) -> None:
            what()
            await real(self, seconds)

        monkeypatch.setattr(dispatcher.Dispatcher, "stop", stop)

    return have_done


@pytest.fixture(params=["aiohttp", "default"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each of the two transports: the second is what the first falls back to."""
    if request.param == "default":
        monkeypatch.setitem(sys.modules, "aiohttp", None)
    return str(request.param)
