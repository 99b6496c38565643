from itertools import product

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.answers import AnswerIndex, missing_from, single_ends
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


def test_of_what_there_is_one_is_counted_over_all_statements():
    draw, sizes = stream(13, "answers"), set()
    for _ in range(200):
        many = [
            (f"n{draw.below(40)}", r, f"n{draw.below(40)}")
            for r in ("spouse", "parent", "child", "likes")
            for _ in range(1 + draw.below(8))
        ]
        kg = KnowledgeGraph.from_triples(many)
        declared = Declarations.of(["spouse"], [("parent", "child")]).within(kg.relations)
        every: dict = {}
        for s, r, o in many:
            for end, topic, answer in (("subject", o, s), ("object", s, o)):
                every.setdefault((declared.asked(r, end), topic), set()).add(answer)
        found = set()
        for asked in product(kg.relations, ("subject", "object")):
            ways = declared.statements(*asked)
            topics = {
                o if way == "subject" else s for s, r, o in many for one, way in ways if one == r
            }
            of_one = sum(len(every[declared.asked(*asked), topic]) == 1 for topic in topics)
            found |= {asked} if of_one >= 0.95 * len(topics) else set()
        assert single_ends(kg, declared) == found
        sizes.add(len(found))
    assert len(sizes) > 4
