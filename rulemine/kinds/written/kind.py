"""What the kinds have in common, in a build, whose questions are written for a subgraph."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.group import Group
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kinds.asking import Asking
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.records import Question
    from rulemine.removal.selection import Selection

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
    """Questions that a writer asks, each for a subgraph; methods as of `BuildingKind`.

    Attributes:
        engine: The class of the engine, see `rulemine.kinds.written.engine`.
        takes: Estimates what it takes of models, given an engine and the journal.
    """

    writes: ClassVar[bool] = True
    prompts = imported("rulemine.kinds.written.prompts:load_written_prompts")

    engine: ClassVar[Any]
    takes: ClassVar[Any]

    def drafts(self, asking: "Asking") -> "Iterator[Question]":
        """See `rulemine.kinds.written.engine`."""
        drafts: Iterator[Question] = self.engine(asking).drafts()
        return drafts

    def estimate(
        self, inputs: "Inputs", selection: "Selection", folder: Path, replay: Path | None
    ) -> str:
        """What `takes` says of the engine and of the calls that the journal has."""
        from rulemine.kinds.asking import Asking
        from rulemine.kinds.writing import kept_calls

        with kept_calls(folder, replay) as journal:
            text: str = self.takes(self.engine(Asking(inputs, selection)), journal).to_text()
            return text

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """There is nothing to balance, and questions have their words at once."""
        return {
            "balance": f"its questions are accepted within the limits of the section {self.name}",
            "verbalize": "its questions are written in the stage ask",
        }
