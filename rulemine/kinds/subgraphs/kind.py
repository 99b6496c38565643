"""The kind ``subgraphs`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rulemine.kinds.group import Group
from rulemine.kinds.kind import Amounts
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.kind import GROUPS, WrittenKind, WrittenWording
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kinds.asking import Asking
    from rulemine.release.records import Question

__all__ = ["KIND"]


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
    parts = imported("rulemine.kinds.subgraphs.ask:parts")
    plan = imported("rulemine.kinds.subgraphs.ask:plan")
    limits = Amounts("subgraphs.questions")
    wording = WrittenWording(
        "rulemine.kinds.subgraphs.ask:SubgraphEngine", "rulemine.kinds.subgraphs.estimate:estimate"
    )

    def marks(self, question: "Question") -> "Iterator[tuple[str]]":
        """The answers, which training shares with no test question."""
        return ((answer,) for answer in question.answers)

    def finished(self, asking: "Asking", questions: "list[Question]") -> "list[Question]":
        """Says what training lacks of each test question; then a judge filters test, and a model rewords."""
        from rulemine.kinds.split import split
        from rulemine.kinds.subgraphs.ask import finished
        from rulemine.kinds.subgraphs.second_models import passing, with_paraphrases

        made, models = finished(super().finished(asking, questions)), asking.recipe.verbalizer
        if asking.writing.session is None:
            return made
        chosen = asking.recipe.questions
        made = split(made, chosen.split, chosen.ratios, asking.seed)
        if models.judge_model:
            made = passing(asking, made)
        return with_paraphrases(asking, made) if models.rewriter_model else made


KIND = SubgraphKind()
