"""How much of the evidence for its answers a system retrieved.

With R the distinct triples retrieved for a question, G those of its ``full_evidence`` that the graph they are
from states, C those of the certificates of the triples of its ``evidence`` that this graph lacks, and A its
answers:

=====================  ======================================================================
triple_recall          |R ∩ G| / |G|
triple_precision       |R ∩ G| / |R|
triple_f1              2 |R ∩ G| / (|R| + |G|), the harmonic mean of the two
certificate_recall     |R ∩ C| / |C|: of what the hard answer can be inferred from
certificate_precision  |R ∩ C| / |R|
certificate_f1         2 |R ∩ C| / (|R| + |C|)
answer_hit             1 when some a ∈ A is an end of a triple of R, else 0
answer_recall          the fraction of A that are
retrieved              |R|
proof_retrieved        1 when R holds a whole proof of the hard answer, else 0
retrieval_failures     1 when the hard answer is not given and its proof was not retrieved, else 0
reasoning_failures     1 when the hard answer is not given although its proof was retrieved, else 0
=====================  ======================================================================

R holds a whole proof if it has, of every triple of the ``evidence``, either the triple itself, where the
graph states it, or a whole certificate of it. Triples are compared exactly. Every score of a set of questions
is the mean over its questions. ``hits_hard``, ``retrieval_failures`` and ``reasoning_failures`` add up to 1.

Guarantees for the zero cases: an empty R scores 0 everywhere, and fails to retrieve what is not given; a
question with an empty G (nothing of its evidence is stated) is left out of the first three scores, one with
an empty C (its hard answer needs no triple that the graph lacks) of the next three, one without a hard
answer of the last three; A is never empty.
"""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from rulemine.evaluation.metrics import Floats
from rulemine.evaluation.spelling import Spelling
from rulemine.evaluation.statistics.bootstrap import Bools
from rulemine.kg.graph import Triple
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, translation

__all__ = [
    "RETRIEVAL",
    "RetrievalScores",
    "ToRetrieve",
    "count_failures",
    "evidence_of",
    "score_retrieval",
    "score_retrieved",
]

_SUBJECT, _RELATION, _OBJECT = map(itemgetter, range(3))


class RetrievalScores(NamedTuple):
    """The scores of one question; see the table of the module. NaN where it is left out."""

    triple_recall: float
    triple_precision: float
    triple_f1: float
    certificate_recall: float
    certificate_precision: float
    certificate_f1: float
    answer_hit: float
    answer_recall: float
    retrieved: float
    proof_retrieved: float
    retrieval_failures: float
    reasoning_failures: float


RETRIEVAL = RetrievalScores._fields
"""The scores of what was retrieved, in the order in which they are reported."""


class ToRetrieve(NamedTuple):
    """What is to be retrieved for a question from a graph.

    Attributes:
        gold: G.
        certificates: C.
        answers: A.
        proofs: Of each triple of the evidence, the sets of triples any of which does for it; None: nothing is
            known to prove one of them.
    """

    gold: Set[Triple]
    certificates: Set[Triple]
    answers: Set[str]
    proofs: Sequence[Sequence[Set[Triple]]] | None = ()


def score_retrieved(
    retrieved: Set[Triple], evidence: ToRetrieve, hits_hard: float
) -> RetrievalScores:
    """The scores of one question.

    Args:
        retrieved: R.
        evidence: What is to be retrieved.
        hits_hard: 1 if the hard answer is given, 0 if not, NaN if there is none.

    Example:
        >>> ab, bc = ("a", "r", "b"), ("b", "s", "c")
        >>> found = score_retrieved({ab}, ToRetrieve({ab, bc}, set(), {"c", "b"}, [[{ab}, {bc}]]), 0.0)
        >>> found.triple_recall, found.triple_precision, found.answer_hit, found.answer_recall
        (0.5, 1.0, 1.0, 0.5)
        >>> found.proof_retrieved, found.retrieval_failures, found.reasoning_failures
        (1.0, 0.0, 1.0)
    """
    gold, certificates, answers, proofs = evidence
    ends = {*map(_SUBJECT, retrieved), *map(_OBJECT, retrieved)}
    about_proof = (math.nan, math.nan, math.nan)
    if proofs is not None and not math.isnan(hits_hard):
        proved = all(any(way <= retrieved for way in ways) for ways in proofs)
        failed = hits_hard == 0
        about_proof = (float(proved), float(failed and not proved), float(failed and proved))
    return RetrievalScores(
        *_of_set(retrieved, gold),
        *_of_set(retrieved, certificates),
        float(not ends.isdisjoint(answers)),
        len(ends & answers) / len(answers) if answers else 0.0,
        float(len(retrieved)),
        *about_proof,
    )


