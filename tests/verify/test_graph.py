"""The verifier's graphs, statements and priors, against plain sets of triples and the builder."""

import gzip
import random

from rulemine.verify import graph as graphs
from rulemine.verify.graph import Facts, Graph, Priors, Terms, Triple
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
def test_a_graph_is_read_in_pieces_of_any_size(tmp_path, monkeypatch, size):
    monkeypatch.setattr(graphs, "AT_ONCE", size)
    lines = ["a\tr\tb", "东京\tr\ta", "Zoë\ts\td"]
    path = tmp_path / "kg.tsv.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    assert set(Graph.read(path, Terms())) == {tuple(line.split("\t")) for line in lines}


def test_priors_by_hand() -> None:
    facts = Facts({"spouse": {"fact": "spouse", "reversed": "", "symmetric": "yes"}})
    # The topics are a, b, c; c is the answer for two of them.
    triples = [("a", "spouse", "c"), ("c", "spouse", "b"), ("b", "spouse", "c")]
    graph = Graph.of(triples, Terms())
    found = Priors(graph, facts)
    assert found.of(("a", "spouse", "c")) == {"subject": 1 / 3, "object": 2 / 3}
    assert sorted(found.answers_each("spouse", "object")) == [1, 1, 2]
    assert Priors(graph, Facts({})).of(("a", "spouse", "c")) == {"subject": 1 / 2, "object": 2 / 3}
