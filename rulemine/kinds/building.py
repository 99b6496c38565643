"""What a kind of question decides in a build; all else is the same for every kind.

Graph, rules and removal, texts, splits, the release and its checks do not ask which kind a question is of,
except where a record of the kind is read.
"""

import inspect
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rulemine.config import keys_of
from rulemine.files import digest_of, read_text
from rulemine.kinds.kind import Kind
from rulemine.kinds.registry import KINDS
from rulemine.registry import imported, packaged_or_given

if TYPE_CHECKING:  # a kind that is asked for its name or options loads nothing of this
    from rulemine.kg.index import Ints
    from rulemine.kg.property_graph.graph import PropertyGraph
    from rulemine.kinds.asking import Asking, Draft
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.question_set import QuestionSet
    from rulemine.release.records import Question, Rejection
    from rulemine.removal.selection import Selection
    from rulemine.verbalizer.dialogue import Verbalizer
    from rulemine.verbalizer.inputs import QuestionInput

__all__ = ["BuildingKind", "builder_of", "kind_of"]

Progress = Callable[[int, int], None]


class BuildingKind(Kind):
    """A kind of question in a build. Options are plain JSON values, part of the keys of stages.

    Attributes:
        writes: Whether a model, if one is named, writes its questions in the stage ``ask``, rather than
            putting questions into other words in the stage ``verbalize``.
        asks_each: Whether each removed triple is asked about by itself, so that none is removed about which
            an earlier release asks.
        verbalizer: Who holds the dialogues of the stage ``verbalize``.
    """

    amount: ClassVar[str] = "selection.per_rule"
    writes: ClassVar[bool] = False
    asks_each: ClassVar[bool] = False
    verbalizer: ClassVar[type["Verbalizer"]] = imported("rulemine.verbalizer.dialogue:Verbalizer")

    @property
    def page(self) -> Any:
        """By default figures by structure, and what the docstring of its class says."""
        from rulemine.kinds.query_page import plain_page

        return plain_page(inspect.cleandoc(self.__doc__ or ""))

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """The stages that builds of this kind do not have, each with the reason."""
        return {}

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """What the questions depend on, beside what those of every kind do.

        By default the section of the recipe, with digests of files, the splits, the relations that are left
        out, what only the kind reads, and what a model is told that writes.
        """
        from rulemine.kinds.locks import splitting

        recipe, section = inputs.recipe, inputs.recipe.own.portable()
        read = {key for one in self.inputs for key in one.keys}
        for key in keys_of(recipe.own, f"{recipe.kind}."):
            name = key.path[-1]
            if key.name in read:
                del section[name]  # its digest says more
            elif key.option.file and section[name]:
                path = packaged_or_given(section[name], key.option.packaged)
                section[name] = digest_of(read_text(path).encode())
        return {
            recipe.kind: section,
            "splits": splitting(recipe),
            "excluded": sorted(inputs.excluded),
            **inputs.digests(),
            **({"naming": recipe.naming, **inputs.model_options()} if self.writes else {}),
        }

    def drafts(self, asking: "Asking") -> "Iterator[Draft | Question | Rejection | str]":
        """What may become a question, and why the rest does not, see `rulemine.kinds.asking`.

        Questions have no splits unless these decide what is asked.

        Raises:
            UserError: There is no question, and the kind says why.
        """
        raise NotImplementedError

    def estimate(
        self, inputs: "Inputs", selection: "Selection", folder: Path, replay: Path | None
    ) -> str:
        """What it would take to have a model write the questions, as text, without a call.

        Called of kinds that write; arguments as of `rulemine.builder.verbalize_stage.estimate`.
        """
        raise NotImplementedError

    def to_verbalize(
        self, inputs: "Inputs", asked: "QuestionSet", removed: "Ints"
    ) -> "Sequence[QuestionInput]":
        """What prompts and checks of the stage ``verbalize`` need to know of each question.

        Args:
            inputs: The inputs of the recipe.
            asked: The questions.
            removed: Rows of the complete KG that are removed.
        """
        raise NotImplementedError

    def types(self, inputs: "Inputs") -> tuple[str, dict[str, tuple[str, ...]]]:
        """Where types are from, and entity → its types, for the release; "" and none: it has none."""
        types, every = inputs.types, enumerate(inputs.kg.entities)
        return types.source, {entity: types.labels(types.of(i)) for i, entity in every}

    def graph(self, inputs: "Inputs") -> "PropertyGraph | None":
        """The property graph, for the release; None: questions are about the triples alone."""
        return None

    def warning(
        self, stage: str, recipe: "Recipe", before: "QuestionSet", after: "QuestionSet"
    ) -> str:
        """What a stage did to the questions that the user should know, in sentences; or ""."""
        return ""

    def limits(self, recipe: "Recipe") -> dict[str, Any]:
        """The options that limit what questions may have in common."""
        return {}

    def limited(self, recipe: "Recipe", asked: "QuestionSet") -> "QuestionSet":
        """As many of the questions as these limits allow."""
        return asked

    def dealt_by(self, question: "Question") -> tuple[tuple[Hashable, ...], ...]:
        """What each split should have its share of: names with values, the same names for all questions."""
        return (
            ("structure", question.structure),
            ("core", question.core),
            ("missing", question.missing),
        )

    def split_options(self, inputs: "Inputs") -> dict[str, Any]:
        """What the splits depend on, beside the section ``questions``."""
        return {}

    def split(
        self, inputs: "Inputs", asked: "QuestionSet", progress: Progress | None, writing: "Writing"
    ) -> "QuestionSet | None":
        """The questions with their splits; None: they are split as `rulemine.kinds.split` does."""
        return None


def builder_of(kind: str) -> BuildingKind:
    """The kind of question of a name."""
    return cast(BuildingKind, KINDS.find(kind))


def kind_of(recipe: "Recipe") -> BuildingKind:
    """The kind of question that a recipe asks."""
    return builder_of(recipe.kind)
