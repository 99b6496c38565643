"""What a trained retriever makes of questions: candidates, and what these are labeled with.

Guarantee: the same in every naming.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.ppr import Nearness
from rulemine.evaluation.answerers.protocol import Context, OpenQuestion
from rulemine.evaluation.answerers.trained.candidates import (
    SeenTriples,
    bag,
    candidates_of,
    words_of,
)
from rulemine.evaluation.answerers.trained.scorer import Example
from rulemine.evaluation.supervision.supervision import labelings
from rulemine.kg.question_graphs import by_private_id, question_graphs
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["LABELS", "Sight", "Taught", "labels_of"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

LABELS = ("shortest", "evidence")
"""The labelings that there are."""


def labels_of(
    given: Context, questions: Sequence[Question], labels: str, answers: str
) -> dict[str, Ints]:
    """The rows of the graph that questions are labeled with.

    Args:
        given: Its graph, and the removed triples that these questions rest on.
        questions: The questions, in the naming of the graph.
        labels: One of `LABELS`.
        answers: One of `TARGETS`.

    Returns:
        Id of the question → the rows, ascending. As in the files of ``export supervision``, a question of
        which the graph lacks evidence is left out, whatever the labels.
    """
    found = labelings(given.kg, questions, given.removals, answers)
    return {
        one.question.id: one.shortest if labels == "shortest" else one.evidence
        for one in found
        if one.evidence is not None
    }


class Taught(NamedTuple):
    """A question with labels.

    Attributes:
        id: Its id.
        text: Its text.
        anchors: Its topic entities.
        seen: Its candidates.
        labels: Whether each is labeled.
        wanted: How many triples of the graph are.
    """

    id: str
    text: str
    anchors: tuple[str, ...]
    seen: SeenTriples
    labels: npt.NDArray[np.bool_]
    wanted: int

    def sampled(self, negatives: int, seed: int) -> "Taught":
        """With so many candidates without a label at most, drawn."""
        others = np.flatnonzero(~self.labels)
        drawn = stream(seed, "negatives", self.id).permutation(len(others))[:negatives]
        places = np.sort(np.concatenate((np.flatnonzero(self.labels), others[drawn])))
        return self._replace(seen=self.seen.some(places), labels=self.labels[places])


class Sight:
    """How the graph and questions look in any naming.

    Args:
        given: The graph, and the private order of its entities.
        hops: SeenTriples are the triples within so many hops of the topics …
        most: … if they are at most so many, see `question_graphs`.
        rounds: How far distances are counted.

    Attributes:
        kg: The graph, its entities named by private order.
        rows: The row in the graph given of each of its triples.
        places: The other way round.
        names: The bags of words of its relations, shape (relations, buckets).
    """

    def __init__(self, given: Context, hops: int, most: int, rounds: int) -> None:
        entities = sorted(
            given.kg.entities, key=lambda name: (given.order.get(name, len(given.order)), name)
        )
        digits = len(str(len(entities)))
        self._ids = {name: str(at).zfill(digits) for at, name in enumerate(entities)}
        self.kg, self.rows = by_private_id(given.kg, self._ids)
        self.places = np.empty_like(self.rows)
        self.places[self.rows] = np.arange(len(self.rows))
        relations = self.kg.relations
        self._nearness = Nearness(relations)
        bags = [bag([f"={name}", *words_of(name, ())]) for name in relations]
        self.names: Floats = np.array(bags, np.float32)
        self._hops, self._most, self._rounds = hops, most, rounds

    def see(self, questions: Sequence[OpenQuestion]) -> Iterator[SeenTriples]:
        """The candidates of questions."""
        topics: Mapping[str, list[str]] = {
            q.id: [self._ids[name] for name in q.anchors if name in self._ids] for q in questions
        }
        graphs = question_graphs(self.kg, topics, hops=self._hops, max_triples=self._most)
        for q, graph in zip(questions, graphs, strict=True):
            asked = [self._ids.get(name, "") for name in q.anchors]
            yield candidates_of(self.kg, graph.rows, asked, self._rounds)

    def example(
        self,
        text: str,
        topics: Sequence[str],
        seen: SeenTriples,
        labels: npt.NDArray[np.bool_] | None = None,
    ) -> Example:
        """A question as the network sees it."""
        terms = words_of(text, topics)
        near = self._nearness.to(" ".join(term for term in terms if " " not in term))
        if labels is None:
            labels = np.zeros(len(seen.rows), bool)
        return Example(bag(terms), near.astype(np.float32), seen, labels)
