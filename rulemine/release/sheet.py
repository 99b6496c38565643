"""The sheet for people who check the texts of a release by hand: a sample of questions, without verdicts.

As in appendix B of ComplexLogicalQA: *fluency* (correct and natural) and *consistency* (all constraints of
the query, none added, one reading) are to be filled in, with ``pass`` or ``fail``.

Guarantees: the sample depends on the seed and the questions, neither on their order nor on the naming.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulemine.errors import ConfigError
from rulemine.query.structures import STRUCTURES
from rulemine.release.contents import ReleaseParts
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.seeds import stream
from rulemine.text.spreadsheet import text_cell

__all__ = ["OF_EACH", "SHEET", "SHEET_COLUMNS", "sheet_rows", "sheet_text"]

SHEET = "sheet.tsv"
"""The file of the sheet in a release."""

SHEET_COLUMNS = (
    "id", "structure", "question", "query", "triples", "answers", "fluency", "consistency", "comment",
)  # fmt: skip

OF_EACH = 10
"""Questions of each structure in the sheet of a release."""

_BREAK = re.compile(r"[\t\r\n]+")


def sheet_rows(parts: ReleaseParts) -> Iterator[tuple[str, ...]]:
    """The rows of the sheet of a release, by structure and id: `OF_EACH` of each structure.

    Args:
        parts: The parts of a release.

    Yields:
        The texts of `SHEET_COLUMNS`, the last three empty.
    """
    sizes = Counter(q.structure for q in parts.questions)
    yield from _rows(parts.questions, parts.config["seed"], dict.fromkeys(sizes, OF_EACH))


def sheet_text(release: Release, number: int) -> str:
    """A sheet of any size, with as many questions of each structure as can be.

    The sheet of a larger number has the questions of that of a smaller one.

    Args:
        release: The release.
        number: Questions, at least 1; all of them if there are fewer.

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
    sizes = Counter(q.structure for q in questions)
    wanted = _spread(sizes, number)
    rows = _rows(questions, release.manifest["config"].get("seed", 0), wanted)
    return "".join("\t".join(row) + "\n" for row in (SHEET_COLUMNS, *rows))


def _spread(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """How many of each structure: the same of all, and what small ones lack of the others.

    >>> _spread({"1p": 2, "2p": 9, "2i": 9}, 11)
    {'1p': 2, '2p': 5, '2i': 4}
    """
    wanted, left = {}, min(number, sum(sizes.values()))
    order = sorted(_ordered(sizes), key=sizes.__getitem__)
    for place, structure in enumerate(order):
        share = -(-left // (len(order) - place)) if sizes[structure] else 0
        wanted[structure] = min(share, sizes[structure])
        left -= wanted[structure]
    return wanted


def _ordered(structures: Iterable[str]) -> list[str]:
    """The nine first, as they occur in `STRUCTURES`."""
    found = set(structures)
    return [*(name for name in STRUCTURES if name in found), *sorted(found - STRUCTURES.keys())]


def _rows(
    questions: Sequence[Question], seed: int, wanted: Mapping[str, int]
) -> Iterator[tuple[str, ...]]:
    for structure in _ordered(wanted):
        some = sorted((q for q in questions if q.structure == structure), key=lambda q: q.id)
        drawn = (
            stream(seed, "sheet", structure).permutation(len(some)).tolist()[: wanted[structure]]
        )
        for q in (some[i] for i in sorted(drawn)):
            triples = "; ".join(f"({', '.join(triple)})" for triple in q.full_evidence)
            yield _cells((q.id, structure, q.question, q.query, triples, " | ".join(q.answers)))


def _cells(texts: Iterable[str]) -> tuple[str, ...]:
    """A row of a table: no tab or line end within a cell."""
    return (*(text_cell(_BREAK.sub(" ", text)) for text in texts), "", "", "")
