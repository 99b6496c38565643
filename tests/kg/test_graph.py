"""A knowledge graph is a set of triples, whatever the file that it was read from looked like."""

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from rulemine.errors import InputError
from rulemine.kg.graph import KnowledgeGraph, Triple, format_tsv
from tests import some_seeds

LABELS = (
    "a",
    "b",
    "Zoë",
    "O'Hara, Eve",
    "?x",
    "=>",
    "{topic}",
    'a "quoted" one',
    "\\t",
    "東京",
    "e\u2028f",
)
RELATIONS = ("knows", "a", "is a", "=>", "r(x,y)", "∧")


def random_triples(rng: random.Random, most: int = 40) -> list[Triple]:
    return [
        (rng.choice(LABELS), rng.choice(RELATIONS), rng.choice(LABELS))
        for _ in range(rng.randrange(1, most))
    ]


@pytest.mark.parametrize("seed", some_seeds(30))
def test_the_order_of_lines_and_duplicates_change_nothing_but_what_records_them(seed: int) -> None:
    rng = random.Random(seed)
    triples = random_triples(rng)
    shuffled = triples + rng.choices(triples, k=rng.randrange(20))
    rng.shuffle(shuffled)
    one, other = map(KnowledgeGraph.from_triples, (triples, shuffled))
    assert (one.entities, one.relations) == (other.entities, other.relations)
    assert np.array_equal(one.triples, other.triples)
    assert one.digest == other.digest
    assert one.labeled() == sorted(set(triples))
    assert other.duplicates == len(shuffled) - len(set(triples))
    assert other.labeled(other.source_order) == list(dict.fromkeys(shuffled))


@pytest.mark.parametrize("name", ["kg.tsv", "kg.tsv.gz"])
def test_written_and_read_again_it_is_the_same(tmp_path: Path, name: str) -> None:
    kg = KnowledgeGraph.from_triples(random_triples(random.Random(1)))
    kg.write(tmp_path / name)
    again = KnowledgeGraph.read(tmp_path / name)
    assert (again.digest, again.duplicates) == (kg.digest, 0)
    assert again.to_tsv() == kg.to_tsv() == format_tsv(sorted(kg.labeled()))


@pytest.mark.parametrize("label", ["é", "x\0y", "x" * (1 << 21)])  # the last two are not padded
def test_text_is_the_same_for_labels_of_any_length(label: str) -> None:
    triples = [("a", "r", label), (label, label, "日本語"), ("日本語", "rel", "a")]
    assert KnowledgeGraph.from_triples(triples).to_tsv() == format_tsv(sorted(triples))


def test_the_digest_is_that_of_the_sorted_file() -> None:
    kg = KnowledgeGraph.from_triples([("b", "r", "a"), ("a", "r", "b")])
    # printf 'a\tr\tb\nb\tr\ta\n' | sha256sum
    assert kg.digest == "e15bb1c2f30f655787ff861f8c48d03ac50d704ba06af3cf509fe265073e446a"


@pytest.mark.parametrize("seed", some_seeds(20))
def test_rows_of_finds_each_triple_and_nothing_else(seed: int) -> None:
    kg = KnowledgeGraph.from_triples(random_triples(random.Random(seed)))
    n, m = len(kg.entities), len(kg.relations)
    every = np.array([(s, r, o) for s in range(n) for r in range(m) for o in range(n)], np.int32)
    where = {triple: row for row, triple in enumerate(map(tuple, kg.triples.tolist()))}
    assert kg.rows_of(every).tolist() == [where.get(t, -1) for t in map(tuple, every.tolist())]


def test_rows_of_an_emptied_graph_are_none() -> None:
    kg = KnowledgeGraph.from_triples([("a", "r", "b")]).without(np.array([0]))
    assert kg.rows_of(np.zeros((3, 3), np.int32)).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("seed", some_seeds(20))
def test_without_keeps_ids(seed: int) -> None:
    rng = random.Random(seed)
    kg = KnowledgeGraph.from_triples(random_triples(rng))
    before = kg.to_tsv()
    gone = sorted(rng.sample(range(len(kg)), k=rng.randrange(len(kg) + 1)))
    less = kg.without(np.array(gone, np.int64))
    assert (less.entities, less.relations) == (kg.entities, kg.relations)
    lost = set(kg.labeled(np.array(gone, np.int64)))
    assert less.labeled() == [t for t in kg.labeled() if t not in lost]
    assert kg.to_tsv() == before


def test_arrays_cannot_be_written_to() -> None:
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("b", "r", "a")])
    for graph in (kg, kg.without(np.array([0]))):
        with pytest.raises(ValueError, match="read-only"):
            graph.triples[0, 0] = 1


def test_relation_sizes_count_triples() -> None:
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("b", "s", "a"), ("a", "s", "b")])
    assert kg.relation_sizes().tolist() == [1, 2]


@pytest.mark.parametrize("label", ["", "a\tb", "a\nb", "a\rb"])
def test_a_label_that_tsv_cannot_carry_is_refused(label: str) -> None:
    for triple in ((label, "r", "a"), ("a", label, "a"), ("a", "r", label)):
        with pytest.raises(InputError, match="label"):
            KnowledgeGraph.from_triples([triple])


def test_reading_keeps_file_order_and_strips_fields(tmp_path: Path) -> None:
    path = tmp_path / "kg.tsv"
    path.write_bytes("\ufeffb \t r\t a\r\na\tr\tb\nb\tr\ta\n\n".encode())
    assert (kg := KnowledgeGraph.read(path)).labeled(kg.source_order) == [
        ("b", "r", "a"),
        ("a", "r", "b"),
    ]
    path = tmp_path / "kg.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tr\tb"))
    assert KnowledgeGraph.read(path).labeled() == [("a", "r", "b")]


def test_all_bad_lines_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tr\tb\na\tb\na\t\tb\na\tr\tb\tc\n" + "x\n" * 20)
    with pytest.raises(InputError) as caught:
        KnowledgeGraph.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:\n  line 2 ")
    assert "line 2 has 2 columns: 'a\\tb'" in message
    assert "line 3 has an empty field" in message
    assert "line 4 has 4 columns" in message
    assert "… and 13 more" in message
    assert "separated by tabs" in message


def test_quoted_tsv_is_refused_and_a_single_quoted_label_is_not(tmp_path: Path) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text('"a"\t"r"\t"b"\n"b"\t"r"\t"a"\n')
    with pytest.raises(InputError, match="no quoting"):
        KnowledgeGraph.read(path)
    path.write_text('"a"\t"r"\t"b"\nb\tr\t"a"\n')
    assert ("b", "r", '"a"') in KnowledgeGraph.read(path).labeled()


def test_beside_others_are_self_loops_and_what_joins_entities_that_another_joins() -> None:
    triples = [("a", "r", "a"), ("a", "r", "b"), ("b", "s", "a"), ("b", "r", "c")]
    kg = KnowledgeGraph.from_triples(triples)
    assert kg.labeled(kg.beside_others) == triples[:3]
