"""What recipes of the kind ``rules`` lack; they have no section of their own."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.errors import ConfigError
from rulemine.kinds.kind import ONE_WRITER, KindOptions

__all__ = ["RuleSection"]


@dataclass(frozen=True, slots=True)
class RuleSection(KindOptions):
    """No options: the kind ``rules`` has those of the sections ``questions`` and ``selection``."""

    lacks: ClassVar = ONE_WRITER
    drafted: ClassVar = (
        ("questions.test_core", 500, "two systems nine points apart can be told apart"),
    )

    def check(self, recipe: Any) -> None:
        """See `KindOptions.check`."""
        KindOptions.check(self, recipe)
        if recipe.selection.mode == "none":
            raise ConfigError(
                f"selection.mode: is none (selection.share is 0), and questions of the kind {recipe.kind} "
                "ask for removed triples. Name another kind (--kind structures), or remove something."
            )
