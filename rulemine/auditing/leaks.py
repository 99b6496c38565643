"""What questions of earlier splits give away of those that systems are scored on."""

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import replace

from rulemine.auditing.answers import canonical_query, normalized_text
from rulemine.auditing.audited import AuditedSet
from rulemine.auditing.figures import Measure, measure, share
from rulemine.kinds.kind import pairs
from rulemine.release.records import Question

__all__ = ["leak_measures"]

LEAKS = "leaks"


def leak_measures(of: AuditedSet) -> Iterator[Measure]:
    """The figures on leaks: of the test questions, by what training and validation questions have."""
    earlier = [q for q in of.questions if q.split in ("train", "validation")]
    test = any(q.split == "test" for q in of.questions)
    if not (earlier and test):
        why = "the set has no training questions." if test else "the set has no test questions."
    else:
        why = ""
    yield _needed(of, earlier, why)
    says = any(q.hard for q in of.questions)
    wanted = {q.id: replace(q, answers=q.hard_answers) if says else q for q in of.questions}
    for key, title, what, shared in _SHARED:
        given = {(of.graph_of(q), value) for q in earlier for value in shared(q)}

        def hit(q: Question, shared: _Of = shared, given: set[_Key] = given) -> bool | None:
            own = [(of.graph_of(q), value) for value in shared(wanted[q.id])]
            return not given.isdisjoint(own) if own else None

        yield measure(
            LEAKS, key, title,
            f"Share of the test questions {what} of a training or validation question about "
            "the same graph.",
            None if why else share(of.over_asked(hit)),
            why or "no test question has what this compares.",
        )  # fmt: skip


def _needed(of: AuditedSet, earlier: list[Question], why: str) -> Measure:
    removed = of.removed
    given = {fact for q in earlier for fact in removed.given_by(q)}

    def hit(q: Question) -> bool | None:
        needed = removed.needed_by(q)
        return not given.isdisjoint(needed) if needed else None

    if not why and not removed.all:
        why = "nothing is removed."
    return measure(
        LEAKS, "needed_fact", "needs a removed fact that is given away",
        "Share of the test questions that need a removed fact (a removed triple of the witness of a hard "
        "answer, in any statement) which a training or validation question gives away by its evidence or by "
        "a topic and an answer.",
        None if why else share(of.over_asked(hit)),
        why or "no test question says what its answers rest on.",
    )  # fmt: skip


_Key = tuple[str, Hashable]
_Of = Callable[[Question], Collection[Hashable]]


def _text(question: Question) -> Collection[Hashable]:
    return [normalized_text(question)]


def _query(question: Question) -> Collection[Hashable]:
    query = canonical_query(question)
    return [query] if query else []


def _pairs(question: Question) -> Collection[Hashable]:
    return [*pairs(question.anchors, question.answers)]


_SHARED: tuple[tuple[str, str, str, _Of], ...] = (
    (
        "pair", "same topic and answer",
        "whose topic and answer (a hard one, where the set says which are) are topic and answer, in either "
        "role,",
        _pairs,
    ),
    ("query", "same query", "that have the canonical query", _query),
    ("text", "same text", "that have the normalized text", _text),
)  # fmt: skip
"""Key, title, and what is shared, in words and of a question."""
