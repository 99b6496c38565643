"""A model that reads replies: what it is shown, what its lists score, and that nothing is asked twice.

The command is that of ``docs/scoring.md``.
"""

import json

import pytest

from rulemine.cli.main import main
from tests.chat_server import ChatServer
from tests.evaluation.world import CID, EVE, QUESTIONS, write_release

ESSAYS = {
    "q00001": f"One thinks of {CID} at once. Nobody but {EVE} comes near.",
    "q00002": "I cannot say.",
    "q00003": "",
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY_1", raising=False)
    write_release(tmp_path / "release")
    lines = (json.dumps({"id": id_, "raw_output": text}) for id_, text in ESSAYS.items())
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    return [str(tmp_path / "release"), str(tmp_path / "p.jsonl")]


def says(request, times):
    shown = request["messages"][-1]["content"]
    return json.dumps({"names": [CID, EVE]}) if "comes near" in shown else "Sorry, no list."


def test_a_model_reads_each_reply_once_and_is_shown_no_answer(files, capsys):
    with ChatServer(says) as server:
        words = ["evaluate", *files, "--reader", f"m@{server.url}"]
        assert main([*words, "--dry-run"]) == 0
        assert "2, at most 2 (2 for lists)" in capsys.readouterr().out
        assert not server.bodies
        assert main([*words, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert main(words) == 0  # the journal answers
    table = " ".join(capsys.readouterr().out.split())
    shown = [body["messages"][-1]["content"] for body in server.bodies]
    asked = {q.id: q.question for q in QUESTIONS}
    replies = (f"Question: {asked[i]}\n\nReply:\n{ESSAYS[i]}" for i in ("q00001", "q00002"))
    assert sorted(shown) == sorted(replies)
    model = found["reader"]
    assert (model["model"], model["n"], model["naming"]) == ("m", 3, found["naming"])
    assert model["all"]["scores"]["hits_any"]["value"] == 1 / 3
    said = "Of 2 replies with a word, rules and m read the same names in "
    assert model["notes"][0].startswith(said)
    assert model["notes"][1] == "Replies of which m gave no list: 1; they score 0 in its reading."
    assert said in table
