"""What builds of the kind ``variants`` read beside the graph: the entities that are asked about."""

from typing import Any

from rulemine.kinds.kind import Input
from rulemine.kinds.variants.seed_texts import SeedSet, seed_sets
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.joins import JOINS
from rulemine.release.reader import Release
from rulemine.release.records import SEED_TEXTS, SeedRow, translation
from rulemine.removal.selection import Selection

__all__ = ["INPUTS", "sets_of"]


def sets_of(inputs: Inputs, selection: Selection) -> list[SeedSet]:
    """The seed sets, given or drawn."""
    if inputs["seed_sets"] is not None:
        given: list[SeedSet] = inputs["seed_sets"]
        return given
    return _sets(inputs, removed=selection.removed, core=selection.head[selection.core])


def _sets(inputs: Inputs, **removed: Any) -> list[SeedSet]:
    recipe = inputs.recipe
    return seed_sets(inputs, recipe.own, recipe.seed, note=inputs.warn, **removed)


def _given(inputs: Inputs) -> list[SeedSet] | None:
    """The seed sets; None: they are drawn, and follow from the rest."""
    own = inputs.recipe.own
    if inputs["seed_rows"] is None and not own.texts and not own.entities:
        return None
    return _sets(inputs)


def _rows(release: Release) -> tuple[SeedRow, ...]:
    names = translation(release.entities, release.naming, "entity")
    return tuple(row.renamed(names) for row in release.seed_rows())


INPUTS = (
    Input(
        "seed_rows",
        lambda _inputs: None,  # seed texts are what the recipe says
        keys=("variants.texts", "variants.entities"),
        stand_in=_rows,
        place=SEED_TEXTS,
    ),
    JOINS,
    Input("seed_sets", _given, digest=lambda sets: sets and list(map(list, sets))),
)
