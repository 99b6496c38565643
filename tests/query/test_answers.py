import numpy as np

from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.answers import AnswerIndex, missing_from
from rulemine.seeds import stream


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
    found = index.find_labeled(topics, relations, directions)
    for i, (topic, relation, direction) in enumerate(asked):
        here, there = (0, 2) if direction == "object" else (2, 0)
        wanted = sorted(
            {t[there] for t in triples if t[1] == relation and t[here] == topic},
            key=kg.entity_ids.__getitem__,
        )
        assert [t[there] for t in kg.labeled(found.of(i))] == wanted


def test_a_graph_that_lacks_the_topic_has_no_answer():
    index = AnswerIndex(KnowledgeGraph.from_triples([("a", "r", "b")]))
    found = index.find_labeled(["zz", "a", "b"], ["r", "q", "r"], ["object", "object", "object"])
    assert found.starts.tolist() == [0, 0, 0, 0]
    assert found.rows.dtype == np.int64


def test_what_a_graph_lacks_of_another_is_found_by_labels():
    draw = stream(12, "answers")
    many = [(f"n{draw.below(9)}", f"r{draw.below(2)}", f"n{draw.below(9)}") for _ in range(120)]
    kg = KnowledgeGraph.from_triples(many[:50])
    further = missing_from(kg, KnowledgeGraph.from_triples(many[30:]))
    assert set(further.labeled()) == set(many[30:]) - set(many[:50])
