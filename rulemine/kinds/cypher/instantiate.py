"""Makes text-to-Cypher tasks of a property graph: its patterns, what is returned of them, questions and rows.

As CypherBench does (arXiv 2412.18702, §4), with what it gets wrong mended: entities without a value never
stand where a value is asked for, and nodes that share a name are told apart. Nor is asked what nobody would
ask (`ContrivedPatterns`) and what has a part that does nothing (`rulemine.kinds.cypher.realism`).

Guarantee: the same graph, seed and options give the same tasks with the same ids; an id depends on the
graph's name and the query alone. Rows are those of `rulemine.cypher.evaluate`.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from rulemine.cypher.questions.evaluator import Rows, bindings, evaluate
from rulemine.cypher.questions.joins import candidates, m0_counts, matched
from rulemine.cypher.questions.pattern import MatchPattern, PatternEdge, PatternQuery
from rulemine.cypher.questions.render import to_cypher
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES
from rulemine.errors import ConfigError, did_you_mean
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.values import to_plain
from rulemine.kinds.cypher.instances import MOST_ROWS, Instances, bare_patterns, in_turn
from rulemine.kinds.cypher.realism import Characteristics, IdlePatterns, Realism
from rulemine.kinds.cypher.returns import Proposals, returns_for
from rulemine.kinds.cypher.words.texts import QuestionTexts
from rulemine.seeds import check_seed, stream

__all__ = ["CypherTask", "Tally", "make_tasks", "task_row"]

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
        self._between = lru_cache(_REMEMBERED)(self._number_between)

    def of_pattern(self, match: MatchPattern, returned: str, n: Collection[int]) -> bool:
        """Whether nobody would ask for what a RETURN template takes of a pattern.

        Args:
            match: The pattern.
            returned: The RETURN template.
            n: Its distinct n.
        """
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
            return (
                len(n) > _MOST_LED_TO or self._winds(match, returned, n) or self._detour(match, n)
            )
        return False

    def of_result(self, query: PatternQuery, rows: Rows, n: Collection[int]) -> bool:
        """Whether nobody would ask a question of whose pattern `of_pattern` says nothing.

        Args:
            query: The question.
            rows: Its rows on the graph.
            n: The distinct n of its pattern.
        """
        match, result = query.match, query.result
        category = MATCHES[match.template].category
        if category == "(n)-(m0)-(m1*)" and result.template == "n_agg":
            return result.aggregate != "count" and self._by_another(match)
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

    def _by_another(self, match: MatchPattern) -> bool:
        """Whether the middle of a chain is one thing, which may be known by itself.

        To find the country in which Sarnia is located is question enough: what its neighbors are like has
        nothing to do with Sarnia.
        """
        return self._between(match) == 1

    def _winds(self, match: MatchPattern, returned: str, n: Collection[int]) -> bool:
        """Whether a chain goes by way of too much, or of one thing that is known by itself."""
        first, last = match.edges
        if self._between(match) == 1 and not self._one(match, last, "m0"):
            return True  # "a country that borders Haiti", which only one does
        if self._by_another(match):
            alike = match.nodes[0].type == match.nodes[2].type
            return returned not in ("n_name", "n_agg") or (alike and len(n) > _MOST_ALIKE)
        if returned in _VALUES:
            return self._between(match) > _MOST_OF_VALUES
        return self._between(match) > _MOST_BETWEEN and not self._one(match, first, "n")

    def _one(self, match: MatchPattern, edge: PatternEdge, end: str) -> bool:
        """Whether an edge joins what is at its other end to at most one node at this end."""
        kind = self._realism.of(match, edge)
        return (kind.subj_cardinality if edge.subject == end else kind.obj_cardinality) == "one"

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

    def _number_between(self, match: MatchPattern) -> int:
        return len(set(matched(self._graph, match, "m0").nodes.tolist()))


_LEAST_INSTANCES = 10
"""Of each pattern at least so many are looked at, CypherBench's number for training."""

_TRIED = 25
"""So many patterns are tried in a row until there is one of which no part is idle."""

_STARTS = 4
"""RETURN templates start from one of the first so many patterns of each sort."""

_SELECTIVE = 0.5
"""Where n of more than this share of their type are joined to anything, that says little of them.

So does that they are joined to one of their own type."""

