import pytest

from rulemine.errors import QueryError
from rulemine.query import parse
from tests import each


@each(
    "text", ['"x"', '(p "r" "a")', '(and (p "genre" (p "sequel_of" "e00007")) (p- "directed_by" "e00012"))',
    '(count (minus (or (p "r" "a") (p- "r" "a")) (p "s" "b")))', '(p "(p \\"r\\"" "\\\\")',
    "(or " + " ".join(f'(p "r" "{i:05}")' for i in range(10_000)) + ")"]
)  # fmt: skip
def test_a_canonical_text_is_read_back(text):
    assert parse(text).text == text


def test_any_other_text_gives_its_canonical_form():
    found = parse(' ( or(p"s""b")\n\t(or (p "r" "a") (p "s" "\\u0062")) ) ')
    assert found.text == '(or (p "r" "a") (p "s" "b"))'


@each(
    ("text", "message"),
    [
        ("", "column 1: found the end, expected a query"),
        ("(and x\n\ny)", r"column 6: found x y\), expected a query"),
        ("x", 'column 1: found x, expected a query, which begins with [(] or "; names stand in'),
        ("(", "column 2: found the end, expected and, or, p"),
        ('(adn "x" "y")', "column 2: found adn .*did you mean 'and'"),
        ('(and "x")', r"column 9: found \), expected a query"),
        ('(p r "x")', r"column 4: found r .*the name of a relation in double quotes"),
        ('(p "r" "x"', "column 11: found the end, expected a closing parenthesis"),
        ('(p "r" "x") "y"', 'column 13: found "y", expected the end of the query'),
        ('(p "r" "x)', 'column 8: found "x[)], expected a closing double quote'),
        ('(p "r" "\\x")', "column 8: .*expected a JSON string"),
        ('(p "r" (count "x"))', "column 1: a count is inside another query"),
        ('(p "r" (minus "x" (minus "y" "z")))', r"column 8: what \(minus X Y\) takes away"),
        ("(p " * 1000, "column 4: found"),
        ('(p "r" ' * 1000 + '"x"' + ")" * 1000, "column 701: nested more than 100 deep"),
        ("(and " * 10**5, "column 501: nested more than 100 deep"),
        ("(or " + '"x" ' * 50_001, "column 200005: more than 50,000 entities"),
        ("(or " + '(p "r" "x") ' * 50_001 + ")", "column 600008: more than 50,000 atoms"),
    ],
)
def test_errors_name_the_column(text, message):
    with pytest.raises(QueryError, match=message) as found:
        parse(text)
    assert len(str(found.value)) < 300
