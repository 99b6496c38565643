"""The command line as a process: status, channels, encodings, and output that is the same everywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rulemine
from rulemine.cli.main import main
from rulemine.errors import LimitError, RulemineError
from rulemine.release.reader import Release
from tests import ROOT
from tests.command_line import FACTS, RULES, Command, run, tree
from tests.evaluation.world import write_release

BUILD = ["build", "kg.tsv", "--rules", "rules.txt", "-o"]


def test_the_version_is_that_of_the_package(here: Path) -> None:
    assert run(here, ["--version"]).out == f"rulemine {rulemine.__version__}\n"


def test_without_a_command_the_help_is_printed(command: Command) -> None:
    asked = [command(*words) for words in ([], ["help"], ["--help"])]
    assert asked[0].status == 0
    assert asked[0].out.startswith("usage: rulemine COMMAND")
    assert asked[1] == asked[2] == asked[0]
    assert command("help", "verify") == command("verify", "--help")


def test_results_go_to_standard_output_and_talk_to_standard_error(here: Path) -> None:
    ended = run(here, [*BUILD, "out/x"])
    assert ended.status == 0
    assert ended.out.startswith("out/x: ")
    assert len(ended.err.splitlines()) == 7, "a line for each stage, and no progress bar in a log"
    assert "\r" not in ended.err


def test_standard_output_is_utf8_whatever_the_locale(here: Path) -> None:
    (here / "kg.tsv").write_text(FACTS.replace("\twife\t", "\t妻 (é)\t"), encoding="utf-8")
    (here / "rules.txt").write_text(RULES.replace("  wife  ", "  妻 (é)  "), encoding="utf-8")
    assert run(here, [*BUILD, "out/x"], PYTHONIOENCODING="ascii", LC_ALL="C").status == 0
    ended = run(here, ["show", "out/x", "q00001"], PYTHONIOENCODING="ascii", LC_ALL="C")
    assert "?" not in ended.out.split("Rule")[1]
    assert "★" in ended.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_said(here: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rulemine", "data", "list"],
            cwd=here,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("rulemine: standard output: cannot be written")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_stops_reading_is_no_error(here: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "rulemine", "data", "list"],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == 0


def test_the_release_does_not_depend_on_where_and_how_often_it_is_built(here, command):
    elsewhere = here / "some where"
    elsewhere.mkdir()
    (elsewhere / "kg.tsv").write_text(FACTS)
    (elsewhere / "rules.txt").write_text(RULES)
    assert command(*BUILD, "out/x").status == 0
    words = ["build", elsewhere / "kg.tsv", "--rules", elsewhere / "rules.txt", "--threads", "1"]
    for _ in range(2):
        assert command(*words, "-o", elsewhere / "y").status == 0
        assert tree(elsewhere / "y") == tree(here / "out" / "x")


def test_our_own_mistakes_end_with_status_one(here, command, monkeypatch):
    def fail() -> None:
        raise RulemineError("the miner failed: this is a bug; please report it.")

    monkeypatch.setattr("rulemine.datasets.registry.data_sets", fail)
    ended = command("data", "list")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "rulemine: the miner failed: this is a bug; please report it.\n"
    assert tree(here).keys() == {"kg.tsv", "rules.txt"}


def test_a_limit_that_is_reached_ends_with_status_three(here, command, monkeypatch):
    def end() -> None:
        raise LimitError("the budget is spent; every reply is kept.")

    monkeypatch.setattr("rulemine.datasets.registry.data_sets", end)
    ended = command("data", "list")
    assert (ended.status, ended.err) == (3, "rulemine: the budget is spent; every reply is kept.\n")


def test_a_release_with_faults_ends_with_status_one(here: Path, command: Command) -> None:
    write_release(here / "small")
    ended = command("verify", "small")
    assert ended.status == 1, "its cards and counts are missing"


def test_options_of_a_build_reach_its_recipe(tmp_path, capsys):
    rules = tmp_path / "rules.jsonl"
    rules.write_text(
        '{"head": ["?a", "lives_in", "?b"], '
        '"body": [["?a", "married_to", "?c"], ["?c", "lives_in", "?b"]], "support": 95, '
        '"body_size": 102, "pca_body_size": 95, "head_size": 102, "functional": "?a"}\n'
    )
    out = tmp_path / "out"
    options = [
        "--rules",
        str(rules),
        "--set",
        "selection.share=0.5",
        "--levels",
        "50,100",
        "--naming",
        "text",
    ]
    for setting in ("questions.max_answer_share=0.9", "questions.split=none", "reference=demo"):
        options += ["--set", setting]
    options += ["--seed", "3"]
    assert main(["build", "demo", "-o", str(out), *options]) == 0
    assert str(out) in capsys.readouterr().out
    config = Release.open(out).manifest["config"]
    assert (config["rules"], config["reference"], config["naming"], config["seed"]) == (
        "rules.jsonl",
        "demo",
        "text",
        3,
    )
    assert (config["selection"]["share"], config["selection"]["levels"]) == (0.5, [50, 100])
    assert config["questions"]["max_answer_share"] == 0.9
    assert config["questions"]["split"] == "none"
