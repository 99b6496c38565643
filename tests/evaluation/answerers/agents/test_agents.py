"""What holds for every agent: nothing said ends a run, or is asked again; and how it is read."""

import pytest

from rulemine.config import keys_of
from rulemine.errors import NoReplyError
from rulemine.evaluation.answerers.agents.agent import (
    LONGEST,
    chosen,
    is_none,
    json_value,
    read_yes,
    scored,
)
from rulemine.evaluation.answerers.protocol import OpenQuestion
from rulemine.evaluation.answerers.registry import answer, asks_model, find_answerer
from rulemine.llm import EndpointOptions
from rulemine.llm.call import Reply
from rulemine.seeds import stream
from tests import ROOT, each
from tests.chat_server import KEY, ChatServer
from tests.evaluation.answerers.agents.test_tools import calls
from tests.evaluation.answerers.scripted import Script, broken, graph, run, shown, told

AGENTS = ("think-on-graph", "plan-on-graph", "struct-gpt", "generate-on-graph", "tools")

NOISE = (
    "", "none", "Yes", "{No}", "{", "[[[[", '{"Answer": {"a": [null, 7, "Frank"]}, "Sufficient": true}',
    '["Frank", ["x"], null]', "(Score: 0.5) (Score: 9e99)", "Search[]", "Search[Frank|]]", "Generate[x]",
    "Finish[unknown]", "Finish[|]", "a | b | c", "\0\n\r\t", "Next question: why?", "Answer:", "\u0301\ud83d",
    "<think>Search[Dune]", '{"Sufficient": "Yes", "Answer": "\\ud800", "\\udfff": ["\\ud800"]}',
    '["\\ud800"]',
)  # fmt: skip


def conversation(seed):
    """A model that says noise, echoes its options, or fails."""
    draws = stream(seed, "noise")

    def says(call):
        kind = draws.below(4)
        if kind == 0:
            return broken
        if kind == 1:
            return "\n".join(f"{line} (Score: 0.5)" for line in shown(call)[3:])
        if kind == 2 and call.tools:
            return Reply("", tool_calls=[{"function": {"arguments": shown(call)[0]}}])
        return Reply(NOISE[draws.below(len(NOISE))])

    return Script(says)


@each("name", AGENTS)
def test_nothing_that_a_model_says_ends_a_run(name):
    """A hundred conversations, the calls of which are the same again, as a journal takes for granted."""
    agent = find_answerer(name)
    assert asks_model(agent)
    for seed in range(100):
        script, again = conversation(seed), conversation(seed)
        found = run(agent, script)
        assert run(agent, again) == found
        assert [call.key for call in again.calls] == [call.key for call in script.calls]
        assert found.calls <= agent.worst_calls(1)
        assert None not in (found.text, found.retrieved)
    script = Script(lambda call: "author (Score: 0.5), Search[Dune] Next question: " * 20_000)
    run(agent, script)
    sizes = (len(str(message["content"])) for call in script.calls for message in call.messages)
    assert max(sizes) < 8 * LONGEST


def test_topics_that_are_not_in_the_graph_are_answered_without_it():
    for name in AGENTS[:-1]:
        for topics in ((), ("Atlantis",)):
            script = Script(answer=["Plato"])
            found = run(find_answerer(name), script, question=OpenQuestion("q2", "Who?", topics))
            assert (found.text, found.retrieved, found.calls) == ("Plato", [], 1)
            assert told(script) == []


def test_the_page_has_every_option_with_its_default():
    page = (ROOT / "docs" / "answerers.md").read_text("utf-8")
    for name in AGENTS:
        agent = find_answerer(name)
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert row.split("|")[-2] == f" {agent.worst_calls(1)} "
        for key in keys_of(agent):
            assert key.meaning, key.name
            assert key.option.bounded or key.hint is str, key.name
            assert key.name.endswith("_tokens") or f"`{key.name}={key.default}`" in row, key.name


STAR = graph([("Hub", "likes", f"p{number:02}") for number in range(80)])
LIKES = {"entity": "Hub", "relation": "likes", "direction": "out"}
DRAWING = (
    ("think-on-graph:width=99", 5, "Entities (5 of 80):"), ("struct-gpt", 60, "likes: 60 of 80 shown"),
    ("generate-on-graph", 5, "likes at Hub: 5 of 80 shown"), ("tools:results=7:calls=2", 7, '"found": 80'),
    ("k-hop:max_triples=9", 9, ""),
)  # fmt: skip


