"""What a kind of question decides in a build; all else is the same for every kind.

Graph, rules and removal, texts, splits, the release and its checks do not ask which kind a question is of,
except where a record of the kind is read.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rulemine.kinds.dealing import Dealable, Share, by_ratios
from rulemine.kinds.kind import Kind

if TYPE_CHECKING:  # a kind that is asked for its name or options loads nothing of this
    from rulemine.kinds.asking import Asking, Draft, Tried
    from rulemine.kinds.bounds import Bound
    from rulemine.release.records import Question, Rejection

__all__ = ["BuildingKind"]


class BuildingKind(Kind):
    """A kind of question in a build. It has a name and `drafts`; the rest has defaults."""

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
        """What no more than so many questions may have in common; by default near duplicates alone."""
        from rulemine.kinds.bounds import near

        return near(question, question.anchors)

    def finished(self, asking: "Asking", questions: "list[Question]") -> "list[Question]":
        """All questions, which have ids now, with what depends on these; by default as they are."""
        return questions
