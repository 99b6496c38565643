import asyncio
import socket
import subprocess
import sys
from typing import Any

import pytest

from rulemine.errors import EndpointError
from rulemine.llm.call import Reply
from rulemine.llm.endpoint import Endpoint, estimate_tokens, most_tokens
from rulemine.llm.problem import EndpointProblem
from tests.llm.running_server import KEY, Running, call_of, options_for, send


def always(fault: str) -> Any:
    return lambda request, times: fault


@pytest.mark.parametrize("schema", [True, False])
def test_a_call_is_answered(transport: str, schema: bool) -> None:
    with Running() as fake:
        call = call_of(7, schema=schema)
        [reply] = send(options_for(fake.url), call)
        assert isinstance(reply, Reply)
        assert "the aunts of e00007?" in reply.text
        assert reply.text.startswith("{") == schema
        assert (reply.finish_reason, reply.prompt_tokens > 0) == ("stop", True)
        assert fake.server.authorizations == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("fault", "kind", "charged"),
    [
        ("429", "limited", False),
        ("500", "fault", False),
        ("502", "busy", False),
        ("503", "busy", False),
        ("html-502", "busy", False),
        ("reset", "fault", True),
        ("reset-at-once", "cut", True),
        ("garbage", "fault", True),
        ("invalid-json", "fault", True),
        ("empty-choices", "empty", True),
        ("null-content", "empty", True),
        ("empty-eos", "empty", True),
        ("html-200", "fault", True),
        ("400-context", "refused", False),
    ],
)
def test_what_goes_wrong_is_told_apart(
    fault: str, kind: str, charged: bool, transport: str
) -> None:
    with Running(fault=always(fault)) as fake:
        [problem] = send(options_for(fake.url), call_of())
        assert isinstance(problem, EndpointProblem)
        # The default transport cannot tell when a connection was reset.
        assert problem.kind == kind or (fault, transport, problem.kind) == (
            "reset",
            "default",
            "cut",
        )
        assert problem.charged == charged
        assert "\n" not in problem.detail
        assert problem.__context__ is None, "the client's exception holds the request and its key"
        assert sum(fake.server.received.values()) == 1, "the client asks once"


