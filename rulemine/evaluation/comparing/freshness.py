"""Whether a release is a fresh one of another: of the same recipe, with none of its queries.

A fresh variant asks the seed texts of the published release anew, so a few of its queries may be the same by
chance; then these questions are left out of the comparison on both sides.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rulemine.errors import ConfigError, counted
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.kinds.registry import kind_named
from rulemine.release.reader import Release
from rulemine.release.records import translation

__all__ = ["Freshness", "check_freshness"]

_MAY_DIFFER = ("name", "seed", "not_in")
"""What recipes of a published and a fresh release differ in."""


class Freshness(NamedTuple):
    """What is to be known of a published and a fresh release.

    Attributes:
        notes: What is wrong with the fresh one but does not forbid to compare it, as warnings; and what is
            left out.
        left_out: The ids of questions of the published release whose query the fresh one has too; and those
            of the fresh one.
    """

    notes: list[str]
    left_out: tuple[frozenset[str], frozenset[str]]


def check_freshness(published: Release, fresh: Release) -> Freshness:
    """Checks that a release is a fresh one of another.

    Args:
        published: The published release.
        fresh: The one that claims to be fresh.

    Raises:
        ConfigError: They are the same, of two kinds or graphs, the other way around, or share queries and
            are no variants.
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
    kind = kind_named(published.kind)
    runs = [kind.run(release.manifest["config"]) for release in (published, fresh)]
    if runs[0] and not runs[1]:
        raise ConfigError(
            f"{published.path}: is a fresh variant (run {runs[0]}) of the published one, {fresh.path}. "
            "Exchange them, and their prediction files."
        )
    queries = [
        {q.id: kind_named(q.kind).answers.query_in(q.query, names) for q in release.questions()}
        for release in (published, fresh)
        for names in [translation(release.entities, release.naming, "entity")]
    ]
    both = set(queries[0].values()) & set(queries[1].values())
    mine, other = (frozenset(key for key, q in side.items() if q in both) for side in queries)
    if (shared := len(both)) and not runs[1]:
        raise ConfigError(
            f"{places}: share {counted(shared, 'query', 'queries')} (of {len(queries[0]):,} and "
            f"{len(queries[1]):,}), so the second is not fresh. Make one that is: rulemine build … --seed N "
            f"--not-in {published.path}."
        )
    notes = []
    if shared:
        notes.append(
            f"{counted(shared, 'query', 'queries')} of the published release came up again in the fresh "
            f"variant: left out are {len(mine):,} of its {len(queries[0]):,} questions and {len(other):,} of "
            f"the fresh {len(queries[1]):,}."
        )
    if runs[1] and published.questions("train"):
        notes.append(
            "The fresh variant has no training questions: what learns from questions learns from those of "
            "the published release, and the baseline prior, which guesses by them, has nothing to go by."
        )
    if not runs[1] and published.identity not in fresh.manifest["config"].get("not_in", ()):
        notes.append(
            f"{WARNING}{fresh.path} was not made with --not-in {published.path}: the two share no query, "
            "but may ask for the same link from its two ends."
        )
    one, two = _flat(published.manifest["config"]), _flat(fresh.manifest["config"])
    changed = kind.fresh(fresh.manifest["config"], runs[1], 0) if runs[1] else None
    keys = sorted({*one, *two} - {".".join(path) for path, _ in changed or ()})
    if apart := [k for k in keys if one.get(k) != two.get(k)]:
        shown = ", ".join(f"{k} ({one.get(k)!r}, {two.get(k)!r})" for k in apart)
        notes.append(
            f"{WARNING}the recipes differ in more than their seeds: {shown}. A difference may be theirs."
        )
    return Freshness(notes, (mine, other))


def _flat(config: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """The options of a recipe by their dotted names, but for those that may differ."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{above}{key}.")
        elif above + key not in _MAY_DIFFER:
            found[above + key] = value
    return found
