"""Head relations that are divided among tasks have the rules that they have undivided."""

from checks.oracles.hunt import split
from checks.oracles.random_graphs import random_variant
from rulemine import KnowledgeGraph, mine


def test_any_order_of_tasks_gives_the_rules_of_one_call():
    lengths = set()

    def backwards(function, items):
        left = items.copy()
        while left:
            task = left.pop()
            if task.phase is not None:
                lengths.add((task.phase.length, task.phase.measuring))
            known = len(items)
            yield function(task)
            left += items[known:]

    rules = 0
    for seed in range(30):
        case = random_variant(seed)
        kg = KnowledgeGraph.from_triples(case.triples)
        options, search = split(case.options)
        found = mine(kg, options, run=backwards, search=search)
        alone = mine(kg, options, search=search)
        assert list(found.text("jsonl")) == list(alone.text("jsonl")), case.name
        rules += len(found)
    assert rules > 500
    assert lengths >= {(0, False), (1, True), (1, False), (2, True), (2, False), (3, True)}
