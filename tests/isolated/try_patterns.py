"""Runs random questions of every template on a real Neo4j, and compares the rows and what they
come from with our evaluator's; and reads every graph back from it.

    python -m tests.isolated.try_patterns [--queries 1000] [--seed 0]

Prints what differs; exit status 1 if anything does. Says "skipped" with the reason where Neo4j cannot be
fetched.
"""

import argparse
import sys
from typing import Any

from neo4j.time import Date

from rulemine.cypher import PatternQuery, Rows, evaluate, provenance_of, to_cypher
from rulemine.cypher.parser import parse
from rulemine.cypher.provenance import provenance_query
from rulemine.cypher.rows import Failed
from rulemine.errors import JavaError
from rulemine.kg.property_graph.faults import Faults
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.neo4j.bolt import Bolt, connected
from rulemine.neo4j.jars import fetch_jars
from rulemine.neo4j.reading import read_bolt
from rulemine.neo4j.server import temporary
from tests.oracles.patterns import same
from tests.oracles.random_patterns import random_graph, random_queries


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
    rows = [tuple(map(plain, row)) for row in found.rows]
    right = found.columns == ours.columns and len(text.splitlines()) == 1
    if ours.tied:
        right &= len(rows) == 1 and rows[0] in ours.tied
    else:
        right &= same(rows, ours.rows) and (not ours.ordered or in_order(rows, ours))
    if not right:
        return f"{text}:\n  Neo4j {found.columns} {rows}\n  ours  {ours}"
    bound, wanted = (
        bolt.rows(provenance_query(parse(text), "id") or ""),
        provenance_of(graph, query),
    )
    pairs = [("node", name) for name in wanted.nodes] + [("edge", name) for name in wanted.edges]
    right = not isinstance(bound, Failed) and sorted(bound.rows) == sorted(pairs)
    return "" if right else f"{text}:\n  Neo4j binds {bound}\n  ours        {pairs}"


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        fetch_jars(print)
    except JavaError as problem:
        print(f"skipped: {problem}")
        return 0
    asked = filled = wrong = 0
    seed = given.seed
    with temporary() as url, connected(url) as bolt:
        while asked < given.queries:
            graph = random_graph(seed)
            bolt.load_properties(graph, replace=True)
            if said := read_back(bolt, graph):
                wrong += 1
                print(f"graph {seed}: {said}")
            for query in random_queries(graph, seed):
                asked += 1
                filled += bool(evaluate(graph, query).rows)
                if said := difference(bolt, graph, query):
                    wrong += 1
                    print(f"graph {seed}: {said}")
            seed += 1
    print(
        f"{asked} questions of all templates in Cypher, {filled} with rows, {seed - given.seed} graphs read "
        f"back: {wrong} differences"
    )
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
