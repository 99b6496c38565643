"""What formats with a graph for each question share: which questions they say, and the graph of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, tee
from typing import ClassVar, NamedTuple

from rulemine.config import option
from rulemine.exports.protocol import ExportFolder, ExportInput
from rulemine.exports.reachability import reachability
from rulemine.exports.row_export import EntityRows
from rulemine.kg.question_graphs import Ints, by_private_id, question_graphs
from rulemine.release.proof_triples import proof_rows
from rulemine.release.records import Question

__all__ = ["GraphPerQuestion", "WithGraph"]


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
    """

    names_of_clients: ClassVar[bool] = True

    hops: int = option(0, least=0, most=100)
    max_triples: int = option(2000, least=1, most=1_000_000)

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
        rows, again = tee(row[graph.rows] for graph in graphs)
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
