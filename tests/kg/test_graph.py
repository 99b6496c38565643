"""A knowledge graph is a set of triples, whatever the file that it was read from looked like."""

import gzip
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulemine import files
from rulemine.errors import InputError, counted, list_problems
from rulemine.files import read_lines
from rulemine.kg import vocabulary
from rulemine.kg.graph import KnowledgeGraph, Triple, format_tsv
from rulemine.kg.vocabulary import Fields, Vocabulary
from tests import each, some_seeds

LABELS = (
    "a",
    "b",
    "Zoë",
    "O'Hara, Eve",
    "?x",
    "=>",
    "{topic}",
    'a "q" one',
    "\\t",
    "東京",
    "e\u2028f",
)
RELATIONS = ("knows", "a", "is a", "=>", "r(x,y)", "∧")


def random_triples(seed: int) -> list[Triple]:
    rng = random.Random(seed)
    some = rng.randrange(1, 40)
    return [(rng.choice(LABELS), rng.choice(RELATIONS), rng.choice(LABELS)) for _ in range(some)]


@each("seed", some_seeds(30))
def test_the_order_of_lines_and_duplicates_change_nothing_but_what_records_them(seed: int) -> None:
    rng, triples = random.Random(seed), random_triples(seed)
    shuffled = triples + rng.choices(triples, k=rng.randrange(20))
    rng.shuffle(shuffled)
    one, other = map(KnowledgeGraph.from_triples, (triples, shuffled))
    assert (one.entities, one.relations) == (other.entities, other.relations)
    assert np.array_equal(one.triples, other.triples)
    assert one.digest == other.digest
    assert one.labeled() == sorted(set(triples))
    assert other.duplicates == len(shuffled) - len(set(triples))
    assert other.labeled(other.source_order) == list(dict.fromkeys(shuffled))


@each("label", ["é", "x\0y", "x" * (1 << 21)])
def test_written_and_read_again_it_is_the_same(tmp_path: Path, label: str) -> None:
    triples = [
        ("a", "r", label),
        (label, label, "日本語"),
        ("日本語", "rel", "a"),
        *random_triples(1),
    ]
    kg = KnowledgeGraph.from_triples(triples)
    assert kg.to_tsv() == format_tsv(sorted({*triples}))
    for name in ("kg.tsv", "kg.tsv.gz") if label == "é" else ():
        kg.write(tmp_path / name)
        again = KnowledgeGraph.read(tmp_path / name)
        assert (again.digest, again.duplicates, again.to_tsv()) == (kg.digest, 0, kg.to_tsv())


def test_the_digest_is_that_of_the_sorted_file() -> None:
    kg = KnowledgeGraph.from_triples([("b", "r", "a"), ("a", "r", "b")])
    # printf 'a\tr\tb\nb\tr\ta\n' | sha256sum
    assert kg.digest == "e15bb1c2f30f655787ff861f8c48d03ac50d704ba06af3cf509fe265073e446a"


@each("seed", some_seeds(20))
def test_rows_of_finds_each_triple_and_without_keeps_ids(seed: int) -> None:
    kg = KnowledgeGraph.from_triples(random_triples(seed))
    gone = np.flatnonzero(np.random.default_rng(seed).random(len(kg)) < 0.5)
    lost, less = {*kg.labeled(gone)}, kg.without(gone)
    assert (less.entities, less.relations) == (kg.entities, kg.relations)
    assert less.labeled() == [t for t in kg.labeled() if t not in lost]
    n, m = range(len(kg.entities)), range(len(kg.relations))
    every = [(s, r, o) for s in n for r in m for o in n]
    for graph in (kg, less, kg.without(np.arange(len(kg)))):
        where = {triple: row for row, triple in enumerate(map(tuple, graph.triples.tolist()))}
        found = graph.rows_of(np.array(every, np.int32)).tolist()
        assert found == [where.get(triple, -1) for triple in every]
        with pytest.raises(ValueError, match="read-only"):
            graph.triples[:0] = 1


def test_what_is_counted_and_found_beside_triples() -> None:
    triples = [("a", "r", "a"), ("a", "r", "b"), ("b", "s", "a"), ("b", "r", "c")]
    kg = KnowledgeGraph.from_triples(triples)
    assert kg.labeled(kg.beside_others) == triples[:3]
    assert kg.relation_sizes().tolist() == [3, 1]


def test_names_are_exchanged_for_others() -> None:
    kg = KnowledgeGraph.from_triples([("b", "s", "a"), ("a", "r", "b"), ("b", "s", "a")])
    assert kg.renamed({"a": "z", "b": "y"}).labeled() == [("y", "s", "z"), ("z", "r", "y")]
    other = kg.with_relations({"r": "t", "s": "q"})
    assert other.labeled(other.source_order) == [("b", "q", "a"), ("a", "t", "b")]
    assert other.duplicates == 1
    less = kg.without(np.array([0])).with_relations({"r": "t", "s": "q"})
    assert less.labeled() == [("b", "q", "a")]


@each("label", ["", "a\tb", "a\nb", "a\rb"])
def test_a_label_that_tsv_cannot_carry_is_refused(label: str) -> None:
    for triple in ((label, "r", "a"), ("a", label, "a"), ("a", "r", label)):
        with pytest.raises(InputError, match="label"):
            KnowledgeGraph.from_triples([triple])


def test_triples_whose_numbers_need_more_than_eight_bytes_are_sorted_too() -> None:
    ids = np.random.default_rng(0).integers(0, 2**31 - 1, (50, 3)).astype(np.int32)
    twice = np.concatenate((ids, ids[:9]))
    huge = range(2**31 - 1)
    kg = KnowledgeGraph._of_ids(huge, huge, twice, True)  # type: ignore[arg-type]
    assert kg.triples.tolist() == sorted(ids.tolist())
    assert kg.triples[kg.source_order].tolist() == ids.tolist()
    assert kg.rows_of(ids).tolist() == [kg.triples.tolist().index(row) for row in ids.tolist()]