IDLE, IDLE_RESULT, CONTRIVED_RESULT = "idle", "idle result", "contrived result"
"""What becomes of patterns with a part that does nothing, and of what is returned of others."""


@dataclass(frozen=True, slots=True)
class CypherTask:
    """A task.

    Attributes:
        id: Its id.
        graph: The name of the graph.
        question: The question in English.
        query: The question as a tree.
        cypher: As Cypher.
        rows: Its rows on the graph.
    """

    id: str
    graph: str
    question: str
    query: PatternQuery
    cypher: str
    rows: Rows


class Tally(Counter[tuple[str, str]]):
    """What was made and what was not: MATCH template and what became of it → number.

    What becomes of a pattern is ``tasks`` (number of tasks made), ``patterns`` (types and relations that the
    schema allows), or why it was dropped: an objection of `rulemine.kinds.cypher.realism.Realism`,
    ``no match``, `IDLE`. Of other patterns single questions may be idle, or contrived: `IDLE_RESULT`,
    `CONTRIVED_RESULT`.
    """

    def reason(self, template: str) -> str:
        """Why a MATCH template has no question: what became of most of its patterns."""
        own = {what: n for (match, what), n in self.items() if match == template}
        if own.pop("tasks", 0):
            return "all were left out"
        if not own.pop("patterns", 0):
            return "no relation of the schema fits"
        return max(sorted(own), key=own.__getitem__, default="no task")


def make_tasks(
    graph: PropertyGraph,
    characteristics: Mapping[tuple[str, str, str], Characteristics],
    declared: Declarations = Declarations(),  # noqa: B008 - never changed
    *,
    per_template: int = 40,
    more: Mapping[str, int] | None = None,
    wanted: Iterable[Triple] = (),
    seed: int = 0,
    tally: Tally | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    enough: Callable[[], bool] = lambda: False,
    texts: QuestionTexts | None = None,
    uncounted: Collection[str] = (),
    least_counted: float = 0,
) -> Iterator[CypherTask]:
    """Makes tasks, MATCH template by MATCH template.

    Of each MATCH template there are as many tasks of each RETURN template as there can be of equal numbers,
    and for each of these the combinations of types and relations take turns.

    Args:
        graph: The graph.
        characteristics: What its relations are like, by signature.
        declared: Which of them state the same facts; then the graph is closed under that.
        per_template: How many tasks of each MATCH template at most, ≥ 1.
        more: MATCH template → how many of it, in place of `per_template`.
        wanted: Triples of ids that the matches of every second task should have, as far as there are such.
        seed: Which ones.
        tally: Receives what was made and what was not.
        progress: Told how many templates are done, of how many.
        enough: Asked after each task whether its MATCH template needs no more tasks.
        texts: Words the questions; None: with templates derived from the names of relations.
        uncounted: Types of which no task asks how many there are.
        least_counted: See `ContrivedPatterns`.

    Raises:
        ConfigError: The number or the seed is out of bounds, or a type is not in the schema.
    """
    check_seed(seed)
    numbers = dict.fromkeys(MATCHES, per_template) | dict(more or {})
    if min(numbers.values()) < 1:
        raise ConfigError(f"per_template is {min(numbers.values())}; expected at least 1.")
    types = sorted(row.label for row in graph.schema.entities)
    for unknown in sorted(set(uncounted).difference(types)):
        raise ConfigError(
            f"cypher.uncounted: no type is {unknown!r}; {did_you_mean(unknown, types)}"
        )
    realism = Realism(characteristics, declared, uncounted)
    maker = _Maker(
        graph,
        realism,
        texts or QuestionTexts(graph, realism),
        numbers,
        seed,
        Tally() if tally is None else tally,
        wanted,
        least_counted,
    )
    for done, template in enumerate(MATCHES, start=1):
        for task in maker.tasks_of(template):
            yield task
            if enough():
                break
        progress(done, len(MATCHES))


