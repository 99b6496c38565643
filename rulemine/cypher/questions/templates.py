"""The templates of CypherBench: what a question may MATCH, and what it may RETURN.

The 31 MATCH templates and 17 RETURN templates are those of Feng, Papicchio and Rahman, "CypherBench: Towards
Precise Retrieval over Full-scale Modern Knowledge Graphs in the LLM Era" (arXiv 2412.18702); one MATCH
template is ours: the direction of ``(n)=(m0)`` that they lack.
"""

from typing import NamedTuple

__all__ = [
    "CATEGORIES",
    "MATCHES",
    "NAMING",
    "RETURNS",
    "RETURN_GROUPS",
    "Category",
    "MatchTemplate",
    "ReturnTemplate",
    "return_group",
]


class Category(NamedTuple):
    """A family of MATCH templates that differ in directions, or in the time they ask for.

    Attributes:
        shape: The ends of its edges r0 and r1: from, to.
        nodes: The variables of its nodes.
        fixed: Those of them that are fixed by name.
        form: How it becomes Cypher: ``match``; ``optional`` (r1, then r0 where there is one); ``union`` (an
            arm for each edge).
        basic: Whether it is one of the seven basic categories.
    """

    shape: tuple[tuple[str, str], ...]
    nodes: tuple[str, ...]
    fixed: tuple[str, ...] = ()
    form: str = "match"
    basic: bool = False


_FAN = (("n", "m0"), ("n", "m1"))
_CHAIN = (("n", "m0"), ("m0", "m1"))
_THREE = ("n", "m0", "m1")

CATEGORIES: dict[str, Category] = {
    "(n)": Category((), ("n",), basic=True),
    "(n*)": Category((), ("n",), ("n",), basic=True),
    "(n)-(m0)": Category(_FAN[:1], ("n", "m0"), basic=True),
    "(n)-(m0*)": Category(_FAN[:1], ("n", "m0"), ("m0",), basic=True),
    "(n)-(m0)-(m1*)": Category(_CHAIN, _THREE, ("m1",), basic=True),
    "(n)-(m0*),(n)-(m1*)": Category(_FAN, _THREE, ("m0", "m1"), basic=True),
    "(n)=(m0)": Category((_FAN[0], _FAN[0]), ("n", "m0"), basic=True),
    "optional": Category(_FAN, _THREE, ("m1",), form="optional"),
    "group-by": Category(_CHAIN, _THREE, ("m1",)),
    "time": Category(_FAN[:1], ("n", "m0"), ("m0",)),
    "comparison": Category((), ("n", "m0"), ("n", "m0")),
    "union": Category(_FAN, _THREE, ("m0", "m1"), form="union"),
}
"""The seven basic categories are counted as the paper counts them."""


class MatchTemplate(NamedTuple):
    """A MATCH template.

    Attributes:
        id: Its name; ``*`` marks a node that is fixed by name.
        category: One of `CATEGORIES`.
        directions: For r0 and r1, whether the edge runs as `Category.shape` has it (``→``) or against it.
        words: What it asks for, with r0, r1 and the names of m0, m1.
        ours: Whether CypherBench lacks it.
    """

    id: str
    category: str
    directions: str
    words: str
    ours: bool = False


def _all(category: str, form: str, directions: str, words: str) -> list[MatchTemplate]:
    """The templates of a category; ``{0}`` and ``{1}`` in its form are the arrows of r0 and r1."""
    arrow = {"→": "->", "←": "<-"}
    return [
        MatchTemplate(form.format(*(arrow[way] for way in ways)), category, ways, words)
        for ways in directions.split()
    ]


_SAME = "(n){0}(m0),(n){1}(m0)"
_SAME_WORDS = "n that r0 and r1 the same m0"

_MATCHES = [
    MatchTemplate("(n)", "(n)", "", "all n"),
    MatchTemplate("(n*)", "(n*)", "", "the n that is named"),
    *_all("(n)-(m0)", "(n){0}(m0)", "→ ←", "n that r0 some m0"),
    *_all("(n)-(m0*)", "(n){0}(m0*)", "→ ←", 'n that r0 "m0"'),
    *_all("(n)-(m0)-(m1*)", "(n){0}(m0){1}(m1*)", "→→ →← ←→ ←←", 'n that r0 an m0 that r1 "m1"'),
    *_all("(n)-(m0*),(n)-(m1*)", "(n){0}(m0*),(n){1}(m1*)", "→→ →← ←←", 'n that r0 "m0" and r1 "m1"'),
    *_all("(n)=(m0)", _SAME, "→→ ←←", _SAME_WORDS),
    *(row._replace(ours=True) for row in _all("(n)=(m0)", _SAME, "→←", _SAME_WORDS)),
    *_all(
        "optional", "(n){1}(m1*) optional (n){0}(m0)", "→→ →← ←→ ←←",
        'every n that r1 "m1", with the number of m0 it r0',
    ),
    *_all(
        "group-by", "(n){0}(m0){1}(m1*) by n", "→→ →← ←→ ←←",
        'each n that r0 an m0 that r1 "m1", with the number of these m0',
    ),
    *_all("time", "(n){0}(m0*) current", "→ ←", 'n that now r0 "m0"'),
    *_all("time", "(n){0}(m0*) in year", "→ ←", 'n that r0 "m0" in a year'),
    MatchTemplate("(n*),(m0*)", "comparison", "", "two n that are named"),
    *_all("union", "(n){0}(m0*) or (n){1}(m1*)", "→→ →← ←←", 'n that r0 "m0" or r1 "m1"'),
]  # fmt: skip

