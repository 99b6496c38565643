"""``dense``: retrieval by meaning. The model is shown the triples nearest to the question in an embedding.

Each triple of the whole graph is a text ``subject relation object``, with blanks for ``_``, ``.`` and ``/``.
Texts and questions are embedded by an endpoint (``/v1/embeddings``, journaled and resumed as chat is) and
compared by the cosine (Karpukhin et al., EMNLP 2020).

Guarantee: the same vectors give the same triples for any number of threads: they are rounded so that sums of
products are exact whatever the order of the summands.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rulemine.config import Section, option
from rulemine.errors import ConfigError, EndpointError
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion, Typical
from rulemine.evaluation.answerers.retrieval import answer_from, in_private_order
from rulemine.evaluation.embedding import embed
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session

__all__ = ["Dense"]

Floats = npt.NDArray[np.float64]

AT_ONCE = 4096
"""Texts whose vectors are in memory."""

_PARTED = str.maketrans("_./", "   ")


@dataclass(frozen=True, slots=True)
class Dense(Section):
    """A model that is shown the triples nearest to the question in an embedding.

    Attributes:
        k: Triples shown.
        model: The embedding model; empty: the model that is asked.
        url: Where it is, up to and with ``/v1``; empty: where the model that is asked is. If it needs a key,
            that is in the environment variable EMBEDDINGS_API_KEY.
        batch: Texts in a call.
        query_prefix: Put before each question, where the embedding model wants one.
        text_prefix: Put before each triple, in the same way.
        max_tokens: Tokens of an answer at most.
    """

    k: int = option(10, least=1, most=1000)
    model: str = ""
    url: str = option("", secret=True)
    batch: int = option(64, least=1, most=2048)
    query_prefix: str = ""
    text_prefix: str = ""
    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 21)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and the triples nearest to it."""
        triples = given.kg.labeled(in_private_order(given.kg, given.order))
        texts = [self.text_prefix + " ".join(t).translate(_PARTED) for t in triples]
        with ExitStack() as opened:
            session = self._session(given, opened)
            asked = _units(
                self._vectors(given, session, [self.query_prefix + q.question for q in questions])
            )
            best = _Best(asked, self.k)
            for start in range(0, len(texts), AT_ONCE):
                some = self._vectors(
                    given, session, texts[start : start + AT_ONCE], start, len(texts)
                )
                best.add(_units(some), start)
        shown = {
            q.id: [triples[at] for at in places]
            for q, places in zip(questions, best.places(), strict=True)
        }
        return answer_from(given, questions, shown, self.max_tokens)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, those for the graph aside."""
        return 2

    def graph_calls(self, triples: int) -> int:
        """Calls before the first question: one for each batch of the triples of a graph."""
        return -(-triples // self.batch)

    def _session(self, given: Context, opened: ExitStack) -> Session:
        if not self.url:
            if given.session is None:
                raise ConfigError(
                    "this answerer asks a model: name one with --model (and --base-url)."
                )
            return given.session
        if given.folder is None:
            raise ConfigError("dense: url needs a folder in which replies are kept.")
        batch = given.session.batch if given.session is not None else ""
        options = EndpointOptions(
            base_url=self.url,
            api_key_variable="EMBEDDINGS_API_KEY",
            batch=batch and str(Path(batch) / "embeddings"),
        )
        journal = given.folder / "embeddings.sqlite"
        return opened.enter_context(Session(options, journal, given.note))

    def _vectors(
        self, given: Context, session: Session, texts: Sequence[str], done: int = 0, of: int = 0
    ) -> Floats:
        """The embeddings of texts, shape (texts, dimensions); so many of all texts are done before."""
        model = self.model or given.model

        def progress(batches: int, _: int) -> None:
            if given.progress and of:
                given.progress(min(of, done + batches * self.batch), of)

        return embed(
            session,
            model,
            texts,
            batch=self.batch,
            progress=progress,
            advice="Try a smaller batch (dense:batch=1) or another model.",
        )


def _units(vectors: Floats) -> Floats:
    """Vectors of length 2¹⁵, rounded: sums of products of whole numbers are exact below 2⁵³."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True)) if len(vectors) else vectors
    return np.rint(vectors / np.maximum(lengths, 1e-30) * 2.0**15)


class _Best:
    """The places with the highest scores for each question, found piece by piece."""

    def __init__(self, asked: Floats, k: int) -> None:
        self._asked, self._k = asked, k
        self._scores = np.empty((len(asked), 0))
        self._places = np.empty((len(asked), 0), np.int64)

    def add(self, vectors: Floats, start: int) -> None:
        """Looks at the vectors of texts from a place on, in order: of equals the first stay."""
        if not len(self._asked):
            return
        if vectors.shape[1] != self._asked.shape[1]:
            raise EndpointError("questions and triples have vectors of different lengths.")
        scores = np.hstack((self._scores, self._asked @ vectors.T))
        new = np.broadcast_to(np.arange(start, start + len(vectors)), (len(scores), len(vectors)))
        places = np.hstack((self._places, new))
        order = np.argsort(-scores, axis=1, kind="stable")[:, : self._k]
        self._scores = np.take_along_axis(scores, order, axis=1)
        self._places = np.take_along_axis(places, order, axis=1)

    def places(self) -> list[list[int]]:
        """The places for each question, the nearest first."""
        return self._places.tolist()
