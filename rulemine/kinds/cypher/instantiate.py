"""Fills the templates of CypherBench with a property graph: what is matched, what is returned, and the rows.

As CypherBench does (arXiv 2412.18702, §4), with what it gets wrong mended: entities without a value never
stand where a value is asked for, and nodes that share a name are told apart. Nor is asked what nobody would
ask (`rulemine.kinds.cypher.contrived`) and what has a part that does nothing
(`rulemine.kinds.cypher.realism`).

Guarantee: the same graph, seed and options give the same tasks in the same order, none of them twice. Rows
are those of `rulemine.cypher.evaluate`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from rulemine.cypher.questions.evaluator import Rows, bindings, evaluate
from rulemine.cypher.questions.joins import matched
from rulemine.cypher.questions.pattern import MatchPattern, PatternQuery
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES, RETURNS
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.contrived import ContrivedPatterns
from rulemine.kinds.cypher.patterns import PatternSource, in_turn
from rulemine.kinds.cypher.realism import IdlePatterns, Realism
from rulemine.kinds.cypher.returns import Proposals, returns_for
from rulemine.seeds import stream

__all__ = ["MOST_ROWS", "CypherTask", "TaskMaker"]

MOST_ROWS = 100_000
"""Rows that a pattern may match, as CypherBench has it."""

_A_ROW_EACH = ("n_name", "n_name_prop", "n_order_by")

_IN_A_ROW = 25
"""So many patterns in a row of which nothing can be asked end the search among those of the same types."""

_N = tuple[int, ...]
"""The distinct n of a pattern, by position."""


@dataclass(frozen=True, slots=True)
class CypherTask:
    """A question that can be asked.

    Attributes:
        query: The question as a tree.
        rows: Its rows on the graph.
    """

    query: PatternQuery
    rows: Rows


class TaskMaker:
    """Makes tasks of one graph.

    Args:
        graph: The graph.
        realism: Says what nobody would ask.
        seed: Which tasks come first.
        wanted: Triples of ids around which tasks are looked for, where that is asked for.
        least_counted: See `ContrivedPatterns`.
        max_rows: Most rows of a result.

    Attributes:
        tally: MATCH template and what became of it → number. That is ``patterns`` (combinations of
            types and relations that the graph has), or why a pattern was dropped: an objection of
            `Realism`, ``no match``, ``idle``, ``there and back``, ``contrived``, ``too many rows``; or of a
            question about one that was not, ``idle result`` or ``contrived result``.
    """

    def __init__(
        self,
        graph: PropertyGraph,
        realism: Realism,
        seed: int = 0,
        wanted: Iterable[Triple] = (),
        least_counted: float = 0,
        max_rows: float = math.inf,
    ) -> None:
        self._graph, self._realism, self._seed = graph, realism, seed
        self._patterns = PatternSource(graph, seed, wanted)
        self._idle = IdlePatterns(graph)
        self._contrived = ContrivedPatterns(graph, realism, least_counted)
        self._proposals = Proposals(graph)
        self._possible = cache(self._proposals.possible)
        self._max_rows = max_rows
        self._fillings: dict[str, _Filling] = {}
        self.tally: Counter[tuple[str, str]] = Counter()

    def tasks(self, template: str, around: bool = False) -> Iterator[CypherTask]:
        """The tasks of a MATCH template that it did not give before, each made when it is asked for.

        Combinations of types and relations take turns, and of what they allow, the RETURN template of which
        there are fewest is taken.

        Args:
            template: The MATCH template.
            around: Whether only those are looked for whose matches have triples that are wanted.
        """
        filling = self._fillings.setdefault(template, _Filling(self._seed, template))
        patterns = self._realistic(template, around)
        yield from in_turn(self._of(bare, filling, around) for bare in patterns)

    def reason(self, template: str) -> str:
        """Why a MATCH template has no task: what became of most of its patterns."""
        own = {what: n for (match, what), n in self.tally.items() if match == template}
        if not own.pop("patterns", 0):
            return "no relation of the schema fits"
        return max(sorted(own), key=own.__getitem__, default="nothing fits that it may return")

    def _realistic(self, template: str, around: bool) -> Iterator[MatchPattern]:
        """Combinations of types and relations that may be asked about."""
        some = self._patterns.bare(template)
        for bare in filter(self._patterns.wants, some) if around else some:
            self.tally[template, "patterns"] += 1
            if objection := self._realism.objection(bare):
                self.tally[template, objection] += 1
            else:
                yield bare

    def _of(self, bare: MatchPattern, filling: "_Filling", around: bool) -> Iterator[CypherTask]:
        """A task of each pattern, then another of each, and so on, until many in a row have no new one.

        Args:
            bare: The combination of types and relations.
            filling: What there is of the template so far.
            around: Whether its patterns are those around wanted triples, or all.
        """
        found = self._patterns.fixed(bare, around)
        some: Iterable[tuple[MatchPattern, _N | None]] = ((one, self._asked(one)) for one in found)
        missed = 0
        while True:
            kept: list[tuple[MatchPattern, _N | None]] = []
            for match, n in some:
                task = None if n is None else self._task(match, n, filling)
                missed = 0 if task else missed + 1
                if missed == _IN_A_ROW:
                    return
                if n is not None:
                    kept.append((match, n))
                if task:
                    yield task
            if not kept:
                if not missed:
                    self.tally[bare.template, "no match"] += 1
                return
            some = kept

    def _asked(self, match: MatchPattern) -> _N | None:
        """The distinct n of a pattern; of a comparison also m0. None: it is not to be asked about.

        That is so where a part of it is idle, a match leads there and back, or there are too many.
        """
        if self._idle.of_pattern(match):
            self.tally[match.template, "idle"] += 1
            return None
        if apart := self._realism.apart(match):
            for row in islice(bindings(self._graph, match), MOST_ROWS + 1):
                if row.nodes.get(apart[0]) == row.nodes.get(apart[1]):
                    self.tally[match.template, "there and back"] += 1
                    return None
        ends = ("n", "m0") if MATCHES[match.template].category == "comparison" else ("n",)
        found = [matched(self._graph, match, end) for end in ends]
        if found[0].rows > MOST_ROWS:
            self.tally[match.template, "too many rows"] += 1
            return None
        n = tuple(sorted({at for some in found for at in some.nodes.tolist()}))
        if self._contrived.of_pattern(match, n):
            self.tally[match.template, "contrived"] += 1
            return None
        return n

    def _task(self, match: MatchPattern, n: _N, filling: "_Filling") -> CypherTask | None:
        """A task of a pattern that is new, with the RETURN template of which there are fewest so far."""
        for returned in filling.rarest_first():
            if (match, returned) in filling.spent:
                continue
            fits = self._fits(match, returned, n)
            clause = self._proposals.draw(match, returned, n, filling.random) if fits else None
            if clause is None or not RETURNS[returned].takes:
                filling.spent.add((match, returned))
            if clause is None or (query := PatternQuery(match, clause)) in filling.seen:
                continue
            filling.seen.add(query)
            if self._realism.miscounts(query):
                self.tally[match.template, "contrived result"] += 1
                continue
            rows = evaluate(self._graph, query)
            if len(rows.rows) > self._max_rows:
                self.tally[match.template, "too many rows"] += 1
            elif self._idle.of_result(query, rows, n):
                self.tally[match.template, "idle result"] += 1
            elif self._contrived.of_result(query, n):
                self.tally[match.template, "contrived result"] += 1
            else:
                filling.used[returned] += 1
                return CypherTask(query, rows)
        return None

    def _fits(self, match: MatchPattern, returned: str, n: _N) -> bool:
        """Whether a RETURN template may be asked of a pattern."""
        if not self._possible(match.nodes[0].type, returned):
            return False
        if returned in _A_ROW_EACH and len(n) > self._max_rows:
            self.tally[match.template, "too many rows"] += 1
            return False
        if self._contrived.of_returned(match, returned, n):
            self.tally[match.template, "contrived result"] += 1
            return False
        return True


class _Filling:
    """What there is of a MATCH template so far.

    Attributes:
        random: Decides what is returned.
        used: RETURN template → number of tasks.
        seen: The questions that were looked at.
        spent: Patterns and RETURN templates that give no more.
    """

    def __init__(self, seed: int, template: str) -> None:
        self.random = stream(seed, "cypher", template, "return")
        names = returns_for(CATEGORIES[MATCHES[template].category])
        order = self.random.permutation(len(names)).tolist()
        self.used = dict.fromkeys((names[at] for at in order), 0)
        self.seen: set[PatternQuery] = set()
        self.spent: set[tuple[MatchPattern, str]] = set()

    def rarest_first(self) -> list[str]:
        """The RETURN templates, those with fewest tasks first."""
        return sorted(self.used, key=self.used.__getitem__)
