"""ComplEx: every entity and relation is a vector of complex numbers, learned from the triples of a graph.

The score of a triple is Re ⟨s, r, conj(o)⟩ (Trouillon et al., ICML 2016). Learning follows Lacroix et al.,
ICML 2018: every relation has an inverse of its own, objects are scored against all entities at once
(cross-entropy), the N3 norm of what each triple uses is added, and Adagrad makes the steps. All objects of a
subject and a relation are learned in one step, so an epoch scores each such pair once.

Guarantees: an epoch depends on the state, the seed and its number alone, so learning can be interrupted
between epochs. The same bytes result on one machine as long as BLAS runs in one thread, see
`one_blas_thread`.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.seeds import stream

__all__ = ["Links", "State", "Vectors", "begin", "learn", "links_of", "loss_and_gradients"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

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

    entities: Floats
    relations: Floats

    def directions(self, subjects: Ints, relations: Ints) -> Floats:
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


class State(NamedTuple):
    """How far learning has come; `learn` changes the arrays.

    Attributes:
        epoch: Passes over the graph that are done.
        vectors: The vectors.
        squares: Sums of the squares of their gradients.
    """

    epoch: int
    vectors: Vectors
    squares: Vectors


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


def begin(entities: int, relations: int, rank: int, seed: int) -> State:
    """The state before the first pass: small numbers, drawn."""

    def drawn(rows: int, what: str) -> Floats:
        numbers = stream(seed, "first vectors", what).uniform(rows * 2 * rank)
        return ((2 * numbers - 1) * FIRST_SIZE).astype(np.float32).reshape(rows, 2 * rank)

    vectors = Vectors(drawn(entities, "entities"), drawn(2 * relations, "relations"))
    return State(0, vectors, Vectors(*map(np.zeros_like, vectors)))


def learn(
    state: State, links: Links, *, batch: int, learning_rate: float, n3: float, seed: int
) -> tuple[State, float]:
    """One pass over the graph; changes the arrays of the state.

    Args:
        state: Where to go on.
        links: What is to be learned.
        batch: Pairs of subject and relation in one step.
        learning_rate: How far a step goes.
        n3: Weight of the N3 norm.
        seed: The order of the pairs depends on it.

    Returns:
        The state after it, and the mean loss of a triple.
    """
    order, total = stream(seed, "epoch", state.epoch).permutation(len(links.subjects)), 0.0
    for start in range(0, len(order), batch):
        loss, gradients = loss_and_gradients(
            state.vectors, links.some(order[start : start + batch]), n3
        )
        total += loss
        for values, squares, gradient in zip(state.vectors, state.squares, gradients, strict=True):
            squares += gradient * gradient
            gradient /= np.sqrt(squares) + np.float32(SMALLEST)
            gradient *= np.float32(learning_rate)
            values -= gradient
    return state._replace(epoch=state.epoch + 1), total / max(1, len(links.objects))


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


def times(a: Floats, b: Floats) -> Floats:
    """The products of complex numbers, in rows as those of `Vectors`."""
    (x, y), (u, v) = np.hsplit(a, 2), np.hsplit(b, 2)
    return np.concatenate((x * u - y * v, x * v + y * u), axis=1)


def conjugate(a: Floats) -> Floats:
    """The conjugates of complex numbers."""
    x, y = np.hsplit(a, 2)
    return np.concatenate((x, -y), axis=1)
