"""What a study asks: systems, incompleteness levels, namings; as options, as a file, as a list of runs.

Guarantees: the runs of a plan and their order depend on the plan alone; two plans that may give different
answers have different identities, and two that differ only in where the model is, or in how answers are
scored, have the same.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.config import build, read_toml
from rulemine.errors import ConfigError, did_you_mean
from rulemine.evaluation.answerers.registry import asks_model, find_answerer, run_of
from rulemine.evaluation.matching.matching import MATCHINGS
from rulemine.evaluation.metrics_of_others.registry import chosen
from rulemine.evaluation.study.options import DAMAGES, StudyOptions
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS, TWIN_GRAPHS

__all__ = ["StudyPlan", "StudyRun", "graph_at", "header_of", "identity_of", "read_plan", "runs_of"]

FORMAT = 1
"""Of the file that says what a folder holds a study of."""

MOST_LETTERS = 60
"""Of a system's label in the name of a file."""


@dataclass(frozen=True)
class StudyPlan(StudyOptions):
    """What a study asks: `StudyOptions` that can be carried out."""

    def __post_init__(self) -> None:
        """Checks the values.

        Raises:
            ConfigError: As `StudyOptions`; or systems, levels or a model are missing, or unknown.
        """
        super().__post_init__()
        if not self.systems:
            raise ConfigError("systems: none. Name some, e.g. --with lookup,prior,reasoner.")
        if not self.levels:
            raise ConfigError("levels: none. Name some, e.g. --levels 0,100.")
        if self.names and len(self.names) != len(self.systems):
            raise ConfigError(
                f"names: {len(self.names)} for {len(self.systems)} systems; expected one for each, or none."
            )
        for name, values, known in (
            ("namings", self.namings, NAMINGS),
            ("split", (self.split,), (*SPLITS, "all")),
            ("matching", (self.matching,), MATCHINGS),
        ):
            for value in (value for value in values if value not in known):
                raise ConfigError(f"{name}: {value!r} is unknown; {did_you_mean(value, known)}")
        if any(s.partition(":")[0] == "command" and ":program=" not in s for s in self.systems):
            raise ConfigError(
                'systems: command without a program. Write e.g. command:program="python my_system.py", '
                "or on the command line --with command … -- python my_system.py."
            )
        if self.metrics:
            chosen(self.metrics)
        for name, given, effective, purpose in (
            ("naming_levels", self.naming_levels, self.namings[1:], "more namings than one"),
            ("damage", self.damage, self.highest, "levels above 0"),
            ("model_levels", self.model_levels, self.asking, "systems that ask a model"),
            ("endpoint.batch", self.endpoint.batch, self.asking, "systems that ask a model"),
        ):
            if given and not effective:
                raise ConfigError(f"{name}: is for {purpose} and has no effect here. Leave it out.")
        if self.asking and not self.model:
            raise ConfigError(
                f"model: none, and {', '.join(self.asking)} asks one: --model NAME --set "
                "endpoint.base_url=URL."
            )

    @property
    def asking(self) -> tuple[str, ...]:
        """The systems that ask a model."""
        return tuple(name for name in self.systems if asks_model(find_answerer(name)))

    @property
    def called(self) -> dict[str, str]:
        """System → what it is called: as the user says; else as written, a program by its file alone."""
        names = self.names or [_file_of_program(name) or name for name in self.systems]
        return dict(
            zip(self.systems, names if len({*names}) == len(names) else self.systems, strict=True)
        )

    @property
    def asked_split(self) -> str | None:
        """The split; None: all."""
        return None if self.split == "all" else self.split

    @property
    def complete(self) -> int | None:
        """The level of the complete graph; None where it is not asked."""
        return 0 if self.levels[0] == 0 else None

    @property
    def highest(self) -> int | None:
        """The highest level; None where only the complete graph is asked."""
        return self.levels[-1] or None

    @property
    def lowest(self) -> int | None:
        """The lowest level above 0: what is missing there is missing in every incomplete graph."""
        return next((level for level in self.levels if level), None)


class StudyRun(NamedTuple):
    """One system on one graph in one naming.

    Attributes:
        system: The system.
        level: The level of the graph.
        naming: The naming.
        file: The prediction file, below the folder of the study.
        damage: One of `rulemine.evaluation.study.options.DAMAGES` but the first, or of
            `rulemine.release.records.TWIN_GRAPHS`; "": the graph is that of the level.
    """

    system: str
    level: int
    naming: str
    file: str
    damage: str = ""

    @property
    def kg(self) -> str:
        """The name of the graph."""
        return graph_at(self.level, self.damage)


