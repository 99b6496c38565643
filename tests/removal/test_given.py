"""What rules prove of what a user names as missing, by trying every proof."""

import random
from functools import partial

from rulemine.errors import NoInferenceError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.recipe.missing import MissingTriples
from rulemine.removal.setting import Setting
from rulemine.removal.steps import prove
from tests import each, some_seeds
from tests.rules.test_decoration import is_decorated
from tests.small_graphs import (
    RELATIONS,
    groundings_of,
    measured,
    small_graph,
    small_rules,
    some_declared,
)


@each("seed", some_seeds(120))
def test_a_missing_fact_is_removed_exactly_when_what_is_left_proves_it(seed):
    rng = random.Random(seed)
    kg, declared = small_graph(rng, least=12), some_declared(rng)
    rules = measured(rng, small_rules(rng, 10))
    few = rng.sample(kg.labeled(), 4)
    named = [*few, ("a", "r", "b"), ("a", "r", "nobody"), ("b", "s", "a")]
    missing = MissingTriples.of(kg, KnowledgeGraph.from_triples(named), declared.closed())
    known = [t for t in named if {t[0], t[2]} <= {*kg.entities} and t[1] in kg.relations]
    every = {*kg.labeled(), *known}
    gone = {t for t in every if any(t in declared.statements(one) for one in known)}
    assert {*missing.left.labeled()} == every - gone
    assert f"{len({*named}) - len({*known})} have an entity" in missing.summary
    max_prior, restated = rng.choice(((1.0, True), (1.0, True), (0.6, True), (1.0, False)))
    setting_of = partial(
        Setting.of, declarations=declared.closed(), max_prior=max_prior, restated=restated
    )
    whole = KnowledgeGraph.from_triples(every)
    fitting = [rule for rule in rules if rule.relations <= {*RELATIONS} & {*kg.relations}]
    proofs = {rule: {*groundings_of(whole, rule)} for rule in fitting}
    proved = {
        head
        for rule in fitting
        for head, body in proofs[rule]
        if head in gone and gone.isdisjoint(body)
        if not is_decorated(rule, head, body, proofs, declared) and head[0] != head[2]
    }
    proved = {t for t in gone if not proved.isdisjoint(declared.statements(t))}
    try:
        rows, found = prove(missing, rules, setting_of, seed)
    except NoInferenceError:
        assert not proved or (max_prior, restated) != (1.0, True)
        return
    complete = missing.completed(rows)
    removed = {*complete.labeled(found.head)}
    assert removed == {*missing.kg.labeled(rows)}
    assert {*complete.labeled()} == (every - gone) | removed
    if (max_prior, restated) == (1.0, True):
        assert removed == proved
    assert removed <= proved
    for (s, r, o), number, body in zip(
        complete.labeled(found.head), found.rule, found.body, strict=True
    ):
        said = complete.labeled(body[body >= 0])
        assert gone.isdisjoint(said)
        assert len(said) == len(rules[number].body)
        ends = [declared.prior(complete, (s, r, o), place) for place in (0, 2)]
        assert min(ends) <= max_prior
        assert restated or not [t for t in every - gone if {t[0], t[2]} == {s, o}]
    assert len(rules) == len(found.rules)
