"""The entities of which structures are anchored, where the recipe names a file of them."""

from pathlib import Path

from rulemine.errors import InputError, counted, did_you_mean
from rulemine.files import read_lines
from rulemine.kinds.kind import Input
from rulemine.recipe.inputs import MOST_SHOWN, Inputs, of_key
from rulemine.recipe.joins import JOINS

__all__ = ["INPUTS"]


def _anchors(inputs: Inputs) -> frozenset[str] | None:
    """The entities of the graph that may be anchors; None: all of them.

    Raises:
        InputError: The file names no entity of the graph.
    """
    named, kg = inputs.recipe.own.anchors, inputs.kg
    if not named:
        return None
    with of_key("structures.anchors"):
        listed = {line.strip() for line in read_lines(Path(named))} - {""}
    found = frozenset(listed & kg.entity_ids.keys())
    lacking = sorted(listed - found)
    if lacking or not found:
        shown = ", ".join(map(repr, lacking[:MOST_SHOWN])) + ", …" * (len(lacking) > MOST_SHOWN)
        few = len(kg.entities) <= 50_000  # comparing a name with more takes too long
        hint = did_you_mean(lacking[0], kg.entities) if lacking and few else ""
        text = (
            f"structures.anchors: {named} has {counted(len(listed), 'line')}, {len(found):,} of them "
            f"an entity of {inputs.recipe.kg}"
            + f"; not {shown}" * bool(lacking)
            + f" ({hint})" * hint.startswith("did you mean")
            + "."
        )
        if not found:
            raise InputError(f"{text} Give entities of the graph, one a line.")
        inputs.warn(text)
    return found


INPUTS = (
    Input(
        "anchors",
        _anchors,
        digest=lambda found: None if found is None else sorted(found),
        keys=("structures.anchors",),
    ),
    JOINS,
)
