"""What is too large to run here is tried by arithmetic: numbers that no longer fit are refused."""

import numpy as np
import pytest

from rulemine.errors import InputError, MiningError
from rulemine.kg import cache as kg_cache
from rulemine.kg import graph as kg
from rulemine.mining import MiningOptions, jvm


class Many(np.ndarray):  # type: ignore[type-arg]
    """An array that says it is larger than it is."""

    pretended = 0

    @property
    def nbytes(self) -> int:
        return self.pretended


def test_a_graph_that_does_not_fit_into_one_buffer_is_refused_before_java_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jvm, "start_jvm", lambda *_, **__: pytest.fail("Java was started"))
    triples = np.zeros((1, 3), np.int32).view(Many)
    triples.pretended = 12 * (178_956_970 + 1)
    with pytest.raises(MiningError, match="at most 178956970 can be mined"):
        jvm.mine_rows(triples, 1, 1, MiningOptions(), lambda *_: None)


def test_keys_of_triples_stay_below_two_to_the_63() -> None:
    entities, relations = 2**31 - 1, 2
    last = np.array([[entities - 1, relations - 1, entities - 1]], np.int32)
    assert kg._pack(last, relations, entities)[0] == entities * entities * relations - 1 < 2**63
    with pytest.raises(InputError, match="entities² · relations must stay below 2⁶³"):
        kg._pack(last, 3, entities)


def test_graphs_whose_keys_do_not_fit_are_sorted_all_the_same() -> None:
    ids = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 1], [0, 0, 5]], np.int32)
    small, large = (kg._sort_order(ids, entities, 2**20) for entities in (6, 2**30))
    assert small[0] is not None
    assert large[0] is not None
    assert small[0].tolist() == large[0].tolist() == [3, 1, 2, 0]
    assert small[1].tolist() == large[1].tolist() == [True, True, False, True]


def test_more_labels_than_ids_are_refused() -> None:
    kg.check_size(2**31 - 1, "entities")
    with pytest.raises(InputError, match="2147483648 entities; at most 2147483647"):
        kg.check_size(2**31, "entities")


def test_the_cache_counts_rows_beyond_int32() -> None:
    assert kg_cache._order_type(2**31 - 1) == "<i4"
    assert kg_cache._order_type(2**31) == "<i8"
