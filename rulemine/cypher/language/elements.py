"""What a query names: the nodes and relations of its patterns, properties, fixed names, conditions.

For finding how two queries differ. Nothing is resolved: a variable is known by the labels that it is given
anywhere in the query.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from rulemine.cypher.language.conditions import Condition, conditions_of, properties_of
from rulemine.cypher.language.expressions import AGGREGATES
from rulemine.cypher.language.parser import StatementParser
from rulemine.cypher.language.syntax import (
    Clause,
    NodePattern,
    ProjectionClause,
    RelationPattern,
    Statement,
)

__all__ = ["Elements", "PatternElement", "elements_of", "meant", "turned"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PatternElement:
    """A node or a relation of a pattern.

    Attributes:
        variable: Its variable, or empty.
        labels: Its labels, or the types of a relation; without signs such as ``|``.
        fixed: Property → text of its value, as in ``{name: "Rome"}``.
        start: Where it begins in the text; of a relation its first dash or ``<``.
        end: Where it ends.
        arrow: Of a relation ``>``, ``<`` or, without a direction, ``-``; of a node empty.
    """

    variable: str
    labels: tuple[str, ...]
    fixed: tuple[tuple[str, str], ...]
    start: int
    end: int
    arrow: str = ""


@dataclass(frozen=True, slots=True)
class Elements:
    """What a query names.

    Attributes:
        statement: The query.
        chains: Its patterns: node, relation, node, … each.
        properties: Variable and property of each place such as ``n.population``, and of each fixed one of a
            variable; sorted, each once.
        conditions: What is asked of what is matched.
        aggregates: Aggregating functions, such as ``count`` or ``count distinct``; sorted.
        returned: The properties that RETURN names, sorted.
        optional: Number of OPTIONAL MATCH, and of UNION.
    """

    statement: Statement
    chains: tuple[tuple[PatternElement, ...], ...]
    properties: tuple[tuple[str, str], ...]
    conditions: tuple[Condition, ...]
    aggregates: tuple[str, ...]
    returned: tuple[str, ...]
    optional: tuple[int, int]

    @property
    def relations(self) -> list[PatternElement]:
        """The relations, in the order of the text."""
        return sorted(
            (part for chain in self.chains for part in chain[1::2]), key=lambda part: part.start
        )

    @property
    def labels(self) -> dict[str, set[str]]:
        """Variable → the labels of its nodes; "" has those of nodes without one."""
        found: dict[str, set[str]] = {}
        for chain in self.chains:
            for node in chain[::2]:
                found.setdefault(node.variable, set()).update(node.labels)
        return found

    def triples(self, *, directed: bool = False) -> Iterator[tuple[str, str, str]]:
        """Label, relation, label of each edge, from subject to object; "" where it names none.

        Args:
            directed: Leave out edges without a direction.
        """
        for relation, triple in self.edges():
            if not directed or relation.arrow != "-":
                yield triple

    def edges(self) -> Iterator[tuple[PatternElement, tuple[str, str, str]]]:
        """Each relation with its triple, as in `triples`; one of several types comes with each."""
        known = self.labels
        for chain in self.chains:
            for at, relation in enumerate(chain[1::2]):
                near, far = (chain[2 * at + side] for side in (0, 2))
                if relation.arrow == "<":
                    near, far = far, near
                ends = [
                    next(iter(sorted(node.labels or (known[node.variable] if node.variable else ()))), "")
                    for node in (near, far)
                ]  # fmt: skip
                for type_ in relation.labels or ("",):
                    yield relation, (ends[0], type_, ends[1])


def elements_of(text: str) -> Elements:
    """What a query names.

    Raises:
        CypherError: It is no read-only query, see `rulemine.cypher.parse`.

    Example:
        >>> found = elements_of('MATCH (n:City)-[:inCountry]->(:Country {name: "Peru"}) RETURN n.name')
        >>> found.conditions[0].text, list(found.triples())
        ('name = Peru', [('City', 'inCountry', 'Country')])
    """
    return _Noting(text).elements()


def turned(text: str, relations: list[PatternElement]) -> str:
    """A query with some of its relations reversed."""
    for part in sorted(relations, key=lambda part: part.start, reverse=True):
        inner = text[part.start : part.end].removeprefix("<").removesuffix(">")
        other = f"<{inner}" if part.arrow == ">" else f"{inner}>"
        text = text[: part.start] + other + text[part.end :]
    return text


_NAMES = ("name", "quoted")


class _Noting(StatementParser):
    """Reads a query and notes what it names."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._links: list[PatternElement] = []
        self._chains: list[tuple[PatternElement, ...]] = []

    def chain(self) -> tuple[tuple[NodePattern, ...], tuple[RelationPattern, ...]]:
        outer, self._links = self._links, []
        found = super().chain()
        self._chains.append(tuple(self._links))
        self._links = outer
        return found

    def node(self) -> NodePattern:
        start, first = self.here.start, self.at + 1
        found = super().node()
        self._links.append(self._part(first, self.at - 1, start, ""))
        return found

    def relation(self) -> RelationPattern:
        start, first, left = self.here.start, self.at, self.peek("<")
        found = super().relation()
        right = self.tokens[self.at - 1].text == ">"
        arrow = "-" if left == right else "<" if left else ">"
        inside = [at for at in range(first, self.at) if self.tokens[at].text == "["]
        begin = inside[0] + 1 if inside else self.at
        self._links.append(self._part(begin, self.at, start, arrow))
        return found

    def tried(self, read: Callable[[], _T]) -> _T | None:
        links, number = self._links, (len(self._links), len(self._chains))
        found = super().tried(read)
        if found is None:
            self._links = links
            del self._links[number[0] :], self._chains[number[1] :]
        return found

    def _part(self, first: int, last: int, start: int, arrow: str) -> PatternElement:
        """A node or relation from the tokens within its brackets."""
        tokens = self.tokens[first:last]
        variable, labels, fixed = "", [], []
        if tokens and tokens[0].kind in _NAMES and tokens[0].word not in ("IS", "WHERE"):
            variable = _bare(tokens[0])
        labelled, mapped, depth = False, False, 0
        for at, token in enumerate(tokens):
            if token.word == "WHERE" or (token.text == "]" and arrow):
                break
            depth += token.kind == "sign" and token.text in "{["
            depth -= token.kind == "sign" and token.text in "}]"
            mapped |= token.text == "{"
            if not mapped and (token.text in (":", "*") or token.word == "IS"):
                labelled = token.text != "*"
            elif labelled and not mapped and token.kind in _NAMES:
                labels.append(_bare(token))
            elif depth == 1 and token.text == ":" and at + 1 < len(tokens):
                fixed.append((_bare(tokens[at - 1]), tokens[at + 1].text))
        return PatternElement(variable, tuple(labels), tuple(fixed), start, self.end, arrow)

    def elements(self) -> Elements:
        """Reads all of it."""
        statement = self.statement()
        fixed = [
            (part.variable, *pair)
            for chain in self._chains
            for part in chain
            for pair in part.fixed
        ]
        words = [token.word for token in self.tokens]
        return Elements(
            statement,
            tuple(self._chains),
            tuple(sorted({*self._accessed(), *(pair[:2] for pair in fixed)})),
            tuple(conditions_of(statement)),
            tuple(sorted(self._aggregated())),
            tuple(sorted(_returned(statement.arms[-1]))),
            (words.count("OPTIONAL"), words.count("UNION")),
        )

    def _accessed(self) -> Iterator[tuple[str, str]]:
        """Each variable with a property behind it."""
        places = {start for start, _, _ in self.variables}
        for at, token in enumerate(self.tokens[:-3]):
            if token.start in places and self.tokens[at + 1].text == ".":
                yield _bare(token), _bare(self.tokens[at + 2])

    def _aggregated(self) -> Iterator[str]:
        for at, token in enumerate(self.tokens[:-1]):
            name, following = token.text.lower(), self.tokens[at + 1]
            if token.kind == "name" and name in AGGREGATES and following.text == "(":
                yield f"{name} distinct" if self.tokens[at + 2].word == "DISTINCT" else name


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


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _bare(token: Any) -> str:
    text = str(token.text)
    return text[1:-1].replace("``", "`") if token.kind == "quoted" else text


def meant(text: str) -> str:
    """What the text of a string stands for."""
    return re.sub(
        r"\\(?:u([0-9A-Fa-f]{4})|(.))",
        lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES.get(m[2], m[2]),
        text[1:-1],
        flags=re.DOTALL,
    )
