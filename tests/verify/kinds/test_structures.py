"""Releases of the kind ``structures``: tampering, and queries that may not be asked, are found by name."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.kg.entity_names import NAMINGS
from rulemine.phrasing.compose import compose
from rulemine.query import parse
from rulemine.release.writer import write_release
from tests import each
from tests.structures import ASKED, CONFIG, SOURCE, structure_question, world
from tests.verify import tampering
from tests.verify.tampering import (
    Change,
    Found,
    Tampering,
    change_manifest,
    drop,
    edited,
    missed,
    options,
    put,
    question,
    replaced,
)
from tests.written_releases import with_unseen

INSTEAD = {
    '(p "citizen_of" "ann")': '(p "made_in" "film3")',
    '(p "citizen_of" (p- "wrote" "film1"))': '(p "won" (p- "wrote" "film1"))',
    '(p "born_in" (or (p- "citizen_of" "france") (p- "citizen_of" "italy")))': (
        '(p "directed" (or (p- "born_in" "paris") (p- "born_in" "lyon")))'
    ),
}
"""Queries of the world that would give away what test needs, or lead to all there is → others."""

TEMPLATES = world().templates


def release(folder: Path, *more: tuple[str, str], naming: str = "entity") -> Path:
    """Writes the world as a release, with further questions: splits and queries."""
    rows = [(split, INSTEAD.get(query, query)) for split, query in (*ASKED, *more)]
    questions = [
        replace(structure_question(i, query, split), question=compose(parse(query), TEMPLATES))
        for i, (split, query) in enumerate(rows)
    ]
    section = CONFIG["structures"] | {"max_share": 1}
    parts = world(
        questions=with_unseen(questions),
        config=CONFIG | {"structures": section, "verbalizer": {"name": "template"}},
        source=SOURCE | {"duplicates": 0},
        model_counts={key: {} for key in ("audits", "model_calls", "model_tokens")},
    )
    folder.mkdir(exist_ok=True)
    write_release(folder, parts, naming)
    return folder


def problems(folder: Path) -> Found:
    """What is found, but of what questions do not tell: proofs and names of the world are made up."""
    made_up = ("removed.jsonl", "rules.jsonl", "entities.tsv")
    found = tampering.problems(folder)
    return {p for p in found if p[0] not in made_up and p[2] != "question id"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("world"))


@each("naming", NAMINGS)
def test_questions_of_all_structures_hold_in_every_naming(tmp_path: Path, naming: str) -> None:
    assert problems(release(tmp_path, naming=naming)) == set()


def other_hard_answer(row: dict[str, Any]) -> None:
    item = next(item for item in row["hard"] if item["answer"] != row["hard_answer"])
    row |= {"hard_answer": item["answer"], "core": item["core"], "evidence": item["witness"]}


def costly(row: dict[str, Any]) -> None:
    """Another derivation of the hard answer, which needs more."""
    for line in (row["hard"][0]["witness"], row["evidence"]):
        line[-1] = ["bob", "citizen_of", "france"]


# the first question with a structure is changed: "easy", one without hard answers
OF_A_QUESTION: list[tuple[str, Change, str]] = [
    ("2p", put("query", '(p "in" "rome")'), "answers"),
    ("2p", put("query", '(p "in" rome)'), "query"),
    ("1p", put("query", '(p "spouse" "bob")'), "query"),  # one statement of two
    ("2i", put("query", '(minus (p- "won" "oscar") (p- "won" "palme"))'), "structure"),
    ("ip", put("shape", "(1)(2)"), "shape"), ("3i", drop("anchors"), "anchors"),
    ("2u", drop("hard"), "hard answers"), ("3p", put("hard.0.missing", 1), "missing"),
    ("ip", put("hard.0.level", 51), "level"),
    ("3p", lambda row: row["hard"][0]["witness"].reverse(), "witness"),
    ("2p", costly, "witness"), ("3p", put("hard.0.core", True), "core"),
    ("1p easy", put("core", True), "core"), ("2u", other_hard_answer, "hard answer"),
    ("2u", put("hard_answer", None), "hard answer"),
    ("1p easy", put("hard_answer", "rome"), "hard answer"),
    ("1p easy", put("evidence", [["eve", "born_in", "rome"]]), "witness"),
    ("ip", drop("full_evidence"), "full evidence"),
    ("pi", drop("relations"), "relations"),
    ("ip", drop("intermediates"), "intermediates"),
    ("2i", drop("block.answer_types"), "answer types"),
    ("2i", put("question", "Did Ann of france win oscar?"), "text hides the answers"),
    ("2p", put("question", "Where is Ann of film1 from?"), "text hides the answers"),
    ("2i", put("question", "Is e0 of france with oscar?"), "text hides the answers"),
    ("3p", put("question", "What is film3 made in?"), "one question a text"),
    ("3p", put("question", "Which things did film4 see?"), "number"),
    ("1p", put("question", "Who are the spouses of bob?"), "text is the template"),
    ("2p", put("paraphrases", ["film1?"]), "wording"), ("2p", put("kind", "rules"), "kind"),
]  # fmt: skip


def first(of: str) -> Callable[[dict[str, Any]], bool]:
    name, _, easy = of.partition(" ")
    return lambda row: row["structure"] == name and (row["hard"] == []) == (easy != "")


def one_direction(folder: Path) -> None:
    for number in range(1, 7):
        edited("removed.jsonl", number, put("directions", ["subject"]))(folder)


def dropped(folder: Path) -> None:
    source = json.loads((folder / "manifest.json").read_text())["kg"]
    change_manifest(folder, kg=source | {"dropped": {"won": "dull"}})


OTHERS: dict[str, tuple[Tampering, str]] = {
    "a direction that is not allowed": (one_direction, "hard answer"),
    "an entity without its types": (replaced("types.tsv", "ann\tperson\n", ""), "answer types"),
    "an anchor of another type": (
        replaced("types.tsv", "france\tcountry", "france\tstate"), "types of a union"),
    "a member of another type": (
        replaced("types.tsv", "cat\tperson", "cat\tanimal"), "types of a union"),
    "types of nobody": (replaced("types.tsv", "ann\tperson", "nobody\tperson"), "names"),
    "fewer answers allowed": (options("structures", max_answers=1), "number of answers"),
    "less evidence allowed": (options("structures", max_evidence=2), "number of full evidence"),
    "fewer of a structure": (options("structures", per_structure=1), "balance"),
    "less in common allowed": (options("structures", max_share=0.2), "balance"),
    "another structure allowed": (options("structures", names=["1p", "2p"]), "structure"),
    "a relation that is not asked about": (dropped, "excluded relations"),
}  # fmt: skip


def test_a_tampering_is_found(whole: Path) -> None:
    rows = dict(OTHERS)
    for number, (of, change, expected) in enumerate(OF_A_QUESTION):
        rows[f"{number}: {of}, {expected}"] = question(first(of), change), expected
    assert missed(whole, rows, problems) == []


APART, NEEDED, UNION = "anchors apart", "every branch needed", "one relation of a union"
ALIKE = {"types of a union", "answer types"}
QUERIES: list[tuple[str, str, set[str]]] = [
    ("train", '(and (p- "born_in" "paris") (p- "won" "oscar"))', {NEEDED}),
    ("train", '(or (p- "won" "oscar") (p- "won" "palme"))', set()),
    (
        "train",
        '(or (p- "born_in" "paris") (p- "won" "oscar"))',
        {NEEDED, "types of a union", UNION},
    ),
    ("train", '(or (p "citizen_of" "ann") (p "born_in" "cat"))', {*ALIKE, UNION}),
    ("train", '(p "citizen_of" (p- "citizen_of" "france"))', {APART}),
    ("train", '(p "won" (p- "citizen_of" (p "citizen_of" "ann")))', {APART}),
    ("train", '(and (p- "wrote" "film1") (p- "directed" "film1"))', {APART, NEEDED}),
    ("test", '(p "won" (p- "citizen_of" "france"))', {"nothing idle"}),
    ("test", '(and (p- "born_in" (p- "in" "france")) (p- "won" "oscar"))', {"near duplicates"}),
]


@each(("split", "query", "expected"), QUERIES)
def test_queries_that_may_not_be_asked_are_named(tmp_path, split, query, expected):
    found = {invariant for _, _, invariant in problems(release(tmp_path, (split, query)))}
    every = (
        {APART, NEEDED, UNION, *ALIKE} if split == "train" else {"nothing idle", "near duplicates"}
    )
    assert found & every == expected


def test_an_anchor_in_two_splits_is_found(tmp_path: Path) -> None:
    folder = release(tmp_path, ("train", '(p- "born_in" "rome")'), ("test", '(p "in" "rome")'))
    assert {found for _, _, found in problems(folder)} == {"no leakage"}
