"""Whether the chains of a query join links as people do, see `rulemine.recipe.joins`."""

from rulemine.kg.facts import Declarations
from rulemine.query.links import expanded, linked, parts_of
from rulemine.query.tree import Projection, Query
from rulemine.recipe.joins import Joins, Link

__all__ = ["LONG", "has_listed_chains", "height"]

LONG = 3
"""The links of a chain from which on its joins must be for chains."""


def has_listed_chains(query: Query, joins: Joins, declarations: Declarations) -> bool:
    """Whether every link of a query goes on from another as a list has it."""
    return _is_listed(linked(expanded(query, declarations), declarations), joins, None, 0)


def _is_listed(query: Query, joins: Joins, above: Link | None, length: int) -> bool:
    """Whether a part is, from which a link goes on; of so many links in all to the answer."""
    if isinstance(query, Projection):
        link = query.relation, query.inverse
        pairs = joins.chains if length + height(query) >= LONG else joins.after
        fits = above is None or (link, above) in pairs
        return fits and _is_listed(query.of, joins, link, length + 1)
    return all(_is_listed(part, joins, above, length) for part in parts_of(query))


def height(query: Query) -> int:
    """The links of the longest chain of a query."""
    below = max(map(height, parts_of(query)), default=0)
    return below + isinstance(query, Projection)
