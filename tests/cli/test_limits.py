"""What is too large to run here is tried by arithmetic: numbers that no longer fit are refused."""

import numpy as np
import pytest

from rulemine.errors import InputError, MiningError
from rulemine.kg import graph as kg
from rulemine.kg.vocabulary import check_size
from rulemine.mining import MiningOptions, jvm


class Many(np.ndarray):  # type: ignore[type-arg]
    """An array that says it is longer than it is."""

    pretended = 0

    def __len__(self) -> int:
        return self.pretended


def test_a_graph_that_does_not_fit_the_index_is_refused_before_java_starts(monkeypatch):
    monkeypatch.setattr(jvm, "start_jvm", lambda *_, **__: pytest.fail("Java was started"))
    triples = np.zeros((1, 3), np.int32).view(Many)
    triples.pretended = 2**30 - 7
    with pytest.raises(MiningError, match="has 1,073,741,817 triples; at most 1,073,741,816"):
        jvm.mine_rows(triples, 1, 1, MiningOptions(), lambda *_: None)


def test_triples_are_found_whose_keys_do_not_fit_into_64_bits() -> None:
    entities, relations = (
        range(10**8),
        range(1_188),
    )  # stand for the labels: only their number counts
    draws = np.random.default_rng(1)
    bounds = (len(entities), len(relations), len(entities))
    # Numbers with zero bytes at every place, which strings of bytes may end in.
    near = np.stack([draws.integers(size - 300, size, 2_000) for size in bounds], axis=1)
    far = np.stack([draws.integers(0, size, 2_000) >> 8 << 8 for size in bounds], axis=1)
    ids = np.unique(np.concatenate((near, far)), axis=0).astype(np.int32)
    graph = kg.KnowledgeGraph(entities, relations, ids[::2])  # type: ignore[arg-type]
    rows = {tuple(row): i for i, row in enumerate(graph.triples.tolist())}
    shuffled = draws.permutation(ids)
    wanted = [rows.get(tuple(row), -1) for row in shuffled.tolist()]
    assert graph.rows_of(shuffled).tolist() == wanted
    empty = kg.KnowledgeGraph(entities, relations, ids[:0])  # type: ignore[arg-type]
    assert empty.rows_of(ids[:2]).tolist() == [-1, -1]


def test_graphs_whose_keys_do_not_fit_are_sorted_all_the_same() -> None:
    ids = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 1], [0, 0, 5]], np.int32)
    small, large = (
        np.argsort(kg.pack(ids, 2**20, entities), kind="stable").tolist() for entities in (6, 2**30)
    )
    assert small == large == [3, 1, 2, 0]


def test_more_labels_than_ids_are_refused() -> None:
    check_size(2**31 - 1, "entities")
    with pytest.raises(InputError, match="2147483648 entities; at most 2147483647"):
        check_size(2**31, "entities")


def test_rows_are_counted_beyond_int32() -> None:
    assert kg.row_type(2**31 - 1) is np.int32
    assert kg.row_type(2**31) is np.int64
