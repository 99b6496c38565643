"""What a retriever is taught by shortest paths, beside the triples that really prove the answers.

Retrievers are commonly trained on the triples of all shortest paths from the topic entities to the answers,
since most data sets do not say which triples an answer rests on. A release does. The study is that of
SynthKGQA, section 6. With S the triples on all shortest paths from each topic entity to each answer, along
triples in either direction, and E the evidence for the same answers as the graph states it (in place of
a removed triple, its certificate), the columns are:

===================  =======================================================================
evidence in paths    |S ∩ E| / |E|
paths in evidence    |S ∩ E| / |S|; left out where no path leads from any topic entity
evidence             |E|
in paths             |S|
paths                how many shortest paths there are, the lower median of the questions
shortcut             an answer is nearer to a topic entity than along its evidence
parallel             some topic entity and answer are joined by several shortest paths
unreachable          no path leads from some topic entity to some answer
===================  =======================================================================

All but ``paths`` are means over questions, of the last three the share. A question without a triple for
part of its evidence is left out and counted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median_low
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ConfigError, UserError, did_you_mean
from rulemine.evaluation.breakdown import HOPS, SPLIT
from rulemine.evaluation.reporting.document import Document
from rulemine.evaluation.reporting.files import to_json
from rulemine.evaluation.reporting.tables import tables_by_group
from rulemine.evaluation.statistics.score import Score
from rulemine.evaluation.supervision.shortest_paths import ShortestPaths
from rulemine.files import write_jsonl, write_text
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.group import Group
from rulemine.kinds.registry import kind_named
from rulemine.release.outputs import check_made, check_place, digests_of, replacing
from rulemine.release.proof_triples import proof_rows
from rulemine.release.reader import Release
from rulemine.release.records import Question, Removal
from rulemine.text.tables import Table, Value, one_decimal

__all__ = [
    "TARGETS",
    "Labeling",
    "distances_along",
    "labelings",
    "report_supervision",
    "write_labels",
]

TARGETS = {
    "asked": "the answer that the question asks for",
    "all": "every answer that the complete graph gives",
}
"""Which answers paths lead to → in words."""

COLUMNS = (
    *("questions", "evidence in paths", "paths in evidence", "evidence", "in paths"),
    *("paths", "shortcut", "parallel", "unreachable"),
)

LABELS = ("files.json", "rulemine labelings", "labelings")
"""Of a folder of labelings: the file with the SHA-256 of the others, the format that it states, its name."""

Ints = npt.NDArray[np.int64]


class Labeling(NamedTuple):
    """The two labelings of the triples of a graph for a question; all other triples are in neither.

    Attributes:
        question: The question.
        answers: The answers that the paths lead to and that the evidence is for, sorted.
        shortest: The rows of the triples on shortest paths, ascending.
        evidence: The rows of the triples of the evidence, ascending; None if the graph lacks one of them.
        paths: How many shortest paths there are, over all pairs.
        pairs: Pairs of a topic entity and an answer that a path joins.
        unreachable: Pairs that none joins.
        shortcut: Whether an answer is nearer to a topic entity than along the evidence.
        proof_hops: The greatest distance of a topic entity from an answer along the evidence; None where
            it joins no topic entity with an answer.
    """

    question: Question
    answers: tuple[str, ...]
    shortest: Ints
    evidence: Ints | None
    paths: int
    pairs: int
    unreachable: int
    shortcut: bool
    proof_hops: int | None


def labelings(
    kg: KnowledgeGraph,
    questions: Sequence[Question],
    removed: Iterable[Removal],
    targets: str = "asked",
) -> Iterator[Labeling]:
    """The labelings of questions.

    Args:
        kg: The graph that a retriever is given.
        questions: The questions.
        removed: The removed triples.
        targets: One of `TARGETS`. With ``asked``, the evidence is `Question.evidence` and the answer the one
            that it derives: the hard answer, if there is one. With ``all``, it is `Question.full_evidence`.

    Yields:
        One for each question, in order; questions, removed triples and graph have the same naming.

    Raises:
        ConfigError: `targets` is not one of `TARGETS`.
    """
    if targets not in TARGETS:
        raise ConfigError(f"no answers {targets!r}; {did_you_mean(targets, tuple(TARGETS))}")
    every = targets == "all"
    asked = [replace(q, evidence=q.full_evidence) for q in questions] if every else questions
    search, ids = ShortestPaths(kg), kg.entity_ids
    for q, proof in zip(questions, proof_rows(kg, asked, removed), strict=True):
        answers = tuple(sorted((*q.stated, *q.hard_answers))) if every else (_derived(q),)
        known = [name for name in answers if name in ids]
        goals = np.array([ids[name] for name in known], np.int64)
        ways = {t: search.between(ids[t], goals) for t in q.anchors if known and t in ids}
        stated = bool((proof >= 0).all())
        triples = kg.labeled(proof) if stated else []
        lengths = [
            (along[name], distance)
            for along, way in (
                (distances_along(triples, topic), way) for topic, way in ways.items()
            )
            for name, distance in zip(known, way.distances.tolist(), strict=True)
            if name in along
        ]
        pairs = sum(int((way.distances >= 0).sum()) for way in ways.values())
        yield Labeling(
            q,
            answers,
            distinct(np.concatenate([np.zeros(0, np.int64), *(way.rows for way in ways.values())])),
            proof if stated else None,
            sum(way.paths for way in ways.values()),
            pairs,
            len(q.anchors) * len(answers) - pairs,
            any(distance < length for length, distance in lengths),
            max((length for length, _ in lengths), default=None),
        )


def _derived(question: Question) -> str:
    """The answer that the evidence derives: where all are stated, the one farthest along it."""
    if question.hard_answer is not None:
        return question.hard_answer
    far = [distances_along(question.evidence, topic) for topic in question.anchors]
    ends = [end for head, _, tail in question.evidence for end in (head, tail)]
    # In the order of the evidence, not of names, so that every naming has the same.
    among = [end for end in ends if end in question.answers] or question.answers
    return max(among, key=lambda name: max((d.get(name, -1) for d in far), default=-1))


def distances_along(triples: Iterable[Triple], start: str) -> dict[str, int]:
    """The distances from an entity along a few triples, in either direction."""
    steps = [step for head, _, tail in triples for step in ((head, tail), (tail, head))]
    far, edge = {start: 0}, {start}
    while edge:
        edge = {other for name, other in steps if name in edge and other not in far}
        far |= dict.fromkeys(edge, max(far.values()) + 1)
    return far


def report_supervision(
    release: Release,
    kg: str = "incomplete",
    *,
    split: str | None = None,
    targets: str = "asked",
    labels: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    further: Callable[[KnowledgeGraph, Sequence[Labeling]], Table] | None = None,
) -> Document:
    """The study of a release, by hops of the query, of the evidence, and by structure or rule type.

    Args:
        release: The release.
        kg: The graph that a retriever is given.
        split: The questions; None: of all splits.
        targets: One of `TARGETS`.
        labels: A folder for the labelings, see `write_labels`; None: they are not written.
        progress: Called with questions done and to do.
        further: Makes a table more of the labelings, e.g.
            `rulemine.evaluation.supervision.path_reader.read_paths`.

    Raises:
        ConfigError: `targets` is not one of `TARGETS`.
        OutputError: The labelings cannot be written, see `write_labels`.
        ReleaseError: There is no such graph or split, or a file is missing or was edited.
        UserError: The split has no questions.
    """
    release.expect_entities("the study of supervision")
    questions = release.questions(split)
    if not questions:
        raise UserError(f"{release.path}: has no questions in the split {split or 'all'!r}.")
    if labels is not None:  # before the work
        check_place(labels, [release.path])
        check_made(labels, *LABELS)
    graph = release.kg(kg)
    found: list[Labeling] = []
    for labeling in labelings(graph, questions, release.removals(), targets):
        found.append(labeling)
        progress(len(found), len(questions))
    facts = {
        "release": release.name,
        "identity": release.identity,
        "graph": kg,
        "split": split or "all",
        "answers": f"{targets}, {TARGETS[targets]}",
    }
    document = _document(found, facts)
    if further is not None:
        document = replace(document, tables=(*document.tables, further(graph, found)))
    if labels is not None:
        write_labels(labels, graph, found, document)
    return document


def write_labels(
    folder: Path, kg: KnowledgeGraph, found: Sequence[Labeling], document: Document
) -> None:
    """Writes both labelings, to train a retriever on either.

    ``labels.jsonl`` has a line for each question that has evidence: ``id``, ``split``, ``anchors``,
    ``answers``, and three lists of the same length: ``rows``, the triples in either labeling, ascending,
    counted from 0 in ``graph.tsv.gz``; ``shortest`` and ``evidence``, 1 or 0 for each. Every other triple is
    0 in both. ``supervision.json`` is the report, ``files.json`` has the SHA-256 of each file.

    Raises:
        OutputError: It has files that this did not write, or that were edited, or it cannot be written.
    """
    with replacing(folder, lambda: check_made(folder, *LABELS)) as fresh:
        kg.write(fresh / "graph.tsv.gz")
        rows = (_row(one) for one in found if one.evidence is not None)
        write_jsonl(fresh / "labels.jsonl", rows)
        write_text(fresh / "supervision.json", to_json(document))
        write_jsonl(fresh / LABELS[0], [{"format": LABELS[1], "files": digests_of(fresh)}])


def _row(one: Labeling) -> dict[str, Any]:
    evidence = np.zeros(0, np.int64) if one.evidence is None else one.evidence
    rows = np.union1d(one.shortest, evidence)
    return {
        "id": one.question.id,
        "split": one.question.split,
        "anchors": list(one.question.anchors),
        "answers": list(one.answers),
        "rows": rows.tolist(),
        "shortest": np.isin(rows, one.shortest).astype(int).tolist(),
        "evidence": np.isin(rows, evidence).astype(int).tolist(),
    }


def _document(found: Sequence[Labeling], facts: Mapping[str, str]) -> Document:
    proved = [one for one in found if one.evidence is not None]
    questions = [one.question for one in proved]
    lost, apart = len(found) - len(proved), sum(not one.pairs for one in proved)
    notes = [
        "Means over questions. evidence in paths, paths in evidence, shortcut, parallel and unreachable are "
        "percentages; evidence and in paths are triples; paths is the lower median.",
    ]
    if lost:
        notes.append(
            f"Questions left out, because the graph lacks part of their evidence: {lost:,}."
        )
    if apart:
        notes.append(
            "Questions left out of paths in evidence, because no path leads from a topic entity to an "
            f"answer: {apart:,}."
        )

    headline, *tables = tables_by_group(
        proved,
        questions,
        (
            HOPS,
            Group(
                "",
                "evidence hops",
                lambda _, one: "apart" if one.proof_hops is None else str(one.proof_hops),
            ),
            kind_named(questions[0].kind if questions else "").groups[0],
            SPLIT,
        ),
        COLUMNS,
        _figures,
        dict.fromkeys(("evidence", "in paths"), one_decimal),
    )
    title = "Shortest paths beside the evidence"
    return Document(title, tuple(notes), facts, headline, tables=tuple(tables))


def _figures(found: Sequence[Labeling]) -> tuple[Value, ...]:
    """The columns of a group, see the module; a share of nothing is left out."""
    proved = [(one.shortest, rows) for one in found if (rows := one.evidence) is not None]
    both = [len(np.intersect1d(*pair, assume_unique=True)) for pair in proved]
    shortest, evidence = ([len(rows) for rows in column] for column in zip(*proved, strict=True))
    return (
        len(found),
        _mean([n / whole for n, whole in zip(both, evidence, strict=True) if whole]),
        _mean([n / whole for n, whole in zip(both, shortest, strict=True) if whole]),
        _mean(evidence),
        _mean(shortest),
        median_low([one.paths for one in found]),
        _mean([one.shortcut for one in found]),
        _mean([one.paths > one.pairs for one in found]),
        _mean([one.unreachable > 0 for one in found]),
    )


def _mean(values: Sequence[float]) -> Score:
    return Score(fmean(values) if values else None, None, None)
