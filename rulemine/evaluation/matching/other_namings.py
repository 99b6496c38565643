"""Tells predictions that use another naming of the entities than they are read in."""

from collections.abc import Sequence

from rulemine.evaluation.matching.matching import PredictionReader
from rulemine.evaluation.targets import Targets
from rulemine.kg.entity_names import NAMINGS
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, names_in

__all__ = ["naming_meant"]

_SAMPLE = 200  # predictions examined to find out which naming they use
_FEW_NAMED = 0.1  # share of them up to which they may use another one


def naming_meant(
    release: Release,
    matching: str,
    given: Sequence[Prediction | None],
    matched: Sequence[Sequence[str]],
    used: Targets,
) -> str:
    """What to say when hardly any prediction names an entity in its naming, but most do in another; or "".

    Args:
        release: The release.
        matching: The matching mode.
        given: The prediction for each question.
        matched: What each predicts, as keys.
        used: What they are scored against.
    """
    sampled = [
        (p, keys)
        for p, keys in zip(given, matched, strict=True)
        if p is not None and (p.raw_output or p.answers)
    ][:_SAMPLE]
    here = sum(not used.keys.isdisjoint(keys) for _, keys in sampled)
    if here > _FEW_NAMED * len(sampled):
        return ""
    best, most = "", 0
    for other in NAMINGS:
        names = frozenset(names_in(release.entities, other))
        tried = PredictionReader(matching, names)
        keys = set(map(tried.matcher.name, names))
        read = tried.read([p for p, _ in sampled], [()] * len(sampled))
        hits = sum(not keys.isdisjoint(one.names) for one in read)
        if hits > most:
            best, most = other, hits
    if 2 * most < len(sampled) or best in ("", used.naming):
        return ""
    return (
        f"of the first {len(sampled)}, {here} name an entity of the release in the naming "
        f"{used.naming!r}, but {most} in the naming {best!r}. Use the release in that naming, or say "
        f"so: --naming {best}."
    )
