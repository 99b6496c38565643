import json
import shlex
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from rulemine.cli.main import main
from rulemine.errors import ConfigError, LimitError, OutputError
from rulemine.evaluation import answer
from rulemine.evaluation.answerers import command
from rulemine.evaluation.answerers.command import Command
from rulemine.llm.journal import Journal
from tests.evaluation.world import BOB, CID, question, write_release

PROGRAM = '''
"""What it does to a question stands in its arguments, e.g. q00002=die; else it says what it was given."""
import json, os, sys, time

todo = dict(word.split("=") for word in sys.argv[2:])
for line in sys.stdin:
    asked = json.loads(line)
    with open(sys.argv[1], "a") as file:
        file.write(asked["id"] + "\\n")
    does = todo.get(asked["id"], "answer")
    if does == "hang":
        if os.fork() == 0:
            time.sleep(60)  # a process of its own holds the pipe, too
        time.sleep(60)
    while does == "blank":
        print()
    if does == "die":
        sys.exit("out of memory")
    if does == "rubbish":
        print("Loading the model ...")
        continue
    if does == "incomplete":
        print(json.dumps({"id": asked["id"]}))
        continue
    with open(os.environ["RULEMINE_KG"]) as file:
        triples = [line.rstrip("\\n").split("\\t") for line in file]
    near = sorted(t[2] for t in triples if t[0] in asked["topic_entities"])
    told = {"id": "q99999" if does == "other" else asked["id"], "raw_output": " ".join(near)}
    told["retrieved"] = [["a", os.environ["RULEMINE_NAMING"], asked["question"]]]
    if does == "cost":
        told["usage"] = {"calls": 2, "prompt_tokens": 30, "completion_tokens": 4, "seconds": 0.5}
    print("\\n" + json.dumps(told), end="" if does == "last" else "\\n", flush=True)
    if does == "last":
        sys.exit()
'''


