"""Commands whose work goes to workers write what they do without, though a worker is killed in the middle."""

import json
from functools import partial
from pathlib import Path

import pytest

from rulemine.cluster.cluster import Cluster
from rulemine.evaluation.matching import matching
from rulemine.evaluation.reporting import figures
from rulemine.release.archive import PackedRelease
from rulemine.release.reader import Release
from rulemine.rules import blocks as of_rules
from tests.cluster.work import dies_first
from tests.releases import built

pytestmark = pytest.mark.slow


@pytest.fixture
def demo():
    return str(built("demo") / "demo")


@pytest.fixture
def died(tmp_path, monkeypatch):
    """The folder that is there when a worker has died, as the first does that begins a task.

    It has a file for each package whose functions are called, with its name.
    """
    marks, finished = tmp_path / "died", Cluster._finished

    def with_a_death(self, function, items):
        return finished(self, partial(dies_first, marks, function), items)

    monkeypatch.setattr(Cluster, "_finished", with_a_death)
    return marks


def contents(folder):
    """The files of a folder, but for what systems keep."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".work" not in str(path))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_answers(two_workers, demo, command, tmp_path, died, monkeypatch):
    words = (
        "answer", demo, "--with", "lookup,prior,embeddings:rank=2:epochs=1", "--split", "all", "-o"
    )  # fmt: skip
    alone, away = tmp_path / "alone", tmp_path / "away"
    assert command(*words, str(alone)).status == 0
    # Workers of a machine that does not see the folder of the release; those of the study do.
    begin = PackedRelease.__init__

    def unseen(self, release):
        begin(self, release)
        self._folder = tmp_path / "not here"

    monkeypatch.setattr(PackedRelease, "__init__", unseen)
    ended = command(*words, str(away), "--cluster", two_workers.scheduler_address)
    assert (ended.status, died.exists()) == (0, True)
    assert len(contents(alone)) == 3
    assert contents(away) == contents(alone)


def test_a_study(two_workers, demo, command, tmp_path, died, monkeypatch):
    # Drawing is slow, and what is drawn is in the other files.
    monkeypatch.setattr(figures, "draw", lambda figure: '<svg viewBox="0 0 9 9"></svg>')
    words = (
        "study", demo, "--with", "lookup,reasoner", "--levels", "0,100", "--set", "resamples=20", "-o"
    )  # fmt: skip
    assert command(*words, str(tmp_path / "alone")).status == 0
    address = ("--cluster", two_workers.scheduler_address)
    ended = command(*words, str(tmp_path / "away"), *address)
    assert (ended.status, died.exists()) == (0, True)
    assert contents(tmp_path / "away") == contents(tmp_path / "alone")


def test_scores_of_texts(two_workers, demo, command, tmp_path, died, monkeypatch):
    monkeypatch.setattr(matching, "MOST_OUTPUTS", 20)
    file = tmp_path / "said.jsonl"
    with file.open("w") as lines:
        for number, question in enumerate(Release.open(Path(demo)).questions("test")):
            said = {"answers": list(question.answers)}
            if number % 5:
                said = {"raw_output": f"Not {question.anchors[0]}. Answer: {question.answers[0]}"}
            lines.write(json.dumps({"id": question.id} | said) + "\n")
    _scored_alike(command, two_workers, demo, file)
    assert died.exists()


def test_scores_of_queries(two_workers, command, tmp_path, died):
    release, file = built("coast") / "release", tmp_path / "queries.jsonl"
    with file.open("w") as lines:
        for question in Release.open(release).questions("test"):
            lines.write(json.dumps({"id": question.id, "cypher": question.block.cypher}) + "\n")
    _scored_alike(command, two_workers, str(release), file)
    assert died.exists()


def _scored_alike(command, cluster, release, file):
    words = ("evaluate", release, str(file), "--format", "json", "-o")
    alone, away = file.with_suffix(".alone"), file.with_suffix(".away")
    assert command(*words, str(alone)).status == 0
    assert command(*words, str(away), "--cluster", cluster.scheduler_address).status == 0
    assert away.read_bytes() == alone.read_bytes()


def test_a_build(two_workers, demo, command, tmp_path, died, monkeypatch):
    monkeypatch.setattr(of_rules, "FEWEST_BLOCKS", 5)
    words = ("build", "demo", "-o", str(tmp_path / "demo"), "--cluster")
    ended = command(*words, two_workers.scheduler_address)
    assert ended.status == 0, ended.err
    assert {path.name for path in died.iterdir()} == {"mining", "rules", "kinds"}
    for made, alone in (("demo", demo), ("demo.stages", f"{demo}.stages")):
        assert contents(tmp_path / made) == contents(Path(alone))
    stages = {path.name for path in (tmp_path / "demo.stages").iterdir() if path.is_dir()}
    assert stages == {"mine", "ground", "select", "ask", "balance", "split", "twin", "release"}
    ended = command(*words, "local:2", "--dry-run")
    assert (ended.status, "--dry-run only estimates" in ended.err) == (2, True)


def test_a_build_with_given_rules(two_workers, demo, command, tmp_path, died, monkeypatch):
    """Nothing is mined, so rules are measured and grounded by workers alone."""
    monkeypatch.setattr(of_rules, "FEWEST_BLOCKS", 5)
    words = (
        "build", "demo", "--rules", f"{demo}.stages/mine/rules.jsonl", "--until", "ground", "--set",
        "selection.min_rare_confidence=0.1", "-o",
    )  # fmt: skip
    assert command(*words, str(tmp_path / "alone")).status == 0
    address = ("--cluster", two_workers.scheduler_address)
    assert command(*words, str(tmp_path / "away"), *address).status == 0
    assert [path.name for path in died.iterdir()] == ["rules"]
    assert contents(tmp_path / "away.stages") == contents(tmp_path / "alone.stages")


def test_there_is_nothing_for_workers_to_do(demo, command, tmp_path):
    words = ("--with", "bm25", "--model", "m", "-o", str(tmp_path / "o"), "--cluster", "local:2")
    ended = command("answer", demo, *words)
    assert ended.status == 2
    assert "--cluster: nothing of bm25 can be done by workers" in ended.err
