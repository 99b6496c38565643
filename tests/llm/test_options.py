import pytest

from rulemine.errors import ConfigError, EndpointError
from rulemine.llm.options import EndpointOptions


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "https:///v1",
        "http://host:99999/v1",
        "http://[::1/v1",
        "http://a b/v1",
        "ftp://x/v1",
    ],
)
def test_an_address_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        EndpointOptions(base_url=url)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:80/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://192.168.0.7:8000/v1", False),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://localhost@example.org/v1", False),
    ],
)
def test_local_endpoints_need_no_key(
    url: str, local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    options = EndpointOptions(base_url=url, api_key_variable="SOME_KEY")
    assert options.is_loopback == local
    if local:
        assert options.key() == "none"
        return
    with pytest.raises(EndpointError, match="export SOME_KEY=none") as caught:
        options.key()
    assert "export SOME_KEY=…" in str(caught.value)


def test_the_key_is_taken_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", " abc-123\n")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert EndpointOptions(api_key_variable="SOME_KEY").key() == "abc-123"


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", key)
    with pytest.raises(EndpointError, match="SOME_KEY") as caught:
        EndpointOptions(api_key_variable="SOME_KEY").key()
    assert key not in str(caught.value)


def test_user_info_and_query_are_never_shown() -> None:
    options = EndpointOptions(base_url="https://me:hush@host.org:8443/deep/v1/?sig=private&v=2#x")
    assert options.address == "https://host.org:8443/deep/v1"
    assert options.secrets == ("hush", "private", "2")
    assert options.query == {"sig": "private", "v": "2"}
    for shown in (repr(options), str(options), options.address):
        assert "hush" not in shown
        assert "private" not in shown
