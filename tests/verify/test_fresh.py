"""Fresh builds verify, and tampering with what only they have is found."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build
from rulemine.kg.entity_names import NAMINGS
from rulemine.recipe.loading import load_recipe
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.seeds import stream
from rulemine.verify import rules, verify
from tests import ROOT
from tests.verify.tampering import changed
from tests.verify.tiny import read_file, seal, write_file

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh release of the demo with two levels, little removed, declared relations and a core."""
    target = tmp_path_factory.mktemp("demo") / "demo"
    options = [(("selection", "levels"), [50, 100]), (("selection", "share"), 0.2)]
    Build(load_recipe("demo", options), target).run()
    return target


@pytest.mark.parametrize("naming", NAMINGS)
def test_a_fresh_release_holds_in_every_naming(demo: Path, tmp_path: Path, naming: str) -> None:
    rename(Release.open(demo), tmp_path / naming, naming)
    assert verify(tmp_path / naming, thorough=True).problems == ()


def test_fresh_questions_of_structures_hold(tmp_path: Path) -> None:
    options = [
        (("structures", "names"), ["1p", "pi", "up"]),
        (("structures", "per_structure"), 6),
        (("selection", "levels"), [50, 100]),
    ]
    Build(load_recipe("structures-demo", options), tmp_path / "built").run()
    assert verify(tmp_path / "built").problems == ()
    rename(Release.open(tmp_path / "built"), tmp_path / "numeric", "numeric")
    assert verify(tmp_path / "numeric").problems == ()


OPTIONS: list[dict[str, object]] = [
    {},
    {"selection.max_prior": 0.5, "questions.split": "group"},
    {"selection.mode": "brink", "questions.max_answer_share": 0.02},
    {
        "mining.min_initial_support": 12,
        "selection.max_prior": 1.0,
        "mining.min_head_coverage": 0.05,
    },
    {"questions.split": "none"},
]


@pytest.mark.parametrize("seed", range(len(OPTIONS)))
def test_a_release_of_a_random_graph_holds(tmp_path: Path, seed: int) -> None:
    draw = stream(seed, "graph")
    lines = {f"n{draw.below(40)}\tr{draw.below(4)}\tn{draw.below(40)}" for _ in range(500)}
    turned = [line.split("\t")[::-1] for line in sorted(lines) if "\tr1\t" in line]
    lines |= {f"{s}\tr9\t{o}" for s, _, o in turned[::2]}  # too few for a declaration
    (tmp_path / "kg.tsv").write_text("\n".join(sorted(lines)))
    options = {
        "mining.min_initial_support": 5,
        "mining.min_head_coverage": 0.01,
        "questions.split": "random",
    }
    options |= OPTIONS[seed]
    if "selection.mode" not in options:
        # What is removed here follows from the triples that restate it.
        options |= {"questions.restated": True}
    keys = [(tuple(key.split(".")), value) for key, value in options.items()]
    Build(load_recipe(str(tmp_path / "kg.tsv"), keys), tmp_path / "out").run()
    report = verify(tmp_path / "out", thorough=True)
    assert report.problems == ()
    assert report.checked["questions"] > 20


