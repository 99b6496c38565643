"""The kind ``subgraphs`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rulemine.kinds.group import Group
from rulemine.kinds.kind import Amounts, Splits
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.kind import GROUPS, WITHOUT, WrittenKind, WrittenWording
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kinds.asking import Asking
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question

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
        from rulemine.kinds.subgraphs.second_models import passing, with_paraphrases

        made = split(asked, chosen.split, chosen.ratios, inputs.recipe.seed)
        if models.judge_model:
            made = passing(inputs, made, writing, progress)
        return with_paraphrases(inputs, made, writing, progress) if models.rewriter_model else made


class SubgraphKind(WrittenKind):
    """Questions written for sampled subgraphs; methods as of `BuildingKind`."""

    name = "subgraphs"
    Options = SubgraphSection
    block = imported("rulemine.kinds.written.block:SubgraphBlock")
    page = "kinds/subgraphs/page.md"
    inputs = imported("rulemine.recipe.joins:INPUTS")
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
    parts = imported("rulemine.kinds.subgraphs.ask:parts")
    plan = imported("rulemine.kinds.subgraphs.ask:plan")
    limits = Amounts("subgraphs.questions", WITHOUT)
    wording = WrittenWording(
        "rulemine.kinds.subgraphs.ask:SubgraphEngine", "rulemine.kinds.subgraphs.estimate:estimate"
    )

    def marks(self, question: "Question") -> "Iterator[tuple[str]]":
        """The answers, which training shares with no test question."""
        return ((answer,) for answer in question.answers)

    def finished(self, asking: "Asking", questions: "list[Question]") -> "list[Question]":
        """The questions, with what training lacks of those of test."""
        from rulemine.kinds.subgraphs.ask import finished

        return finished(super().finished(asking, questions))


KIND = SubgraphKind()
