"""Answers that are rows: texts, each a compact JSON array; of nodes, the first column alone holds names."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from rulemine.cypher.questions.pattern_text import query_of, query_text, renamed_query
from rulemine.cypher.questions.render import columns_of, to_cypher
from rulemine.cypher.questions.templates import NAMING
from rulemine.cypher.rows import row_of, row_text
from rulemine.kg.graph import Triple
from rulemine.kinds.answers import EntityAnswers

__all__ = ["RowAnswers"]


class RowAnswers(EntityAnswers):
    """RowAnswers that a pattern of `rulemine.cypher.questions.pattern` gives; see `EntityAnswers`."""

    form = "rows"

    def __init__(self, question: Any, names: Mapping[str, str]) -> None:
        self._names, self._renamed = names, renamed_query(query_of(question.query), names)
        self._named = self._renamed.result.template in NAMING
        self.query = query_text(self._renamed)

    @property
    def sparql(self) -> str:
        """There is none."""
        return ""

    @staticmethod
    def query_in(query: str, names: Mapping[str, str]) -> str:
        """See `EntityAnswers`."""
        return query_text(renamed_query(query_of(query), names))

    def answer(self, answer: str) -> str:
        """A row in the other naming."""
        if not self._named:
            return answer
        first, *rest = row_of(answer)
        return row_text([self._names[first], *rest])

    def witness(self, triples: tuple[Triple, ...], answers: Collection[str]) -> tuple[Triple, ...]:
        """Triples of matches in the other naming, sorted."""
        return tuple(sorted(self.triples(triples)))

    @property
    def ways(self) -> dict[str, Callable[[Any], Any]]:
        """Those of `EntityAnswers`, and the gold with its columns, made again."""
        new = self._renamed
        return {
            **super().ways,
            "cypher": lambda _: to_cypher(new),
            "columns": lambda _: columns_of(new.result),
        }
