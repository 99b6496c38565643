"""The answerer ``embeddings``: predicts missing links with vectors learned on the graph that it is given.

Every entity and relation is a vector of complex numbers: ComplEx, where the score of a triple is
Re ⟨s, r, conj(o)⟩ (Trouillon et al., ICML 2016). Learning follows Lacroix et al., ICML 2018: every relation
has an inverse of its own, objects are scored against all entities at once (cross-entropy), the N3 norm of
what each triple uses is added, and Adagrad makes the steps. All objects of a subject and a relation are
learned in one step, so an epoch scores each such pair once.

A link that the graph states has the likelihood 1, as in QTO (Bai et al., ICML 2023); any other has the
probability of its end, divided by that of the likeliest end that is not stated. No entity is linked to itself
by a relation without such a triple. `links` makes answers of that.

Guarantees: the same in every naming; a graph is learned once for a folder. Answers depend neither on the
number of threads nor on other questions: vectors are rounded, so that sums in float64 are exact in any order.
The same bytes result on one machine as long as BLAS runs in one thread, see `one_blas_thread`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.config import Section, option
from rulemine.errors import ConfigError
from rulemine.evaluation.answerers.model_free.learned import (
    kept,
    one_blas_thread,
    read_numbers,
    write_numbers,
)
from rulemine.evaluation.answerers.model_free.links import (
    AT_ONCE,
    Floats,
    Ints,
    LinkEnds,
    answer_by_links,
)
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.kg.graph import DIRECTIONS
from rulemine.rules.walk import OpenEnds
from rulemine.seeds import stream

__all__ = [
    "Embeddings",
    "Links",
    "Vectors",
    "begin",
    "learn",
    "links_of",
    "loss_and_gradients",
]

Numbers = npt.NDArray[np.floating[Any]]

THRESHOLDS = 2.0 ** (-np.arange(0, 41) / 4)
"""From which truth on an entity may be an answer, 1 … 0.001."""

UNSTATED = 0.9999
"""The likelihood of the likeliest link that the graph does not state."""

LEAST_SCORE = -1e30
"""Below every score of a triple; taken where nothing else can be linked."""

STEP = 2.0**-18
"""Vectors are rounded to multiples of this; sums of products are exact up to 2¹⁷."""

SMALLEST = 1e-10
"""Added to the divisor of a step, as in PyTorch's Adagrad."""

FIRST_SIZE = 1e-3
"""Vectors start as small as this, so that the first steps decide."""


class Vectors(NamedTuple):
    """Vectors, or as many numbers of another kind. A row has all real parts, then all imaginary parts.

    Attributes:
        entities: Float32, shape (entities, 2 · rank).
        relations: Float32, shape (2 · relations, 2 · rank): the relations, then their inverses.
    """

    entities: Numbers
    relations: Numbers

    def directions(self, subjects: Ints, relations: Ints) -> Numbers:
        """What the vectors of objects are multiplied with: s · r, shape (n, 2 · rank)."""
        return times(self.entities[subjects], self.relations[relations])


class Links(NamedTuple):
    """The different pairs of subject and relation of a graph, with inverses, and their objects.

    Attributes:
        subjects: Shape (pairs,).
        relations: Shape (pairs,), below 2 · relations.
        first: Shape (pairs + 1,): where the objects of each begin, and their number.
        objects: Shape (2 · triples,).
    """

    subjects: Ints
    relations: Ints
    first: Ints
    objects: Ints

    def some(self, pairs: Ints) -> "Links":
        """Those at some places, in that order."""
        counts = self.first[pairs + 1] - self.first[pairs]
        first = np.concatenate(([0], np.cumsum(counts)))
        places = np.repeat(self.first[pairs] - first[:-1], counts) + np.arange(first[-1])
        return Links(self.subjects[pairs], self.relations[pairs], first, self.objects[places])


