"""The figures of a release of the kind ``structures``: its paper's statistics, of all nine structures."""

from rulemine.kinds.query_figures import figures_of_queries
from rulemine.query.structures import STRUCTURES
from rulemine.release.card.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = tuple(figures_of_queries(STRUCTURES))
