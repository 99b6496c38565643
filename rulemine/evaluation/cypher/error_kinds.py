"""What is wrong with a predicted query, found by parsing and running: the kinds of CypherBench's Table 13.

CypherBench (Feng, Papicchio, Rahman, arXiv 2412.18702) sorts errors by hand. Here a wrong prediction has all
of `ERROR_KINDS` that apply, in their order. If a single change makes it right (other columns, equal rows
once, another order, turning relations), nothing else is reported. What the graph does not have (``schema:``)
is distinguished from what it has and the gold does not use (``wrong:``).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, combinations
from typing import Any

from rulemine.cypher.interpreter.values import EdgeValue, NodeValue, PathValue
from rulemine.cypher.language.elements import (
    Condition,
    Elements,
    Look,
    elements_of,
    fixed_of,
    labels_of,
    turned,
)
from rulemine.cypher.language.syntax import CypherError, NodePattern, RelationPattern
from rulemine.cypher.questions.render import quoted_name, quoted_value
from rulemine.cypher.rows import ResultTable, row_text
from rulemine.evaluation.cypher.judging import CypherScores, GoldTable
from rulemine.evaluation.cypher.results import execution_match
from rulemine.evaluation.cypher.runners import Runner

__all__ = ["ERROR_KINDS", "Diagnosis"]

ERROR_KINDS = {
    "missing": "no prediction",
    "refused": "would write, load, call a procedure or ask the server",
    "syntax": "no Cypher, or variables or functions that are not there",
    "limit": "takes too long, or gives too many rows",
    "runtime": "fails while it runs, such as a sum of a text and a date",
    "unread": "not run, or gives other rows; our parser does not read it, so no more is known",
    "schema:type": "a type that no node has",
    "schema:relation": "a relation that no edge between these types is, in either direction",
    "schema:property": "a property that no node or edge of the type has",
    "direction": "a relation the wrong way round",
    "name": "entity linking: looks for a name that no node has",
    "wrong:name": "entity linking: looks for a name that a node has, and the gold does not look for",
    "wrong:type": "a type that the graph has and the gold does not use",
    "wrong:relation": "a relation that is between these types, and the gold does not use",
    "nodes": "returns nodes, relations or paths in place of values",
    "columns": "results not aligned: other properties, or more or fewer columns than the gold's",
    "duplicates": "right if equal rows are one, or are not",
    "order": "right in another order, or sorted otherwise than the gold",
    "filter": "other conditions or limits than the gold's",
    "grouping": "other aggregates or groups than the gold's",
    "pattern": "another pattern than the gold's, or what else differs",
}
"""The kinds: kind → in words."""

_MOST_TURNED = 6
"""Relations that are reversed at most: 2^6 queries."""

_MOST_COLUMNS = 8
"""Columns of a result of which subsets are tried."""

_WITHOUT_RESULT = {"missing": "missing", "refused": "refused", "not run": "unread"}
"""State of a prediction without a result → its kind of error."""

_LOOKING = {"contains": "CONTAINS", "starts": "STARTS WITH", "ends": "ENDS WITH"}


class Diagnosis:
    """Finds the kinds of errors on one graph; what it asks of the graph is asked once.

    Args:
        runner: Runs queries on the graph.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._answered: dict[str, bool] = {}

    def kinds(
        self,
        gold: str,
        table: GoldTable,
        predicted: Any,
        judged: CypherScores,
        found: ResultTable | None,
    ) -> tuple[str, ...]:
        """The kinds of errors of a prediction, of `ERROR_KINDS`; none if it is right, or not scored.

        Args:
            gold: The gold query.
            table: Its result.
            predicted: The predicted query, or rows.
            judged: The scores of the prediction.
            found: Its result, if it has one.

        Raises:
            EndpointError: The server does not answer any more.
        """
        if judged.ex != 0.0:
            return ()
        if judged.state == "failed":
            return (_failure(judged.said.partition(":")[0]),)
        if judged.state in _WITHOUT_RESULT:
            return (_WITHOUT_RESULT[judged.state],)
        named, wanted = _read(predicted), _read(gold)
        unknown = set() if named is None else set(self._unknown(named))
        shape, mended = _reshaped(table, found)
        if mended:
            return shape
        if named is not None and not unknown and self._turns_right(wanted, named, table):
            return ("direction",)
        if named is None or wanted is None:
            return (*shape, "unread")
        kinds = {*shape, *unknown, *self._names(wanted, named), *self._patterns(wanted, named)}
        kinds |= _conditions(wanted, named, known="schema:property" not in unknown)
        kinds |= _results(wanted, named, known=not {"schema:property", "nodes"} & kinds)
        if not kinds:
            kinds.add("pattern" if _asked(wanted) == _asked(named) else "filter")
        return tuple(kind for kind in ERROR_KINDS if kind in kinds)

    def _unknown(self, named: Elements) -> Iterator[str]:
        """What the graph does not have."""
        if not all(map(self._has_type, _types(named))):
            yield "schema:type"
        if not all(self._joins(*triple) for _, triple in named.edges()):
            yield "schema:relation"
        things = [*named.nodes, *named.relations]
        of = {thing.variable: thing for thing in sorted(things, key=lambda one: bool(one.labels))}
        read = [(thing, name) for thing in things for name, _ in fixed_of(thing)]
        read += [(of[own], name) for own, name in named.properties if own and own in of]
        if not all(self._valued(thing, name) for thing, name in read):
            yield "schema:property"

    def _patterns(self, wanted: Elements, named: Elements) -> Iterator[str]:
        """How a pattern differs from the gold's, in what the graph has."""
        ours, theirs = _relations(wanted), _relations(named)
        if wanted.optional[1] != named.optional[1]:  # arms of UNION may be written as one
            ours, theirs = Counter(set(ours)), Counter(set(theirs))
        if ours.total() != theirs.total() or wanted.optional[0] != named.optional[0]:
            yield "pattern"
        elif any(self._joins(*triple) for _, triple in named.edges() if triple[1] in theirs - ours):
            yield "wrong:relation"
        if any(map(self._has_type, _types(named) - _types(wanted))):
            yield "wrong:type"
        if any(self._runs_back(*triple) for part, triple in named.edges() if part.direction):
            yield "direction"

    def _turns_right(self, wanted: Elements | None, named: Elements, table: GoldTable) -> bool:
        """Whether reversing relations makes a query right.

        Only those are reversed that may be the wrong way round: any other one makes a pattern bind
        nothing, which mends a query that has a pattern too many. Where the graph has both ways, the gold
        must have the relation as often.
        """
        ours, theirs = _relations(wanted), _relations(named)
        turns: dict[RelationPattern, None] = {}
        for part, (subject, relation, object_) in named.edges():
            if part.direction and self._joins(object_, relation, subject, arrow="->"):
                there = self._joins(subject, relation, object_, arrow="->")
                if not there or ours[relation] == theirs[relation] > 0:
                    turns[part] = None
        tried = [*turns][:_MOST_TURNED]
        for some in chain.from_iterable(combinations(tried, n + 1) for n in range(len(tried))):
            found = self._runner.rows(turned(named.statement.text, list(some)))
            if isinstance(found, ResultTable) and _right(table, found.rows):
                return True
        return False

    def _names(self, wanted: Elements, named: Elements) -> Iterator[str]:
        """What is wrong with the names that a query looks for."""
        ours, theirs = (
            [look for condition in each.conditions for look in condition.looks]
            for each in (wanted, named)
        )
        others = [look for look in theirs if not any(_meant(look, one.name) for one in ours)]
        for look in others:
            name, text = "n.name", look.name
            if look.folded:
                name, text = f"toLower({name})", text.lower()
            sign = _LOOKING.get(look.how, look.how)
            if not self._yes(f"(n) WHERE {name} {sign} {quoted_value(text)}"):
                yield "name"
            elif ours:
                yield "wrong:name"
        lacking = [one for one in ours if not any(_meant(look, one.name) for look in theirs)]
        if len(lacking) > len(others) or (theirs and not ours):
            yield "filter"

    def _has_type(self, label: str) -> bool:
        return self._yes(f"(n:{quoted_name(label)})")

    def _joins(self, subject: str, relation: str, object_: str, *, arrow: str = "-") -> bool:
        """Whether a relation is between two types; one that the graph lacks may be any."""
        ends = [
            f"(:{quoted_name(label)})" if label and self._has_type(label) else "()"
            for label in (subject, object_)
        ]
        kind = f":{quoted_name(relation)}" if relation else ""
        return self._yes(f"{ends[0]}-[{kind}]{arrow}{ends[1]}")

    def _runs_back(self, subject: str, relation: str, object_: str) -> bool:
        """Whether a relation is between two types the other way round only."""
        return not self._joins(subject, relation, object_, arrow="->") and self._joins(
            object_, relation, subject, arrow="->"
        )

    def _valued(self, thing: NodePattern, name: str) -> bool:
        """Whether a node of its labels, or relation of its types, has a property; of types not there: any."""
        labels, related = labels_of(thing), isinstance(thing, RelationPattern)
        known = all(self._joins("", t, "") if related else self._has_type(t) for t in labels)
        kind = f":{'|'.join(map(quoted_name, labels))}" if labels and known else ""
        place = f"()-[x{kind}]->()" if related else f"(x{kind})"
        return self._yes(f"{place} WHERE x.{quoted_name(name)} IS NOT NULL")

    def _yes(self, pattern: str) -> bool:
        """Whether a pattern matches; one that is not run says nothing against the prediction."""
        if pattern not in self._answered:
            found = self._runner.rows(f"MATCH {pattern} RETURN 1 LIMIT 1")
            self._answered[pattern] = not isinstance(found, ResultTable) or bool(found.rows)
        return self._answered[pattern]


