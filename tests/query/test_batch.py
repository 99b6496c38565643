import re
from random import Random

import pytest

from checks.oracles.queries import random_query, random_world
from rulemine.errors import QueryError
from rulemine.kg import KnowledgeGraph
from rulemine.query import evaluate, parse
from rulemine.query.batch import Batch
from tests import each, some_seeds


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
