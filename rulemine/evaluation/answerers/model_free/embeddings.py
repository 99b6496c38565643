"""The answerer ``embeddings``: predicts missing links with vectors learned on the graph that it is given.

The vectors are those of `complex_vectors`. A link that the graph states has the likelihood 1, as in QTO (Bai
et al., ICML 2023); any other has the probability of its end, divided by that of the likeliest end that is not
stated. No entity is linked to itself by a relation without such a triple. `by_links` makes answers of that.

Guarantees: the same in every naming; learning goes on where it was stopped, with the same result. Answers
depend neither on the number of threads nor on other questions: vectors are rounded, so that sums in float64
are exact in any order.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rulemine.config import Section, option
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.answerers.model_free.blas_threads import one_blas_thread
from rulemine.evaluation.answerers.model_free.by_links import (
    Floats,
    Ints,
    LinkEnds,
    answer_by_links,
)
from rulemine.evaluation.answerers.model_free.complex_vectors import (
    Links,
    State,
    Vectors,
    begin,
    learn,
    links_of,
)
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.files import read_bytes, write_bytes
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.rules.walk import OpenEnds

__all__ = ["Embeddings"]

THRESHOLDS = 2.0 ** (-np.arange(0, 41) / 4)
"""From which truth on an entity may be an answer, 1 … 0.001."""

MOST_RANKED = 100
"""Entities in a ranking."""

UNSTATED = 0.9999
"""The likelihood of the likeliest link that the graph does not state."""

LEAST_SCORE = -1e30
"""Below every score of a triple; taken where nothing else can be linked."""

STEP = 2.0**-18
"""Vectors are rounded to multiples of this; sums of products are exact up to 2¹⁷."""

AT_ONCE = 256
"""Links whose ends are scored at once, to bound memory."""


@dataclass(frozen=True)
class Embeddings(Section):
    """Predicts missing links with ComplEx, a knowledge-graph embedding that it learns on the graph given.

    Attributes:
        rank: Complex numbers in a vector.
        epochs: Passes over the graph.
        batch: Pairs of a subject and a relation that are learned in one step.
        learning_rate: How far a step goes.
        n3: Weight of the N3 norm, against overfitting.
    """

    needs: ClassVar = ("query", "train")
    spreads: ClassVar = "run"

    rank: int = option(200, least=1, most=10_000)
    epochs: int = option(6, least=1)
    batch: int = option(256, least=1)
    learning_rate: float = option(0.1, above=0)
    n3: float = option(0.2, least=0)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The likely answers to each question, and a ranking.

        Raises:
            ConfigError: Learning does not converge.
            InputError: The file of vectors in the folder is damaged.
        """
        order = given.order
        names = sorted(given.kg.entities, key=lambda name: (order.get(name, len(order)), name))
        digits = len(str(len(names)))
        kg = given.kg.renamed({name: str(i).zfill(digits) for i, name in enumerate(names)})
        links = links_of(kg.triples, len(kg.relations))
        vectors = self._learned(given, kg, links)
        # Vectors are in an order that is the same in every naming, ids are not.
        places = np.argsort([given.kg.entity_ids[name] for name in names])
        model = LinkScores(vectors, links, kg.relation_ids, places)
        return answer_by_links(given, questions, model.ends, THRESHOLDS, lambda truth: MOST_RANKED)

    def _learned(self, given: Context, kg: KnowledgeGraph, links: Links) -> Vectors:
        """The vectors, from the folder as far as they are there."""
        made_from = kg.digest, len(kg.entities), self, given.seed
        key = hashlib.sha256(repr(made_from).encode()).hexdigest()[:16]
        path = given.folder / f"embeddings-{key}.npz" if given.folder else None
        state = _read(path) if path and path.exists() else None
        state = state or begin(len(kg.entities), len(kg.relations), self.rank, given.seed)
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            while state.epoch < self.epochs:
                if given.progress is not None:
                    given.progress(state.epoch, self.epochs)
                state, loss = learn(
                    state,
                    links,
                    batch=self.batch,
                    learning_rate=self.learning_rate,
                    n3=self.n3,
                    seed=given.seed,
                )
                if not all(np.isfinite(numbers).all() for numbers in state.vectors):
                    raise ConfigError(
                        f"embeddings: in epoch {state.epoch} numbers grew out of bounds (loss {loss:g}); "
                        f"learning_rate is {self.learning_rate:g} and n3 {self.n3:g}. Try 0.1 for both."
                    )
                if path:
                    _write(path, state, finished=state.epoch == self.epochs)
        return state.vectors


