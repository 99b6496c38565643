"""What the kinds have in common, in a build, whose questions are written for a subgraph."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.group import STRUCTURE, Group
from rulemine.kinds.kind import Wording
from rulemine.registry import loaded

if TYPE_CHECKING:
    from rulemine.kinds.asking import Asking, Tried
    from rulemine.recipe.inputs import Inputs
    from rulemine.release.records import Question
    from rulemine.removal.selection import Selection

__all__ = ["GROUPS", "WrittenKind", "WrittenWording"]

GROUPS = (
    STRUCTURE,
    Group("triples", "triples that the writer used", lambda q, _: str(len(q.block.triples))),
)
"""What results are broken down by."""


@dataclass(frozen=True)
class WrittenWording(Wording):
    """How a model writes questions.

    Attributes:
        engine: Where the class of the engine is, ``module:NAME``, see `rulemine.kinds.written.engine`.
        takes: Where the function is that estimates what it takes of models, given an engine and the journal.
    """

    engine: str
    takes: str
    writes = True
    prompts = "kinds/written/written.toml"

    def estimate(
        self, inputs: "Inputs", selection: "Selection", folder: Path, replay: Path | None
    ) -> str:
        """What `takes` says of the engine and of the calls that the journal has."""
        from rulemine.kinds.asking import Asking
        from rulemine.kinds.writing import kept_calls

        with kept_calls(folder, replay) as journal:
            return str(
                loaded(self.takes)(
                    loaded(self.engine)(Asking(inputs, selection)), journal
                ).to_text()
            )


class WrittenKind(BuildingKind):
    """Questions that a writer asks, each for a subgraph; methods as of `BuildingKind`."""

    wording: ClassVar[WrittenWording]

    def drafts(self, asking: "Asking") -> "Iterator[Tried]":
        """See `rulemine.kinds.written.engine`."""
        yield from loaded(self.wording.engine)(asking).drafts()

    def finished(self, asking: "Asking", questions: "list[Question]") -> "list[Question]":
        """The questions; calls that were made for one know its id now."""
        ids = {q.query: q.id for q in questions}
        for queries in asking.writing.calls.values():
            known = [ids[query] for query in queries & ids.keys()]
            queries.clear()
            queries.update(known)
        return questions