MATCHES: dict[str, MatchTemplate] = {row.id: row for row in _MATCHES}
"""The MATCH templates by id: CypherBench's 31, and ours."""


class ReturnTemplate(NamedTuple):
    """A RETURN template.

    Attributes:
        id: Its name.
        family: The name in CypherBench's Table 12, or that of the category that it belongs to.
        matches: The categories that it goes with; empty: the basic ones.
        named: Whether n is fixed by name; None: it does not matter.
        takes: The fields of a `rulemine.cypher.questions.pattern.ReturnClause` that it needs.
        may_take: Fields that it may have besides.
        datatypes: The datatypes that the property may have; empty: any.
        words: What it returns.
    """

    id: str
    family: str
    words: str
    takes: tuple[str, ...] = ()
    may_take: tuple[str, ...] = ()
    datatypes: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    named: bool | None = False


_ORDERED = ("int", "float", "date")
_SCALAR = ("str", "int", "float", "bool", "date")
_LISTS = ("list[str]", "list[int]", "list[float]", "list[date]")
_P, _NAMES = ("property",), ("comparison",)

_RETURNS = [
    ReturnTemplate("n_name", "NAME", "the names"),
    ReturnTemplate("n_prop", "PROPERTY", "a property of the one named", _P, named=True),
    ReturnTemplate("n_name_prop", "PROPERTY", "names, each with a property", _P),
    ReturnTemplate("n_prop_distinct", "PROPERTY", "the distinct values of a property", _P, (), _SCALAR),
    ReturnTemplate(
        "n_prop_array_distinct", "PROPERTY", "the distinct elements of a list", _P, (), _LISTS
    ),
    ReturnTemplate("n_order_by", "SORT", "names, sorted by a property", _P, ("descending",), _ORDERED),
    ReturnTemplate(
        "n_argmax", "ARGMAX", "the name with the least or greatest value", _P, ("descending",), _ORDERED
    ),
    ReturnTemplate(
        "n_where", "FILTER", "the names for which a condition holds",
        ("property", "operator", "bound"), ("year",),
    ),
    ReturnTemplate("n_agg", "AGGREGATE", "an aggregate", ("aggregate",), ("property", "year")),
    ReturnTemplate(
        "n_group_by", "AGGREGATE", "an aggregate for each value of a property",
        ("key", "aggregate"), ("property", "year"),
    ),
    ReturnTemplate("n_name_special", "NAME", "the names", matches=("time",)),
    ReturnTemplate(
        "n_m0_group_by_count", "AGGREGATE", "names, each with the number of m0",
        matches=("optional", "group-by"),
    ),
    ReturnTemplate(
        "comparison_argmax", "COMPARISON", "the name with the higher value", _P, (), _ORDERED, _NAMES, True
    ),
    ReturnTemplate(
        "comparison_boolean", "COMPARISON", "whether both values are equal",
        _P, (), _SCALAR, _NAMES, True,
    ),
    ReturnTemplate(
        "comparison_arithmetic", "COMPARISON", "how much higher the first value is",
        _P, (), ("int", "float"), _NAMES, True,
    ),
    ReturnTemplate("union_count", "AGGREGATE", "how many there are", matches=("union",)),
    ReturnTemplate("union_name", "NAME", "the names", matches=("union",)),
]  # fmt: skip

RETURNS: dict[str, ReturnTemplate] = {row.id: row for row in _RETURNS}
"""The RETURN templates by id."""

RETURN_GROUPS = ("NAME", "PROPERTY", "SORT", "ARGMAX", "FILTER", "AGGREGATE", "GROUP BY")
"""What a basic question may return: the names of CypherBench's Table 12, and the groups that its code counts
apart."""


NAMING = frozenset((
    "n_name", "n_name_prop", "n_order_by", "n_argmax", "n_where", "n_name_special", "n_m0_group_by_count",
    "union_name", "comparison_argmax",
))  # fmt: skip
"""RETURN templates whose first column has names of nodes; no other column ever has."""


def return_group(id_: str) -> str:
    """Which of `RETURN_GROUPS` a RETURN template is; "" of those of special questions.

    Example:
        >>> return_group("n_agg"), return_group("n_group_by"), return_group("union_count")
        ('AGGREGATE', 'GROUP BY', '')
    """
    if id_ not in RETURNS or RETURNS[id_].matches:
        return ""
    return "GROUP BY" if id_ == "n_group_by" else RETURNS[id_].family
