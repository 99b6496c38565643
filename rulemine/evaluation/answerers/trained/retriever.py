"""``trained-retriever``: triples near the topics, scored by a network that learned from training questions.

The idea is SubgraphRAG's (Li, Miao and Li, ICLR 2025): each triple is scored on its own, by the words of the
question and of its relation and by how far its ends are from the topic entities along and against triples.
Labels are either the triples on shortest paths, or the evidence, of the training questions, both as
`rulemine.evaluation.supervision.supervision.labelings` has them.

The words of a question and those of a relation become vectors q and r. One hidden layer sees q, r, their
product by components, how near the words are (`Nearness`) and the distance features of the triple; a sum of
its units is the score. It learns to give the labeled triples of a question the highest scores: cross-entropy
of a softmax over its triples, by Adam (Kingma and Ba, ICLR 2015).

Guarantees: nothing of a question that is asked is learned from; the same in every naming; the same seed gives
the same bytes on one machine, for any number of threads; a graph is learned once for a work folder.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from rulemine.evaluation.answerers.model_free.links import first_of_groups
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Part, Typical
from rulemine.evaluation.answerers.retrieval import Nearness, answer_from, fitting
from rulemine.evaluation.answerers.trained.candidates import (
    BUCKETS,
    WAYS,
    SeenTriples,
    bag,
    candidates_of,
    farther_end,
    words_of,
)
from rulemine.evaluation.supervision.supervision import TARGETS, labelings
from rulemine.kg.question_graphs import question_graphs
from rulemine.release.records import Question
from rulemine.seeds import Stream, stream

__all__ = [
    "LABELS",
    "Example",
    "TrainedRetriever",
    "Weights",
    "begin",
    "fit",
    "labels_of",
    "loss_and_gradients",
    "scores",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.floating[Any]]

LABELS = ("shortest", "evidence")
"""The labelings that there are."""

HELD_OUT = 10
"""Of so many known questions one is for validation, where there are no validation questions, or only such."""

SIZE = 32
"""Numbers in the vector of a word."""

AT_ONCE = 16
"""Questions in a step."""

DECAY = 0.9, 0.999
"""Of Adam's two means."""

SMALLEST = 1e-8
"""Added to the divisor of a step."""


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

    words: Numbers
    names: Numbers
    pairs: Numbers
    places: Numbers
    bias: Numbers
    out: Numbers


class Example(NamedTuple):
    """A question with its triples.

    Attributes:
        words: The bag of its words, shape (`BUCKETS`,).
        near: How near it is to the name of each relation of the graph, shape (relations,).
        triples: The triples.
        labels: Whether each is to be retrieved.
        id: Its id.
        wanted: How many triples of the graph are to be retrieved, candidates or not.
    """

    words: Numbers
    near: Numbers
    triples: SeenTriples
    labels: npt.NDArray[np.bool_]
    id: str = ""
    wanted: int = 0

    @property
    def digest(self) -> str:
        """SHA-256 of all that is learned from it."""
        seen = self.triples
        arrays = self.words, self.near, seen.rows, seen.distances, self.labels
        return hashlib.sha256(
            self.id.encode() + b"".join(map(np.ndarray.tobytes, arrays))
        ).hexdigest()

    def sampled(self, negatives: int, seed: int) -> "Example":
        """With so many triples without a label at most, drawn."""
        others = np.flatnonzero(~self.labels)
        drawn = stream(seed, "negatives", self.id).permutation(len(others))[:negatives]
        places = np.sort(np.concatenate((np.flatnonzero(self.labels), others[drawn])))
        return self._replace(triples=self.triples.some(places), labels=self.labels[places])


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

    def drawn(rows: int, columns: int, bound: float) -> Numbers:
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


