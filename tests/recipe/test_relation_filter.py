"""What is not asked about: listed relations and those that the statistics find."""

from pathlib import Path

import pytest

from rulemine.errors import InputError, UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.atom import Atom
from rulemine.recipe.relation_filter import (
    ONE_END,
    TOO_MANY,
    excluded_relations,
    load_filter,
    load_standards,
)
from rulemine.rules.grounding import ground
from rulemine.rules.rule import Rule
from rulemine.rules.standards import Standard

RELATIONS = ("currency", "knows", "lives_in")


def graph() -> KnowledgeGraph:
    """Nine of ten amounts are in dollars; three people know three others; five live in five towns."""
    triples = [(f"n{i}", "currency", "euro" if i == 0 else "dollar") for i in range(10)]
    triples += [(f"p{i}", "knows", f"q{j}") for i in range(3) for j in range(3)]
    triples += [(f"p{i}", "lives_in", f"t{i}") for i in range(5)]
    return KnowledgeGraph.from_triples(triples)


def test_statistics_name_each_relation_that_is_beyond_a_threshold() -> None:
    kg = graph()
    assert excluded_relations(kg, {}, 1.0, 0) == {}
    assert excluded_relations(kg, {}, 0.9, 0) == {}, "exactly the share is not more than it"
    assert excluded_relations(kg, {}, 0.89, 0) == {"currency": ONE_END}
    assert excluded_relations(kg, {}, 1.0, 3) == {}
    assert excluded_relations(kg, {}, 1.0, 2) == {"knows": TOO_MANY}, "currency has one answer"
    assert excluded_relations(kg, {"currency": "dull"}, 0.3, 2) == {
        "currency": "dull",
        "knows": ONE_END,
    }


def test_a_filter_file_lists_relations_with_reasons(tmp_path: Path) -> None:
    file = tmp_path / "filter.toml"
    file.write_text('[drop]\n"knows" = "too easy"\n"elsewhere" = "of another graph"\n')
    assert load_filter(file, RELATIONS) == {"knows": "too easy"}
    assert load_filter("", RELATIONS) == {}
    assert load_filter("fb15k237", RELATIONS) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"holds nothing.*the table \[drop\]"),
        ('[keep]\n"knows" = "x"\n', r"holds keep.*\[drop\]"),
        ("drop = 3\n", r"holds drop.*\[drop\]"),
        ('[drop]\n"knows" = 3\n', "the reason of 'knows' is 3"),
        ('[drop]\n"knows" = " "\n', "the reason of 'knows'"),
        ('[drop]\n"lives in" = "dull"\n', "'lives in' is not in the graph; did you mean"),
    ],
)
def test_a_wrong_filter_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "filter.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as problem:
        load_filter(file, RELATIONS)
    assert str(file) in str(problem.value)


def test_a_missing_filter_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        load_filter(tmp_path / "nowhere.toml", RELATIONS)


def test_rules_about_a_dropped_relation_are_passed_over_but_it_may_prove() -> None:
    kg = KnowledgeGraph.from_triples([("a", "p", "b"), ("a", "q", "b")])
    rules = [Rule(Atom(0, "p", 1), (Atom(0, "q", 1),)), Rule(Atom(0, "q", 1), (Atom(0, "p", 1),))]
    for sample in (None, 5):
        found = ground(kg, rules, sample=sample, excluded=("p",))
        assert found.counts.tolist() == [0, 1]
        assert found.rule.tolist() == [1]
        assert found.lacking.tolist() == []
        assert found.describe() == (
            "1 grounding with 1 distinct head; 1 of 2 rules have none, "
            "1 because their head relation is excluded"
        )


STANDARDS = """
[drop]
[classes]
met = ["knows", "elsewhere"]
[[standards]]
head = ["met"]
head_not = ["elsewhere"]
body_only = ["met", "lives_in"]
min_std_confidence = 0.5
reason = "friends of friends"
[[standards]]
body_any = ["elsewhere"]
reason = "of another graph"
"""


def test_standards_name_relations_and_classes(tmp_path: Path) -> None:
    file = tmp_path / "filter.toml"
    file.write_text(STANDARDS)
    assert load_standards(file, RELATIONS) == (
        Standard(
            head=("knows",),
            body_only=("knows", "lives_in"),
            min_std_confidence=0.5,
            reason="friends of friends",
        ),
    )
    assert len(load_standards(file, (*RELATIONS, "elsewhere"))) == 2
    assert load_filter(file, RELATIONS) == {}
    assert load_standards("", RELATIONS) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[classes]\nmet = "knows"\n', "class 'met' is 'knows'; a list of relations was expected"),
        ('[[standards]]\nhead = ["knows"]\n', "standard 1 has no reason"),
        ('[[standards]]\nreason = "why"\n', "standard 1 has no reason, or none of head, head_not"),
        ('[[standards]]\nheads = ["knows"]\n', "standard 1.*heads.*did you mean 'head'"),
        ('[[standards]]\nhead = ["know"]\nreason = "why"\n', "'know' is not in the graph; did you"),
        ('[[standards]]\nhead = ["met"]\nmin_std_confidence = 2\n', "min_std_confidence"),
        ("standards = 3\n", r"holds drop, standards.*\[\[standards\]\]"),
    ],
)
def test_a_wrong_standard_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "filter.toml"
    file.write_text("drop = {}\n" + text)
    with pytest.raises(UserError, match=f"(?s){message}") as problem:
        load_standards(file, RELATIONS)
    assert str(file) in str(problem.value)
