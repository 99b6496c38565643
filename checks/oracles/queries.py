"""Random queries over random graphs, answered by pyoxigraph and graded by brute force, beside ours.

    python -m checks.oracles.queries [--queries 100000] [--graded 10000] [--seed 0]

Each seed is a graph (see `random_graphs`: loops, hubs, parallel and inverse relations) with a random part
removed, and some queries. Compared with pyoxigraph: the answers on the complete graph, and what the
incomplete graph gives. Compared with all derivations, enumerated: `missing`, the level from which on an
answer is not stated, and the derivation that is kept. Prints what differs; exit status 1 if anything does.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import NamedTuple
from urllib.parse import unquote

from pyoxigraph import NamedNode, Quad, Store

from checks.oracles import say
from checks.oracles.random_graphs import Triple, random_case
from rulemine.kg import KnowledgeGraph
from rulemine.query import (
    Anchor,
    Count,
    Difference,
    Intersection,
    Projection,
    QueryGraph,
    Union,
    evaluate,
    parse,
)
from rulemine.query.query_graph import levels_of
from rulemine.query.sparql import entity_iri, relation_iri, to_sparql
from rulemine.query.tree import Query

QUERIES_PER_GRAPH = 25

ODD = ('q"uo\\te', "Zoë B.", "a/b#c?d", "東京 <x>", "per%20cent", "`tick`", "{brace}", "-_.~")
"""Names that each language writes in its own way."""

LARGEST = 24
"""Atoms of a query: pyoxigraph goes through all derivations, and 65 atoms have kept it busy for an hour."""

MOST_DERIVATIONS = 20_000
"""Of a query; one with more is not graded by brute force."""


class World(NamedTuple):
    """A graph of a seed.

    Attributes:
        kg: The complete graph.
        removed: The removed triples with their levels.
    """

    kg: KnowledgeGraph
    removed: dict[Triple, int]


class Derivation(NamedTuple):
    """One derivation of an answer; the least is the one to keep.

    Attributes:
        missing: The removed triples in it, once per atom.
        choices: The entity of each variable and the part of each union, from the root down.
        triples: Its triples, each after those of its operand.
    """

    missing: int
    choices: tuple[str | int, ...]
    triples: tuple[Triple, ...]


def random_world(seed: int, entities: int) -> World:
    """The graph of a seed with at most so many entities."""
    rng = Random(f"world {seed}")
    triples = list(random_case(seed).triples)
    keep = sorted({end for s, _, o in triples for end in (s, o)})[:entities]
    names = {name: name for name in keep}
    if rng.random() < 0.2:
        names.update(zip(keep, rng.sample(ODD, len(ODD)), strict=False))
    relations = {r: rng.choice(ODD) + r if rng.random() < 0.1 else r for _, r, _ in triples}
    some = sorted(
        {(names[s], relations[r], names[o]) for s, r, o in triples if s in names and o in names}
    ) or [(keep[0], "r", keep[0])]
    share = rng.choice((0.0, 0.2, 0.5, 1.0))
    removed = {t: rng.choice((20, 40, 60, 80, 100)) for t in some if rng.random() < share}
    return World(KnowledgeGraph.from_triples(some), removed)


def random_query(world: World, rng: Random, subtracts: bool = True) -> Query:
    """A query, mostly drawn backward from an entity, so that it has an answer."""
    while True:
        entity, depth = rng.choice(world.kg.entities), rng.choice((1, 2, 2, 3, 3))
        query = _subtree(world, rng, entity, depth, subtracts)
        if query.size <= LARGEST:
            break
    return Count(query) if rng.random() < 0.05 else query


def _subtree(world: World, rng: Random, entity: str, depth: int, subtracts: bool) -> Query:
    """A query that an entity may answer."""
    kind = rng.random()
    if depth == 0 or kind < 0.04:
        return Anchor(entity if rng.random() < 0.95 else rng.choice(world.kg.entities))
    if kind < 0.62:
        steps = [(r, False, s) for s, r, o in world.kg.labeled() if o == entity]
        steps += [(r, True, o) for s, r, o in world.kg.labeled() if s == entity]
        if not steps or rng.random() < 0.08:
            steps = [
                (rng.choice(world.kg.relations), rng.random() < 0.5, rng.choice(world.kg.entities))
            ]
        relation, inverse, below = rng.choice(steps)
        return Projection(relation, inverse, _subtree(world, rng, below, depth - 1, subtracts))
    if kind < 0.7 and subtracts:
        minus = rng.choice(world.kg.entities)
        return Difference(
            _subtree(world, rng, entity, depth, subtracts),
            _subtree(world, rng, minus, rng.choice((0, 1, depth - 1)), False),
        )
    parts = []
    united = kind > 0.85
    for _ in range(rng.choice((2, 2, 3))):
        other = rng.choice(world.kg.entities) if united and rng.random() < 0.5 else entity
        parts.append(_subtree(world, rng, other, depth - (rng.random() < 0.5), subtracts))
    return Union.of(parts) if united else Intersection.of(parts)


class Answerer:
    """Answers queries over both graphs of a world by pyoxigraph."""

    def __init__(self, world: World) -> None:
        self._stores = Store(), Store()
        for s, r, o in world.kg.labeled():
            quad = Quad(
                NamedNode(entity_iri(s)), NamedNode(relation_iri(r)), NamedNode(entity_iri(o))
            )
            self._stores[0].add(quad)
            if (s, r, o) not in world.removed:
                self._stores[1].add(quad)

    def answers(self, query: Query, complete: bool) -> list[str] | int:
        """The answers, sorted, or the value of a count."""
        rows = [row[0].value for row in self._stores[not complete].query(to_sparql(query))]
        if isinstance(query, Count):
            return int(rows[0])
        return sorted(unquote(iri.removeprefix("entity:")) for iri in rows)


def derivations(world: World, query: Query, answer: str) -> Iterator[Derivation]:
    """All derivations of an answer on the complete graph, by the definition."""
    if isinstance(query, Anchor):
        if query.entity == answer:
            yield Derivation(0, (), ())
    elif isinstance(query, Projection):
        here, there = (0, 2) if query.inverse else (2, 0)
        for triple in world.kg.labeled():
            if triple[1] == query.relation and triple[here] == answer:
                cost = int(triple in world.removed)
                for d in derivations(world, query.of, triple[there]):
                    choices = (triple[there], *d.choices)
                    yield Derivation(cost + d.missing, choices, (*d.triples, triple))
    elif isinstance(query, Intersection):
        for some in product(*(list(derivations(world, part, answer)) for part in query.parts)):
            yield Derivation(
                sum(d.missing for d in some),
                tuple(choice for d in some for choice in d.choices),
                tuple(triple for d in some for triple in d.triples),
            )
    elif isinstance(query, Union):
        for number, part in enumerate(query.parts):
            for d in derivations(world, part, answer):
                yield Derivation(d.missing, (number, *d.choices), d.triples)
    elif isinstance(query, Difference):
        if next(derivations(world, query.minus, answer), None) is None:
            yield from derivations(world, query.of, answer)
    else:
        yield from derivations(world, query.of, answer)


def check_answers(world: World, graph: QueryGraph, answerer: Answerer, query: Query) -> list[str]:
    """What differs from pyoxigraph."""
    grades = evaluate(graph, query)
    given = sorted({*grades.stated, *grades.spurious})
    if query.subtracts and not isinstance(query, Count):
        # Right answers may be given for a wrong reason: through what is not taken away any more.
        hard = set(answerer.answers(query, False)) & set(grades.hard)
        given = sorted({*given, *hard})
    pairs = [
        ("text", parse(query.text), query),
        ("complete", grades.value if isinstance(query, Count) else list(grades.answers),
         answerer.answers(query, True)),
        ("incomplete", grades.stated_value if isinstance(query, Count) else given,
         answerer.answers(query, False)),
    ]  # fmt: skip
    return [f"{query}: {what}: {ours} ≠ {theirs}" for what, ours, theirs in pairs if ours != theirs]


def check_grades(world: World, graph: QueryGraph, query: Query) -> list[str] | None:
    """What differs from brute force; None: there are too many derivations."""
    grades = evaluate(graph, query)
    wrong = []
    number = 0
    found = []
    for entity in world.kg.entities:
        every = []
        for derivation in derivations(world, query, entity):
            every.append(derivation)
            number += 1
            if number > MOST_DERIVATIONS:
                return None
        if every:
            best = min(every)
            until = max(
                min((world.removed.get(t, 101) for t in d.triples), default=101) for d in every
            )
            found.append((entity, best.missing, until % 101, list(best.triples)))
    ours = [
        (answer, missing, until, world.kg.labeled(grades.witness(answer)))
        for answer, missing, until in zip(
            grades.answers, grades.missing.tolist(), grades.stated_until.tolist(), strict=True
        )
    ]
    if ours != found:
        wrong.append(f"{query}: grades: {ours} ≠ {found}")
    for level in (20, 60):
        lower = evaluate(graph, query, level=level)
        still = {t: n for t, n in world.removed.items() if n <= level}
        other = evaluate(world.kg, query, still)
        if lower.missing.tolist() != other.missing.tolist():
            wrong.append(f"{query}: level {level}: {lower.missing} ≠ {other.missing}")
    return wrong


def hunt(
    seed: int, queries: int, graded: int, tell: Callable[[str], object] = lambda line: None
) -> tuple[list[str], str]:
    """Compares so many queries with pyoxigraph and with brute force.

    Args:
        seed: The seed of the first graph.
        queries: How many to compare with pyoxigraph.
        graded: How many of them to compare with brute force too.
        tell: Called now and then with a line about the progress.

    Returns:
        What differs, and a line about what was compared.
    """
    wrong: list[str] = []
    answered = empty = done = skipped = 0
    while answered < queries or done < graded:
        small = done < graded
        world = random_world(seed, 6 if small else 30)
        rng = Random(f"queries {seed}")
        graph = QueryGraph(world.kg, levels_of(world.kg, world.removed))
        answerer = Answerer(world)
        for _ in range(QUERIES_PER_GRAPH):
            query = random_query(world, rng)
            found = check_answers(world, graph, answerer, query)
            answered += 1
            empty += not len(evaluate(graph, query))
            if small:
                differences = check_grades(world, graph, query)
                skipped += differences is None
                done += differences is not None
                found += differences or []
            wrong += [f"seed {seed}: {line}" for line in found]
        seed += 1
        if answered % 10_000 == 0:
            tell(f"{answered:,} queries, {done:,} graded, {len(wrong)} differences")
    return wrong, (
        f"{answered:,} queries answered ({empty / max(1, answered):.0%} empty), {done:,} graded "
        f"({skipped:,} with too many derivations), {len(wrong)} differences"
    )


def main(arguments: list[str] | None = None) -> int:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(prog="python -m checks.oracles.queries", description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000, help="compared with pyoxigraph")
    parser.add_argument("--graded", type=int, default=10_000, help="compared with brute force")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first graph")
    chosen = parser.parse_args(arguments)
    started = time.monotonic()
    wrong, line = hunt(chosen.seed, chosen.queries, chosen.graded, say)
    for text in (*wrong[:20], f"{line}, {time.monotonic() - started:.0f} s"):
        say(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
