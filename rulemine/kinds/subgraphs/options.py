"""The section ``subgraphs`` of a recipe."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.kinds.kind import TEST_CORE, KindOptions

__all__ = ["SubgraphSection"]


@dataclass(frozen=True, slots=True)
class SubgraphSection(KindOptions):
    """How many questions there are, and where their subgraphs start; for the kind ``subgraphs`` alone.

    Attributes:
        questions: Questions of the release at most.
        start: From what a tree is drawn: from ``any`` triple, or from a ``removed`` one, where there is one.
            What is drawn for the core has a removed triple of the core.
        joins: ``fb15k237``, ``demo`` or a TOML file of joins that people make, along which trees are drawn;
            empty: over all.
        test_share: Fraction of the questions that are test questions; more where the core needs it.
    """

    nodes: ClassVar[int] = 10
    """A subgraph gets entities until it has so many."""

    edges: ClassVar[int] = 30
    """Or so many triples; the last entity may bring more."""

    max_answers: ClassVar[int] = 10
    """Most answers of a question."""

    max_evidence: ClassVar[int] = 100
    """Most triples in the derivations of all answers of a question."""

    reserved_shapes: ClassVar[tuple[str, ...]] = (
        "(2)(2)", "(3)(1)", "((1)(1))", "((2)(1))", "((1)(1))(1)", "(2(1)(1))", "(4)", "(1)(1)(1)(1)",
    )  # fmt: skip
    """The shapes that only the test split may have, as in GTSQA."""

    fixed_values: ClassVar = ("nodes", "edges", "max_answers", "max_evidence", "reserved_shapes")

    drafted: ClassVar = (
        ("subgraphs.start", "removed", "from any entity, few questions would miss something"),
        ("subgraphs.test_share", 0.4, "with less, test has no core to speak of"),
        TEST_CORE,
    )

    questions: int = option(1000, least=1)
    start: str = option("any", choices=("any", "removed"))
    joins: str = option("", file=True, packaged="joins.toml")
    test_share: float = option(0.05, above=0, most=0.5)

    def check(self, recipe: Any) -> None:
        """See `KindOptions.check`."""
        KindOptions.check(self, recipe)
        if recipe.questions.split == "group":
            recipe.refuse(
                ("questions.ratios",),
                f"groups of the kind {recipe.kind} are sized by subgraphs.test_share. Leave it out.",
            )