def _forward(
    weights: Weights, names: Numbers, examples: Sequence[Example]
) -> tuple[Numbers, Callable[[Numbers], Weights]]:
    """The scores of triples, and the way back: from a slope by these to the slope by the weights.

    A pair is a question and a relation that one of its triples has.
    """
    question = np.repeat(np.arange(len(examples)), [len(one.labels) for one in examples])
    relation = np.concatenate([one.triples.relations for one in examples])
    first_rows = first_of_groups(question, relation)
    of_question, of_relation = question[first_rows], relation[first_rows]
    words = np.stack([one.words for one in examples])
    q, r = words @ weights.words, names @ weights.names
    near = np.stack([one.near for one in examples])[of_question, of_relation, None]
    mine, its = q[of_question], r[of_relation]
    inputs = np.hstack((mine, its, mine * its, near.astype(q.dtype)))
    features = np.concatenate([one.triples.features for one in examples]).astype(q.dtype)
    hidden = features @ weights.places
    lengths = np.diff(np.append(first_rows, len(features)))
    hidden += np.repeat(inputs @ weights.pairs + weights.bias, lengths, axis=0)
    np.maximum(hidden, 0, out=hidden)

    def back(slope: Numbers) -> Weights:
        by_hidden = slope[:, None] * weights.out * (hidden > 0)
        of_pairs = np.add.reduceat(by_hidden, first_rows, axis=0)
        by_q, by_r, by_product = np.hsplit((of_pairs @ weights.pairs.T)[:, :-1], 3)
        relations = np.zeros_like(r)
        np.add.at(relations, of_relation, by_r + by_product * mine)
        questions = np.add.reduceat(by_q + by_product * its, first_of_groups(of_question), axis=0)
        return Weights(
            words.T @ questions,
            names.T @ relations,
            inputs.T @ of_pairs,
            features.T @ by_hidden,
            of_pairs.sum(axis=0),
            hidden.T @ slope,
        )

    return hidden @ weights.out, back


def scores(weights: Weights, names: Numbers, example: Example) -> Numbers:
    """The score of each triple of a question.

    Args:
        weights: The network.
        names: The bags of words of the relations of the graph, shape (relations, `BUCKETS`).
        example: The question, with at least one triple.
    """
    return _forward(weights, names, [example])[0]


def loss_and_gradients(
    weights: Weights, names: Numbers, examples: Sequence[Example]
) -> tuple[float, Weights]:
    """The mean loss of questions, and its derivatives by the weights.

    The loss of a question is the mean of −log p over its labeled triples, p the softmax over its triples.

    Args:
        weights: Float32 or float64; so are the gradients.
        names: See `scores`.
        examples: The questions, each with a labeled triple.
    """
    found, back = _forward(weights, names, examples)
    sizes = np.array([len(one.labels) for one in examples])
    first = sizes.cumsum() - sizes
    shifted = found - np.repeat(np.maximum.reduceat(found, first), sizes)
    grown = np.exp(shifted)
    totals = np.add.reduceat(grown, first)
    wanted = np.concatenate([one.labels / one.labels.sum() for one in examples])
    wanted = wanted.astype(found.dtype)
    loss = float((wanted * (np.repeat(np.log(totals), sizes) - shifted)).sum()) / len(examples)
    return loss, back((grown / np.repeat(totals, sizes) - wanted) / len(examples))


