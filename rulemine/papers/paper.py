"""Papers, their tables and figures, and how these are made into one folder.

A paper is a file ``NAME.toml`` that lists all its exhibits, in its order, with the numbers that it prints,
and a module with a function for each exhibit that can be made here. What cannot be made says why; what lacks
something says what would give it. Below each exhibit stand the numbers that the paper prints.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rulemine.config import read_toml
from rulemine.errors import ConfigError, InputError, OutputError
from rulemine.evaluation.answerers.registry import JOURNAL
from rulemine.evaluation.predictions import NEEDS
from rulemine.evaluation.reporting.document import Document, Picture
from rulemine.files import read_text
from rulemine.papers.material import Material
from rulemine.registry import Registry
from rulemine.release.outputs import check_place
from rulemine.release.reader import Release
from rulemine.text.tables import Table

__all__ = ["PAPERS", "Exhibit", "Made", "Paper", "check_tables", "each", "make_tables"]

Made = Iterable[Table | Picture]
"""What an exhibit becomes: nothing where nothing that was given shows it. Ids may be empty or alike."""

Makers = Mapping[str, Callable[[Material], Made]]
"""Number of an exhibit, e.g. ``Table 3`` → the function that makes it."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or a figure of a paper.

    Attributes:
        shows: What it shows, as a phrase.
        needs: What it is made from, as a noun phrase; "": it cannot be made.
        why: Why it cannot be made, or how ours differs, as a sentence.
        header: The columns of the numbers that the paper prints; () if it prints none.
        published: Their rows.
    """

    shows: str
    needs: str = ""
    why: str = ""
    header: tuple[str, ...] = ()
    published: tuple[tuple[str | float, ...], ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        name: Its short name, and that of its file.
        makers: What makes its exhibits.
        metrics: The metrics of another project that its tables show, see
            `rulemine.evaluation.metrics_of_others.registry.chosen`; "": none.
    """

    name: str
    makers: Makers
    metrics: str = ""

    @cached_property
    def _file(self) -> dict[str, Any]:
        return read_toml(Path(__file__).with_name(f"{self.name}.toml"))

    @property
    def title(self) -> str:
        """Its authors and title, with the version whose numbers are meant."""
        return f"{self._file['title']} ({self._file['version']})"

    @cached_property
    def exhibits(self) -> dict[str, Exhibit]:
        """Number → exhibit: all its tables and figures, in its order."""
        found = {}
        for number, row in self._file["exhibits"].items():
            rows = tuple(map(tuple, row.pop("published", ())))
            found[number] = Exhibit(
                **row | {"header": tuple(row.get("header", ()))}, published=rows
            )
        return found


PAPERS: Registry[Paper] = Registry(
    "rulemine.papers",
    "paper",
    Paper,
    {
        name: f"rulemine.papers.{name}:{name.upper()}"
        for name in ("brink", "synthkgqa", "dynamickgqa", "complexlogicalqa", "cypherbench")
    },
)
"""Name → paper."""


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
    try:
        ours = '"paper": ' in read_text(folder / "report.json")
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
        Them in the order of the paper, each followed by what the paper prints; the notes say how ours differ,
        what is missing, and what would give it.

    Raises:
        ConfigError: Nothing that was given shows anything of the paper.
    """
    material = replace(material, metrics=paper.metrics)
    made: list[Table | Picture] = []
    notes: list[str] = []
    taken: set[str] = set()
    for number, exhibit in paper.exhibits.items():
        make = paper.makers.get(number)
        with watch(number):
            found = [] if make is None else [one for one in make(material) if _has_something(one)]
        said = exhibit.why if found else f"needs {exhibit.needs}."
        if make is None:
            said = f"not made. {exhibit.why}"
        if said:
            notes.append(f"{number} ({exhibit.shows}): {said}")
        if found and exhibit.published:
            show = dict.fromkeys(exhibit.header, "{:,.10g}".format)
            found.append(
                Table("published", "as published", exhibit.header, exhibit.published, show=show)
            )
        made += _numbered(number, exhibit, found, taken)
    if not made:
        raise ConfigError(f"tables: nothing of {paper.name} can be made. {' '.join(notes)}")
    for one in material.answered:
        if "train" in one.run.needs and one.report.split != "test":
            notes.append(f"{one.called}: given {NEEDS['train']}, which were asked too.")
    if material.sheets and not any(
        "sheets" in exhibit.needs for exhibit in paper.exhibits.values()
    ):
        notes.append("Filled sheets were given, and nothing of this paper is made from them.")
    facts = {
        "paper": paper.name,
        "releases": ", ".join(f"{r.name} ({r.identity[:12]})" for r in material.releases),
        "studies": ", ".join(f"{one.folder} ({one.plan.split})" for one in material.folders)
        or "none",
        "split of all but studies": material.split or "all",
    }
    return Document(
        paper.title,
        tuple(dict.fromkeys(notes)),
        facts,
        figures=tuple(one for one in made if isinstance(one, Picture)),
        tables=tuple(one for one in made if isinstance(one, Table)),
    )


def each(make: Callable[[str, Release, Material], Made], *kinds: str) -> Callable[[Material], Made]:
    """Makes an exhibit for each release of some kinds, given its name; without kinds: if answers are rows."""

    def made(material: Material) -> Made:
        for release in material.releases:
            if release.kind in kinds or (not kinds and release.answers == "rows"):
                yield from make(material.names[release.path], release, material)

    return made


def _has_something(one: Table | Picture) -> bool:
    return bool(one.rows if isinstance(one, Table) else one.series)


def _numbered(
    number: str, exhibit: Exhibit, found: Made, taken: set[str]
) -> Iterator[Table | Picture]:
    """What an exhibit becomes, with its number in titles, and in ids of which no two are alike."""
    for one in found:
        id_ = base = "-".join([*number.lower().split(), *filter(None, [one.id])])
        n = 1
        while id_ in taken:
            n += 1
            id_ = f"{base}-{n}"
        taken.add(id_)
        yield replace(one, id=id_, title=f"{number}: {one.title or exhibit.shows}")
