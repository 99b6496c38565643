"""Rules, their proofs and their measures, against the definition: try every substitution."""

import gzip
import random
from collections.abc import Iterator
from itertools import product

import pytest

from rulemine.query.atom import Atom as CoreAtom
from rulemine.rules.rule import Rule
from rulemine.seeds import Stream, stream
from rulemine.verify import graph as graphs
from rulemine.verify import proofs
from rulemine.verify.graph import Facts, Graph, Priors, Terms, Triple
from rulemine.verify.proofs import Atom, HornRule, Prover
from rulemine.verify.rules import is_formed, sizes_of
from tests import each, some_seeds

RING = [(0, "r", 2), *((i, "r", i + 1) for i in range(2, 12)), (12, "r", 1)]


def random_facts(draw: Stream) -> set[Triple]:
    return {
        ("abcd"[draw.below(4)], "rs"[draw.below(2)], "abcd"[draw.below(4)])
        for _ in range(4 + draw.below(12))
    }


def random_body(draw: Stream) -> list[Atom]:
    terms = 2 + draw.below(3)
    return [
        (draw.below(terms), "rs"[draw.below(2)], draw.below(terms))
        for _ in range(1 + draw.below(3))
    ]


def connected(head: Atom, body: list[Atom]) -> bool:
    reached = {head[0]}
    for _ in body:
        reached |= {t for s, _, o in body for t in (s, o) if {s, o} & reached}
    return all({s, o} <= reached for s, _, o in (head, *body))


def proved_heads(rule: HornRule, facts: set[Triple]) -> Iterator[Triple]:
    """The head of every substitution for which the body holds."""
    entities = sorted({end for s, _, o in facts for end in (s, o)})
    variables = sorted({t for s, _, o in (rule.head, *rule.body) for t in (s, o)})
    for values in product(entities, repeat=len(variables)):
        of = dict(zip(variables, values, strict=True))
        if all((of[s], r, of[o]) in facts for s, r, o in rule.body):
            yield of[rule.head[0]], rule.head[1], of[rule.head[2]]


def test_proofs_are_those_of_the_definition() -> None:
    draw, several = stream(3, "proofs"), 0
    for _ in range(300):
        facts, body = random_facts(draw), random_body(draw)
        head: Atom = (0, "r", draw.below(2))
        if not connected(head, body):
            continue
        rule = HornRule(1, head, tuple(body), {})
        expected = list(proved_heads(rule, facts))
        asked = [(s, "r", o) for s in "abcd" for o in "abcd"]
        found = Prover([rule], Graph.of(facts, Terms())).prove_all(asked)
        for triple in asked:
            assert found[triple].ways == expected.count(triple), (rule, triple, facts)
            several += found[triple].ways > 1
    assert several > 50


def test_the_prover_adds_up_rules() -> None:
    facts = {("a", "s", "b"), ("a", "r", "c"), ("c", "r", "b"), ("a", "r", "d"), ("d", "r", "b")}
    rules = [
        HornRule(1, (0, "t", 1), ((0, "r", 2), (2, "r", 1)), {}),
        HornRule(2, (0, "t", 1), ((0, "s", 1),), {}),
        HornRule(3, (0, "u", 1), ((0, "s", 1),), {}),
    ]
    prover = Prover(rules, Graph.of(facts, Terms()))
    found = prover.prove_all([("a", "t", "b"), ("c", "t", "b"), ("nobody", "t", "b")])
    assert [*found.values()] == [(3, rules[:2]), (0, []), (0, [])]


def measures(rule: HornRule, facts: set[Triple]) -> dict[str, object]:
    pairs = {*proved_heads(rule, facts)}
    heads = {triple for triple in facts if triple[1] == rule.head[1]}
    ends = [len({triple[place] for triple in heads}) for place in (0, 2)]
    end = 0 if ends[0] >= ends[1] else 2
    having = {triple[end] for triple in heads}
    return {
        "support": len(pairs & heads), "body_size": len(pairs),
        "pca_body_size": sum(pair[end] in having for pair in pairs), "head_size": len(heads),
        "functional": "?a" if end == 0 else "?b",
    }  # fmt: skip


@each("most", [1 << 21, 5])
def test_measures_are_those_of_the_definition(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "MOST_ROWS", most)  # so that heads are taken in parts
    draw, supported = stream(7, "measures"), 0
    for _ in range(400):
        facts = random_facts(draw) | {("a", "r", "b"), ("b", "s", "a")}
        rule = HornRule(1, (0, "r", 1), tuple(random_body(draw)), {})
        if connected(rule.head, [*rule.body]):
            found = sizes_of(rule, Graph.of(facts, Terms()))
            assert found == measures(rule, facts), (rule, facts)
            supported += int(found["support"]) > 1
    assert supported > 20


def test_what_the_core_calls_no_rule_is_none_here() -> None:
    draw, verdicts = stream(5, "bad rules"), set()
    for _ in range(2000):
        body = random_body(draw)
        rule = Rule(CoreAtom(0, "r", 1), tuple(CoreAtom(*atom) for atom in body))
        formed = is_formed(HornRule(1, (0, "r", 1), tuple(body), {}))
        assert formed == (rule.problem() is None), rule
        verdicts.add(formed)
    assert verdicts == {True, False}


def test_a_body_that_is_too_long_is_turned_away_before_its_canonical_form() -> None:
    assert not is_formed(HornRule(1, (0, "r", 1), tuple(RING), {}))
    assert is_formed(HornRule(1, (0, "r", 1), (*RING[:4], (5, "r", 1)), {}))


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
