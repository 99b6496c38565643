"""Rules about single entities are mined where enough triples bear them out."""

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import entities
from rulemine.mining.entities import mine_entity_rules
from rulemine.mining.options import MiningOptions

TRIPLES = [
    *((f"jazz{i}", "label", "Indigo") for i in range(8)),
    *((f"jazz{i}", "genre", "jazz") for i in range(6)),
    *((f"rock{i}", "label", "Granite") for i in range(4)),
    *((f"rock{i}", "genre", "rock") for i in range(4)),
]
OPTIONS = MiningOptions(max_atoms=4, min_head_coverage=0.01, min_initial_support=1)


def found(min_support: int) -> dict[str, float]:
    """Readable rule → standard confidence."""
    kg = KnowledgeGraph.from_triples(TRIPLES)
    rules = mine_entity_rules(kg, OPTIONS, min_support)
    return {str(rule): rule.known.std_confidence for rule in rules}


def test_a_rule_names_an_entity_in_both_atoms() -> None:
    assert found(4) == {
        "genre(x,'jazz') ⇒ label(x,'Indigo')": 1.0,
        "genre(x,'rock') ⇒ label(x,'Granite')": 1.0,
        "label(x,'Granite') ⇒ genre(x,'rock')": 1.0,
        "label(x,'Indigo') ⇒ genre(x,'jazz')": 0.75,
    }


def test_a_rule_that_few_triples_bear_out_is_left_out() -> None:
    assert found(5) == {
        "genre(x,'jazz') ⇒ label(x,'Indigo')": 1.0,
        "label(x,'Indigo') ⇒ genre(x,'jazz')": 0.75,
    }


def test_a_rule_is_right_more_often_than_not() -> None:
    kg = KnowledgeGraph.from_triples(
        [*TRIPLES, *((f"other{i}", "label", "Indigo") for i in range(5))]
    )
    rules = mine_entity_rules(kg, OPTIONS, 5)
    assert [str(rule) for rule in rules] == ["genre(x,'jazz') ⇒ label(x,'Indigo')"]


def test_of_very_many_rules_those_with_the_largest_support_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entities, "MOST", 3)
    assert set(found(1)) == {
        "genre(x,'jazz') ⇒ label(x,'Indigo')",
        "label(x,'Granite') ⇒ genre(x,'rock')",  # the first of two with a support of four
        "label(x,'Indigo') ⇒ genre(x,'jazz')",
    }


def test_what_is_not_asked_or_proves_nothing_is_in_no_rule() -> None:
    kg = KnowledgeGraph.from_triples(TRIPLES)
    rules = mine_entity_rules(kg, OPTIONS, 1, no_heads={"label"})
    assert {rule.head.relation for rule in rules} == {"genre"}
    assert mine_entity_rules(kg, OPTIONS, 1, no_heads={"label"}, no_bodies={"label"}) == []
