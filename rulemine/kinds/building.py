"""What a kind of question decides in a build; all else is the same for every kind.

Graph, rules and removal, texts, splits, the release and its checks do not ask which kind a question is of,
except where a record of the kind is read.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rulemine.config import keys_of
from rulemine.files import digest_of, read_text
from rulemine.kinds.dealing import Dealable, Share, by_ratios
from rulemine.kinds.kind import Kind
from rulemine.kinds.registry import KINDS
from rulemine.registry import packaged_or_given

if TYPE_CHECKING:  # a kind that is asked for its name or options loads nothing of this
    from rulemine.kinds.asking import Asking, Draft, Tried
    from rulemine.kinds.bounds import Bound
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe
    from rulemine.release.records import Question, Rejection

__all__ = ["BuildingKind", "kind_of"]


class BuildingKind(Kind):
    """A kind of question in a build. Options are plain JSON values, part of the keys of stages."""

    page = "kinds/query_page.md"

    def options(self, inputs: "Inputs") -> dict[str, Any]:
        """What the questions depend on, beside what those of every kind do.

        By default the section of the recipe, with digests of files, the splits, the relations that are left
        out, what only the kind reads, and what a model is told that writes.
        """
        recipe, section = inputs.recipe, inputs.recipe.own.portable()
        chosen, read = recipe.questions, {key for one in self.inputs for key in one.keys}
        for key in keys_of(recipe.own, f"{recipe.kind}."):
            name = key.path[-1]
            if key.name in read:
                del section[name]  # its digest says more
            elif key.option.file and section[name]:
                path = packaged_or_given(section[name], key.option.packaged)
                section[name] = digest_of(read_text(path).encode())
        return {
            recipe.kind: section,
            "splits": [chosen.split, chosen.test_core, *chosen.ratios, chosen.max_facts],
            "excluded": sorted(inputs.excluded),
            **inputs.digests(),
            **({"naming": recipe.naming, **inputs.model_options()} if self.wording.writes else {}),
        }

    def drafts(self, asking: "Asking") -> "Iterator[Tried | Draft | Question | Rejection | str]":
        """What may become a question, and why the rest does not, see `rulemine.kinds.asking`.

        Raises:
            UserError: There is no question, and the kind says why.
        """
        raise NotImplementedError

    def parts(self, asking: "Asking") -> Mapping[Hashable, int]:
        """How many questions of each part are wanted, over all splits; empty: all that is found is asked."""
        return {}

    def plan(self, asking: "Asking", candidates: Sequence[Dealable]) -> Mapping[str, Share]:
        """Split → its share, see `rulemine.kinds.dealing`; by default by the ratios of the recipe."""
        return by_ratios(asking.parts, candidates, asking.recipe.questions)

    def marks(self, question: "Question") -> Iterable[Hashable]:
        """What only one split may have, such as the anchors of its questions."""
        return ()

    def bounds(self, asking: "Asking", question: "Question", split: str) -> "Iterable[Bound]":
        """What no more than so many questions may have in common."""
        return ()

    def constants(self, question: "Question") -> Sequence[str]:
        """The constants of a query: no two questions with the same answers have two in common."""
        return question.anchors

    def worded(self, asking: "Asking", question: "Question") -> "Question | Rejection":
        """A question that is about to be asked, in words; or why it cannot have them."""
        return asking.texts.from_template(question)

    def finished(self, asking: "Asking", questions: "list[Question]") -> "list[Question]":
        """All questions, which have ids now, with what depends on these; by default as they are."""
        return questions


def kind_of(recipe: "Recipe") -> BuildingKind:
    """The kind of question that a recipe asks."""
    return cast(BuildingKind, KINDS.find(recipe.kind))
