"""The rows of a release that stand for seed texts, where it is built again or asked anew."""

from rulemine.kinds.kind import Input
from rulemine.release.reader import Release
from rulemine.release.records import translation
from rulemine.release.seed_rows import SEED_TEXTS, SeedRow, renamed

__all__ = ["SEED_ROWS"]


def _rows(release: Release) -> tuple[SeedRow, ...]:
    return renamed(release.seed_rows(), translation(release.entities, release.naming, "entity"))


SEED_ROWS = Input(
    "seed_rows",
    lambda _inputs: None,  # seed texts are what the recipe says
    keys=("variants.texts", "variants.entities", "variants.aliases"),
    stand_in=_rows,
    place=SEED_TEXTS,
)
