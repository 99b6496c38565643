"""The answerer ``embeddings``: predicts missing links with vectors learned on the graph that it is given.

The vectors are those of `complex_vectors`; `fuzzy_answers` makes scores of answers from them. The score from
which on an entity is an answer is chosen on the validation questions.

Guarantees: the same in every naming; learning goes on where it was stopped, with the same result.
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from rulemine.config import Section, option
from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.answerers.model_free.blas_threads import one_blas_thread
from rulemine.evaluation.answerers.model_free.complex_vectors import (
    Links,
    State,
    Vectors,
    begin,
    learn,
    links_of,
)
from rulemine.evaluation.answerers.model_free.fuzzy_answers import FuzzyAnswers
from rulemine.evaluation.answerers.model_free.thresholds import (
    Trial,
    best_threshold,
    try_thresholds,
)
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.files import read_bytes, write_bytes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.parser import parse

__all__ = ["Embeddings"]

THRESHOLDS = 2.0 ** (-np.arange(0, 41) / 4)
"""From which truth on an entity may be an answer, 1 … 0.001."""

USUAL = 0.5
"""The threshold where there is no question to choose it on."""

MOST_RANKED = 100
"""Entities in a ranking."""


@dataclass(frozen=True)
class Embeddings(Section):
    """Predicts missing links with ComplEx, a knowledge-graph embedding that it learns on the graph given.

    Attributes:
        rank: Complex numbers in a vector.
        epochs: Passes over the graph.
        batch: Pairs of a subject and a relation that are learned in one step.
        learning_rate: How far a step goes.
        n3: Weight of the N3 norm, against overfitting.
        beam: From how many entities a question of several links goes on to the next.
    """

    needs: ClassVar = ("query", "train")
    spreads: ClassVar = "run"

    rank: int = option(200, least=1, most=10_000)
    epochs: int = option(6, least=1)
    batch: int = option(256, least=1)
    learning_rate: float = option(0.1, above=0)
    n3: float = option(0.2, least=0)
    beam: int = option(32, least=1)

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
        known = [q for q in given.train if q.split == "validation"] or given.train
        learning = self.epochs * len(links.subjects)  # as long as so many questions, about
        total = learning + len(known) + len(questions)

        def progress(done: int) -> None:
            if given.progress:
                given.progress(done, total)

        vectors = self._learned(given, kg, links, progress)
        fuzzy = FuzzyAnswers(vectors, links, names, kg.relation_ids, self.beam)
        tried: dict[str, Trial] = {}
        for number, q in enumerate(known, start=learning):
            progress(number)
            right = [fuzzy.ids[name] for name in q.answers if name in fuzzy.ids]
            truth = fuzzy.truth(parse(q.query))
            tried[q.id] = try_thresholds(truth, right, len(q.answers), THRESHOLDS)
        if not tried:
            given.note(f"No question to choose a threshold on; answers are scores ≥ {USUAL}.")
        found: list[Answered] = [Answered(())] * len(questions)
        done = learning + len(known)
        for part in given.parts(questions):
            of_part = [tried[q.id] for q in part.train if q.id in tried]
            threshold = best_threshold(of_part, THRESHOLDS, USUAL)
            for number in part.numbers:
                progress(done)
                done += 1
                truth = fuzzy.truth(parse(questions[number].query))
                best = np.argsort(-truth, kind="stable")[: np.count_nonzero(truth)]
                found[number] = Answered(
                    [names[i] for i in best[: np.count_nonzero(truth >= threshold)]],
                    ranking=[(names[i], float(f"{truth[i]:.6g}")) for i in best[:MOST_RANKED]],
                )
        return found

    def _learned(
        self, given: Context, kg: KnowledgeGraph, links: Links, progress: Callable[[int], None]
    ) -> Vectors:
        """The vectors, from the folder as far as they are there."""
        made_from = kg.digest, len(kg.entities), replace(self, beam=1), given.seed
        key = hashlib.sha256(repr(made_from).encode()).hexdigest()[:16]
        path = given.folder / f"embeddings-{key}.npz" if given.folder else None
        state = _read(path) if path and path.exists() else None
        state = state or begin(len(kg.entities), len(kg.relations), self.rank, given.seed)
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            while state.epoch < self.epochs:
                progress(state.epoch * len(links.subjects))
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
