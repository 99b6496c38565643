"""What may be returned of a pattern: CypherBench's rules for its 17 RETURN templates (arXiv 2412.18702).

Coordinates and codes are only looked up: nobody sorts cities by longitude, or groups them by a code. Names
are in the question already.

Guarantee: what is proposed fits the datatypes and the answers of the pattern on the graph, and has an answer.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import Any

from rulemine.cypher.questions.pattern import MatchPattern, ReturnClause
from rulemine.cypher.questions.templates import CATEGORIES, RETURNS, Category
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Property
from rulemine.kg.property_graph.values import is_list
from rulemine.kinds.cypher.realism import LEAST_COMPARED, compares
from rulemine.phrasing.relation_names import words_of
from rulemine.seeds import Stream

__all__ = ["Proposals", "outward", "returns_for"]

_LEAST_INT = 2
"""Integers are bounds if they are greater."""

_CATEGORICAL = 0.1
"""A text with fewer distinct values than this share of its type's nodes says what sort they are of."""

_NAMING = 0.5
"""Of a property that names nodes, this share of the values known differ from each other."""

_LOOKED_UP = {
    "code", "coordinate", "coordinates", "domain", "doi", "id", "identifier", "imdb", "isbn", "iso",
    "latitude", "longitude", "url",
}  # fmt: skip
"""A property with one of these words in its name is a coordinate or a code."""

_NUMBERS = ("list[int]", "list[float]", "list[date]")
_LEAST_N = dict.fromkeys(
    ("n_name_prop", "n_prop_distinct", "n_prop_array_distinct", "n_m0_group_by_count"), 2
) | dict.fromkeys(("n_order_by", "n_argmax", "n_where", "n_agg", "n_group_by"), LEAST_COMPARED)
"""RETURN templates → how many n they need."""

_OPERATORS = {
    "bool": ("=",), "str": ("=",), "date": ("<", ">", "="), "list": ("IN",),
    "float": ("<", ">", "<=", ">="), "int": ("<", ">", "<=", ">="),
}  # fmt: skip
"""What a value may be compared by; years are as dates."""

_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "IN": operator.contains,
}  # fmt: skip


def returns_for(category: Category) -> list[str]:
    """The RETURN templates that go with a category."""
    label = next(name for name, row in CATEGORIES.items() if row is category)
    return [
        row.id
        for row in RETURNS.values()
        if (label in row.matches if row.matches else category.basic)
        and row.named in (None, "n" in category.fixed)
    ]


def outward(value: Any, comparison: str) -> Any:
    """A number rounded to two digits: up for ``<`` and ``<=``, else down.

    Example:
        >>> outward(1_234_567, "<"), outward(0.1278, ">"), outward(-345, ">=")
        (1300000, 0.12, -350)
    """
    exact = Decimal(repr(value))
    if not exact:
        return value
    unit = Decimal(1).scaleb(exact.adjusted() - 1)
    if isinstance(value, int) and unit < 1:
        return value
    way = ROUND_CEILING if comparison in ("<", "<=") else ROUND_FLOOR
    steps = (exact / unit).to_integral_value(way)
    return type(value)(steps * unit)


