"""The kind ``variants`` in a build, see `rulemine.kinds.building`."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulemine.kinds.bounds import MANY_RELATIONS, Bound
from rulemine.kinds.dealing import ENOUGH, Dealable, Share
from rulemine.kinds.group import Group
from rulemine.kinds.kind import Amounts, ReleaseFile, Setting
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.kind import GROUPS, WrittenKind, WrittenWording
from rulemine.registry import imported
from rulemine.release.records import SPLITS

if TYPE_CHECKING:
    from rulemine.kinds.asking import Asking
    from rulemine.release.records import Question, SeedRow

__all__ = ["KIND", "MANY"]

MANY = "enough questions about its seed text are asked"
"""Why a question is not asked."""


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
    inputs = imported("rulemine.kinds.variants.seed_texts:INPUTS")
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
    limits = VariantLimits("variants.questions")
    wording = WrittenWording(
        "rulemine.kinds.variants.ask:VariantEngine", "rulemine.kinds.variants.ask:estimate"
    )

    def finished(self, asking: "Asking", questions: "list[Question]") -> "list[Question]":
        """The questions; what was tried is counted for the whole, whose parts are but the splits."""
        parts = [asking.sampling.pop(str(part)) for part in asking.parts]
        whole = {key: sum(row[key] for row in parts) for key in ("wanted", "questions", "drawn")}
        rejected = sum((Counter(row["rejected"]) for row in parts), Counter[str]())
        reasons = {"rejected": dict(sorted(rejected.items()))}
        asking.sampling = {self.name: {**whole, **reasons, **asking.sampling}}
        return super().finished(asking, questions)

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

    def ties(self, questions: "Sequence[Question]") -> Iterator[list[Hashable]]:
        """Those on one seed text too: they were written for the same triples."""
        for question, own in zip(questions, super().ties(questions), strict=True):
            yield [question.block.seed_text, *own]

    def parts(self, asking: "Asking") -> Mapping[Hashable, int]:
        """How many questions are wanted of the seed texts of each split."""
        chosen, wanted = asking.recipe.questions, asking.options.questions
        if chosen.split != "group":
            return {"": wanted}
        shares = (ratio / sum(chosen.ratios) for ratio in chosen.ratios)
        return {split: round(wanted * share) for split, share in zip(SPLITS, shares, strict=True)}

    def plan(self, asking: "Asking", candidates: Sequence[Dealable]) -> Mapping[Any, Share]:
        """Its part for each split; of the core as much as test is to have, in validation a third as much."""
        core = asking.recipe.questions.test_core
        of_core = {"test": core, "validation": -(-core // 3)}
        whole = {"train": asking.options.questions}  # in all splits: it is the last
        return {
            at: Share({at: most}, whole.get(str(at), most), min(most, of_core.get(str(at), 0)))
            for at, most in reversed([*asking.parts.items()])
        }

    def bounds(self, asking: "Asking", question: "Question", split: str) -> Iterator[Bound]:
        """So many about a seed text; a tenth with one relation, if there are many; no near duplicates."""
        yield from super().bounds(asking, question, split)
        yield Bound(MANY, ("seed text", question.block.seed_text), asking.options.pairs)
        most = max(
            1, asking.options.questions // (10 if len(asking.kg.relations) >= MANY_RELATIONS else 1)
        )
        yield from (Bound(ENOUGH, relation, most) for relation in question.relations)


KIND = VariantKind()
