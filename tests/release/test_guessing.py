"""Guesses from training answers alone, against counting by hand."""

import math
from collections.abc import Sequence
from dataclasses import replace

from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.parser import parse
from rulemine.release.guessing import asked_ends, guesser, nearest, order_of_names
from rulemine.release.records import Question
from rulemine.seeds import stream
from tests import each
from tests.questions import question
from tests.structures import DECLARED, structure_question


def asked(
    number: int, relation: str, answers: Sequence[str], hard: str, direction: str = "object"
) -> Question:
    topic = f"t{number}"
    triple = (topic, relation, hard) if direction == "object" else (hard, relation, topic)
    others = tuple(sorted({*answers} - {hard}))
    made = question(number, triple, direction, split="train")
    return replace(made, answers=tuple(sorted(answers)), stated=others)


TRAINING = [
    asked(1, "likes", ("a", "b"), "a"),
    asked(2, "likes", ("b", "c"), "c"),
    asked(3, "likes", ("c", "d"), "c"),
    asked(4, "likes", ("z",), "z", "subject"),
    asked(5, "knows", ("d", "e"), "e"),
]


def test_the_commonest_come_first_hard_ones_first_among_equals() -> None:
    for training in (TRAINING, TRAINING[::-1]):
        guesses = guesser(training)
        assert guesses('(p "knows" "t")') == ["e", "d"]
        assert guesses('(p "likes" "t")') == ["c", "b", "a", "d"]
        assert guesses('(p- "likes" "t")') == ["z"]
        # what training does not ask for, or no query: all answers of training
        assert guesses('(p "met" "t")') == guesses("") == ["c", "b", "d", "a", "e", "z"]
    assert guesser([])('(p "likes" "t")') == []


def test_the_order_among_equals_is_the_same_in_every_naming() -> None:
    names = [EntityNames("e0", "b", "Zoe"), EntityNames("e1", "a", "Ann")]
    assert order_of_names(names, "entity") == {"b": 0, "a": 1}
    assert order_of_names(names, "text") == {"Zoe": 0, "Ann": 1}
    order = {"x": 2, **order_of_names(names, "entity")}
    pair = [asked(1, "likes", ("a", "b", "x"), "x")]
    assert guesser(pair, order=order)(pair[0].query) == ["x", "b", "a"]


def test_structures_are_guessed_by_the_ends_asked_for_at_the_answer() -> None:
    queries = {
        '(p "born_in" (and (p- "citizen_of" "france") (p- "won" "oscar")))': ("born_in", "object"),
        '(p "in" (p "born_in" (p- "wrote" "film4")))': ("in", "object"),
        '(or (p- "citizen_of" "france") (p- "citizen_of" "italy"))': ("citizen_of", "subject"),
        '(or (p "spouse" "bob") (p- "spouse" "bob"))': ("spouse", "object"),
    }
    for query, end in queries.items():
        assert asked_ends(parse(query), DECLARED) == (end,)
    pi = parse('(and (p- "citizen_of" (p "in" "paris")) (p- "won" "palme"))')
    assert asked_ends(pi, DECLARED) == (("citizen_of", "subject"), ("won", "subject"))
    two = '(and (p- "citizen_of" "france") (p- "won" "oscar"))'
    guesses = guesser([structure_question(1, two), structure_question(2, pi.text)], DECLARED)
    three = '(and (p- "citizen_of" "france") (p- "won" "oscar") (p- "won" "palme"))'
    assert guesses(three) == ["bob", "ann", "dan"]


GRAPH = [
    ("t", "knows", "a"), ("b", "knows", "a"), ("c", "knows", "a"),  # a has four neighbors
    ("t", "met", "d"), ("d", "met", "b"),  # d has two: worth more than a
    ("a", "knows", "e"),
    *((x, "lives_in", f"{x}-town") for x in ("b", "c", "e")),
]  # fmt: skip


@each(
    ("query", "stated", "expected"),
    [
        ('(p- "lives_in" "t")', (), ["b"]),  # 1 / log 4 + 1 / log 2; c has 1 / log 4
        ('(p- "lives_in" "t")', ("b",), ["c"]),  # and so has e; both have two neighbors, c is first
        ('(p "lives_in" "t")', (), ["b-town"]),  # none is near, all have one neighbor
        ('(p- "knows" "t")', ("b", "c"), ["a"]),
        ('(p "knows" "t")', ("a", "e"), []),
        ('(p "nothing" "t")', (), []),
        ('(and (p- "knows" "t") (p- "lives_in" "e"))', (), ["b"]),
        ('{"match": []}', (), []),
    ],
)
def test_the_nearest_of_the_right_type(query, stated, expected):
    kg = KnowledgeGraph.from_triples(GRAPH)
    order = {name: place for place, name in enumerate(kg.entities)}
    assert nearest(kg, [(query, ["t"], stated)], Declarations(), order) == [expected]


def test_statements_of_a_fact_are_of_one_type() -> None:
    kg = KnowledgeGraph.from_triples(
        [("x", "parent", "y"), ("z", "child", "x"), ("t", "met", "w"), ("w", "met", "z")]
    )
    declared = Declarations.of(inverse=[("parent", "child")])
    query = '(or (p "parent" "t") (p- "child" "t"))'
    assert nearest(kg, [(query, ["t"], [])], declared, {}) == [["z"]]
    assert nearest(kg, [('(p "parent" "t")', ["t"], [])], Declarations(), {}) == [["y"]]


@each("seed", range(5))
def test_the_nearest_against_brute_force(seed: int) -> None:
    draw = stream(seed, "nearest")
    names = [f"n{i}" for i in range(15)]
    kg = KnowledgeGraph.from_triples(
        {(names[draw.below(15)], f"r{draw.below(3)}", names[draw.below(15)]) for _ in range(50)}
    )
    near: dict[str, set[str]] = {name: set() for name in kg.entities}
    for s, _, o in kg.labeled():
        if s != o:
            near[s].add(o)
            near[o].add(s)
    order = {name: draw.below(1000) for name in kg.entities}
    for topic in kg.entities:
        right = {o for _, r, o in kg.labeled() if r == "r1"} - {topic}

        def value(name: str, topic: str = topic) -> tuple[float, int, int, str]:
            weight = sum(1 / math.log(len(near[z])) for z in near[topic] & near[name])
            return -round(weight, 4), -len(near[name]), order[name], name

        (found,) = nearest(kg, [('(p "r1" "x")', [topic], [])], Declarations(), order)
        assert found == [min(right, key=value)]
