"""The verifier's graphs against plain sets of triples."""

import random

import pytest

from rulemine.verify.triples import Graph, Terms, Triple, member
from tests import some_seeds

ENTITIES = ("a", "b", "Zoë", "d", "东京", "f")
RELATIONS = ("r", "s", "a")


def draw(rng: random.Random) -> set[Triple]:
    return {
        (rng.choice(ENTITIES), rng.choice(RELATIONS), rng.choice(ENTITIES))
        for _ in range(rng.randrange(25))
    }


@pytest.mark.parametrize("sizes", [None, (2**31 - 1, 1_188)])
@pytest.mark.parametrize("seed", some_seeds(60))
def test_a_graph_says_what_a_set_says(
    monkeypatch: pytest.MonkeyPatch, seed: int, sizes: tuple[int, int] | None
) -> None:
    """Also as if there were so many names that keys of 64 bits do not suffice."""
    if sizes:
        monkeypatch.setattr(Terms, "sizes", sizes)
    rng = random.Random(seed)
    facts, more = draw(rng), draw(rng)
    # Names that have numbers already, in their order, and some that come later.
    terms = Terms(rng.sample(ENTITIES, k=rng.randrange(7)), rng.sample(RELATIONS, k=2))
    in_any_order = [*facts, *rng.sample(sorted(facts), k=len(facts) // 2)]
    rng.shuffle(in_any_order)
    graph = Graph.of(in_any_order, terms)
    other = Graph.of(more, terms)
    assert len(graph) == len(facts)
    assert set(graph.triples()) == facts
    assert set(graph.joined(other).triples()) == facts | more
    for r in (*RELATIONS, "unknown"):
        assert graph.relation_sizes().get(r, 0) == sum(t[1] == r for t in facts)
        for end in (0, 2):
            assert graph.all_at(r, end) == {t[end] for t in facts if t[1] == r}
        for one in (*ENTITIES, "unknown"):
            assert graph.objects(one, r) == {o for s, q, o in facts if (s, q) == (one, r)}
            assert graph.subjects(r, one) == {s for s, q, o in facts if (q, o) == (r, one)}
            for two in (*ENTITIES, "unknown"):
                assert ((one, r, two) in graph) == ((one, r, two) in facts)
                assert graph.between(one, two) == {q for s, q, o in facts if (s, o) == (one, two)}
    common = graph.keys[member(other.keys, graph.keys)]
    assert set(graph.triples(common)) == facts & more
    assert set(graph.triples(graph.keys_of(more))) <= more
    some = rng.sample(ENTITIES, k=rng.randrange(7))
    assert graph.among([*some, "unknown"]) == {t for t in facts if {t[0], t[2]} <= {*some}}


def test_what_was_read_has_its_own_names_alone() -> None:
    terms = Terms(["a", "b", "c", "d"], ["r", "s"])
    graph = Graph.of([("d", "s", "b"), ("b", "s", "d"), ("b", "s", "b")], terms)
    read = graph.read()
    assert read[:2] == (("b", "d"), ("s",))
    assert read.triples.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert set(graph.triples()) == {("d", "s", "b"), ("b", "s", "d"), ("b", "s", "b")}
