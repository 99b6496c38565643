"""The section ``cypher`` of a recipe."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.kinds.kind import TEST_CORE, KindOptions

__all__ = ["SPLIT_WAYS", "CypherSection"]

SPLIT_WAYS = ("signature", "domain", "question")
"""What stays together in splits: questions of one signature, of one domain, or of the same matches."""


@dataclass(frozen=True, slots=True)
class CypherSection(KindOptions):
    """Which questions are asked of a property graph; for the kind ``cypher`` alone.

    Attributes:
        per_template: Questions of each MATCH template at most.
        max_rows: Most rows of a result.
        split_by: Which questions are in one split, if ``questions.split`` is ``group``: those of a type
            ``signature`` (relations and the types that they join), of a ``domain`` (the type of what is asked
            for), or of the same matches (``question``).
        uncounted: Types whose nodes are not what people count, as the identifiers of time zones: no
            question asks how many of them there are, names one, or leads through one. And relations by
            which nobody counts for each of several nodes.
        least_counted: Where something is counted for each of several nodes, the fraction of these that have
            some of it at least: lists of zeros are no answers.
    """

    max_evidence: ClassVar[int] = 100
    """Most triples of full evidence; of more, only the evidence is kept."""

    fixed_values: ClassVar = ("max_evidence",)

    drafted: ClassVar = (
        ("cypher.max_rows", 50, "nobody names more"),
        (
            "cypher.split_by",
            "question",
            "by signature, a relation of one signature is in one split",
        ),
        ("cypher.least_counted", 0.5, "nobody asks for counts that are mostly zero"),
        TEST_CORE,
    )

    per_template: int = option(40, least=1)
    max_rows: int = option(1000, least=1)
    split_by: str = option("signature", choices=SPLIT_WAYS)
    uncounted: tuple[str, ...] = option(())
    least_counted: float = option(0.0, least=0, most=1)

    @property
    def parts(self) -> int:
        """The MATCH templates."""
        from rulemine.cypher.questions.templates import MATCHES

        return len(MATCHES)

    def portable(self) -> dict[str, Any]:
        """See `KindOptions.portable`; without what leaves nothing out."""
        plain = KindOptions.portable(self)
        return {k: v for k, v in plain.items() if v or k not in ("uncounted", "least_counted")}
