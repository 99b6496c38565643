"""Forward chaining: the triples that a rule derives for given topic entities, and all that rules derive.

Guarantees: finds exactly the heads that one application of a rule derives for a topic entity, and exactly
the least graph that is closed under rules, whatever their order. Only bindings that later atoms need are
carried along, without duplicates, so the work does not grow with the number of proofs of an answer.
"""

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.query.join import bind, has_match, join, join_order
from rulemine.rules.rule import Rule

__all__ = ["close", "derive"]

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
        later = {v for a in body[done:] for v in a.variables} | ({answer} & variables)
        fresh = set(body[done - 1].variables) - bound
        if fresh & later:
            chunks = list(join(index, [atom], table, bound))
            if not chunks:
                return nothing
            origin = np.concatenate([origin[c.origin] for c in chunks])
            table = np.concatenate([c.bindings for c in chunks])
            bound |= fresh
        else:  # all that counts is whether there is such a triple
            rows = np.flatnonzero(has_match(index, atom, table, bound))
            origin, table = origin[rows], table[rows]
        kept = sorted(bound & later)
        rows = _distinct([origin, *(table[:, v] for v in kept)])
        origin, table, bound = origin[rows], table[rows], frozenset(kept)
    if isinstance(answer, str):
        return origin, np.full(len(origin), ids[answer])
    return origin, table[:, answer]


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
        index, found = Index(kg), [np.empty((0, 3), np.int32)]
        for at, rule in enumerate(waiting):
            if progress is not None:
                progress(done + at, done + len(waiting))
            subject, end = derive(index, rule, everyone, "object")
            relation = np.full(len(end), kg.relation_ids[rule.head.relation])
            ids = np.column_stack((subject, relation, end))[subject != end].astype(np.int32)
            found.append(ids[kg.rows_of(ids) < 0])
        done += len(waiting)
        new = np.concatenate(found)
        kg = kg.including(new)
        changed = {kg.relations[number] for number in np.unique(new[:, 1])}
        waiting = [rule for rule in known if changed & {atom.relation for atom in rule.body}]
    return kg


def _distinct(columns: list[Ints]) -> Ints:
    """Positions of the distinct rows, one each, in lexicographic order."""
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    return order[new]
