"""``ppr``: the triples that carry most of a walk from the topic entities, led by the words of the question.

A walker starts at a topic entity, goes back there now and then, and else follows a triple in either
direction: a personalized PageRank (Haveliwala, WWW 2002). Triples whose relation has words like those of the
question are likelier, those of a relation with many triples at the entity, or to an entity with many, less.
What is shown are the triples that the walker follows most often, so a proof may come whole, however far it
reaches: its triples are joined to the topic.

Guarantees: which triples these are does not depend on the naming (names of topic entities are no words), nor
on threads or the machine: sums are in private order, and nothing but + − · / √ is computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rulemine.config import Section, option
from rulemine.evaluation.answerers.bm25 import words
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.retrieval import answer_from, fit, in_private_order
from rulemine.kg.graph import KnowledgeGraph
from rulemine.text.mentions import cut, find_mentions_of_all

__all__ = ["Nearness", "PersonalizedPageRank", "Walker"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Chosen on the validation questions of FB15k-237, Family and the demo; see docs/answerers.md.
DAMPING = 0.8
"""How often the walker goes on."""

STEPS = 10
"""Of the walk; what is left of it then is DAMPING to this power."""

STRANGE = 0.1
"""Weight of a relation without a word like those of the question; one with the same words has 1 more."""

LETTERS = 3
"""Of the parts that words are compared by, so that `nationals` is near to `nationality`."""


@dataclass(frozen=True, slots=True)
class PersonalizedPageRank(Section):
    """A model that is shown the triples that a walk from the topic entities follows most often.

    Attributes:
        max_triples: Triples shown at most.
        max_characters: Characters of the triples shown at most: what the model's context has room for.
        max_tokens: Tokens of an answer at most.
    """

    max_triples: int = option(200, least=1)
    max_characters: int = option(24_000, least=1)
    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 21)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and the triples of its walk."""
        rows = in_private_order(given.kg, given.order)
        walker, nearness = Walker(given.kg, rows), Nearness(given.kg.relations)
        shown, fewer = {}, 0
        for done, q in enumerate(questions):
            if given.progress:
                given.progress(done, len(questions))
            named = tuple(span for span, _ in find_mentions_of_all(q.question, q.anchors))
            text = " ".join(cut(q.question, named))
            flow = walker.flow(q.anchors, STRANGE + nearness.to(text))
            best = np.argsort(-flow, kind="stable")[: self.max_triples]
            best = best[flow[best] > 0]
            shown[q.id] = fit(given.kg.labeled(rows[best]), self.max_characters)
            fewer += len(shown[q.id]) < len(best)
        if fewer:
            given.note(
                f"ppr: the first {self.max_triples} triples of {fewer} of {len(questions)} questions have "
                f"more than max_characters={self.max_characters}; those that fit are shown."
            )
        return answer_from(given, questions, shown, self.max_tokens)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


class Walker:
    """Walks through a graph.

    Args:
        kg: The graph.
        rows: Its rows in some order; positions here are positions in it.
    """

    def __init__(self, kg: KnowledgeGraph, rows: Ints) -> None:
        self._kg = kg
        subject, self._relation, object_ = kg.triples[rows].T.astype(np.int64)
        self._from = np.concatenate((subject, object_))
        self._to = np.concatenate((object_, subject))
        ways = np.concatenate((self._relation, self._relation + len(kg.relations)))
        ways += self._from * (2 * len(kg.relations))
        _, way, triples = np.unique(ways, return_inverse=True, return_counts=True)
        degree = np.bincount(self._from, minlength=len(kg.entities))
        # All triples of a relation at an entity have √(their number) of the walks that one alone would have.
        self._ease = 1 / (np.sqrt(triples[way]) * np.sqrt(np.sqrt(degree[self._to])))

    def flow(self, topics: Sequence[str], weights: Floats) -> Floats:
        """How often a walk follows each triple.

        Args:
            topics: Where it starts; such as the graph lacks are left out.
            weights: Of each relation, > 0; shape (relations,).

        Returns:
            Shape (rows,): 0 where it never comes in `STEPS`, and everywhere if there is no topic.
        """
        size, ids = len(self._kg.entities), self._kg.entity_ids
        start = np.zeros(size)
        start[[ids[topic] for topic in topics if topic in ids]] = 1
        share = self._ease * np.tile(weights[self._relation], 2)
        share /= np.bincount(self._from, share, size)[self._from]
        there = start
        for _ in range(STEPS):
            arriving = np.bincount(self._to, there[self._from] * share, size)
            there = (1 - DAMPING) * start + DAMPING * arriving
        followed: Floats = there[self._from] * share
        return followed[: len(self._relation)] + followed[len(self._relation) :]


class Nearness:
    """How near texts are to the names of relations.

    Texts are compared by the parts of `LETTERS` letters of their words, by the cosine, where a part that many
    names have counts for little.

    Args:
        names: The names, any number.

    Example:
        >>> Nearness(["person/nationality", "film/runtime"]).to("Who are nationals of it?").round(2).tolist()
        [0.64, 0.0]
    """

    def __init__(self, names: Sequence[str]) -> None:
        parts = [_parts(name) for name in names]
        self._ids = {
            part: at for at, part in enumerate(dict.fromkeys(p for some in parts for p in some))
        }
        self._part = np.array([self._ids[part] for some in parts for part in some], np.int64)
        self._name = np.repeat(np.arange(len(names)), [len(some) for some in parts])
        self._rarity = 1 / np.bincount(self._part, minlength=len(self._ids))
        self._lengths = np.sqrt(self._sums(np.ones(len(self._ids)), len(names)))

    def to(self, text: str) -> Floats:
        """The nearness of each name to a text, from 0 to 1; shape (names,)."""
        asked = np.zeros(len(self._ids))
        asked[[self._ids[part] for part in _parts(text) if part in self._ids]] = 1
        length = np.sqrt((asked * self._rarity).sum())
        near: Floats = self._sums(asked, len(self._lengths)) / np.maximum(
            self._lengths * length, 1e-30
        )
        return near

    def _sums(self, of_parts: Floats, names: int) -> Floats:
        """The sum over the parts of each name."""
        return np.bincount(self._name, (of_parts * self._rarity)[self._part], names).astype(float)


def _parts(text: str) -> list[str]:
    """The parts of the words of a text, each once, in order.

    >>> _parts("mothers of")
    ['^mo', 'mot', 'oth', 'the', 'her', 'ers', 'rs$', '^of', 'of$']
    """
    found = dict.fromkeys(
        marked[at : at + LETTERS]
        for word in words(text)
        for marked in [f"^{word}$"]
        for at in range(len(marked) - LETTERS + 1)
    )
    return list(found)
