"""What a kind of question decides in a build; all else is the same for every kind.

Graph, rules and removal, texts, splits, the release and its checks do not ask which kind a question is of,
except where a record of the kind is read.
"""

from collections.abc import Callable
from typing import Any, Protocol

from rulemine.builder.inputs import Inputs
from rulemine.builder.recipe import Recipe
from rulemine.builder.removal.selection import Selection
from rulemine.builder.rule_questions.kind import RuleKind
from rulemine.builder.structures.kind import StructureKind
from rulemine.release.question_set import QuestionSet

__all__ = ["Kind", "kind_of"]


class Kind(Protocol):
    """A kind of question. Options are plain JSON values, part of the keys of stages."""

    def without(self, recipe: Recipe) -> dict[str, str]:
        """The stages that builds of this kind do not have, each with the reason."""
        ...

    def options(self, inputs: Inputs) -> dict[str, Any]:
        """What the questions depend on, beside what those of every kind do."""
        ...

    def ask(
        self, inputs: Inputs, selection: Selection, progress: Callable[[int, int], None] | None
    ) -> QuestionSet:
        """The questions about what is removed, without splits unless they decide what is asked.

        Raises:
            UserError: There is none.
        """
        ...

    def limits(self, recipe: Recipe) -> dict[str, Any]:
        """The options that limit what questions may have in common."""
        ...

    def limited(self, recipe: Recipe, asked: QuestionSet) -> QuestionSet:
        """As many of the questions as these limits allow."""
        ...


_KINDS: dict[str, Kind] = {"rules": RuleKind(), "structures": StructureKind()}
"""`Recipe.kind` → the kind."""


def kind_of(recipe: Recipe) -> Kind:
    """The kind of question that a recipe asks."""
    return _KINDS[recipe.kind]
