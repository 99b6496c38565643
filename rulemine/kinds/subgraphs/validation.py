"""Decides whether a candidate is a question, in the order of SynthKGQA; the first reason that holds counts.

The query is run as it was written, unless its tree shows already that the answer is not in the result or
that there are too many; and it must be a tree of which the used triples are one derivation.
Guarantees for every candidate that passes: seeds, answer and triples are in the graph and in the subgraph
shown; the query gives what its tree says, names the seeds and nothing else, and has few answers, none of them
a seed; the used triples are a tree with the answer as its root and the seeds as its leaves, one for each atom
of the query.

Ours, where the paper is silent: what FILTER NOT EXISTS or MINUS takes away has seeds of its own, which need
no used triple; relations that are declared to state the same facts are asked for in all their statements, and
the limits hold for the query so widened; of a count, the counted entities are the answers; a LIMIT or a
FILTER of ``!=`` is dropped where it changes no answer on the complete, the incomplete and the larger graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulemine.errors import BarredQueryError, NoTreeError, QueryError
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.candidate import Candidate, Refusal, Subgraph
from rulemine.kinds.written.execution import Executor, RunFailure
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.evidence import full_evidence
from rulemine.query.evidence_tree import NO_TREE, query_of_triples
from rulemine.query.foreign.read_sparql import tree_of_algebra, tree_with_limits
from rulemine.query.foreign.sparql_parsing import constants, parse_strictly
from rulemine.query.grading import Grades, evaluate
from rulemine.query.limits import changes_nothing
from rulemine.query.links import expanded, renamed
from rulemine.query.query_graph import QueryGraph
from rulemine.query.sparql import entity_iri
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Intersection, Projection, Query, Union
from rulemine.query.wider import Wider
from rulemine.text.naming_rules import ANCHOR_MISSING, ANSWER_NAMED, INTERMEDIATE_NAMED

__all__ = ["GRAPHS_OWN", "Derivations", "Mistake", "Valid", "Validator"]


class Mistake:
    """Why a candidate is rejected, in the order in which it is checked.

    Between `CONSTANTS` and `ABSENT` come those of `rulemine.kinds.written.execution.RunFailure`. The last
    three are found by whoever checks the text.
    """

    FIELD = "a field is missing"
    UNKNOWN = "an id or a relation is unknown"
    LABEL = "a label is not that of its id"
    OUTSIDE = "a seed, the answer or a triple is outside the subgraph"
    END = "a seed or the answer is no end of a used triple"
    NUMBER = "it does not use as many different triples as it should"
    AMONG = "the answer is a seed"
    SPARQL = "its SPARQL cannot be parsed"
    UPDATE = "its SPARQL would change the graph"
    LOAD = "its SPARQL would load a graph"
    SERVICE = "its SPARQL asks another server"
    GRAPH = "its SPARQL names a graph"
    CONSTANTS = "the entities in its SPARQL are not the seeds"
    ABSENT = "the answer is not in the result"
    MANY = "it has too many answers"
    NO_TREE = "its SPARQL is no query tree"
    DIFFERS = "running its SPARQL gives other answers than the graph"
    SEED = "an answer is a seed"
    EVIDENCE = "a used triple is outside the full evidence"
    DERIVATION = "the used triples are not one derivation of the answer"
    CYCLE = "the used triples form a cycle"
    PARALLEL = "two used triples join the same entities"
    TWICE = "an entity has two places in the query"
    LEAF = "a seed is no leaf of the used triples"
    UNNAMED = ANCHOR_MISSING
    NAMED = ANSWER_NAMED
    BETWEEN = INTERMEDIATE_NAMED


GRAPHS_OWN = frozenset({Mistake.MANY, Mistake.SEED})
"""What a writer cannot see in a part of the graph, and so cannot mend."""

_BARRED = {
    "an update": Mistake.UPDATE,
    "a LOAD": Mistake.LOAD,
    "a SERVICE": Mistake.SERVICE,
    "a FROM": Mistake.GRAPH,
    "a GRAPH": Mistake.GRAPH,
}

_SHAPES = {
    NO_TREE["loop"]: Mistake.CYCLE,
    NO_TREE["cycle"]: Mistake.CYCLE,
    NO_TREE["parallel"]: Mistake.PARALLEL,
}


@dataclass(frozen=True, slots=True)
class Valid:
    """A candidate that passed.

    Attributes:
        query: Its query, in source labels, with all statements of its relations.
        answer: The entity that the writer has in mind.
        seeds: The entities that it names, each once, in the writer's order.
        rows: The rows of ``kg.triples`` that the writer used, in its order.
        dropped: The kinds of what its query had and `query` lacks, as it changes nothing.
    """

    query: Query
    answer: int
    seeds: tuple[int, ...]
    rows: tuple[int, ...]
    dropped: tuple[str, ...] = ()


class Derivations:
    """Which of a few triples derivations of a query consist of.

    Args:
        triples: The triples; derivations that need others are not found.
    """

    def __init__(self, triples: Sequence[Triple]) -> None:
        self._triples = triples
        self._known: dict[tuple[str, str], frozenset[tuple[int, bool]]] = {}

    def of(self, query: Query, end: str) -> frozenset[tuple[int, bool]]:
        """The sets of triples that derive an entity, as bits; and whether no triple serves two atoms."""
        key = (query.text, end)
        if key not in self._known:
            self._known[key] = frozenset(self._found(query, end))
        return self._known[key]

    def _found(self, query: Query, end: str) -> set[tuple[int, bool]]:
        if isinstance(query, Anchor):
            return {(0, True)} if query.entity == end else set()
        if isinstance(query, Projection):
            found = set()
            for at, (s, r, o) in enumerate(self._triples):
                below, above = (o, s) if query.inverse else (s, o)
                if (r, above) == (query.relation, end):
                    step = {(1 << at, True)}
                    found |= _both(step, self.of(query.of, below))
            return found
        if isinstance(query, Union):
            return {one for part in query.parts for one in self.of(part, end)}
        if isinstance(query, Intersection):
            found = {(0, True)}
            for part in query.parts:
                found = _both(found, self.of(part, end))
            return found
        return {*self.of(query.of, end)}


def _both(
    some: set[tuple[int, bool]], others: frozenset[tuple[int, bool]]
) -> set[tuple[int, bool]]:
    return {(a | b, once and too and not a & b) for a, once in some for b, too in others}


class _RejectedError(Exception):
    """Ends the checks of a candidate."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