def task_row(task: CypherTask) -> dict[str, Any]:
    """A task as a line of a file.

    ``answers`` are the rows. If ``ordered``, ``keys`` are what they are sorted by, and of an ``n_argmax``
    ``tied`` has all rows that are right.
    """
    match, rows = task.query.match, task.rows
    row: dict[str, Any] = {
        "id": task.id,
        "graph": task.graph,
        "question": task.question,
        "cypher": task.cypher,
        "match": match.template,
        "return": task.query.result.template,
        "category": MATCHES[match.template].category,
        "columns": rows.columns,
        "answers": [_plain(line) for line in rows.rows],
        "ordered": rows.ordered,
    }
    if rows.ordered:
        row["keys"] = _plain(rows.keys)
    if rows.tied:
        row["tied"] = [_plain(line) for line in rows.tied]
    return row


def _plain(values: tuple[Any, ...]) -> list[Any]:
    return [None if value is None else to_plain(value) for value in values]


class _Some:
    """The first patterns of one combination of types and relations, looked for when they are needed."""

    def __init__(
        self,
        bare: MatchPattern,
        source: Iterator[MatchPattern],
        most: int,
        rank: int,
        wanted: bool = False,
    ) -> None:
        self.type, self.rank, self.wanted = bare.nodes[0].type, rank, wanted
        self._source = islice(source, most)
        self._found: list[MatchPattern] = []

    def at(self, number: int) -> MatchPattern | None:
        """A pattern; after the last one the first again. None: there is none."""
        self._found += islice(self._source, max(0, number + 1 - len(self._found)))
        return self._found[number % len(self._found)] if self._found else None


def _each_at(
    turns: Iterable[int], kinds: Sequence[_Some], fits: Mapping[str, bool]
) -> Iterator[MatchPattern | None]:
    """The patterns whose n are of a type that fits, turn by turn; None: there is none."""
    if not any(fits[kind.type] for kind in kinds):
        return iter(())
    return (kind.at(turn) if fits[kind.type] else None for turn in turns for kind in kinds)


