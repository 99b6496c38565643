"""What the kinds have in common, in a build, whose questions are written for a subgraph."""

from typing import TYPE_CHECKING, ClassVar

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.group import Group
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.recipe.recipe import Recipe

__all__ = ["GROUPS", "WrittenKind"]

GROUPS = (
    Group("triples", "triples that the writer used", lambda q, _: str(len(q.block.triples))),
    Group(
        "redundancy",
        "topic entities needed",
        lambda q, _: "not minimal" if q.block.redundant else "minimal",
        ("minimal", "not minimal"),
    ),
)
"""What results are broken down by."""


class WrittenKind(BuildingKind):
    """Questions that a writer asks, each for a subgraph; methods as of `BuildingKind`."""

    writes: ClassVar[bool] = True
    prompts = imported("rulemine.kinds.written.prompts:load_written_prompts")

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """There is nothing to balance, and questions have their words at once."""
        return {
            "balance": f"its questions are accepted within the limits of the section {self.name}",
            "verbalize": "its questions are written in the stage ask",
        }
