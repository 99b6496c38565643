"""The kind ``variants`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulemine.kinds.group import Group
from rulemine.kinds.kind import Amounts, ReleaseFile, Setting, Splits
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.kind import GROUPS, WITHOUT, WrittenKind, WrittenWording
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.release.records import Question, SeedRow

__all__ = ["KIND"]


class VariantSplits(Splits):
    """What questions share."""

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """Those on one seed text too: they were written for the same triples."""
        for question, own in zip(questions, super().ties(questions), strict=True):
            yield [question.block.seed_text, *own]


class VariantLimits(Amounts):
    """What bounds the number of questions."""

    def run(self, config: Mapping[str, Any]) -> int:
        """As the recipe says."""
        return int(config[config["kind"]]["run"])

    def fresh(self, config: Mapping[str, Any], number: int, texts: int) -> Sequence[Setting]:
        """As many questions as there may be, all in one split."""
        kind = config["kind"]
        return [
            ((kind, "run"), number),
            ((kind, "questions"), config[kind]["pairs"] * texts),
            (("questions", "split"), "none"),
        ]


class VariantKind(WrittenKind):
    """Questions written for the entities of seed texts; methods as of `BuildingKind`."""

    name = "variants"
    Options = VariantSection
    block = imported("rulemine.kinds.written.block:VariantBlock")
    page = "kinds/variants/page.md"
    inputs = imported("rulemine.kinds.variants.seed_inputs:INPUTS")
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
    splits = VariantSplits()
    limits = VariantLimits("variants.questions", WITHOUT)
    wording = WrittenWording(
        "rulemine.kinds.variants.ask:VariantEngine", "rulemine.kinds.variants.estimate:estimate"
    )

    @property
    def files(self) -> "Sequence[ReleaseFile]":
        """The entities of the seed texts, with the splits of their questions."""
        from rulemine.release.records import SEED_TEXTS, SeedRow, seeds_with_splits

        about = "the entities of the texts that questions were written for"

        def made(
            rows: "Sequence[SeedRow]", questions: "Sequence[Question]", config: Mapping[str, Any]
        ) -> "Sequence[SeedRow]":
            return seeds_with_splits(rows, questions, self.limits.run(config))

        return (ReleaseFile(SEED_TEXTS, SeedRow, about=about, made=made),)


KIND = VariantKind()