@pytest.mark.parametrize("fault", ["timeout", "drip"])
def test_the_time_out_counts_to_the_last_byte(
    fault: str, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fake_endpoint.DRIP_SECONDS", 0.02)  # a byte: the whole takes seconds
    with Running(fault=always(fault)) as fake:
        [problem] = send(options_for(fake.url, timeout=0.5), call_of())
        assert isinstance(problem, EndpointProblem)
        assert (problem.kind, problem.charged) == ("fault", True)
        assert problem.detail == "no whole answer within 0.5 s"
        assert problem.__context__ is None
        assert sum(fake.server.received.values()) == 1, "the client asks once"


@pytest.mark.parametrize(
    ("fault", "wait"), [("429-seconds", 1.0), ("429-date", 1.0), ("429-ms", 0.15), ("429", None)]
)
def test_how_long_to_wait_comes_with_the_problem(fault: str, wait: float | None) -> None:
    with Running(fault=always(fault)) as fake:
        [problem] = send(options_for(fake.url), call_of())
        assert problem.retry_after == wait


@pytest.mark.parametrize(
    ("fault", "reason"), [("length", "length"), ("content-filter", "content_filter")]
)
def test_a_reply_that_was_cut_is_a_reply(fault: str, reason: str) -> None:
    with Running(fault=always(fault)) as fake:
        [reply] = send(options_for(fake.url), call_of())
        assert isinstance(reply, Reply)
        assert reply.finish_reason == reason


@pytest.mark.parametrize("fault", ["wrong-schema", "headers"])
def test_odd_replies_are_replies(fault: str, transport: str) -> None:
    with Running(fault=always(fault)) as fake:
        [reply] = send(options_for(fake.url), call_of())
        assert isinstance(reply, Reply)
        assert reply.text


@pytest.mark.parametrize("fault", ["401", "403"])
def test_a_refused_key_names_the_variable_and_never_the_key(fault: str, transport: str) -> None:
    with Running(fault=always(fault)) as fake:
        [error] = send(options_for(fake.url), call_of())
    assert isinstance(error, EndpointError)
    assert "TEST_KEY" in str(error)
    assert fault in str(error)
    for piece in (KEY, KEY[:8], KEY[-8:], KEY[-4:]):
        assert piece not in str(error) + repr(error)
    assert error.__context__ is None


def test_an_unknown_model_lists_those_there_are() -> None:
    with Running(models=("qwen-7b", "qwen-72b")) as fake:
        [error] = send(options_for(fake.url), call_of(model="qwen-7"))
        assert isinstance(error, EndpointError)
        assert "'qwen-7'" in str(error)
        assert "did you mean 'qwen-7b'?" in str(error)
        [error] = send(options_for(fake.url), call_of(model="else"))
        assert "known: qwen-72b, qwen-7b. Set --model." in str(error)


def test_an_address_without_the_api_says_where_it_mostly_is() -> None:
    with Running() as fake:
        [error] = send(options_for(fake.url.removesuffix("/v1")), call_of())
    assert isinstance(error, EndpointError)
    assert "/v1" in str(error)


def test_money_that_is_spent_and_redirects_stop_at_once() -> None:
    for fault, word in (("quota", "pay"), ("redirect", "base_url")):
        with Running(fault=always(fault)) as fake:
            [error] = send(options_for(fake.url), call_of())
        assert isinstance(error, EndpointError)
        assert word in str(error)


def test_nobody_there(transport: str) -> None:
    with Running() as fake:
        url = fake.url
    [problem] = send(options_for(url), call_of())
    assert isinstance(problem, EndpointProblem)
    assert problem.kind == "away"
    assert "refused" in problem.detail


def test_an_unknown_host_stops_at_once(transport: str) -> None:
    [error] = send(options_for("http://nonexistent.invalid/v1"), call_of())
    assert isinstance(error, EndpointError)
    assert "nonexistent.invalid" in str(error)
    assert "base_url" in str(error)


def test_a_host_that_has_answered_is_away_when_its_name_is_not_known_any_more(
    transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*rest: object, **more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def go() -> str:
        endpoint = Endpoint(options_for(fake.url.replace("127.0.0.1", "localhost")), KEY)
        assert isinstance(await endpoint.send(call_of(1)), Reply)
        fake.gone()
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        for _ in range(3):  # the connection that was kept may be found cut off first
            with pytest.raises(EndpointProblem) as caught:
                await endpoint.send(call_of(2))
        await endpoint.close()
        return caught.value.kind

    with Running() as fake:
        assert asyncio.run(go()) == "away"


def test_local_endpoints_are_not_asked_through_a_proxy(
    transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with Running() as fake:
        [reply] = send(options_for(fake.url), call_of())
    assert isinstance(reply, Reply)


@pytest.mark.parametrize("name", ["max_tokens", "temperature", "seed", "response_format"])
def test_a_parameter_that_is_not_known_is_left_out_from_then_on(name: str) -> None:
    told: list[str] = []
    with Running(refuses=(name,)) as fake:
        found = send(options_for(fake.url), call_of(1), call_of(1), call_of(2), status=told.append)
        assert isinstance(found[0], EndpointProblem)
        assert found[0].kind == "adapted"
        assert all(isinstance(reply, Reply) for reply in found[1:])
        assert sum(fake.server.received.values()) == 3
    assert len(told) == 1
    assert name in told[0]
    assert ("max_completion_tokens" in told[0]) == (name == "max_tokens")


def test_several_parameters_can_be_unknown() -> None:
    with Running(refuses=("seed", "temperature", "response_format")) as fake:
        found = send(options_for(fake.url), *[call_of()] * 4)
    assert [type(one) for one in found] == [EndpointProblem] * 3 + [Reply]


def test_structured_outputs_always_or_never() -> None:
    with Running(plain=True) as fake:
        [problem] = send(options_for(fake.url, structured="always"), call_of())
        assert isinstance(problem, EndpointProblem)
        assert problem.kind == "refused"
        [reply] = send(options_for(fake.url, structured="never"), call_of())
        assert isinstance(reply, Reply)
        assert not reply.text.startswith("{")


def test_a_refusal_without_a_reason_is_tried_once_without_structure() -> None:
    def fault(request: dict[str, Any], times: int) -> str:
        return "400-parameter" if "response_format" in request else ""

    told: list[str] = []
    with Running(fault=fault) as fake:
        found = send(options_for(fake.url), call_of(1), call_of(1), call_of(2), status=told.append)
        assert [type(one) for one in found] == [EndpointProblem, Reply, Reply]
        assert len(told) == 1
    with Running(fault=always("400-parameter")) as fake:
        first, second = send(options_for(fake.url), call_of(1), call_of(1), status=told.append)
        assert (first.kind, second.kind, second.code) == ("adapted", "refused", "refused")
        assert len(told) == 1, "it was not that"


def test_a_model_that_answered_in_structure_is_not_doubted() -> None:
    def fault(request: dict[str, Any], times: int) -> str:
        return "400-parameter" if "e00002" in str(request) else ""

    with Running(fault=fault) as fake:
        _, problem = send(options_for(fake.url), call_of(1), call_of(2))
        assert problem.kind == "refused"


def test_tokens_that_are_not_told_are_estimated() -> None:
    with Running(usage=False) as fake:
        [reply] = send(options_for(fake.url), call_of())
    assert reply.prompt_tokens == sum(4 + estimate_tokens(m.content) for m in call_of().messages)
    assert reply.completion_tokens == estimate_tokens(reply.text)
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde", "日本")] == [0, 1, 1, 2, 2]


def test_no_call_costs_more_than_what_is_set_aside_for_it() -> None:
    call = call_of()
    assert (
        most_tokens(call) > sum(len(message.content) for message in call.messages) + call.max_tokens
    )
    assert most_tokens(call_of(schema=False)) < most_tokens(call)


@pytest.mark.parametrize(
    ("body", "text", "reason"),
    [
        ('{"choices":[{"message":{"content":"Who?"}}]}', "Who?", "stop"),
        ('{"choices":[{"message":{"content":[{"text":"Wh"},{"text":"o?"}]}}]}', "Who?", "stop"),
        ('{"choices":[{"message":{"content":null,"refusal":"No."}}]}', "No.", "stop"),
        ('{"choices":[{"message":{"content":null},"finish_reason":"length"}]}', "", "length"),
        ('{"choices":[{"message":{"content":"\\ud83d!"}}]}', "\ufffd!", "stop"),
        (f'{{"choices":[{{"message":{{"content":"my key is {KEY}."}}}}]}}', "my key is ….", "stop"),
        ('{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-1}}', "x", "stop"),
        ('{"choices":[{"message":{"content":"x"}}],"usage":[]}', "x", "stop"),
    ],
)
def test_replies_of_many_servers_are_read(body: str, text: str, reason: str) -> None:
    reply = Endpoint(options_for("http://127.0.0.1:1/v1"), KEY)._reply(body, call_of())
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish_reason) == (text, reason)
    assert reply.prompt_tokens >= 0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error":{"message":"slow down","code":429}}', "limited"),
        ('{"error":{"message":"upstream","code":502}}', "busy"),
        ('{"error":{"message":"?","code":"odd"}}', "fault"),
        ('{"choices":[null]}', "empty"),
        ('{"choices":[{"message":null}]}', "empty"),
        ('{"choices":[{"message":{"content":""}}]}', "empty"),
        ('{"choices":{}}', "fault"),
        ("[]", "fault"),
        ("7", "fault"),
        ("", "fault"),
        ("[" * 100_000, "fault"),
    ],
)
def test_what_is_no_reply_is_a_problem(body: str, kind: str) -> None:
    problem = Endpoint(options_for("http://127.0.0.1:1/v1"), KEY)._reply(body, call_of())
    assert isinstance(problem, EndpointProblem)
    assert problem.kind == kind


def test_without_the_package_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(EndpointError, match=r"pip install 'rulemine\[llm\]'"):
        Endpoint(options_for("http://127.0.0.1:1/v1"), KEY)


def test_nothing_shows_the_key_or_the_password() -> None:
    options = options_for("http://me:hush-hush-hush@127.0.0.1:1/v1?sig=private-private")
    endpoint = Endpoint(options, KEY)
    for shown in (repr(endpoint), repr(options), str(vars(endpoint)["_redact"])):
        assert KEY not in shown
        assert "hush" not in shown
        assert "private" not in shown


def test_a_query_of_the_address_is_sent_with_every_request() -> None:
    with Running() as fake:
        [reply] = send(options_for(fake.url + "?api-version=2"), call_of())
        assert isinstance(reply, Reply)
        assert fake.server.paths == {"/v1/chat/completions?api-version=2"}


def test_the_client_is_imported_only_when_it_is_used() -> None:
    code = "import sys, rulemine.llm.session; assert not {'openai', 'aiohttp'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
