"""Papers, their tables and figures, and how these are made into one folder.

A paper is a file ``NAME.toml`` that lists all its exhibits, in its order, with the numbers that it prints,
and a module with a function for each exhibit that can be made here. What cannot be made says why; what lacks
something says what would give it. Below each exhibit stand the numbers that the paper prints. What several
papers make exhibits with stands below: figures of scores and of shares, examples in words.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rulemine.config import read_toml
from rulemine.errors import ConfigError, OutputError
from rulemine.evaluation.answerers.registry import JOURNAL
from rulemine.evaluation.notes import NOTHING_TO_INFER
from rulemine.evaluation.predictions import NEEDS
from rulemine.evaluation.reporting.document import Document, Picture, Series
from rulemine.evaluation.reporting.report import Frame
from rulemine.evaluation.reporting.titles import TITLES
from rulemine.evaluation.statistics.score import Score
from rulemine.files import read_text
from rulemine.kg.graph import Triple
from rulemine.papers.material import Material, ScoredSystem
from rulemine.registry import Registry
from rulemine.release.outputs import check_place
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.release.show import Views
from rulemine.text.tables import Table

__all__ = [
    "PAPERS", "Exhibit", "Made", "Maker", "Paper", "answers_of", "bars", "check_tables", "each", "frame_of",
    "make_tables", "pictures", "proof_of", "said_of", "share", "triples_of",
]  # fmt: skip

Made = Iterable[Table | Picture]
"""What an exhibit becomes: nothing where nothing that was given shows it. Ids may be empty or alike."""

Maker = Callable[[Material], Made]
"""Makes an exhibit."""

MOST = 6
"""Answers and triples that an example names."""


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
        makers: Number of an exhibit, e.g. ``Table 3`` → what makes it.
        metrics: The metrics of another project that its tables show, see
            `rulemine.evaluation.metrics_of_others.registry.chosen`; "": none.
    """

    name: str
    makers: Mapping[str, Maker]
    metrics: str = ""

    @cached_property
    def _file(self) -> dict[str, Any]:
        return read_toml(Path(__file__).with_name(f"{self.name}.toml"))

    @property
    def title(self) -> str:
        """Its authors and title, with the version whose numbers are meant."""
        return f"{self._file['title']} ({self._file['version']})"

    @property
    def exhibits(self) -> dict[str, Exhibit]:
        """Number → exhibit: all its tables and figures, in its order."""
        rows = self._file["exhibits"].items()
        return {
            number: Exhibit(
                **row
                | {"header": tuple(row.get("header", ()))}
                | {"published": tuple(map(tuple, row.get("published", ())))}
            )
            for number, row in rows
        }


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
    report = folder / "report.json"
    ours = report.is_file() and '"paper": ' in read_text(report)
    if not ours and folder.is_dir() and {path.name for path in folder.iterdir()} - {JOURNAL}:
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
    taken: Counter[str] = Counter()
    for number, exhibit in paper.exhibits.items():
        with watch(number):
            make = paper.makers.get(number)
            found = [] if make is None else [*make(material)]
        own = [one for one in found if (one.rows if isinstance(one, Table) else one.groups)]
        said = exhibit.why if own else f"needs {exhibit.needs}."
        if said := said if exhibit.needs else f"not made. {exhibit.why}":
            notes.append(f"{number} ({exhibit.shows}): {said}")
        if own and exhibit.published:
            head, show = exhibit.header, dict.fromkeys(exhibit.header, "{:,.10g}".format)
            own.append(Table("published", "as published", head, exhibit.published, show=show))
        for one in own:
            id_ = "-".join([*number.lower().split(), *filter(None, [one.id])])
            taken[id_] += 1
            id_ += f"-{taken[id_]}" * (taken[id_] > 1)
            made.append(replace(one, id=id_, title=f"{number}: {one.title or exhibit.shows}"))
    if not made:
        raise ConfigError(f"tables: nothing of {paper.name} can be made. {' '.join(notes)}")
    notes += [
        f"{system.called}: given {NEEDS['train']}, which were asked too."
        for system in material.answered
        if "train" in system.run.needs and system.report.split != "test"
    ]
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


def each(make: Callable[[str, Release, Material], Made], *kinds: str) -> Maker:
    """Makes an exhibit for each release of some kinds, given its name; without kinds: if answers are rows."""

    def made(material: Material) -> Made:
        for name, release in material.of(*kinds, rows=not kinds).items():
            yield from make(name, release, material)

    return made


