"""The join engine finds what trying every substitution finds, in canonical order."""

import itertools
import random

import numpy as np

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query import join as engine
from rulemine.query.atom import Atom, Term
from rulemine.query.join import bind, join
from tests import each, some_seeds

Result = tuple[int, tuple[int, ...], tuple[int, ...]]


def random_graph(rng):
    entities = [f"e{i}" for i in range(rng.randrange(1, 6))]
    relations = [f"r{i}" for i in range(rng.randrange(1, 4))]
    return KnowledgeGraph.from_triples(
        (rng.choice(entities), rng.choice(relations), rng.choice(entities))
        for _ in range(rng.randrange(1, 30))
    )


def random_atoms(rng, kg):
    terms: list[Term] = [0, 1, 2, 3, 0, 1, 2, rng.choice(kg.entities)]
    return tuple(
        Atom(rng.choice(terms), rng.choice(kg.relations), rng.choice(terms))
        for _ in range(rng.randrange(1, 4))
    )


def brute_force(kg, atoms, rows, bound):
    """Every (row of the bindings, values of the variables, rows of the triples), by trying all."""
    where = {triple: row for row, triple in enumerate(map(tuple, kg.triples.tolist()))}
    variables = sorted({v for atom in atoms for v in atom.variables})
    free = [v for v in variables if v not in bound]
    found = set()
    for origin, given in enumerate(rows):
        for values in itertools.product(range(len(kg.entities)), repeat=len(free)):
            at = {v: given[v] for v in bound} | dict(zip(free, values, strict=True))

            def value(term, at=at):
                return at[term] if isinstance(term, int) else kg.entity_ids[term]

            triples = [where.get((value(s), kg.relation_ids[r], value(o))) for s, r, o in atoms]
            if None not in triples:
                found.add((origin, tuple(at[v] for v in variables), tuple(t or 0 for t in triples)))
    return found


@each(("seed", "at_once"), itertools.product(some_seeds(60), [1, 3, 1 << 18]))
def test_join_equals_brute_force(seed, at_once, monkeypatch):
    monkeypatch.setattr(engine, "ROWS_AT_ONCE", at_once)
    rng = random.Random(seed)
    kg = random_graph(rng)
    atoms = random_atoms(rng, kg)
    bound = frozenset(rng.sample(range(4), rng.randrange(5)))
    rows = [[rng.randrange(len(kg.entities)) for _ in range(4)] for _ in range(rng.randrange(4))]
    table = np.array(rows, np.int64).reshape(-1, 4)
    before = table.copy()
    bound_atoms = bind(kg, atoms)
    assert bound_atoms is not None

    results: list[Result] = []
    order: list[tuple[int, ...]] = []
    variables = sorted({v for atom in atoms for v in atom.variables})
    for chunk in join(Index(kg), bound_atoms, table, bound):
        assert len(chunk.origin), "a chunk is never empty"
        for origin, values, triples in zip(
            chunk.origin.tolist(), chunk.bindings.tolist(), chunk.triples.tolist(), strict=True
        ):
            results.append((origin, tuple(values[v] for v in variables), tuple(triples)))
            keys = [tuple(kg.triples[t, [0, 2]].tolist()) for t in triples]
            order.append((origin, *itertools.chain(*keys)))
            assert all(values[v] == rows[origin][v] for v in bound)
    assert set(results) == brute_force(kg, atoms, rows, bound)
    assert len(results) == len(set(results))
    assert order == sorted(order), "by row, then by the triples' subjects and objects in turn"
    assert np.array_equal(table, before)


def test_atoms_over_a_graph_that_lacks_a_name_cannot_be_bound():
    kg = KnowledgeGraph.from_triples([("a", "r", "b")])
    assert bind(kg, [Atom(0, "r", "b")]) == ((0, 0, -2),)
    assert bind(kg, [Atom(0, "s", 1)]) is None
    assert bind(kg, [Atom(0, "r", 1), Atom("c", "r", 1)]) is None
