"""The options of question graphs with their evidence; apart, since reading a command line loads no numpy."""

from dataclasses import dataclass

from rulemine.config import Section, option

__all__ = ["QuestionGraphOptions"]


@dataclass(frozen=True, slots=True)
class QuestionGraphOptions(Section):
    """How large question graphs are.

    Attributes:
        hops: Steps from the topic entities that the neighborhood reaches at least; more for longer queries.
        entities: Entities that PageRank leaves at most.
        triples: Triples between them at most; evidence and confounders come on top.
        seed: For the order of the triples.
    """

    hops: int = option(3, least=1, most=100, flag=True)
    entities: int = option(2500, least=1, most=10_000_000, flag=True)
    triples: int = option(30_000, least=1, most=100_000_000, flag=True)
    seed: int = option(0, least=0, most=2**63 - 1, flag=True)
