"""A published and a fresh release, a system that is as good on both, and one that learned by heart."""

import csv
import io
import json
from pathlib import Path

import pytest

from rulemine.errors import ConfigError, PredictionError
from rulemine.evaluation import write_predictions
from rulemine.evaluation.comparing.contamination import compare_with_fresh
from rulemine.kg.entity_names import EntityNames
from rulemine.release.reader import Release
from rulemine.release.records import Prediction
from tests.evaluation.world import CID, EVE, NAMES, question, write_release


def made(
    folder: Path, letter: str, count: int = 24, rare: int = 0, core: int = 12, **manifest
) -> Release:
    """A release of questions that share nothing, the first in the core; EVE is hard, CID stated.

    The last, `rare` of them, are of a rule type that the others are not.
    """
    asked = [
        question(
            i, topic=f"{letter}{i}", relation=f"r{i}", core=i < core,
            kind="symmetry" if i >= count - rare else "composition",
        )
        for i in range(count)
    ]  # fmt: skip
    names = [*NAMES, *(EntityNames(*3 * [f"{letter}{i}"]) for i in range(count))]
    path = write_release(folder, asked, names=names).path / "manifest.json"
    content = json.loads(path.read_text())
    content["config"] = {"seed": ord(letter), "naming": "private"} | manifest.pop("config", {})
    path.write_text(json.dumps(content | manifest))
    return Release.open(folder)


def predicted(path: Path, release: Release, right: int, system: str = "", count: int = 24) -> Path:
    """Right on so many, every second question first, with a stated answer on the others."""
    order = [*range(0, count, 2), *range(1, count, 2)]
    said = [
        Prediction(f"q{i:05d}", answers=(EVE if at < right else CID,)) for at, i in enumerate(order)
    ]
    run = {"release": release.identity, "name": "small", "system": system, "kg": "incomplete"}
    path.parent.mkdir(exist_ok=True)
    write_predictions(path, said, run if system else None)
    return path


def test_a_smaller_core_is_no_difference(tmp_path):
    """Right on the core alone: on 12 of 24, and on 6 of 24."""
    releases, files = [], []
    for letter, core in (("p", 12), ("f", 6)):
        releases.append(made(tmp_path / letter, letter, core=core))
        said = [Prediction(f"q{i:05d}", answers=(EVE if i < core else CID,)) for i in range(24)]
        files.append(tmp_path / f"{letter}.jsonl")
        write_predictions(files[-1], said)
    found = compare_with_fresh(
        releases[0], files[:1], releases[1], files[1:], ("hard_f1",), resamples=5
    )
    assert [(r.subset, r.published, r.fresh) for r in found.rows] == [
        ("core", 1, 1),
        ("all", 0.5, 0.5),
    ]


@pytest.fixture
def published(tmp_path: Path) -> Release:
    return made(tmp_path / "published", "p", rare=2)


@pytest.fixture
def fresh(tmp_path: Path, published: Release) -> Release:
    return made(tmp_path / "fresh", "f", config={"not_in": [published.identity]})


@pytest.fixture
def files(tmp_path: Path, published: Release, fresh: Release) -> tuple[list[Path], list[Path]]:
    """One that is right on every second question of both, one that is right on what is published."""
    honest = (
        predicted(tmp_path / "1", published, 12, "honest"),
        predicted(tmp_path / "2", fresh, 12, "honest"),
    )
    learned = (
        predicted(tmp_path / "3", published, 24, "learned"),
        predicted(tmp_path / "4", fresh, 0, "learned"),
    )
    return [honest[0], learned[0]], [learned[1], honest[1]]  # in any order


def test_who_learned_by_heart_is_found_and_who_did_not_is_not(published, fresh, files):
    found = compare_with_fresh(
        published, files[0], fresh, files[1], ("hard_f1", "hhr"), resamples=200
    )
    rows = {(row.subset, row.metric, row.system.split()[0]): row for row in found.rows}
    assert list(rows)[:2] == [("core", "hard_f1", "honest"), ("core", "hard_f1", "learned")]
    assert len(rows) == 8
    honest, learned = rows["all", "hard_f1", "honest"], rows["all", "hard_f1", "learned"]
    assert (honest.published, honest.fresh, honest.difference.value, honest.p) == (0.5, 0.5, 0, 1)
    assert honest.difference.low < 0 < honest.difference.high
    assert (honest.n, honest.n_fresh, honest.left_out, honest.left_out_fresh) == (22, 24, 2, 0)
    assert (learned.published, learned.fresh, learned.difference.value) == (1, 0, 1)
    assert learned.p < 0.001
    assert learned.adjusted == 2 * learned.p
    assert rows["core", "hhr", "learned"].difference.value == 1
    assert rows["core", "hard_f1", "honest"].n == 12
    assert "Hard F1, HHR, all questions: questions of forms that one release has fewer than 5 of are left " \
        "out (published, fresh): symmetry (2, 0)." in found.notes  # fmt: skip
    assert not any(note.startswith("Warning") for note in found.notes)


