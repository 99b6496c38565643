"""The triples of a graph that prove the answer of a question, as row numbers."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.release.records import Question, Removal

__all__ = ["proof_rows", "removals_under"]

Ints = npt.NDArray[np.int64]


def proof_rows(
    kg: KnowledgeGraph, questions: Iterable[Question], removed: Iterable[Removal]
) -> list[Ints]:
    """The triples that prove the hard answer of each question.

    These are the triples of its evidence; in place of each that the graph lacks, those of its certificate.

    Args:
        kg: The graph.
        questions: The questions.
        removed: The removed triples.

    Returns:
        For each question the rows of the graph's triples, ascending, each once; −1 is a triple that it lacks.
    """
    proofs = {row.triple: row.certificate.body for row in removed}
    asked = [question.evidence for question in questions]
    stated = iter((_rows(kg, [triple for triples in asked for triple in triples]) >= 0).tolist())
    needed: list[list[Triple]] = []
    for triples in asked:
        needed.append([])
        for triple in triples:
            needed[-1] += [triple] if next(stated) else proofs.get(triple, [triple])
    rows = _rows(kg, [triple for triples in needed for triple in triples])
    bounds = np.cumsum([len(triples) for triples in needed])[:-1]
    return [distinct(part) for part in np.split(rows, bounds)] if needed else []


def removals_under(
    questions: Iterable[Question], removed: Iterable[Removal]
) -> tuple[Removal, ...]:
    """The removed triples that the answers of questions rest on; none that only those of others do."""
    asked = {triple for q in questions for triple in (*q.evidence, *q.full_evidence)}
    return tuple(row for row in removed if row.triple in asked)


def _rows(kg: KnowledgeGraph, triples: Sequence[Triple]) -> Ints:
    """The rows of triples; −1 for those that the graph lacks."""
    entities, relations = kg.entity_ids, kg.relation_ids
    ids = np.array(
        [(entities.get(s, -1), relations.get(r, -1), entities.get(o, -1)) for s, r, o in triples],
        np.int32,
    ).reshape(-1, 3)
    rows = np.full(len(ids), -1, np.int64)
    known = (ids >= 0).all(axis=1)
    rows[known] = kg.rows_of(ids[known])
    return rows
