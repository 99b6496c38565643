"""The figures of the one proof of each question of the kind ``rules``, and its card; the text is ``page.md``.

Guarantees: as `rulemine.release.card.figures`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from rulemine.config import packaged
from rulemine.files import read_text
from rulemine.kg.graph import Triple
from rulemine.release.card.bins import (
    LIFTS,
    PRIORS,
    PROOFS,
    both,
    by,
    from_bound,
    up_to,
    upper_names,
)
from rulemine.release.card.figure import Figure, pair, shared
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question, Removal
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, SUBTYPE_NAMES
from rulemine.text.escaping import plain

__all__ = ["FIGURES", "RULE_PAGE"]


class _Proof(NamedTuple):
    """A question with the rule of its proof and its removed triple."""

    question: Question
    rule: Rule
    removal: Removal

    @property
    def prior(self) -> float:
        return float(getattr(self.removal.difficulty.prior, self.question.block.direction))


@shared
def _proofs(parts: ReleaseParts) -> dict[str, _Proof]:
    rules = {rule.id: rule for rule in parts.rules}
    removals = {removal.triple: removal for removal in parts.removals}
    return {q.id: _Proof(q, rules[q.rules[0]], removals[q.removed[0]]) for q in parts.questions}


def _by(
    bins: Sequence[str], bin_of: Callable[[_Proof], str]
) -> Callable[[ReleaseParts, Sequence[Question]], dict[str, int]]:
    """Counts questions by what holds of their proofs; without bins, by the length of bodies."""

    def count(parts: ReleaseParts, questions: Sequence[Question]) -> dict[str, int]:
        longest = max((len(rule.body) for rule in parts.rules), default=1)
        proofs = (_proofs(parts)[q.id] for q in questions)
        return by(bins or [str(n) for n in range(1, longest + 1)], map(bin_of, proofs))

    return count


@shared
def _completed(parts: ReleaseParts) -> list[int]:
    """For each question, the answers that only another statement of the fact gives."""
    kg, declared = parts.complete, parts.templates.declarations
    stated_as = declared.readings.keys() & kg.relation_ids.keys()
    wanted = [kg.relation_ids[relation] for relation in stated_as]
    known: set[Triple] = set(kg.labeled(np.flatnonzero(np.isin(kg.triples[:, 1], wanted))))

    def triple(q: Question, answer: str) -> Triple:
        s, o = (q.topic, answer) if q.block.direction == "object" else (answer, q.topic)
        return s, q.relations[0], o

    return [
        sum(triple(q, answer) not in known for answer in (*q.stated, *q.hard_answers))
        for q in parts.questions
        if q.relations[0] in stated_as
    ]


_TENTHS = tuple(f"{n / 10:.1f}" for n in range(11))
_COMPLETED = (
    "stated and hard answers that the complete graph gives only by another statement of the fact than the "
    "one asked with; questions with such an answer"
)


def _of_proofs() -> Iterator[Figure]:
    for key, words, bins, bin_of in _PROOFS:
        yield from pair(
            f"questions_by_{key}", f"core_by_{key}", f"{words} → questions", _by(bins, bin_of)
        )


_PROOFS: tuple[tuple[str, str, Sequence[str], Callable[[_Proof], str]], ...] = (
    ("type", "rule type", RULE_TYPES, lambda p: p.question.block.rule_type),
    ("subtype", "sub-type of type *other*", tuple(RULE_SUBTYPES), lambda p: p.question.block.rule_subtype),
    ("body_atoms", "body atoms of the proof", (), lambda p: str(len(p.rule.body))),
    ("shortest_proof", "body atoms of the shortest remaining proof", (),
     lambda p: str(p.removal.difficulty.shortest_proof)),
    ("proofs", "remaining proofs, at most 1, 2, 5, 10, 100, `more`", upper_names(PROOFS),
     lambda p: up_to(p.removal.difficulty.proofs, PROOFS)),
    ("confidence", "standard confidence of the proof, rounded down to tenths", _TENTHS,
     lambda p: _TENTHS[10 * p.rule.support // p.rule.body_size]),
    ("prior", "prior in the direction asked, at most 0.001, 0.01, 0.03, 0.05, 0.07, 0.2, 1",
     upper_names(PRIORS)[:-1], lambda p: up_to(p.prior, PRIORS)),
    ("lift", "lift in the direction asked, from 0, 1, 2, 4, 10, 30, 100, 1000 up", tuple(map(str, LIFTS)),
     lambda p: from_bound(p.rule.known.std_confidence / p.prior, LIFTS)),
)  # fmt: skip
"""Key, words, names of bins, and the bin of a proof."""

FIGURES: tuple[Figure, ...] = (
    *_of_proofs(),
    Figure("answers_completed", _COMPLETED, lambda p: sum(_completed(p)), "answers_further"),
    Figure("questions_completed", _COMPLETED, lambda p: sum(map(bool, _completed(p))), "answers_further"),
)  # fmt: skip
"""The figures of proofs, of all questions and of the core, and what completion adds."""


EXAMPLES = 5

_OF_PROOFS = ("body_atoms", "shortest_proof", "proofs", "confidence", "prior", "lift")


def _values(manifest: Manifest) -> Mapping[str, Any]:
    """The proofs of questions by type, length, confidence, prior and lift."""
    counts = manifest["counts"]
    by_confidence = [(floor, n) for floor, n in counts["core_by_confidence"].items() if n]
    at_least = accumulate(n for _, n in reversed(by_confidence))
    return {
        "by": {key: both(counts, key) for key in _OF_PROOFS},
        "floors": dict(
            zip([floor for floor, _ in by_confidence], reversed([*at_least]), strict=True)
        ),
        "subtypes": {
            SUBTYPE_NAMES.get(kind, kind): {"some": n, "core": counts["core_by_subtype"][kind]}
            for kind, n in counts["questions_by_subtype"].items()
            if n
        },
    }


def _examples(questions: Sequence[Question]) -> list[str]:
    ordered = sorted((q for q in questions if q.core), key=lambda q: q.id) or sorted(
        questions, key=lambda q: q.id
    )
    step = max(1, len(ordered) // EXAMPLES)
    return [
        f"- `{q.id}` {plain(q.question)} — hard answer: {plain(str(q.hard_answer))}"
        + (f" (one of {len(q.answers)} answers)" if len(q.answers) > 1 else "")
        for q in ordered[::step][:EXAMPLES]
    ] or ["None."]


RULE_PAGE = KindPage(FIGURES, read_text(packaged("kinds", "rules", "page.md")), _values, _examples)
"""What the cards of the kind ``rules`` say."""
