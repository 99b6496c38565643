"""The journal: what a kill, another process, another file or an edit does to it."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from hashlib import sha256

import pytest

from rulemine.errors import InputError, OutputError, ReplayError
from rulemine.llm import Call, Failure, Replay, Reply
from rulemine.llm.call import Answer, Ask
from rulemine.llm.journal import Journal, answer_of, line_of
from tests import ROOT
from tests.chat_server import lines_of
from tests.llm.conftest import call_of

REPLIES: list[Answer] = [
    Reply("Who? \u2028 \x0b ä 🙂", "stop", 3, 4),
    Reply("", "tool_calls", 3, 4, [{"id": "1"}], "thus", {"content": []}),
    Failure("context_too_long", "400: too long", True),
    Failure("endpoint_error", "500", False),
]


def test_what_is_kept_is_there_when_it_is_opened_again(path):
    with_all = Journal(path)
    for number, answer in enumerate(REPLIES):
        with_all.keep(call_of(number), answer)
    with_all.keep(call_of(3), REPLIES[0])
    with_all.close()
    again = Journal(path, read_only=True)
    lines = [again.get(call_of(number).key) for number in range(5)]
    assert lines[4] is None
    assert [answer_of(line) for line in lines if line] == [*REPLIES[:3], REPLIES[0]]
    assert again.counts() == {("call", "fake"): 4}
    again.close()


def test_a_line_is_what_anyone_can_recompute():
    call = call_of(1, sample=2, purpose="question", extra={"ä": [1.5, None]})
    line = line_of(call, Reply("Who?", "stop", 3, 4))
    plain = {"sort_keys": True, "ensure_ascii": False, "separators": (",", ":")}
    canonical = json.dumps({**line["request"], "sample": line["sample"]}, **plain)
    assert line["key"] == sha256(canonical.encode()).hexdigest() == call.key
    assert list(line) == ["key", "purpose", "sample", "request", "reply", "usage"]
    assert line["reply"] == {"text": "Who?", "finish_reason": "stop"}
    assert line["usage"] == {"prompt_tokens": 3, "completion_tokens": 4}
    failed = line_of(call, REPLIES[3])
    assert failed["failure"] == {"code": "endpoint_error", "detail": "500", "lasting": False}
    assert not failed.keys() & {"reply", "usage"}


def test_what_no_journal_can_hold_is_no_call(path):
    journal = Journal(path)
    for value in (float("nan"), {1, 2}, "\ud800", b"a"):
        with pytest.raises(ValueError, match=r".+"):
            journal.keep(Call("fake", [{"role": "user", "content": value}]), REPLIES[0])
    journal.close()
    Journal(path).close()
    assert lines_of(path) == {}


KEEPS = """
import sys
from pathlib import Path
from rulemine.llm import Reply
from rulemine.llm.journal import Journal
from tests.llm.conftest import call_of
journal = Journal(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**9):
    journal.keep(call_of(number), Reply(f"{number}" * 500))
    print(number, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_kill_loses_nothing_that_was_kept(path):
    rng, last = random.Random(3), -1
    for _ in range(5):
        command = [sys.executable, "-c", KEEPS, str(path), str(last + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
            assert process.stdout is not None
            for _ in range(rng.randrange(1, 300)):
                last = int(process.stdout.readline())
            with pytest.raises(OutputError, match="another process"):
                Journal(path)
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().split("\n")[:-1]
        last = int(rest[-1]) if rest else last
        assert set(range(last + 1)) <= {
            int(line["request"]["messages"][1]["content"][-5:]) for line in lines_of(path).values()
        }


def test_a_file_that_is_no_journal_is_left_alone(path):
    path.parent.mkdir()
    path.touch()
    Journal(path).close()
    for content in (b"{}\n", b"SQLite format 3\0" + b"x" * 5000, b"\0" * 9000):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"journal\.sqlite: no journal of calls, or a damaged"):
            Journal(path)
        assert path.read_bytes() == content
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="a database of another program"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_damaged_journal_is_one_clear_error(path):
    journal = Journal(path)
    for number in range(200):
        journal.keep(call_of(number), REPLIES[0])
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(InputError, match="damaged"):
        [Journal(path).get(call_of(number).key) for number in range(200)]


def test_a_line_that_was_changed_is_refused(path):
    journal, (first, second) = Journal(path), (call_of(n).key for n in range(2))
    for number in range(2):
        journal.keep(call_of(number), Reply("what"))
    journal.close()
    with sqlite3.connect(path) as db:
        changed = "UPDATE call SET line = replace(line, 'what', 'whaT') WHERE key = ?"
        db.execute(changed, (first,))
        db.execute("UPDATE call SET time = substr(time, 1, 25) WHERE key = ?", (second,))
    journal = Journal(path, read_only=True)
    with pytest.raises(InputError, match=f"the line of call {first} was changed"):
        journal.get(first)
    assert journal.get(second), "those of older versions have no digest"
    journal.close()


def test_a_folder_without_rights_is_an_output_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be opened or written"):
        Journal(tmp_path / "file" / "journal.sqlite")
    with pytest.raises(OutputError, match="cannot be opened"):
        Journal(tmp_path / "missing.sqlite", read_only=True)


async def ask_two(ask: Ask) -> list[Answer]:
    return [await ask(call_of(1)), await ask(call_of(3))]


@pytest.fixture
def release(tmp_path):
    """A folder with a release's journal."""
    rows = [line_of(call_of(n), answer) | {"questions": ["q1"]} for n, answer in enumerate(REPLIES)]
    lines = [json.dumps(r, ensure_ascii=False) + "\n" for r in sorted(rows, key=lambda r: r["key"])]
    (tmp_path / "llm").mkdir()
    (tmp_path / "llm" / "journal.jsonl").write_text("".join(lines), "utf-8")
    return tmp_path


def test_a_replay_answers_from_a_journal_alone(release, path):
    with Replay(release) as session:
        assert session.run([ask_two] * 3) == [[REPLIES[1], REPLIES[3]]] * 3
        assert session.line(call_of(3).key)["failure"]["code"] == "endpoint_error"
    journal = Journal(path)
    for number, answer in enumerate(REPLIES):
        journal.keep(call_of(number), answer)
    journal.close()
    before = path.read_bytes()
    with Replay(path) as session:
        assert session.run([ask_two]) == [[REPLIES[1], REPLIES[3]]]
    assert path.read_bytes() == before


def test_what_a_replay_lacks_is_named_all_at_once(release):
    async def lacking(ask: Ask) -> Answer:
        return await ask(call_of(7, purpose="audit"))

    with Replay(release) as session, pytest.raises(ReplayError) as caught:
        session.run([ask_two, lacking, lacking, ask_two])
    assert str(caught.value).count("q7: no reply to its call 'audit' (model fake)") == 2
    assert "holds replies of fake" in str(caught.value)


EDITS = [
    (lambda line: line["request"].update(seed=1), "not that of request and sample"),
    (lambda line: line.update(sample=1), "not that of request and sample"),
    (lambda line: line.pop("sample"), "KeyError"),
    (lambda line: line.update(purpose=3), "no texts"),
    (lambda line: line.update(reply={"text": "a", "mood": "good"}, usage={}), "mood"),
    (lambda line: line.update(usage={"prompt_tokens": "3"}, reply={"text": "a"}), "integers"),
]


def test_an_edited_line_is_named(release):
    file = release / "llm" / "journal.jsonl"
    before = file.read_text("utf-8")
    for edit, said in EDITS:
        lines = [json.loads(line) for line in before.split("\n") if line]
        lines[2].pop("failure", None)
        edit(lines[2])
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        with pytest.raises(InputError, match=f"(?s)line 3: no line of a journal .*{said}"):
            Replay(release)
