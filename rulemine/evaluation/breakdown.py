"""How a report groups the questions of a release.

Guarantees: every breakdown but the sub-types covers all questions; the groups are in a fixed order that
does not depend on the questions, and the five rule types are there whether or not they occur.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.release.records import SPLITS, Question
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES

__all__ = ["Breakdown", "breakdowns", "strata_of"]

Ints = npt.NDArray[np.int64]

PROOF_BINS = ((0, "none"), (1, "1"), (2, "2"), (5, "3–5"), (10, "6–10"))
"""Upper bound of the number of remaining proofs, and name of the bin; above the last bin is ``>10``. Every
question of a sound release has at least one, its certificate."""

MORE_PROOFS = ">10"


class Breakdown(NamedTuple):
    """One way to group questions.

    Attributes:
        name: Its key, e.g. ``rule_type``.
        groups: The names of its groups.
        codes: int64, shape (questions,): position in `groups`, or −1 for a question in none of them.
    """

    name: str
    groups: tuple[str, ...]
    codes: Ints


def breakdowns(questions: Sequence[Question]) -> tuple[Breakdown, ...]:
    """The breakdowns of a report.

    ``rule_type`` has all five types, the others only the groups that occur; ``rule_subtype`` divides
    the questions of type *other*; ``level`` is present when there is more than one.
    """
    names = [name for _, name in PROOF_BINS] + [MORE_PROOFS]
    levels = sorted({q.level for q in questions})
    found = [
        _by("rule_type", RULE_TYPES, questions, lambda q: q.rule_type, keep_empty=True),
        _by(
            "rule_subtype",
            tuple(RULE_SUBTYPES),
            questions,
            lambda q: q.rule_subtype if q.rule_type == "other" else "",
        ),
        _by("proofs", names, questions, lambda q: _proof_bin(q.diagnosis.proofs)),
        _by(
            "reverse_edge",
            ("left", "not left"),
            questions,
            lambda q: "left" if q.diagnosis.reverse_edge else "not left",
        ),
        _by("split", SPLITS, questions, lambda q: q.split),
    ]
    if len(levels) > 1:
        found.append(_by("level", [str(v) for v in levels], questions, lambda q: str(q.level)))
    return tuple(b for b in found if b.groups)


def strata_of(parts: Sequence[Breakdown], n: int) -> Ints:
    """The coarsest strata of n questions such that every group is a union of strata.

    Returns:
        int64, shape (n,): the stratum of each question, numbered from 0; none is empty.
    """
    if not parts or not n:
        return np.zeros(n, np.int64)
    codes = np.column_stack([part.codes for part in parts])
    _, strata = np.unique(codes, axis=0, return_inverse=True)
    return strata.reshape(n).astype(np.int64)


def _proof_bin(proofs: int) -> str:
    return next((name for most, name in PROOF_BINS if proofs <= most), MORE_PROOFS)


def _by(
    name: str,
    groups: Sequence[str],
    questions: Sequence[Question],
    group_of: Callable[[Question], str],
    keep_empty: bool = False,
) -> Breakdown:
    found = [group_of(q) for q in questions]
    present = set(found)
    kept = tuple(g for g in groups if keep_empty or g in present)
    position = {g: i for i, g in enumerate(kept)}
    return Breakdown(name, kept, np.array([position.get(g, -1) for g in found], np.int64))
