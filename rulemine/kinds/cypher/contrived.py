"""Questions that nobody would ask: long lists, detours, well-known things by names of others.

Guarantee: judged on the graph given alone, by the number of things that a question matches there.
"""

from collections import Counter
from collections.abc import Collection
from functools import lru_cache

from rulemine.cypher.questions.evaluator import Rows, evaluate
from rulemine.cypher.questions.joins import candidates, m0_counts, matched
from rulemine.cypher.questions.pattern import MatchPattern, PatternQuery
from rulemine.cypher.questions.templates import MATCHES
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.realism import Realism

__all__ = ["ContrivedPatterns"]

_MOST_LED_TO = 50
"""Two edges lead to at most so many: nobody asks for the cities of all neighbors of a country."""

_MOST_ALIKE = 15
"""To at most so many others that share something with the one named."""

_MOST_BETWEEN = 6
"""By way of at most so many, unless each of them leads to one."""

_MOST_COUNTED = 300
"""For each n at most so many m0 are counted."""

_AT_ONCE = 0.25
"""What leads to so many of those next to the one named is a detour."""

_TELLING = 0.1
"""To be joined to anything says enough of no more than this share of a type."""

_SAYS_ENOUGH = 0.6
"""Of others it says enough if it leaves at most this share of the rows that there are without it."""

_LEAST_JOINED = 10
"""Of fewer nodes it cannot be seen that most have the greatest number."""

_MOST_OF_VALUES = 3
"""The distinct values of what a chain leads to are asked for if it goes by way of at most so many."""

_VALUES = ("n_prop_distinct", "n_prop_array_distinct")
_REMEMBERED = 4096


class ContrivedPatterns:
    """Finds questions that nobody would ask: long lists, detours, well-known things by names of others.

    They are judged on the graph given alone, by the number of things that a question matches there.

    Args:
        graph: The graph.
        realism: Says of which ends there is one.
        least_counted: The fraction of the n that have some m0 at least, where these are counted for each n.
    """

    def __init__(self, graph: PropertyGraph, realism: Realism, least_counted: float = 0) -> None:
        self._graph = graph
        self._realism = realism
        self._least_counted = least_counted
        self._relations = sorted({row.label for row in graph.schema.relations})
        self._settled = lru_cache(_REMEMBERED)(self._same_number)
        self._between = lru_cache(_REMEMBERED)(lambda match: len(matched(graph, match, "m0").nodes))

    def of_pattern(self, match: MatchPattern, n: Collection[int]) -> bool:
        """Whether nobody would ask about a pattern with these distinct n, whatever is returned."""
        category = MATCHES[match.template].category
        if category in ("optional", "group-by"):
            first = match.edges[0]
            ends = match.named[first.subject].type, match.named[first.object].type
            if self._settled(ends[0], first.relation, ends[1], first.subject == "n"):
                return True
        if category == "optional":
            counts = m0_counts(self._graph, match).values()
            some = sum(count > 0 for count in counts)
            return max(counts) > _MOST_COUNTED or some < self._least_counted * len(counts)
        if category == "group-by":
            return len(n) > _MOST_LED_TO or self._detour(match, n)
        if category == "(n)-(m0)-(m1*)":
            # "A country that borders Haiti", which only one does, is known by itself.
            known = self._between(match) == 1 and not self._realism.one(match, match.edges[1], "m0")
            return len(n) > _MOST_LED_TO or known or self._detour(match, n)
        return False

    def of_returned(self, match: MatchPattern, returned: str, n: Collection[int]) -> bool:
        """Whether what a RETURN template takes of a pattern is asked for by way of too much.

        Or of one thing that is known by itself: to find the country in which Sarnia is located is question
        enough, what its neighbors are like has nothing to do with Sarnia.
        """
        if MATCHES[match.template].category != "(n)-(m0)-(m1*)":
            return False
        between = self._between(match)
        if between == 1:
            alike = match.nodes[0].type == match.nodes[2].type
            return returned not in ("n_name", "n_agg") or (alike and len(n) > _MOST_ALIKE)
        if returned in _VALUES:
            return between > _MOST_OF_VALUES
        return between > _MOST_BETWEEN and not self._realism.one(match, match.edges[0], "n")

    def of_result(self, query: PatternQuery, rows: Rows, n: Collection[int]) -> bool:
        """Whether nobody would ask a question of whose pattern nothing else is said.

        Args:
            query: The question.
            rows: Its rows on the graph.
            n: The distinct n of its pattern.
        """
        match, result = query.match, query.result
        category = MATCHES[match.template].category
        if category == "(n)-(m0)-(m1*)" and result.template == "n_agg":
            return result.aggregate != "count" and self._between(match) == 1
        return category == "(n)-(m0)" and self._says_little(query, rows, n)

    def _says_little(self, query: PatternQuery, rows: Rows, n: Collection[int]) -> bool:
        """Whether most of the rows would be there without the edge."""
        match, result = query.match, query.result
        size = len(self._graph.of_type(match.nodes[0].type))
        if len(n) <= _TELLING * size:
            return False
        if result.template == "n_agg" and result.aggregate == "count":
            return len(n) > _SAYS_ENOUGH * size
        alone = MatchPattern("(n)", match.nodes[:1], ())
        without = evaluate(self._graph, PatternQuery(alone, result))
        if result.template == "n_argmax":
            return not set(rows.tied).isdisjoint(without.tied)
        if result.template == "n_agg":
            return rows.rows == without.rows
        return len(rows.rows) > _SAYS_ENOUGH * len(without.rows)

    def _detour(self, match: MatchPattern, n: Collection[int]) -> bool:
        """Whether the one named is an n, or one edge from some n: aunts and uncles of one's children."""
        named = candidates(self._graph, match.nodes[2])
        if not set(named).isdisjoint(n):
            return True
        if len({node.type for node in match.nodes}) > 1:
            return False
        near = {
            end
            for at in named
            for relation in self._relations
            for joined in (self._graph.leading_in, self._graph.leading_out)
            for _, end in joined(at, relation)
        }
        return len(near.intersection(n)) >= _AT_ONCE * len(n)

    def _same_number(self, subject: str, relation: str, object_: str, forward: bool) -> bool:
        """Whether most of what is joined has the greatest number, as two parents; ``forward``: subjects."""
        _, subjects, objects = self._graph.of_signature(subject, relation, object_)
        sizes = Counter(Counter((subjects if forward else objects).tolist()).values())
        most = max(sizes, default=0)
        return sizes.total() >= _LEAST_JOINED and 2 * sizes[most] > sizes.total()
