"""Mined rules are a tuple like any other, and a table for who has pandas."""

import sys

import pytest

from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Rules, mine
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Rule

KG = KnowledgeGraph.from_triples(
    [(f"h{i}", "husband", f"w{i}") for i in range(4)]
    + [(f"w{i}", "wife", f"h{i}") for i in range(3)]
)
RULES = mine(KG, MiningOptions(max_atoms=2, min_initial_support=1))


def test_they_are_a_tuple() -> None:
    assert isinstance(RULES, tuple)
    assert isinstance(RULES, Rules)
    assert tuple(RULES) == RULES
    assert len(RULES) == 2
    assert all(isinstance(rule, Rule) for rule in RULES)


def test_the_table_has_every_measure() -> None:
    table = RULES.to_pandas()
    assert table["id"].tolist() == [rule.id for rule in RULES]
    assert table["head"].tolist() == ["husband", "wife"]
    assert table["atoms"].tolist() == [2, 2]
    assert table["support"].tolist() == [3, 3]
    assert table["body_size"].tolist() == [3, 4]
    assert table["pca_body_size"].tolist() == [3, 3]
    assert table["head_coverage"].tolist() == [0.75, 1.0]
    assert table["functional"].tolist() == ["?a", "?a"]


def test_no_rules_and_rules_without_measures() -> None:
    columns = list(RULES.to_pandas().columns)
    assert list(Rules().to_pandas().columns) == columns
    table = Rules([parse_readable("wife(y,x) ⇒ husband(x,y)")]).to_pandas()
    assert table["support"].isna().all()


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match=r"pip install 'rulemine\[pandas\]'"):
        RULES.to_pandas()
