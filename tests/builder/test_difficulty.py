import numpy as np

from rulemine.builder.assemble import edges_between
from rulemine.kg.graph import KnowledgeGraph
from rulemine.seeds import stream


def test_edges_between_are_those_of_a_plain_search():
    draw = stream(5, "edges")
    triples = {(f"n{draw.below(6)}", f"r{draw.below(4)}", f"n{draw.below(6)}") for _ in range(60)}
    kg = KnowledgeGraph.from_triples(sorted(triples))
    pairs = [(a, b) for a in range(len(kg.entities)) for b in range(len(kg.entities))]
    subjects, objects = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    wanted = [
        tuple(r for r in kg.relations if (kg.entities[a], r, kg.entities[b]) in triples)
        for a, b in pairs
    ]
    assert edges_between(kg, subjects, objects) == wanted
