"""Answers that others published, and how a question with them is written in other names."""

from collections.abc import Collection, Mapping
from typing import Any

from rulemine.errors import QueryError
from rulemine.kg.graph import Triple
from rulemine.kinds.answers import EntityAnswers

__all__ = ["ImportedAnswers", "ImportedRows"]


class ImportedAnswers(EntityAnswers):
    """Answers that are entities, with a query or without; see `EntityAnswers`."""

    query = ""
    sparql = ""

    def __init__(self, question: Any, names: Mapping[str, str]) -> None:
        self._names = names
        if question.query:
            made = EntityAnswers(question, names)
            self.query, self.sparql = made.query, made.sparql

    @staticmethod
    def query_in(query: str, names: Mapping[str, str]) -> str:
        """See `EntityAnswers`; of no query, none."""
        return EntityAnswers.query_in(query, names) if query else ""

    def witness(self, triples: tuple[Triple, ...], answers: Collection[str]) -> tuple[Triple, ...]:
        """The triples in the other naming, in the order given: a source's need not be a derivation."""
        return self.triples(triples)


class ImportedRows(ImportedAnswers):
    """Answers that are rows of a property graph, which has one naming only."""

    form = "rows"

    def __init__(self, question: Any, names: Mapping[str, str]) -> None:
        self._names, self.query = names, question.query
        if any(old != new for old, new in names.items()):
            raise QueryError("rows of a property graph that others published have one naming.")

    @staticmethod
    def query_in(query: str, _names: Mapping[str, str]) -> str:
        """The Cypher, which has names of its own."""
        return query

    def answer(self, answer: str) -> str:
        """A row, which is the same in every naming."""
        return answer
