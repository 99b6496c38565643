"""The kind ``structures`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rulemine.codec import to_json
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.structures.options import StructureSection

if TYPE_CHECKING:
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.card.kind_page import KindPage
    from rulemine.release.question_set import QuestionSet
    from rulemine.removal.selection import Selection

__all__ = ["KIND"]


class StructureKind(BuildingKind):
    """Questions of the nine logical structures; methods as of `BuildingKind`."""

    name = "structures"
    Options = StructureSection

    @property
    def page(self) -> "KindPage":
        """See `rulemine.kinds.structures.page`."""
        from rulemine.kinds.structures.page import STRUCTURE_PAGE

        return STRUCTURE_PAGE

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """There is nothing to balance."""
        return {"balance": "its questions are drawn within the limits of the section structures"}

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """Where anchors are drawn from, for which splits, and the section of the recipe."""
        return {
            "structures": to_json(inputs.recipe.own),
            "anchors": None if inputs.anchors is None else sorted(inputs.anchors),
            "ratios": _ratios(inputs.recipe),
            "test_core": inputs.recipe.questions.test_core,
            "max_facts": inputs.recipe.questions.max_facts,
            "excluded": sorted(inputs.excluded),
        }

    def ask(
        self,
        inputs: "Inputs",
        selection: "Selection",
        progress: Callable[[int, int], None] | None,
        writing: "Writing",
    ) -> "QuestionSet":
        """See `rulemine.kinds.structures.ask.ask_structures`."""
        from rulemine.kinds.structures.ask import ask_structures

        return ask_structures(
            inputs.kg,
            selection,
            inputs.templates,
            inputs.types,
            inputs.recipe.own,
            anchors=inputs.anchors,
            ratios=_ratios(inputs.recipe),
            test_core=inputs.recipe.questions.test_core,
            max_facts=inputs.recipe.questions.max_facts,
            excluded=inputs.excluded,
            reference=inputs.further(progress),
            labels=inputs.labels,
            seed=inputs.recipe.seed,
            earlier=inputs.earlier,
            stale=inputs.stale,
            core_only=inputs.recipe.questions.core_only,
            progress=progress,
        )

    def limits(self, recipe: "Recipe") -> dict[str, Any]:
        """The largest fraction that may share something."""
        return {"max_share": recipe.own.max_share}

    def limited(self, recipe: "Recipe", asked: "QuestionSet") -> "QuestionSet":
        """See `rulemine.kinds.structures.sharing`."""
        from rulemine.kinds.structures.ask import keep_within_limit

        return keep_within_limit(asked, recipe.own.max_share)


def _ratios(recipe: "Recipe") -> tuple[int, ...] | None:
    """The ratios of the splits that draws are for; None where questions are split later."""
    return recipe.questions.ratios if recipe.questions.split == "group" else None


KIND = StructureKind()
