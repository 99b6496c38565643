"""The triples at each entity and of each relation at it, beside a list of them."""

import numpy as np
import pytest

from rulemine.kg import index as module
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence, Index
from rulemine.seeds import stream


@pytest.mark.parametrize("seed", range(4))
def test_each_triple_stands_at_both_ends(seed: int) -> None:
    draw = stream(seed, "graph")
    kg = KnowledgeGraph.from_triples(
        (f"e{draw.below(9)}", f"r{draw.below(2)}", f"e{draw.below(9)}") for _ in range(25)
    )
    which = np.flatnonzero(kg.triples[:, 1] == 0) if seed % 2 else np.arange(len(kg))
    made = Incidence(kg, which if seed % 2 else None)
    for entity in range(len(kg.entities)):
        wanted = sorted(
            (other, row, forward)
            for row in which.tolist()
            for this, other, forward in (
                (*kg.triples[row, [0, 2]].tolist(), True),
                (*kg.triples[row, [2, 0]].tolist(), False),
            )
            if this == entity
        )
        at = made.at(np.array([entity]))
        assert at.tolist() == [*range(made.starts[entity], made.starts[entity + 1])]
        assert made.degrees[entity] == len(wanted)
        columns = (made.others[at], made.rows[at], made.forward[at])
        found = list(zip(*(column.tolist() for column in columns), strict=True))
        assert sorted(found) == wanted
        order = [(o, not forward, row) for o, row, forward in found]
        assert order == sorted(order)
    both = made.at(np.array([3, 1])).tolist()
    assert both == [*made.at(np.array([3])).tolist(), *made.at(np.array([1])).tolist()]


@pytest.mark.parametrize("most", [0, 10**6])
def test_a_table_says_what_searching_finds(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STARTS", most)
    kg = KnowledgeGraph.from_triples([("a", "r", "b"), ("a", "r", "c"), ("d", "s", "c")])
    made = Index(kg)
    for column, rows in ((0, made.by_subject), (2, made.by_object)):
        first, count = made.ranges(column, np.arange(2 * made.entities))
        for key, (at, number) in enumerate(zip(first.tolist(), count.tolist(), strict=True)):
            relation, entity = divmod(key, made.entities)
            wanted = [
                row
                for row, triple in enumerate(kg.triples.tolist())
                if (triple[1], triple[column]) == (relation, entity)
            ]
            assert rows[at : at + number].tolist() == wanted
    assert [made.mean_degree(0, 0), made.mean_degree(0, 2), made.mean_degree(1, 2)] == [2, 1, 1]
