"""What only questions of the kind ``cypher`` have."""

from dataclasses import dataclass
from typing import Annotated

from rulemine.cypher.rows import in_order
from rulemine.release.records import Answer

__all__ = ["Columns", "Cypher", "CypherBlock", "PublishedBlock", "RowChange"]

Cypher = Annotated[str, "cypher"]
"""The gold, which is made again from the query of the question."""

Columns = Annotated[tuple[str, ...], "columns"]
"""The names of its columns, likewise."""


def _by_keys(rows: tuple[str, ...], block: "CypherBlock") -> tuple[str, ...]:
    """The order of rows that were renamed."""
    return tuple(in_order(rows, block.keys))


@dataclass(frozen=True, slots=True, order=True)
class RowChange:
    """The rows of a question on an incomplete graph.

    Attributes:
        level: The level of the graph.
        rows: How many rows it gives.
        lost: The rows of the complete graph that are not among them, sorted; a multiset.
        spurious: Those among them that the complete graph does not give, likewise.
    """

    level: int
    rows: int
    lost: tuple[Answer, ...]
    spurious: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class CypherBlock:
    """What only a question of the kind ``cypher`` has (CypherBench). Rows are texts: compact JSON arrays.

    What `Question` says means here: `query` is a line of `rulemine.cypher.questions.pattern_text`, without
    `sparql`; `structure` is the category of the MATCH template, `shape` the template; `hops` may be 0, and
    `anchors` empty; answers are the distinct rows, as texts, and `spurious` likewise; `patterns` is never
    empty. The witness of a hard row has the triples of one match that gives it, or, where a row rests on all
    of its matches, the removed ones of them. `full_evidence` has the triples of all
    matches, or those of `evidence` where they are too many.

    Attributes:
        match: Its MATCH template, of `rulemine.cypher.questions.templates.MATCHES`.
        returns: Its RETURN template, of `rulemine.cypher.questions.templates.RETURNS`.
        family: What that is called in Table 12 of the paper.
        cypher: The gold.
        columns: The names of its columns.
        rows: Its rows on the complete graph, a multiset: in the order of the result if that counts, rows with
            equal keys sorted; else sorted.
        ordered: Whether it counts.
        keys: If it does: what each row is sorted by, as an array of one value.
        tied: Where the greatest or least is asked for: all rows that may be the one, sorted.
        levels: What each level of the release takes from the rows, ascending.
        properties: The properties that the gold reads, as ``Type.property``, sorted.
    """

    match: str
    returns: str
    family: str
    cypher: Cypher
    columns: Columns
    rows: Annotated[tuple[Answer, ...], _by_keys]
    ordered: bool
    keys: tuple[str, ...]
    tied: tuple[Answer, ...]
    levels: tuple[RowChange, ...]
    properties: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the last level changes the rows."""
        return bool(self.levels[-1].lost or self.levels[-1].spurious)


@dataclass(frozen=True, slots=True)
class PublishedBlock(CypherBlock):
    """What a question has that others publish: as of `CypherBlock`, as far as the file says it.

    It has no levels; without columns, its rows are not known either.

    Attributes:
        graph: The name of its graph; "": the file does not say.
    """

    graph: str = ""
