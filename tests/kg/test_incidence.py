"""The triples at each entity, beside a list of them."""

import numpy as np
import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence
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
