"""What may be removed: directions, pairs and questions, by trying everything."""

import random

import pytest

from rulemine.kg.graph import DIRECTIONS
from rulemine.removal.eligibility import confident_rules
from rulemine.removal.setting import Setting
from tests import some_seeds
from tests.small_graphs import measured, small_graph, small_rules, some_declared


@pytest.mark.parametrize("seed", some_seeds(40))
def test_triples_share_a_question_exactly_when_they_answer_the_same(seed: int) -> None:
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


def test_confidence_is_bounded_by_length_and_bodies_by_relation() -> None:
    rng = random.Random(3)
    rules = measured(rng, small_rules(rng, 60))
    floors = (0.3, 0.7)
    for excluded_from_bodies in (set(), {"p"}):
        expected = [
            rule
            for rule in rules
            if rule.known.std_confidence >= (0.3 if len(rule.body) == 1 else 0.7)
            and all(atom.relation not in excluded_from_bodies for atom in rule.body)
        ]
        assert list(confident_rules(rules, floors, excluded_from_bodies)) == expected
    assert confident_rules(rules) == rules
