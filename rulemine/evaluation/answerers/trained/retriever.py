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
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.config import Section, option
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.answerers.model_free.blas_threads import one_blas_thread
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Part, Typical
from rulemine.evaluation.answerers.retrieval import Nearness, answer_from
from rulemine.evaluation.answerers.retrieval import fit as fit_characters
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
from rulemine.files import read_bytes, write_bytes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.question_graphs import by_private_id, question_graphs
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
    """

    words: Numbers
    near: Numbers
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


class _Pass(NamedTuple):
    """What the way forward leaves for the way back; a pair is a question and a relation that it has."""

    questions: Numbers
    relations: Numbers
    of_question: Ints
    of_relation: Ints
    first_pairs: Ints
    first_rows: Ints
    rows_of_pairs: Ints
    inputs: Numbers
    features: Numbers
    hidden: Numbers
    scores: Numbers


def _forward(weights: Weights, names: Numbers, examples: Sequence[Example]) -> _Pass:
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


def scores(weights: Weights, names: Numbers, example: Example) -> Numbers:
    """The score of each triple of a question.

    Args:
        weights: The network.
        names: The bags of words of the relations of the graph, shape (relations, `BUCKETS`).
        example: The question, with at least one triple.
    """
    return _forward(weights, names, [example]).scores


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
    found = _forward(weights, names, examples)
    sizes = np.diff(np.append(found.first_rows, len(found.scores)))

    def spread(values: Numbers) -> Numbers:
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


def loss_of(weights: Weights, names: Numbers, example: Example) -> float:
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
        hops: Candidates are the triples within so many hops of the topics …
        most: … if they are at most so many, see `question_graphs`.
        rounds: How far distances are counted.

    Attributes:
        kg: The graph, its entities named by private order.
        rows: The row in the graph given of each of its triples.
        places: The other way round.
        names: The bags of words of its relations, shape (relations, buckets).
    """

    def __init__(self, given: Context, hops: int, most: int, rounds: int) -> None:
        digits = len(str(len(given.places)))
        self._ids = {name: str(at).zfill(digits) for name, at in given.places.items()}
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
    def spreads(self) -> str:
        """What of it may be done in other processes: a whole run, unless a model is asked."""
        return "" if self.read else "run"

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The best triples for each question and their ends, or what a model says to them.

        Raises:
            ConfigError: Training diverges.
            InputError: The file of weights in the folder is damaged.
        """
        parts = given.parts(questions)
        steps = 2 + self.epochs  # of a training: two to see the questions of either split
        # A step is as long as a tenth of the training questions takes to be answered, about.
        length = max(1, self.questions // 10)
        total = len(parts) * steps * length + len(questions)
        done = 0

        def progress(step: int) -> None:
            if given.progress:
                given.progress(done + step * length, total)

        sight = Sight(given, self.hops, self.candidates, self.rounds)
        found: list[Answered] = [Answered(())] * len(questions)
        with one_blas_thread():
            for part in parts:
                weights = self._trained(given, sight, part, progress)
                done += steps * length
                asked = [questions[number] for number in part.numbers]
                for number, seen in zip(part.numbers, sight.see(asked), strict=True):
                    found[number] = self._best(given.kg, sight, weights, questions[number], seen)
                    done += 1
                    progress(0)
        if not self.read:
            return found
        shown, cut = {}, 0
        for q, one in zip(questions, found, strict=True):
            every = list(one.retrieved or ())
            shown[q.id] = fit_characters(every, self.max_characters)
            cut += len(shown[q.id]) < len(every)
        if cut:
            given.note(
                f"trained-retriever: the triples of {cut} of {len(questions)} questions have more than "
                f"max_characters={self.max_characters}; the best are shown."
            )
        return answer_from(given, questions, shown, self.max_tokens)

    def _best(
        self,
        kg: KnowledgeGraph,
        sight: Sight,
        weights: Weights | None,
        question: OpenQuestion,
        seen: SeenTriples,
    ) -> Answered:
        if weights is None or not len(seen.rows):
            return Answered((), retrieved=())
        example = sight.example(question.question, question.anchors, seen)
        score = scores(weights, sight.names, example)
        best = np.argsort(-score, kind="stable")[: self.k]
        triples = kg.labeled(sight.rows[seen.rows[best]])
        objects_first = farther_end(seen)[best].tolist()
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
        training, validation = self._taught(part.train)
        taught = [
            list(self._labeled(given, sight, some, progress, at))
            for at, some in enumerate((training, validation))
        ]
        usable = [[one for one in some if one.labels.any()] for some in taught]
        if not usable[0]:
            given.note("trained-retriever: no training question has evidence near its topics.")
            return None
        key = self._key(given, sight, taught)
        path = given.folder / f"trained-retriever-{key}.npz" if given.folder else None
        if path and path.exists():
            return _read(path)
        seed = stream(given.seed, "trained retriever", "seed", self.seed).below(2**53 - 1)
        examples = [
            [sight.example(one.text, one.anchors, one.seen, one.labels) for one in some]
            for some in (
                [one.sampled(self.negatives, seed) for one in usable[0]],
                usable[1],
            )
        ]
        first = begin(
            SIZE, self.hidden, 2 * WAYS * (self.rounds + 2), stream(seed, "first weights")
        )
        with np.errstate(over="ignore", invalid="ignore"):
            fitted = fit(
                first,
                sight.names,
                *examples,
                epochs=self.epochs,
                patience=self.patience,
                learning_rate=self.learning_rate,
                seed=seed,
                progress=lambda epoch: progress(2 + epoch),
            )
        if not fitted.epoch or not all(np.isfinite(some).all() for some in fitted.weights):
            raise ConfigError(
                f"trained-retriever: numbers grew out of bounds; learning_rate is {self.learning_rate:g}. "
                "Try 0.003."
            )
        labeled = [sum(int(one.wanted) for one in some) for some in taught]
        near = [sum(int(one.labels.sum()) for one in some) for some in taught]
        given.note(
            f"trained-retriever, labels {self.labels}, seed {self.seed}: trained on {len(usable[0]):,} of "
            f"{len(training):,} questions, {near[0]:,} of whose {labeled[0]:,} labeled triples are "
            f"candidates; validated on {len(usable[1]):,}; epoch {fitted.epoch} of {fitted.epochs} is best "
            f"(loss {fitted.loss:.3f})."
        )
        if path:
            _write(path, fitted.weights)
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

    def _labeled(
        self,
        given: Context,
        sight: Sight,
        questions: Sequence[Question],
        progress: Callable[[int], None],
        done: int,
    ) -> Iterator[Taught]:
        """What is seen of questions, with its labels; those without evidence are left out."""
        progress(done)
        rows = labels_of(given, questions, self.labels, self.targets)
        kept = [q for q in questions if q.id in rows]
        asked = [OpenQuestion(q.id, q.question, q.anchors) for q in kept]
        for q, seen in zip(kept, sight.see(asked), strict=True):
            wanted = sight.places[rows[q.id]]
            yield Taught(q.id, q.question, q.anchors, seen, np.isin(seen.rows, wanted), len(wanted))

    def _key(self, given: Context, sight: Sight, taught: Sequence[Sequence[Taught]]) -> str:
        """The digest of what training depends on."""
        # What is retrieved, and who reads it, comes after training.
        learned = replace(self, k=1, read=False, max_characters=1, max_tokens=1)
        digest = hashlib.sha256(repr((sight.kg.digest, learned, given.seed)).encode())
        for some in taught:
            for one in some:
                digest.update(repr((one.id, words_of(one.text, one.anchors))).encode())
                digest.update(one.seen.rows.tobytes() + one.seen.distances.tobytes())
                digest.update(one.labels.tobytes())
            digest.update(b"|")
        return digest.hexdigest()[:16]


def _read(path: Path) -> Weights:
    """What `_write` wrote.

    Raises:
        InputError: It did not write this.
    """
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as file:
            return Weights(*(file[name] for name in Weights._fields))
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as problem:
        raise InputError(
            f"{path}: is not a complete file of weights ({problem}). Delete it and run again."
        ) from None


def _write(path: Path, weights: Weights) -> None:
    content = io.BytesIO()
    np.savez(content, **weights._asdict())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content.getvalue())
