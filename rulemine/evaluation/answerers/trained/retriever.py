"""``trained-retriever``: triples near the topics, scored by a network that learned from training questions.

The idea is SubgraphRAG's (Li, Miao and Li, ICLR 2025): each triple is scored on its own, by the words of the
question and of its relation and by how far its ends are from the topic entities along and against triples.
Labels are either the triples on shortest paths, or the evidence, of the training questions, both as
`rulemine.evaluation.supervision.supervision.labelings` has them.

Guarantees: nothing of a question that is asked is learned from; the same in every naming; the same seed gives
the same bytes on one machine, for any number of threads; a graph is learned once for a work folder.
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from rulemine.config import Section, option
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.answerers.model_free.blas_threads import one_blas_thread
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Part, Typical
from rulemine.evaluation.answerers.retrieval import answer_from
from rulemine.evaluation.answerers.retrieval import fit as fit_characters
from rulemine.evaluation.answerers.trained.candidates import (
    WAYS,
    SeenTriples,
    farther_end,
    words_of,
)
from rulemine.evaluation.answerers.trained.scorer import Weights, begin, fit, scores
from rulemine.evaluation.answerers.trained.sight import LABELS, Sight, Taught, labels_of
from rulemine.evaluation.supervision.supervision import TARGETS
from rulemine.files import read_bytes, write_bytes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.records import Question
from rulemine.seeds import stream

__all__ = ["TrainedRetriever"]

SIZE = 32
"""Numbers in the vector of a word."""

HELD_OUT = 10
"""Of so many known questions one is for validation, where there are no validation questions, or only such."""


@dataclass(frozen=True)
class TrainedRetriever(Section):
    """Triples near the topics, the best first by a network trained on the training questions.

    Attributes:
        labels: What it is taught to find: `shortest`, the triples on shortest paths from topics to answers,
            or `evidence`.
        targets: Whose: `asked`, of the answer that a question asks for, or `all`.
        k: Triples retrieved at most.
        hops: SeenTriples are the triples within so many hops of the topics …
        candidates: … if they are at most so many, else those that a walk from the topics passes most often.
        rounds: How far distances from the topics are counted.
        questions: Training questions at most; a fifth as many validation questions.
        negatives: SeenTriples without a label that a training question is learned with.
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
