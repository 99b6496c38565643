"""The section ``subgraphs`` of a recipe."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.kinds.kind import TEST_CORE, KindOptions

__all__ = ["MOST_TRIPLES", "RESERVED_SHAPES", "SubgraphSection"]

MOST_TRIPLES = 6
"""Triples of a question at most: SynthKGQA's table of shapes ends there."""

RESERVED_SHAPES = (
    "(2)(2)", "(3)(1)", "((1)(1))", "((2)(1))", "((1)(1))(1)", "(2(1)(1))", "(4)", "(1)(1)(1)(1)",
)  # fmt: skip
"""The shapes that GTSQA keeps for its test split."""


def _are_shapes(shapes: tuple[str, ...]) -> bool:
    if {*shapes} <= {*RESERVED_SHAPES}:
        return True  # without loading what queries need
    from rulemine.query.structures import tree_shapes

    return all("{" in shape or shape in tree_shapes(MOST_TRIPLES) for shape in shapes)


@dataclass(frozen=True, slots=True)
class SubgraphSection(KindOptions):
    """How subgraphs are sampled and questions about them validated; for the kind ``subgraphs`` alone.

    Attributes:
        questions: Questions of the release at most.
        candidates: Candidates that are written at most; 0: twenty for each question.
        nodes: A subgraph grows until it has so many entities.
        edges: Or so many triples; the last entity may bring more.
        sampling: How entities are drawn: ``degree`` (by a softmax of ``degree_bias`` / degree, Algorithm 1
            of SynthKGQA), ``uniform``, or ``breadth`` (breadth first).
        degree_bias: How much entities of low degree are preferred; at 1, as published, an entity with one
            triple is e times as likely as one with very many.
        start: Where a subgraph starts: at ``any`` entity, or at an end of a ``removed`` triple, where
            anything is removed. What is drawn for the core of test starts at a removed triple of the core.
        atoms: Numbers of triples that questions are written from, drawn evenly; each up to 6.
        grow: Fraction of the candidates whose subgraph is grown from that of an accepted question, by one
            triple at an anchor or at the answer.
        count_share: Fraction of the candidates that ask how many.
        without_share: Fraction of the candidates that leave some answers out (FILTER NOT EXISTS).
        max_answers: Most answers of a question.
        max_evidence: Most triples in the derivations of all answers of a question.
        minimal: Whether every topic entity of a question is needed: none can be left out without changing the
            answers. Otherwise training questions may have idle ones, as in GTSQA; test questions never have.
        joins: ``fb15k237`` or a TOML file of joins that people make, over which the scripted writer asks as
            far as they give enough; empty: over all.
        seconds: Seconds that a query written for a question may take.
        rows: Rows that it may give.
        examples: Examples in a prompt.
        training_relations: Fraction of the relations, the most frequent first, that training may have.
        reserved_shapes: Shape codes that only the test split may have.
        test_share: Fraction of the questions that are test questions; more where the core needs it.
        per_cell: Test questions of each shape and generalization class at most, and a twentieth of the
            test split where that is less; of the core always up to this number.
    """

    drafted: ClassVar = (
        ("subgraphs.start", "removed", "from any entity, few questions would miss something"),
        ("subgraphs.grow", 0.05, "what is grown often loses the missing link"),
        ("subgraphs.test_share", 0.4, "with less, test has no core to speak of"),
        TEST_CORE,
    )

    questions: int = option(1000, least=1)
    candidates: int = option(0, least=0)
    nodes: int = option(10, least=2)
    edges: int = option(30, least=1)
    sampling: str = option("degree", choices=("degree", "uniform", "breadth"))
    degree_bias: float = option(1.0, least=0, most=100)
    start: str = option("any", choices=("any", "removed"))
    atoms: tuple[int, ...] = option(
        (1, 2, 3, 4, 5, 6),
        least=1,
        most=MOST_TRIPLES,
        fits_too=lambda sizes: 0 < len(sizes) == len(set(sizes)),
        expected=f"a list of different integers from 1 to {MOST_TRIPLES}",
    )
    grow: float = option(0.2, least=0, most=1)
    count_share: float = option(0.05, least=0, most=0.5)
    without_share: float = option(0.05, least=0, most=0.5)
    max_answers: int = option(10, least=1)
    max_evidence: int = option(100, least=1)
    minimal: bool = option(True)
    joins: str = option("", file=True, packaged="joins.toml")
    seconds: float = option(10.0, above=0)
    rows: int = option(1000, least=1)
    examples: int = option(2, least=0, most=10)
    training_relations: float = option(0.54, above=0, most=1)
    reserved_shapes: tuple[str, ...] = option(
        RESERVED_SHAPES,
        fits_too=_are_shapes,
        expected=f"shape codes of 1 to {MOST_TRIPLES} triples, longer branches first: (2)(1), not (1)(2)",
    )
    test_share: float = option(0.05, above=0, most=0.5)
    per_cell: int = option(45, least=1)

    def check(self, recipe: Any) -> None:
        """See `KindOptions.check`."""
        KindOptions.check(self, recipe)
        if recipe.questions.split == "group":
            recipe.refuse(
                ("questions.ratios",),
                f"groups of the kind {recipe.kind} are sized by subgraphs.test_share. Leave it out.",
            )
