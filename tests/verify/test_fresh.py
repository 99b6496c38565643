"""Fresh builds verify, and tampering with what only they have is found."""

import shutil
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
from tests import each
from tests.verify.tampering import (
    Tampering,
    changed,
    missed,
    row_in,
    rows_of,
    sorted_in,
    write_rows,
)
from tests.verify.tiny import seal

TRAIN, TEST, REMOVED = "questions/train.jsonl", "questions/test.jsonl", "removed.jsonl"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh release of the demo with two levels, little removed, declared relations and a core."""
    target = tmp_path_factory.mktemp("demo") / "demo"
    options = [(("selection", "levels"), [50, 100]), (("selection", "share"), 0.2)]
    Build(load_recipe("demo", options), target).run()
    return target


@each("naming", NAMINGS)
def test_a_fresh_release_holds_in_every_naming(demo: Path, tmp_path: Path, naming: str) -> None:
    rename(Release.open(demo), tmp_path / naming, naming)
    assert verify(tmp_path / naming, thorough=True).problems == ()


OPTIONS: list[dict[str, object]] = [
    {},
    {"selection.max_prior": 0.5, "questions.split": "group"},
    {"selection.mode": "brink", "questions.max_answer_share": 0.02, "questions.restated": False},
    {"mining.min_initial_support": 12, "selection.max_prior": 1.0, "mining.min_head_coverage": 0.05},
    {"questions.split": "none"},
]  # fmt: skip


@each("seed", range(len(OPTIONS)))
def test_a_release_of_a_random_graph_holds(tmp_path: Path, seed: int) -> None:
    draw = stream(seed, "graph")
    lines = {f"n{draw.below(40)}\tr{draw.below(4)}\tn{draw.below(40)}" for _ in range(500)}
    turned = [line.split("\t")[::-1] for line in sorted(lines) if "\tr1\t" in line]
    lines |= {f"{s}\tr9\t{o}" for s, _, o in turned[::2]}  # too few for a declaration
    (tmp_path / "kg.tsv").write_text("\n".join(sorted(lines)))
    # What is removed here follows from the triples that restate it.
    options = {
        "mining.min_initial_support": 5, "mining.min_head_coverage": 0.01, "questions.split": "random",
        "questions.restated": True, **OPTIONS[seed],
    }  # fmt: skip
    keys = [(tuple(key.split(".")), value) for key, value in options.items()]
    Build(load_recipe(str(tmp_path / "kg.tsv"), keys), tmp_path / "out").run()
    report = verify(tmp_path / "out", thorough=True)
    assert report.problems == ()
    assert report.checked["questions"] > 20


def other_hard_answer(row: dict[str, Any]) -> None:
    """Asks for another hard answer of a question, with its evidence and triple."""
    item = next(item for item in row["hard"] if item["answer"] != row["hard_answer"])
    row |= {"hard_answer": item["answer"], "core": item["core"], "evidence": item["witness"]}
    row["removed"] = item["witness"]


def statement_back(folder: Path) -> None:
    """Puts one of two statements of a removed fact back, everywhere but in the questions."""
    rows = rows_of(folder, REMOVED)
    triples = [tuple(row["triple"]) for row in rows]
    back = next(t for t in triples if t[1] == "married_to" and t[::-1] in triples)
    write_rows(folder, REMOVED, [row for row in rows if tuple(row["triple"]) != back])
    for name in ("kg/incomplete.tsv.gz", "kg/incomplete-50.tsv.gz"):
        sorted_in(name, "\t".join(back))(folder)


def moved(folder: Path) -> None:
    """Half of training becomes test."""
    test, train = rows_of(folder, TEST), rows_of(folder, TRAIN)
    more = [row | {"split": "test"} for row in train[1::2]]
    write_rows(folder, TRAIN, train[::2])
    write_rows(folder, TEST, sorted(test + more, key=lambda row: row["id"]))


def of(name: str, wanted: Any, change: Any) -> Tampering:
    return row_in((name,), lambda row, _: wanted(row), change)


TAMPERINGS: dict[str, tuple[Tampering, tuple[str, str]]] = {
    "core denied": (of(REMOVED, lambda r: r["core"], lambda r: r.update(core=False)), (REMOVED, "core")),
    "core claimed": (of(REMOVED, lambda r: not r["core"], lambda r: r.update(core=True)), (REMOVED, "core")),
    "removed later than said": (
        of(REMOVED, lambda r: r["level"] <= 50, lambda r: r.update(level=51)),
        ("kg/incomplete-50.tsv.gz", "incomplete = complete − removed")),
    "a statement of a removed fact back": (statement_back, (REMOVED, "statements of a fact")),
    "another hard answer asked for": (
        of(TRAIN, lambda r: len(r["hard"]) > 1, other_hard_answer), (TRAIN, "hard answer")),
    "one of two statements asked": (
        of(TRAIN, lambda r: r["query"].startswith("(or "),
           lambda r: r.update(query=r["query"][4:].split(" (p")[0])),
        (TRAIN, "query")),
    "a direction too many": (
        of(REMOVED, lambda r: len(r["directions"]) == 1,
           lambda r: r.update(directions=["subject", "object"])),
        (REMOVED, "directions")),
    "questions of a few rules moved to test": (moved, (TEST, "patterns")),
    "questions from both ends moved to test": (moved, (TEST, "one end")),
    "no longer declared symmetric": (
        changed("relations.tsv", "married_to", 13, ""), (REMOVED, "asked once")),
}  # fmt: skip


def test_tampering_with_a_fresh_release_is_found(demo: Path, tmp_path: Path) -> None:
    assert missed(shutil.copytree(demo, tmp_path / "demo"), TAMPERINGS) == []


def test_rules_are_counted_again_by_sample_or_all(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(rules, "LARGE", 2)
    monkeypatch.setattr(rules, "SAMPLE", 0)
    folder = shutil.copytree(demo, tmp_path / "demo")
    published = {row["certificate"]["rule"] for row in rows_of(folder, REMOVED)}
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
