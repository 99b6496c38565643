"""A network that scores triples for a question, and how it learns.

The words of a question and those of a relation become vectors q and r. One hidden layer sees q, r, their
product by components, how near the words are (`rulemine.evaluation.answerers.ppr.Nearness`) and the distance
features of the triple; a sum of its units is the score. It learns to give the labeled triples of a question
the highest scores: cross-entropy of a softmax over its triples, by Adam (Kingma and Ba, ICLR 2015).

Guarantee: the same bytes on one machine as long as BLAS runs in one thread.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.trained.candidates import BUCKETS, SeenTriples
from rulemine.seeds import Stream, stream

__all__ = ["Example", "Fitted", "Weights", "begin", "fit", "loss_and_gradients", "scores"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

AT_ONCE = 16
"""Questions in a step."""

DECAY = 0.9, 0.999
"""Of Adam's two means."""

SMALLEST = 1e-8


class Weights(NamedTuple):
    """What is learned.

    Attributes:
        words: Vectors of words in questions, shape (`BUCKETS`, size).
        names: Vectors of words in relations, of the same shape.
        pairs: From what depends on question and relation to the hidden layer, shape (3 · size + 1, hidden).
        places: From the distance features to it, shape (features, hidden).
        bias: Shape (hidden,).
        out: From the hidden layer to the score, shape (hidden,).
    """

    words: Floats
    names: Floats
    pairs: Floats
    places: Floats
    bias: Floats
    out: Floats


class Example(NamedTuple):
    """A question with its triples.

    Attributes:
        words: The bag of its words, shape (`BUCKETS`,).
        near: How near it is to the name of each relation of the graph, shape (relations,).
        triples: The triples.
        labels: Whether each is to be retrieved.
    """

    words: Floats
    near: Floats
    triples: SeenTriples
    labels: npt.NDArray[np.bool_]


class Fitted(NamedTuple):
    """A trained network.

    Attributes:
        weights: Those with the least loss on the validation questions.
        epoch: After which epoch that was, counted from 1.
        epochs: How many there were.
        loss: The loss then.
    """

    weights: Weights
    epoch: int
    epochs: int
    loss: float


def begin(size: int, hidden: int, features: int, seed: Stream) -> Weights:
    """The weights before the first step, drawn."""

    def drawn(rows: int, columns: int, bound: float) -> Floats:
        numbers = (2 * seed.uniform(rows * columns) - 1) * bound
        return numbers.astype(np.float32).reshape(rows, columns)

    wide = 3 * size + 1 + features
    return Weights(
        drawn(BUCKETS, size, 1.0),
        drawn(BUCKETS, size, 1.0),
        drawn(3 * size + 1, hidden, float(np.sqrt(6 / wide))),
        drawn(features, hidden, float(np.sqrt(6 / wide))),
        np.zeros(hidden, np.float32),
        drawn(hidden, 1, float(np.sqrt(6 / hidden)))[:, 0],
    )


class _Pass(NamedTuple):
    """What the way forward leaves for the way back; a pair is a question and a relation that it has."""

    questions: Floats
    relations: Floats
    of_question: Ints
    of_relation: Ints
    first_pairs: Ints
    first_rows: Ints
    rows_of_pairs: Ints
    inputs: Floats
    features: Floats
    hidden: Floats
    scores: Floats


def _forward(weights: Weights, names: Floats, examples: Sequence[Example]) -> _Pass:
    counts = np.array([len(one.triples.relations) for one in examples])
    sizes = np.array([len(one.triples.rows) for one in examples])
    starts = sizes.cumsum() - sizes
    of_question = np.repeat(np.arange(len(examples)), counts)
    of_relation = np.concatenate([one.triples.relations for one in examples])
    rows_of_pairs = np.concatenate(
        [one.triples.first + start for one, start in zip(examples, starts.tolist(), strict=True)]
    )
    q = np.stack([one.words for one in examples]) @ weights.words
    r = names @ weights.names
    near = np.concatenate([one.near[one.triples.relations] for one in examples])[:, None]
    mine, its = q[of_question], r[of_relation]
    inputs = np.hstack((mine, its, mine * its, near.astype(q.dtype)))
    features = np.concatenate([one.triples.features for one in examples]).astype(q.dtype)
    of_pair = inputs @ weights.pairs + weights.bias
    hidden = features @ weights.places
    lengths = np.diff(np.append(rows_of_pairs, len(features)))
    hidden += np.repeat(of_pair, lengths, axis=0)
    np.maximum(hidden, 0, out=hidden)
    return _Pass(
        q,
        r,
        of_question,
        of_relation,
        counts.cumsum() - counts,
        starts,
        rows_of_pairs,
        inputs,
        features,
        hidden,
        hidden @ weights.out,
    )


