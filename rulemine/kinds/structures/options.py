"""The section ``structures`` of a recipe, and what only questions of this kind have."""

from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import option
from rulemine.kinds.group import STRUCTURE
from rulemine.kinds.kind import KindOptions

__all__ = ["NAMES", "StructureBlock", "StructureSection"]

NAMES = STRUCTURE.names
"""The structures, see `rulemine.query.structures.STRUCTURES`."""


@dataclass(frozen=True, slots=True)
class StructureSection(KindOptions):
    """Which questions are sampled; for the kind ``structures`` alone.

    Attributes:
        names: The structures, of ``1p 2p 3p 2i 3i ip pi 2u up``.
        per_structure: Questions of each structure at most; a build says of which there are fewer.
        max_share: Largest fraction of the questions of a structure that may have an anchor or an answer in
            common.
        joins: ``fb15k237`` or a TOML file of joins that people make, over which queries of more than one link
            are drawn; empty: over those that templates and graph show people to make.
    """

    max_answers: ClassVar[int] = 20
    """Most answers of a question."""

    max_evidence: ClassVar[int] = 100
    """Most triples in the derivations of all answers of a question."""

    fixed_values: ClassVar = ("max_answers", "max_evidence")

    drafted: ClassVar = (
        ("questions.test_core", 360, "two systems ten points apart can be told apart"),
        (
            "structures.names",
            ["1p", "2p", "2i", "3i", "ip", "2u"],
            "the others read well over listed joins alone",
        ),
    )

    names: tuple[str, ...] = option(
        NAMES,
        fits_too=lambda names: 0 < len(names) == len(set(names)) and {*names} <= {*NAMES},
        expected=f"a list of different structures, of {', '.join(NAMES)}",
    )
    per_structure: int = option(1000, least=1)
    max_share: float = option(0.2, above=0, most=1)
    joins: str = option("", file=True, packaged="joins.toml")

    @property
    def parts(self) -> int:
        """The structures."""
        return len(self.names)


@dataclass(frozen=True, slots=True)
class StructureBlock:
    """What only a question of the kind ``structures`` has.

    Attributes:
        answer_types: The types that all answers share, sorted (see `rulemine.kg.entity_types`).
    """

    answer_types: tuple[str, ...]
