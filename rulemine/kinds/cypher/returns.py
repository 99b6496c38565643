"""What may be returned of a pattern: CypherBench's rules for its 17 RETURN templates (arXiv 2412.18702).

Coordinates, codes and names are only looked up: nobody sorts cities by longitude, or groups them by a code.

Guarantee: what is proposed fits the datatypes and the answers of the pattern on the graph, and has an answer.
"""

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache, partial
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

_NAMING = 0.5
"""Of a property that names nodes, this share of the values known differ from each other."""

_LOOKED_UP = {
    "code", "coordinate", "coordinates", "domain", "doi", "id", "identifier", "imdb", "isbn", "iso",
    "latitude", "longitude", "name", "url",
}  # fmt: skip
"""A property with one of these words in its name is a coordinate, a code or a name."""

_LISTED = ("n_name_prop", "n_prop_distinct", "n_prop_array_distinct")
_NUMBERS = ("list[int]", "list[float]", "list[date]")

_REMEMBERED = 64
_INEQUALITIES = {"<", ">", "<=", ">="}


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
        self._categorical: dict[tuple[str, str], bool] = {}
        # The same answers are asked for many clauses in a row.
        self._values = lru_cache(maxsize=_REMEMBERED)(self._known)

    def possible(self, type_: str, template: str) -> bool:
        """Whether a RETURN template can ever fit an n of a type: its properties have such datatypes."""
        row, own = RETURNS[template], self._own(type_, template)
        if not row.takes or template == "n_agg":
            return True
        return any(not row.datatypes or p.datatype in row.datatypes for p in own)

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
        several = template not in ("n_name", "n_prop", "n_name_prop", "n_name_special")
        several = several and not template.startswith(("comparison", "union"))
        compared = template in ("n_order_by", "n_argmax", "n_group_by")
        if several and len(answers) < (LEAST_COMPARED if compared else 2):
            return None
        row = RETURNS[template]
        if not row.takes:
            return ReturnClause(template)
        options: list[Callable[[], ReturnClause | None]] = []
        own = self._own(match.nodes[0].type, template)
        types = {" ".join(words_of(node.type)) for node in match.nodes[1:]}
        for p in own:
            if row.datatypes and p.datatype not in row.datatypes:
                continue
            if template in ("n_prop_distinct", "n_where") and p.name in types:
                continue  # what the pattern is about already, as the country of cities in a country
            values = self._values(answers, p.name)
            if template == "n_prop" and values == (self._graph.nodes[answers[0]].name,):
                continue  # the question has it
            if values:
                options += self._options(match, template, p, values, answers, random)
        if template == "n_agg":
            options.append(partial(ReturnClause, template, aggregate="count"))
        if template == "n_group_by":
            options = self._groups(match, own, answers, random)
        for at in random.permutation(len(options)):
            if (made := options[int(at)]()) is not None:
                return made
        return None

    def _own(self, type_: str, template: str) -> tuple[Property, ...]:
        """The properties of a type that a RETURN template may take."""
        own = self._graph.schema.entity(type_).properties
        if template == "n_prop":
            return own
        return tuple(p for p in own if _LOOKED_UP.isdisjoint(map(str.lower, words_of(p.name))))

    def _options(
        self, match: MatchPattern, template: str, p: Property, values: Sequence[Any],
        answers: tuple[int, ...], random: Stream,
    ) -> Iterator[Callable[[], ReturnClause | None]]:  # fmt: skip
        """What one property allows; ``values`` are those known."""
        type_, distinct = match.nodes[0].type, len(set(values))
        if template in _LISTED and self._unlisted(type_, p):
            return
        if (
            template == "n_prop"
            or (template == "n_name_prop" and (distinct > 1 or len(values) < LEAST_COMPARED))
            or (template == "n_prop_array_distinct" and distinct > 1)
            or (
                template == "n_prop_distinct" and p.datatype == "str" and 1 < distinct < len(values)
            )
        ):
            yield partial(ReturnClause, template, p.name)
        elif template in ("n_order_by", "n_argmax") and compares(values):
            yield partial(ReturnClause, template, p.name, descending=random.below(2) == 1)
        elif template == "n_where" and distinct > 1 and p.datatype not in _NUMBERS:
            yield partial(_condition, p, values, random, self._names(type_, p))
        elif template == "n_agg" and len(values) > 1:
            for aggregate, year in self._aggregates(type_, p, False):
                yield partial(ReturnClause, template, p.name, aggregate=aggregate, year=year)
        elif template.startswith("comparison") and len(values) == 2:
            if template == "comparison_boolean":
                fits = p.datatype == "int" or self._is_categorical(type_, p)
            else:
                fits = distinct == 2 and not (
                    template == "comparison_arithmetic" and _overflows(values)
                )
            if fits:
                yield partial(ReturnClause, template, p.name)

    def _groups(
        self, match: MatchPattern, own: tuple[Property, ...], answers: tuple[int, ...], random: Stream
    ) -> list[Callable[[], ReturnClause | None]]:  # fmt: skip
        type_, values = match.nodes[0].type, self._graph.values
        found: list[Callable[[], ReturnClause | None]] = []
        for key in own:
            if not self._is_categorical(type_, key):
                continue
            keys = values(key.name)
            known = [n for n in answers if keys[n] is not None]
            if len({keys[n] for n in known}) < LEAST_COMPARED:
                continue
            drawn: list[tuple[str, str, bool]] = [("", "count", False)]
            for p in own:
                aggregates = self._aggregates(type_, p, True) if p.name != key.name else []
                given = values(p.name)
                if aggregates and (
                    len({keys[n] for n in known if given[n] is not None}) >= LEAST_COMPARED
                ):
                    drawn += [(p.name, *more) for more in aggregates]
            name, aggregate, year = drawn[random.below(len(drawn))]
            found.append(
                partial(
                    ReturnClause, "n_group_by", name, key=key.name, aggregate=aggregate, year=year
                )
            )
        return found

    def _aggregates(self, type_: str, p: Property, grouped: bool) -> list[tuple[str, bool]]:
        """Aggregates of a property, each with whether it is of the year."""
        if p.datatype in ("int", "float"):
            avg = p.datatype == "float" or (grouped and not _is_year(p))
            return [("min", False), ("max", False)] + [("avg", False)] * avg
        if p.datatype == "date":
            return [(name, year) for name in ("min", "max") for year in (False, True)]
        if p.datatype == "str" and self._is_categorical(type_, p) and not self._unlisted(type_, p):
            return [("count distinct", False)]
        return []

    def _known(self, answers: tuple[int, ...], name: str) -> tuple[Any, ...]:
        values = self._graph.values(name)
        return tuple([values[n] for n in answers if values[n] is not None])

    def _names(self, type_: str, p: Property) -> bool:
        """Whether most values of a property are those of one node, so that to ask for one is to name it."""
        if p.datatype not in ("str", "int") or _is_year(p):
            return False
        values = self._values(self._graph.of_type(type_), p.name)
        return len(set(values)) > _NAMING * len(values)

    def _unlisted(self, type_: str, p: Property) -> bool:
        """Whether nobody wants a list of a property's values: lists of numbers, or one of two texts."""
        if p.datatype in _NUMBERS:
            return True
        values = self._values(self._graph.of_type(type_), p.name)
        return p.datatype == "str" and len(set(values)) <= 2

    def _is_categorical(self, type_: str, p: Property) -> bool:
        """Whether a property is a text with fewer distinct values than a tenth of the type's nodes."""
        if p.datatype != "str":
            return False
        if (type_, p.name) not in self._categorical:
            nodes = self._graph.of_type(type_)
            distinct = len(set(self._values(nodes, p.name)))
            self._categorical[type_, p.name] = distinct < _CATEGORICAL * len(nodes)
        return self._categorical[type_, p.name]


