import pytest

from rulemine.errors import ConfigError, EndpointError
from rulemine.llm.options import EndpointOptions


def test_an_address_without_a_host_is_refused():
    for url in (
        "http://", "https:///v1", "http://host:99999/v1", "http://[::1/v1", "http://a b/v1", "ftp://x/v1",
    ):  # fmt: skip
        with pytest.raises(ConfigError, match="base_url"):
            EndpointOptions(base_url=url)


def test_local_endpoints_need_no_key(monkeypatch):
    monkeypatch.delenv("SOME_KEY", raising=False)
    for url, local in (
        ("http://localhost:8000/v1", True), ("http://127.0.0.1/v1", True), ("http://127.9.9.9/v1", True),
        ("http://[::1]:80/v1", True), ("https://api.openai.com/v1", False),
        ("http://192.168.0.7:8000/v1", False), ("http://127.0.0.1.example.org/v1", False),
        ("http://localhost@example.org/v1", False),
    ):  # fmt: skip
        options = EndpointOptions(base_url=url, api_key_variable="SOME_KEY")
        assert options.is_loopback == local, url
        if local:
            assert options.key() == "none"
        else:
            with pytest.raises(EndpointError, match=r"export SOME_KEY=….*export SOME_KEY=none"):
                options.key()


def test_the_key_is_taken_from_the_variable_that_is_named(monkeypatch):
    monkeypatch.setenv("SOME_KEY", " abc-123\n")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    assert EndpointOptions(api_key_variable="SOME_KEY").key() == "abc-123"


def test_a_key_that_no_header_can_hold_is_refused_unseen(monkeypatch):
    for key in ("two words", "line\nbreak", "schlüssel"):
        monkeypatch.setenv("SOME_KEY", key)
        with pytest.raises(EndpointError, match="SOME_KEY") as caught:
            EndpointOptions(api_key_variable="SOME_KEY").key()
        assert key not in str(caught.value)


def test_user_info_and_query_are_never_shown():
    options = EndpointOptions(base_url="https://me:hush@host.org:8443/deep/v1/?sig=private&v=2#x")
    assert options.address == "https://host.org:8443/deep/v1"
    assert options.secrets == ("hush", "private", "2")
    assert options.query == {"sig": "private", "v": "2"}
    shown = f"{options!r} {options} {options.address}"
    assert not any(secret in shown for secret in ("hush", "private"))
