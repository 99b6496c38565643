"""Tells what is wrong with a predicted query, by parsing and running: the kinds of CypherBench's Table 13.

CypherBench (Feng, Papicchio, Rahman, arXiv 2412.18702) sorts errors by hand. Here a wrong prediction has the
first of `ERROR_KINDS` that applies, in their order: first why it gives nothing; then what the graph does not
know; then what a single change mends, which is tried; then how the query differs from the gold's.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from rulemine.cypher.elements import Elements, PatternElement, elements_of, turned
from rulemine.cypher.render import quoted_name, quoted_value
from rulemine.cypher.rows import ResultTable, row_text
from rulemine.cypher.syntax import CypherError
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
    "unread": "gives other rows; our parser does not read it, so no more is known",
    "type": "a type that the graph lacks, or another one than the gold's",
    "relation": "a relation that the graph lacks, or not between these types, or another one than the gold's",
    "property": "a property that the graph's nodes of the type lack, or another one than the gold's",
    "direction": "right if relations are turned round",
    "name": "a name that no node has",
    "columns": "right with fewer columns, or lacks some of the gold's",
    "duplicates": "right if equal rows are one, or are not",
    "order": "right in another order, or sorted otherwise than the gold",
    "filter": "other conditions or limits than the gold's",
    "grouping": "other aggregates or groups than the gold's",
    "pattern": "another pattern than the gold's, or what else differs",
}
"""The kinds, in the order in which they are looked for: kind → in words. The last three of the graph's names
come again after ``order``, where a query names what the graph has and the gold does not use."""

_MOST_TURNED = 6
"""Relations that are turned round at most: 2^6 queries."""

_MOST_COLUMNS = 8
"""Columns of a result of which subsets are tried."""


class Diagnosis:
    """Finds the kinds of errors on one graph; what it asks of the graph is asked once.

    Args:
        runner: Runs queries on the graph.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._answered: dict[str, bool] = {}

    def kind(
        self,
        gold: str,
        table: GoldTable,
        predicted: Any,
        judged: CypherScores,
        found: ResultTable | None,
    ) -> str:
        """The kind of error of a prediction; "" if it is right, or not scored.

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
            return ""
        if judged.state in ("missing", "refused"):
            return judged.state
        if judged.state == "failed":
            return _failure(judged.said.partition(":")[0])
        named = None
        if isinstance(predicted, str):
            with suppress(CypherError):
                named = elements_of(predicted)
            if named is not None and (kind := self._unknown(named) or self._mended(named, table)):
                return kind
        if found is not None and (kind := _reshaped(table, found)):
            return kind
        if named is None:
            return "unread"
        try:
            return _differing(elements_of(gold), named)
        except CypherError:
            return "unread"

    def _unknown(self, named: Elements) -> str:
        """What the graph does not know."""
        labels = {label for some in named.labels.values() for label in some}
        if not all(map(self._has_type, sorted(labels))):
            return "type"
        for subject, relation, object_ in named.triples():
            if relation and not self._joins(subject, relation, object_):
                return "relation"
        parts = [part for chain in named.chains for part in chain]
        wanted = {(part, name) for part in parts for name, _ in part.fixed}
        used = {part.variable: part for part in reversed(parts) if part.variable}
        labelled = used | {part.variable: part for part in parts if part.variable and part.labels}
        wanted |= {
            (labelled[variable], name)
            for variable, name in named.properties
            if variable in labelled
        }
        return "" if all(self._valued(part, name) for part, name in wanted) else "property"

    def _mended(self, named: Elements, table: GoldTable) -> str:
        """What turning relations mends, and names that are not there."""
        text = named.statement.text
        directed = [part for part in named.relations if part.arrow != "-"][:_MOST_TURNED]
        for number in range(1, len(directed) + 1):
            for some in combinations(directed, number):
                found = self._runner.rows(turned(text, list(some)))
                if isinstance(found, ResultTable) and _right(table, found.rows):
                    return "direction"
        for name in named.names:
            if not self._yes(f"MATCH (n) WHERE n.name = {quoted_value(name)} RETURN 1 LIMIT 1"):
                return "name"
        return ""

    def _has_type(self, label: str) -> bool:
        return self._yes(f"MATCH (n:{quoted_name(label)}) RETURN 1 LIMIT 1")

    def _joins(self, subject: str, relation: str, object_: str) -> bool:
        """Whether a relation is between two types, in whichever direction."""
        ends = [f"(:{quoted_name(label)})" if label else "()" for label in (subject, object_)]
        return self._yes(f"MATCH {ends[0]}-[:{quoted_name(relation)}]-{ends[1]} RETURN 1 LIMIT 1")

    def _valued(self, part: PatternElement, name: str) -> bool:
        """Whether some node of its labels, or relation of its types, has a property."""
        kind = "".join(f":{'|'.join(map(quoted_name, part.labels))}" for _ in part.labels[:1])
        place = f"()-[x{kind}]->()" if part.arrow else f"(x{kind})"
        return self._yes(f"MATCH {place} WHERE x.{quoted_name(name)} IS NOT NULL RETURN 1 LIMIT 1")

    def _yes(self, query: str) -> bool:
        """Whether a query has a row; one that is not run says nothing against the prediction."""
        if query not in self._answered:
            found = self._runner.rows(query)
            self._answered[query] = not isinstance(found, ResultTable) or bool(found.rows)
        return self._answered[query]


def _failure(code: str) -> str:
    """The kind of a failure, from its code."""
    if "yntax" in code or "Semantic" in code:
        return "syntax"
    limits = ("TimedOut", "TooMany", "Memory", "Limit", "limit", "Terminated")
    return "limit" if any(word in code for word in limits) else "runtime"


def _right(table: GoldTable, rows: Sequence[Sequence[Any]]) -> bool:
    return execution_match(table.rows, rows, keys=table.keys, tied=table.tied)


def _reshaped(table: GoldTable, found: ResultTable) -> str:
    """What other columns, duplicates or order of a result mend."""
    if not table.rows or not found.rows:
        return ""
    wanted, given = len(table.rows[0]), len(found.rows[0])
    if given > wanted and any(_right(table, rows) for rows in _chosen(found.rows, wanted)):
        return "columns"
    if given < wanted and any(
        execution_match(rows, found.rows, keys=table.keys) for rows in _chosen(table.rows, given)
    ):
        return "columns"
    if execution_match(_distinct(table.rows), _distinct(found.rows)):
        return "order" if len(table.rows) == len(found.rows) else "duplicates"
    return ""


def _chosen(rows: Sequence[Sequence[Any]], number: int) -> Iterator[list[tuple[Any, ...]]]:
    """A result with fewer columns, for each choice of them."""
    for some in combinations(range(min(len(rows[0]), _MOST_COLUMNS)), number):
        yield [tuple(row[at] for at in some) for row in rows]


def _distinct(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return list({row_text(row): row for row in rows}.values())


def _differing(gold: Elements, named: Elements) -> str:
    """How a query differs from the gold."""
    ours, theirs = ([sorted(part.labels) for part in each.relations] for each in (gold, named))
    labels, others = (
        {label for some in each.labels.values() for label in some} for each in (gold, named)
    )
    if len(ours) != len(theirs) or gold.optional != named.optional:
        return "pattern"
    if sorted(ours) != sorted(theirs):
        return "relation"
    if others - labels:
        return "type"
    if gold.conditions != named.conditions:
        if all(word.startswith("ORDER") for word in set(gold.conditions) ^ set(named.conditions)):
            return "order"
        used, known = ({name for _, name in each.properties} for each in (named, gold))
        return "property" if used - known else "filter"
    if gold.aggregates != named.aggregates:
        return "grouping"
    if gold.returned != named.returned:
        return (
            "grouping"
            if gold.aggregates and set(gold.returned) <= set(named.returned)
            else "property"
        )
    return "pattern"
