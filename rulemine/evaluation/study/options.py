"""The options of a study; nothing here loads what only a study needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rulemine.config import Section, option
from rulemine.errors import ConfigError
from rulemine.llm.options import EndpointOptions

__all__ = ["DAMAGES", "MOST_RESAMPLES", "StudyOptions"]

MOST_RESAMPLES = 100_000
"""More digits of a bound than anybody reads, and about a gigabyte."""

DAMAGES = ("provable", "random", "path")
"""What graphs lack beside what is asked, see `rulemine.evaluation.study.damage`; first as the release."""

_LEVELS = ("levels", "naming_levels", "model_levels")


@dataclass(frozen=True)
class StudyOptions(Section):
    """What a study asks.

    Attributes:
        release: The folder of the release; in a file, relative to it.
        systems: The systems, as for rulemine answer --with.
        names: What they are called in tables and figures, in their order; empty: as written.
        levels: How much of the removal the graphs lack, in percent; 0 is the complete graph.
        namings: The namings of the entities, the first one for every level and table; empty: that of the
            release.
        naming_levels: The levels for the other namings; empty: the lowest and the highest one.
        model_levels: The levels for systems that ask a model; empty: all.
        damage: What graphs lack beside what is asked: the other removed triples (provable), as many of all
            triples (random), of the paths of two edges to the hard answer (path). Empty: no comparison.
        twins: Whether each system is also asked on the graphs of twins, in the first naming.
        split: The split that is asked: train, validation, test or all.
        sample: How many of its questions, from one fixed order with the core first; none: all.
        seed: For what is drawn, in answers and in intervals.
        model: The model that systems with one ask.
        matching: How a text becomes a set of entities.
        resamples: Resamples of the intervals.
        metrics: Projects whose metrics are shown beside ours, as for rulemine evaluate, or all.
        endpoint: Where the model is.
    """

    release: str = option("")
    systems: tuple[str, ...] = option(())
    names: tuple[str, ...] = option(())
    levels: tuple[int, ...] = option(
        (0, 20, 40, 60, 80, 100), least=0, most=100, flag=True, metavar="0,50,100"
    )
    namings: tuple[str, ...] = option(())
    naming_levels: tuple[int, ...] = option((), least=0, most=100)
    model_levels: tuple[int, ...] = option((), least=0, most=100)
    damage: tuple[str, ...] = option((), choices=DAMAGES, flag=True, metavar="provable,random,path")
    twins: bool = option(False, flag=True)
    split: str = option("test", flag=True)
    sample: int | None = option(None, least=1, flag=True)
    seed: int = option(0, least=0, flag=True)
    model: str = option("", flag=True)
    matching: str = option("vocabulary")
    resamples: int = option(1000, least=1, most=MOST_RESAMPLES)
    metrics: tuple[str, ...] = option(())
    endpoint: EndpointOptions = field(default_factory=EndpointOptions)

    def __post_init__(self) -> None:
        """Checks what can be checked without a release, and sorts what has no order.

        Raises:
            ConfigError: As `Section`, or something is named twice or is not among the levels.
        """
        super().__post_init__()
        for name in ("systems", "names", "namings", "metrics", "damage", *_LEVELS):
            values: Sequence[Any] = getattr(self, name)
            if twice := [v for i, v in enumerate(values) if v in values[:i]]:
                raise ConfigError(f"{name}: {twice[0]!r} is there twice.")
        for name in _LEVELS:
            object.__setattr__(self, name, tuple(sorted(getattr(self, name))))
            if unknown := set(getattr(self, name)) - set(self.levels):
                raise ConfigError(
                    f"{name}: {min(unknown)} is none of levels, {', '.join(map(str, self.levels))}."
                )
