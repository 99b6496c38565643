"""Retrieval and a model: triples are looked up first, and the final step is shown them.

``k-hop``  the triples around the topic entities, the nearest first
``bm25``   the triples whose words are nearest to those of the question: each triple of the whole graph is a
           document ``subject relation object`` (Robertson and Zaragoza, Foundations and Trends in IR 2009)

Guarantees: what counts as retrieved is what the model is shown, in that order; which triples these are does
not depend on the naming, except where their words are what is looked for; equals are in the order of private
ids.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.evaluation.answerers.bm25 import TextIndex
from rulemine.evaluation.answerers.final_answer import final_answer, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.seeds import stream

__all__ = ["KHop", "NearestTriples", "Touching", "answer_from", "fit", "in_private_order"]


@dataclass(frozen=True, slots=True)
class KHop(Section):
    """A model that is shown the triples around the topic entities, the nearest first.

    Where more triples are as near as each other than there is room for, a seeded sample of them is shown.

    Attributes:
        hops: A triple is shown when one of its ends is fewer edges than this away from a topic entity.
        max_triples: Triples shown at most.
        max_characters: Characters of the triples shown at most: what the model's context has room for.
        max_tokens: Tokens of an answer at most.
    """

    hops: int = option(1, least=1, most=9)
    max_triples: int = option(100, least=1)
    max_characters: int = option(12_000, least=1)
    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 21)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and the triples around its topic entities."""
        rows = in_private_order(given.kg, given.order)
        touching = Touching(given.kg, rows)
        cut = 0

        def retrieve(question: OpenQuestion) -> list[Triple]:
            nonlocal cut
            layers = touching.layers(question.anchors, self.hops)
            draw = stream(given.seed, "k-hop", question.id)
            kept: list[int] = []
            for layer in layers:
                room = self.max_triples - len(kept)
                chosen = np.sort(draw.permutation(len(layer))[:room])
                kept += layer[chosen].tolist()
            shown = fit(given.kg.labeled(rows[kept]), self.max_characters)
            cut += len(shown) < sum(map(len, layers))
            return shown

        shown = {question.id: retrieve(question) for question in questions}
        if cut:
            given.note(
                f"k-hop: {cut} of {len(questions)} questions have more triples around than fit "
                f"(max_triples={self.max_triples}, max_characters={self.max_characters}); the nearest are "
                "shown."
            )
        return answer_from(given, questions, shown, self.max_tokens)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


@dataclass(frozen=True, slots=True)
class NearestTriples(Section):
    """A model that is shown the triples whose words are nearest to those of the question (``bm25``).

    Attributes:
        k: Triples shown at most; only such as share a word with the question are.
        max_tokens: Tokens of an answer at most.
    """

    k: int = option(10, least=1)
    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 21)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and the triples nearest to it."""
        triples = given.kg.labeled(in_private_order(given.kg, given.order))
        index = TextIndex([" ".join(triple) for triple in triples])
        shown = {q.id: [triples[at] for at in index.nearest(q.question, self.k)] for q in questions}
        return answer_from(given, questions, shown, self.max_tokens)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


def answer_from(
    given: Context,
    questions: Sequence[OpenQuestion],
    shown: Mapping[str, Sequence[Triple]],
    max_tokens: int,
) -> list[Answered]:
    """Asks the final step about each question.

    Args:
        given: With a session and a model.
        questions: The questions.
        shown: Id of a question → the triples that the model is shown, in that order.
        max_tokens: Tokens of an answer at most.
    """

    async def work(question: OpenQuestion, chat: Chat) -> Answered:
        triples = shown[question.id]
        text = await final_answer(chat, question.question, lines_of(triples), tokens=max_tokens)
        return Answered(text=text, retrieved=triples)

    return given.converse(work, questions)


def fit(triples: Sequence[Triple], characters: int) -> list[Triple]:
    """The first triples whose lines have so many characters at most, line ends included.

    >>> fit([("a", "r", "b"), ("c", "r", "d")], 19)
    [('a', 'r', 'b')]
    """
    sizes = np.cumsum([len(line) + 1 for line in lines_of(triples)])
    return list(triples[: int(np.searchsorted(sizes, characters, side="right"))])


def in_private_order(kg: KnowledgeGraph, order: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """The rows of a graph by private ids of subject, relation and object: the same in every naming."""
    place = np.array([order.get(name, at) for at, name in enumerate(kg.entities)], np.int64)
    subject, relation, object_ = kg.triples.T
    return np.lexsort((place[object_], relation, place[subject])) if len(kg) else np.empty(0, int)


class Touching:
    """The triples at each entity.

    Args:
        kg: The graph.
        rows: Its rows in some order; positions here are positions in it.

    Attributes:
        ends: Subject and object of each position, shape (rows, 2).
    """

    def __init__(self, kg: KnowledgeGraph, rows: npt.NDArray[np.int64]) -> None:
        self._kg, self.ends = kg, kg.triples[rows][:, [0, 2]]
        flat = self.ends.ravel()
        order = np.argsort(flat, kind="stable")
        self._positions = order // 2
        self._starts = np.searchsorted(flat[order], np.arange(len(kg.entities) + 1))

    def at(self, entities: Iterable[int]) -> npt.NDArray[np.int64]:
        """The positions of the triples at entities, in order, each once."""
        found = [self._positions[self._starts[e] : self._starts[e + 1]] for e in entities]
        return distinct(np.concatenate([np.empty(0, np.int64), *found]))

    def layers(self, topics: Sequence[str], hops: int) -> list[npt.NDArray[np.int64]]:
        """Positions by distance, those of a distance in their order; each position once."""
        ids = self._kg.entity_ids
        frontier = [ids[topic] for topic in topics if topic in ids]
        reached, seen = set(frontier), np.empty(0, np.int64)
        found: list[npt.NDArray[np.int64]] = []
        for _ in range(hops):
            layer = np.setdiff1d(self.at(frontier), seen, assume_unique=True)
            seen = np.union1d(seen, layer)
            found.append(layer)
            frontier = sorted(set(self.ends[layer].ravel().tolist()) - reached)
            reached.update(frontier)
        return found
