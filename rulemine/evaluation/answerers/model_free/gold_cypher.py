"""The gold query itself: what understanding every question gets, and no more.

On the complete graph it is right; on an incomplete one it lacks what can only be inferred.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import Section
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.cypher.questions.render import to_cypher
from rulemine.errors import QueryError
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion

__all__ = ["GoldCypher"]


@dataclass(frozen=True)
class GoldCypher(Section):
    """The gold query of each question, an oracle."""

    needs: ClassVar = ("query",)
    answers: ClassVar = ("rows",)
    spreads: ClassVar = "questions"

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The queries; the graph is not looked at."""
        return [Answered(cypher=_cypher(q.query)) for q in questions]


def _cypher(query: str) -> str:
    """The Cypher of a pattern; of questions that others published, the query is Cypher."""
    try:
        return to_cypher(query_of(query))
    except QueryError:
        return query