class LinkScores:
    """How likely links are by vectors.

    Args:
        vectors: The vectors.
        links: What the graph states.
        relations: Relation → its place in the order of the vectors.
        places: Entity id → its place in that order.
    """

    def __init__(
        self, vectors: Vectors, links: Links, relations: Mapping[str, int], places: Ints
    ) -> None:
        self._vectors = Vectors(*map(_rounded, vectors))
        self._links, self._relations, self._places = links, relations, places
        self._keys = links.subjects * (2 * len(relations)) + links.relations
        of = np.repeat(np.arange(len(links.subjects)), np.diff(links.first))
        self._with_loops = set(links.relations[of[links.subjects[of] == links.objects]].tolist())

    def ends(self, asked: OpenEnds) -> Iterator[LinkEnds]:
        """The ends of links, whose relation the graph has."""
        relation = self._relations[asked.relation]
        if asked.direction == DIRECTIONS[0]:
            relation += len(self._relations)
        for start in range(0, len(asked.topics), AT_ONCE):
            topics = self._places[asked.topics[start : start + AT_ONCE]]
            truth = self._of_links(topics, relation)[:, self._places]
            topic, entity = np.nonzero(truth)
            yield LinkEnds(topic + start, entity, truth[topic, entity])

    def _of_links(self, subjects: Ints, relation: int) -> Floats:
        """How likely every link of some entities is, shape (subjects, entities)."""
        relations = np.full(len(subjects), relation)
        directions = _rounded(self._vectors.directions(subjects, relations))
        truth: Floats = directions @ self._vectors.entities.T
        for row, subject in zip(truth, subjects.tolist(), strict=True):
            stated = self._stated(subject, relation)
            row[stated] = -np.inf
            if relation not in self._with_loops:
                row[subject] = -np.inf
            row -= max(row.max(), LEAST_SCORE)
            np.exp(row, out=row)
            row *= UNSTATED
            row[stated] = 1
        return truth

    def _stated(self, subject: int, relation: int) -> Ints:
        """The objects that the graph states."""
        key = subject * 2 * len(self._relations) + relation
        at = np.searchsorted(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            return np.empty(0, np.int64)
        return self._links.objects[self._links.first[at] : self._links.first[at + 1]]


def _rounded(numbers: npt.NDArray[np.floating]) -> Floats:
    return np.rint(numbers.astype(np.float64) / STEP) * STEP


def _read(path: Path) -> State:
    """What `_write` wrote.

    Raises:
        InputError: It did not write this.
    """
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as file:
            squares = Vectors(file["entity_squares"], file["relation_squares"])
            return State(int(file["epoch"]), Vectors(file["entities"], file["relations"]), squares)
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as problem:
        raise InputError(
            f"{path}: is not a complete file of vectors ({problem}). Delete it and run again."
        ) from None


def _write(path: Path, state: State, *, finished: bool) -> None:
    """Writes a state; when no epoch follows, without what only learning needs."""
    squares = [numbers[: 0 if finished else None] for numbers in state.squares]
    content = io.BytesIO()
    np.savez(
        content,
        epoch=np.array(state.epoch),
        entities=state.vectors.entities,
        relations=state.vectors.relations,
        entity_squares=squares[0],
        relation_squares=squares[1],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content.getvalue())
