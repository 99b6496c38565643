"""What the comparison with other evaluators (`checks/oracles/test_queries.py`) does not show."""

from random import Random

import numpy as np
import pytest

from checks.oracles.queries import Triple, random_query, random_world
from rulemine.errors import QueryError
from rulemine.kg import KnowledgeGraph
from rulemine.query import QueryGraph, evaluate, grading, parse, query_graph
from rulemine.query.evidence import full_evidence
from rulemine.query.links import parts_of
from rulemine.query.query_graph import levels_of
from rulemine.query.tree import Anchor, Difference, Intersection, Projection, Union
from tests import each

TRIPLES = [
    ("ann", "parent", "bo"), ("al", "parent", "bo"), ("bo", "parent", "cy"), ("bo", "parent", "di"),
    ("ann", "spouse", "al"), ("cy", "likes", "cy")
]  # fmt: skip
KG = KnowledgeGraph.from_triples(TRIPLES)
REMOVED = {TRIPLES[0]: 20, TRIPLES[2]: 60, TRIPLES[5]: 100}
GRAPH = QueryGraph(KG, levels_of(KG, REMOVED))


def test_missing_adds_up_along_a_path_and_falls_with_the_level():
    query = parse('(p "parent" (p "parent" "ann"))')
    assert evaluate(KG, query, REMOVED).hard == {"cy": 2, "di": 1}
    for level, hard in ((100, {"cy": 2, "di": 1}), (59, {"cy": 1, "di": 1}), (19, {})):
        grades = evaluate(GRAPH, query, level=level)
        assert grades.hard == hard
        assert grades.answers == ("cy", "di")
        assert grades.stated_until.tolist() == [20, 20]


def test_an_atom_counts_each_time():
    loops = parse('(p "likes" (p "likes" "cy"))')
    grades = evaluate(GRAPH, loops)
    assert grades.hard == {"cy": 2}
    assert KG.labeled(grades.witness("cy")) == [TRIPLES[5]] * 2


def test_the_witness_is_the_cheapest_then_the_first():
    query = parse('(p "parent" (or (p- "parent" "bo") (p "parent" "ann") (p "parent" "al")))')
    grades = evaluate(GRAPH, query)
    assert KG.labeled(grades.witness("di")) == [TRIPLES[1], TRIPLES[3]]  # by way of al, not of ann
    free = evaluate(KG, query)
    assert KG.labeled(free.witness("di")) == [TRIPLES[1], TRIPLES[3]]  # the first part of the union


def test_an_answer_may_be_given_for_what_is_not_taken_away_any_more():
    taken = parse('(minus (p "parent" "al") (p "parent" (p- "spouse" "al")))')
    grades = evaluate(GRAPH, taken)
    assert (grades.answers, grades.spurious) == ((), ("bo",))


def test_what_a_level_gives_too_much_is_what_its_graph_gives():
    kg = KnowledgeGraph.from_triples(
        [("a", "r", "x"), ("a", "r", "y"), ("a", "r", "z"), ("b", "s", "w"), ("b", "s", "y"), ("b", "s", "z")]
    )  # fmt: skip
    removed = {("a", "r", "x"): 60, ("a", "r", "z"): 80, ("b", "s", "y"): 20, ("b", "s", "z"): 70}
    query = '(minus (p "r" "a") (p "s" "b"))'
    seen = set()
    for level in (19, 20, 50, 60, 70, 100):
        left = [t for t in kg.labeled() if removed.get(t, 101) > level]
        given = evaluate(KnowledgeGraph.from_triples(left), parse(query)).answers
        grades = evaluate(kg, parse(query), removed, level)
        assert grades.spurious == tuple(sorted({*given} - {"x"}))
        assert evaluate(kg, parse(f"(count {query})"), removed, level).stated_value == len(given)
        seen.add(grades.spurious)
    assert seen == {(), ("y",), ("y", "z")}


def test_a_count_has_two_values():
    grades = evaluate(GRAPH, parse('(count (p- "parent" "bo"))'))
    assert (grades.value, grades.stated_value, grades.answers) == (2, 1, ("al", "ann"))
    plain = evaluate(GRAPH, parse('(p- "parent" "bo")'))
    assert (plain.value, plain.stated_value, plain.stated) == (None, None, ("al",))
    wrong = parse('(count (minus (p "parent" "al") (p "parent" (p- "spouse" "al"))))')
    assert (evaluate(GRAPH, wrong).value, evaluate(GRAPH, wrong).stated_value) == (0, 1)


@each(
    ("text", "message"), [('(p "parents" "ann")', 'no relation "parents"; did you mean "parent"'),
    ('(p "parent" "anne")', 'no entity "anne"; did you mean "ann"'),
    ('(p "parent" (p "parent" "?"))', r'no entity "\?"; it has 5 entities'),
    ('(and (p "likes" "ann") (p "xxx" "ann"))', 'no relation "xxx"; it has 3 relations')]
)  # fmt: skip
def test_unknown_names(text, message):
    with pytest.raises(QueryError, match=message):
        evaluate(KG, parse(text))


@each(
    ("removed", "message"), [({("ann", "parent", "cy"): 1}, "'ann parent cy': the complete graph lacks it"),
    ({("zed", "parent", "cy"): 1}, "'zed parent cy': the complete graph lacks it"),
    ({TRIPLES[0]: 0}, "its level is 0, not 1 … 100"), ({TRIPLES[0]: 101}, "its level is 101")]
)  # fmt: skip
def test_removed_triples_are_of_the_graph(removed, message):
    with pytest.raises(QueryError, match=message):
        levels_of(KG, removed)
    with pytest.raises(QueryError, match="has its removed triples already"):
        evaluate(GRAPH, parse('"ann"'), REMOVED)
    with pytest.raises(QueryError, match="is not one of its answers"):
        evaluate(GRAPH, parse('(p "parent" "bo")')).witness("bo")


@each(
    ("place", "name"), [(query_graph, "MOST_SLOTS"), (grading, "MOST_KEPT"), (grading, "_AT_ONCE")]
)
def test_nothing_kept_searched_places_and_small_pieces_change_nothing(monkeypatch, place, name):
    queries = ['(p "parent" (or (p "parent" "ann") (p "parent" "al") (p "spouse" "ann")))',
               '(p- "parent" "bo")', '(p "likes" "al")']  # fmt: skip

    def found():
        every = [evaluate(QueryGraph(KG, GRAPH.levels), parse(query)) for query in queries]
        return [(g.hard, [(a, g.witness(a).tolist()) for a in g.answers]) for g in every]

    before = found()
    monkeypatch.setattr(place, name, 0)
    assert found() == before


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