def frame_of(name: str, some: Iterable[ScoredSystem]) -> Frame:
    """All scores of systems on groups that have a question; their release is called `name`."""
    rows = Frame.of((one.called, one.report) for one in some).rows
    return Frame(tuple(row._replace(release=name) for row in rows if row.n))


def pictures(
    kind: str,
    *metrics: str,
    breakdown: str = "all",
    of: str = "",
    across: str = "",
    per: str = "release",
    rows: Sequence[str] = ("graph",),
    columns: str = "group",
) -> Maker:
    """A figure for each score and each release of a kind that systems answered.

    Args:
        kind: The kind of the releases.
        metrics: The scores.
        breakdown: What questions are grouped by, see `rulemine.evaluation.reporting.report.ScoreRow`.
        of: What else the title says of the score.
        across: What the groups are, in words.
        per: ``release``, or a further column whose values have a figure each.
        rows: See `Frame.picture`; with ``naming`` all namings are shown, if there are several.
        columns: See `Frame.picture`.
    """

    def make(material: Material) -> Made:
        for metric in metrics:
            for name, systems in material.systems(kind, namings="naming" in rows):
                frame = frame_of(name, systems).where(breakdown=breakdown, metric=metric)
                if "naming" in rows and len({row.naming for row in frame.rows}) < 2:
                    continue
                report, by = systems[0].report, of + f" by {across}" * bool(across)
                caption = f"Over {report.n:,} questions ({report.split})."
                if metric == "hhr":
                    caption += f" {NOTHING_TO_INFER}."
                for one in dict.fromkeys(getattr(row, per) for row in frame.rows):
                    title = ", ".join(dict.fromkeys((f"{TITLES[metric]}{by}", one, name)))
                    own = frame.where(**{per: one})
                    yield own.picture("", title, caption, rows=rows, columns=columns, across=across)

    return make


def share(part: float, whole: float) -> Score:
    """A share of a whole, without an interval; undefined of nothing."""
    return Score(part / whole if whole else None, None, None)


def bars(
    title: str,
    caption: str,
    across: str,
    up: str,
    counts: Mapping[str, Mapping[str, int]],
    groups: Iterable[str],
    wholes: Mapping[str, int] | None = None,
    sizes: Mapping[str, int] | None = None,
    id_: str = "",
) -> Picture:
    """A figure of shares.

    Args:
        title: See `Picture`.
        caption: See `Picture`.
        across: See `Picture`.
        up: What they are shares of.
        counts: Series → group → how many there are.
        groups: The groups, in their order.
        wholes: Series → what its counts are shares of; None: of their sum.
        sizes: Group → questions, a column of its table.
        id_: See `Picture`.
    """
    shown, known = (
        tuple(groups),
        wholes or {name: sum(own.values()) for name, own in counts.items()},
    )
    series = tuple(
        Series(name, tuple(share(own.get(group, 0), known[name]) for group in shown))
        for name, own in counts.items()
    )
    numbers = tuple(sizes[group] for group in shown) if sizes else ()
    return Picture(id_, title, caption, "bars", across, f"{up}, percent", shown, series, numbers)


def answers_of(question: Question, shown: Views) -> str:
    """The answers of a question, the hard one that is asked for first, with a star."""
    hard = question.hard_answer
    ordered = sorted(question.answers, key=lambda answer: answer != hard)
    return _first(ordered, lambda answer: "★ " * (answer == hard) + shown.name(answer), ", ")


def proof_of(question: Question, shown: Views) -> str:
    """The published proof of what a question lacks."""
    bodies = (proof.body for proof in shown.proofs(question).values())
    return " ".join(f"{'; '.join(map(shown.sentence, body))}." for body in bodies)


def said_of(prediction: Prediction, shown: Views) -> str:
    """The answers that were given, or the text."""
    if prediction.answers is None:
        return " ".join((prediction.raw_output or prediction.sparql or "").split())[:300]
    return _first(prediction.answers, shown.name, ", ")


def triples_of(triples: Sequence[Triple] | None, shown: Views) -> str | None:
    """The first triples in words, and how many there are; None if the prediction names none."""
    return None if triples is None else _first(triples, shown.sentence, "; ")


def _first(items: Sequence[Any], show: Callable[[Any], str], joint: str) -> str:
    """Joins the first `MOST` items, and says how many there are if some are left out."""
    more = f" … ({len(items):,})" if len(items) > MOST else ""
    return joint.join(map(show, items[:MOST])) + more