def _is_year(p: Property) -> bool:
    return p.datatype == "int" and p.name.lower().endswith(("year", "time"))


def _overflows(values: Sequence[Any]) -> bool:
    return isinstance(values[0], int) and not -(2**63) <= values[0] - values[1] < 2**63


_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt,
    "<=": operator.le, ">=": operator.ge,
    "IN": operator.contains, "NOT IN": lambda value, bound: bound not in value,
}  # fmt: skip


def _condition(
    p: Property, values: Sequence[Any], random: Stream, names: bool
) -> ReturnClause | None:
    """A condition that holds for some of the values and not for all; ``names``: not for a single value."""
    year = p.datatype == "date" and random.below(2) == 1
    if year:
        values = [value.year for value in values]
    bounds = sorted({item for v in values for item in v} if is_list(p.datatype) else set(values))
    if p.datatype == "int":
        bounds = [bound for bound in bounds if bound > _LEAST_INT]
    operators = [one for one in _operators(p) if not names or one not in ("=", "<>")]
    pairs = [(one, bound) for one in operators for bound in bounds]
    least, greatest = (min(values), max(values)) if not is_list(p.datatype) else (None, None)
    by_operator = [operators[int(at)] for at in random.permutation(len(operators))]
    for one in by_operator:
        own = [bound for name, bound in pairs if name == one]
        for at in random.permutation(len(own)) if own else ():
            bound = own[int(at)]
            if (one == "<" and bound == least) or (one == ">" and bound == greatest):
                continue
            if one in _INEQUALITIES and p.datatype in ("int", "float") and not _is_year(p):
                bound = outward(bound, one)
                if isinstance(bound, float) and not math.isfinite(bound):
                    continue
            if 0 < sum(_HOLDS[one](value, bound) for value in values) < len(values):
                return ReturnClause("n_where", p.name, operator=one, bound=bound, year=year)
    return None


def _operators(p: Property) -> tuple[str, ...]:
    if is_list(p.datatype):
        return "IN", "NOT IN"
    if p.datatype == "bool":
        return ("=",)
    if p.datatype == "str":
        return "=", "<>"
    if p.datatype == "date" or _is_year(p):
        return "<", ">", "="
    return ("<", ">", "<=", ">=") + ("=", "<>") * (p.datatype == "int")