def _read(query: Any) -> Elements | None:
    """What a query names; None of rows, and of what our parser does not read."""
    if isinstance(query, str):
        with suppress(CypherError):
            return elements_of(query)
    return None


def _types(query: Elements) -> set[str]:
    return {label for node in query.nodes for label in labels_of(node)}


def _relations(query: Elements | None) -> Counter[str]:
    return Counter(
        type_ for part in (query.relations if query else ()) for type_ in labels_of(part)
    )


def _failure(code: str) -> str:
    """The kind of a failure, from its code."""
    if "yntax" in code or "Semantic" in code:
        return "syntax"
    limits = ("TimedOut", "TooMany", "Memory", "Limit", "limit", "Terminated")
    return "limit" if any(word in code for word in limits) else "runtime"


def _right(table: GoldTable, rows: Sequence[Sequence[Any]]) -> bool:
    return execution_match(table.rows, rows, keys=table.keys, tied=table.tied)


def _reshaped(table: GoldTable, found: ResultTable | None) -> tuple[tuple[str, ...], bool]:
    """What is wrong with the shape of a result, and whether nothing else is."""
    if found is None or not table.rows or not found.rows:
        return (), False
    rows = [tuple(map(_name_of, row)) for row in found.rows]
    nodes = ("nodes",) * any(a is not b for a, b in zip(rows[0], found.rows[0], strict=True))
    if nodes and _right(table, rows):
        return nodes, True
    wanted, given = len(table.rows[0]), len(rows[0])
    fewer = (
        any(_right(table, some) for some in _chosen(rows, wanted))
        if given > wanted
        else given < wanted
        and any(execution_match(some, rows, keys=table.keys) for some in _chosen(table.rows, given))
    )
    if fewer:
        return (*nodes, "columns"), True
    if execution_match(_distinct(table.rows), _distinct(rows)):
        return (*nodes, "order" if len(table.rows) == len(rows) else "duplicates"), True
    return nodes, False


