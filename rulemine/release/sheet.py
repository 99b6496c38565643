"""The sheet for people who check the texts of a release by hand: a sample of questions, without verdicts.

As in appendix B of ComplexLogicalQA: *fluency* (correct and natural) and *consistency* (all constraints of
the query, none added, one reading) are to be filled in, with ``pass`` or ``fail``.

Guarantees: the sample depends on the seed and the questions, neither on their order nor on the naming.
"""

import re
from collections.abc import Iterable, Iterator

from rulemine.query.structures import STRUCTURES
from rulemine.release.contents import ReleaseParts
from rulemine.seeds import stream
from rulemine.text.spreadsheet import text_cell

__all__ = ["OF_EACH", "SHEET", "SHEET_COLUMNS", "sheet_rows"]

SHEET = "sheet.tsv"
"""The file of the sheet in a release."""

SHEET_COLUMNS = (
    "id", "structure", "question", "query", "triples", "answers", "fluency", "consistency", "comment",
)  # fmt: skip

OF_EACH = 10
"""Questions of each structure."""

_BREAK = re.compile(r"[\t\r\n]+")


def sheet_rows(parts: ReleaseParts) -> Iterator[tuple[str, ...]]:
    """The rows of the sheet, by structure and id.

    Args:
        parts: The parts of a release.

    Yields:
        The texts of `SHEET_COLUMNS`, the last three empty.
    """
    seed = parts.config["seed"]
    asked = {q.structure for q in parts.questions}
    for structure in (*STRUCTURES, *sorted(asked - STRUCTURES.keys())):
        some = sorted((q for q in parts.questions if q.structure == structure), key=lambda q: q.id)
        drawn = stream(seed, "sheet", structure).permutation(len(some)).tolist()[:OF_EACH]
        for q in (some[i] for i in sorted(drawn)):
            triples = "; ".join(f"({', '.join(triple)})" for triple in q.full_evidence)
            yield _cells((q.id, structure, q.question, q.query, triples, " | ".join(q.answers)))


def _cells(texts: Iterable[str]) -> tuple[str, ...]:
    """A row of a table: no tab or line end within a cell."""
    return (*(text_cell(_BREAK.sub(" ", text)) for text in texts), "", "", "")