@pytest.mark.parametrize("name", ["umls"])
def test_releases_of_public_graphs_hold(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (DATA / name / "facts.tsv").exists():
        pytest.skip(f"no {name} below {DATA}")
    monkeypatch.setenv("RULEMINE_DATA", str(DATA))
    Build(load_recipe(name, []), tmp_path / name).run()
    assert verify(tmp_path / name).problems == ()


def rows_of(folder: Path, name: str) -> Rows:
    return [json.loads(line) for line in read_file(folder, name).splitlines()]


def write_rows(folder: Path, name: str, rows: Rows) -> None:
    write_file(folder, name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def of(
    name: str, wanted: Callable[[dict[str, Any]], bool], change: Callable[[dict[str, Any]], object]
) -> Any:
    """Changes the first row of a file that is as wanted."""

    def tamper(folder: Path) -> None:
        rows = rows_of(folder, name)
        change(next(row for row in rows if wanted(row)))
        write_rows(folder, name, rows)

    return tamper


def other_hard_answer(row: dict[str, Any]) -> None:
    """Asks for another hard answer of a question, with its evidence and triple."""
    item = next(item for item in row["hard"] if item["answer"] != row["hard_answer"])
    row |= {"hard_answer": item["answer"], "core": item["core"], "evidence": item["witness"]}
    row["removed"] = item["witness"]


def statement_back(folder: Path) -> None:
    """Puts one of two statements of a removed fact back, everywhere but in the questions."""
    rows = rows_of(folder, "removed.jsonl")
    triples = [tuple(row["triple"]) for row in rows]
    back = next(t for t in triples if t[1] == "married_to" and t[::-1] in triples)
    write_rows(folder, "removed.jsonl", [row for row in rows if tuple(row["triple"]) != back])
    for name in ("kg/incomplete.tsv.gz", "kg/incomplete-50.tsv.gz"):
        lines = {*read_file(folder, name).splitlines(keepends=True), "\t".join(back) + "\n"}
        write_file(folder, name, "".join(sorted(lines, key=lambda line: line.split("\t"))))


def moved(folder: Path) -> None:
    test, train = (rows_of(folder, f"questions/{split}.jsonl") for split in ("test", "train"))
    more = [row | {"split": "test"} for row in train[1::2]]
    write_rows(folder, "questions/train.jsonl", train[::2])
    write_rows(folder, "questions/test.jsonl", sorted(test + more, key=lambda row: row["id"]))


TAMPERINGS: dict[str, tuple[Callable[[Path], object], tuple[str, str]]] = {
    "core denied": (
        of("removed.jsonl", lambda row: row["core"], lambda row: row.update(core=False)),
        ("removed.jsonl", "core"),
    ),
    "core claimed": (
        of("removed.jsonl", lambda row: not row["core"], lambda row: row.update(core=True)),
        ("removed.jsonl", "core"),
    ),
    "removed later than said": (
        of("removed.jsonl", lambda row: row["level"] <= 50, lambda row: row.update(level=51)),
        ("kg/incomplete-50.tsv.gz", "incomplete = complete − removed"),
    ),
    "a statement of a removed fact back": (
        statement_back,
        ("removed.jsonl", "statements of a fact"),
    ),
    "another hard answer asked for": (
        of("questions/train.jsonl", lambda row: len(row["hard"]) > 1, other_hard_answer),
        ("questions/train.jsonl", "hard answer"),
    ),
    "one of two statements asked": (
        of(
            "questions/train.jsonl",
            lambda row: row["query"].startswith("(or "),
            lambda row: row.update(query=row["query"][4:].split(" (p")[0]),
        ),
        ("questions/train.jsonl", "query"),
    ),
    "a direction too many": (
        of(
            "removed.jsonl",
            lambda row: len(row["directions"]) == 1,
            lambda row: row.update(directions=["subject", "object"]),
        ),
        ("removed.jsonl", "directions"),
    ),
    "questions of a few rules moved to test": (moved, ("questions/test.jsonl", "patterns")),
    "questions from both ends moved to test": (moved, ("questions/test.jsonl", "one end")),
    "a relation no longer declared symmetric": (
        changed("relations.tsv", "married_to", 13, ""),
        ("removed.jsonl", "asked once"),
    ),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_tampering_with_a_fresh_release_is_found(demo: Path, tmp_path: Path, what: str) -> None:
    tamper, expected = TAMPERINGS[what]
    folder = shutil.copytree(demo, tmp_path / "demo")
    tamper(folder)
    seal(folder)
    assert expected in {(p.file, p.invariant) for p in verify(folder).problems}


def test_rules_are_counted_again_by_sample_or_all(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "LARGE", 2)
    monkeypatch.setattr(rules, "SAMPLE", 0)
    folder = shutil.copytree(demo, tmp_path / "demo")
    published = {row["certificate"]["rule"] for row in rows_of(folder, "removed.jsonl")}
    rows = rows_of(folder, "rules.jsonl")
    long = [row for row in rows if row["id"] in published and len(row["body"]) == 2]
    others = [row for row in rows if row["id"] not in published]
    for row in (*long, *others):
        row["body_size"] += 1
        row["std_confidence"] = row["support"] / row["body_size"]
    write_rows(folder, "rules.jsonl", rows)
    seal(folder)

    def counted(thorough: bool) -> tuple[int, str]:
        report = verify(folder, thorough=thorough)
        found = [p for p in report.problems if "counted on" in p.expected]
        return len(found), " ".join(report.notes)

    few, rest = f"{len(long)} long ones behind published proofs", f"{len(others)} behind none"
    found, note = counted(False)
    assert found == len(others) > 5
    assert few in note
    assert rest not in note
    monkeypatch.setattr(rules, "SMALL", 0)
    found, note = counted(False)
    assert found == 0
    assert f"{few} and {rest} (--thorough)" in note
    assert counted(True) == (len(long) + len(others), "")
    assert len(long) > 5
