"""What is not asked about: listed relations and those that the statistics find."""

import pytest

from rulemine.errors import InputError, UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.atom import Atom
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.relation_filter import (
    ONE_END,
    TOO_MANY,
    excluded_relations,
    inverses_in,
    load_filter,
    without_inverses,
)
from rulemine.rules.confidence import Standard
from rulemine.rules.grounding import ground
from rulemine.rules.rule import Rule
from tests import each

RELATIONS = ("currency", "knows", "lives_in")


def graph():
    """Nine of ten amounts are in dollars; three people know three others; five live in five towns."""
    triples = [(f"n{i}", "currency", "euro" if i == 0 else "dollar") for i in range(10)]
    triples += [(f"p{i}", "knows", f"q{j}") for i in range(3) for j in range(3)]
    triples += [(f"p{i}", "lives_in", f"t{i}") for i in range(5)]
    return KnowledgeGraph.from_triples(triples)


def test_statistics_name_each_relation_that_is_beyond_a_threshold():
    kg = graph()
    assert excluded_relations(kg, {}, 0.9, 9) == {}, "exactly the share is not more than it"
    assert excluded_relations(kg, {}, 0.89, 9) == {"currency": ONE_END}
    assert excluded_relations(kg, {}, 1.0, 3) == {}
    assert excluded_relations(kg, {}, 1.0, 2) == {"knows": TOO_MANY}, "currency has one answer"
    assert excluded_relations(kg, {"currency": "dull"}, 0.3, 2) == {
        "currency": "dull", "knows": ONE_END
    }  # fmt: skip


def test_a_filter_file_lists_relations_with_reasons(tmp_path):
    file = tmp_path / "filter.toml"
    file.write_text('[drop]\n"knows" = "too easy"\n"elsewhere" = "of another graph"\n')
    assert load_filter(file, RELATIONS) == ({"knows": "too easy"}, ())
    assert load_filter("fb15k237", RELATIONS).drop == {}


@each(
    ("text", "message"), [("", r"drop is missing.*the table \[drop\]"),
    ('[drop]\n[keep]\n"knows" = "x"\n', r"unknown key 'keep'.*\[drop\]"),
    ("drop = 3\n", r"drop is 3; expected a line of text for each relation.*\[drop\]"),
    ('[drop]\n"knows" = 3\n', "expected a line of text for each relation"),
    ('[drop]\n"knows" = " "\n', "expected a line of text for each relation"),
    ('[drop]\n"lives in" = "dull"\n', "'lives in' is not in the graph; did you mean")]
)  # fmt: skip
def test_a_wrong_filter_file_is_named(tmp_path, text, message):
    file = tmp_path / "filter.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as problem:
        load_filter(file, RELATIONS)
    assert str(file) in str(problem.value)


def test_a_missing_filter_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        load_filter(tmp_path / "nowhere.toml", RELATIONS)


def test_rules_about_a_dropped_relation_are_passed_over_but_it_may_prove():
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


def test_standards_name_relations_and_classes(tmp_path):
    file = tmp_path / "filter.toml"
    file.write_text(STANDARDS)
    assert load_filter(file, RELATIONS).standards == (
        Standard(head=("knows",), body_only=("knows", "lives_in"), min_std_confidence=0.5,
        reason="friends of friends"),
    )  # fmt: skip
    assert len(load_filter(file, (*RELATIONS, "elsewhere")).standards) == 2


