"""Forward chaining: all that rules derive from a graph.

Guarantee: finds exactly the least graph that is closed under the rules, whatever their order.
"""

from collections.abc import Callable, Iterable

import numpy as np

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks

__all__ = ["close"]


def close(
    kg: KnowledgeGraph,
    rules: Iterable[Rule],
    progress: Callable[[int, int], None] | None = None,
) -> KnowledgeGraph:
    """The graph with everything that rules derive from it, from what they derive, and so on.

    No triple from an entity to itself is derived.

    Args:
        kg: The graph.
        rules: Every variable of a head is in its body. Rules with a relation or an entity that the graph
            lacks derive nothing.
        progress: Called with (applications of rules done, those known to be needed).
    """
    known = [rule for rule in rules if rule.relations <= kg.relation_ids.keys()]
    everyone = np.arange(len(kg.entities))
    done, waiting = 0, known
    while waiting:
        found = [np.empty((0, 3), np.int32)]
        heads = sorted({rule.head.relation for rule in waiting})
        walks = Walks(Index(kg), waiting)
        for at, head in enumerate(heads):
            if progress is not None:
                progress(done + at * len(waiting) // len(heads), done + len(waiting))
            for ids in walks.triples([OpenEnds(head, "object", everyone)]):
                found.append(ids[(ids[:, 0] != ids[:, 2]) & (kg.rows_of(ids) < 0)])
        done += len(waiting)
        new = np.concatenate(found)
        kg = kg.including(new)
        changed = {kg.relations[number] for number in distinct(new[:, 1])}
        waiting = [rule for rule in known if changed & {atom.relation for atom in rule.body}]
    return kg
