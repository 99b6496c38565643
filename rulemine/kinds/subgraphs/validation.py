"""Decides whether a candidate is the question that it says it is; the first reason that holds counts.

Guarantees for every candidate that passes: seeds, answer and triples are in the graph and in the subgraph
shown; the triples are as many as wanted and form a tree with the answer as its root; its SPARQL, run as it
was written, gives what the query of that tree gives, the answer among it; and the seeds are the entities that
the query names. How many answers there may be, and that no seed is one, is for whoever grades the query.

Ours, where SynthKGQA is silent: what FILTER NOT EXISTS or MINUS takes away needs no used triple; relations
that are declared to state the same facts are asked for in all their statements; of a count, the counted
entities are the answers; a LIMIT or a FILTER of ``!=`` is dropped where it changes no answer on the complete,
the incomplete and the larger graph.

Queries are run by pyoxigraph in a process of its own, which is ended when a query takes too long. The graph
is named as writers name it: ``<entity:ID>`` and ``<relation:LABEL>``, percent-encoded as
`rulemine.query.sparql` has it.
"""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import unquote

import numpy as np

from rulemine.errors import BarredQueryError, ConfigError, NoTreeError, QueryError
from rulemine.kg.facts import Declarations
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.written.replies import Candidate, NamedNode, Refusal, Subgraph
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.foreign.read_sparql import tree_of_algebra, tree_with_limits
from rulemine.query.foreign.sparql_parsing import parse_strictly
from rulemine.query.grading import Grades, evaluate
from rulemine.query.limits import changes_nothing
from rulemine.query.links import expanded, positive, renamed
from rulemine.query.oxigraph.workers import Workers
from rulemine.query.query_graph import QueryGraph
from rulemine.query.sparql import entity_iri, relation_iri
from rulemine.query.structures import structure_of
from rulemine.query.tree import Query
from rulemine.query.wider import Wider

__all__ = ["SECONDS", "Executor", "Mistake", "RunFailure", "Valid", "Validator"]

SECONDS = 10.0
"""Time of a query."""

MOST_ROWS = 1000
"""Rows of a result."""

_ACCEPTED = "application/sparql-results+json"
_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


class Mistake:
    """Why a candidate is rejected, in the order in which it is checked; those of `RunFailure` come last."""

    UNKNOWN = "an id or a relation is unknown"
    LABEL = "a label is not that of its id"
    OUTSIDE = "a seed, the answer or a triple is outside the subgraph"
    NUMBER = "it does not use as many different triples as it should"
    TREE = "the used triples are no tree with the answer"
    SPARQL = "its SPARQL cannot be parsed"
    BARRED = "its SPARQL does more than ask this graph"
    NO_TREE = "its SPARQL is no query tree"
    OTHER = "its SPARQL does not ask for what the used triples say"
    CONSTANTS = "the entities in its SPARQL are not the seeds"
    ABSENT = "the answer is not in the result"
    DIFFERS = "running its SPARQL gives other answers than the graph"


class RunFailure:
    """Why running a query gave nothing that can be used."""

    UNREADABLE = "its SPARQL cannot be run as it is written"
    TIME = "its SPARQL took too long"
    MEMORY = "its SPARQL took too much memory"
    ROWS = "its SPARQL gave too many rows"
    COLUMNS = "its SPARQL gave neither one column nor one number"
    UNKNOWN = "its SPARQL gave something that is no entity"


@dataclass(frozen=True, slots=True)
class Valid:
    """A candidate that passed.

    Attributes:
        query: Its query, in source labels, with all statements of its relations.
        answer: The entity that the writer has in mind.
        rows: The rows of ``kg.triples`` that the writer used, in its order.
        dropped: The kinds of what its query had and `query` lacks, as it changes nothing.
    """

    query: Query
    answer: int
    rows: tuple[int, ...]
    dropped: tuple[str, ...] = ()


