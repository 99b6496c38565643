"""SPARQL as people and models write it: the same query in one style or another.

`rulemine.query.sparql` writes one form, which readers can rely on. What reads the SPARQL of others needs to
be tried with more.
"""

from itertools import count

from rulemine.query.links import parts_of
from rulemine.query.sparql import entity_iri, relation_iri
from rulemine.query.tree import Anchor, Count, Difference, Projection, Query
from rulemine.seeds import Stream

__all__ = ["sparql_in_some_style"]


def sparql_in_some_style(query: Query, random: Stream) -> str:
    """A query in SPARQL, in a style that is drawn: line breaks, paths, inverse paths, names of variables.

    Args:
        query: A tree of projections and intersections; a difference or a count only outermost.
        random: Draws the style.
    """
    return _Style(random).text(query)


class _Style:
    def __init__(self, random: Stream) -> None:
        self._random = random
        self._answer = ("?answer", "?x", "?item")[random.below(3)]
        self._paths, self._lines, self._distinct = (random.below(2) == 1 for _ in range(3))
        self._number = count(1)

    def text(self, query: Query) -> str:
        of = query.of if isinstance(query, Count) else query
        kept, taken = (of.of, of.minus) if isinstance(of, Difference) else (of, None)
        lines = self._patterns(kept, self._answer)
        if taken is not None:
            lines.append(f"FILTER NOT EXISTS {{ {' '.join(self._patterns(taken, self._answer))} }}")
        select = f"{'DISTINCT ' * self._distinct}{self._answer}"
        if isinstance(query, Count):
            select = f"(COUNT(DISTINCT {self._answer}) AS ?value)"
        between = "\n  " if self._lines else " "
        return (
            f"SELECT {select} WHERE {{{between}{between.join(lines)}{between.rstrip(' ') or ' '}}}"
        )

    def _patterns(self, query: Query, variable: str) -> list[str]:
        """The patterns that bind a variable to what a query gives."""
        if not isinstance(query, Projection):
            return [line for part in parts_of(query) for line in self._patterns(part, variable)]
        steps, below = [query], query.of
        while self._paths and isinstance(below, Projection):
            steps.append(below)
            below = below.of
        if isinstance(below, Anchor):
            start, lines = f"<{entity_iri(below.entity)}>", []
        else:
            start = f"?v{next(self._number)}"
            lines = self._patterns(below, start)
        back = self._random.below(2) == 1 if len(steps) > 1 else steps[0].inverse
        if len(steps) == 1 and self._random.below(4) == 0:
            back = not back
        if back:
            path = "/".join("^" * (not s.inverse) + f"<{relation_iri(s.relation)}>" for s in steps)
            return [*lines, f"{variable} {path} {start} ."]
        steps.reverse()
        path = "/".join("^" * s.inverse + f"<{relation_iri(s.relation)}>" for s in steps)
        return [*lines, f"{start} {path} {variable} ."]