def _of_set(retrieved: Set[Triple], wanted: Set[Triple]) -> tuple[float, float, float]:
    """Recall, precision and F1; NaN where nothing is wanted."""
    if not wanted:
        return math.nan, math.nan, math.nan
    shared = len(retrieved & wanted)
    return (
        shared / len(wanted),
        shared / len(retrieved) if retrieved else 0.0,
        2 * shared / (len(retrieved) + len(wanted)),
    )


def evidence_of(
    release: Release, questions: Sequence[Question], kg: str, naming: str
) -> list[ToRetrieve]:
    """What is to be retrieved for questions.

    Args:
        release: The release.
        questions: The questions.
        kg: The graph that triples are from, one of the release.
        naming: The naming of the triples.

    Raises:
        ReleaseError: A file of the release is missing or was edited.
    """
    level = release.level_of(kg)
    removals = {removal.triple: removal for removal in release.removals()}
    missing = {row.triple: row.level for row in release.missing()}
    own = naming == release.naming
    names = {} if own else translation(release.entities, release.naming, naming)

    def renamed(triples: Iterable[Triple]) -> frozenset[Triple]:
        if own:
            return frozenset(triples)
        return frozenset((names.get(s, s), r, names.get(o, o)) for s, r, o in triples)

    def lacking(triple: Triple) -> bool:
        return missing.get(triple, level + 1) <= level

    def ways(triple: Triple) -> list[frozenset[Triple]]:
        found = [] if lacking(triple) else [renamed([triple])]
        if removal := removals.get(triple):
            kept = (removal.certificate, *removal.further_certificates)
            found += [renamed(certificate.body) for certificate in kept]
        return found

    def proved(evidence: Iterable[Triple]) -> bool:
        return all(triple in removals for triple in evidence if triple in missing)

    return [
        ToRetrieve(
            renamed(t for t in q.full_evidence if not lacking(t)),
            renamed(
                t
                for e in q.evidence
                if lacking(e) and e in removals
                for t in removals[e].certificate.body
            ),
            {names.get(a, a) for a in q.answers},
            [ways(triple) for triple in q.evidence] if proved(q.evidence) else None,
        )
        for q in questions
    ]


def score_retrieval(
    evidence: Sequence[ToRetrieve],
    predictions: Sequence[Prediction | None],
    hits_hard: Floats,
    entities: Set[str],
    relations: Set[str],
) -> tuple[Floats, int, int]:
    """Scores what was retrieved for questions.

    Args:
        evidence: What is to be retrieved for each.
        predictions: The prediction for each, None where missing; one without `retrieved` counts as having
            retrieved nothing.
        hits_hard: Shape (questions,), see `score_retrieved`.
        entities: The entities of the release, in the naming of the triples.
        relations: Its relations.

    Returns:
        The scores, shape (questions, `RETRIEVAL`); how many triples were retrieved, and how many of them have
        an entity or a relation that is not in the release.
    """
    spelling = Spelling(chain(entities, relations))
    found: list[RetrievalScores] = []
    total = strange = 0
    for wanted, prediction, hit in zip(evidence, predictions, hits_hard.tolist(), strict=True):
        given = frozenset((prediction and prediction.retrieved) or ())
        if spelling:  # names as they are written in the release
            given = frozenset((spelling.of(s), spelling.of(r), spelling.of(o)) for s, r, o in given)
        total += len(given)
        ends = {*map(_SUBJECT, given), *map(_OBJECT, given)}
        if not (ends <= entities and {*map(_RELATION, given)} <= relations):
            strange += sum(not {s, o} <= entities or r not in relations for s, r, o in given)
        found.append(score_retrieved(given, wanted, hit))
    scores = np.array(found, np.float64).reshape(len(found), len(RETRIEVAL))
    return scores, total, strange


def count_failures(scores: Floats, groups: Mapping[str, Bools]) -> dict[str, dict[str, int]]:
    """How often the proof of the hard answer was retrieved, and this answer not given.

    Args:
        scores: Shape (questions, `RETRIEVAL`).
        groups: Name → shape (questions,), which are in the group.

    Returns:
        Name → ``questions`` (with a hard answer), ``proved`` (the proof was retrieved); of those whose hard
        answer was not given ``retrieval`` (it was not) and ``reasoning`` (it was) → how many.
    """
    names = ("questions", "proved", "retrieval", "reasoning")
    of_proof = scores[:, -3:]
    counted = np.column_stack((~np.isnan(of_proof[:, 0]), np.nan_to_num(of_proof)))
    return {
        name: dict(zip(names, counted[members].sum(axis=0).astype(int).tolist(), strict=True))
        for name, members in groups.items()
    }
