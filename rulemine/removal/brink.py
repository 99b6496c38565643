"""The published selection (Zhou et al., arXiv 2508.08344), reproduced exactly, flaws included.

For each rule a nested loop over the body atoms, in the order in which the rule is written, each over
the facts in the order of the source; the first `per_rule` groundings are kept. Then every row whose
head is in the body of some kept row is dropped, whichever rule that is of. On Family, with the rules
as AMIE 3.5.1 prints them, this gives the published benchmark.

Guarantee: exactly the rows, in exactly the order, of the literal nested loop, computed from indexes;
all groundings are counted, few are held in memory.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.errors import ConfigError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.removal.plan import RemovalPlan
from rulemine.removal.selection import SelectionCounts
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.rule import Rule

__all__ = ["select_brink"]

Ints = npt.NDArray[np.int64]


def select_brink(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    *,
    per_rule: int = 30,
    progress: Callable[[int, int], None] | None = None,
) -> RemovalPlan:
    """Selects as the published procedure does.

    A removed triple may have several rows, and a rule may lose all of its own.

    Args:
        kg: The graph; ``kg.source_order`` is the order of its source.
        rules: The rules in their own order, each with its body in the order written.
        per_rule: Cap: how many groundings of each rule are kept at first, ≥ 1.
        progress: Called with (rules done, rules).

    Returns:
        The rows that are left: by rule, then in the order of the loop. `considered` counts
        the rows before any was dropped.

    Raises:
        ConfigError: `per_rule` is not positive.
    """
    if per_rule < 1:
        raise ConfigError(f"per_rule: found {per_rule}; expected at least 1. Raise it.")
    index = Index(kg)
    place = np.empty(len(kg), np.int64)
    place[kg.source_order] = np.arange(len(kg))
    provable = np.zeros(len(kg), bool)
    groundings = 0
    widest = max((len(rule.body) for rule in rules), default=0)
    numbers: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)]
    heads: list[Ints] = [np.empty(0, np.int64)]
    bodies: list[Ints] = [np.empty((0, widest), np.int64)]
    for number, rule in enumerate(rules):
        bound = bind_rule(index, rule)
        if bound is not None:
            count, head, body = _first(bound, place, per_rule, provable)
            groundings += count
            numbers.append(np.full(len(head), number, np.int32))
            heads.append(head)
            padding = ((0, 0), (0, widest - len(rule.body)))
            bodies.append(np.pad(body, padding, constant_values=-1))
        if progress:
            progress(number + 1, len(rules))
    rule_of, head, body = np.concatenate(numbers), np.concatenate(heads), np.concatenate(bodies)
    needed = np.zeros(len(kg), bool)
    needed[body[body >= 0]] = True
    keep = ~needed[head]
    counts = SelectionCounts(groundings, int(provable.sum()), len(head), upper_bound=0)
    head = head[keep]
    size = np.zeros(len(head), np.int64)
    size[np.unique(head, return_index=True)[1]] = 1
    return RemovalPlan(tuple(rules), head, rule_of[keep], body[keep], head, size, counts)


def _first(
    bound: BoundRule, place: Ints, per_rule: int, provable: npt.NDArray[np.bool_]
) -> tuple[int, Ints, Ints]:
    """The number of groundings of a rule, and head and body of the first ones.

    Args:
        bound: The rule.
        place: Position of each row of ``kg.triples`` in the source.
        per_rule: How many to return.
        provable: Marks the heads of all groundings; changed.
    """
    rows = bound.heads()
    count = 0
    head = np.empty(0, np.int64)
    body = np.empty((0, len(bound.body)), np.int64)
    for found in bound.bodies(bound.index.kg.triples[rows]):
        count += len(found.head)
        provable[rows[found.head]] = True
        head = np.concatenate((head, rows[found.head]))
        body = np.concatenate((body, found.rows))
        # The position of the first atom's fact is the outermost loop; a body determines its head.
        order = np.lexsort(place[body].T[::-1])[:per_rule]
        head, body = head[order], body[order]
    return count, head, body
