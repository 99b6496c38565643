"""Makes the tables and figures of a paper into one folder."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from rulemine.errors import ConfigError, InputError, OutputError
from rulemine.evaluation.answerers.registry import JOURNAL
from rulemine.evaluation.reporting.document import Document, Picture
from rulemine.files import read_text
from rulemine.papers.material import Material
from rulemine.papers.paper import Exhibit, LackingError, Paper
from rulemine.release.outputs import check_place
from rulemine.text.tables import Table

__all__ = ["check_tables", "make_tables"]


def check_tables(folder: Path, inputs: Iterable[Path]) -> None:
    """Checks, before anything is computed, that only earlier tables of a paper are replaced in a folder.

    Args:
        folder: The folder that will be written.
        inputs: What the tables are made from.

    Raises:
        OutputError: The folder has files and no tables of a paper, or contains an input.
    """
    check_place(folder, inputs)
    if not folder.is_dir() or {path.name for path in folder.iterdir()} <= {JOURNAL}:
        return
    report = folder / "report.json"
    try:
        ours = '"paper": ' in read_text(report)
    except InputError:
        ours = False
    if not ours:
        raise OutputError(
            f"{folder}: has files that rulemine tables did not write. Name an empty or new folder with -o."
        )


def make_tables(
    paper: Paper,
    material: Material,
    watch: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Document:
    """The tables and figures of a paper that can be made from what was given.

    Args:
        paper: The paper.
        material: What was given.
        watch: Shows a step, given its name.

    Returns:
        Them in the order of the paper; its notes say what is missing and what would give it.

    Raises:
        ConfigError: Nothing that was given shows anything of the paper.
    """
    tables: list[Table] = []
    figures: list[Picture] = []
    missing: list[str] = []
    for exhibit in paper.exhibits:
        if exhibit.make is None:
            missing.append(f"{exhibit.number} ({exhibit.shows}): not made. {exhibit.why}")
            continue
        with watch(exhibit.number):
            try:
                found = list(_numbered(exhibit, exhibit.make(material)))
            except LackingError as lacking:
                missing.append(f"{exhibit.number} ({exhibit.shows}): needs {lacking}.")
                continue
        tables += [one for one in found if isinstance(one, Table)]
        figures += [one for one in found if isinstance(one, Picture)]
    if not tables and not figures:
        raise ConfigError(f"tables: nothing of {paper.name} can be made. " + " ".join(missing))
    return Document(
        f"{paper.title} ({paper.version})",
        notes=tuple(missing),
        facts={
            "paper": paper.name,
            "releases": ", ".join(f"{r.name} ({r.identity[:12]})" for r in material.releases),
            "studies": ", ".join(f"{one.folder} ({one.plan.split})" for one in material.folders)
            or "none",
            "split": material.split or "all",
        },
        figures=tuple(figures),
        tables=tuple(tables),
    )


def _numbered(exhibit: Exhibit, found: Iterable[Table | Picture]) -> Iterator[Table | Picture]:
    """What an exhibit becomes, with the number of the paper in its ids and titles."""
    for one in found:
        id_ = f"{exhibit.id}-{one.id}" if one.id else exhibit.id
        title = f"{exhibit.number}: {one.title or exhibit.shows}"
        yield replace(one, id=id_, title=title)
