"""What a system gets that understands nothing: it names common answers, or what is near the topics."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator

import numpy as np

from rulemine.auditing.audited import AuditedSet
from rulemine.auditing.figures import Measure, measure, share
from rulemine.release.guessing import Ends, asked_about, commonest_answers
from rulemine.release.records import Question

__all__ = ["guess_measures"]

SECTION = "guessing"

_Key = tuple[str, Ends]


def guess_measures(of: AuditedSet) -> Iterator[Measure]:
    """The figures on guessing: whether an answer, and a hard answer, is among what is named."""
    guesses, by = _guesses(of)
    why = "the set has no training questions."
    for k in (1, 5):
        hits: _Hits | None = None
        if of.training:
            hits = lambda q, wanted, k=k: not set(guesses(q)[:k]).isdisjoint(wanted)  # noqa: E731
        yield from _both(
            of, f"guess_{k}", "one guess" if k == 1 else f"{k} guesses",
            f"the {'' if k == 1 else f'{k} '}commonest answer{'s' * (k > 1)} of the training questions {by}",
            hits, why,
        )  # fmt: skip
    given = "the graph that systems are given"
    found = of.executed("incomplete")
    place = {q.id: answers for q, answers in zip(of.questions, found, strict=True)}
    runs = any(answers is not None for answers in found)
    yield from _both(
        of, "lookup", "looking up", f"what the query gives on {given}",
        (lambda q, wanted: _meets(place[q.id], wanted)) if runs else None, of.why_no_query,
    )  # fmt: skip
    around = None if of.has_rows else of.edges()
    why = "answers are rows." if of.has_rows else "the set has no graph."
    for hops, title in ((1, "one edge"), (2, "two hops")):
        near: _Hits | None = None
        if around is not None:
            near = _near(of, around, hops)
        yield from _both(
            of, f"hops_{hops}", title,
            f"the entities at most {'one edge' if hops == 1 else 'two edges'} from a topic in {given} (all "
            "are named: this says what is within reach, and bounds what ranking them could get)",
            near, why,
        )  # fmt: skip


_Hits = Callable[[Question, Collection[str]], bool | None]


def _both(
    of: AuditedSet, key: str, title: str, named: str, hits: _Hits | None, why: str
) -> Iterator[Measure]:
    """The figure over all answers, Hits@Any, and the one over the hard answer asked for, Hits@Hard."""
    has_hard = any(q.hard for q in of.questions)
    for suffix, what, name, wanted in (
        ("any", "an answer", "Hits@Any", lambda q: q.answers),
        ("hard", "the hard answer", "Hits@Hard", lambda q: [q.hard_answer] if q.hard else ()),
    ):
        usable = hits is not None and (suffix == "any" or has_hard)
        scores = None
        if usable and hits is not None:
            scores = share(of.over_asked(lambda q, w=wanted: hits(q, w(q)) if w(q) else None))  # type: ignore[misc]
        yield measure(
            SECTION, f"{key}_{suffix}", f"{title}: {what}",
            f"{name}: share of the test questions (all questions, where no split is test) of which {what} is "
            f"among {named}.",
            scores,
            why if hits is None else "the set does not say which answers must be inferred."
            if not has_hard else "no question says what this needs.",
        )  # fmt: skip


def _meets(found: Collection[str] | None, wanted: Collection[str]) -> bool | None:
    return None if found is None else not set(found).isdisjoint(wanted)


def _guesses(of: AuditedSet) -> tuple[Callable[[Question], list[str]], str]:
    """The guesses for a question, the best first, and what the training questions are counted by."""

    def key(q: Question) -> _Key | None:
        graph, _ = of.release.graph_of(q)
        if not q.query.startswith(("(", "{")):  # none, or Cypher
            return None
        return graph, asked_about(q.query, of.declarations)

    with_query = [q for q in of.training if key(q)]
    names = sorted({of.release.graph_of(q)[0] for q in of.training})
    ranked: dict[_Key, list[str]] = {}
    overall: dict[str, list[str]] = {}
    for name in names:
        own = [q for q in with_query if of.release.graph_of(q)[0] == name]
        found = commonest_answers(own, of.declarations, of.order)
        ranked |= {(name, ends): answers for ends, answers in found.items()}
        counts = Counter(
            a for q in of.training if of.release.graph_of(q)[0] == name for a in q.answers
        )
        overall[name] = sorted(counts, key=lambda a: (-counts[a], of.order.get(a, 0), a))

    def guesses(q: Question) -> list[str]:
        own, name = key(q), of.release.graph_of(q)[0]
        if own in ranked:
            return ranked[own]
        return [] if of.has_rows and own is not None else overall.get(name, [])

    by = "with the same relations at their answer (of all training questions, where none has them)"
    return guesses, by if with_query else "(the set has no queries, so by frequency alone)"


def _near(of: AuditedSet, around: Callable[[str], np.ndarray], hops: int) -> _Hits:
    known: dict[str, np.ndarray] = {}
    ids = of.given.entity_ids if of.given is not None else {}

    def beside(entity: str) -> np.ndarray:
        if entity not in known:
            known[entity] = around(entity)
        return known[entity]

    def near(q: Question, wanted: Collection[str]) -> bool | None:
        if not q.anchors:
            return None
        for topic in q.anchors:
            reached = beside(topic)
            for answer in wanted:
                at = ids.get(answer)
                if at is None:
                    continue
                if (reached == at).any():
                    return True
                if hops > 1 and len(np.intersect1d(reached, beside(answer), assume_unique=True)):
                    return True
        return False

    return near
