"""The kind ``variants`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulemine.kinds.group import Group
from rulemine.kinds.kind import ReleaseFile, Setting
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.kind import GROUPS, WrittenKind
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.release.seed_rows import SeedRow

__all__ = ["KIND"]


class VariantKind(WrittenKind):
    """Questions written for the entities of seed texts; methods as of `BuildingKind`."""

    name = "variants"
    Options = VariantSection
    amount = "variants.questions"
    groups = (
        *GROUPS,
        Group("topic", "topic", lambda q, _: q.block.topic),
        Group(
            "unique",
            "answers",
            lambda q, _: "one answer" if q.block.unique else "several",
            ("one answer", "several"),
        ),
    )
    formats = ("dynamic-kgqa",)
    tools = (("topics", "rulemine.kinds.variants.topics"),)

    block = imported("rulemine.kinds.written.block:VariantBlock")
    page = imported("rulemine.kinds.variants.page:VARIANT_PAGE")
    engine = imported("rulemine.kinds.variants.ask:VariantEngine")
    takes = imported("rulemine.kinds.variants.estimate:estimate")
    view = imported("rulemine.kinds.written.show:variant_view")
    inputs = imported("rulemine.kinds.variants.seed_inputs:INPUTS")

    @property
    def files(self) -> "Sequence[ReleaseFile]":
        """The entities of the seed texts."""
        from rulemine.release.seed_rows import SEED_TEXTS, SeedRow

        about = "the entities of the texts that questions were written for"
        return (ReleaseFile(SEED_TEXTS, SeedRow, about=about),)

    def records(
        self, asked: "QuestionSet", config: Mapping[str, Any]
    ) -> "Mapping[str, tuple[SeedRow, ...]]":
        """With the splits of their questions."""
        from rulemine.release.seed_rows import SEED_TEXTS, with_splits

        rows = asked.records[SEED_TEXTS]
        return {SEED_TEXTS: with_splits(rows, asked.questions, self.run(config))}

    def run(self, config: Mapping[str, Any]) -> int:
        """As the recipe says."""
        return int(config[self.name]["run"])

    def fresh(self, config: Mapping[str, Any], number: int, texts: int) -> Sequence[Setting]:
        """As many questions as there may be, all in one split."""
        return [
            ((self.name, "run"), number),
            ((self.name, "questions"), config[self.name]["pairs"] * texts),
            (("questions", "split"), "none"),
        ]

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """Those on one seed text too: they were written for the same triples."""
        for question, own in zip(questions, super().ties(questions), strict=True):
            yield [question.block.seed_text, *own]


KIND = VariantKind()
