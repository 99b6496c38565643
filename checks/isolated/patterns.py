"""Random questions of every template, and random queries as models write them, on a real Neo4j: their rows
and what they come from as our evaluator and the interpreter in memory give them; and every graph read back.
"""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from math import isnan
from random import Random
from typing import Any

from neo4j.time import Date

from checks.oracles.patterns import same
from checks.oracles.random_cypher import CypherWriter
from checks.oracles.random_patterns import random_graph, random_queries
from rulemine.cypher import PatternQuery, Rows, evaluate, provenance_of, to_cypher
from rulemine.cypher.interpreter.running import run
from rulemine.cypher.interpreter.values import EdgeValue, NodeValue, PathValue
from rulemine.cypher.language.parser import parse
from rulemine.cypher.language.rewriting import provenance_query
from rulemine.cypher.questions.pattern import anchored
from rulemine.cypher.questions.templates import MATCHES
from rulemine.cypher.rows import Failed, NotRun, row_text
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.evaluation.cypher.runners import InMemoryRunner
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kinds.cypher.instantiate import TaskMaker
from rulemine.kinds.cypher.realism import Realism, draft_characteristics
from rulemine.neo4j.bolt import Bolt
from rulemine.neo4j.reading import read_bolt
from tests.cypher.test_interpreter import ANSWERS, FAILS, GRAPH

_PER_GRAPH = 157
"""Queries of each kind on one random graph: as many as there are pairs of templates."""

KINDS = ("rows", "empty", "failed", "not run")

_CHOICES = 10

_AT_ONCE = 3
"""Queries that run at once."""


def plain(value: Any) -> Any:
    """A value of the driver as ours."""
    if isinstance(value, list):
        return tuple(plain(item) for item in value)
    return value.to_native() if isinstance(value, Date) else value


def difference(bolt: Bolt, graph: PropertyGraph, query: PatternQuery) -> str:
    """How Neo4j's rows differ from ours; "": they do not."""
    ours, text = evaluate(graph, query), to_cypher(query)
    found = bolt.rows(text)
    if isinstance(found, Failed):
        return f"{text}: {found}"
    for where, table in (("Neo4j", found), ("in memory", run(graph, text))):
        rows = [tuple(map(plain, row)) for row in table.rows]
        right = table.columns == ours.columns and len(text.splitlines()) == 1
        if ours.tied:
            right &= len(rows) == 1 and rows[0] in ours.tied
        else:
            right &= same(rows, ours.rows) and (not ours.ordered or in_order(rows, ours))
        if not right:
            return f"{text}:\n  {where} {table.columns} {rows}\n  ours  {ours}"
    asked, wanted = provenance_query(parse(text), "id") or "", provenance_of(graph, query)
    pairs = [("node", name) for name in wanted.nodes] + [("edge", name) for name in wanted.edges]
    for where, bound in (("Neo4j", bolt.rows(asked)), ("in memory", run(graph, asked))):
        if isinstance(bound, Failed) or sorted(bound.rows) != sorted(pairs):
            return f"{text}:\n  {where} binds {bound}\n  ours  {pairs}"
    return ""


def read_back(bolt: Bolt, graph: PropertyGraph) -> str:
    """How the graph that is read from the database differs from the one that was written; "": not at all."""
    for schema in (graph.schema, None):
        left_out = Faults()
        found = read_bolt(bolt, schema=schema, left_out=left_out)
        if left_out or (found.nodes, found.edges) != (graph.nodes, graph.edges):
            return f"read back with {'a' if schema else 'no'} schema: {found}, {left_out.summary()}"
    return ""


def in_order(rows: list[Any], ours: Rows) -> bool:
    """Whether rows with equal keys, taken together, come in our order."""
    runs: dict[Any, list[int]] = {}
    for at, key in enumerate(ours.keys):
        runs.setdefault(key, []).append(at)
    return all(
        same([rows[at] for at in run], [ours.rows[at] for at in run]) for run in runs.values()
    )


def others(graph: PropertyGraph, query: PatternQuery) -> list[PatternQuery]:
    """A question, and the same of other nodes, if it fixes any."""
    fixed = [node.name is not None or node.id is not None for node in query.match.nodes]
    found, random = [query], Random(to_cypher(query))
    while any(fixed) and len(found) < _CHOICES:
        nodes = (
            anchored(graph, random.choice(graph.of_type(node.type))) if own else node
            for own, node in zip(fixed, query.match.nodes, strict=True)
        )
        match = replace(query.match, nodes=tuple(nodes))
        found.append(PatternQuery(match, query.result))
    return found


