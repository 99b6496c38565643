"""Releases of the kind ``structures``: tampering, and queries that may not be asked, are found by name."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from pyoxigraph import NamedNode, Quad, Store

from rulemine.kg.entity_names import NAMINGS
from rulemine.phrasing.compose import compose
from rulemine.query import parse
from rulemine.release.records import Question, Unseen
from rulemine.release.writer import write_release
from rulemine.seeds import stream
from rulemine.verify import verify
from tests.structures import ASKED, CONFIG, SOURCE, WORLD, structure_question, world
from tests.verify.tampering import change_manifest, edited, put, replaced
from tests.verify.test_garbage import mangled, report_on
from tests.verify.tiny import read_file, seal

TRAIN, VALIDATION, TEST = (f"questions/{split}.jsonl" for split in ("train", "validation", "test"))

Found = set[tuple[str, int | None, str]]

INSTEAD = {
    '(p "citizen_of" "ann")': '(p "made_in" "film3")',
    '(p "citizen_of" (p- "wrote" "film1"))': '(p "won" (p- "wrote" "film1"))',
    '(p "born_in" (or (p- "citizen_of" "france") (p- "citizen_of" "italy")))': (
        '(p "directed" (or (p- "born_in" "paris") (p- "born_in" "lyon")))'
    ),
}
"""Queries of the world that would give away what test needs, or lead to all there is → others."""


TEMPLATES = world().templates


def asked(number: int, split: str, query: str) -> Question:
    """A question with its text."""
    text = compose(parse(query), TEMPLATES)
    return replace(structure_question(number, query, split), question=text)


def with_unseen(questions: list[Question]) -> tuple[Question, ...]:
    train = [q for q in questions if q.split == "train"]
    rules = {rule for q in train for rule in q.rules}
    relations = {relation for q in train for relation in q.relations}
    answers = {answer for q in train for answer in q.hard_answers}
    return tuple(
        replace(
            q,
            unseen=Unseen(
                not rules >= {*q.rules},
                not relations >= {*q.relations},
                q.hard_answer not in {*answers, None},
            ),
        )
        for q in questions
    )


def release(folder: Path, *more: tuple[str, str], naming: str = "entity") -> Path:
    """Writes the world as a release, with further questions: splits and queries."""
    rows = [(split, INSTEAD.get(query, query)) for split, query in (*ASKED, *more)]
    parts = world(
        questions=with_unseen([asked(i, *row) for i, row in enumerate(rows)]),
        config=CONFIG | {
            "structures": CONFIG["structures"] | {"max_share": 1},
            "verbalizer": {"name": "template"},
        },
        source=SOURCE | {"duplicates": 0},
        model_counts={key: {} for key in ("audits", "model_calls", "model_tokens")},
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    write_release(folder, parts, naming)
    return folder


def problems(folder: Path) -> Found:
    """What is found, but of what questions do not tell: proofs and names of the world are made up."""
    made_up = ("removed.jsonl", "rules.jsonl", "entities.tsv")
    found = {(p.file, p.line, p.invariant) for p in verify(folder).problems}
    return {p for p in found if p[0] not in made_up and p[2] != "question id"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release."""
    return release(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize("naming", NAMINGS)
def test_questions_of_all_structures_hold_in_every_naming(tmp_path: Path, naming: str) -> None:
    assert problems(release(tmp_path, naming=naming)) == set()


def test_the_sparql_of_a_question_gives_its_answers(whole: Path) -> None:
    store = Store()
    for s, r, o in WORLD:
        store.add(Quad(*map(NamedNode, (f"entity:{s}", f"relation:{r}", f"entity:{o}"))))
    for line in read_file(whole, TEST).splitlines():
        row = json.loads(line)
        found = {
            unquote(one[0].value.removeprefix("entity:")) for one in store.query(row["sparql"])
        }
        assert sorted(found) == row["answers"]


def first(row: str, change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Changes the first question with a structure: ``2i``, ``1p easy``."""
    name, _, easy = row.partition(" ")

    def tamper(folder: Path) -> None:
        for file in (TRAIN, VALIDATION, TEST):
            rows = [json.loads(line) for line in read_file(folder, file).splitlines()]
            for number, row in enumerate(rows, 1):
                if row["structure"] == name and (row["hard"] == []) == (easy != ""):
                    edited(file, number, change)(folder)
                    return
        raise AssertionError(name)

    return tamper


def drop(*keys: str, at: int = 0) -> Callable[[dict[str, Any]], object]:
    def change(row: Any) -> None:
        for key in keys:
            row = row[key]
        del row[at]

    return change


def other_hard_answer(row: dict[str, Any]) -> None:
    item = next(item for item in row["hard"] if item["answer"] != row["hard_answer"])
    row |= {"hard_answer": item["answer"], "core": item["core"], "evidence": item["witness"]}


def turned(row: dict[str, Any]) -> None:
    row["hard"][0]["witness"].reverse()


def costly(row: dict[str, Any]) -> None:
    """Another derivation of the hard answer, which needs more."""
    for line in (row["hard"][0]["witness"], row["evidence"]):
        line[-1] = ["bob", "citizen_of", "france"]


def options(**values: Any) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        config = json.loads((folder / "manifest.json").read_text())["config"]
        section = config["structures"] | values
        change_manifest(folder, config=config | {"structures": section})

    return tamper


def dropped(folder: Path) -> None:
    source = json.loads((folder / "manifest.json").read_text())["kg"]
    change_manifest(folder, kg=source | {"dropped": {"won": "dull"}})


def statistics(folder: Path) -> None:
    counts = json.loads((folder / "manifest.json").read_text())["counts"]
    counts["statistics"]["2i"]["triples"] += 1
    change_manifest(folder, counts=counts)


TAMPERINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another query": (first("2p", put("query", to='(p "in" "rome")')), "answers"),
    "a query that is none": (first("2p", put("query", to='(p "in" rome)')), "query"),
    "one statement of two": (first("1p", put("query", to='(p "spouse" "bob")')), "query"),
    "another structure": (first("2i", put("structure", to="3i")), "structure"),
    "another shape": (first("ip", put("shape", to="(1)(2)")), "shape"),
    "another number of hops": (first("pi", put("hops", to=1)), "hops"),
    "an anchor too few": (first("3i", drop("anchors")), "anchors"),
    "an answer too few": (first("2i", drop("answers")), "answers"),
    "a hard answer called stated": (first("2i", put("stated", to=["ann"])), "stated answers"),
    "a hard answer left out": (first("2u", drop("hard")), "hard answers"),
    "fewer missing links": (first("3p", put("hard", 0, "missing", to=1)), "missing"),
    "a later level": (first("ip", put("hard", 0, "level", to=51)), "level"),
    "a difference": (
        first("2i", put("query", to='(minus (p- "won" "oscar") (p- "won" "palme"))')), "structure",
    ),
    "a witness in another order": (first("3p", turned), "witness"),
    "a witness of another": (first("2p", costly), "witness"),
    "a hard answer called core": (first("3p", put("hard", 0, "core", to=True)), "core"),
    "a question called core": (first("1p easy", put("core", to=True)), "core"),
    "another hard answer": (first("2u", other_hard_answer), "hard answer"),
    "no hard answer": (first("2u", put("hard_answer", to=None)), "hard answer"),
    "an easy hard answer": (first("1p easy", put("hard_answer", to="rome")), "hard answer"),
    "other evidence": (first("2i", drop("evidence")), "evidence"),
    "other evidence of what is stated": (
        first("1p easy", put("evidence", to=[["eve", "born_in", "rome"]])), "witness",
    ),
    "evidence left out": (first("ip", drop("full_evidence")), "full evidence"),
    "a relation left out": (first("pi", drop("relations")), "relations"),
    "an intermediate left out": (first("ip", drop("intermediates")), "intermediates"),
    "a type left out": (first("2i", drop("block", "answer_types")), "answer types"),
    "a removed triple left out": (first("3p", drop("removed")), "removed"),
    "another rule": (first("2i", put("rules", to=["0" * 12])), "rules"),
    "a direction that is not allowed": (
        lambda folder: [
            edited("removed.jsonl", n, put("directions", to=["subject"]))(folder) for n in range(1, 7)
        ],
        "hard answer",
    ),
    "a text without an anchor": (
        first("2i", put("question", to="Who won an oscar?")), "text names the topic",
    ),
    "a text with an answer": (
        first("2i", put("question", to="Did Ann of france win oscar?")), "text hides the answers",
    ),
    "a text with an intermediate": (
        first("2p", put("question", to="Where is Ann of film1 from?")), "text hides the answers",
    ),
    "a text with an answer in another naming": (
        first("2i", put("question", to="Is e0 of france with oscar?")), "text hides the answers",
    ),
    "a text of another": (
        first("3p", put("question", to="What is film3 made in?")), "one question a text",
    ),
    "a text in the singular where many have several": (
        first("ip", put("question", to="Which place did france and oscar see?")), "number",
    ),
    "a template in the plural where all have one": (
        first("1p", put("question", to="Who are the spouses of bob?")), "text is the template",
    ),
    "a paraphrase of a template": (first("2p", put("paraphrases", to=["film1?"])), "wording"),
    "seen before": (first("2i", put("unseen", "relation", to=False)), "unseen"),
    "a question of another kind": (first("2p", put("kind", to="rules")), "kind"),
    "an entity without its types": (replaced("types.tsv", "ann\tperson\n", ""), "answer types"),
    "an anchor of a union of another type": (
        replaced("types.tsv", "france\tcountry", "france\tstate"), "types of a union",
    ),
    "a member of a union of another type": (
        replaced("types.tsv", "cat\tperson", "cat\tanimal"), "types of a union",
    ),
    "types of nobody": (replaced("types.tsv", "ann\tperson", "nobody\tperson"), "names"),
    "fewer answers allowed": (options(max_answers=1), "number of answers"),
    "less evidence allowed": (options(max_evidence=2), "number of full evidence"),
    "fewer of a structure": (options(per_structure=1), "balance"),
    "less in common allowed": (options(max_share=0.2), "balance"),
    "another structure allowed": (options(names=["1p", "2p"]), "structure"),
    "a relation that is not asked about": (dropped, "excluded relations"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERINGS)
def test_a_tampering_is_found(whole: Path, tmp_path: Path, what: str) -> None:
    tamper, invariant = TAMPERINGS[what]
    folder = shutil.copytree(whole, tmp_path / "world")
    tamper(folder)
    seal(folder)
    assert invariant in {found for _, _, found in problems(folder)}


QUERIES = {
    '(and (p- "born_in" "paris") (p- "won" "oscar"))': {"every branch needed"},
    '(or (p- "won" "oscar") (p- "won" "palme"))': set(),
    '(or (p- "born_in" "paris") (p- "won" "oscar"))': {
        "every branch needed", "types of a union", "one relation of a union",
    },
    '(or (p "citizen_of" "ann") (p "born_in" "cat"))': {
        "types of a union", "answer types", "one relation of a union",
    },
    '(p "citizen_of" (p- "citizen_of" "france"))': {"anchors apart"},
    '(p "won" (p- "citizen_of" (p "citizen_of" "ann")))': {"anchors apart"},
    '(and (p- "wrote" "film1") (p- "directed" "film1"))': {"anchors apart", "every branch needed"},
}  # fmt: skip
"""Query → what no question of this kind may have of it."""


@pytest.mark.parametrize("query", QUERIES)
def test_queries_that_may_not_be_asked_are_named(tmp_path: Path, query: str) -> None:
    found = problems(release(tmp_path, ("train", query)))
    about = {
        "every branch needed",
        "types of a union",
        "answer types",
        "anchors apart",
        "one relation of a union",
    }
    assert {invariant for _, _, invariant in found} & about == QUERIES[query]


def test_values_of_any_shape_are_reported(tmp_path: Path) -> None:
    folder = release(tmp_path)
    draw = stream(1, "garbage", "structures")
    for _ in range(60):
        name = ("questions/test.jsonl", "questions/train.jsonl", "removed.jsonl")[draw.below(3)]
        whole = read_file(folder, name)
        rows = [json.loads(line) for line in whole.splitlines()]
        place = draw.below(len(rows))
        rows[place] = mangled(rows[place], draw)
        report_on(folder, name, "".join(json.dumps(row) + "\n" for row in rows))


def test_an_anchor_in_two_splits_is_found(tmp_path: Path) -> None:
    folder = release(tmp_path, ("train", '(p- "born_in" "rome")'), ("test", '(p "in" "rome")'))
    assert {found for _, _, found in problems(folder)} == {"no leakage"}


@pytest.mark.parametrize(
    ("query", "invariant"),
    [
        ('(p "won" (p- "citizen_of" "france"))', "nothing idle"),
        ('(and (p- "born_in" (p- "in" "france")) (p- "won" "oscar"))', "near duplicates"),
    ],
)
def test_chains_to_all_there_is_and_near_duplicates_are_found(
    whole: Path, tmp_path: Path, query: str, invariant: str
) -> None:
    assert invariant not in {found for _, _, found in problems(whole)}
    assert invariant in {found for _, _, found in problems(release(tmp_path, ("test", query)))}