class Validator:
    """Checks candidates about one graph.

    Args:
        names: What the writer calls its entities.
        graph: The complete graph.
        declarations: Which relations state the same facts.
        executor: What runs queries, with its context entered.
        wider: What supplies further answers, if anything.

    Attributes:
        unfinished: How many queries were taken by their trees alone, since they did not end in time.
    """

    def __init__(
        self,
        names: WriterNames,
        graph: QueryGraph,
        declarations: Declarations,
        executor: Executor,
        wider: Wider | None = None,
    ) -> None:
        self._wider = wider
        self._names, self._graph, self._kg = names, graph, graph.kg
        self._declarations, self._executor = declarations, executor
        self.unfinished = 0

    def validate(self, candidate: Candidate, subgraph: Subgraph, atoms: int) -> Valid | Refusal:
        """Checks a candidate.

        Args:
            candidate: The candidate.
            subgraph: What the writer saw.
            atoms: How many triples it was to use.

        Returns:
            What it asks; or why it is rejected, the reason one of `Mistake` and `RunFailure`.
        """
        try:
            return self._checked(candidate, subgraph, atoms)
        except _RejectedError as found:
            return Refusal(found.reason, found.detail, candidate.question)

    def _checked(self, given: Candidate, subgraph: Subgraph, atoms: int) -> Valid:
        given = replace(given, sparql=self._names.sparql(given.sparql))
        seeds, answer, rows = self._found(given)
        self._check_place(seeds, answer, rows, subgraph)
        ends = {int(end) for end in self._kg.triples[list(rows)][:, [0, 2]].flat}
        loose = [seed for seed in seeds if seed not in ends]
        early = _parsed(given.sparql) if loose else None  # which takes 10 ms
        taken = constants(early[0], taken=True) if early else frozenset()
        if answer not in ends or not {self._iri(seed) for seed in loose} <= taken:
            raise _RejectedError(Mistake.END)
        if len(set(rows)) != len(rows) or len(rows) != atoms:
            raise _RejectedError(Mistake.NUMBER, f"{len(set(rows))}, expected {atoms}")
        if answer in seeds:
            raise _RejectedError(Mistake.AMONG)
        algebra, problem = early or _parsed(given.sparql)
        if problem is not None:
            raise problem
        expected = {self._iri(seed) for seed in seeds}
        if expected != (found := constants(algebra)):
            raise _RejectedError(Mistake.CONSTANTS, _difference(expected, found))
        query, dropped = self._executed(given, answer, algebra)
        grades = self._widened(query, answer, seeds)
        self._check_derivation(grades, seeds, answer, rows)
        return Valid(grades.query, answer, seeds, rows, dropped)

    def _found(self, given: Candidate) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
        """Seeds, answer and rows of the triples, all of which the graph has; −1 for a triple it lacks."""
        texts = (given.question, given.sparql, given.answer.id)
        if not (all(text.strip() for text in texts) and given.seeds and given.triples):
            raise _RejectedError(Mistake.FIELD)
        seeds = tuple(dict.fromkeys(self._entity(node.id) for node in given.seeds))
        answer = self._entity(given.answer.id)
        rows = self._kg.rows_of(np.array([*map(self._triple, given.triples)], np.int32))
        for node in (*given.seeds, given.answer):
            if self._names.find(node.label) != self._names.find(node.id):
                raise _RejectedError(Mistake.LABEL, f"{node.id}, {node.label}")
        return seeds, answer, tuple(rows.tolist())

    def _triple(self, parts: tuple[str, ...]) -> tuple[int, int, int]:
        if len(parts) == 1:
            if (found := self._names.triple(parts[0])) is None:
                raise _RejectedError(Mistake.UNKNOWN, f"triple {parts[0]}")
            return found
        subject, relation, target = parts
        if (known := self._names.relation(relation)) is None:
            raise _RejectedError(Mistake.UNKNOWN, f"relation {relation}")
        return self._entity(subject), known, self._entity(target)

    def _entity(self, name: str) -> int:
        found = self._names.find(name)
        if found is None:
            raise _RejectedError(Mistake.UNKNOWN, f"entity {name}")
        return found

    def _check_place(
        self,
        seeds: tuple[int, ...],
        answer: int,
        rows: tuple[int, ...],
        subgraph: Subgraph,
    ) -> None:
        if -1 in rows:
            raise _RejectedError(Mistake.OUTSIDE, "the graph lacks a triple")
        if not {*rows} <= {*subgraph.rows}:
            raise _RejectedError(Mistake.OUTSIDE, "a triple")
        if not {*seeds, answer} <= {*subgraph.nodes}:
            raise _RejectedError(Mistake.OUTSIDE, "a seed or the answer")

    def _executed(
        self, given: Candidate, answer: int, algebra: Any
    ) -> tuple[Query, tuple[str, ...]]:
        """The tree of the query, in source labels, after it was run as it was written; and what it lacks.

        It is not run if its tree shows that it cannot be accepted. One that does not end in time is taken by
        what its tree gives, so that no question depends on how fast or busy a machine is.
        """
        grades, dropped = self._graded(algebra)
        if isinstance(grades, _RejectedError):
            self._check_result(self._run(given), answer)
            raise grades
        own = sorted(self._names.id(entity) for entity in grades.entities.tolist())
        self._check_result(own, answer)
        try:
            result = self._run(given)
        except _RejectedError as found:
            if found.reason != RunFailure.TIME:
                raise
            self.unfinished += 1
            return grades.query, dropped
        if (grades.value if isinstance(result, int) else own) != result:
            size = result if isinstance(result, int) else len(result)
            raise _RejectedError(Mistake.DIFFERS, f"{size:,}, expected {len(own):,}")
        return grades.query, dropped

    def _graded(self, algebra: Any) -> tuple[Grades | _RejectedError, tuple[str, ...]]:
        """What the tree of a query gives, in source labels, or why it is none; and what the tree lacks."""
        try:
            return self._grades_of(tree_of_algebra(algebra)), ()
        except NoTreeError as problem:
            refused = _RejectedError(Mistake.NO_TREE, problem.reason)
        except QueryError as problem:
            return _RejectedError(Mistake.NO_TREE, str(problem).removeprefix("query: ")), ()
        try:
            tree, dropped = tree_with_limits(algebra)
            grades = self._grades_of(tree)
        except (NoTreeError, QueryError):
            return refused, ()
        wide = expanded(grades.query, self._declarations)
        larger = self._wider.graph if self._wider else None
        limit = SubgraphSection.max_evidence
        if not changes_nothing(algebra, grades, wide, larger, self._iri_of, limit):
            return refused, ()
        return grades, dropped

    def _grades_of(self, tree: Query) -> Grades:
        names = {name: self._label(name) for name in structure_of(tree).anchors}
        return evaluate(self._graph, renamed(tree, names))

    def _run(self, given: Candidate) -> list[str] | int:
        result = self._executor.answers(given.sparql)
        if isinstance(result, Refusal):
            raise _RejectedError(result.reason, result.detail)
        return result if isinstance(result, int) else sorted(result)

    def _check_result(self, result: Sequence[str] | int, answer: int) -> None:
        """Checks ids of answers, or a count, of which 0 is none."""
        if isinstance(result, int):
            size, is_there = result, result > 0
        else:
            size, is_there = len(result), self._names.id(answer) in result
        if not is_there:
            raise _RejectedError(Mistake.ABSENT)
        self._check_number(size)

    def _iri(self, entity: int) -> str:
        return entity_iri(self._names.id(entity))

    def _iri_of(self, name: str) -> str:
        """The IRI of an entity in queries; of one that only a larger graph has, another that none has."""
        known = self._kg.entity_ids.get(name)
        return f"further:{entity_iri(name)}" if known is None else self._iri(known)

    def _label(self, id_: str) -> str:
        return self._kg.entities[self._entity(id_)]

    def _check_number(self, answers: int) -> None:
        if answers > SubgraphSection.max_answers:
            detail = f"{answers:,}, at most {SubgraphSection.max_answers:,}"
            raise _RejectedError(Mistake.MANY, detail)

    def _widened(self, query: Query, answer: int, seeds: tuple[int, ...]) -> Grades:
        """The query with all statements of its relations, and its answers."""
        grades = evaluate(self._graph, expanded(query, self._declarations))
        if answer not in grades.entities:  # as another statement is taken away
            raise _RejectedError(Mistake.ABSENT)
        self._check_number(len(grades))
        if np.isin(seeds, grades.entities).any():
            raise _RejectedError(Mistake.SEED)
        return grades

    def _check_derivation(
        self, grades: Grades, seeds: tuple[int, ...], answer: int, rows: tuple[int, ...]
    ) -> None:
        if not np.isin(rows, full_evidence(grades).rows).all():
            raise _RejectedError(Mistake.EVIDENCE)
        used, root = self._kg.labeled(np.array(rows, np.int64)), self._kg.entities[answer]
        derivations = Derivations(used).of(grades.query, root)
        whole = (1 << len(used)) - 1
        if not {(whole, True), (whole, False)} & derivations:
            raise _RejectedError(Mistake.DERIVATION)
        try:
            tree = query_of_triples(used, root)
        except NoTreeError as problem:
            raise _RejectedError(_SHAPES[problem.reason], problem.reason) from None
        if (whole, True) not in derivations:
            raise _RejectedError(Mistake.TWICE)
        ends = {end for s, _, o in used for end in (s, o)}
        if {*structure_of(tree).anchors} != ends & {self._kg.entities[seed] for seed in seeds}:
            raise _RejectedError(Mistake.LEAF)


def _parsed(sparql: str) -> tuple[Any, _RejectedError | None]:
    """The algebra of a query, or why it is rejected."""
    try:
        return parse_strictly(sparql), None
    except BarredQueryError as problem:
        return None, _RejectedError(_BARRED[problem.reason], problem.reason)
    except QueryError as problem:
        return None, _RejectedError(Mistake.SPARQL, str(problem).removeprefix("query: "))


def _difference(expected: set[str], found: frozenset[str]) -> str:
    """What is missing in a query, and what is too much, in the writer's ids."""
    signs = (("without ", sorted(expected - found)), ("with ", sorted(found - expected)))
    return ", ".join(sign + " ".join(names) for sign, names in signs if names)
