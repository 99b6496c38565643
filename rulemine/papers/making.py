"""Makes the tables and figures of a paper into one folder."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from rulemine.errors import ConfigError
from rulemine.evaluation.reporting.document import Document, Picture
from rulemine.papers.material import Material
from rulemine.papers.paper import Exhibit, LackingError, Paper
from rulemine.text.tables import Table

__all__ = ["make_tables"]


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
            "releases": ", ".join(f"{r.name} ({r.identity[:12]})" for r in material.releases),
            "studies": ", ".join(str(one.folder) for one in material.folders) or "none",
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
