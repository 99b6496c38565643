"""The names of the entities of a release, in any of its namings."""

from collections.abc import Sequence

from rulemine.errors import ConfigError, did_you_mean
from rulemine.records import NAMINGS, EntityNames

__all__ = ["names_in", "translation"]


def names_in(entities: Sequence[EntityNames], naming: str) -> tuple[str, ...]:
    """The names of entities in a naming, in the order given.

    Raises:
        ConfigError: There is no such naming.
    """
    if naming not in NAMINGS:
        raise ConfigError(f"naming: {naming!r} is none; {did_you_mean(naming, NAMINGS)}")
    return tuple(e.name_in(naming) for e in entities)


def translation(entities: Sequence[EntityNames], source: str, target: str) -> dict[str, str]:
    """Entity names of one naming → those of another."""
    return dict(zip(names_in(entities, source), names_in(entities, target), strict=True))
