"""The sheet for people who check the texts of a release by hand: a sample of questions, without verdicts.

As in appendix B of ComplexLogicalQA: *fluency* (correct and natural) and *consistency* (all constraints of
the query, none added, one reading) are to be filled in, with ``pass`` or ``fail``.

Guarantees: the sample depends on the seed and the questions, neither on their order nor on the naming.
"""

import re
from collections.abc import Iterator, Sequence

from rulemine.errors import ConfigError
from rulemine.query.structures import STRUCTURES
from rulemine.release.contents import ReleaseParts
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.seeds import stream
from rulemine.text.escaping import text_cell

__all__ = ["OF_EACH", "SHEET", "SHEET_COLUMNS", "sheet_rows", "sheet_text"]

SHEET = "sheet.tsv"
"""The file of the sheet in a release."""

SHEET_COLUMNS = (
    "id", "structure", "question", "query", "triples", "answers", "fluency", "consistency", "comment",
)  # fmt: skip

OF_EACH = 10
"""How many questions of each structure the sheet of a release has."""

_BREAK = re.compile(r"[\t\r\n]+")
"""Characters that become a blank in a cell of a table."""


def sheet_rows(parts: ReleaseParts) -> Iterator[tuple[str, ...]]:
    """The rows of the sheet of a release, by structure and id: `OF_EACH` of each structure.

    Args:
        parts: The parts of a release.

    Yields:
        The texts of `SHEET_COLUMNS`, the last three empty.
    """
    return _rows(parts.questions, parts.config["seed"], OF_EACH)


def sheet_text(release: Release, number: int) -> str:
    """A sheet of any size; that of a larger number has the questions of that of a smaller one.

    Args:
        release: The release.
        number: Questions of each structure, at least 1; all of them if there are fewer.

    Raises:
        ConfigError: Its questions have no query.
        ReleaseError: A file of the release is missing or was edited.
    """
    questions = [q for q in release.questions() if q.structure]
    if not questions:
        raise ConfigError(
            f"--sheet: the questions of {release.name}, of the kind {release.kind}, have no logical "
            "structure. Give a release whose questions are queries, e.g. of the kind structures."
        )
    rows = _rows(questions, release.manifest["config"].get("seed", 0), number)
    return "".join("\t".join(row) + "\n" for row in (SHEET_COLUMNS, *rows))


def _rows(questions: Sequence[Question], seed: int, number: int) -> Iterator[tuple[str, ...]]:
    """Some questions of each structure: those that are named first, as they occur in `STRUCTURES`."""
    found = {q.structure for q in questions}
    for structure in (*filter(found.__contains__, STRUCTURES), *sorted(found - STRUCTURES.keys())):
        some = sorted((q for q in questions if q.structure == structure), key=lambda q: q.id)
        drawn = stream(seed, "sheet", structure).permutation(len(some)).tolist()[:number]
        for q in (some[i] for i in sorted(drawn)):
            triples = "; ".join(f"({', '.join(triple)})" for triple in q.full_evidence)
            texts = (q.id, structure, q.question, q.query, triples, " | ".join(q.answers))
            yield (*(text_cell(_BREAK.sub(" ", text)) for text in texts), "", "", "")
