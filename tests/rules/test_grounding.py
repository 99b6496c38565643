"""Groundings are those that trying every substitution finds, and samples of them are uniform."""

import random
from collections import Counter

import numpy as np
import pytest

import rulemine.query.join
import rulemine.rules.grounding as module
from rulemine.errors import InputError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.atom import Atom
from rulemine.rules.formats import parse_readable
from rulemine.rules.grounding import ground, read_groundings, write_groundings
from rulemine.rules.rule import Rule
from tests import each, some_seeds
from tests.small_graphs import groundings_of, small_graph, small_rules


def labeled(kg, found):
    triples = kg.labeled()
    return [
        (rule, (triples[head], tuple(triples[row] for row in body if row >= 0)))
        for rule, head, body in zip(
            found.rule.tolist(), found.head.tolist(), found.body.tolist(), strict=True
        )
    ]


@each("seed", some_seeds(60))
def test_groundings_are_all_substitutions_that_hold_in_canonical_order(seed):
    rng = random.Random(seed)
    kg, rules = small_graph(rng), small_rules(rng, 8)
    expected = [groundings_of(kg, rule) for rule in rules]
    found = ground(kg, rules)
    assert labeled(kg, found) == [(i, proof) for i, many in enumerate(expected) for proof in many]
    assert found.counts.tolist() == [len(many) for many in expected]
    assert found.provable == len({head for many in expected for head, _ in many})
    assert found.body.shape[1] == max(len(rule.body) for rule in rules)


@each("seed", some_seeds(60, 90))
def test_a_sample_is_a_part_of_the_groundings_with_exact_counts(seed):
    rng = random.Random(seed)
    kg, rules = small_graph(rng), small_rules(rng, 8)
    everything = ground(kg, rules)
    sample = rng.randrange(1, 6)
    found = ground(kg, rules, sample=sample, seed=seed)
    assert found.counts.tolist() == everything.counts.tolist()
    assert found.provable == everything.provable
    drawn, whole = labeled(kg, found), labeled(kg, everything)
    assert set(drawn) <= set(whole)
    assert drawn == [row for row in whole if row in set(drawn)], "canonical order"
    kept = np.bincount(found.rule, minlength=len(rules))
    assert kept.tolist() == np.minimum(everything.counts, sample).tolist()


def test_a_sample_does_not_depend_on_how_work_is_cut(monkeypatch):
    rng = random.Random(1)
    kg, rules = small_graph(rng, 100, 200, fewest=6), small_rules(rng, 25)
    whole = ground(kg, rules)
    assert len(whole) > 500
    found = labeled(kg, ground(kg, rules, sample=7, seed=1))
    for size in (1, 3, 50):
        monkeypatch.setattr(module, "AT_ONCE", size)
        monkeypatch.setattr(rulemine.query.join, "ROWS_AT_ONCE", size)
        assert labeled(kg, ground(kg, rules, sample=7, seed=1)) == found
        assert labeled(kg, ground(kg, rules)) == labeled(kg, whole)
    assert labeled(kg, ground(kg, rules, sample=7, seed=2)) != found


@each("sample", [3, 20])
def test_every_grounding_is_equally_likely_to_be_drawn(sample):
    # 40 groundings, unevenly over heads: 1, 2, …, 7 and 12 of them. Both ways of drawing are used.
    sizes = (1, 2, 3, 4, 5, 6, 7, 12)
    triples = [(f"x{i}", "r", "y") for i in range(len(sizes))]
    for i, size in enumerate(sizes):
        triples += [(f"x{i}", "p", f"z{j}") for j in range(size)]
    triples += [(f"z{j}", "q", "y") for j in range(max(sizes))]
    kg = KnowledgeGraph.from_triples(triples)
    rule = Rule(Atom(0, "r", 1), (Atom(0, "p", 2), Atom(2, "q", 1)))
    runs = 1000
    drawn = Counter(
        proof
        for seed in range(runs)
        for _, proof in labeled(kg, ground(kg, [rule], sample=sample, seed=seed))
    )
    expected = runs * sample / sum(sizes)
    assert len(drawn) == sum(sizes)
    chi_square = sum((n - expected) ** 2 / expected for n in drawn.values())
    # 39 degrees of freedom: above 72.1 with probability 0.001. Drawing without replacement shrinks
    # the statistic by (1 − sample / 40), which is made good here.
    assert chi_square / (1 - sample / sum(sizes)) < 72.1


def test_a_body_that_contains_its_own_head_proves_nothing():
    rule = Rule(Atom(0, "p", 1), (Atom(0, "p", 2), Atom(2, "q", 1)))
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("b", "q", "b")])
    assert ground(kg, [rule]).counts.tolist() == [0]
    assert ground(kg, [rule], sample=5).counts.tolist() == [0]


def test_rules_of_other_graphs_have_no_grounding_and_are_named():
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("b", "q", "a")])
    rules = [
        Rule(Atom(0, "p", 1), (Atom(1, "unknown", 0),)), Rule(Atom(0, "p", 1), (Atom(1, "q", 0),)),
        Rule(Atom(0, "p", 1), (Atom(0, "unknown", 1),))
    ]  # fmt: skip
    told: list[tuple[int, int]] = []
    found = ground(kg, rules, progress=lambda done, total: told.append((done, total)))
    assert found.counts.tolist() == [0, 1, 0]
    assert found.lacking.tolist() == [0, 2]
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert found.describe() == (
        "1 grounding with 1 distinct head; 2 of 3 rules have none, "
        "2 because the graph lacks a relation of theirs"
    )


def test_a_rule_that_names_an_entity_is_refused():
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("b", "q", "a")])
    with pytest.raises(InputError, match=r"names the entity 'b'; .* Leave the rule out"):
        ground(kg, [Rule(Atom(0, "p", "b"), (Atom("b", "q", 0),))])


def test_written_groundings_read_back_and_a_damaged_file_is_named(tmp_path):
    rng = random.Random(3)
    kg, rules = small_graph(rng), small_rules(rng, 8)
    found = ground(kg, rules, sample=4)
    write_groundings(tmp_path, found)
    again = read_groundings(tmp_path, rules)
    assert labeled(kg, again) == labeled(kg, found)
    assert again.describe() == found.describe()
    assert again.head.dtype == np.int64
    assert again.rule.dtype == np.int32
    (tmp_path / "head.npy").write_bytes((tmp_path / "head.npy").read_bytes()[:-3])
    with pytest.raises(InputError, match=r"head\.npy"):
        read_groundings(tmp_path, rules)


def test_groundings_as_a_table():
    kg = KnowledgeGraph.from_triples(
        [("a", "p", "b"), ("b", "q", "c"), ("a", "h", "c"), ("c", "r", "a")]
    )
    rules = [parse_readable(f"{body} ⇒ h(x,y)") for body in ("r(y,x)", "p(x,z) ∧ q(z,y)")]
    table = ground(kg, rules).to_pandas(kg)
    assert list(table.columns) == ["rule", "head", "body 1", "body 2"]
    assert table["rule"].tolist() == [rule.id for rule in rules]
    assert table["head"].tolist() == [("a", "h", "c")] * 2
    assert table["body 1"].tolist() == [("c", "r", "a"), ("a", "p", "b")]
    assert table["body 2"].tolist() == [None, ("b", "q", "c")]
    assert len(ground(kg, []).to_pandas(kg)) == 0
