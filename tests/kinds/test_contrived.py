"""Points of queries over a small graph, counted by hand."""

import pytest

from rulemine.kg.entity_types import types_of
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.asking import Asking
from rulemine.kinds.contrived import Contrived, LessContrived
from rulemine.phrasing.templates import load_templates
from rulemine.query.grading import Grades
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Anchor
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.recipe import Recipe
from rulemine.removal.selection import Selection

TRIPLES = [
    # Three films by one person, of whom there are two; each film has one composer.
    *(("ann", "directed", film) for film in ("f1", "f2", "f3")),
    ("bo", "directed", "f4"),
    *((f"f{i}", "music_by", f"m{i}") for i in (1, 2, 3, 4)),
    # Of sixteen people who live in Oslo, one has a pet; Oslo and Bergen are in Norway, which has a king.
    *((f"p{i}", "lives_in", "oslo") for i in range(16)),
    ("p0", "pet", "rex"),
    ("oslo", "lies_in", "norway"),
    ("bergen", "lies_in", "norway"),
    ("norway", "borders", "sweden"),
    ("oslo", "mayor", "p1"),
    ("p1", "dated", "p2"),
    ("ann", "owns", "f1"),
    ("ann", "worked_with", "p0"),
    ("ann", "worked_with", "p16"),
]

POINTS = {
    # One link: nothing is passed through.
    '(p "directed" "ann")': 0,
    # ⌊log₂ 3⌋ for the three films.
    '(p "music_by" (p "directed" "ann"))': 1,
    # One film.
    '(p "music_by" (p "directed" "bo"))': 0,
    # From Oslo, to which sixteen lead: ⌊log₂ 16⌋ − 3.
    '(p "mayor" (p "lives_in" "p3"))': 1,
    # Sixteen people: ⌊log₂ 16⌋; one of them has a pet: ⌊log₄ 16⌋.
    '(p "pet" (p- "lives_in" "oslo"))': 4 + 2,
    # Back where it came from, through the hub: 1 + 2.
    '(p- "lives_in" (p "lives_in" "p3"))': 3,
    # Back where it came from, through two places.
    '(p "lies_in" (p- "lies_in" "norway"))': 1 + 2 + 2,
    # From place to place.
    '(p "borders" (p "lies_in" "oslo"))': 2,
    # Symmetric, so back where it came from, and twice gossip.
    '(p "dated" (p "dated" "p1"))': 2 + 2 * 2,
    # Ann owns one film, which is her own: the first branch takes nothing away, the second two of three.
    '(and (p "directed" "ann") (p "owns" "ann"))': 2,
    # Different links.
    '(or (p "directed" "ann") (p "owns" "ann"))': 3,
    '(or (p "directed" "ann") (p "directed" "bo"))': 0,
    # Whoever worked with Ann: a loose link, to two people of whom one has a pet. As a branch, it gives 1.
    '(p "pet" (p "worked_with" "ann"))': 1 + 2,
    '(p "pet" (and (p "worked_with" "ann") (p- "lives_in" "oslo")))': 1,
    '(and (p "worked_with" "ann") (p- "lives_in" "oslo"))': 1,
    # A loose link of a later step; from two who worked together to each other.
    '(p "worked_with" (p- "owns" "f1"))': 2,
    '(p "worked_with" (p- "worked_with" "p16"))': 2 + 2 + 2,
    # What is taken away counts too.
    '(minus (p "directed" "ann") (p "dated" (p "dated" "p1")))': 6,
}


@pytest.mark.parametrize("query", POINTS)
def test_points_are_those_of_the_signs(query: str) -> None:
    kg = KnowledgeGraph.from_triples(TRIPLES)
    declared, graph = Declarations.of(symmetric=["dated"]), QueryGraph(kg)
    places = {"lies_in", "borders"}
    contrived = Contrived(graph, declared, types_of(kg), places, {"dated"}, {"worked_with"})
    grades = Grades(graph, expanded(parse(query), declared))
    assert contrived.points(grades) == POINTS[query]


def test_a_filter_names_relations_between_places() -> None:
    kg = KnowledgeGraph.from_triples(TRIPLES)
    query = parse('(p "borders" (p "lies_in" "oslo"))')
    for classes, points in (({}, 0), ({"within": ("borders", "lies_in")}, 2)):
        inputs = Inputs(Recipe("towns", "towns"))
        inputs.put(kg=kg, templates=load_templates("", kg.relations), classes=classes)
        asking = Asking(inputs, Selection.of_nothing())
        assert asking.contrived.points(Grades(asking.graph, query)) == points


def test_what_a_step_goes_on_from_may_be_of_mixed_types() -> None:
    triples = [("ann", "owns", what) for what in ("emma", "oslo")]
    triples += [(what, "insured_by", "storebrand") for what in ("emma", "oslo")]
    stated = {"ann": "person", "bo": "person", "cy": "person", "storebrand": "firm"}
    stated["emma"] = "book"
    for town, points in (("town", 1 + 2), ("book", 1)):
        types = [(name, "type", kind) for name, kind in {**stated, "oslo": town}.items()]
        graph = QueryGraph(kg := KnowledgeGraph.from_triples(triples + types))
        contrived = Contrived(graph, Declarations(), types_of(kg))
        grades = Grades(graph, parse('(p "insured_by" (p "owns" "ann"))'))
        assert contrived.points(grades) == points


def test_a_branch_that_keeps_three_of_four_gives_one_point() -> None:
    # Without the second branch there are six, of which three stay: neither takes little away.
    triples = [("a", "r", f"x{i}") for i in range(6)]
    triples += [("b", "s", x) for x in ("x0", "x1", "x2", "y")]
    graph = QueryGraph(kg := KnowledgeGraph.from_triples(triples))
    contrived = Contrived(graph, Declarations(), types_of(kg))
    assert contrived.points(Grades(graph, parse('(and (p "r" "a") (p "s" "b"))'))) == 1


def test_a_candidate_with_at_most_the_median_of_points_is_in_the_better_half() -> None:
    better = LessContrived(0.5)
    points = {"a": 3, "b": 5, "c": 1, "d": 2, "e": 2}
    has = [better.has("2p", Anchor(name), n) for name, n in points.items()]
    assert has == [True, False, True, True, True]  # medians 3, 3, 3, 2, 2
    assert better.has("3p", Anchor("z"), 9)
    assert better.has("2p", Anchor("a"), 3)  # as before
    assert not better.has("2p", Anchor("b"), 5)
    assert [better.refused("2p", Anchor(name)) for name in "abz?"] == [False, True, False, False]
    assert (better.lift("2p"), better.lift("2p")) == (True, False)
    assert better.has("2p", Anchor("b"), 5)
    assert not better.refused("2p", Anchor("b"))
    assert better.to_plain(['"c"', '"d"', '"none of them"']) == {"drawn": 3.67, "asked": 1.5}


def test_a_share_may_grow_step_by_step() -> None:
    better = LessContrived(0.25)
    has = [better.has("2p", Anchor(str(n)), n) for n in (1, 2, 3, 4, 5)]
    assert has == [True, False, False, False, False]
    assert not better.is_widened("2p")
    assert better.widen("2p")
    assert [n for n in (1, 2, 3, 4, 5) if better.has("2p", Anchor(str(n)), n)] == [1, 2, 3]
    assert (better.widen("2p"), better.is_widened("2p"), better.is_lifted("2p")) == (
        False,
        True,
        False,
    )