class Check:
    """What was compared so far."""

    def __init__(self, bolt: Bolt) -> None:
        self.bolt, self.wrong = bolt, 0
        self.asked: Counter[str] = Counter()
        self.threads = ThreadPoolExecutor(_AT_ONCE)

    def said(self, text: str) -> None:
        if text:
            self.wrong += 1
            print(text)

    def questions(self, graph: PropertyGraph, queries: list[PatternQuery], name: str) -> None:
        self.asked["questions"] += len(queries)
        self.asked["with rows"] += sum(bool(evaluate(graph, query).rows) for query in queries)
        for found in self.threads.map(lambda query: difference(self.bolt, graph, query), queries):
            self.said(found and f"{name}: {found}")

    def dialect(self, graph: PropertyGraph, queries: Iterable[str], name: str) -> None:
        runner = InMemoryRunner(graph)
        for kind, found in self.threads.map(
            lambda query: comparison(self.bolt, runner, query), queries
        ):
            self.asked[kind] += 1
            self.said(found and f"{name}: {found}")


def compare(bolt: Bolt, questions: int, dialect: int, demo: int, seed: int) -> int:
    """Compares, prints what differs, and returns how much does.

    Args:
        bolt: A database; what it holds is replaced.
        questions: Random questions over random graphs.
        dialect: Random queries as models write them.
        demo: Questions of each template of the demo, each with ten choices of its fixed nodes, which Neo4j
            plans once.
        seed: Of the first random graph; each further one counts on.
    """
    check, first = Check(bolt), seed
    bolt.load_properties(GRAPH, replace=True)
    check.dialect(GRAPH, [*ANSWERS, *(text for text in FAILS if "$" not in text)], "recorded")
    if demo:
        graph = load_property_graph("demo")
        maker = TaskMaker(graph, Realism(draft_characteristics(graph)))
        tasks = [task for template in MATCHES for task in islice(maker.tasks(template), demo)]
        bolt.load_properties(graph, replace=True)
        check.questions(graph, [one for task in tasks for one in others(graph, task.query)], "demo")
    while questions > 0 or dialect > 0:
        graph = random_graph(seed)
        bolt.load_properties(graph, replace=True)
        check.said(read_back(bolt, graph))
        queries = list(random_queries(graph, seed))[: max(0, questions)]
        check.questions(graph, queries, f"graph {seed}")
        texts = [CypherWriter(f"{seed} {at}").query() for at in range(min(_PER_GRAPH, dialect))]
        check.dialect(graph, texts, f"graph {seed}")
        questions, dialect, seed = questions - _PER_GRAPH, dialect - _PER_GRAPH, seed + 1
    asked = check.asked
    print(
        f"{asked['questions']} questions of all templates, {asked['with rows']} with rows, each with its "
        f"provenance; {sum(asked[kind] for kind in KINDS)} queries as models write "
        f"them ({', '.join(f'{asked[kind]} {kind}' for kind in KINDS)}); "
        f"{seed - first} graphs read back: {check.wrong} differences"
    )
    return check.wrong


def comparison(bolt: Bolt, runner: InMemoryRunner, query: str) -> tuple[str, str]:
    """What a query gave: ``rows``, ``empty``, ``failed`` or ``not run``; and how both differ, or ""."""
    ours, theirs = runner.rows(query), bolt.rows(query)
    if isinstance(ours, NotRun):
        return "not run", ""
    if isinstance(theirs, Failed) or isinstance(ours, Failed):
        alike = isinstance(theirs, Failed) and isinstance(ours, Failed)
        return "failed", "" if alike else f"{query}\n  Neo4j {theirs}\n  ours  {ours}"
    rows = [sorted(row_text(known(list(row))) for row in found.rows) for found in (theirs, ours)]
    kind = "rows" if rows[0] else "empty"
    if theirs.columns == ours.columns and rows[0] == rows[1]:
        return kind, ""
    return kind, f"{query}\n  Neo4j {theirs.columns} {rows[0]}\n  ours  {ours.columns} {rows[1]}"


def known(value: Any) -> Any:
    """A value of either side: nodes, relations and paths by the ids of their own, floats to 12 digits."""
    if isinstance(value, NodeValue | EdgeValue):
        return {"thing": value.properties["id"]}
    if isinstance(value, PathValue):
        return {"path": [known(thing) for thing in (*value.nodes, *value.edges)]}
    if hasattr(value, "relationships") and not hasattr(value, "type"):
        return {"path": [known(thing) for thing in (*value.nodes, *value.relationships)]}
    if hasattr(value, "element_id"):
        return {"thing": value["id"]}
    if isinstance(value, list | tuple):
        return [known(item) for item in value]
    if isinstance(value, dict):
        return {key: known(of) for key, of in value.items()}
    if isinstance(value, float) and not isnan(value):
        return float(f"{value:.12g}")
    return value