@each(("name", "number", "heading"), DRAWING)
def test_of_many_neighbors_some_are_drawn_by_the_seed(name, number, heading):
    def says(call):
        if call.tools and len(call.messages) == 2:
            return calls(*[("neighbors", LIKES)] * 3)
        step = call.purpose.rpartition("-")[2]
        first = shown(call)[-1].startswith("Write thought 1 ")
        acts = "Action: Search[Hub]" if first else "Action: Finish[p1]"
        return {"step": acts, "enough": "yes", "entities": "all"}.get(step, "likes (Score: 1)")

    def drawn(seed):
        hub, script = OpenQuestion("q3", "Who?", ("Hub",)), Script(says)
        found = run(find_answerer(name), script, STAR, hub, seed=seed)
        said = [str(m["content"]) for call in script.calls for m in call.messages]
        assert heading in "\n".join(said)
        assert "tools" not in name or '{"error": "at most 2 calls at once"}' in said
        return list(found.retrieved)

    assert len(drawn(0)) == number
    assert drawn(0) == drawn(0) == sorted(drawn(0)) != drawn(1)


def test_a_model_that_says_nothing_is_asked_once_and_told_of(http, release, tmp_path, monkeypatch):
    """Found with a real endpoint: what had no word was sent again and again until the run ended."""
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in AGENTS:
        with ChatServer(lambda request, times: "", http=http) as server:
            options = EndpointOptions(base_url=server.url, api_key_variable="TEST_KEY")
            with pytest.raises(NoReplyError, match="an empty reply") as ended:
                answer(release, name, model="fake", endpoint=options, folder=tmp_path / name)
            assert f": {server.received.total()} calls have no answer" in str(ended.value)


M, IN_LAW = "family.mother", "family.mother_in_law"
RELATIONS = [M, IN_LAW, f"inverse of {M}"]


def test_options_are_found_in_a_reply():
    cases = {
        M: [M], f"{M}, inverse of {M}": [M, f"inverse of {M}"], f'["{IN_LAW}"]': [IN_LAW],
        f"- {M}\n- {M}\n": [M], f"I take inverse of {M}, of course.": [f"inverse of {M}"],
        f"Relations: {M}\n{IN_LAW}": [M, IN_LAW], "family.father": [], "": [], "none": [],
    }  # fmt: skip
    assert {text: chosen(text, RELATIONS) for text in cases} == cases
    # A list of names is not searched for words that are names too.
    assert chosen("Yes, Minister", ["Yes, Minister", "Yes", "It"]) == ["Yes, Minister"]
    assert chosen("anything", []) == []


def test_ratings_belong_to_the_option_before_them():
    cases = {
        f"{{{M} (Score: 0.4)}}": {M: 0.4}, f"1. {{{IN_LAW} (Score: .5)}}: fits": {IN_LAW: 0.5},
        f"{M}, score = 8; {M} (score: 0.1)": {M: 1.0}, "family.father (Score: 0.4)": {}, M: {},
        "Score: 0.5": {}, f"{M} (Score: " + "9" * 400 + ")": {M: 1.0},
    }  # fmt: skip
    assert {text: scored(text, RELATIONS) for text in cases} == cases


def test_yes_is_the_first_of_yes_and_no_and_nothing_is_said_in_several_ways():
    assert read_yes('{"Go back": "Yes", "Reason": "no way"}')
    assert [*map(read_yes, ("No. Yes would be wrong.", "Yesterday", ""))] == [False] * 3
    assert all(map(is_none, ("", " ", "none", "None.", '"unknown"', "NULL", "n/a")))
    assert not is_none("None but the brave")


def test_json_is_found_in_words():
    assert json_value('{"a": [1]} is it', list) == [1]
    assert json_value('It is ```json\n{"a": "{b"}\n```', dict) == {"a": "{b"}
    assert json_value('So: {"a": [1, "b,]",],}', dict) == {"a": [1, "b,]"]}
    assert json_value('["\\ud83d\\ude00 \\ud800"]', list) == ["\U0001f600 \ufffd"]
    for text, kind in (("[" * 100_000, list), ('{"a": 1', dict), ("[1]", dict)):
        assert json_value(text, kind) is None
