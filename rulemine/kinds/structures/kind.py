"""The kind ``structures`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import Amounts, Wording
from rulemine.kinds.structures.options import NAMES, StructureSection
from rulemine.registry import imported

if TYPE_CHECKING:
    from rulemine.kg.index import Ints
    from rulemine.kinds.asking import Asking
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question
    from rulemine.verbalizer.checks import QuestionInput

__all__ = ["KIND"]


class StructureLimits(Amounts):
    """What bounds the number of questions."""

    def kept(self, recipe: "Recipe", asked: "QuestionSet", note: Any = None) -> "QuestionSet":
        """See `rulemine.kinds.structures.ask.within_limit`."""
        from rulemine.kinds.split import left_out
        from rulemine.kinds.structures.ask import SHARED, within_limit

        kept = {
            q.id
            for name in recipe.own.names
            for q in within_limit(
                [q for q in asked.questions if q.structure == name], recipe.own.max_share
            )
        }
        return asked.keep(
            [q for q in asked.questions if q.id in kept],
            [left_out(q, SHARED) for q in asked.questions if q.id not in kept],
        )


class StructureWording(Wording):
    """How a model words questions."""

    prompts = "verbalizer/prompts.toml"
    spare = ("question", "paraphrase", "audit")

    def inputs(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """See `rulemine.kinds.structures.inputs.make_structure_inputs`."""
        from rulemine.kinds.structures.inputs import make_structure_inputs

        naming = inputs.prompt_naming
        return make_structure_inputs(asked, inputs.glosses, inputs.templates, naming)


class StructureKind(BuildingKind):
    """Questions of the nine logical structures; methods as of `BuildingKind`."""

    name = "structures"
    Options = StructureSection
    block = imported("rulemine.kinds.structures.options:StructureBlock")
    drafts = imported("rulemine.kinds.structures.ask:drafts")
    inputs = imported("rulemine.recipe.joins:INPUTS")
    page = "kinds/structures/page.md"
    limits = StructureLimits("structures.per_structure")
    wording = StructureWording()

    def parts(self, asking: "Asking") -> "Mapping[Hashable, int]":
        """The structures."""
        return {n: asking.options.per_structure for n in NAMES if n in asking.options.names}

    def marks(self, question: "Question") -> "Iterable[Hashable]":
        """The anchors."""
        return question.anchors


KIND = StructureKind()
