"""The default selection: invariants, certificates, core, determinism, and how near it comes to the best."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

import rulemine.removal.maximal as module
from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.removal.levels import thin
from rulemine.removal.maximal import candidates_of, choose
from rulemine.removal.selection import read_selection, write_selection
from rulemine.removal.setting import Setting
from rulemine.removal.steps import certify
from rulemine.rules.formats import parse_readable
from rulemine.rules.grounding import Groundings, ground
from rulemine.rules.proofs import Decorations
from rulemine.rules.rule import Measures
from tests import each, some_seeds
from tests.small_graphs import (
    Declared,
    groundings_of,
    measured,
    small_graph,
    small_rules,
    some_declared,
)

NOTHING = Declared()


def rule(text, support=5):
    return replace(parse_readable(text), measures=Measures(support, 10, 10, 10, 0))


def select(kg, rules, **options):
    """A selection from all groundings, without a bound on the prior."""
    groundings = rules if isinstance(rules, Groundings) else ground(kg, rules)
    setting = Setting.of(kg)
    chosen = choose(setting, groundings, **options)
    return certify(setting, chosen, options.get("seed", 0))


def check(kg, found, per_rule, declared=NOTHING, max_prior=1.0, excluded=""):
    """All that a selection promises, from the triples alone."""
    triples = kg.labeled()
    known = set(triples)
    removed = {triples[row]: i for i, row in enumerate(found.head.tolist())}
    assert found.head.tolist() == sorted(removed_row for removed_row in found.head.tolist())
    left = known - removed.keys()
    facts = {t: frozenset(declared.statements(t) & known) for t in triples}
    # Facts go as a whole; what goes joins two entities, is not excluded, and may be asked about.
    for (s, relation, o), i in removed.items():
        triple = (s, relation, o)
        assert s != o
        assert relation != excluded
        assert facts[triple] <= removed.keys()
        own = [removed[t] for t in facts[triple]]
        assert len({int(found.level[j]) for j in own}) == 1
        assert len({int(found.rule[j]) for j in own}) == 1
        prior = [declared.prior(kg, triple, 0), declared.prior(kg, triple, 2)]
        assert found.prior[i].tolist() == prior
        assert found.directions[i].tolist() == [value <= max_prior for value in prior]
        assert found.directions[i].any()
    # Certificates hold in what is left and are not decorated.
    row_of = {t: row for row, t in enumerate(triples)}
    first = [min(row_of[t] for t in facts[triple]) for triple in triples]
    decorations = Decorations(kg, found.rules, np.array(first, np.int64))
    proofs = {i: set(groundings_of(kg, r)) for i, r in enumerate(found.rules)}
    for i, triple in enumerate(removed):
        number = int(found.rule[i])
        rows = [row for row in found.body[i].tolist() if row >= 0]
        body = tuple(triples[row] for row in rows)
        assert left.issuperset(body)
        stated = [t for t in facts[triple] if (t, body) in proofs[number]]
        assert any(
            decorations.without(number, np.array([row_of[t]]), np.array([rows]))[0] for t in stated
        )
        between = {(triple[0], triple[2]), (triple[2], triple[0])}
        at = {
            int(found.level[removed[t]]) if t in removed else 101
            for t in triples
            if (t[0], t[2]) in between
        }
        low = all(
            value <= 0.05
            for value, listed in zip(found.prior[i], found.directions[i], strict=True)
            if listed
        )
        assert bool(found.core[i]) == (low and max(at) <= found.level[i])
        alive = [
            (len(b), found.rules[n].id)
            for n in proofs
            for t, b in proofs[n]
            if t in facts[triple] and left.issuperset(b)
        ]
        assert found.proofs[i] == len(alive)
        assert found.shortest[i] == min(alive)[0]
    assert 1 <= found.level.min(initial=1) <= found.level.max(initial=1) <= 100
    selected = {frozenset(facts[t]): int(found.selected_by[i]) for t, i in removed.items()}
    assert np.bincount(list(selected.values()), minlength=1).max() <= per_rule
    assert len(removed) <= found.counts.upper_bound


def rows(found):
    return {
        (found.rules[number].id, head, tuple(row for row in body if row >= 0))
        for number, head, body in zip(
            found.rule.tolist(), found.head.tolist(), found.body.tolist(), strict=True
        )
    }


@each("seed", some_seeds(80))
def test_all_that_is_promised_holds(seed, tmp_path):
    rng = random.Random(seed)
    kg, declared = small_graph(rng, 10, 60), some_declared(rng)
    rules = measured(rng, small_rules(rng, 12))
    per_rule, max_prior = rng.randrange(1, 5), rng.choice((0.07, 0.3, 0.6, 1.0))
    excluded = rng.choice(("", "", "p"))
    setting = Setting.of(kg, declared.closed(), excluded={excluded}, max_prior=max_prior)
    groundings = ground(kg, rules, excluded={excluded})
    chosen = choose(setting, groundings, per_rule=per_rule, seed=seed)
    if seed % 3 == 0 and len(chosen):
        chosen = thin(chosen, 0.6, seed)
    found = certify(setting, chosen, seed)
    check(kg, found, per_rule, declared, max_prior, excluded)
    write_selection(tmp_path, found)
    again = read_selection(tmp_path, rules)
    assert again.counts == found.counts
    assert again.core.tolist() == found.core.tolist()


@each("seed", some_seeds(80))
def test_nothing_between_two_ends_stays_where_nothing_may_be_restated(seed):
    rng = random.Random(seed)
    kg, declared = small_graph(rng, 14, 60), some_declared(rng)
    rules = measured(rng, small_rules(rng, 12))
    groundings = ground(kg, rules)
    either, neither = (
        Setting.of(kg, declared.closed(), max_prior=0.6, restated=restated)
        for restated in (True, False)
    )
    chosen = choose(neither, groundings, per_rule=20, seed=seed)
    if seed % 3 == 0 and len(chosen):
        chosen = thin(chosen, 0.6, seed)
    found = certify(neither, chosen, seed)
    check(kg, found, 20, declared, 0.6)
    triples = kg.labeled()
    level = dict(
        zip((triples[row] for row in found.head.tolist()), found.level.tolist(), strict=True)
    )
    for triple, own in level.items():
        between = [t for t in triples if {t[0], t[2]} == {triple[0], triple[2]}]
        assert all(level.get(t, 101) <= own for t in between)
    all_of, some = candidates_of(either, groundings), candidates_of(neither, groundings)
    left = {*all_of.facts.head.tolist()} - {*some.facts.head.tolist()}
    assert (all_of.restated, some.restated) == (-1, len(left))
    joined = {frozenset((s, o)) for s, _, o in (triples[row] for row in left)}
    facts = {frozenset(declared.statements(t)) for t in triples}
    for pair in joined:
        assert sum(any({t[0], t[2]} == pair for t in fact) for fact in facts) > 1


def test_a_pair_is_left_whole_where_one_of_its_facts_has_no_proof_any_more():
    # Where q1 is removed, nothing proves s, and r has to stay beside it.
    links = "a q1 m, m q2 b, a p1 n, n p2 b, a r b, a s b, a t1 k, k t2 m"
    triples = [
        (f"{s}{i}", r, f"{o}{i}")
        for i in range(20)
        for s, r, o in (link.split() for link in links.split(", "))
    ]
    kg = KnowledgeGraph.from_triples(triples)
    bodies = {"q1": ("t1", "t2"), "r": ("p1", "p2"), "s": ("q1", "q2")}
    rules = [rule(f"{one}(x,z) ∧ {two}(z,y) ⇒ {head}(x,y)") for head, (one, two) in bodies.items()]
    setting = Setting.of(kg, restated=False)
    found = choose(setting, ground(kg, rules), per_rule=20)
    gone = set(kg.labeled(found.head))
    assert {relation for _, relation, _ in gone} == {*bodies}
    for i in range(20):
        assert ((f"a{i}", "r", f"b{i}") in gone) == ((f"a{i}", "s", f"b{i}") in gone)


@each("seed", some_seeds(40))
def test_the_core_is_selected_before_the_rest(seed, monkeypatch):
    rng = random.Random(seed)
    people = [f"p{i}" for i in range(30)]
    triples = [
        (rng.choice(people), rng.choice("pqrs"), rng.choice(people))
        for _ in range(rng.randrange(60, 160))
    ]
    kg = KnowledgeGraph.from_triples(triples)
    texts = ["p(x,z) ∧ q(z,y) ⇒ r(x,y)", "r(x,z) ∧ r(z,y) ⇒ p(x,y)", "r(y,x) ⇒ q(x,y)"]
    rules = [rule(text, support) for text, support in zip(texts, (3, 5, 9), strict=True)]
    setting = Setting.of(kg)
    groundings = ground(kg, rules)
    chosen = choose(setting, groundings, per_rule=20, seed=seed)
    found = certify(setting, chosen, seed)
    check(kg, found, 20)
    assert found.core.sum() <= found.counts.core_upper_bound
    with monkeypatch.context() as patch:
        patch.setattr(module._Search, "add_pairs", lambda self, *, fresh: None)
        without = certify(setting, choose(setting, groundings, per_rule=20, seed=seed), seed)
    assert found.core.sum() >= without.core.sum()


def test_a_pair_with_two_facts_goes_as_a_whole_or_is_not_in_the_core():
    # Two relations from a to b, each with a proof of its own around the edge: both go, at one level.
    rules = [rule("p(x,z) ∧ q(z,y) ⇒ r(x,y)"), rule("p(x,z) ∧ q(z,y) ⇒ s(x,y)")]
    triples = []
    for i in range(20):
        triples += [(f"a{i}", "p", f"c{i}"), (f"c{i}", "q", f"b{i}")]
        triples += [(f"a{i}", "r", f"b{i}"), (f"a{i}", "s", f"b{i}")]
    kg = KnowledgeGraph.from_triples([*triples, ("a0", "t", "b0")])
    found = select(kg, rules)
    check(kg, found, 30)
    assert len(found) == 40
    core = [kg.labeled()[row] for row in found.head[found.core].tolist()]
    assert len(core) == 38
    assert ("a0", "r", "b0") not in core, "t still joins the two"
    assert found.counts.core_upper_bound == 38


def best(kg, groundings, per_rule):
    """Most rules covered and, among those, most triples removed, by trying every set of heads."""
    groundings = candidates_of(Setting.of(kg), groundings).groundings
    heads = sorted(set(groundings.head.tolist()))
    top = (0, 0)
    for size in range(len(heads), 0, -1):
        for removed in itertools.combinations(heads, size):
            options: dict[int, set[int]] = {head: set() for head in removed}
            for number, head, body in zip(
                groundings.rule.tolist(), groundings.head.tolist(), groundings.body.tolist(), strict=True
            ):  # fmt: skip
                if head in options and not options.keys() & set(body):
                    options[head].add(number)
            if all(options.values()):
                top = max(top, (covered(list(options.values()), per_rule), size))
    return top


def covered(options, per_rule):
    """Most rules that heads can be shared out to, all heads and the quota kept; −1 if impossible."""
    states = {()}
    for rules in options:
        states = {
            tuple(sorted((*state, number)))
            for state in states
            for number in rules
            if state.count(number) < per_rule
        }
    return max((len(set(state)) for state in states), default=-1)


def test_it_comes_near_the_best_of_all_selections():
    reached = possible = 0
    for seed in range(80):
        rng = random.Random(seed)
        kg, rules = small_graph(rng, 8, 16), measured(rng, small_rules(rng, 5))
        groundings = ground(kg, rules)
        per_rule = rng.randrange(1, 4)
        if not 0 < groundings.provable <= 9:
            continue
        found = select(kg, groundings, per_rule=per_rule, seed=seed)
        rules_most, triples_most = best(kg, groundings, per_rule)
        assert found.rules_covered <= rules_most
        reached += 100 * found.rules_covered + len(found)
        possible += 100 * rules_most + triples_most
    assert possible > 2000
    assert reached >= 0.99 * possible


def test_the_order_of_rules_and_lines_does_not_matter_and_the_seed_does():
    rng = random.Random(11)
    kg, rules = small_graph(rng, 100, 101), measured(rng, small_rules(rng, 12))
    found = select(kg, ground(kg, rules), per_rule=3, seed=1)
    assert len(found) > 10
    shuffled = tuple(rng.sample(rules, len(rules)))
    lines = kg.labeled()
    rng.shuffle(lines)
    other = KnowledgeGraph.from_triples(lines)
    assert rows(select(other, ground(other, shuffled), per_rule=3, seed=1)) == rows(found)
    assert rows(select(kg, ground(kg, rules), per_rule=3, seed=2)) != rows(found)


def test_a_scarce_rule_is_covered_before_a_rich_one_is_filled():
    rich, scarce = rule("p(x,y) ⇒ r(x,y)"), rule("q(x,y) ⇒ r(x,y)")
    triples = [(f"a{i}", relation, "b") for i in range(5) for relation in ("p", "r")]
    kg = KnowledgeGraph.from_triples([*triples, ("a3", "q", "b")])
    found = select(kg, ground(kg, [rich, scarce]))
    assert (found.rules_covered, len(found)) == (2, 5)
    assert found.describe() == (
        "5 triples removed (caps and heads allow at most 5), 5 certificates, 2 of 2 rules"
    )


def test_progress_ends_and_a_quota_below_one_is_an_error():
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("a", "q", "b")])
    groundings = ground(kg, [rule("q(x,y) ⇒ p(x,y)")])
    with pytest.raises(ConfigError, match="per_rule: found 0"):
        select(kg, groundings, per_rule=0)
    told: list[tuple[int, int]] = []
    select(kg, groundings, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
