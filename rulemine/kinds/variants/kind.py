"""The kind ``variants`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.group import Group
from rulemine.kinds.kind import Input, ReleaseFile, Setting
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.groups import GROUPS

if TYPE_CHECKING:
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.card.kind_page import KindPage
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.release.seed_rows import SeedRow
    from rulemine.removal.selection import Selection
    from rulemine.verbalizer.prompts import Prompts

__all__ = ["KIND"]


class VariantKind(BuildingKind):
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

    @property
    def block(self) -> type:
        """See `rulemine.kinds.written.block`."""
        from rulemine.kinds.written.block import VariantBlock

        return VariantBlock

    writes = True

    def view(self, question: Any, shown: Any) -> Any:
        """See `rulemine.kinds.written.show.variant_view`."""
        from rulemine.kinds.written.show import variant_view

        return variant_view(question, shown)

    @property
    def page(self) -> "KindPage":
        """See `rulemine.kinds.variants.page`."""
        from rulemine.kinds.variants.page import VARIANT_PAGE

        return VARIANT_PAGE

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
        return int(config["variants"]["run"])

    def fresh(self, config: Mapping[str, Any], number: int, texts: int) -> Sequence[Setting]:
        """As many questions as there may be, all in one split."""
        return [
            (("variants", "run"), number),
            (("variants", "questions"), config["variants"]["pairs"] * texts),
            (("questions", "split"), "none"),
        ]

    def prompts(self, source: str) -> "Prompts":
        """See `rulemine.kinds.written.prompts`."""
        from rulemine.kinds.written.prompts import load_written_prompts

        return load_written_prompts(source)

    @property
    def inputs(self) -> "Sequence[Input]":
        """See `rulemine.kinds.variants.seed_inputs`."""
        from rulemine.kinds.variants.seed_inputs import INPUTS

        return INPUTS

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """Questions are written at once, and accepted within the limits of the section."""
        return {
            "balance": "its questions are accepted within the limits of the section variants",
            "verbalize": "its questions are written in the stage ask",
        }

    def ask(
        self,
        inputs: "Inputs",
        selection: "Selection",
        progress: Callable[[int, int], None] | None,
        writing: "Writing",
    ) -> "QuestionSet":
        """See `rulemine.kinds.variants.ask.ask_variants`."""
        from rulemine.kinds.variants.ask import ask_variants
        from rulemine.kinds.variants.seed_inputs import sets_of

        sets = sets_of(inputs, selection)
        return ask_variants(inputs, sets, selection, writing, progress)

    def estimate(
        self, inputs: "Inputs", selection: "Selection", folder: Path, replay: Path | None
    ) -> str:
        """See `rulemine.kinds.variants.estimate.estimate_variants`."""
        from rulemine.kinds.variants.estimate import estimate_variants
        from rulemine.kinds.variants.seed_inputs import sets_of

        return estimate_variants(inputs, sets_of(inputs, selection), folder, replay)

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """Those on one seed text too: they were written for the same triples."""
        for question, own in zip(questions, super().ties(questions), strict=True):
            yield [question.block.seed_text, *own]


KIND = VariantKind()