class Proposals:
    """Draws what to return of patterns of one graph.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: PropertyGraph) -> None:
        self._graph = graph
        self._sizes = lru_cache(None)(self._number_of_values)
        self._own = lru_cache(None)(self._may_take)

    def possible(self, type_: str, template: str) -> bool:
        """Whether a RETURN template can ever fit an n of a type: its properties have such datatypes."""
        takes = RETURNS[template].takes
        return not takes or template == "n_agg" or bool(self._own(type_, template))

    def draw(
        self, match: MatchPattern, template: str, answers: tuple[int, ...], random: Stream
    ) -> ReturnClause | None:
        """A RETURN clause that fits a pattern.

        Args:
            match: The pattern.
            template: The RETURN template.
            answers: The distinct n (of a comparison: n and m0), by position.
            random: Decides which.

        Returns:
            None: nothing fits.
        """
        if len(answers) < _LEAST_N.get(template, 1):
            return None
        if not RETURNS[template].takes:
            return ReturnClause(template)
        type_, grouped = match.nodes[0].type, template == "n_group_by"
        own, options = self._own(type_, template), list[ReturnClause | Property]()
        for p in own:
            options += self._options(match, template, p, answers, random) if not grouped else ()
        options += self._groups(type_, own, answers, random) if grouped else ()
        if template == "n_agg":
            options.append(ReturnClause(template, aggregate="count"))
        for at in random.permutation(len(options)).tolist():
            made: ReturnClause | Property | None = options[at]
            if isinstance(made, Property):
                values, names = self._known(answers, made.name), self._names(type_, made)
                made = _condition(made, values, random, names=names)
            if made is not None:
                return made
        return None

    def _may_take(self, type_: str, template: str) -> tuple[Property, ...]:
        """The properties of a type that a RETURN template may take."""
        datatypes = RETURNS[template].datatypes
        return tuple(
            p
            for p in self._graph.schema.entity(type_).properties
            if (not datatypes or p.datatype in datatypes)
            and "name" not in (words := {word.lower() for word in words_of(p.name)})
            and (template == "n_prop" or _LOOKED_UP.isdisjoint(words))
        )

    def _options(
        self, match: MatchPattern, template: str, p: Property, answers: tuple[int, ...], random: Stream
    ) -> Sequence[ReturnClause | Property]:  # fmt: skip
        """What may be returned of one property; itself: a condition on it."""
        type_, values = match.nodes[0].type, self._known(answers, p.name)
        distinct, two = len(set(values)), len(values) == 2
        # Nobody asks of the cities of a country for their country.
        fixed = match.category.fixed
        known = [
            o.type
            for name, o in match.named.items()
            if name != "n" and (name in fixed or template != "n_name_prop")
        ]
        news = p.name not in {" ".join(words_of(type_)) for type_ in known}
        if template == "n_agg":
            aggregates = self._aggregates(type_, p, False) if compares(values) and news else []
            return [ReturnClause(template, p.name, aggregate=one, year=y) for one, y in aggregates]
        if template in ("n_order_by", "n_argmax"):
            descending = random.below(2) == 1
            return [ReturnClause(template, p.name, descending=descending)] * compares(values)
        listed = len(values) > 0 and not self._unlisted(type_, p)
        fits = {
            "n_prop": values != (),
            "n_name_prop": listed and news and distinct > 1,
            "n_prop_distinct": listed
            and news
            and p.datatype == "str"
            and 1 < distinct < len(values),
            "n_prop_array_distinct": listed and distinct > 1,
            "n_where": distinct > 1 and news and p.datatype not in _NUMBERS,
            "comparison_argmax": two and distinct == 2,
            "comparison_boolean": two
            and self._is_categorical(type_, p)
            and not self._own(
                type_, "comparison_argmax"
            ),  # whose values say more than that they differ
            "comparison_arithmetic": two
            and distinct == 2
            and (p.datatype != "int" or abs(values[0] - values[1]) < 2**63),
        }
        clause = p if template == "n_where" else ReturnClause(template, p.name)
        return [clause] * fits[template]

    def _groups(
        self, type_: str, own: Sequence[Property], answers: tuple[int, ...], random: Stream
    ) -> Iterator[ReturnClause]:
        """For each text that sorts the n, what to return of its groups."""
        for key in own:
            value_of = self._graph.values(key.name)
            keys = {n: value_of[n] for n in answers if value_of[n] is not None}
            if not self._is_categorical(type_, key) or len(set(keys.values())) < LEAST_COMPARED:
                continue
            drawn = [("", "count", False)]
            for p in own:
                given = self._graph.values(p.name)
                groups = {group for n, group in keys.items() if given[n] is not None}
                if p is not key and len(groups) >= LEAST_COMPARED:
                    drawn += [(p.name, *more) for more in self._aggregates(type_, p, True)]
            name, aggregate, year = drawn[random.below(len(drawn))]
            yield ReturnClause("n_group_by", name, key=key.name, aggregate=aggregate, year=year)

    def _aggregates(self, type_: str, p: Property, grouped: bool) -> list[tuple[str, bool]]:
        """Aggregates of a property, each with whether it is of the year."""
        if p.datatype in ("int", "float"):
            avg = p.datatype == "float" or (grouped and not _is_year(p))
            return [("min", False), ("max", False)] + [("avg", False)] * avg
        if p.datatype == "date":
            return [(name, year) for name in ("min", "max") for year in (False, True)]
        countable = self._is_categorical(type_, p) and not self._unlisted(type_, p)
        return [("count distinct", False)] * countable

    def _known(self, answers: Sequence[int], name: str) -> tuple[Any, ...]:
        values = self._graph.values(name)
        return tuple([values[n] for n in answers if values[n] is not None])

    def _number_of_values(self, type_: str, name: str) -> tuple[int, int]:
        """How many nodes of a type have a value, and how many different ones there are."""
        values = self._known(self._graph.of_type(type_), name)
        return len(values), len(set(values))

    def _names(self, type_: str, p: Property) -> bool:
        """Whether most values of a property are those of one node, so that to ask for one is to name it."""
        known, distinct = self._sizes(type_, p.name)
        return p.datatype in ("str", "int") and not _is_year(p) and distinct > _NAMING * known

    def _unlisted(self, type_: str, p: Property) -> bool:
        """Whether nobody wants a list of a property's values: lists of numbers, or one of two texts."""
        return p.datatype in _NUMBERS or (
            p.datatype == "str" and self._sizes(type_, p.name)[1] <= 2
        )

    def _is_categorical(self, type_: str, p: Property) -> bool:
        """Whether a property is a text that says of what sort the nodes of a type are."""
        distinct = self._sizes(type_, p.name)[1]
        return p.datatype == "str" and distinct < _CATEGORICAL * len(self._graph.of_type(type_))


def _is_year(p: Property) -> bool:
    return p.datatype == "int" and p.name.lower().endswith(("year", "time"))


def _condition(
    p: Property, values: Sequence[Any], random: Stream, names: bool
) -> ReturnClause | None:
    """A condition that holds for half of the values at most; ``names``: not for a single value.

    Bounds are values; those of numbers are rounded, and never the least for ``<``, or the greatest for ``>``.
    """
    if year := p.datatype == "date" and random.below(2) == 1:
        values = [value.year for value in values]
    bounds = sorted({item for v in values for item in v} if is_list(p.datatype) else set(values))
    extremes = ("<", bounds[0]), (">", bounds[-1])
    sort = "list" if is_list(p.datatype) else "date" if _is_year(p) else p.datatype
    operators = [one for one in _OPERATORS[sort] if not names or one != "="]
    for one in (operators[at] for at in random.permutation(len(operators)).tolist()):
        for bound in (bounds[at] for at in random.permutation(len(bounds)).tolist()):
            if (one, bound) in extremes or (p.datatype == "int" and bound <= _LEAST_INT):
                continue
            if sort in ("int", "float"):
                bound = outward(bound, one)
            if 0 < 2 * sum(_HOLDS[one](value, bound) for value in values) <= len(values):
                return ReturnClause("n_where", p.name, operator=one, bound=bound, year=year)
    return None
