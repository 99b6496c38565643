"""Whether a query can be asked: the checks of all kinds, the cheapest first.

A query is asked if no check refuses it. `CHECKS` has them in their order, each with the reason that a refused
query is counted under.
"""

from collections.abc import Callable, Iterator

import numpy as np

from rulemine.arrays import among
from rulemine.kg.graph import DIRECTIONS
from rulemine.kinds.graded import Graded, Ints
from rulemine.query.grading import Grades
from rulemine.query.links import expanded, linked, parts_of, smaller
from rulemine.query.tree import Anchor, Difference, Projection, Query, Union
from rulemine.recipe.earlier import AGAIN

__all__ = ["CHECKS", "Unaskable", "refusal"]


class Unaskable:
    """Why a query is no question, whatever its kind."""

    SAME = "its query is that of another question"
    EARLIER = AGAIN
    BROAD = "its templates do not ask for this end"
    NONE = "it has no answer"
    MANY = "it has too many answers"
    ANCHOR = "an anchor is an answer"
    BARRED = "what is removed may not be asked for in its direction"
    RESTATED = "a triple that stays joins an anchor and the hard answer"
    EVIDENCE = "its answers have too many triples of evidence"
    STALE = "the reference graph lacks a triple that it uses"
    NEGATION = "what it takes away takes nothing away"
    NEEDLESS = "a branch is not needed"
    CHAIN = "a step of its chain leads to all there is"
    SEVERAL = "a link goes on from several entities"
    STRANGERS = "its anchors have nothing to do with each other"
    DISPUTED = "the reference graph changes what is counted or taken away"


Check = Callable[[Graded], bool]

CHECKS: list[tuple[str, Check]] = []
"""Reason → whether a query is refused for it, in the order in which they are tried."""


def _refuses(reason: str) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        CHECKS.append((reason, check))
        return check

    return add


def refusal(query: Graded) -> str | None:
    """Why a query is not asked, one of `Unaskable`; None: it is."""
    return next((reason for reason, check in CHECKS if check(query)), None)


@_refuses(Unaskable.EARLIER)
def _was_asked(q: Graded) -> bool:
    return q.query.text in q.grader.earlier.queries


@_refuses(Unaskable.BROAD)
def _is_not_worded(q: Graded) -> bool:
    return not q.grader.templates.asks(q.query)


@_refuses(Unaskable.NONE)
def _has_no_answer(q: Graded) -> bool:
    return not len(q.grades)


@_refuses(Unaskable.MANY)
def _has_many_answers(q: Graded) -> bool:
    return len(q.grades) > q.max_answers


@_refuses(Unaskable.ANCHOR)
def _answers_with_an_anchor(q: Graded) -> bool:
    return not q.anchors.isdisjoint(q.grades.answers)


@_refuses(Unaskable.BARRED)
def _asks_the_wrong_way(q: Graded) -> bool:
    return bool(q.hard) and q.asked_for is None


@_refuses(Unaskable.EARLIER)
def _is_a_link_that_was_asked(q: Graded) -> bool:
    if q.asked_for is None or q.structure.name != "1p":
        return False
    return any(q.grader.asked_before[row] for row, _ in q.asked_for.steps)


@_refuses(Unaskable.RESTATED)
def _is_restated(q: Graded) -> bool:
    """A triple that stays, beside the derivation, joins an anchor and the hard answer."""
    if q.asked_for is None or q.grader.restated:
        return False
    grader, kg = q.grader, q.grader.graph.kg
    stated = np.array([at for at, _ in q.asked_for.steps if grader.removed.place[at] < 0], np.int64)
    used = grader.pairs_of(kg.triples[stated])
    answer = kg.entity_ids[q.asked_for.answer]
    ends = [(kg.entity_ids[anchor], 0, answer) for anchor in q.structure.anchors]
    asked = grader.pairs_of(np.array(ends, np.int32))
    return bool(among(asked[~np.isin(asked, used)], grader.joined).any())


@_refuses(Unaskable.NEGATION)
def _takes_nothing_away(q: Graded) -> bool:
    return any(
        not np.isin(q.grades.members(part.of), q.grades.members(part.minus)).any()
        for part in _within(q.query)
        if isinstance(part, Difference)
    )


@_refuses(Unaskable.NEEDLESS)
def _has_a_branch_without_effect(q: Graded) -> bool:
    """The answers are the same without it, on the complete graph."""
    return any(
        np.array_equal(q.grades.members(less), q.grades.entities)
        for less in smaller(q.query, q.grader.declarations)
    )