def fit(
    weights: Weights,
    names: Numbers,
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
    first, second = DECAY
    step = epoch = 0
    for epoch in range(1, epochs + 1):
        order = stream(seed, "trained retriever", "epoch", epoch).permutation(len(training))
        total = 0.0
        for start in range(0, len(order), AT_ONCE):
            some = [training[at] for at in order[start : start + AT_ONCE].tolist()]
            loss, gradients = loss_and_gradients(weights, names, some)
            total += loss * len(some)
            step += 1
            rate = learning_rate * float(np.sqrt(1 - second**step)) / (1 - first**step)
            for values, mean, square, gradient in zip(
                weights, means, squares, gradients, strict=True
            ):
                mean *= first
                mean += (1 - first) * gradient
                square *= second
                square += (1 - second) * gradient * gradient
                values -= (rate * mean / (np.sqrt(square) + SMALLEST)).astype(values.dtype)
        if validation:
            total = sum(loss_of(weights, names, one) for one in validation)
        if total < best.loss or not validation:
            best = Fitted(Weights(*(part.copy() for part in weights)), epoch, epoch, total)
        progress(epoch)
        if epoch - best.epoch >= patience:
            break
    return best._replace(epochs=epoch, loss=best.loss / len(validation or training))


def loss_of(weights: Weights, names: Numbers, example: Example) -> float:
    """The loss of a question, see `loss_and_gradients`."""
    found = scores(weights, names, example)
    shifted = found - found.max()
    return float(np.log(np.exp(shifted).sum()) - shifted[example.labels].mean())


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


class Sight:
    """How the graph and questions look in any naming.

    Args:
        given: The graph, and the private order of its entities.
        hops: Candidates are the triples within so many hops of the topics …
        most: … if they are at most so many, see `question_graphs`.
        rounds: How far distances are counted.

    Attributes:
        names: The bags of words of its relations, shape (relations, `BUCKETS`).
    """

    def __init__(self, given: Context, hops: int, most: int, rounds: int) -> None:
        self._kg, self._rows = given.private
        self._ids = dict(zip(given.places, self._kg.entities, strict=True))
        self._nearness = Nearness(self._kg.relations)
        bags = [bag([f"={name}", *words_of(name, ())]) for name in self._kg.relations]
        self.names: Floats = np.array(bags, np.float32)
        self._hops, self._most, self._rounds = hops, most, rounds

    def see(
        self, questions: Sequence[OpenQuestion], labels: Mapping[str, Ints]
    ) -> Iterator[Example]:
        """What the network sees of questions.

        Args:
            questions: The questions.
            labels: Id of a question → rows of the graph that was given, of the triples to be retrieved.
        """
        topics = {q.id: [self._ids.get(name, "") for name in q.anchors] for q in questions}
        graphs = question_graphs(self._kg, topics, hops=self._hops, max_triples=self._most)
        for q, graph in zip(questions, graphs, strict=True):
            seen = candidates_of(self._kg, graph.rows, topics[q.id], self._rounds)
            terms = words_of(q.question, q.anchors)
            near = self._nearness.to(" ".join(term for term in terms if " " not in term))
            wanted = labels.get(q.id, np.empty(0, np.int64))
            marked = np.isin(self._rows[seen.rows], wanted)
            yield Example(bag(terms), near.astype(np.float32), seen, marked, q.id, len(wanted))


@dataclass(frozen=True)
class TrainedRetriever(Section):
    """Triples near the topics, the best first by a network trained on the training questions.

    Attributes:
        labels: What it is taught to find: `shortest`, the triples on shortest paths from topics to answers,
            or `evidence`.
        targets: Whose: `asked`, of the answer that a question asks for, or `all`.
        k: Triples retrieved at most.
        hops: Candidates are the triples within so many hops of the topics …
        candidates: … if they are at most so many, else those that a walk from the topics passes most often.
        rounds: How far distances from the topics are counted.
        questions: Training questions at most; a fifth as many validation questions.
        negatives: Candidates without a label that a training question is learned with.
        hidden: Units of the hidden layer.
        epochs: Passes over the training questions at most.
        patience: Epochs without progress on the validation questions after which training ends.
        learning_rate: How far a step goes.
        seed: For all that is drawn in training.
        read: Whether a model is shown the triples and answers.
        max_characters: Characters of the triples that a model is shown at most.
        max_tokens: Tokens of its answer at most.
    """

    labels: str = option("evidence", choices=LABELS)
    targets: str = option("all", choices=tuple(TARGETS))
    k: int = option(100, least=1)
    hops: int = option(2, least=1, most=9)
    candidates: int = option(2000, least=1)
    rounds: int = option(3, least=1, most=9)
    questions: int = option(2000, least=1)
    negatives: int = option(300, least=1)
    hidden: int = option(64, least=1, most=10_000)
    epochs: int = option(40, least=1)
    patience: int = option(5, least=1)
    learning_rate: float = option(0.003, above=0)
    seed: int = option(0, least=0)
    read: bool = False
    max_characters: int = option(12_000, least=1)
    max_tokens: int = option(256, least=1)

    needs: ClassVar = ("train",)
    typical: ClassVar = Typical(1, 1, 21)

    @property
    def uses_model(self) -> bool:
        """Whether a model answers."""
        return self.read

    @property
    def spreads(self) -> bool:
        """Whether a run may be done in another process."""
        return not self.read

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The best triples for each question and their ends, or what a model says to them.

        Raises:
            ConfigError: Training diverges.
            InputError: The file of weights in the folder is damaged.
        """
        parts, found = given.parts(questions), [Answered(())] * len(questions)
        steps = self.epochs + 1  # of a part: it is answered as fast as learned, about

        def progress(part: int, step: int) -> None:
            if given.progress:
                given.progress(part * steps + step, len(parts) * steps)

        sight = Sight(given, self.hops, self.candidates, self.rounds)
        with one_blas_thread():
            for at, part in enumerate(parts):
                weights = self._trained(given, sight, part, partial(progress, at))
                asked = [questions[number] for number in part.numbers]
                seen = sight.see(asked, {})
                for number, q, example in zip(part.numbers, asked, seen, strict=True):
                    found[number] = self._best(given, sight, weights, q, example)
                progress(at, steps)
        if not self.read:
            return found
        every = {q.id: one.retrieved or () for q, one in zip(questions, found, strict=True)}
        shown = fitting(given, every, self.max_characters)
        return answer_from(given, questions, shown, self.max_tokens)

    def _best(
        self,
        given: Context,
        sight: Sight,
        weights: Weights | None,
        question: OpenQuestion,
        example: Example,
    ) -> Answered:
        """The best triples for a question, and their ends but the topics."""
        if weights is None or not len(example.labels):
            return Answered((), retrieved=())
        score = scores(weights, sight.names, example)
        best = np.argsort(-score, kind="stable")[: self.k]
        triples = given.kg.labeled(given.private.rows[example.triples.rows[best]])
        objects_first = farther_end(example.triples)[best].tolist()
        ranked: dict[str, float] = {}
        for (s, _, o), value, first in zip(
            triples, score[best].tolist(), objects_first, strict=True
        ):
            for end in (o, s) if first else (s, o):
                if end not in question.anchors:
                    ranked.setdefault(end, float(f"{value:.6g}"))
        return Answered(list(ranked), ranking=list(ranked.items()), retrieved=triples)

    def _trained(
        self, given: Context, sight: Sight, part: Part, progress: Callable[[int], None]
    ) -> Weights | None:
        """The weights, from the folder if they are there; None if there is nothing to learn from."""
        training, validation = (
            list(
                sight.see(
                    [OpenQuestion(q.id, q.question, q.anchors) for q in some if q.id in rows], rows
                )
            )
            for some in self._taught(part.train)
            for rows in [labels_of(given, some, self.labels, self.targets)]
        )
        usable = [one for one in training if one.labels.any()]
        if not usable:
            given.note("trained-retriever: no training question has evidence near its topics.")
            return None
        # What is retrieved, and who reads it, comes after training.
        learned = replace(self, k=1, read=False, max_characters=1, max_tokens=1)
        examples = [[one.digest for one in some] for some in (training, validation)]
        return kept(
            given.folder,
            "trained-retriever-{}.npz",
            (given.private.kg.digest, learned, given.seed, examples),
            lambda: self._fitted(given, sight, training, validation, progress),
            write_numbers,
            lambda path: Weights(*read_numbers(path)),
        )

    def _fitted(
        self,
        given: Context,
        sight: Sight,
        training: Sequence[Example],
        validation: Sequence[Example],
        progress: Callable[[int], None],
    ) -> Weights:
        seed = stream(given.seed, "trained retriever", "seed", self.seed).below(2**53 - 1)
        usable, held = (
            [one for one in some if one.labels.any()] for some in (training, validation)
        )
        first = begin(
            SIZE, self.hidden, 2 * WAYS * (self.rounds + 2), stream(seed, "first weights")
        )
        with np.errstate(over="ignore", invalid="ignore"):
            fitted = fit(
                first,
                sight.names,
                [one.sampled(self.negatives, seed) for one in usable],
                held,
                epochs=self.epochs,
                patience=self.patience,
                learning_rate=self.learning_rate,
                seed=seed,
                progress=progress,
            )
        if not fitted.epoch or not all(np.isfinite(some).all() for some in fitted.weights):
            raise ConfigError(
                f"trained-retriever: numbers grew out of bounds; learning_rate is {self.learning_rate:g}. "
                "Try 0.003."
            )
        near = sum(int(one.labels.sum()) for one in training)
        given.note(
            f"trained-retriever, labels {self.labels}, seed {self.seed}: trained on {len(usable):,} of "
            f"{len(training):,} questions, {near:,} of whose {sum(one.wanted for one in training):,} labeled "
            f"triples are candidates; validated on {len(held):,}; epoch {fitted.epoch} of {fitted.epochs} is "
            f"best (loss {fitted.loss:.3f})."
        )
        return fitted.weights

    def _taught(self, known: Sequence[Question]) -> tuple[list[Question], list[Question]]:
        """Training and validation questions, by id."""
        splits = [[q for q in known if q.split == name] for name in ("train", "validation")]
        if not all(splits):
            order = stream(0, "trained retriever", "held out").permutation(len(known)).tolist()
            held = len(known) // HELD_OUT
            splits = [[known[at] for at in some] for some in (order[held:], order[:held])]
        found = []
        for some, most in zip(splits, (self.questions, max(1, self.questions // 5)), strict=True):
            some = sorted(some, key=lambda q: q.id)
            drawn = stream(self.seed, "trained retriever", "questions").permutation(len(some))
            found.append([some[at] for at in np.sort(drawn[:most]).tolist()])
        return found[0], found[1]
