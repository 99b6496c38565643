"""How much of the evidence for its answers a system retrieved.

With R the distinct triples retrieved for a question, G those of its ``full_evidence`` that the graph they are
from states, C those of the certificates of the triples of its ``evidence`` that this graph lacks, and A its
answers:

==================  =========================================================================
triple_recall       |R ∩ G| / |G|
triple_precision    |R ∩ G| / |R|
triple_f1           2 |R ∩ G| / (|R| + |G|), the harmonic mean of the two
certificate_recall  |R ∩ C| / |C|: of what the hard answer can be inferred from
answer_hit          1 when some a ∈ A is an end of a triple of R, else 0
answer_recall       the fraction of A that are
retrieved           |R|
==================  =========================================================================

Triples are compared exactly. Every score of a set of questions is the mean over its questions.

Guarantees for the zero cases: an empty R scores 0 everywhere; a question with an empty G (nothing of its
evidence is stated) is left out of the first three scores, one with an empty C (its hard answer needs no
triple that the graph lacks) of the fourth; A is never empty.
"""

import math
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np

from rulemine.evaluation.metrics import Floats
from rulemine.kg.graph import Triple
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, translation

__all__ = ["RETRIEVAL", "RetrievalScores", "Retrieved", "score_retrieval", "score_retrieved"]

RETRIEVAL = (
    "triple_recall",
    "triple_precision",
    "triple_f1",
    "certificate_recall",
    "answer_hit",
    "answer_recall",
    "retrieved",
)
"""The scores of what was retrieved, in the order in which they are reported."""


class RetrievalScores(NamedTuple):
    """The scores of one question; see the table of the module. NaN where it is left out."""

    triple_recall: float
    triple_precision: float
    triple_f1: float
    certificate_recall: float
    answer_hit: float
    answer_recall: float
    retrieved: float


class Retrieved(NamedTuple):
    """What the systems retrieved, scored.

    Attributes:
        scores: Shape (questions, `RETRIEVAL`).
        notes: What a reader of the scores must know, as sentences.
    """

    scores: Floats
    notes: list[str]


def score_retrieved(
    retrieved: Set[Triple], gold: Set[Triple], certificates: Set[Triple], answers: Set[str]
) -> RetrievalScores:
    """The scores of one question.

    Args:
        retrieved: R.
        gold: G.
        certificates: C.
        answers: A.

    Example:
        >>> stated = {("a", "r", "b"), ("b", "s", "c")}
        >>> found = score_retrieved({("a", "r", "b")}, stated, set(), {"c", "b"})
        >>> found.triple_recall, found.triple_precision, found.answer_hit, found.answer_recall
        (0.5, 1.0, 1.0, 0.5)
    """
    shared = len(retrieved & gold)
    ends = {end for s, _, o in retrieved for end in (s, o)}
    about_gold = (math.nan, math.nan, math.nan)
    if gold:
        about_gold = (
            shared / len(gold),
            shared / len(retrieved) if retrieved else 0.0,
            2 * shared / (len(retrieved) + len(gold)),
        )
    return RetrievalScores(
        *about_gold,
        len(retrieved & certificates) / len(certificates) if certificates else math.nan,
        float(not ends.isdisjoint(answers)),
        len(ends & answers) / len(answers) if answers else 0.0,
        float(len(retrieved)),
    )


def score_retrieval(
    release: Release,
    questions: Sequence[Question],
    predictions: Sequence[Prediction | None],
    kg: str,
    naming: str,
) -> Retrieved:
    """Scores what was retrieved for questions.

    Args:
        release: The release.
        questions: The questions.
        predictions: The prediction for each, None where missing; one without `retrieved` counts as having
            retrieved nothing.
        kg: The graph that the triples are from, one of the release.
        naming: The naming of the triples.

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    lacking = _certificates(release, kg)
    relations = release.relations().keys()
    names = translation(release.entities, release.naming, naming)
    known = set(names.values())

    def told(triples: Iterable[Triple]) -> frozenset[Triple]:
        return frozenset((names.get(s, s), r, names.get(o, o)) for s, r, o in triples)

    found: list[RetrievalScores] = []
    total = strange = 0
    for question, prediction in zip(questions, predictions, strict=True):
        given = frozenset((prediction and prediction.retrieved) or ())
        total += len(given)
        strange += sum(not (s in known and r in relations and o in known) for s, r, o in given)
        found.append(
            score_retrieved(
                given,
                told(t for t in question.full_evidence if t not in lacking),
                told(t for removed in question.evidence for t in lacking.get(removed, ())),
                {names.get(a, a) for a in question.answers},
            )
        )
    scores = np.array(found, np.float64).reshape(len(found), len(RETRIEVAL))
    notes = []
    if silent := sum(p is not None and p.retrieved is None for p in predictions):
        notes.append(
            f"Predictions that list no retrieved triples score as if there were none: {silent:,}."
        )
    if strange:
        notes.append(
            f"Retrieved triples with an entity or a relation that is not in the release: {strange:,} of "
            f"{total:,}."
        )
    if left_out := int(np.isnan(scores[:, 0]).sum()):
        notes.append(
            f"Questions left out of recall, precision and F1 of triples, because the {kg} graph states none "
            f"of their evidence: {left_out:,} of {len(found):,}."
        )
    return Retrieved(scores, notes)


def _certificates(release: Release, kg: str) -> dict[Triple, tuple[Triple, ...]]:
    """The triples that a graph lacks, each with those of its certificate."""
    level = release.level_of(kg)
    return {r.triple: r.certificate.body for r in release.removals() if r.level <= level}
