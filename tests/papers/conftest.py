"""What tests of papers share: tables, rows and scores by their names; studies that have run."""

from pathlib import Path
from typing import Any

from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.run import StudyFolder
from rulemine.release.contents import ReleaseParts
from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from rulemine.text.tables import Table, Values


def release_of(folder: Path, parts: ReleaseParts, naming: str = "entity") -> Release:
    """The release of parts made by hand."""
    folder.mkdir(parents=True)
    write_release(folder, parts, naming)
    return Release.open(folder)


def table(document: Document, id_: str) -> Table:
    return next(one for one in document.every_table() if one.id == id_)


def rows(document: Document, id_: str) -> dict[str, Values]:
    """Label → the rest of the row."""
    return {str(row[0]): row[1:] for row in table(document, id_).rows}


def middle(cell: Any) -> Any:
    """A cell, of an estimate its middle."""
    return cell[0] if isinstance(cell, tuple) else cell


def row(found: Table, *label: str) -> list[Any]:
    """The cells behind a label, of estimates the middle."""
    cells = next(one for one in found.rows if one[: len(label)] == label)[len(label) :]
    return list(map(middle, cells))


def study(folder: Path, release: Path, *systems: str, **more: Any) -> StudyFolder:
    """A study whose systems have answered."""
    plan = StudyPlan(release=str(release), systems=systems, resamples=5, **more)
    made = StudyFolder(plan, folder)
    made.answer()
    return made
