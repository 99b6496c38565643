"""Full evidence beside all derivations, enumerated."""

from random import Random

import numpy as np

from checks.oracles.queries import Triple, random_query, random_world
from rulemine.query import QueryGraph, evaluate
from rulemine.query.evidence import full_evidence
from rulemine.query.links import parts_of
from rulemine.query.query_graph import levels_of
from rulemine.query.tree import Anchor, Difference, Intersection, Projection, Union

GRAPHS, QUERIES = 30, 10

Trail = tuple[frozenset[Triple], frozenset[str]]
"""The triples of a derivation, and what its variables are, but for the answer."""


def trails(world, query, answer):
    """All derivations of an answer, each triple and variable by the definition."""
    if isinstance(query, Anchor):
        return {(frozenset(), frozenset())} if query.entity == answer else set()
    if isinstance(query, Projection):
        here, there = (0, 2) if query.inverse else (2, 0)
        found = set()
        for t in world.kg.labeled():
            if t[1] == query.relation and t[here] == answer:
                own = set() if isinstance(query.of, Anchor) else {t[there]}
                for used, between in trails(world, query.of, t[there]):
                    found.add((used | {t}, between | own))
        return found
    if isinstance(query, Union):
        return set().union(*(trails(world, part, answer) for part in query.parts))
    if isinstance(query, Intersection):
        found = {(frozenset[Triple](), frozenset[str]())}
        for part in query.parts:
            more = trails(world, part, answer)
            found = {(a | c, b | d) for a, b in found for c, d in more}
        return found
    if isinstance(query, Difference) and trails(world, query.minus, answer):
        return set()
    return trails(world, parts_of(query)[0], answer)


def test_full_evidence_is_that_of_all_derivations():
    compared = 0
    for seed in range(GRAPHS):
        world = random_world(seed, 6)
        graph = QueryGraph(world.kg, levels_of(world.kg, world.removed))
        rng = Random(f"evidence {seed}")
        for _ in range(QUERIES):
            query = random_query(world, rng)
            if query.size > 6:
                continue
            grades = evaluate(graph, query)
            chosen = grades.entities[np.array([rng.random() < 0.7 for _ in grades.entities], bool)]
            for answers in (None, chosen):
                names = (
                    grades.answers if answers is None else [world.kg.entities[i] for i in answers]
                )
                every = [trail for name in names for trail in trails(world, query, name)]
                found = full_evidence(grades, answers)
                assert set(world.kg.labeled(found.rows)) == set().union(*(t for t, _ in every))
                between = [world.kg.entities[i] for i in found.between]
                assert between == sorted(set().union(*(b for _, b in every)))
                compared += bool(every)
    assert compared > GRAPHS
