"""The kind ``cypher`` in a build, see `rulemine.kinds.building`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulemine.codec import to_json
from rulemine.files import digest_of, read_text
from rulemine.kinds.building import BuildingKind
from rulemine.kinds.cypher.options import CypherSection

if TYPE_CHECKING:
    from rulemine.kinds.writing import Writing
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.card.kind_page import KindPage
    from rulemine.release.question_set import QuestionSet
    from rulemine.removal.selection import Selection

__all__ = ["KIND"]


class CypherKind(BuildingKind):
    """Questions over a property graph, as text and as Cypher; methods as of `BuildingKind`."""

    name = "cypher"
    Options = CypherSection

    @property
    def page(self) -> "KindPage":
        """See `rulemine.kinds.cypher.page`."""
        from rulemine.kinds.cypher.page import CYPHER_PAGE

        return CYPHER_PAGE

    def without(self, recipe: "Recipe") -> dict[str, str]:
        """Questions are balanced as they are made."""
        return {"balance": "its questions are balanced over the templates as they are made"}

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """The graph with its values, and the section of the recipe."""
        chosen = to_json(inputs.recipe.own)
        for name in ("characteristics", "value_rules"):
            if given := chosen.pop(name):
                chosen[name] = digest_of(read_text(Path(given)).encode())
        section = inputs.recipe.questions
        return {
            "cypher": chosen,
            "split": [section.split, section.ratios, section.test_core, section.max_facts],
            "core_only": section.core_only,
            "graph": inputs.graph_digest,
            "excluded": sorted(inputs.excluded),
        }

    def ask(
        self,
        inputs: "Inputs",
        selection: "Selection",
        progress: Callable[[int, int], None] | None,
        writing: "Writing",
    ) -> "QuestionSet":
        """See `rulemine.kinds.cypher.ask.ask_cypher`."""
        from rulemine.kinds.cypher.ask import ask_cypher

        return ask_cypher(inputs, selection, progress)


KIND = CypherKind()