@each(
    ("text", "message"), [
    ('[classes]\nmet = "knows"\n', "classes is .*; expected lists of relations, by name"),
    ('[[standards]]\nhead = ["knows"]\n', "standard 1 has no reason"),
    ('[[standards]]\nreason = "why"\n', "standard 1 has no reason, or none of head, head_not"),
    ('[[standards]]\nheads = ["knows"]\n', "standard 1.*heads.*did you mean 'head'"),
    ('[[standards]]\nhead = ["know"]\nreason = "why"\n', "'know' is not in the graph; did you"),
    ('[[standards]]\nhead = ["met"]\nmin_std_confidence = 2\n', "min_std_confidence"),
    ("standards = 3\n", r"standards is 3; expected tables \[\[standards\]\]")]
)  # fmt: skip
def test_a_wrong_standard_is_named(tmp_path, text, message):
    file = tmp_path / "filter.toml"
    file.write_text("drop = {}\n" + text)
    with pytest.raises(UserError, match=f"(?s){message}") as problem:
        load_filter(file, RELATIONS)
    assert str(file) in str(problem.value)


def with_inverses():
    """A graph that states two of three relations from both ends; one of few triples by another name too."""
    triples = [(f"p{i}", "works_for", f"f{i % 7}") for i in range(40)]
    triples += [(f"p{i}", "married_to", f"q{i}") for i in range(3)]
    triples += [(f"f{i}", "based_in", f"t{i % 3}") for i in range(7)]
    turned = [(o, f"{r}_inv", s) for s, r, o in triples if r != "based_in"]
    return KnowledgeGraph.from_triples(
        [*triples, *turned, *((f"t{i % 3}", "has", f"f{i}") for i in range(7))]
    )


def test_of_two_relations_that_are_inverse_in_every_triple_one_is_left_out():
    kg = with_inverses()
    inverses = inverses_in(kg)
    assert inverses == {"married_to_inv": "married_to", "works_for_inv": "works_for"}
    left = without_inverses(kg, inverses)
    assert left.relations == ("based_in", "has", "married_to", "works_for")
    assert set(left.labeled()) == {row for row in kg.labeled() if not row[1].endswith("_inv")}
    assert inverses_in(left) == {}


def test_a_relation_with_a_pair_more_is_an_inverse_if_it_is_named_so():
    kg = with_inverses()
    for more in (("x", "works_for", "y"), ("y", "works_for_inv", "x")):
        wider = KnowledgeGraph.from_triples([*kg.labeled(), more])
        assert inverses_in(wider) == inverses_in(kg)
        assert ("x", "works_for", "y") in without_inverses(wider, inverses_in(kg)).labeled()
    pairs = [(f"p{i}", "hires", f"q{i}") for i in range(40)]
    other = [*((o, "is_at", s) for s, _, o in pairs), ("x", "is_at", "y")]
    assert inverses_in(KnowledgeGraph.from_triples([*pairs, *other])) == {}


def test_a_symmetric_relation_is_no_inverse_of_itself():
    friends = [(f"a{i}", "friend", f"b{i}") for i in range(40)]
    both = KnowledgeGraph.from_triples([*friends, *((o, r, s) for s, r, o in friends)])
    assert inverses_in(both) == {}
    twice = KnowledgeGraph.from_triples(
        [*both.labeled(), *((o, "friend-1", s) for s, _, o in both.labeled())]
    )
    assert inverses_in(twice) == {"friend-1": "friend"}


def test_a_build_has_the_graph_without_inverses_and_says_so(tmp_path):
    kg, told = with_inverses(), list[str]()
    kg.write(tmp_path / "my.tsv")
    KnowledgeGraph.from_triples([*kg.labeled(), ("f9", "works_for_inv", "p0")]).write(
        tmp_path / "all.tsv"
    )
    given = [(("reference",), str(tmp_path / "all.tsv"))]
    inputs = Inputs(load_recipe(str(tmp_path / "my.tsv"), given), told.append)
    assert len(inputs.kg) == len(kg) - 43
    assert "2 relations with 43 triples left out" in told[0]
    assert "works_for_inv (of works_for)" in told[0]
    assert inputs.about("")["inverses"] == inverses_in(kg)
    assert inputs.reference is not None
    assert ("p0", "works_for", "f9") in inputs.reference.labeled()
    brink = [(("selection", "mode"), "brink")]
    assert len(Inputs(load_recipe(str(tmp_path / "my.tsv"), brink)).kg) == len(kg)
