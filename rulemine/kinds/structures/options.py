"""The section ``structures`` of a recipe."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.errors import ConfigError
from rulemine.kinds.kind import KindOptions

__all__ = ["NAMES", "StructureSection"]

NAMES = ("1p", "2p", "3p", "2i", "3i", "ip", "pi", "2u", "up")
"""The structures, see `rulemine.query.structures.STRUCTURES`, which loads numpy."""


@dataclass(frozen=True, slots=True)
class StructureSection(KindOptions):
    """Which questions are sampled; for the kind ``structures`` alone.

    Attributes:
        names: The structures, of ``1p 2p 3p 2i 3i ip pi 2u up``.
        per_structure: Questions of each structure at most.
        missing: How many links the hard answers miss: ``balanced`` (equal numbers of questions for each
            number from 0, as far as the graph has them), ``full`` (every link of the hard answer's derivation
            is missing) or ``any`` (as sampling finds them).
        max_share: Largest fraction of the questions of a structure that may have an anchor, a relation or
            an answer in common.
        max_answers: Most answers of a question.
        max_evidence: Most triples in the derivations of all answers of a question.
        anchors: A file of entities, one a line, from which anchors are drawn; empty: all.
        min_degree: Fewest triples of an anchor.
        max_degree: Most triples of an anchor; 0: no limit.
        joins: ``fb15k237`` or a TOML file of joins that people make, over which queries of more than one link
            are drawn as far as they give enough; empty: over all.
        disjoint_answers: Whether the splits share no answer either, beside no anchor.
    """

    drafted: ClassVar = (
        ("questions.test_core", 360, "two systems ten points apart can be told apart"),
    )

    names: tuple[str, ...] = option(
        NAMES,
        fits_too=lambda names: 0 < len(names) == len(set(names)) and {*names} <= {*NAMES},
        expected=f"a list of different structures, of {', '.join(NAMES)}",
    )
    per_structure: int = option(1000, least=1)
    missing: str = option("balanced", choices=("balanced", "full", "any"))
    max_share: float = option(0.2, above=0, most=1)
    max_answers: int = option(20, least=1)
    max_evidence: int = option(100, least=1)
    anchors: str = option("", file=True)
    min_degree: int = option(0, least=0)
    max_degree: int = option(0, least=0)
    joins: str = option("", file=True, packaged="joins.toml")
    disjoint_answers: bool = option(False)

    @property
    def parts(self) -> int:
        """The structures."""
        return len(self.names)

    def check(self, recipe: Any) -> None:
        """See `KindOptions.check`."""
        KindOptions.check(self, recipe)
        if self.max_degree and self.max_degree < self.min_degree:
            raise ConfigError(
                f"structures.max_degree is {self.max_degree}, below structures.min_degree "
                f"({self.min_degree}): no entity could be an anchor. Raise it; 0: no limit."
            )
        if self.missing == "full" and recipe.selection.mode == "none":
            raise ConfigError(
                "structures.missing: is full, and nothing is removed (selection.mode is none). Leave one out."
            )
        if self.disjoint_answers and recipe.questions.split != "group":
            raise ConfigError(
                f"structures.disjoint_answers: questions.split is {recipe.questions.split}, which keeps "
                "nothing apart. Leave one of them out."
            )