class _RejectedError(Exception):
    """Ends the checks of a candidate."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason, detail)


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
        executor: "Executor",
        wider: Wider | None = None,
    ) -> None:
        self._names, self._graph, self._kg = names, graph, graph.kg
        self._declarations, self._executor, self._wider = declarations, executor, wider
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
            return found.refusal

    def _checked(self, given: Candidate, subgraph: Subgraph, atoms: int) -> Valid:
        seeds, answer = {self._entity(node) for node in given.seeds}, self._entity(given.answer)
        triples = np.array([*map(self._triple, given.triples)], np.int32)
        rows: tuple[int, ...] = tuple(self._kg.rows_of(triples).tolist())
        if not ({*rows} <= {*subgraph.rows} and {*seeds, answer} <= {*subgraph.nodes}):
            raise _RejectedError(Mistake.OUTSIDE)
        if len({*rows}) != len(rows) or len(rows) != atoms:
            raise _RejectedError(Mistake.NUMBER, f"{len({*rows})}, expected {atoms}")
        label = self._kg.entities.__getitem__
        try:
            asked = query_of_triples(self._kg.labeled(np.array(rows)), label(answer))
        except NoTreeError as problem:
            raise _RejectedError(Mistake.TREE, problem.reason) from None
        sparql = self._names.sparql(given.sparql)
        grades, dropped = self._graded(_parsed(sparql))
        query = expanded(grades.query, self._declarations)
        if positive(query) != expanded(asked, self._declarations):
            raise _RejectedError(Mistake.OTHER)
        named = {*structure_of(query, self._declarations).anchors}
        if named != {*map(label, seeds)}:
            raise _RejectedError(Mistake.CONSTANTS)
        self._run(sparql, grades, answer)
        if answer not in evaluate(self._graph, query).entities:  # another statement takes it away
            raise _RejectedError(Mistake.ABSENT)
        return Valid(query, answer, rows, dropped)

    def _entity(self, node: NamedNode) -> int:
        if (found := self._names.find(node.id)) is None:
            raise _RejectedError(Mistake.UNKNOWN, f"entity {node.id}")
        if self._names.find(node.label) != found:
            raise _RejectedError(Mistake.LABEL, f"{node.id}, {node.label}")
        return found

    def _triple(self, parts: tuple[str, ...]) -> tuple[int, int, int]:
        if len(parts) == 1:
            if (found := self._names.triple(parts[0])) is None:
                raise _RejectedError(Mistake.UNKNOWN, f"triple {parts[0]}")
            return found
        subject, relation, target = parts
        if (known := self._names.relation(relation)) is None:
            raise _RejectedError(Mistake.UNKNOWN, f"relation {relation}")
        ends = [self._entity(NamedNode(name, name)) for name in (subject, target)]
        return ends[0], known, ends[1]

    def _graded(self, algebra: Any) -> tuple[Grades, tuple[str, ...]]:
        """What the tree of a query gives, in source labels; and what the tree lacks of the query."""
        try:
            return self._grades_of(tree_of_algebra(algebra)), ()
        except NoTreeError as problem:
            refused = _RejectedError(Mistake.NO_TREE, problem.reason)
        except QueryError as problem:
            raise _RejectedError(Mistake.NO_TREE, _said(problem)) from None
        try:
            tree, dropped = tree_with_limits(algebra)
            grades = self._grades_of(tree)
        except (NoTreeError, QueryError):
            raise refused from None
        wide, larger = expanded(grades.query, self._declarations), self._wider and self._wider.graph
        if not changes_nothing(
            algebra, grades, wide, larger, self._iri_of, SubgraphSection.max_evidence
        ):
            raise refused
        return grades, dropped

    def _grades_of(self, tree: Query) -> Grades:
        entities = {id_: self._entity(NamedNode(id_, id_)) for id_ in structure_of(tree).anchors}
        names = {id_: self._kg.entities[entity] for id_, entity in entities.items()}
        return evaluate(self._graph, renamed(tree, names))

    def _iri_of(self, name: str) -> str:
        """The IRI of an entity in queries; of one that only a larger graph has, another that none has."""
        known = self._kg.entity_ids.get(name)
        iri = entity_iri(name if known is None else self._names.id(known))
        return f"further:{iri}" if known is None else iri

    def _run(self, sparql: str, grades: Grades, answer: int) -> None:
        """Checks that a query gives what its tree gives, the answer among it.

        One that does not end in time is taken by its tree, so that no question depends on how fast or busy a
        machine is.
        """
        if answer not in grades.entities:
            raise _RejectedError(Mistake.ABSENT)
        result = self._executor.answers(sparql)
        if isinstance(result, Refusal):
            if result.reason != RunFailure.TIME:
                raise _RejectedError(result.reason, result.detail)
            self.unfinished += 1
            return
        own = tuple(sorted(self._names.id(entity) for entity in grades.entities.tolist()))
        if result != (grades.value if isinstance(result, int) else own):
            size = result if isinstance(result, int) else len(result)
            raise _RejectedError(Mistake.DIFFERS, f"{size:,}, expected {len(own):,}")


def _parsed(sparql: str) -> Any:
    """The algebra of a query."""
    try:
        return parse_strictly(sparql)
    except BarredQueryError as problem:
        raise _RejectedError(Mistake.BARRED, problem.reason) from None
    except QueryError as problem:
        raise _RejectedError(Mistake.SPARQL, _said(problem)) from None


def _said(problem: QueryError) -> str:
    return str(problem).removeprefix("query: ")


class Executor:
    """Runs queries within limits of time and rows; a context manager.

    The limit of time is one of the machine: a query that takes about so long may be ended on one and not on
    another.

    Args:
        names: The names of the complete graph, which is loaded when the context is entered.
    """

    def __init__(self, names: WriterNames) -> None:
        self._names = names

    def __enter__(self) -> Self:
        lines = _lines(self._names)
        self._workers = Workers(lines, timeout=SECONDS, most_rows=MOST_ROWS, count=1)
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    def answers(self, sparql: str) -> tuple[str, ...] | int | Refusal:
        """Runs a query.

        Args:
            sparql: In SPARQL 1.1, as it was written.

        Returns:
            The ids of entities, sorted, each once, or the value of a count; or why what it gives cannot be
            used, the reason one of `RunFailure`.

        Raises:
            ConfigError: The processes that run queries have ended.
        """
        reply = self._workers.ask(sparql, _ACCEPTED)
        if reply.status == http.HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ConfigError(
                "the processes that run SPARQL were ended from outside; is there enough memory? Free some "
                "and run the same command again."
            )
        if reply.late:
            return Refusal(RunFailure.TIME, f"more than {SECONDS:g} s")
        if reply.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
            return Refusal(RunFailure.MEMORY)
        if reply.status != http.HTTPStatus.OK:
            return Refusal(RunFailure.UNREADABLE, reply.body.decode().partition("\n")[0])
        if reply.cut:
            return Refusal(RunFailure.ROWS, f"more than {MOST_ROWS:,}")
        if reply.kind != _ACCEPTED:
            return Refusal(RunFailure.COLUMNS, "triples")
        return _read(json.loads(reply.body), self._names)


def _lines(names: WriterNames) -> Iterator[bytes]:
    """The graph in N-Triples."""
    kg = names.kg
    entities = [f"<{entity_iri(id_)}>" for id_ in names.ids]
    relations = [f"<{relation_iri(label)}>" for label in kg.relations]
    for s, r, o in kg.triples.tolist():
        yield f"{entities[s]} {relations[r]} {entities[o]} .\n".encode()


def _read(table: Any, names: WriterNames) -> tuple[str, ...] | int | Refusal:
    """A result in SPARQL 1.1 Query Results JSON."""
    if "boolean" in table:
        return Refusal(RunFailure.COLUMNS, "a truth value")
    if len(columns := table["head"]["vars"]) != 1:
        return Refusal(RunFailure.COLUMNS, f"{len(columns)} columns")
    cells = [row.get(columns[0], {}) for row in table["results"]["bindings"]]
    if len(cells) == 1 and cells[0].get("datatype") == _INTEGER and cells[0]["value"].isdecimal():
        return int(cells[0]["value"])
    iris = {cell["value"] if cell.get("type") == "uri" else "" for cell in cells}
    ids = {unquote(iri.removeprefix("entity:")) for iri in iris if iri.startswith("entity:")}
    if len(ids) < len(iris) or None in map(names.entity, ids):
        return Refusal(RunFailure.UNKNOWN)
    return tuple(sorted(ids))