def scores(weights: Weights, names: Floats, example: Example) -> Floats:
    """The score of each triple of a question.

    Args:
        weights: The network.
        names: The bags of words of the relations of the graph, shape (relations, `BUCKETS`).
        example: The question, with at least one triple.
    """
    return _forward(weights, names, [example]).scores


def loss_and_gradients(
    weights: Weights, names: Floats, examples: Sequence[Example]
) -> tuple[float, Weights]:
    """The mean loss of questions, and its derivatives by the weights.

    The loss of a question is the mean of −log p over its labeled triples, p the softmax over its triples.

    Args:
        weights: Float32 or float64; so are the gradients.
        names: See `scores`.
        examples: The questions, each with a labeled triple.
    """
    found = _forward(weights, names, examples)
    sizes = np.diff(np.append(found.first_rows, len(found.scores)))

    def spread(values: Floats) -> Floats:
        return np.repeat(values, sizes)

    shifted = found.scores - spread(np.maximum.reduceat(found.scores, found.first_rows))
    grown = np.exp(shifted)
    totals = np.add.reduceat(grown, found.first_rows)
    wanted = np.concatenate([one.labels / one.labels.sum() for one in examples])
    wanted = wanted.astype(found.scores.dtype)
    loss = float((wanted * (spread(np.log(totals)) - shifted)).sum()) / len(examples)
    slope = (grown / spread(totals) - wanted) / len(examples)
    back = slope[:, None] * weights.out * (found.hidden > 0)
    of_pairs = np.add.reduceat(back, found.rows_of_pairs, axis=0)
    inputs = of_pairs @ weights.pairs.T
    size = found.questions.shape[1]
    mine, its, product = (inputs[:, at * size : (at + 1) * size] for at in range(3))
    q = np.add.reduceat(
        mine + product * found.relations[found.of_relation], found.first_pairs, axis=0
    )
    r = np.zeros_like(found.relations)
    np.add.at(r, found.of_relation, its + product * found.questions[found.of_question])
    return loss, Weights(
        np.stack([one.words for one in examples]).T @ q,
        names.T @ r,
        found.inputs.T @ of_pairs,
        found.features.T @ back,
        of_pairs.sum(axis=0),
        found.hidden.T @ slope,
    )


def fit(
    weights: Weights,
    names: Floats,
    training: Sequence[Example],
    validation: Sequence[Example],
    *,
    epochs: int,
    patience: int,
    learning_rate: float,
    seed: int,
    progress: Callable[[int], None],
) -> Fitted:
    """Trains, until the loss on the validation questions has not become less for some epochs.

    Args:
        weights: Where to begin; changed.
        names: See `scores`.
        training: The training questions, each with a labeled triple; at least one.
        validation: The validation questions, likewise; without any it trains for all epochs.
        epochs: Passes over the training questions at most.
        patience: Epochs without a lesser loss after which it ends.
        learning_rate: How far a step goes.
        seed: For the order of the questions.
        progress: Called with the epochs that are done.
    """
    means, squares = (Weights(*map(np.zeros_like, weights)) for _ in range(2))
    best = Fitted(weights, 0, 0, np.inf)
    step = epoch = 0
    for epoch in range(1, epochs + 1):
        order = stream(seed, "trained retriever", "epoch", epoch).permutation(len(training))
        total = 0.0
        for start in range(0, len(order), AT_ONCE):
            some = [training[at] for at in order[start : start + AT_ONCE].tolist()]
            loss, gradients = loss_and_gradients(weights, names, some)
            total += loss * len(some)
            step += 1
            _move(weights, means, squares, gradients, learning_rate, step)
        if validation:
            total = 0.0
            for one in validation:
                total += loss_of(weights, names, one)
        if total < best.loss or not validation:
            best = Fitted(Weights(*(part.copy() for part in weights)), epoch, epoch, total)
        progress(epoch)
        if epoch - best.epoch >= patience:
            break
    mean = best.loss / max(1, len(validation) or len(training))
    return best._replace(epochs=epoch, loss=mean)


def loss_of(weights: Weights, names: Floats, example: Example) -> float:
    """The loss of a question, see `loss_and_gradients`."""
    found = scores(weights, names, example)
    shifted = found - found.max()
    return float(np.log(np.exp(shifted).sum()) - shifted[example.labels].mean())


def _move(
    weights: Weights,
    means: Weights,
    squares: Weights,
    gradients: Weights,
    learning_rate: float,
    step: int,
) -> None:
    """One step of Adam; changes the first three."""
    first, second = DECAY
    rate = learning_rate * float(np.sqrt(1 - second**step)) / (1 - first**step)
    for values, mean, square, gradient in zip(weights, means, squares, gradients, strict=True):
        mean *= first
        mean += (1 - first) * gradient
        square *= second
        square += (1 - second) * gradient * gradient
        values -= (rate * mean / (np.sqrt(square) + SMALLEST)).astype(values.dtype)
