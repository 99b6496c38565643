"""How a report groups the questions of a release.

Guarantees: the core is first, then all questions, then the breakdowns, which are over all questions; their
order does not depend on the questions. A kind of question adds breakdowns of its own
(`rulemine.kinds.kind.Kind.groups`).
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.errors import ReleaseError
from rulemine.kinds.group import STRUCTURE, About, Group, of_hard
from rulemine.kinds.registry import is_built, kind_named
from rulemine.release.records import SPLITS, Question, Removal

__all__ = [
    "HOPS",
    "MORE_MISSING",
    "OF_CORE",
    "PROOF",
    "SPLIT",
    "Breakdown",
    "breakdowns",
    "group_titles",
]

_PROOFS = ("core", "restated", "side edge", "other")
"""What is left of the hard answer asked for: nothing between the ends (the core); a proof of one atom, or the
value that a removed one is read off; an edge between the ends that proves nothing; or an answer that is too
common for the core."""

GRANTED, CORE_SHOWN = 0.8, 100
"""Least PCA confidence of the rules of a granted proof, and the least size of a core whose two parts are
shown: of granted proofs that experts read they granted 23 of 34 and refused 1."""

OF_CORE = ("core", "granted", "likely")
"""The core, the part of it with granted proofs, and the rest, whose proofs are likely."""

MORE_MISSING = 3
"""From here on, missing links are one group."""


class Breakdown(NamedTuple):
    """One way to group questions.

    Attributes:
        name: Its key, e.g. ``rule_type``.
        groups: The names of its groups.
        members: Shape (groups, questions): which questions are in each group. Groups may overlap.
    """

    name: str
    groups: tuple[str, ...]
    members: npt.NDArray[np.bool_]


def breakdowns(
    questions: Sequence[Question],
    removals: Sequence[Removal],
    levels: Sequence[int],
    level: int = 100,
) -> tuple[Breakdown, ...]:
    """The groups of a report.

    ``core`` is there if it has a question, and its parts if it has `CORE_SHOWN`; ``proof``, ``structure``,
    ``hops``, ``missing`` (the removed triples that the hard answer needs, once all are removed; 0 without
    one) and ``inference`` (``full``: nothing that the hard answer needs is stated) where questions differ in
    it; so are most of what a kind adds, and ``split``. ``unseen`` is about the questions outside training;
    its groups overlap, and of what others published only those are there that some question is in, where
    these are several. ``level``, the first of the release at which the hard answer is not stated, is there
    where it has several. Questions without a hard answer are in no other group of what describes hard
    answers.

    Args:
        questions: The questions, at least one.
        removals: All removed triples.
        levels: The incompleteness levels of the release, ascending, the last one 100.
        level: The level at which the rows of a property graph have changed or not.

    Raises:
        ReleaseError: A question is about a triple that is not among the removed ones.
    """
    about = About({removal.triple: removal for removal in removals}, levels, level)
    for q in questions:
        if removals and q.hard_answer is not None and not about.removals.keys() >= set(q.removed):
            raise ReleaseError(
                f"removed.jsonl: lacks one of {q.removed}, the removed triples of question {q.id!r}. Check "
                "the release: rulemine verify."
            )
    found = [_broken_down(group, questions, about) for group in _groups_of(questions[0].kind)]
    few = sum(q.core for q in questions) < CORE_SHOWN
    return tuple(b for b in found if b is not None and not (few and b.name in OF_CORE[1:]))


def _groups_of(kind: str) -> tuple[Group, ...]:
    """What questions of a kind are broken down by, in the order of a report."""
    own = (group for group in kind_named(kind).groups if group.key != STRUCTURE.key)
    # Of questions that were not built, no group says what of them is not known.
    unseen = _UNSEEN_GROUP if is_built(kind) else _UNSEEN_GROUP._replace(least=2)
    return (*_FIRST, *own, unseen, *_LAST)


def group_titles(kind: str) -> dict[str, str]:
    """What tables call the breakdowns of questions of a kind, by key."""
    return {group.key: group.title for group in _groups_of(kind)}


def _broken_down(group: Group, questions: Sequence[Question], about: About) -> Breakdown | None:
    """The questions by group; None where there are too few groups."""
    labels = [group.label(question, about) for question in questions]
    of_each = [({own} if isinstance(own, str) else {*own}) - {""} for own in labels]
    names = group.ordered(chain(*of_each))
    if not any(of_each) or len(names) < group.least:
        return None
    places = {name: place for place, name in enumerate(names)}
    members = np.zeros((len(names), len(questions)), bool)
    for column, own in enumerate(of_each):
        members[[places[name] for name in own], column] = True
    return Breakdown(group.key, tuple(names), members)


def _granted(question: Question, about: About) -> str:
    """Whether a question of the core has a proof that experts grant rather than not."""
    gone = (about.removals[t].difficulty for t in question.evidence if t in about.removals)
    return "granted" * (question.core and all(row.pca_confidence >= GRANTED for row in gone))


def _likely(question: Question, about: About) -> str:
    return "likely" * (question.core and not _granted(question, about))


def _proof(question: Question, about: About) -> str:
    """What is left of the hard answer asked for, one of `_PROOFS`."""
    if not about.removals:
        return ""  # nothing has a proof, or is missing
    if question.core:
        return _PROOFS[0]
    gone = [about.removals[t].difficulty for t in question.evidence if t in about.removals]
    if not gone or any(row.shortest_proof == 1 for row in gone):
        return _PROOFS[1]
    return _PROOFS[2] if any(row.inverse_edge or row.parallel_edge for row in gone) else _PROOFS[3]


def _missing(question: Question, _: About) -> str:
    if not question.graded:
        return ""  # which answers are missing is not known
    return f"{MORE_MISSING}+" if question.missing >= MORE_MISSING else str(question.missing)


def _inference(question: Question, _: About) -> str:
    if not question.evidence:
        return ""
    return "full" if set(question.evidence) <= set(question.removed) else "partial"


_UNSEEN = ("rule", "relation", "answer", "nothing")


def _unseen(question: Question, _: About) -> Sequence[str]:
    """What a question has that no training question has; ``nothing`` where it has none of these."""
    if question.split == "train":
        return ()
    return [name for name in _UNSEEN[:-1] if getattr(question.unseen, name)] or _UNSEEN[-1]


def _level(question: Question, about: About) -> str:
    if len(about.levels) == 1:
        return ""
    return str(next(level for level in about.levels if level >= question.level))


PROOF = Group("proof", "what is left of the hard answer", of_hard(_proof), _PROOFS)

HOPS = Group("hops", "hops", lambda q, _: str(q.hops) if q.query else "")

SPLIT = Group("split", "split", lambda q, _: q.split, SPLITS)

_FIRST = (
    Group("core", "the core", lambda q, _: "core" if q.core else "", least=1),
    Group("granted", "granted", _granted, least=1),
    Group("likely", "likely", _likely, least=1),
    Group("all", "all questions", lambda _, __: "all", least=1),
    PROOF,
    STRUCTURE,
    HOPS,
    Group("missing", "missing links", _missing),
    Group("inference", "inference", of_hard(_inference), ("partial", "full")),
)

_UNSEEN_GROUP = Group("unseen", "unseen in training", _unseen, _UNSEEN, least=0)

_LAST = (
    SPLIT,
    Group("level", "level", of_hard(_level), least=1),
)