@_refuses(Unaskable.CHAIN)
def _leads_to_all(q: Graded) -> bool:
    """A step of a chain leads to all entities of its type that its relation leads to from anywhere."""
    return q.structure.hops > 1 and any(_is_everything(q, link) for link in _links(q))


def _is_everything(q: Graded, link: Projection) -> bool:
    declared = q.grader.declarations
    members = q.grades.members(expanded(link, declared))
    ends = frozenset(declared.statements(link.relation, DIRECTIONS[not link.inverse]))
    everything = q.grader.range_of(ends)
    if len(members) == len(everything):
        return True
    return bool(shared := q.grader.types.shared(members.tolist())) and (
        q.grader.alike(ends, shared) == among(members, everything).sum()
    )


@_refuses(Unaskable.SEVERAL)
def _goes_on_from_several(q: Graded) -> bool:
    """A link goes on from several entities, and not back: "a producer of X" is nobody in particular.

    "Shares a writer with X" goes back by the relation that led there; films directed by X or Y are all that
    a union gives.
    """
    asked = q.grader.declarations.asked
    return any(
        len(gives) > 1
        and not isinstance(of, Union)
        and not (
            isinstance(of, Projection)
            and asked(of.relation, DIRECTIONS[not of.inverse])
            == asked(link.relation, DIRECTIONS[link.inverse])
        )
        for link, of, gives in _onward(q)
    )


@_refuses(Unaskable.STRANGERS)
def _joins_strangers(q: Graded) -> bool:
    """Two anchors have nothing to do with each other but answers and what lies between them."""
    inside = [q.grades.entities, *(gives for _, _, gives in _onward(q))]
    ids = q.grader.graph.kg.entity_ids
    anchors = [ids[anchor] for anchor in q.structure.anchors]
    return not q.grader.neighbors.belong_together(anchors, {*np.concatenate(inside).tolist()})


@_refuses(Unaskable.EVIDENCE)
def _has_much_evidence(q: Graded) -> bool:
    return len(q.evidence.rows) > q.max_evidence


@_refuses(Unaskable.STALE)
def _is_stale(q: Graded) -> bool:
    return q.grader.stale is not None and bool(q.grader.stale[q.evidence.rows].any())


@_refuses(Unaskable.DISPUTED)
def _is_disputed(q: Graded) -> bool:
    """The larger graph counts otherwise, or takes from a difference what the complete graph would leave."""
    wider = q.grader.wider
    return wider is not None and (
        (q.grades.value is not None and {*q.grades.answers} != {*q.wide})
        or any(
            {*Grades(wider.graph, part.of).answers}
            & {*Grades(wider.graph, part.minus).answers} - _names(q, q.grades.members(part.minus))
            for part in _within(q.query)
            if isinstance(part, Difference)
        )
    )


@_refuses(Unaskable.MANY)
def _has_many_further_answers(q: Graded) -> bool:
    return len(q.grades) + len(q.further) > q.max_answers


@_refuses(Unaskable.ANCHOR)
def _answers_further_with_an_anchor(q: Graded) -> bool:
    return not q.anchors.isdisjoint(q.further)


@_refuses(Unaskable.NEEDLESS)
def _has_a_branch_without_effect_further(q: Graded) -> bool:
    """On some graph between the complete and the larger one, the answers are the same without a branch.

    One of an intersection is needed on all of these if without it the complete graph gives an answer that the
    larger one does not give the whole query; one of a union, if the complete graph gives the whole query an
    answer that the larger one does not give without it.
    """
    if q.grader.wider is None:
        return False
    wide = {*q.wide}
    for less in smaller(q.query, q.grader.declarations):
        others = q.grades.members(less)
        more = _names(q, others[~among(others, q.grades.entities)])
        fewer = _names(q, q.grades.entities[~among(q.grades.entities, others)])
        if more <= wide and fewer <= {*Grades(q.grader.wider.graph, less).answers}:
            return True
    return False


def _names(q: Graded, entities: np.ndarray) -> set[str]:
    return {q.grader.graph.kg.entities[entity] for entity in entities.tolist()}


def _within(query: Query) -> Iterator[Query]:
    """A query and all its parts, at any depth."""
    yield query
    for part in parts_of(query):
        yield from _within(part)


def _links(q: Graded) -> Iterator[Projection]:
    """The links of a query, each in place of all statements of its facts."""
    every = _within(linked(q.query, q.grader.declarations))
    return (part for part in every if isinstance(part, Projection))


def _onward(q: Graded) -> Iterator[tuple[Projection, Query, Ints]]:
    """Each link that goes on from others, what it goes on from, and what that gives."""
    for link in _links(q):
        if not isinstance(link.of, Anchor):
            yield link, link.of, q.grades.members(expanded(link.of, q.grader.declarations))
