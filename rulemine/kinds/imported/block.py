"""What only questions have that others published, and how they are written in other names."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from rulemine.cypher.rows import row_of
from rulemine.kg.graph import Triple
from rulemine.kinds.answers import EntityAnswers
from rulemine.kinds.kind import ReleaseFile
from rulemine.release.records import MISSING, Answer, Missing, as_given

__all__ = ["FILES", "ImportedAnswers", "ImportedBlock", "ImportedCypherBlock", "ImportedRows"]

FILES = (ReleaseFile(MISSING, Missing, ("triple",), "the missing triples"),)
"""The triples that the incomplete graph lacks, without certificates."""


@dataclass(frozen=True, slots=True)
class ImportedBlock:
    """What only a question of the kind ``imported`` has.

    What `Question` says means here: the text and `answers` are those of the source; `query` is "" where it
    has none that can be read, and then `structure`, `shape` and `hops` are "" and 0, and `evidence` and
    `relations` are what the source says; `stated` and `hard` are disjoint parts of `answers`, and `further`
    are the others: those that the query gives on neither graph, and where the source names one hard answer
    and no query runs, all others, of which nothing is known. SPARQL that is no query over links is run as it
    is: then `query` is "" too, but `executed` and `hard_from` are as of a query. Of a hard answer of which
    nothing but the source or such SPARQL speaks, `missing` is 1, which is the least there can be, and
    `witness` is empty.

    Attributes:
        hard_from: From what it is known which answers the incomplete graph states: ``query``, ``source``; or
            "": it is not known, and `stated`, `hard` and `further` are all empty.
        listed: The answers as the source lists them, where it lists one more than once, which scores of other
            projects count; else empty.
        executed: What the query gives on the complete graph, sorted; None: there is no query or no graph, or
            `why` says why it cannot be executed.
        why: Why the query of the source is not executed; "" where it is, and where there is none.
        source_query: The query of the source, word for word; "": it has none.
        type: What the source calls this type of question; "": nothing.
        fields: What else the source says: a JSON object, as text. Where a question comes with a graph, its
            ``graph`` are rows as in `rulemine.kinds.kind.Published`: 7+2 stands for 7, 8 and 9.
    """

    hard_from: str
    listed: Annotated[tuple[Answer, ...], as_given]
    executed: tuple[Answer, ...] | None
    why: str
    source_query: str
    type: str
    fields: str


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


@dataclass(frozen=True, slots=True)
class ImportedCypherBlock:
    """What only a question of the kind ``imported_cypher`` has. Rows are texts: compact JSON arrays.

    Attributes:
        cypher: The gold, word for word.
        rows: The rows that the source states, sorted; none: they are those of the gold on the graph.
        graph: The name of its graph.
        type: What the source calls this type of question; "": nothing.
        fields: What else the source says: a JSON object, as text.
    """

    cypher: str
    rows: tuple[str, ...]
    graph: str
    type: str
    fields: str

    # What scoring asks of questions whose order, ties and levels are known.
    ordered: ClassVar[bool] = False
    keys: ClassVar[tuple[str, ...]] = ()
    tied: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[Any, ...]] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Numbers in the place of names; none where the rows are not stated."""
        cells = [cell for row in self.rows[:1] for cell in row_of(row)]
        return tuple(map(str, range(1, len(cells) + 1)))


class ImportedRows(ImportedAnswers):
    """Answers that are rows of a property graph, which has one naming only."""

    form = "rows"

    def __init__(self, question: Any, names: Mapping[str, str]) -> None:
        self._names, self.query = names, question.query

    @staticmethod
    def query_in(query: str, _names: Mapping[str, str]) -> str:
        """The Cypher, which has names of its own."""
        return query

    def answer(self, answer: str) -> str:
        """A row, which is the same in every naming."""
        return answer