def test_forms(published, fresh, files, command, tmp_path):
    words = [
        "compare",
        published.path,
        *files[0],
        "--fresh",
        fresh.path,
        *files[1],
        "--metrics",
        "hard_f1",
    ]
    table = command(*words)
    assert table.status == 0
    assert "Hard F1, the core: 12 published, 12 fresh" in table.out
    line = next(line for line in table.out.splitlines() if line.startswith("  learned"))
    assert line.split()[2:5] == ["100.0", "0.0", "+100.0"]
    rows = list(csv.DictReader(io.StringIO(command(*words, "--format", "csv").out)))
    assert [row["difference"] for row in rows] == ["0.0", "1.0", "0.0", "1.0"]
    content = json.loads(command(*words, "--format", "json").out)
    assert [float(row["p"]) for row in rows] == [row["p"] for row in content["rows"]]
    assert "| learned (incomplete) | 100.0 | 0.0 |" in command(*words, "--format", "markdown").out
    assert r"\label{tab:fresh}" in command(*words, "--format", "latex").out
    ended = command(*words, "--format", "questions")
    assert (ended.status, "Leave out --fresh" in ended.err) == (2, True)
    ended = command(*words[:4], "--fresh", fresh.path)
    assert (ended.status, "and no prediction file" in ended.err) == (2, True)


def test_releases_that_are_no_pair(tmp_path, published, fresh, files):
    def refused(first, second, told, error=ConfigError):
        with pytest.raises(error, match=told):
            compare_with_fresh(first, files[0], second, files[1])

    refused(published, published, "are the same release")
    refused(fresh, published, "Exchange them")
    refused(
        published,
        made(tmp_path / "a", "f", kg={"digest": "1", "title": "x"}),
        "about two graphs, None and 'x'",
    )
    refused(
        published,
        made(tmp_path / "b", "f", config={"kind": "structures", "structures": {}}),
        "kinds rules and structures",
    )
    refused(
        published,
        made(tmp_path / "c", "p", count=7, config={"seed": 9}),
        r"share 7 queries \(of 24 and 7\)",
    )
    refused(published, made(tmp_path / "d", "x"), "is for another release", PredictionError)


def test_recipes_that_differ_are_told_first(tmp_path, published, files):
    other = made(tmp_path / "other", "o", config={"selection": {"share": 0.5}})
    file = predicted(tmp_path / "5", other, 12, "honest")
    found = compare_with_fresh(published, files[0][:1], other, [file], ("hard_f1",), resamples=5)
    assert "was not made with --not-in" in found.notes[0]
    assert "more than their seeds: selection.share (None, 0.5)." in found.notes[1]
    assert found.to_table().startswith("Warning: ")


def test_systems_are_paired_by_what_their_files_say(tmp_path, published, fresh, files):
    with pytest.raises(
        PredictionError, match=r"honest \(incomplete\) on the published release alone; learned"
    ):
        compare_with_fresh(published, files[0][:1], fresh, files[1][:1])
    unnamed = (
        predicted(tmp_path / "6" / "x.jsonl", published, 12),
        predicted(tmp_path / "7" / "x.jsonl", fresh, 0),
    )
    found = compare_with_fresh(
        published, unnamed[:1], fresh, unnamed[1:], ("hard_f1",), resamples=5
    )
    assert {row.system for row in found.rows} == {"x"}
    found = compare_with_fresh(
        published, unnamed[:1], fresh, files[1][1:], ("hard_f1",), resamples=5
    )
    assert {row.system for row in found.rows} == {"honest (incomplete)"}
    with pytest.raises(PredictionError, match="x on the published release alone"):
        compare_with_fresh(published, [unnamed[0], files[0][0]], fresh, files[1])
    with pytest.raises(ConfigError, match="did you mean 'hard_f1'"):
        compare_with_fresh(published, files[0], fresh, files[1], ["hardf1"])


def test_too_few_questions(tmp_path):
    few = [made(tmp_path / letter, letter, count=4) for letter in "pf"]
    paths = [predicted(tmp_path / f"{r.path.name}.jsonl", r, 2, "s", count=4) for r in few]
    with pytest.raises(PredictionError, match="no question can be compared"):
        compare_with_fresh(few[0], paths[:1], few[1], paths[1:])
