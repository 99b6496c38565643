"""The kind ``structures`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.structures.options import StructureSection

if TYPE_CHECKING:
    from rulemine.kg.index import Ints
    from rulemine.kinds.group import Group
    from rulemine.kinds.kind import Input
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.card.kind_page import KindPage
    from rulemine.release.question_set import QuestionSet
    from rulemine.removal.selection import Selection
    from rulemine.verbalizer.dialogue import Verbalizer
    from rulemine.verbalizer.inputs import QuestionInput
    from rulemine.verbalizer.prompts import Prompts

__all__ = ["KIND"]

CROWDED = 0.1
"""Draws refused because questions would share too much, from which on the limit is named, as a fraction."""


class StructureKind(BuildingKind):
    """Questions of the nine logical structures; methods as of `BuildingKind`."""

    name = "structures"
    Options = StructureSection
    amount = "structures.per_structure"

    @property
    def verbalizer(self) -> "type[Verbalizer]":
        """See `rulemine.verbalizer.judged`."""
        from rulemine.verbalizer.judged import JudgedVerbalizer

        return JudgedVerbalizer

    def prompts(self, source: str) -> "Prompts":
        """Those of single removed triples may be missing."""
        from rulemine.verbalizer.prompts import load_prompts

        return load_prompts(source, ("question", "paraphrase", "audit", "round_trip"))

    def to_verbalize(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """See `rulemine.kinds.structures.inputs.make_structure_inputs`."""
        from rulemine.kinds.structures.inputs import make_structure_inputs

        naming = inputs.prompt_naming
        return make_structure_inputs(asked, inputs.glosses, inputs.templates, naming)

    def advice(self, config: Mapping[str, Any], sampling: Mapping[str, Any]) -> str:
        """Names the limit if many draws were refused because questions would share too much."""
        from rulemine.kinds.structures.checking import Reason

        short = [row for row in sampling.values() if row["questions"] < row["wanted"]]
        if not any(
            row["rejected"].get(Reason.SHARED, 0) >= CROWDED * row["drawn"] for row in short
        ):
            return ""
        share = config["structures"]["max_share"]
        return (
            f"structures.max_share: at most {100 * share:g} % of the questions of a structure may have an "
            "anchor, a relation or an answer in common; a graph with few relations cannot give many such "
            "questions. Raise it, or turn it off with 1."
        )

    @property
    def form(self) -> "Group":
        """The structure, of which all are known."""
        return super().form._replace(least=0)

    @property
    def block(self) -> type:
        """See `rulemine.kinds.structures.block`."""
        from rulemine.kinds.structures.block import StructureBlock

        return StructureBlock

    @property
    def page(self) -> "KindPage":
        """See `rulemine.kinds.structures.page`."""
        from rulemine.kinds.structures.page import STRUCTURE_PAGE

        return STRUCTURE_PAGE

    scores = ("hard_f1", "hhr", "hits_hard", "hits_any", "hits_at_1", "f1")

    @property
    def inputs(self) -> "Sequence[Input]":
        """See `rulemine.kinds.structures.anchors`."""
        from rulemine.kinds.structures.anchors import ANCHORS

        return (ANCHORS,)

    def view(self, question: Any, shown: Any) -> Any:
        """See `rulemine.release.showing.tree.tree_view`."""
        from rulemine.release.showing.tree import tree_view

        return tree_view(question, shown)

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """There is nothing to balance."""
        return {"balance": "its questions are drawn within the limits of the section structures"}

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
            anchors=inputs["anchors"],
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
