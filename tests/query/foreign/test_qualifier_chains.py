import pytest

from rulemine.query.foreign.analysis import translate
from rulemine.query.structures import structure_of


@pytest.mark.parametrize(
    ("pattern", "trees", "chains"),
    [
        ('<a> <r> ?x . ?x <date> "2010"', "2i", "2p"),
        ('<a> <r> ?x . ?x <date> ?d FILTER (?d > "2010")', "1p", "2p"),
        ("<a> <r> ?y . ?y <s> ?x . ?x <date> ?d FILTER (?d > 1)", "2p", "3p"),
        # The longest of two; one is about a variable on the way.
        ("<a> <r> ?x . ?x <h> ?h . ?x <e> ?e . ?e <d> ?d FILTER (?d > 1 && ?h > 1)", "1p", "3p"),
        ("<a> <r> ?y . ?y <s> ?x . ?y <d> ?d FILTER (?d > 1)", "2p", "3p"),
        # No qualifiers that have variables of their own.
        ("<a> <r> ?x FILTER (?x != <b>)", "1p", "1p"),
        ("<a> <r> ?x . <b> <s> ?x FILTER (?x != <b>)", "2i", "2i"),
        ('?x <founded> "1901"', "1p", "1p"),
        ('?x <founded> "1901" . ?x <closed> "1902"', "2i", "2i"),
        ("{ <a> <r> ?x . ?x <d> ?d FILTER (?d > 1) } UNION { <b> <r> ?x }", "2u", "{(2)|(1)}"),
    ],
)
def test_linear_qualifiers_are_part_of_the_chain(pattern: str, trees: str, chains: str) -> None:
    text = f"SELECT ?x {{ {pattern} }}"
    assert structure_of(translate(text).query).name == trees
    assert structure_of(translate(text, "complexlogicalqa").query).name == chains


def test_queries_sorted_by_a_value_go_on_to_it() -> None:
    found = translate(
        "SELECT ?x { <a> <r> ?x . ?x <d> ?d } ORDER BY ?d LIMIT 1", "complexlogicalqa"
    )
    assert str(found.query) == '(p "d" (p "r" "a"))'
    assert found.dropped == ("LIMIT", "ORDER BY")


def test_in_s_expressions_nothing_changes() -> None:
    text = "(AND film.film (lt film.film.year 2010))"
    both = "(AND (JOIN film.film.directed_by m.a) (lt film.film.year 2010))"
    assert translate(both, "complexlogicalqa") == translate(both)
    with pytest.raises(Exception, match="no entity"):
        translate(text, "complexlogicalqa")
