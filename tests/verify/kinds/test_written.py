"""Releases of ``subgraphs`` and ``variants``: tampering is found by name, a fault for each check."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import NamedNode, Quad, Store

from rulemine.kg.entity_names import NAMINGS
from rulemine.release.records import Unseen
from rulemine.release.writer import write_release
from rulemine.seeds import stream
from tests.structures import WORLD
from tests.verify.kinds.test_structures import drop, problems
from tests.verify.tampering import change_manifest, edited, put
from tests.verify.test_garbage import mangled, report_on
from tests.verify.tiny import read_file, seal
from tests.written_releases import ASKED, written_world

KINDS = ("subgraphs", "variants")

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release of each kind, named after it."""
    folder = tmp_path_factory.mktemp("written")
    for kind in KINDS:
        (folder / kind).mkdir()
        write_release(folder / kind, written_world(kind), "entity")
    return folder


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("naming", NAMINGS)
def test_questions_hold_in_every_naming(tmp_path: Path, kind: str, naming: str) -> None:
    write_release(tmp_path, written_world(kind), naming)
    assert problems(tmp_path) == set()


def test_without_splits_nothing_is_said_of_training(tmp_path: Path) -> None:
    parts = written_world("subgraphs")
    config = {**parts.config, "questions": {**parts.config["questions"], "split": "none"}}
    seen = Unseen(rule=False, relation=False, answer=False)
    for types, expected in (((), set()), (("id",), {"test type"})):
        questions = tuple(
            replace(q, split="test", block=replace(q.block, test_type=types), unseen=seen)
            for q in parts.questions
            if q.kind == "subgraphs"
        )
        folder = tmp_path / str(len(types))
        folder.mkdir()
        write_release(folder, replace(parts, config=config, questions=questions), "entity")
        assert {check for _, _, check in problems(folder)} - {"one end"} == expected


def test_the_sparql_of_counts_and_differences_gives_their_answers(releases: Path) -> None:
    store = Store()
    for s, r, o in WORLD:
        store.add(Quad(*map(NamedNode, (f"entity:{s}", f"relation:{r}", f"entity:{o}"))))
    for row in map(
        json.loads, read_file(releases / "subgraphs", "questions/train.jsonl").split("\n")[:-1]
    ):
        found = [one[0].value.removeprefix("entity:") for one in store.query(row["sparql"])]
        wanted = row["answers"] if row["value"] is None else [str(row["value"])]
        assert sorted(found) == wanted


def of(number: int, change: Change) -> Callable[[Path], None]:
    """Changes a question, by its number."""

    def tamper(folder: Path) -> None:
        for split in ("train", "validation", "test"):
            name = f"questions/{split}.jsonl"
            rows = [json.loads(line) for line in read_file(folder, name).splitlines()]
            for line, row in enumerate(rows, 1):
                if row["id"] == f"q{number:05d}":
                    return edited(name, line, change)(folder)
        raise AssertionError(number)

    return tamper


def own(kind: str, key: str, to: Any) -> Change:
    return put("block", key, to=to)


def apart(kind: str) -> Change:
    """Adds a triple to the subgraph that touches none of the others."""

    def change(row: dict[str, Any]) -> None:
        triples = row["block"]["triples"]
        far = next(
            [s, r, o] for s, r, o in WORLD
            if not {s, o} & {end for t in triples for end in (t[0], t[2])}
            and not {s, o} & {*row["anchors"], row["block"]["answer"]}
        )  # fmt: skip
        row["block"]["subgraph"] = sorted([*triples, far])

    return change


def options(kind: str, **values: Any) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        config = json.loads((folder / "manifest.json").read_text())["config"]
        change_manifest(folder, config=config | {kind: config[kind] | values})

    return tamper


def of_both(kind: str) -> dict[str, tuple[Callable[[Path], object], str]]:
    """What is checked of both kinds."""
    return {
        f"{kind}: another value": (of(3, put("value", to=4)), "value"),
        f"{kind}: another stated value": (of(3, put("stated_value", to=2)), "stated value"),
        f"{kind}: a value of no count": (of(0, put("value", to=1)), "value"),
        f"{kind}: a spurious answer left out": (of(4, drop("spurious")), "spurious answers"),
        f"{kind}: a spurious answer too many": (of(0, put("spurious", to=["italy"])), "spurious answers"),
        f"{kind}: a difference without its part": (
            of(4, put("query", to='(p- "won" "oscar")')), "answers",
        ),
        f"{kind}: a shape without its difference": (of(4, put("shape", to="(1)")), "shape"),
        f"{kind}: a shape without its count": (of(3, put("shape", to="(1)")), "shape"),
        f"{kind}: an answer that is none": (of(1, own(kind, "answer", "dan")), "the writer's answer"),
        f"{kind}: triples of another answer": (of(1, own(kind, "answer", "bob")), "the writer's triples"),
        f"{kind}: a triple too few": (of(1, drop("block", "triples")), "the writer's triples"),
        f"{kind}: a triple too many": (
            of(0, own(kind, "triples", [["ann", "citizen_of", "france"], ["paris", "in", "france"]])),
            "the writer's triples",
        ),
        f"{kind}: triples in disorder": (
            of(1, lambda row: row["block"]["triples"].reverse()), "the writer's triples sorted",
        ),
        f"{kind}: a subgraph without the triples": (
            of(1, lambda row: row["block"]["subgraph"].remove(row["block"]["triples"][0])),
            "triples in the subgraph",
        ),
        f"{kind}: a subgraph in disorder": (
            of(1, lambda row: row["block"]["subgraph"].reverse()), "whole subgraph",
        ),
        f"{kind}: a subgraph in two parts": (of(0, apart(kind)), "subgraph connected"),
        f"{kind}: a subgraph with a triple of its own": (
            of(1, lambda row: row["block"]["subgraph"].insert(0, ["ann", "aunt", "bob"])),
            "whole subgraph",
        ),
        f"{kind}: a topic outside the subgraph": (
            of(4, lambda row: own(kind, "subgraph", row["block"]["triples"])(row)),
            "triples in the subgraph",
        ),
        f"{kind}: a relation left out": (of(4, drop("relations")), "relations"),
        f"{kind}: an intermediate left out": (of(5, drop("intermediates")), "intermediates"),
        f"{kind}: a removed triple left out": (of(5, drop("removed")), "removed"),
        f"{kind}: another rule": (of(1, put("rules", to=["0" * 12])), "rules"),
        f"{kind}: a text with an intermediate": (
            of(5, put("question", to="What has film3 of ann?")), "text hides the answers",
        ),
        f"{kind}: less evidence allowed": (options(kind, max_evidence=2), "number of full evidence"),
        f"{kind}: fewer answers allowed": (options(kind, max_answers=2), "number of answers"),
        f"{kind}: fewer questions allowed": (options(kind, questions=3), "balance"),
        f"{kind}: a question of another kind": (of(0, put("kind", to="structures")), "kind"),
    }  # fmt: skip


TAMPERINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    **of_both("subgraphs"),
    **of_both("variants"),
    "subgraphs: a triple between its nodes left out": (
        of(1, lambda row: row["block"]["subgraph"].remove(["rome", "in", "italy"])),
        "whole subgraph",
    ),
    "subgraphs: fewer nodes allowed": (options("subgraphs", nodes=3), "nodes of the subgraph"),
    "subgraphs: called redundant": (of(1, own("subgraphs", "redundant", True)), "redundant"),
    "variants: called redundant": (of(1, own("variants", "redundant", True)), "redundant"),
    "subgraphs: another minimal shape": (
        of(2, own("subgraphs", "minimal_shape", "(2)")), "minimal shape",
    ),
    "subgraphs: another minimal query": (
        of(2, put("block", "minimal", 0, "query", to='(p- "born_in" "paris")')), "minimal",
    ),
    "subgraphs: a needless topic": (
        of(1, put("query", to='(and (p- "born_in" "rome") (p- "citizen_of" "italy"))')),
        "every branch needed",
    ),
    "subgraphs: no test type": (of(6, own("subgraphs", "test_type", [])), "test type"),
    "subgraphs: a shape called seen": (of(6, own("subgraphs", "test_type", ["id"])), "test type"),
    "subgraphs: a relation called seen": (of(7, own("subgraphs", "test_type", ["id"])), "test type"),
    "subgraphs: a shape called unseen": (
        of(7, own("subgraphs", "test_type", ["ugt", "urt"])), "test type",
    ),
    "subgraphs: a relation called unseen": (
        of(6, own("subgraphs", "test_type", ["ugt", "urt"])), "test type",
    ),
    "subgraphs: a test type in training": (of(1, own("subgraphs", "test_type", ["id"])), "test type"),
    "subgraphs: a reserved shape in training": (
        options("subgraphs", reserved_shapes=["(1)(1)"]), "reserved shape",
    ),
    "subgraphs: more than six triples": (
        of(0, put("query", to="(p- \"in\" " * 7 + '"france"' + ")" * 7)), "number of triples",
    ),
    "subgraphs: an answer in two splits": (
        of(0, lambda row: row["answers"].append("lyon")), "no leakage",
    ),
    "variants: called unique": (of(1, own("variants", "unique", True)), "unique"),
    "variants: called ambiguous": (of(0, own("variants", "unique", False)), "unique"),
    "variants: seeds outside the subgraph": (of(0, own("variants", "seeds", ["ann"])), "seeds"),
    "variants: seeds in disorder": (of(0, lambda row: row["block"]["seeds"].reverse()), "seeds"),
    "variants: a smaller subgraph allowed": (
        options("variants", max_triples=3), "size of the subgraph",
    ),
    "variants: a judge against it": (
        of(0, put("block", "judgements", 1, "answer_support_flag", to=False)), "unanimous",
    ),
    "variants: a judge who finds it given away": (
        of(0, put("block", "judgements", 0, "redundancy_flag", to=True)), "unanimous",
    ),
    "variants: a judge too few": (of(0, drop("block", "judgements")), "judges"),
    "variants: another judge": (of(0, put("block", "judgements", 0, "model", to="n")), "judges"),
    "variants: nobody was to judge": (options("variants", judges=[]), "judges"),
    "variants: fewer of a text allowed": (options("variants", pairs=0), "balance"),
    "variants: another seed text": (of(0, own("variants", "seed_text", "text 1")), "seed texts"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERINGS)
def test_a_tampering_is_found(releases: Path, tmp_path: Path, what: str) -> None:
    tamper, invariant = TAMPERINGS[what]
    folder = shutil.copytree(releases / what.partition(":")[0], tmp_path / "world")
    tamper(folder)
    seal(folder)
    assert invariant in {found for _, _, found in problems(folder)}


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_any_shape_are_reported(releases: Path, tmp_path: Path, kind: str) -> None:
    folder = shutil.copytree(releases / kind, tmp_path / "world")
    draw = stream(1, "garbage", kind)
    for _ in range(25):
        name = f"questions/{('train', 'test')[draw.below(2)]}.jsonl"
        rows = [json.loads(line) for line in read_file(folder, name).splitlines()]
        place = draw.below(len(rows))
        rows[place] = mangled(rows[place], draw)
        report_on(folder, name, "".join(json.dumps(row) + "\n" for row in rows))


def test_the_world_has_both_forms() -> None:
    assert {text.partition(" ")[0] for _, text, _ in ASKED} >= {"(count", "(minus", "(and"}
