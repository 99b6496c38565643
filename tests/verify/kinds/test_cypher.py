"""Releases of the kind ``cypher`` hold in every naming; a planted fault for each check is found by name."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulemine.cypher.questions.evaluator import evaluate
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.rows import row_text
from rulemine.kg.entity_names import NAMINGS
from rulemine.kg.property_graph.simplekg import simplekg_of
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.verify import verify
from tests.releases import built
from tests.verify.tampering import change_manifest, put
from tests.verify.tiny import read_file, seal, write_file

Row = dict[str, Any]
Change = Callable[[Row], object]
SPLITS = ("train", "validation", "test")
COMPLETE, LAST = "property_graph/complete.json.gz", "property_graph/incomplete.json.gz"
HALF = "property_graph/incomplete-50.json.gz"
TAKEN = "incomplete = complete − removed"


@pytest.fixture(scope="module")
def coast() -> Path:
    return built("coast") / "release"


@pytest.mark.parametrize("naming", NAMINGS)
def test_a_release_holds_in_every_naming(coast: Path, tmp_path: Path, naming: str) -> None:
    rename(Release.open(coast), tmp_path / "named", naming)
    report = verify(tmp_path / "named")
    assert report.ok, report.to_text()
    assert any("gold not independently verified" in note for note in report.notes)


def graph(name: str, change: Change) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        whole = json.loads(read_file(folder, name))
        change(whole)
        write_file(folder, name, json.dumps(whole, ensure_ascii=False) + "\n")

    return tamper


def rows(name: str, change: Callable[[list[Row]], object]) -> Callable[[Path], None]:
    def tamper(folder: Path) -> None:
        some = [json.loads(line) for line in read_file(folder, name).splitlines()]
        change(some)
        write_file(folder, name, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in some))

    return tamper


def own(key: str, to: Any) -> Change:
    return put("block", key, to=to)


def hard(row: Row) -> bool:
    return bool(row["hard"])


def returns(name: str) -> Callable[[Row], bool]:
    return lambda row: bool(row["block"]["returns"] == name)


def anything(row: Row) -> bool:
    return True


def last(row: Row) -> Row:
    found: Row = row["block"]["levels"][-1]
    return found


def entity(change: Change, at: int = 0) -> Change:
    return lambda whole: change(whole["entities"][at])


def with_value(name: str, change: Change) -> Change:
    """Changes the properties of the first node that has one."""

    def find(whole: Row) -> None:
        change(next(e["properties"] for e in whole["entities"] if name in e["properties"]))

    return find


def other_hard_answer(row: Row) -> None:
    others = (item["answer"] for item in row["hard"] if item["answer"] != row["hard_answer"])
    row["hard_answer"] = next(others)


def leak(row: Row) -> None:
    name = json.loads(row["answers"][0])[0]
    row["question"] += f" Such as {name}."
    row["patterns"][0] += f" Such as {name}."


def moved(folder: Path) -> None:
    """A question of the same matches as one of training becomes one of test."""
    train = [json.loads(t) for t in read_file(folder, "questions/train.jsonl").splitlines()]
    keys = [json.loads(r["query"]) for r in train]
    for key in keys:
        key.pop("return")
    at = next(i for i, r in enumerate(train) if sum(r["shape"] == o["shape"] for o in train) > 1
              and any(train[j]["block"]["cypher"].split(" RETURN")[0].split(" WITH")[0]
                      == r["block"]["cypher"].split(" RETURN")[0].split(" WITH")[0]
                      and i != j for j in range(len(train))))  # fmt: skip
    row = train.pop(at)
    row["split"] = "test"
    test = read_file(folder, "questions/test.jsonl") + json.dumps(row, ensure_ascii=False) + "\n"
    write_file(folder, "questions/test.jsonl", test)
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in train)
    write_file(folder, "questions/train.jsonl", text)


def telling(folder: Path) -> None:
    """In another naming, the name of a node that a question names has that of its answer in it."""
    some = [json.loads(t) for t in read_file(folder, "questions/train.jsonl").splitlines()]
    row = next(r for r in some if r["anchors"] and r["block"]["returns"] == "n_name")
    answer = next(a for a in (json.loads(t)[0] for t in row["answers"]) if a not in row["anchors"])
    lines = [line.split("\t") for line in read_file(folder, "entities.tsv").splitlines()]
    own, other = (next(line for line in lines if x in line) for x in (row["anchors"][0], answer))
    own[1] += f", {other[1]}"
    write_file(folder, "entities.tsv", "".join("\t".join(line) + "\n" for line in lines))


def limited(folder: Path) -> None:
    config = json.loads((folder / "manifest.json").read_text())["config"]
    change_manifest(folder, config=config | {"cypher": config["cypher"] | {"per_template": 1}})


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "an edge without its triple": (
        graph(COMPLETE, lambda g: g["relations"].pop()),
        "edges = triples",
    ),
    "an edge back": (lambda f: write_file(f, HALF, read_file(f, COMPLETE)), TAKEN),
    "an edge with other years": (
        graph(
            LAST,
            lambda g: next(r for r in g["relations"] if r["properties"])["properties"].pop(
                "start_year"
            ),
        ),
        TAKEN,
    ),
    "a node is gone": (graph(LAST, lambda g: g["entities"].pop()), TAKEN),
    "a node too many": (
        graph(COMPLETE, lambda g: g["entities"].append(g["entities"][0] | {"eid": "x"})),
        "nodes",
    ),
    "a node says who it is": (graph(COMPLETE, entity(put("description", to="the mayor"))), "nodes"),
    "a node of another type": (graph(COMPLETE, entity(put("label", to="Town"))), "nodes"),
    "a value removed": (graph(LAST, with_value("hand", lambda own: own.pop("hand"))), TAKEN),
    "a value changed": (graph(LAST, with_value("hand", put("hand", to="x"))), TAKEN),
    "a value that does not fit": (
        graph(COMPLETE, with_value("born", put("born", to="1900-2-3"))),
        "schema",
    ),
    "a property that no schema has": (
        graph(COMPLETE, entity(lambda e: e["properties"].update(x=1))),
        "schema",
    ),
    "a relation that no schema has": (
        graph(COMPLETE, lambda g: g["schema"]["relations"].pop()),
        "schema",
    ),
    "another schema": (graph(LAST, put("schema", "name", to="x")), TAKEN),
    "an edge again": (graph(COMPLETE, lambda g: g["relations"].append(g["relations"][0])), TAKEN),
    "the same matches in two splits": (moved, "no leakage"),
    "an answer in the name of a node": (telling, "names tell no answer"),
    "too many questions of a template": (limited, "balance"),
}
"""What is done → the name of the check that finds it."""


QUESTION_FAULTS: dict[str, tuple[Callable[[Row], object], Change, str]] = {
    "another structure": (anything, put("structure", to="union"), "structure"),
    "another family": (anything, own("family", "SORT?"), "family"),
    "other hops": (anything, put("hops", to=2), "hops"),
    "another anchor": (anything, put("anchors", to=["Person 3"]), "anchors"),
    "other relations": (anything, put("relations", to=["married"]), "relations"),
    "other properties": (anything, own("properties", ["Person.x"]), "properties"),
    "order that does not count": (returns("n_name"), own("ordered", True), "ordered"),
    "a row too many": (anything, lambda r: r["block"]["rows"].append('["x"]'), "rows"),
    "rows in another order": (
        lambda r: len(r["block"]["keys"]) > 2,
        lambda r: r["block"]["rows"].reverse(),
        "rows",
    ),
    "other keys": (
        lambda r: r["block"]["keys"],
        lambda r: r["block"]["keys"].append("[1]"),
        "keys",
    ),
    "a tie hidden": (returns("n_argmax"), own("tied", []), "tied"),
    "an answer too few": (lambda r: len(r["answers"]) > 1, lambda r: r["answers"].pop(), "answers"),
    "a lost row called stated": (
        hard,
        lambda r: r["stated"].append(r["hard"][0]["answer"]),
        "stated",
    ),
    "a hard row left out": (hard, lambda r: r["hard"].pop(), "hard"),
    "a lost row kept": (hard, lambda r: last(r).update(lost=[]), "levels"),
    "a row invented": (
        anything,
        lambda r: last(r)["spurious"].append('["x"]'),
        "levels",
    ),
    "rows counted wrongly": (anything, lambda r: last(r).update(rows=77), "levels"),
    "a level left out": (anything, lambda r: r["block"]["levels"].pop(0), "levels"),
    "missing": (hard, put("hard", 0, "missing", to=9), "hard"),
    "another level": (hard, put("hard", 0, "level", to=7), "hard"),
    "another witness": (
        lambda r: hard(r) and r["block"]["returns"] == "n_name",
        lambda r: r["hard"][0]["witness"].insert(0, ["Town 1", "part_of", "Town 2"]),
        "hard",
    ),
    "core": (hard, lambda r: r["hard"][0].update(core=not r["hard"][0]["core"]), "hard"),
    "another hard answer": (lambda r: len(r["hard"]) > 1, other_hard_answer, "hard_answer"),
    "other evidence": (hard, put("evidence", to=[["Town 1", "part_of", "Town 2"]]), "evidence"),
    "evidence left out": (
        lambda r: r["full_evidence"],
        lambda r: r["full_evidence"].pop(),
        "full_evidence",
    ),
    "a removed triple left out": (
        lambda r: r["removed"],
        lambda r: r["removed"].pop(),
        "removed",
    ),
    "a rule not said": (lambda r: r["rules"], put("rules", to=[]), "rules"),
    "a text that is not its pattern": (
        anything,
        lambda r: r.update(question=r["question"] + "!"),
        "text is its pattern",
    ),
    "a pattern without its topic": (lambda r: r["anchors"], put("patterns", 0, to="?"), "patterns"),
    "a text with an answer": (returns("n_name"), leak, "text hides the answers"),
}
"""What is done → to which questions, how, and the name of the check that finds it."""


@pytest.mark.parametrize("what", FAULTS)
def test_a_planted_fault_is_found(coast: Path, tmp_path: Path, what: str) -> None:
    tamper, invariant = FAULTS[what]
    folder = shutil.copytree(coast, tmp_path / "release")
    tamper(folder)
    seal(folder)
    assert invariant in {problem.invariant for problem in verify(folder).problems}


def test_a_fault_in_a_question_is_found_where_it_is(coast: Path, tmp_path: Path) -> None:
    left = {**QUESTION_FAULTS}
    while left:  # as many at once as there are questions for
        folder = shutil.copytree(coast, tmp_path / str(len(left)))
        files = {f"questions/{split}.jsonl": list[Row]() for split in SPLITS}
        for name, some in files.items():
            some += map(json.loads, read_file(folder, name).splitlines())
        places = [(name, at) for name, some in files.items() for at in range(len(some))]
        expected = {}
        for what, (wanted, change, invariant) in [*left.items()]:
            fits = (place for place in places if wanted(files[place[0]][place[1]]))
            if (place := next(fits, None)) is not None:
                places.remove(place)
                change(files[place[0]][place[1]])
                expected[what] = (place[0], place[1] + 1, invariant)
                del left[what]
        assert expected, f"no question for {[*left]}"
        for name, some in files.items():
            rows(name, lambda old, new=some: old.__setitem__(slice(None), new))(folder)  # type: ignore[misc]
        seal(folder)
        found = {(p.file, p.line, p.invariant) for p in verify(folder).problems}
        assert not {what for what, place in expected.items() if place not in found}


@pytest.mark.parametrize(
    "tamper",
    [
        lambda f: write_file(f, HALF, "{\n"),
        graph(HALF, lambda g: g.pop("schema")),
        rows("questions/test.jsonl", lambda some: some[0].update(query="{}")),
    ],
    ids=["no JSON", "no SimpleKG", "no question of a template"],
)
def test_what_cannot_be_read_is_told(
    coast: Path, tmp_path: Path, tamper: Callable[[Path], None]
) -> None:
    folder = shutil.copytree(coast, tmp_path / "release")
    tamper(folder)
    seal(folder)
    assert [text for text in verify(folder).skipped if "do not fit" in text]


Spoilt = Callable[[list[str]], list[str]]


def server(folder: Path, spoil: Spoilt = lambda rows: rows) -> Any:
    """A database that answers by our evaluator, and spoils the rows of a graph without removed edges.

    Of rows that tie it gives the last.
    """
    asked = {q.block.cypher: query_of(q.query) for q in Release.open(folder).questions()}  # type: ignore[attr-defined]
    size = len(json.loads(read_file(folder, COMPLETE))["relations"])

    def load(plain: Row) -> Any:
        loaded = simplekg_of(dict(plain), "here")

        def run(cypher: str) -> Any:
            found = evaluate(loaded, asked[cypher])
            lines = sorted(map(row_text, found.tied))[-1:] or list(map(row_text, found.rows))
            return found.columns, spoil(lines) if len(loaded.edges) == size else lines

        return run

    return load


@pytest.mark.parametrize(
    ("spoil", "faults"),
    [
        (lambda rows: rows, False),
        (lambda rows: rows[:-1], True),
        (lambda rows: rows[::-1], True),  # order counts in some
        (lambda rows: [row.replace("1", "2") for row in rows], True),
        (lambda rows: [f"{row[:-1]}0000000001]" if "." in row else row for row in rows], False),
    ],
    ids=["right", "a row too few", "the other way round", "other values", "the last digit of a float"],
)  # fmt: skip
def test_the_gold_is_run_on_a_database(coast: Path, spoil: Spoilt, faults: bool) -> None:
    report = verify(coast, gold=server(coast, spoil))
    assert report.checked["gold queries run"] == 3 * report.checked["questions"]
    assert {p.invariant for p in report.problems} == ({"gold at level 0"} if faults else set())
    assert not any("gold" in note for note in report.notes)


@pytest.mark.parametrize("fails", [True, False])
def test_a_gold_that_fails_or_gives_other_rows_is_a_problem(coast: Path, fails: bool) -> None:
    other = server(coast, lambda rows: ['["nobody"]'] * len(rows))
    report = verify(
        coast, gold=(lambda plain: lambda cypher: "SyntaxError: no") if fails else other
    )
    assert len(report.problems) == (3 if fails else 1) * report.checked["questions"]
    assert ("SyntaxError" if fails else "nobody") in str(report.problems[0])
