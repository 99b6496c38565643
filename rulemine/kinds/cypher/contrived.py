"""Questions that nobody would ask: long lists, detours, well-known things by names of others.

Guarantee: judged on the graph given alone, by the number of things that a question matches there.
"""

from collections import Counter
from collections.abc import Collection
from functools import lru_cache

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

_TELLING = 0.29
"""To be joined to anything says enough of no more than this share of a type."""

_LEAST_JOINED = 10
"""Of fewer nodes it cannot be seen that most have the greatest number."""

_TWO_EDGES = ("(n)-(m0)-(m1*)", "(n)-(m0*),(n)-(m1*)", "(n)=(m0)")
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
        self._settled = lru_cache(_REMEMBERED)(self._same_number)
        self._between = lru_cache(_REMEMBERED)(lambda match: len(matched(graph, match, "m0").nodes))

    def of_pattern(self, match: MatchPattern, n: Collection[int]) -> bool:
        """Whether nobody would ask about a pattern with these distinct n, whatever is returned."""
        category = MATCHES[match.template].category
        if category == "(n)-(m0)":
            return len(n) > _TELLING * len(self._graph.of_type(match.nodes[0].type))
        if category in ("optional", "group-by"):
            first = match.edges[0]
            ends = match.named[first.subject].type, match.named[first.object].type
            if self._settled(ends[0], first.relation, ends[1], first.subject == "n"):
                return True
        if category == "optional":
            counts = m0_counts(self._graph, match).values()
            some = sum(count > 0 for count in counts)
            return max(counts) > _MOST_COUNTED or some < self._least_counted * len(counts)
        if category in ("group-by", "(n)-(m0)-(m1*)"):
            # "A country that borders Haiti", which only one does, is known by itself, and the continent of
            # the countries that border France is that of France.
            single = self._between(match) == 1 or len(n) == 1
            known = single and not self._realism.one(match, match.edges[1], "m0")
            there = not set(candidates(self._graph, match.nodes[2])).isdisjoint(n)
            return known or there or len(n) > _MOST_LED_TO
        return False

    def of_returned(self, match: MatchPattern, returned: str, n: Collection[int]) -> bool:
        """Whether what a RETURN template takes of a pattern is asked for by way of too much.

        Or of one thing that is known by itself: to find the country in which Sarnia is located is question
        enough, what it is like has nothing to do with Sarnia. Of two edges only names and numbers are asked
        for, and there and back by one relation only by way of one node, as the others in its country.
        """
        category = MATCHES[match.template].category
        if category == "(n)-(m0*)":
            return returned != "n_name" and self._realism.stands_in(match)
        if category in _TWO_EDGES and returned not in ("n_name", "n_agg"):
            return True
        if category != "(n)-(m0)-(m1*)":
            return False
        between, (first, last) = self._between(match), match.edges
        if first.relation == last.relation and match.nodes[0].type == match.nodes[2].type:
            return between > 1 or len(n) > _MOST_ALIKE
        one = self._realism.one(match, first, "n")
        if one and returned == "n_agg" and self._realism.one(match, first, "m0"):
            return True  # as many capitals as countries
        return between > _MOST_BETWEEN and not one

    def of_result(self, query: PatternQuery, n: Collection[int]) -> bool:
        """Whether nobody would ask a question of whose pattern nothing else is said.

        That is for the least of many; or, where two edges lead to them, for more than how many they are.

        Args:
            query: The question.
            n: The distinct n of its pattern.
        """
        match, result = query.match, query.result
        least = result.template == "n_argmax" and not result.descending
        if len(n) > _MOST_LED_TO and (least or result.aggregate == "min"):
            return True
        two = MATCHES[match.template].category in _TWO_EDGES
        return two and result.aggregate not in ("", "count")

    def _same_number(self, subject: str, relation: str, object_: str, forward: bool) -> bool:
        """Whether most of what is joined has the greatest number, as two parents; ``forward``: subjects."""
        _, subjects, objects = self._graph.of_signature(subject, relation, object_)
        sizes = Counter(Counter((subjects if forward else objects).tolist()).values())
        most = max(sizes, default=0)
        return sizes.total() >= _LEAST_JOINED and 2 * sizes[most] > sizes.total()
