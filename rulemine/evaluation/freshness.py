"""Whether a release is a fresh one of another: of the same recipe, with none of its queries."""

from collections.abc import Mapping
from typing import Any

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.reporting.report import WARNING
from rulemine.query.links import renamed
from rulemine.query.parser import parse
from rulemine.release.reader import Release
from rulemine.release.records import translation

__all__ = ["notes_on_freshness"]

_MAY_DIFFER = ("name", "seed", "not_in")
"""What recipes of a published and a fresh release differ in."""


def notes_on_freshness(published: Release, fresh: Release) -> list[str]:
    """What is wrong with a fresh release that does not forbid to compare it, as warnings.

    Args:
        published: The published release.
        fresh: The one that is said to be fresh.

    Raises:
        ConfigError: They are the same, of two kinds or graphs, the other way around, or share queries.
        ReleaseError: A file of a release is missing or was edited.
    """
    places = f"{published.path} and {fresh.path}"
    if published.identity == fresh.identity:
        raise ConfigError(
            f"{places}: are the same release ({fresh.identity[:12]}…); --fresh expects one that asks other "
            "questions. Make it: rulemine build … --seed N --not-in DIR."
        )
    if published.kind != fresh.kind:
        raise ConfigError(
            f"{places}: questions are of the kinds {published.kind} and {fresh.kind}; expected two releases "
            "of one recipe."
        )
    if published.manifest["kg"].get("digest") != fresh.manifest["kg"].get("digest"):
        raise ConfigError(
            f"{places}: are about two graphs, {published.manifest['kg'].get('title')!r} and "
            f"{fresh.manifest['kg'].get('title')!r} (digests of the complete ones differ); expected two "
            "releases of one recipe."
        )
    if fresh.identity in published.manifest["config"].get("not_in", ()):
        raise ConfigError(
            f"{published.path}: is the fresh one, made with --not-in {fresh.path}. Exchange them, and their "
            "prediction files."
        )
    queries = [
        {renamed(parse(q.query), names).text for q in release.questions()}
        for release in (published, fresh)
        for names in [translation(release.entities, release.naming, "entity")]
    ]
    if shared := len(queries[0] & queries[1]):
        raise ConfigError(
            f"{places}: share {counted(shared, 'query', 'queries')} (of {len(queries[0]):,} and "
            f"{len(queries[1]):,}), so the second is not fresh. Make one that is: rulemine build … --seed N "
            f"--not-in {published.path}."
        )
    notes = []
    if published.identity not in fresh.manifest["config"].get("not_in", ()):
        notes.append(
            f"{WARNING}{fresh.path} was not made with --not-in {published.path}: the two share no query, "
            "but may ask for the same link from its two ends."
        )
    mine, other = _flat(published.manifest["config"]), _flat(fresh.manifest["config"])
    if apart := [k for k in sorted({*mine, *other}) if mine.get(k) != other.get(k)]:
        shown = ", ".join(f"{k} ({mine.get(k)!r}, {other.get(k)!r})" for k in apart)
        notes.append(
            f"{WARNING}the recipes differ in more than their seeds: {shown}. A difference may be theirs."
        )
    return notes


def _flat(config: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """The options of a recipe by their dotted names, but for those that may differ."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{above}{key}.")
        elif above + key not in _MAY_DIFFER:
            found[above + key] = value
    return found