def _name_of(value: Any) -> Any:
    """The name of a node, in memory or of the driver; a mark for a relation or path; else the value."""
    if isinstance(value, NodeValue):
        return value.properties.get("name")
    if hasattr(value, "labels") and hasattr(value, "get"):
        return value.get("name")
    things = isinstance(value, EdgeValue | PathValue) or hasattr(value, "relationships")
    return "…" if things or hasattr(value, "start_node") else value


def _chosen(rows: Sequence[Sequence[Any]], number: int) -> Iterator[list[tuple[Any, ...]]]:
    """A result with fewer columns, for each choice of them."""
    for some in combinations(range(min(len(rows[0]), _MOST_COLUMNS)), number):
        yield [tuple(row[at] for at in some) for row in rows]


def _distinct(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return list({row_text(row): row for row in rows}.values())


def _meant(look: Look, name: str) -> bool:
    """Whether the name that the gold looks for is found by what a query looks for."""
    own, name = (look.name.lower(), name.lower()) if look.folded else (look.name, name)
    finds = {"starts": name.startswith(own), "ends": name.endswith(own), "contains": own in name}
    return finds.get(look.how, own == name)


def _asked(query: Elements) -> list[Condition]:
    """The conditions other than on names."""
    return [condition for condition in query.conditions if not condition.of_names]


def _conditions(wanted: Elements, named: Elements, *, known: bool) -> set[str]:
    """How conditions differ, other than on names, on values that are known, and on unknown properties."""
    ours, theirs = (
        Counter(one.text for one in _asked(each) if not one.text.endswith("is not null"))
        for each in (wanted, named)
    )
    differing = (ours - theirs) + (theirs - ours)
    if not differing or (not known and ours.total() == theirs.total()):
        return set()
    return {"order" if all(text.startswith("ORDER") for text in differing) else "filter"}


def _results(wanted: Elements, named: Elements, *, known: bool) -> set[str]:
    """How aggregates, groups and columns differ."""
    if wanted.aggregates != named.aggregates:
        return {"grouping"}
    if wanted.returned == named.returned or not known:
        return set()
    grouped = wanted.aggregates and set(wanted.returned) <= set(named.returned)
    return {"grouping" if grouped else "columns"}
