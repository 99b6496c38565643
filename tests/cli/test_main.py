"""The command line as a process: status, channels, encodings, and output that is the same everywhere."""

from pathlib import Path

import pytest

import rulemine
from rulemine.errors import LimitError, RulemineError
from tests.cli.conftest import started
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
    assert len(ended.err.splitlines()) == 8, "a line for each stage, and no progress bar in a log"
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
    code = "import sys; sys.stdout = open('/dev/full', 'w'); import rulemine.__main__"
    listing = "from rulemine.cli.main import main; sys.exit(main(['data', 'list']))"
    done = run(here, [], ("-c", f"{code}; {listing}"))
    assert done.status == 2
    assert done.err.startswith("rulemine: standard output: cannot be written")
    assert done.err.count("\n") == 1


def test_a_reader_that_stops_reading_is_no_error(here: Path) -> None:
    with started(here, ["data", "list"]) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


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


def test_mistakes_of_ours_and_limits_have_a_status_of_their_own(here, command, monkeypatch):
    for kind, status in ((RulemineError, 1), (LimitError, 3)):

        def fail(kind: type[Exception] = kind) -> None:
            raise kind("the miner failed: this is a bug; please report it.")

        monkeypatch.setattr("rulemine.datasets.registry.data_sets", fail)
        said = "rulemine: the miner failed: this is a bug; please report it.\n"
        assert command("data", "list") == (status, "", said)
    assert tree(here).keys() == {"kg.tsv", "rules.txt"}


def test_a_release_with_faults_ends_with_status_one(here: Path, command: Command) -> None:
    write_release(here / "small")
    ended = command("verify", "small")
    assert ended.status == 1, "its cards and counts are missing"
