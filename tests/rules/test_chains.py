"""Chains are counted and found as trying every substitution finds them."""

import itertools
import random
from collections import Counter

import numpy as np

import rulemine.query.join
import rulemine.rules.chains as module
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.atom import Atom
from rulemine.rules.bodies import bind_rule
from rulemine.rules.chains import Chains
from rulemine.rules.grounding import ground
from rulemine.rules.rule import Rule
from tests import each, some_seeds
from tests.small_graphs import RELATIONS, groundings_of, small_graph


def chain_rule(rng):
    """A head and a body of three atoms from its subject to its object, each way round."""
    nodes = [0, 2, 3, 1] if rng.random() < 0.5 else [0, 3, 2, 1]
    body = [
        Atom(*ends[:1], rng.choice(RELATIONS), *ends[1:])
        for pair in itertools.pairwise(nodes)
        for ends in [pair if rng.random() < 0.5 else pair[::-1]]
    ]
    rng.shuffle(body)
    return Rule(Atom(0, rng.choice(RELATIONS), 1), tuple(body))


def over_all(chains, rule):
    """The chains over all facts of the head; None when the graph lacks a relation."""
    bound = bind_rule(chains.index, rule)
    if bound is None:
        return None
    found = chains.over(bound, chains.index.kg.triples)
    assert found is not None
    return found


def all_bodies(kg, found):
    """Head row and body rows of every chain, found by its number, in the order of the numbers."""
    heads = np.repeat(np.arange(len(kg)), found.counts)
    before = np.repeat(np.cumsum(found.counts) - found.counts, found.counts)
    body = found.pick(heads, np.arange(len(heads)) - before)
    return list(zip(heads.tolist(), map(tuple, body.tolist()), strict=True))


@each("seed", some_seeds(150))
def test_every_chain_has_one_number(seed):
    rng = random.Random(seed)
    kg = small_graph(rng, 5, 60)
    chains = Chains(Index(kg))
    triples = kg.labeled()
    for _ in range(6):
        rule = chain_rule(rng)
        found = over_all(chains, rule)
        if found is None:
            continue
        bodies = all_bodies(kg, found)
        assert sorted(
            (triples[head], tuple(triples[row] for row in body)) for head, body in bodies
        ) == groundings_of(kg, rule)


def test_numbers_do_not_depend_on_how_work_is_cut_or_kept(monkeypatch):
    rng = random.Random(5)
    kg = small_graph(rng, 80, 100, fewest=6)
    rules = [chain_rule(rng) for _ in range(30)]

    def everything():
        chains = Chains(Index(kg))
        found = [over_all(chains, rule) for rule in rules]
        return [all_bodies(kg, over) for over in found if over is not None]

    expected = everything()
    assert sum(map(len, expected)) > 4000
    for size in (1, 3, 50):
        monkeypatch.setattr(rulemine.query.join, "ROWS_AT_ONCE", size)
        monkeypatch.setattr(module, "CACHED", size)
        assert everything() == expected


def test_chains_over_too_many_pairs_are_enumerated(monkeypatch):
    rng = random.Random(7)
    kg = small_graph(rng, 80, 100, fewest=6)
    rules = [chain_rule(rng) for _ in range(10)]
    counts = ground(kg, rules, sample=5).counts
    monkeypatch.setattr(module, "MOST_PAIRS", 0)
    bound = bind_rule(Index(kg), rules[0])
    assert bound is not None
    assert Chains(Index(kg)).over(bound, kg.triples) is None
    assert ground(kg, rules, sample=5).counts.tolist() == counts.tolist()


def test_what_is_no_chain_is_none():
    kg = KnowledgeGraph.from_triples([("a", r, "b") for r in RELATIONS])
    bodies = (
        (Atom(0, "p", 2), Atom(2, "q", 1)), (Atom(0, "p", 2), Atom(2, "q", 1), Atom(0, "r", 1)),
        (Atom(0, "p", 2), Atom(2, "q", 1), Atom(2, "r", 1)),
        (Atom(0, "p", 2), Atom(2, "q", 2), Atom(2, "r", 1)),
        (Atom(0, "p", 1), Atom(1, "q", 2), Atom(2, "r", 3), Atom(3, "p", 0))
    )  # fmt: skip
    chains = Chains(Index(kg))
    for body in bodies:
        bound = bind_rule(chains.index, Rule(Atom(0, "p", 1), body))
        assert bound is not None
        assert chains.over(bound, kg.triples) is None, body


def test_every_chain_is_equally_likely_to_be_drawn():
    # 46 chains, unevenly over two heads; one of the head relation's facts is part of some.
    triples = [("x", "r", "y"), ("v", "r", "y")]
    triples += [("x", "p", f"z{i}") for i in range(4)] + [("v", "p", "z0")]
    triples += [(f"z{i}", "q", f"w{j}") for i in range(4) for j in range(10)]
    triples += [(f"w{j}", "r", "y") for j in range(9)] + [("z0", "q", "x")]
    kg = KnowledgeGraph.from_triples(triples)
    rule = Rule(Atom(0, "r", 1), (Atom(2, "q", 3), Atom(0, "p", 2), Atom(3, "r", 1)))
    everything = groundings_of(kg, rule)
    runs, sample = 1500, 6
    drawn: Counter[tuple[int, ...]] = Counter()
    for seed in range(runs):
        found = ground(kg, [rule], sample=sample, seed=seed)
        assert found.counts.tolist() == [len(everything)]
        rows = np.column_stack((found.head, found.body)).tolist()
        assert len({tuple(row) for row in rows}) == sample
        drawn.update(map(tuple, rows))
    assert len(drawn) == len(everything) == 46
    expected = runs * sample / len(everything)
    chi_square = sum((n - expected) ** 2 / expected for n in drawn.values())
    # 45 degrees of freedom: above 80.1 with probability 0.001; see the sample without replacement
    # of the groundings in general.
    assert chi_square / (1 - sample / len(everything)) < 80.1