@pytest.fixture
def ask(tmp_path):
    """Asks the program about q00001, q00002, … of a release; returns the predictions and the notes."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    asked = [question(n, BOB if n % 2 else CID, "father", "object") for n in range(1, 6)]
    release = write_release(tmp_path / "r", asked)

    def run(*does, folder=None, **options):
        words = [sys.executable, "-S", program, tmp_path / "asked", *does]
        system, notes = Command(program=shlex.join(map(str, words)), **options), []
        run.again = []
        told = {"note": notes.append, "unanswered": run.again.append}
        return {p.id: p for p in answer(release, system, folder=folder, **told)}, "\n".join(notes)

    return run


def asked_in(folder: Path) -> list[str]:
    return (folder / "asked").read_text().split()


def test_a_program_is_given_text_topics_graph_and_naming(ask):
    found, notes = ask("q00002=cost")
    assert found["q00001"].raw_output == "e00002 e00004"  # fathers of Bob in the incomplete graph
    assert found["q00001"].retrieved == (("a", "private", "Who? (e00001)"),)
    assert found["q00001"].cost.calls == 0
    assert found["q00001"].cost.seconds > 0
    cost = found["q00002"].cost
    assert (cost.calls, cost.prompt_tokens, cost.completion_tokens, cost.seconds) == (2, 30, 4, 0.5)
    assert notes == ""


def test_what_is_no_answer_counts_as_none_and_is_said(ask):
    for does, kind, said in (
        ("die", "ended", "q00003: the program ended (exit status 1) without an answer"),
        ("rubbish", "no JSON object", "wrote 'Loading the model ...', no JSON object"),
        ("incomplete", "no prediction", "has no 'raw_output', 'answers', 'sparql', 'cypher' or"),
        ("other", "another id", "answered 'q99999' instead"),
    ):
        found, notes = ask(f"q00003={does}")
        assert [p.id for p in found.values() if p.answers == ()] == ["q00003"]
        assert all(found[key].raw_output for key in ("q00002", "q00004"))
        assert said in notes
        assert f"1 question of 5 got no answer (1 × {kind})" in notes
        assert ("ends with 'out of memory'" in notes) == (does == "die")
        assert ("belongs to standard error" in notes) == (does == "rubbish")


def test_a_program_that_hangs_is_ended_with_all_that_it_started(ask):
    begun = time.monotonic()
    for does in ("hang", "blank"):
        found, notes = ask(f"q00003={does}", timeout=1.5)
        assert found["q00003"].answers == ()
        assert found["q00004"].raw_output
        assert "1 × time-out" in notes
        assert "needs command:restart=true" in notes
    assert time.monotonic() - begun < 50  # else its child was waited for


def test_what_was_answered_is_kept_and_the_rest_asked_again(ask, tmp_path):
    bad, work = ("q00002=die", "q00004=rubbish"), tmp_path / "work"
    ask(*bad, folder=work)
    before = asked_in(tmp_path)
    found, notes = ask(*bad, folder=work)
    assert asked_in(tmp_path)[len(before) :] == ask.again == ["q00002", "q00004"]
    assert found["q00001"].raw_output == "e00002 e00004"
    assert "3 answers of an earlier run were kept" in notes
    ask(folder=work)
    assert len(asked_in(tmp_path)) == len(before) + 2 + 5
    (tmp_path / "program.py").write_text(PROGRAM + "# changed\n")
    assert ask(folder=work)[1] == ""
    assert len(asked_in(tmp_path)) == len(before) + 2 + 10
    kept = sorted((work / "command").glob("*.sqlite"), key=lambda path: path.stat().st_mtime)[-1]
    with closing(Journal(kept)), pytest.raises(OutputError, match="another process"):
        ask(folder=work)


def test_a_program_that_ends_after_each_answer_is_started_again(ask, release):
    found, notes = ask(*(f"q0000{n}=last" for n in range(1, 6)))
    assert all(p.raw_output for p in found.values())
    assert notes == ""
    words = ["sed", "s/question/raw_output/"]  # it buffers what goes into a pipe
    said = answer(release, Command(program=shlex.join(words), restart=True))
    assert [p.raw_output for p in said] == [q.question for q in release.questions("test")]


def test_a_program_that_answers_nothing_ends_the_run(ask, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "MOST_FAILURES", 2)
    with pytest.raises(LimitError, match="no answer to 2 questions in a row; to q00003"):
        ask("q00002=die", "q00003=die", folder=tmp_path / "work")
    assert asked_in(tmp_path) == ["q00001", "q00002", "q00002", "q00003"]  # it may only have ended


def test_what_cannot_be_run_is_refused(release):
    for options, expected in (
        ({}, "command: no program"),
        ({"program": "no-such-program --x"}, "'no-such-program' cannot be started"),
        ({"program": "sh -c 'x"}, "expected a program and its arguments"),
        ({"program": "x", "timeout": 0}, "timeout is 0; expected a number above 0"),
    ):
        with pytest.raises(ConfigError, match=expected):
            answer(release, Command(**options))


def test_the_program_stands_after_two_dashes(release, tmp_path, capsys):
    program, out = tmp_path / "a program.py", tmp_path / "out.jsonl"
    program.write_text(PROGRAM)
    words = [sys.executable, "-S", str(program), str(tmp_path / "asked"), "q00002=cost"]
    head, tail = ["answer", str(release.path), "--with"], ["-o", str(out)]
    assert main([*head, "command:timeout=50", *tail, "--", *words]) == 0
    run, first, *_ = map(json.loads, out.read_text().splitlines())
    assert first["raw_output"]
    assert shlex.split(json.loads(run["run"]["system"].partition("program=")[2])) == words
    # What the header says is what --with takes.
    assert main([*head, run["run"]["system"], *tail]) == 0
    assert "3 answers of an earlier run were kept" in capsys.readouterr().err
    assert len(asked_in(tmp_path)) == 3