def links_of(triples: npt.NDArray[np.int32], relations: int) -> Links:
    """The links of a graph.

    Args:
        triples: Shape (n, 3): subject, relation, object; no two the same.
        relations: How many relations there are.
    """
    s, r, o = triples.T.astype(np.int64)
    s, r, o = np.concatenate((s, o)), np.concatenate((r, r + relations)), np.concatenate((o, s))
    order = np.lexsort((o, r, s))
    keys, first = np.unique(s[order] * (2 * relations) + r[order], return_index=True)
    subjects, of = np.divmod(keys, max(1, 2 * relations))
    return Links(subjects, of, np.append(first, len(o)), o[order])


def begin(entities: int, relations: int, rank: int, seed: int) -> Vectors:
    """The vectors before the first pass: small numbers, drawn."""

    def drawn(rows: int, what: str) -> Numbers:
        numbers = stream(seed, "first vectors", what).uniform(rows * 2 * rank)
        return ((2 * numbers - 1) * FIRST_SIZE).astype(np.float32).reshape(rows, 2 * rank)

    return Vectors(drawn(entities, "entities"), drawn(2 * relations, "relations"))


def learn(
    vectors: Vectors,
    links: Links,
    *,
    epochs: int,
    batch: int,
    learning_rate: float,
    n3: float,
    seed: int,
) -> Iterator[float]:
    """Passes over the graph; changes the vectors.

    Args:
        vectors: Where to begin.
        links: What is to be learned.
        epochs: How many passes.
        batch: Pairs of subject and relation in one step.
        learning_rate: How far a step goes.
        n3: Weight of the N3 norm.
        seed: The order of the pairs depends on it.

    Yields:
        After each pass, the mean loss of a triple.
    """
    squares = Vectors(*map(np.zeros_like, vectors))  # of the gradients so far
    for epoch in range(epochs):
        order, total = stream(seed, "epoch", epoch).permutation(len(links.subjects)), 0.0
        for start in range(0, len(order), batch):
            loss, gradients = loss_and_gradients(
                vectors, links.some(order[start : start + batch]), n3
            )
            total += loss
            for values, sums, gradient in zip(vectors, squares, gradients, strict=True):
                sums += gradient * gradient
                gradient /= np.sqrt(sums) + np.float32(SMALLEST)
                gradient *= np.float32(learning_rate)
                values -= gradient
        yield total / max(1, len(links.objects))


def loss_and_gradients(vectors: Vectors, links: Links, n3: float) -> tuple[float, Vectors]:
    """The sum, over triples, of −log p(object | subject, relation) + n3 / 3 · Σ (|s|³ + |r|³ + |o|³).

    Args:
        vectors: Float32 or float64; so are the gradients.
        links: The triples.
        n3: Weight of the N3 norm.

    Returns:
        The sum, and its derivatives by the vectors.
    """
    entities, relations = vectors
    counts = np.diff(links.first)
    row = np.repeat(np.arange(len(counts)), counts)
    s, r = entities[links.subjects], relations[links.relations]
    sr = times(s, r)
    scores = sr @ entities.T
    scores -= scores.max(axis=1, keepdims=True)
    loss = -scores[row, links.objects].sum(dtype=np.float64)
    np.exp(scores, out=scores)
    sums = scores.sum(axis=1)
    loss += (counts * np.log(sums)).sum(dtype=np.float64)
    scores *= (counts / sums).astype(scores.dtype)[:, None]
    scores[row, links.objects] -= 1  # now the derivative by the scores
    by_sr = scores @ entities
    by_entities, by_relations = scores.T @ sr, np.zeros_like(relations)
    used = np.bincount(links.objects, minlength=len(entities))
    objects = np.flatnonzero(used)
    for by, at, some, weights, further in (
        (by_entities, links.subjects, s, counts, times(by_sr, conjugate(r))),
        (by_relations, links.relations, r, counts, times(by_sr, conjugate(s))),
        (by_entities, objects, entities[objects], used[objects], 0),
    ):
        size = np.hypot(*np.hsplit(some, 2))
        weight = (n3 * weights).astype(some.dtype)[:, None]
        loss += float((weight * size**3).sum(dtype=np.float64)) / 3
        np.add.at(by, at, further + weight * np.tile(size, 2) * some)
    return float(loss), Vectors(by_entities, by_relations)


