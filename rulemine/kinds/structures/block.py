"""What only questions of the kind ``structures`` have."""

from dataclasses import dataclass

__all__ = ["StructureBlock"]


@dataclass(frozen=True, slots=True)
class StructureBlock:
    """What only a question of the kind ``structures`` has.

    Attributes:
        answer_types: The types that all answers share, sorted (see `rulemine.kg.entity_types`).
    """

    answer_types: tuple[str, ...]
