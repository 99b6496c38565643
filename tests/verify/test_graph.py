"""The verifier's graphs against plain sets of triples."""

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from rulemine.verify import graph as graphs
from rulemine.verify.graph import Graph, Terms, Triple, distinct, member
from tests import each, some_seeds

ENTITIES = ("a", "b", "Zoë", "d", "东京", "f")
RELATIONS = ("r", "s", "a")


def draw(rng: random.Random) -> set[Triple]:
    return {
        (rng.choice(ENTITIES), rng.choice(RELATIONS), rng.choice(ENTITIES))
        for _ in range(rng.randrange(25))
    }


@each("seed", some_seeds(60))
def test_a_graph_says_what_a_set_says(seed: int) -> None:
    rng = random.Random(seed)
    facts, more = draw(rng), draw(rng)
    # Names that have numbers already, in their order, and some that come later.
    terms = Terms(rng.sample(ENTITIES, k=rng.randrange(7)), rng.sample(RELATIONS, k=2))
    in_any_order = [*facts, *rng.sample(sorted(facts), k=len(facts) // 2)]
    rng.shuffle(in_any_order)
    graph = Graph.of(in_any_order, terms)
    other = Graph.of(more, terms)
    assert len(graph) == len(facts)
    assert set(graph) == facts
    assert set(graph | other) == facts | more
    assert set(graph - other) == facts - more
    for r in (*RELATIONS, "unknown"):
        for end in (0, 1):
            assert graph.targets((r, ("subject", "object")[end])) == {
                t[2 * end] for t in facts if t[1] == r
            }
            assert len(graph.pairs(r, end)) == sum(t[1] == r for t in facts)
        for one in (*ENTITIES, "unknown"):
            assert graph.step((r, "object"), one) == {o for s, q, o in facts if (s, q) == (one, r)}
            assert graph.step((r, "subject"), one) == {s for s, q, o in facts if (q, o) == (r, one)}
            for two in (*ENTITIES, "unknown"):
                assert ((one, r, two) in graph) == ((one, r, two) in facts)
                assert graph.between(one, two) == sorted(
                    q for s, q, o in facts if (s, o) == (one, two)
                )
    some = rng.sample(ENTITIES, k=rng.randrange(7))
    assert graph.among({*some, "unknown"}) == {t for t in facts if {t[0], t[2]} <= {*some}}


@each("size", [8, 9, 1 << 24])
def test_a_graph_is_read_in_pieces_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(graphs, "AT_ONCE", size)
    lines = ["a\tr\tb", "东京\tr\ta", "Zoë\ts\td"]
    path = tmp_path / "kg.tsv.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    assert set(Graph.read(path, Terms())) == {tuple(line.split("\t")) for line in lines}


@each("values", [[], [4], [9, 0, 4, 4, -3]])
def test_sets_of_numbers_are_those_of_numpy(values: list[int]) -> None:
    some = np.array(values, np.int64)
    assert distinct(some).tolist() == np.unique(some).tolist()
    wanted = np.arange(-5, 12)[::-1]
    assert member(distinct(some), wanted).tolist() == np.isin(wanted, some).tolist()