def graph_at(level: int, damage: str = "") -> str:
    """The name of the graph of a level; with a damage, of the damaged one.

    >>> graph_at(0), graph_at(20), graph_at(100), graph_at(100, "path")
    ('complete', 'incomplete-20', 'incomplete', 'path-100')
    """
    if damage:
        return damage if damage in TWIN_GRAPHS else f"{damage}-{level}"
    return {0: "complete", 100: "incomplete"}.get(level, f"incomplete-{level}")


def _file_of_program(system: str) -> str:
    """The name of the file that a program of the user is in; "" for other systems."""
    words = shlex.split(getattr(find_answerer(system), "program", ""))
    files = [word for word in words if Path(word).suffix[1:].isalpha()]  # not that of python3.12
    return Path(next(iter(files or words), "")).name


def runs_of(plan: StudyPlan, naming: str) -> list[StudyRun]:
    """The runs of a plan: by naming, by system, by level; other graphs in the first naming.

    Args:
        plan: The plan.
        naming: The naming of the release.
    """
    ends = plan.naming_levels or tuple(dict.fromkeys((plan.levels[0], plan.levels[-1])))
    found, others = [], [damage for damage in plan.damage if damage != DAMAGES[0]]
    for place, name in enumerate(plan.namings or (naming,)):
        for number, system in enumerate(plan.systems, start=1):
            label = "".join(c if c.isalnum() or c in "-_=." else "_" for c in system)
            folder = f"predictions/{name}/{number:02d}-{label[:MOST_LETTERS]}"
            asked = (
                plan.model_levels if system in plan.asking and plan.model_levels else plan.levels
            )
            found += [
                StudyRun(system, level, name, f"{folder}/{graph_at(level, damage)}.jsonl", damage)
                for level in (ends if place else plan.levels)
                if level in asked
                for damage in ("", *(others if level and not place else ()))
            ]
            found += [
                StudyRun(system, 100, name, f"{folder}/{graph}.jsonl", graph)
                for graph in (TWIN_GRAPHS if plan.twins and not place else ())
            ]
    return found


def header_of(plan: StudyPlan, release: Release, run: StudyRun) -> dict[str, Any]:
    """What the prediction file of a run says of itself, see `rulemine.evaluation.answerers.registry.run_of`.

    Args:
        plan: The plan.
        release: The release in the naming of the run.
        run: The run.
    """
    return run_of(
        release, run.system, kg=run.kg, split=plan.asked_split, sample=plan.sample, seed=plan.seed,
        model=plan.model,
    )  # fmt: skip


def identity_of(plan: StudyPlan, release: Release) -> dict[str, Any]:
    """What two plans with the same answers have in common: key → plain value."""
    return {
        "format": FORMAT,
        "release": release.identity,
        "systems": list(plan.systems),
        "levels": list(plan.levels),
        "namings": list(plan.namings or (release.naming,)),
        "naming_levels": list(plan.naming_levels),
        "model_levels": list(plan.model_levels),
        "damage": list(plan.damage),
        "twins": plan.twins,
        "split": plan.split,
        "sample": plan.sample,
        "seed": plan.seed,
        "model": plan.model if plan.asking else "",
    }


def read_plan(source: Path, given: Mapping[str, Any], where: str = "study") -> StudyPlan:
    """The plan of a study.

    Args:
        source: A TOML file, or the folder or the archive of a release.
        given: Key → value of options, which override those of the file; for ``endpoint`` a table.
        where: What messages call these options.

    Raises:
        InputError: The file is missing or not TOML.
        ConfigError: A key is unknown, a value out of range, or something is missing.
    """
    values: dict[str, Any] = {"release": str(source)}
    if source.suffix == ".toml" or (source.is_file() and source.suffix != ".tar"):
        values, where = (
            read_toml(source, "Name the folder of a release, or a TOML file."),
            str(source),
        )
        if isinstance(folder := values.get("release"), str):
            values["release"] = str(source.parent / folder)
        else:
            raise ConfigError(f'{source}: names no release; write e.g. release = "out/demo".')
    for key, value in given.items():
        before = values.get(key)
        values[key] = (
            {**before, **value} if key == "endpoint" and isinstance(before, dict) else value
        )
    return build(StudyPlan, values, where, "See docs/study.md for the keys.")
