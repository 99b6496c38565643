"""What a query names and asks: patterns, properties, conditions, columns.

For finding how two queries differ. Nothing is resolved: a variable is known by the labels that it is given
anywhere in the query. A condition is one of those that AND joins, a property in braces, an ORDER BY, SKIP or
LIMIT; variables and ways of writing aside, so ``(n {size: 3})`` asks what ``WHERE 3 = n.size`` asks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulemine.cypher.language.expressions import AGGREGATES
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.syntax import (
    Clause,
    Match,
    NodePattern,
    PathElement,
    ProjectionClause,
    RelationPattern,
    Statement,
    SubqueryClause,
    Term,
    joined_by_and,
    parts_of,
)

__all__ = [
    "Condition",
    "Elements",
    "Look",
    "conditions_of",
    "elements_of",
    "fixed_of",
    "labels_of",
    "turned",
]


@dataclass(frozen=True, slots=True)
class Elements:
    """What a query names.

    Attributes:
        statement: The query.
        paths: Its paths, wherever they stand.
        properties: Variable and property of each place such as ``n.population``, and of each property in
            braces; sorted, each once.
        conditions: What is asked of what is matched.
        aggregates: Aggregating functions, such as ``count`` or ``count distinct``; sorted.
        returned: The properties that RETURN names, sorted.
        optional: Number of OPTIONAL MATCH, and of UNION.
    """

    statement: Statement
    paths: tuple[PathElement, ...]
    properties: tuple[tuple[str, str], ...]
    conditions: tuple["Condition", ...]
    aggregates: tuple[str, ...]
    returned: tuple[str, ...]
    optional: tuple[int, int]

    @property
    def nodes(self) -> list[NodePattern]:
        """The nodes of its paths."""
        return [node for path in self.paths for node in path.nodes]

    @property
    def relations(self) -> list[RelationPattern]:
        """The relations of its paths."""
        return [relation for path in self.paths for relation in path.relations]

    def edges(self) -> Iterator[tuple[RelationPattern, tuple[str, str, str]]]:
        """Each relation, with the labels of its subject, itself and its object; "" where there is none.

        One of several types comes with each.
        """
        known: dict[str, set[str]] = {}
        for node in self.nodes:
            known.setdefault(node.variable, set()).update(labels_of(node))
        for path in self.paths:
            for at, relation in enumerate(path.relations):
                ends = [
                    min(
                        labels_of(node) or (known[node.variable] if node.variable else ()),
                        default="",
                    )
                    for node in path.nodes[at : at + 2]
                ]
                near, far = ends[::-1] if relation.direction < 0 else ends
                for type_ in labels_of(relation) or ("",):
                    yield relation, (near, type_, far)


def elements_of(text: str) -> Elements:
    """What a query names.

    Raises:
        CypherError: It is no read-only query, see `rulemine.cypher.parse`.

    Example:
        >>> found = elements_of('MATCH (n:City)-[:inCountry]->(:Country {name: "Peru"}) RETURN n.name')
        >>> found.conditions[0].text, [triple for _, triple in found.edges()]
        ('name = Peru', [('City', 'inCountry', 'Country')])
    """
    statement = parse(text)
    parts = [*parts_of(statement)]
    paths = [part for part in parts if isinstance(part, PathElement)]
    terms = [part for part in parts if isinstance(part, Term)]
    read = {
        (term.parts[0].parts[0], term.parts[1])
        for term in terms
        if term.kind == "get" and term.parts[0].kind == "variable"
    }
    things = [thing for path in paths for thing in (*path.nodes, *path.relations)]
    read |= {(thing.variable, name) for thing in things for name, _ in fixed_of(thing)}
    calls = [t.parts[:2] for t in terms if t.kind == "call" and t.parts[0] in AGGREGATES]
    arms = [part.arms for part in parts if isinstance(part, Statement | SubqueryClause)]
    arms += [term.parts[0] for term in terms if term.kind in ("exists", "count", "collect")]
    return Elements(
        statement,
        tuple(paths),
        tuple(sorted(read)),
        tuple(conditions_of(statement)),
        tuple(sorted(f"{name} distinct" if distinct else name for name, distinct in calls)),
        tuple(sorted(_returned(statement.arms[-1]))),
        (
            sum(isinstance(part, Match) and part.optional for part in parts),
            sum(len(some) - 1 for some in arms),
        ),
    )


def turned(text: str, relations: Sequence[RelationPattern]) -> str:
    """A query with some of its relations reversed."""
    for part in sorted(relations, key=lambda part: part.start, reverse=True):
        inner = text[part.start : part.end].removeprefix("<").removesuffix(">")
        other = f"<{inner}" if part.direction > 0 else f"{inner}>"
        text = text[: part.start] + other + text[part.end :]
    return text


def labels_of(thing: NodePattern) -> list[str]:
    """The labels of a node, or the types of a relation; without signs such as ``|``."""
    terms = (part for part in parts_of(thing.labels) if isinstance(part, Term))
    return [term.parts[0] for term in terms if term.kind == "label"]


def fixed_of(thing: NodePattern) -> Sequence[tuple[str, Term]]:
    """The properties in the braces of a node or relation, with what they must be."""
    return thing.properties.parts if thing.properties and thing.properties.kind == "map" else ()


def _returned(clauses: tuple[Clause, ...]) -> list[str]:
    """The properties that the last clause returns, also those that another one has named."""
    found: list[str] = []
    named: dict[str, list[str]] = {}
    for clause in clauses:
        if isinstance(clause, ProjectionClause):
            found = []
            for item in clause.items:
                own = [*properties_of(item.expression.term)]
                if item.expression.variable:
                    own = named.get(item.expression.variable) or own
                if item.alias:
                    named[item.alias] = own
                found += own
    return found


class Look(NamedTuple):
    """A name that is looked for.

    Attributes:
        how: ``=`` (also for IN), ``contains``, ``starts``, ``ends`` or ``=~``.
        name: The text.
        folded: Whether capitals do not count: it is compared with ``toLower(n.name)`` or ``toUpper``.
    """

    how: str
    name: str
    folded: bool


class Condition(NamedTuple):
    """A condition.

    Attributes:
        text: What it says, without variables.
        properties: The properties that it reads.
        looks: The names that it looks for.
    """

    text: str
    properties: frozenset[str] = frozenset()
    looks: tuple[Look, ...] = ()

    @property
    def of_names(self) -> bool:
        """Whether it looks for names and does nothing else."""
        return bool(self.looks) and self.properties == {"name"}


def conditions_of(statement: Statement) -> list[Condition]:
    """The conditions of a query, in the order of its text; those in subqueries of expressions aside.

    Example:
        >>> from rulemine.cypher.language.parser import parse
        >>> query = "MATCH (o:Sea) WHERE o.name IN ['Black Sea'] AND 5 < o.depth RETURN o.name LIMIT 2"
        >>> [condition.text for condition in conditions_of(parse(query))]
        ['name = Black Sea', 'depth > 5', 'LIMIT 2']
    """
    return [condition for arm in statement.arms for condition in _of_clauses(arm)]


_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_LOOKS = ("=", "in", "contains", "starts", "ends", "=~")
_FOLDING = ("tolower", "toupper")


def _of_clauses(clauses: Sequence[Clause]) -> Iterator[Condition]:
    for clause in clauses:
        if isinstance(clause, Match):
            for path in clause.paths:
                for thing in (*path.nodes, *path.relations):
                    for name, value in fixed_of(thing):
                        got = Term("get", (Term("variable", ("",)), name))
                        yield _condition(Term("=", (got, value)))
                    yield from map(_condition, joined_by_and(thing.where))
            yield from map(_condition, joined_by_and(clause.where))
        elif isinstance(clause, ProjectionClause):
            meant = {item.alias: item.expression.term for item in clause.items if item.alias}
            for key in clause.order:
                term = meant.get(key.expression.variable, key.expression.term)
                way = "DESC" if key.descending else "ASC"
                yield Condition(f"ORDER BY {_text_of(term)} {way}", frozenset(properties_of(term)))
            for word, number in (("SKIP", clause.skip), ("LIMIT", clause.limit)):
                if number is not None:
                    yield Condition(f"{word} {_text_of(number)}")
            yield from map(_condition, joined_by_and(clause.condition))
        elif isinstance(clause, SubqueryClause):
            for arm in clause.arms:
                yield from _of_clauses(arm)


def _condition(term: Term) -> Condition:
    return Condition(_text_of(term), frozenset(properties_of(term)), tuple(_looks(term)))


def _text_of(part: Any) -> str:
    """A term as words, without variables."""
    if isinstance(part, tuple):
        return " ".join(filter(None, map(_text_of, part)))
    if not isinstance(part, Term):
        return part if isinstance(part, str) else ""
    kind, parts = part.kind, part.parts
    if kind == "value":
        return str(parts[0])
    if kind == "variable":
        return ""
    if kind in _TURNED and not any(properties_of(parts[0])) and any(properties_of(parts[1])):
        kind, parts = _TURNED[kind], parts[::-1]
    if kind == "in" and parts[1].kind == "list" and len(parts[1].parts) == 1:
        kind, parts = "=", (parts[0], parts[1].parts[0])
    if kind == "call":
        return f"{parts[0]} ( {_text_of(parts[1:])} )"
    texts = list(filter(None, map(_text_of, parts)))
    if kind in ("get", "list"):
        return " ".join(texts)
    return f" {kind} ".join(texts) if len(texts) > 1 else " ".join([*texts, kind])


def properties_of(part: Any) -> Iterator[str]:
    """The properties of variables that a term, or terms, read."""
    if isinstance(part, Term):
        if part.kind == "get" and part.parts[0].kind == "variable":
            yield part.parts[1]
        elif part.kind != "value":
            for inner in part.parts:
                yield from properties_of(inner)
    elif isinstance(part, tuple):
        for inner in part:
            yield from properties_of(inner)


def _looks(term: Term) -> Iterator[Look]:
    """The names that a condition looks for, but for those that it excludes."""
    if term.kind in ("or", "xor", "and"):
        for part in term.parts:
            yield from _looks(part)
    if term.kind not in _LOOKS:
        return
    left, right = term.parts
    if term.kind == "=" and not any(properties_of(left)):
        left, right = right, left
    left, folded = _unfolded(left)
    if left.kind != "get" or left.parts[0].kind != "variable" or left.parts[1] != "name":
        return
    for value in right.parts if right.kind == "list" else (right,):
        value = _unfolded(value)[0]
        if value.kind == "value" and isinstance(value.parts[0], str):
            yield Look("=" if term.kind == "in" else term.kind, value.parts[0], folded)


def _unfolded(term: Term) -> tuple[Term, bool]:
    """What ``toLower`` or ``toUpper`` is of, and whether it is there."""
    if term.kind == "call" and term.parts[0] in _FOLDING and term.parts[2]:
        return term.parts[2][0], True
    return term, False
