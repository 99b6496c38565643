import re
from random import Random

import pytest

from checks.oracles.queries import random_query, random_world
from rulemine.errors import QueryError
from rulemine.kg import KnowledgeGraph
from rulemine.query import evaluate, parse
from rulemine.query.answers import AnswerIndex, missing_from
from rulemine.query.batch import Batch
from rulemine.seeds import stream
from tests import each, some_seeds


def test_answers_are_those_of_a_plain_search():
    draw = stream(11, "answers")
    triples = [
        (f"n{draw.below(12)}", f"r{draw.below(3)}", f"n{draw.below(12)}") for _ in range(150)
    ]
    kg = KnowledgeGraph.from_triples(triples)
    asked = [
        (f"n{i}", f"r{r}", d) for i in range(13) for r in range(4) for d in ("subject", "object")
    ]
    topics, relations, directions = (list(part) for part in zip(*asked, strict=True))
    index = AnswerIndex(kg)
    rows, starts = index.find_labeled(topics, relations, directions)
    for i, (topic, relation, direction) in enumerate(asked):
        here, there = (0, 2) if direction == "object" else (2, 0)
        wanted = sorted(
            {t[there] for t in triples if t[1] == relation and t[here] == topic},
            key=kg.entity_ids.__getitem__,
        )
        assert [t[there] for t in kg.labeled(rows[starts[i] : starts[i + 1]])] == wanted


def test_what_a_graph_lacks_of_another_is_found_by_labels():
    draw = stream(12, "answers")
    many = [(f"n{draw.below(9)}", f"r{draw.below(2)}", f"n{draw.below(9)}") for _ in range(120)]
    kg = KnowledgeGraph.from_triples(many[:50])
    further = missing_from(kg, KnowledgeGraph.from_triples(many[30:]))
    assert set(further.labeled()) == set(many[30:]) - set(many[:50])


@each("seed", some_seeds(20))
def test_many_queries_have_the_answers_of_each(seed):
    world, rng = random_world(seed, 12), Random(seed)
    queries = [random_query(world, rng) for _ in range(20)]
    batch = Batch(query.text for query in queries)
    expected = [set(evaluate(world.kg, query).entities.tolist()) for query in queries]
    assert any(expected)
    assert batch.answers(batch.over(world.kg)) == expected


KG = KnowledgeGraph.from_triples([("a", "r", "b"), ("a", "r", 'c "d"'), ("b", "r", "c\\")])


@each(
    ("query", "answers"), [('(p "r" "a")', {"b", 'c "d"'}), ('(p "r" "b")', {"c\\"}),
    (' ( p "r" "nobody" )', set()), ('(p "nothing" "a")', set()), ('(p- "r" "c \\"d\\"")', {"a"}),
    ('(p-"r""c\\\\")', {"b"}),
    ('(or (p "nothing" "a") (p "r" "nobody") (p "r" (p "r" "a")) "nobody" "a")', {"a", "c\\"}),
    ('(minus (p "r" "a") (or (p "nothing" "b") (p- "r" "c\\\\")))', {'c "d"'}),
    ('(and (p "r" "a") (p- "r" "nobody"))', set())]
)  # fmt: skip
def test_what_the_graph_lacks_has_no_triples(query, answers):
    batch = Batch(['(p "r" "x")', query])
    found = batch.answers(batch.over(KG))
    assert [{KG.entities[i] for i in ids} for ids in found] == [set(), answers]


@each("line", ['(p "relation" "some entity"', '(p "r" "\\q")', "", '(q "r" "a")', '"a'])
def test_what_is_no_query_is_told_as_by_the_parser(line):
    with pytest.raises(QueryError) as told:
        parse(line)
    with pytest.raises(QueryError, match=re.escape(str(told.value))):
        Batch([line])
