"""Times the evaluation of queries beside pyoxigraph, on the same random queries with answers.

    python benchmarks/queries.py [--kg NAME] [--queries 2000]

Queries are drawn backward from a uniformly drawn entity, which is therefore an answer: each step goes to a
uniformly drawn triple of the entity and on to its other end. Ours grades the answers, with a random part
of the triples removed; pyoxigraph gives the answers alone, from SPARQL. Both get one query at a time.
Prints a Markdown table of thousand queries per second of CPU time and their ratio, and checks that both give
the same answers.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from pyoxigraph import NamedNode, Quad, Store

from rulemine.datasets.registry import find_files
from rulemine.kg import KnowledgeGraph
from rulemine.query import Anchor, Intersection, Projection, QueryGraph, Union, evaluate
from rulemine.query.sparql import entity_iri, relation_iri, to_sparql
from rulemine.query.structures import STRUCTURES, structure_of
from rulemine.query.tree import Query
from rulemine.seeds import Stream, stream

SHARE_REMOVED = 0.15


class Sampler:
    """Draws queries of a structure."""

    def __init__(self, kg: KnowledgeGraph, random: Stream) -> None:
        self.kg, self.random = kg, random
        subjects, objects = kg.triples[:, 0], kg.triples[:, 2]
        ends = np.concatenate((subjects, objects))
        self.order = np.argsort(ends, kind="stable")
        self.starts = np.searchsorted(ends[self.order], np.arange(len(kg.entities) + 1))

    def step(self, entity: int) -> tuple[str, bool, int]:
        """A random triple of an entity: its relation, whether the entity is its subject, its other end."""
        first, last = self.starts[entity : entity + 2].tolist()
        place = int(self.order[first + self.random.below(last - first)])
        row = self.kg.triples[place % len(self.kg)].tolist()
        return (
            self.kg.relations[row[1]],
            place < len(self.kg),
            row[2 if place < len(self.kg) else 0],
        )

    def path(self, entity: int, steps: int) -> Query:
        """A path that leads to an entity."""
        if not steps:
            return Anchor(self.kg.entities[entity])
        relation, inverse, below = self.step(entity)
        return Projection(relation, inverse, self.path(below, steps - 1))

    def draw(self, structure: str) -> Query:
        """A query of a structure; drawn again until it has it."""
        while True:
            entity = self.random.below(len(self.kg.entities))
            query: Query
            if structure in ("ip", "up"):
                relation, inverse, entity = self.step(entity)
                kind = Intersection if structure == "ip" else Union
                of = kind.of([self.path(entity, 1), self.path(entity, 1)])
                query = Projection(relation, inverse, of)
            elif structure[1] == "p":
                query = self.path(entity, int(structure[0]))
            else:
                steps = [2, 1] if structure == "pi" else [1] * int(structure[0])
                kind = Union if structure == "2u" else Intersection
                query = kind.of([self.path(entity, n) for n in steps])
            if structure_of(query).name == structure:
                return query


def timed(function: Callable[[Query], object], queries: list[Query]) -> float:
    """CPU seconds."""
    started = time.process_time()
    for query in queries:
        function(query)
    return time.process_time() - started


def load(kg: KnowledgeGraph) -> Store:
    """The graph in pyoxigraph."""
    store = Store()
    store.bulk_extend(
        Quad(NamedNode(entity_iri(s)), NamedNode(relation_iri(r)), NamedNode(entity_iri(o)))
        for s, r, o in kg.labeled()
    )
    return store


def answers(store: Store, query: Query) -> list[str]:
    """What pyoxigraph answers."""
    return [row[0].value for row in store.query(to_sparql(query))]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="queries beside pyoxigraph")
    parser.add_argument("--kg", default="fb15k237", help="a data set or a TSV file (fb15k237)")
    parser.add_argument("--queries", type=int, default=2000, help="of each structure (2000)")
    given = parser.parse_args()
    paths = find_files(given.kg) if not Path(given.kg).exists() else (Path(given.kg),)
    if None in paths:
        print(f"queries: data set {given.kg} not on this machine")
        return
    kg = KnowledgeGraph.read(*(path for path in paths if path is not None))
    random = stream(0, "benchmark queries")
    levels = np.array([random.below(1000) < 1000 * SHARE_REMOVED for _ in range(len(kg))], np.int64)
    graph = QueryGraph(kg, levels)
    sampler = Sampler(kg, random)
    drawn = {name: [sampler.draw(name) for _ in range(given.queries)] for name in STRUCTURES}
    evaluate(graph, drawn["1p"][0])  # makes what is made once
    ours = {name: timed(lambda q: evaluate(graph, q), queries) for name, queries in drawn.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    store = load(kg)
    print("| structure | ours, thousand/s | pyoxigraph, thousand/s | ratio |\n|---|--:|--:|--:|")
    for name, queries in drawn.items():
        some = queries[: max(1, given.queries // 4)]  # it takes its time
        rate = len(queries) / ours[name] / 1000
        theirs = len(some) / timed(lambda q: answers(store, q), some) / 1000
        print(f"| {name} | {rate:.1f} | {theirs:.3f} | {rate / theirs:.0f} |", flush=True)
        for query in some:
            wanted = sorted(unquote(iri.removeprefix("entity:")) for iri in answers(store, query))
            if list(evaluate(graph, query).answers) != wanted:
                sys.exit(f"{query}: the answers differ")
    print(f"\n{given.kg}: {len(kg):,} triples; ours: {peak:.0f} MiB at most, start-up included")


if __name__ == "__main__":
    main()
