"""Ctrl-C and kill in every stage: nothing half-written, and the next run ends with the same bytes.

A small driver runs the command line and sends the signal to its own process at a chosen place, so that
every place is hit for certain.
"""

import os
import signal
from pathlib import Path

import pytest

from rulemine.builder.pipeline import STAGES as ALL_STAGES
from tests.cli.conftest import started, told
from tests.command_line import Command, dense_graph, run, tree

STAGES = [stage for stage in ALL_STAGES if stage != "verbalize"]
"""Those of a build without a language model."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]

DRIVER = """
import os, pathlib, signal, sys
from dataclasses import replace
import rulemine.cli.main, rulemine.files, rulemine.builder.pipeline

place, number, *words = sys.argv[1:]

def strike():
    os.kill(os.getpid(), int(number))

kind, _, name = place.partition(":")
if kind == "work":  # a stage has written all its files, and not yet its manifest
    real = rulemine.builder.pipeline.run_stage
    def run_stage(stage, parent):
        def work(folder):
            stage.work(folder)
            strike()
        return real(replace(stage, work=work) if stage.name == name else stage, parent)
    rulemine.builder.pipeline.run_stage = run_stage
elif kind == "rename":  # before, and in the middle of, an exchange of folders
    real = pathlib.Path.rename
    def rename(self, target):
        if str(self).endswith(name):
            strike()
        return real(self, target)
    pathlib.Path.rename = rename
elif kind == "write":  # a file is written under its temporary name
    real = rulemine.files.os.fsync
    def fsync(handle):
        real(handle)
        strike()
    rulemine.files.os.fsync = fsync
elif kind == "call":  # the first time that a function is called
    module, _, function = name.rpartition(".")
    owner = __import__(module, fromlist=["x"])
    real = getattr(owner, function)
    def call(*rest, **named):
        strike()
        return real(*rest, **named)
    setattr(owner, function, call)

sys.exit(rulemine.cli.main.main(words))
"""

BUILD = ["build", "kg.tsv", "--rules", "rules.txt", "-o", "out/kg"]


def struck(folder: Path, number: int, place: str, words: list[str]) -> None:
    """Runs a command that is struck by a signal at a place, and checks how it ends."""
    done = run(folder, [place, str(int(number)), *words], ("-c", DRIVER))
    if number == signal.SIGKILL:
        assert done.status == -signal.SIGKILL, done
    else:
        assert done.status == 130, done
        said = (
            "rulemine: interrupted. Nothing is left half-written; finished stages and all replies"
        )
        assert said in done.err
        assert "Traceback" not in done.err


def whole(folder: Path) -> dict[str, str]:
    """What lies in a folder for users: not locks and what begins with a dot."""
    return {
        name: digest
        for name, digest in tree(folder).items()
        if not any(part.startswith(".") for part in name.split("/"))
    }


@pytest.fixture
def uninterrupted(made: Path) -> dict[str, str]:
    """Every file of a build that nothing disturbed, stages included."""
    return whole(made / "out")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_build_struck_in_every_stage_ends_with_the_same_bytes(
    here: Path, command: Command, uninterrupted: dict[str, str], number: int
) -> None:
    for at, stage in list(enumerate(STAGES))[:: 1 if number == signal.SIGKILL else 3]:
        struck(here, number, f"work:{stage}", BUILD)
        there = whole(here / "out")
        finished = {name.split("/")[1] for name in there if name.count("/") == 1}
        assert finished == set(STAGES[:at]), "what was finished is kept, and nothing else is there"
        assert there.items() <= uninterrupted.items()
        if number == signal.SIGINT and at:
            assert set(tree(here / "out" / "kg.stages")) - {".lock"} == {
                name.removeprefix("kg.stages/") for name in there if "/" in name
            }
    ended = command(*BUILD)
    assert ended.status == 0
    assert ended.err.count("reused") == at
    assert whole(here / "out") == uninterrupted
    hidden = [p.name for p in (here / "out").rglob(".*")]
    assert hidden == [".lock"], "what a killed process left was taken away"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize(
    "place", ["rename:.select.exchange/new", "rename:out/kg", "rename:.kg.exchange/new"]
)
def test_a_build_struck_while_it_replaces_an_older_one(
    here: Path, command: Command, uninterrupted: dict[str, str], number: int, place: str
) -> None:
    assert command(*BUILD, "--seed", "5").status == 0
    older = whole(here / "out" / "kg")
    struck(here, number, place, BUILD)
    there = whole(here / "out" / "kg") if (here / "out" / "kg").exists() else {}
    killed_between = (number, place) == (signal.SIGKILL, "rename:.kg.exchange/new")
    assert there == ({} if killed_between else older), "the old release whole, or none"
    assert command(*BUILD).status == 0
    assert whole(here / "out") == uninterrupted
    assert [p.name for p in (here / "out").rglob(".*")] == [".lock"]
    assert command("verify", "out/kg").status == 0


PLACES = {
    "verify": ("call:rulemine.verify.verify", ["verify", "out/kg"]),
    "answer": ("write:", ["answer", "out/kg", "--with", "reasoner", "-o", "new/p.jsonl"]),
    "evaluate": ("write:", ["evaluate", "out/kg", "p.jsonl", "-o", "new/report.txt"]),
    "rename": ("write:", ["rename", "out/kg", "--naming", "text", "-o", "new/text"]),
    "release published": (
        "rename:.text.exchange/new",
        ["rename", "out/kg", "--naming", "text", "-o", "new/text"],
    ),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("name", PLACES)
def test_other_commands_struck(built, command, name, number):
    here = built
    (here / "new").mkdir()
    before = tree(here / "out")
    place, words = PLACES[name]
    struck(here, number, place, words)
    assert whole(here / "new") == {}
    if number == signal.SIGINT:
        assert tree(here / "new") == {}
    assert command(*words).status == 0
    once = whole(here / "new")
    assert command(*words).status == 0
    assert whole(here / "new") == once
    assert bool(once) == (name != "verify")
    assert tree(here / "out") == before


MINING = """
import sys
import rulemine.cli.main, rulemine.mining

real = rulemine.mining.mine
def mine(kg, options, resources, progress, **more):
    def tell(done, total):
        print("Java mines", file=sys.stderr, flush=True)
        progress(done, total)
    return real(kg, options, resources, tell, **more)
rulemine.mining.mine = mine

sys.exit(rulemine.cli.main.main())
"""


def test_ctrl_c_while_java_mines(here: Path) -> None:
    (here / "dense.tsv").write_text(dense_graph())
    before = tree(here)
    thresholds = ["head_coverage", "std_confidence", "pca_confidence"]
    words = ["build", "dense.tsv", "-o", "out/x", "--set", "mining.max_atoms=5"]
    words += [word for name in thresholds for word in ("--set", f"mining.min_{name}=0")]
    with started(here, words, ("-c", MINING)) as process:
        told(process, "Java mines")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)  # all of it would take hours
    assert process.returncode == 130, err
    assert "rulemine: interrupted" in err
    assert "Traceback" not in err
    assert tree(here) == before, "not even an empty folder is left"