def times(a: Numbers, b: Numbers) -> Numbers:
    """The products of complex numbers, in rows as those of `Vectors`."""
    (x, y), (u, v) = np.hsplit(a, 2), np.hsplit(b, 2)
    return np.concatenate((x * u - y * v, x * v + y * u), axis=1)


def conjugate(a: Numbers) -> Numbers:
    """The conjugates of complex numbers."""
    x, y = np.hsplit(a, 2)
    return np.concatenate((x, -y), axis=1)


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
    spreads: ClassVar = True

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
        kg = given.private.kg
        links = links_of(kg.triples, len(kg.relations))
        vectors = kept(
            given.folder,
            "embeddings-{}.npz",
            (kg.digest, len(kg.entities), self, given.seed),
            lambda: self._learned(given, links),
            write_numbers,
            lambda path: Vectors(*read_numbers(path)),
        )
        # Vectors are in an order that is the same in every naming, ids are not.
        places = np.array(given.placed(given.kg.entities), np.int64)
        model = LinkScores(vectors, links, kg.relation_ids, places)
        return answer_by_links(given, questions, model.ends, THRESHOLDS)

    def _learned(self, given: Context, links: Links) -> Vectors:
        kg = given.private.kg
        vectors = begin(len(kg.entities), len(kg.relations), self.rank, given.seed)
        losses = learn(
            vectors,
            links,
            epochs=self.epochs,
            batch=self.batch,
            learning_rate=self.learning_rate,
            n3=self.n3,
            seed=given.seed,
        )
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            for epoch, loss in enumerate(losses, start=1):
                if not all(np.isfinite(numbers).all() for numbers in vectors):
                    raise ConfigError(
                        f"embeddings: in epoch {epoch} numbers grew out of bounds (loss {loss:g}); "
                        f"learning_rate is {self.learning_rate:g} and n3 {self.n3:g}. Try 0.1 for both."
                    )
                if given.progress is not None:
                    given.progress(epoch, self.epochs)
        return vectors


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
        self._relations, self._places = relations, places
        objects = np.split(links.objects, links.first[1:-1])
        pairs = zip(links.subjects.tolist(), links.relations.tolist(), strict=True)
        self._stated = dict(zip(pairs, objects, strict=False))  # nothing stated is one empty part
        of = np.repeat(np.arange(len(links.subjects)), np.diff(links.first))
        self._with_loops = set(links.relations[of[links.subjects[of] == links.objects]].tolist())

    def ends(self, asked: OpenEnds) -> Iterator[LinkEnds]:
        """The ends of links, whose relation the graph has."""
        relation = self._relations[asked.relation]
        if asked.direction == DIRECTIONS[0]:
            relation += len(self._relations)
        for start in range(0, len(asked.topics), AT_ONCE):
            topics = self._places[asked.topics[start : start + AT_ONCE]]
            directions = self._vectors.directions(topics, np.full(len(topics), relation))
            truth: Floats = _rounded(directions) @ self._vectors.entities.T
            for row, subject in zip(truth, topics.tolist(), strict=True):
                stated = self._stated.get((subject, relation), np.empty(0, np.int64))
                row[stated] = -np.inf
                if relation not in self._with_loops:
                    row[subject] = -np.inf
                row -= max(row.max(), LEAST_SCORE)
                np.exp(row, out=row)
                row *= UNSTATED
                row[stated] = 1
            truth = truth[:, self._places]
            topic, entity = np.nonzero(truth)
            yield LinkEnds(topic + start, entity, truth[topic, entity])


def _rounded(numbers: npt.NDArray[np.floating]) -> Floats:
    return np.rint(numbers.astype(np.float64) / STEP) * STEP
