"""Reading in blocks says and gives what reading the whole text line by line would."""

import gzip
import random
from pathlib import Path

import pytest

from rulemine import files
from rulemine.errors import InputError, counted, list_problems
from rulemine.files import read_lines
from rulemine.kg.graph import KnowledgeGraph
from tests import some_seeds

ENDS = ("\n", "\n", "\n", "\n", "\r\n", "\n\n", "\r", " \n", "\n \t\n", "")
FIELDS = ("a", "b", "Zoë", " c", "d\u3000", '"', '"q"', '"q"', "", "e\u2028f", "\x1cg", "x" * 90)
EXPECTED = "Expected three non-empty fields a line, separated by tabs: subject, relation, object."


def plainly(path: Path) -> list[tuple[str, ...]]:
    rows, problems = [], []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        fields = tuple(part.strip() for part in line.split("\t"))
        shown = repr(line if len(line) <= 80 else line[:77] + "…")
        if len(fields) != 3:
            problems.append(f"line {number} has {counted(len(fields), 'column')}: {shown}")
        elif "" in fields:
            problems.append(f"line {number} has an empty field: {shown}")
        elif "\r" in line:
            problems.append(f"line {number} holds a carriage return inside a label: {shown}")
        else:
            rows.append(fields)
    if problems:
        raise InputError(list_problems(str(path), problems, EXPECTED))
    if all(f[0] == f[-1] == '"' and len(f) > 1 for row in rows for f in row):
        raise InputError("quotes")
    return rows


def content(rng: random.Random) -> bytes:
    fields = FIELDS[: rng.choice((3, 5, 6, len(FIELDS)))] if rng.random() < 0.9 else FIELDS[6:8]
    widths = rng.choice(((3,), (3,), (2, 3, 4)))
    ends = rng.choice((ENDS[:4], ENDS[:5], ENDS[4:5], ENDS))
    text = "".join(
        "\t".join(rng.choices(fields, k=rng.choice(widths))) + rng.choice(ends)
        for _ in range(rng.randrange(30))
    )
    raw = bytearray(
        (rng.choice(("", "\ufeff")) + text).encode() + rng.choice((b"", b"\n", b"a\tb\tc"))
    )
    if rng.random() < 0.2 and raw:
        raw[rng.randrange(len(raw))] = rng.choice((0, 0xFF, 0xE2))
    return bytes(raw)


def outcome(path: Path, read: object) -> object:
    try:
        return read(path)  # type: ignore[operator]
    except InputError as problem:
        said = str(problem).partition(" Say which columns")[0]  # the advice is of the command
        return "quotes" if "every field is in double quotes" in said else said


@pytest.mark.parametrize("seed", some_seeds(300))
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


def test_several_files_are_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("b\tr\ta\na\tr\tb")
    (tmp_path / "two.tsv").write_text("a\tr\tb\na\ts\tc\n")
    kg = KnowledgeGraph.read(tmp_path / "one.tsv", tmp_path / "two.tsv")
    assert kg.labeled(kg.source_order) == [("b", "r", "a"), ("a", "r", "b"), ("a", "s", "c")]
    assert kg.duplicates == 1


def test_bad_lines_are_counted_and_not_kept(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("a\tb\n" * 5000)
    with pytest.raises(InputError, match=r"… and 4990 more\nExpected three"):
        KnowledgeGraph.read(tmp_path / "bad.tsv")


def test_who_watches_is_told_the_bytes_of_the_file(tmp_path: Path) -> None:
    for name, raw in (("kg.tsv", b"a\tr\tb\n" * 9), ("kg.tsv.gz", gzip.compress(b"a\tr\tb\n" * 9))):
        (tmp_path / name).write_bytes(raw)
        told: list[bytes] = []
        KnowledgeGraph.read(tmp_path / name, watch=told.append)
        assert b"".join(told) == raw
