"""Forward chaining, one step: the triples that a rule derives for given topic entities.

Guarantees: finds exactly the heads that one application of a rule derives for a topic entity. Only
bindings that later atoms need are carried along, without duplicates, so the work does not grow with the
number of proofs of an answer.
"""

import numpy as np
import numpy.typing as npt

from rulemine.kg.index import Index
from rulemine.query.join import bind, join, join_order
from rulemine.rules.rule import Rule

__all__ = ["derive"]

Ints = npt.NDArray[np.int64]


def derive(index: Index, rule: Rule, topics: Ints, direction: str) -> tuple[Ints, Ints]:
    """The answers that a rule derives for topic entities.

    Args:
        index: The graph.
        rule: The rule; its head may have entities in place of variables.
        topics: Entity ids, shape (m,).
        direction: The end of the head that is asked for: ``object`` or ``subject``.

    Returns:
        Position in `topics` and entity id of each answer, shape (k,) each, sorted, without duplicates.
    """
    ids = index.kg.entity_ids
    topic, answer = rule.head.subject, rule.head.object
    if direction == "subject":
        topic, answer = answer, topic
    nothing = np.empty(0, np.int64), np.empty(0, np.int64)
    given = frozenset([topic] if isinstance(topic, int) else [])
    body = [rule.body[i] for i in join_order(rule.body, given)]
    atoms = bind(index.kg, body)
    if atoms is None or (isinstance(answer, str) and answer not in ids):
        return nothing
    variables = {v for atom in (rule.head, *body) for v in atom.variables}
    origin = np.arange(len(topics))
    if isinstance(topic, str):
        origin = origin[topics == ids.get(topic, -1)]
    table = np.zeros((len(origin), max(variables, default=0) + 1), np.int64)
    if isinstance(topic, int):
        table[:, topic] = topics
    bound = given
    for done, atom in enumerate(atoms, start=1):
        chunks = list(join(index, [atom], table, bound))
        if not chunks:
            return nothing
        bound |= set(body[done - 1].variables)
        later = {v for a in body[done:] for v in a.variables} | ({answer} & variables)
        kept = sorted(bound & later)
        origin = np.concatenate([origin[c.origin] for c in chunks])
        bindings = np.concatenate([c.bindings for c in chunks])
        rows = _distinct([origin, *(bindings[:, v] for v in kept)])
        origin, table, bound = origin[rows], bindings[rows], frozenset(kept)
    if isinstance(answer, str):
        return origin, np.full(len(origin), ids[answer])
    return origin, table[:, answer]


def _distinct(columns: list[Ints]) -> Ints:
    """Positions of the distinct rows, one each, in lexicographic order."""
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    return order[new]
