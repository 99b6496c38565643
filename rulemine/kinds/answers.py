"""What the answers of a kind of question are, and how a question with them is written in other names.

Like `rulemine.kinds.kind`, this lies below the records of a release: what is renamed is any object with the
fields of a question.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, ClassVar

from rulemine.kg.graph import Triple
from rulemine.query.links import renamed, renamed_derivation
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql

__all__ = ["EntityAnswers"]


class EntityAnswers:
    """Answers that are entities, to a query of `rulemine.query.tree`; other types of answers extend it.

    Args:
        question: The question, in the naming that is left.
        names: Entity → its name in the other naming.

    Attributes:
        form: What they are: ``entities``, or ``rows``, in which entities may occur.
        query: The query in the other naming.
    """

    form: ClassVar[str] = "entities"

    def __init__(self, question: Any, names: Mapping[str, str]) -> None:
        self._old, self._names = parse(question.query), names
        self._new = renamed(self._old, names)
        self.query = self._new.text

    @property
    def sparql(self) -> str:
        """The query as SPARQL; empty where it cannot be said."""
        return to_sparql(self._new)

    @staticmethod
    def query_in(query: str, names: Mapping[str, str]) -> str:
        """A query with other names of its entities.

        Raises:
            QueryError: It is no query.
        """
        return renamed(parse(query), names).text

    def answer(self, answer: str) -> str:
        """An answer in the other naming."""
        return self._names[answer]

    def witness(self, triples: tuple[Triple, ...], answers: Collection[str]) -> tuple[Triple, ...]:
        """The triples of a derivation in the other naming, in the order that the query then gives them.

        Args:
            triples: The derivation.
            answers: What it may derive.

        Raises:
            ValueError: It derives none of these.
        """
        if len(triples) == 1:
            return self.triples(triples)
        return renamed_derivation(self._old, self._names, triples, answers)

    def triples(self, triples: Iterable[Triple]) -> tuple[Triple, ...]:
        """Triples in the other naming, in the order given."""
        return tuple((self._names[s], r, self._names[o]) for s, r, o in triples)

    @property
    def ways(self) -> dict[str, Callable[[str], str]]:
        """How texts of a block that are marked by a type of their own are renamed: mark → function."""
        return {"answer": self.answer, "query": lambda query: self.query_in(query, self._names)}
