"""What only questions have that others published."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.cypher.rows import row_of
from rulemine.release.records import Answer

__all__ = ["ImportedBlock", "ImportedCypherBlock"]


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
        fields: What else the source says: a JSON object, as text.
    """

    hard_from: str
    listed: tuple[Answer, ...]
    executed: tuple[Answer, ...] | None
    why: str
    source_query: str
    type: str
    fields: str


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
        width = len(row_of(self.rows[0])) if self.rows else 0
        return tuple(str(number) for number in range(1, width + 1))