def test_reading_keeps_file_order_and_strips_fields(tmp_path: Path) -> None:
    one, two = tmp_path / "kg.tsv", tmp_path / "kg.tsv.gz"
    one.write_bytes("\ufeffb \t r\t a\r\na\tr\tb\nb\tr\ta\n\n".encode())
    two.write_bytes(gzip.compress(b"a\tr\tb\na\ts\tc"))
    told: list[bytes] = []
    kg = KnowledgeGraph.read(one, two, watch=told.append)
    assert kg.labeled(kg.source_order) == [("b", "r", "a"), ("a", "r", "b"), ("a", "s", "c")]
    assert (kg.duplicates, kg.trimmed) == (2, 3)
    assert b"".join(told) == one.read_bytes() + two.read_bytes()


def test_all_bad_lines_are_counted_and_ten_are_named(tmp_path: Path) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\na\tb\na\t\tb\na\tr\tb\tc\n" + "x\n" * 5000)
    with pytest.raises(InputError) as caught:
        KnowledgeGraph.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:\n  line 2 has 2 columns: 'a\\tb'")
    for said in ("line 3 has an empty field", "line 4 has 4 columns", "… and 4993 more", "tabs"):
        assert said in message


ENDS = ("\n", "\n", "\n", "\n", "\r\n", "\n\n", "\r", " \n", "\n \t\n", "")
FIELDS = ("a", "b", "Zoë", " c", "d\u3000", '"', '"q"', '"q"', "", "e\u2028f", "\x1cg", "x" * 90)


def plainly(path: Path) -> list[tuple[str, ...]]:
    """The rows of a file, line by line."""
    rows, problems = [], []
    for number, line in enumerate(read_lines(path), start=1):
        fields = tuple(part.strip() for part in line.split("\t"))
        what = (
            f"has {counted(len(fields), 'column')}" if len(fields) != 3
            else "has an empty field" if "" in fields
            else "holds a carriage return inside a label" if "\r" in line
            else ""
        )  # fmt: skip
        if line.strip() and what:
            shown = repr(line if len(line) <= 80 else line[:77] + "…")
            problems.append(f"line {number} {what}: {shown}")
        elif line.strip():
            rows.append(fields)
    if problems:
        raise InputError(list_problems(str(path), problems, "Expected"))
    if all(f[0] == f[-1] == '"' and len(f) > 1 for row in rows for f in row):
        raise InputError("quotes")
    return rows


def content(rng: random.Random) -> bytes:
    fields = FIELDS[: rng.choice((3, 5, 6, len(FIELDS)))] if rng.random() < 0.9 else FIELDS[6:8]
    widths, ends = rng.choice(((3,), (3,), (2, 3, 4))), rng.choice((ENDS[:4], ENDS[4:5], ENDS))
    lines = ["\t".join(rng.choices(fields, k=rng.choice(widths))) for _ in range(rng.randrange(30))]
    text = rng.choice(("", "\ufeff")) + "".join(line + rng.choice(ends) for line in lines)
    raw = bytearray(text.encode() + rng.choice((b"", b"\n", b"a\tb\tc")))
    if rng.random() < 0.2 and raw:
        raw[rng.randrange(len(raw))] = rng.choice((0, 0xFF, 0xE2))
    return bytes(raw)


def outcome(path: Path, read: Any) -> Any:
    try:
        return read(path)
    except InputError as problem:
        said = str(problem).partition("Expected")[0]
        return "quotes" if "every field is in double quotes" in said else said


@each("seed", some_seeds(300))
def test_blocks_give_what_lines_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    path = tmp_path / rng.choice(("kg.tsv", "kg.tsv.gz"))
    path.write_bytes((gzip.compress if path.suffix == ".gz" else bytes)(content(rng)))
    monkeypatch.setattr(files, "BLOCK", rng.choice((4, 7, 20, 1 << 20)))
    expected, kg = outcome(path, plainly), outcome(path, KnowledgeGraph.read)
    assert kg == expected or (not isinstance(kg, str) and not isinstance(expected, str))
    if isinstance(kg, KnowledgeGraph) and isinstance(expected, list):
        assert kg.to_tsv() == KnowledgeGraph.from_triples(expected).to_tsv()
        assert kg.labeled(kg.source_order) == list(dict.fromkeys(expected))
        assert kg.duplicates == len(expected) - len(set(expected))


SIZES = [*(("x" * n) for n in (8, 9, 16, 255, 256, 257, 300)), "x" * 8 + "y", "x" * 300 + "y"]


@each("factor", [0x9E3779B97F4A7C15, 0, 1])  # 0: all labels have one hash
def test_numbers_of_labels_are_right_whatever_the_hashes_are(
    factor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "_FACTOR", np.uint64(factor))
    drawn, known, seen = random.Random(factor), Vocabulary(), dict[str, int]()
    numbers = (str(drawn.randrange(10**12)) for _ in range(600))
    every = ["", "a", "a\0", "\0a", "é", *SIZES, *numbers]
    for size in (1, 3, 40, 700, 2000):
        block = drawn.choices(every, k=size)
        given = known.numbers(Fields.of(block)).tolist()
        assert [seen.setdefault(b, n) for b, n in zip(block, given, strict=True)] == given
    assert sorted(seen.values()) == list(range(len(seen))) == list(range(len(known)))
    labels, place = known.settle()
    assert list(labels) == sorted(seen)
    assert all(labels[place[number]] == label for label, number in seen.items())
    assert Vocabulary().settle()[0] == ()
