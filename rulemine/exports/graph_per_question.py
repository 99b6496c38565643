"""What formats with a graph for each question share: which questions they say, and the graph of each.

A graph never tells the answer, but for the option ``evidence``: then the graphs of training and validation
questions hold their whole evidence and confounders, as SynthKGQA has them (appendix C.1).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, tee
from typing import ClassVar, NamedTuple

import numpy as np

from rulemine.arrays import distinct
from rulemine.config import option
from rulemine.exports.protocol import EntityRows, ExportFolder, ExportInput
from rulemine.exports.reachability import reachability
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.question_graphs import Ints, by_private_id, question_graphs
from rulemine.query import evaluate, parse
from rulemine.query.evidence import full_evidence
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Anchor, Count, Difference, Projection, Query
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["GraphPerQuestion", "WithGraph", "confounders"]


class WithGraph(NamedTuple):
    """A question with its graph.

    Attributes:
        question: The question.
        rows: int64, shape (triples,): rows of the triples of `ExportInput.kg`, in the order to be written.
    """

    question: Question
    rows: Ints


@dataclass(frozen=True)
class GraphPerQuestion(EntityRows):
    """Base class of such formats.

    Attributes:
        hops: A question's graph has all triples within this many hops of its topic entities, if it can; 0:
            one more than the longest question of the release has, since the proof of a link is a detour.
        max_triples: The most triples of a question's graph; of more, personalized PageRank takes the best.
        evidence: Whether the graphs of training and validation questions hold all triples of the evidence
            (in place of one that the graph lacks, those of its certificate), and of every walk from a topic
            entity along the relations of a path of the query. These come on top of `max_triples`.
    """

    names_of_clients: ClassVar[bool] = True

    hops: int = option(0, least=0, most=100)
    max_triples: int = option(2000, least=1, most=1_000_000)
    evidence: bool = option(False)

    def by_split(
        self, given: ExportInput, folder: ExportFolder
    ) -> Iterator[tuple[str, Iterator[WithGraph]]]:
        """Every split with its questions and their graphs, which must be taken to the last.

        Then the folder knows what can be reached and how large graphs are.
        """
        asked = {split: list(self.asked(given, folder, split)) for split in given.splits}
        found = self._with_graphs(given, folder, [q for some in asked.values() for q in some])
        for split, some in asked.items():
            yield split, islice(found, len(some))
        next(found, None)  # so that it counts what it gave

    def _with_graphs(
        self, given: ExportInput, folder: ExportFolder, questions: Sequence[Question]
    ) -> Iterator[WithGraph]:
        # Of triples that are as good the first ones by private id are taken, so in every naming the same.
        by_id, row = by_private_id(given.kg, given.client.id)
        graphs = question_graphs(
            by_id,
            {q.id: [given.client.id[name] for name in q.anchors] for q in questions},
            hops=self.hops or 1 + max((q.hops for q in given.release.questions()), default=1),
            max_triples=self.max_triples,
            seed=given.seed,
        )
        near: Iterator[Ints] = (graph.rows for graph in graphs)
        if self.evidence:
            near = _with_evidence(given, questions, by_id, row, near)
        rows, again = tee(row[some] for some in near)
        flags = reachability(given.kg, questions, given.removed, graphs=again)
        proofs = proof_rows(given.kg, questions, given.removed)
        size, inside, hard = 0, 0, 0
        for done, question in enumerate(questions, start=1):
            given.progress(done, len(questions))
            graph = next(rows)
            folder.reached[question.id] = next(flags)
            size += len(graph)
            if question.hard_answer is not None:
                hard += 1
                inside += set(graph.tolist()).issuperset(proofs[done - 1].tolist())
            yield WithGraph(question, graph)
        if questions:
            folder.count("triples_a_question", round(size / len(questions), 1))
        if hard and not given.without_answers:
            folder.count("proofs_inside", round(inside / hard, 4))


def _with_evidence(
    given: ExportInput,
    questions: Sequence[Question],
    by_id: KnowledgeGraph,
    row: Ints,
    near: Iterable[Ints],
) -> Iterator[Ints]:
    """The graphs of questions with what `GraphPerQuestion.evidence` says, as rows of the graph by id.

    The order is drawn anew: programs that keep one edge for each pair of entities keep the last.
    """
    place, queries = np.argsort(row), QueryGraph(by_id)
    proofs = proof_rows(
        given.kg, [replace(q, evidence=q.full_evidence) for q in questions], given.removed
    )
    for question, proof, some in zip(questions, proofs, near, strict=True):
        if question.split == "test":
            yield some
            continue
        topics = [given.client.id[name] for name in question.anchors]
        walks = confounders(queries, topics, parse(question.query)) if question.query else proof[:0]
        added = np.setdiff1d(np.concatenate((place[proof[proof >= 0]], walks)), some)
        drawn = stream(given.seed, "evidence", question.id).permutation(len(some) + len(added))
        yield np.concatenate((some, added))[drawn]


def confounders(graph: QueryGraph, topics: Iterable[str], query: Query) -> Ints:
    """The rows of all walks from topics along the relations of a path of the query, ascending.

    They end where the answer might be, but for the other conditions of the query.
    """
    found = [np.empty(0, np.int64)]
    known = [topic for topic in topics if topic in graph.kg.entity_ids]
    for links in _paths(query):
        if not {relation for relation, _ in links} <= graph.kg.relation_ids.keys():
            continue
        for topic in known:
            chain: Query = Anchor(topic)
            for relation, inverse in links:
                chain = Projection(relation, inverse, chain)
            found.append(full_evidence(evaluate(graph, chain)).rows)
    return distinct(np.concatenate(found))


def _paths(query: Query) -> set[tuple[tuple[str, bool], ...]]:
    """The links from an anchor to the answer, one after another; what is subtracted has none."""
    if isinstance(query, Anchor):
        return {()}
    if isinstance(query, Projection):
        return {(*path, (query.relation, query.inverse)) for path in _paths(query.of)}
    if isinstance(query, Difference | Count):
        return _paths(query.of)
    return set().union(*map(_paths, query.parts))
