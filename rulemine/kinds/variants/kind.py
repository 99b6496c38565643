"""The kind ``variants`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from rulemine.config import packaged_or_given
from rulemine.files import digest_of, read_text
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.group import Group
from rulemine.kinds.kind import Setting
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.groups import GROUPS

if TYPE_CHECKING:
    from rulemine.kinds.kind import Input
    from rulemine.kinds.variants.seed_texts import SeedSet
    from rulemine.kinds.writing import Writing
    from rulemine.kinds.written.block import Judgement
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.card.kind_page import KindPage
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
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

    def __init__(self) -> None:
        self._sets: WeakKeyDictionary[Inputs, list[SeedSet]] = WeakKeyDictionary()

    @property
    def page(self) -> "KindPage":
        """See `rulemine.kinds.variants.page`."""
        from rulemine.kinds.variants.page import VARIANT_PAGE

        return VARIANT_PAGE

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
        """See `rulemine.kinds.variants.seed_rows`."""
        from rulemine.kinds.variants.seed_rows import SEED_ROWS

        return (SEED_ROWS,)

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """Questions are written at once, and accepted within the limits of the section."""
        return {
            "balance": "its questions are accepted within the limits of the section variants",
            "verbalize": "its questions are written in the stage ask",
        }

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """The seed sets, what is shown and asked, and by what prompts."""
        from rulemine.kinds.locks import splitting

        recipe = inputs.recipe
        chosen = recipe.own.portable()
        files = [chosen.pop(name) for name in ("texts", "entities", "aliases", "topics")]
        given = inputs["seed_rows"] is not None or any(files[:2])  # else they follow from the rest
        options: dict[str, Any] = {
            "variants": chosen,
            "splits": splitting(recipe),
            "sets": [
                (one.id, [inputs.kg.entities[entity] for entity in one.entities], one.topic)
                for one in (self._seed_sets(inputs) if given else ())
            ],
            "excluded": sorted(inputs.excluded),
        }
        if recipe.own.topics:
            topics = packaged_or_given(recipe.own.topics, "topics.toml")
            options["topics"] = digest_of(read_text(topics).encode())
        return options | inputs.told()

    def ask(
        self,
        inputs: "Inputs",
        selection: "Selection",
        progress: Callable[[int, int], None] | None,
        writing: "Writing",
    ) -> "QuestionSet":
        """See `rulemine.kinds.variants.ask.ask_variants`."""
        from rulemine.kinds.variants.ask import ask_variants

        sets = self._seed_sets(inputs, selection)
        return ask_variants(inputs, sets, selection, writing, progress)

    def estimate(
        self, inputs: "Inputs", selection: "Selection", folder: Path, replay: Path | None
    ) -> str:
        """See `rulemine.kinds.variants.estimate.estimate_variants`."""
        from rulemine.kinds.variants.estimate import estimate_variants

        return estimate_variants(inputs, self._seed_sets(inputs, selection), folder, replay)

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """Those on one seed text too: they were written for the same triples."""
        for question, own in zip(questions, super().ties(questions), strict=True):
            yield [question.block.seed_text, *own]

    def judgements(self, question: "Question") -> "Sequence[Judgement]":
        """What the judges of the build said, if there were any."""
        return tuple(question.block.judgements)

    def _seed_sets(self, inputs: "Inputs", selection: "Selection | None" = None) -> "list[SeedSet]":
        """The seed sets, found once a build: texts may be many. Those that are drawn need the selection."""
        from rulemine.kinds.variants.seed_texts import seed_sets

        if inputs not in self._sets:
            recipe = inputs.recipe
            removed = None if selection is None else selection.removed
            core = None if selection is None else selection.head[selection.core]
            self._sets[inputs] = seed_sets(
                inputs, recipe.own, recipe.seed, note=inputs.warn, removed=removed, core=core
            )
        return self._sets[inputs]


KIND = VariantKind()
