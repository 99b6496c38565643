"""The kind ``subgraphs`` in a build, see `rulemine.kinds.building`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rulemine.kinds.group import Group
from rulemine.kinds.kind import Amounts, Splits
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.kind import GROUPS, WITHOUT, WrittenKind, WrittenWording
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet

__all__ = ["KIND"]


class SubgraphSplits(Splits):
    """How questions are split."""

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """The model of the final filter; all else the questions depend on too."""
        return inputs.model_options()

    def split(
        self, inputs: "Inputs", asked: "QuestionSet", progress: Any, writing: "Writing"
    ) -> "QuestionSet | None":
        """What is asked by groups has its splits; then come the final filter and other words."""
        from rulemine.kinds.split import split

        chosen, models = inputs.recipe.questions, inputs.recipe.verbalizer
        if writing.session is None:
            return None
        from rulemine.kinds.subgraphs.final_filter import passing
        from rulemine.kinds.subgraphs.paraphrasing import with_paraphrases

        made = split(asked, chosen.split, chosen.ratios, inputs.recipe.seed)
        if models.judge_model:
            made = passing(inputs, made, writing, progress)
        return with_paraphrases(inputs, made, writing, progress) if models.rewriter_model else made


class SubgraphLimits(Amounts):
    """What bounds the number of questions."""

    def kept(self, recipe: "Recipe", asked: "QuestionSet") -> "QuestionSet":
        """All of them; a parent that is not among them is named no more."""
        from rulemine.kinds.subgraphs.split import without_lost_parents

        return replace(asked, questions=tuple(without_lost_parents(asked.questions)))


class SubgraphKind(WrittenKind):
    """Questions written for sampled subgraphs; methods as of `BuildingKind`."""

    name = "subgraphs"
    Options = SubgraphSection
    block = imported("rulemine.kinds.written.block:SubgraphBlock")
    page = "kinds/subgraphs/page.md"
    inputs = imported("rulemine.kinds.subgraphs.listed:INPUTS")
    groups = (
        *GROUPS,
        Group(
            "test_type",
            "what training lacks (id: nothing, ugt: the shape, urt: a relation)",
            lambda q, _: q.block.test_type,
            ("id", "ugt", "urt"),
        ),
    )
    splits = SubgraphSplits()
    limits = SubgraphLimits("subgraphs.questions", WITHOUT)
    wording = WrittenWording(
        "rulemine.kinds.subgraphs.ask:SubgraphEngine", "rulemine.kinds.subgraphs.estimate:estimate"
    )


KIND = SubgraphKind()
