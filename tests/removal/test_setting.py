"""What may be removed: directions, pairs and questions, by trying everything."""

import random
from dataclasses import replace

from rulemine.kg import facts
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.recipe.earlier import Earlier
from rulemine.removal.setting import Setting
from rulemine.rules.confidence import Standard, confident_rules
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures
from tests import each, some_seeds
from tests.small_graphs import measured, small_graph, small_rules, some_declared


@each("seed", some_seeds(40))
def test_triples_share_a_question_exactly_when_they_answer_the_same(seed, monkeypatch):
    monkeypatch.setattr(facts, "ROWS_AT_ONCE", (1, 5, 1 << 20)[seed % 3])
    rng = random.Random(seed)
    kg, declared = small_graph(rng), some_declared(rng)
    declarations = declared.closed()
    limit, max_prior = rng.choice((0, 1, 2)), rng.choice((0.3, 1.0))
    setting = Setting.of(kg, declarations, max_prior=max_prior, max_answers=limit)
    known = set(kg.labeled())
    numbers: dict[int, tuple[tuple[str, str], str]] = {}
    seen: dict[tuple[tuple[str, str], str], int] = {}
    for row, triple in enumerate(kg.labeled()):
        for column, direction in enumerate(DIRECTIONS):
            place = 2 * column
            topic = triple[2 - place]
            answers = {
                other
                for other in kg.entities
                for asked in [
                    (other, triple[1], topic) if place == 0 else (topic, triple[1], other)
                ]
                if declared.statements(asked) & known
            }
            assert triple[place] in answers
            fits = declared.prior(kg, triple, place) <= max_prior
            number = int(setting.questions[row, column])
            if not fits or (limit and len(answers) > limit):
                assert number == -1
                continue
            key = (declarations.asked(triple[1], direction), topic)
            assert numbers.setdefault(number, key) == key
            assert seen.setdefault(key, number) == number


def test_what_is_not_asked_for_may_be_common_in_the_core():
    # Eighty of a hundred people live in the hub, each of twenty others in a town of their own.
    lives = [(f"p{i}", "lives_in", "hub" if i < 80 else f"town{i}") for i in range(100)]
    kg = KnowledgeGraph.from_triples(lives)
    hub = [row for row, (_, _, town) in enumerate(kg.labeled()) if town == "hub"]
    assert Setting.of(kg, max_prior=0.5).guarded().all()
    guarded = Setting.of(kg, max_prior=1.0).guarded()
    assert guarded.sum() == 20
    assert not guarded[hub].any()
    assert not Setting.of(kg, max_prior=0.01).guarded()[hub].any()  # neither end is asked for


def test_what_an_earlier_release_asks_is_no_question():
    kg = KnowledgeGraph.from_triples(
        [("ann", "parent", "bo"), ("ann", "parent", "cy"), ("dee", "parent", "cy")]
    )
    earlier = Earlier(asked=frozenset([(("ann", "parent", "bo"), "object")]))
    asked = Setting.of(kg, earlier=earlier).questions >= 0
    # Children of Ann are not asked for, whichever of them was; parents and children of others are.
    assert asked.tolist() == [[True, False], [True, False], [True, True]]


def test_no_body_names_a_relation_that_is_kept_out():
    rng = random.Random(3)
    rules = measured(rng, small_rules(rng, 60))
    kept = [rule for rule in rules if all(atom.relation != "p" for atom in rule.body)]
    assert list(confident_rules(rules, {"p"})) == kept != list(rules)
    assert confident_rules(rules) == rules


def test_a_rule_that_is_seldom_seen_has_to_be_right_more_often():
    rule = parse_readable("p(x,z) ∧ q(z,y) ⇒ r(x,y)")
    few, many = (replace(rule, measures=Measures(n, 2 * n, 2 * n, 100, 0)) for n in (2, 50))
    # Wilson, 95 %: from 0.15 with two of four, from 0.40 with 50 of 100.
    assert confident_rules([few, many], min_sure_confidence=0.3) == (many,)
    assert confident_rules([few, many], min_sure_confidence=0.15) == (few, many)
    assert confident_rules([few, many], min_sure_confidence=0.41) == ()


def test_rules_of_a_form_reach_its_standard():
    rng = random.Random(3)
    rules = measured(rng, small_rules(rng, 60))
    of_p = [rule for rule in rules if rule.head.relation == "p"]
    assert of_p
    assert len({rule.head.relation for rule in rules}) > 1

    def left(form):
        return list(confident_rules(rules, standards=[replace(form, min_std_confidence=0.7)]))

    def expected(holds):
        found = [r for r in rules if r.known.std_confidence >= 0.7 or not holds(r)]
        assert 0 < len(found) < len(rules), "the standard does something"
        return found

    def body(rule):
        return {atom.relation for atom in rule.body}

    assert left(Standard(head=("p",))) == expected(lambda r: r in of_p)
    assert left(Standard(head_not=("p",))) == expected(lambda r: r not in of_p)
    assert left(Standard(body_only=("p", "q"))) == expected(lambda r: body(r) <= {"p", "q"})
    assert left(Standard(body_any=("p",))) == expected(lambda r: "p" in body(r))
    assert left(Standard(head=("p",), body_any=("p",))) == expected(
        lambda r: r in of_p and "p" in body(r)
    )
    strict = [Standard(head=("p",))]
    exact = [r for r in rules if r.head.relation != "p" or r.known.std_confidence == 1]
    assert list(confident_rules(rules, standards=strict)) == exact
