"""Parts of a question that do nothing: the same would be answered without them.

Guarantee: judged on the graph given alone, by what it matches there.
"""

from collections import Counter
from collections.abc import Collection, Sequence, Set
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.cypher.questions.evaluator import Row, Rows, evaluate, projected_of
from rulemine.cypher.questions.joins import candidates, m0_counts, matched
from rulemine.cypher.questions.pattern import MatchPattern, PatternEdge, PatternQuery
from rulemine.cypher.questions.templates import MATCHES
from rulemine.cypher.rows import row_text
from rulemine.kg.property_graph.graph import PropertyGraph

__all__ = ["LEAST_COMPARED", "IdlePatterns", "compares"]

LEAST_COMPARED = 3
"""What is sorted, compared or grouped needs so many, with two different values among them."""

_FEW = 0.25
"""What shares something with the node named is asked for where it is no more than this of its type."""

_ARROWS = {"→": "->", "←": "<-"}

_BRANCHING = ("(n)-(m0*),(n)-(m1*)", "(n)=(m0)")
"""The categories whose n have to be at the end of both of two edges."""

_DISTINCT = ("n_prop_distinct", "n_prop_array_distinct")
_BY_NODE = ("n_name", "n_name_prop", "n_order_by", "n_where", *_DISTINCT)
"""RETURN templates of which each n gives rows of its own, as texts or each text once."""

_FIRST = 64
_REMEMBERED = 4096

Ints = npt.NDArray[np.int64]


def compares(values: Sequence[object]) -> bool:
    """Whether there are enough values to sort, compare or group by."""
    known = [value for value in values if value is not None]
    return len(known) >= LEAST_COMPARED and len(set(known)) > 1


class IdlePatterns:
    """Finds idle parts on one graph.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: PropertyGraph) -> None:
        self._graph = graph
        self._range = lru_cache(_REMEMBERED)(self._all_at)
        self._matched = lru_cache(_REMEMBERED)(self._all_n)
        self._answered = lru_cache(_REMEMBERED)(partial(evaluate, graph))

    def of_pattern(self, match: MatchPattern) -> bool:
        """Whether a pattern has an idle part whatever is returned of it.

        That is a step that leads from a fixed node to all that its relation ever leads to; steps are the
        edges to fixed nodes and, of chains, those to what these lead to. Where m0 are counted for each n, it
        is also that there is too little to count, or that one relation leads there and back to very many n.
        """
        reached: dict[str, Set[int]] = {
            variable: set(candidates(self._graph, node))
            for variable, node in match.named.items()
            if node.fixed
        }
        for number, edge in reversed([*enumerate(match.edges)]):
            near, far = match.category.shape[number]
            if far not in reached:
                continue
            found = self._led_to(match, edge, near, reached[far])
            if len(found) >= self._range(*_signature(match, edge), edge.subject == near):
                return True
            reached.setdefault(near, found)
        if MATCHES[match.template].category not in ("optional", "group-by"):
            return False
        counts = [*m0_counts(self._graph, match).values()]
        if match.template.endswith("by n") and len(set(match.relations)) == 1:
            size = len(self._graph.of_type(match.nodes[0].type))
            if len(counts) > _FEW * size:
                return True
        return not compares(counts)

    def of_result(
        self, query: PatternQuery, rows: Rows, matched: Collection[int] | None = None
    ) -> bool:
        """Whether there is too little to group or sort, or one of two conditions changes no row.

        What is subtracted from something smaller is idle, too.

        Args:
            query: A question.
            rows: Its rows on the graph.
            matched: The distinct n of its pattern, where they are known.
        """
        result, match = query.result, query.match
        if result.template == "comparison_arithmetic" and repr(rows.rows[0][0]).startswith("-"):
            return True  # how much more is asked, never how much less
        grouped = result.template in ("n_group_by", "n_m0_group_by_count")
        if grouped and not compares([row[-1] for row in rows.rows]):
            return True
        if result.property and result.key:
            nodes = self._matched(match).tolist() if matched is None else matched
            keys, values = self._graph.values(result.key), self._graph.values(result.property)
            sizes = Counter(keys[n] for n in nodes if keys[n] is not None and values[n] is not None)
            if 2 * sum(size > 1 for size in sizes.values()) < len(sizes):
                return True  # most groups have one
        if result.template in ("n_order_by", "n_argmax"):
            nodes = self._matched(match).tolist() if matched is None else matched
            values = self._graph.values(result.property)
            if not compares([values[n] for n in nodes]):
                return True
        if MATCHES[match.template].category not in _BRANCHING:
            return False
        own = self._matched(match) if matched is None else np.array([*matched], np.int64)
        return any(self._same(rows, own, one) for one in _without_one(query))

    def _same(self, rows: Rows, own: Ints, less: PatternQuery) -> bool:
        """Whether a question answers like one without an edge; of what ties for the greatest any is right."""
        # Without the edge the same n are matched, and more.
        more = np.setdiff1d(self._matched(less.match), own).tolist()
        if not more:
            return True
        if less.result.template in _BY_NODE:
            found = set(rows.rows) if less.result.template in _DISTINCT else set[Row]()
            some = (more[:_FIRST], more[_FIRST:])  # most often the first tell
            return all(
                found.issuperset(projected_of(self._graph, less.result, few)) for few in some
            )
        others = self._answered(less)
        if rows.tied:
            return not set(rows.tied).isdisjoint(others.tied)
        if len(rows.rows) != len(others.rows):
            return False
        return sorted(map(row_text, rows.rows)) == sorted(map(row_text, others.rows))

    def _led_to(self, match: MatchPattern, edge: PatternEdge, near: str, far: Set[int]) -> Set[int]:
        wanted, outward = match.named[near].type, edge.subject != near
        found = [self._graph.beside(at, edge.relation, wanted, outward=outward) for at in far]
        return found[0] if len(found) == 1 else frozenset().union(*found)

    def _all_at(self, subject: str, relation: str, object_: str, forward: bool) -> int:
        """How many nodes there are at one end of a relation between two types; ``forward``: subjects."""
        _, subjects, objects = self._graph.of_signature(subject, relation, object_)
        return len(distinct(subjects if forward else objects))

    def _all_n(self, match: MatchPattern) -> Ints:
        return matched(self._graph, match).nodes


def _signature(match: MatchPattern, edge: PatternEdge) -> tuple[str, str, str]:
    return match.named[edge.subject].type, edge.relation, match.named[edge.object].type


def _without_one(query: PatternQuery) -> list[PatternQuery]:
    """A question of two edges that meet n, without the one and without the other."""
    match = query.match
    found = []
    for number, way in enumerate(MATCHES[match.template].directions):
        far = match.named[match.category.shape[number][1]]
        template = f"(n){_ARROWS[way]}(m0{'*' * far.fixed})"
        left = MatchPattern(template, (match.nodes[0], far), (match.relations[number],))
        found.append(PatternQuery(left, query.result))
    return found