class _Maker:
    """Makes tasks of one graph."""

    def __init__(
        self,
        graph: PropertyGraph,
        realism: Realism,
        texts: QuestionTexts,
        numbers: Mapping[str, int],
        seed: int,
        tally: Tally,
        wanted: Iterable[Triple],
        least_counted: float,
    ) -> None:
        self._graph = graph
        self._realism = realism
        self._numbers = numbers
        self._seed = seed
        self._tally = tally
        self._instances = Instances(graph, seed, wanted)
        self._idle = IdlePatterns(graph)
        self._contrived = ContrivedPatterns(graph, realism, least_counted)
        self._proposals = Proposals(graph)
        self._texts = texts

    def tasks_of(self, template: str) -> Iterator[CypherTask]:
        """The tasks of a MATCH template, each made when it is asked for."""
        self._tally[template, "tasks"] += 0  # so that it is there where none can be made
        patterns = list(self._patterns(template))
        answers: dict[int, tuple[int, ...] | None] = {}  # by id of a pattern that lives as long
        seen: set[str] = set()
        turns = [
            self._candidates(template, row, patterns, answers)
            for row in returns_for(CATEGORIES[MATCHES[template].category])
        ]
        number = self._numbers[template]
        made = 0
        while turns and made < number:
            for turn in list(turns):
                if made == number:
                    break
                task = next(self._tasks(turn, seen), None)
                if task is None:
                    turns.remove(turn)
                else:
                    made += 1
                    self._tally[template, "tasks"] += 1
                    yield task

    def _instances_of(self, template: str) -> int:
        """How many instances of each pattern are looked at."""
        return max(_LEAST_INSTANCES, self._numbers[template])

    def _patterns(self, template: str) -> Iterator["_Some"]:
        """For each combination of types and relations that is realistic, its first patterns.

        Where matches of wanted triples can be looked for, those around them come as well, by themselves;
        chains of any rank, as many facts are only asked for by one whose middle is one node.
        """
        most = self._instances_of(template)
        for bare in bare_patterns(self._graph, template, self._instances.signatures):
            self._tally[template, "patterns"] += 1
            if objection := self._realism.objection(bare):
                self._tally[template, objection] += 1
                continue
            rank = self._rank(bare)
            some = _Some(bare, self._busy(bare, False), most, rank)
            if some.at(0) is not None:
                yield some
                if self._instances.wants(bare):
                    rank *= bare.category is not CATEGORIES["(n)-(m0)-(m1*)"]
                    yield _Some(bare, self._busy(bare, True), most, rank, wanted=True)
            else:
                any_ = next(self._instances.of(bare), None) is not None
                self._tally[template, IDLE if any_ else "no match"] += 1

    def _rank(self, bare: MatchPattern) -> int:
        """Patterns come in the order of their ranks; 0: there are none better, see `Realism.odd`."""
        if bare.category is not CATEGORIES["(n)-(m0)"]:
            return int(self._realism.odd(bare))
        size = len(self._graph.of_type(bare.nodes[0].type))
        if len(matched(self._graph, bare).nodes) > _SELECTIVE * size:
            return 2
        return int(bare.nodes[0].type == bare.nodes[1].type)

    def _busy(self, bare: MatchPattern, around: bool) -> Iterator[MatchPattern]:
        """The patterns of one combination in which no part is idle, up to the first long run of others."""
        idle = 0
        for match in self._instances.of(bare, around):
            idle = idle + 1 if self._idle.of_pattern(match) else 0
            if not idle:
                yield match
            elif idle == _TRIED:
                break

    def _candidates(
        self,
        template: str,
        returned: str,
        patterns: list["_Some"],
        answers: dict[int, tuple[int, ...] | None],
    ) -> Iterator[tuple[PatternQuery, tuple[int, ...]]]:
        """Questions that return one thing, each with its n; types and relations take turns."""
        random = stream(self._seed, "cypher", template, returned)
        kinds = [patterns[int(at)] for at in random.permutation(len(patterns))]
        # Each RETURN template starts from patterns of its own, as far as there are.
        first = random.below(_STARTS)
        turns = range(first, first + self._instances_of(template))
        sorts: dict[int, tuple[list[_Some], list[_Some]]] = {}
        for kind in kinds:
            sorts.setdefault(kind.rank, ([], []))[not kind.wanted].append(kind)
        types = {kind.type for kind in kinds}
        fits = {type_: self._proposals.possible(type_, returned) for type_ in types}
        in_order = (
            in_turn(*(_each_at(turns, some, fits) for some in both))
            for _, both in sorted(sorts.items())
        )
        for match in chain.from_iterable(in_order):
            # Where patterns run out, what is returned of them may still differ.
            if match is None:
                continue
            if id(match) not in answers:
                answers[id(match)] = self._answers(match)
            known = answers[id(match)]
            if known is None:
                continue
            if self._contrived.of_pattern(match, returned, known):
                self._tally[template, CONTRIVED_RESULT] += 1
                continue
            clause = self._proposals.draw(match, returned, known, random)
            if clause is None:
                continue
            query = PatternQuery(match, clause)
            if self._realism.miscounts(query):
                self._tally[template, CONTRIVED_RESULT] += 1
            else:
                yield query, known

    def _answers(self, match: MatchPattern) -> tuple[int, ...] | None:
        """The distinct n; of a comparison also m0. None: there are too many matches, or one leads back."""
        if apart := self._realism.apart(match):
            for row in islice(bindings(self._graph, match), MOST_ROWS + 1):
                if row.nodes.get(apart[0]) == row.nodes.get(apart[1]):
                    self._tally[match.template, "there and back"] += 1
                    return None
        ends = ("n", "m0") if MATCHES[match.template].category == "comparison" else ("n",)
        found = [matched(self._graph, match, end) for end in ends]
        if found[0].rows > MOST_ROWS:
            self._tally[match.template, "too many rows"] += 1
            return None
        return tuple(sorted({at for some in found for at in some.nodes.tolist()}))

    def _tasks(
        self, queries: Iterator[tuple[PatternQuery, tuple[int, ...]]], seen: set[str]
    ) -> Iterator[CypherTask]:
        """The tasks of queries that are new and not idle; `seen` has those that were looked at."""
        name = self._graph.schema.name
        for query, known in queries:
            cypher = to_cypher(query)
            if cypher in seen:
                continue
            seen.add(cypher)
            rows = evaluate(self._graph, query)
            if self._idle.of_result(query, rows, known):
                self._tally[query.match.template, IDLE_RESULT] += 1
                continue
            if self._contrived.of_result(query, rows, known):
                self._tally[query.match.template, CONTRIVED_RESULT] += 1
                continue
            digest = hashlib.sha256(f"{name}\n{cypher}".encode()).hexdigest()
            text = self._texts.question(query)
            yield CypherTask(f"{name}-{digest[:12]}", name, text, query, cypher, rows)
