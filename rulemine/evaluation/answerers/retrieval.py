"""Retrieval and a model: triples are looked up first, and the final step is shown them.

``k-hop``        the triples around the topic entities, the nearest first
``bm25``         the triples whose words are nearest to those of the question: each triple of the graph is a
                 document ``subject relation object`` (Robertson and Zaragoza, Foundations and Trends in IR
                 2009)
``dense``        the triples nearest to the question by the cosine of embeddings (Karpukhin et al., EMNLP
                 2020)
``ppr``          the triples that carry most of a walk from the topic entities, led by the words of the
                 question: a personalized PageRank (Haveliwala, WWW 2002)
``g-retriever``  a small connected part of the graph that holds what is near to the question (after He et al.,
                 NeurIPS 2024)

Guarantees: what counts as retrieved is what the model is shown, in that order; which triples these are does
not depend on the naming, except where their words are what is looked for; equals are in the order of private
ids; the same for any number of threads.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.errors import ConfigError, EndpointError
from rulemine.evaluation.answerers.bm25 import TextIndex, words
from rulemine.evaluation.answerers.final_answer import final_answer, lines_of
from rulemine.evaluation.answerers.protocol import Answered, Chat, Context, OpenQuestion, Typical
from rulemine.evaluation.embedding import embed
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Incidence
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from rulemine.seeds import stream
from rulemine.text.mentions import cut, find_mentions_of_all

__all__ = [
    "ConnectedSubgraph",
    "Dense",
    "KHop",
    "NearestTriples",
    "Nearness",
    "PersonalizedPageRank",
    "Prize",
    "Retriever",
    "answer_from",
    "ease_of",
    "fit",
    "fitting",
    "flow",
    "grow",
    "in_private_order",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

AT_ONCE = 4096
"""Triples whose embeddings are in memory."""

_PARTED = str.maketrans("_./", "   ")


@dataclass(frozen=True)
class Retriever(Section):
    """A model that is shown the triples that `find` finds; each retriever has its own.

    Attributes:
        max_tokens: Tokens of an answer at most.
    """

    max_tokens: int = option(256, least=1)

    uses_model: ClassVar[bool] = True
    typical: ClassVar = Typical(1, 1, 21)

    def find(self, given: Context, questions: Sequence[OpenQuestion]) -> Iterator[Ints]:
        """Finds triples for each question.

        Args:
            given: The graph, and what else an answerer is given.
            questions: The questions.

        Yields:
            For each question rows of `Context.private`, the best first.
        """
        raise NotImplementedError

    def retrieve(
        self, given: Context, questions: Sequence[OpenQuestion]
    ) -> dict[str, list[Triple]]:
        """Id of each question → the triples that the model is shown, the best first."""
        found: dict[str, list[Triple]] = {}
        for q, rows in zip(questions, self.find(given, questions), strict=True):
            if given.progress:
                given.progress(len(found), len(questions))
            found[q.id] = given.kg.labeled(given.private.rows[rows])
        return fitting(given, found, getattr(self, "max_characters", sys.maxsize))

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """What the model says to each question and the triples retrieved for it."""
        return answer_from(given, questions, self.retrieve(given, questions), self.max_tokens)

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, whatever the number of its topic entities."""
        return 1


@dataclass(frozen=True)
class KHop(Retriever):
    """A model that is shown the triples around the topic entities, the nearest first.

    Where more triples are as near as each other than there is room for, a seeded sample of them is shown.

    Attributes:
        hops: A triple is shown when one of its ends is fewer edges than this away from a topic entity.
        max_triples: Triples shown at most.
        max_characters: Characters of the triples shown at most: what the model's context has room for.
    """

    hops: int = option(1, least=1, most=9)
    max_triples: int = option(100, least=1)
    max_characters: int = option(12_000, least=1)

    def find(self, given: Context, questions: Sequence[OpenQuestion]) -> Iterator[Ints]:
        """The triples by distance from the topic entities."""
        around = Incidence(given.private.kg)
        more = 0
        for q in questions:
            reached = edge = np.array(given.placed(q.anchors), np.int64)
            seen = kept = np.empty(0, np.int64)
            draw = stream(given.seed, "k-hop", q.id)
            for _ in range(self.hops):
                layer = np.setdiff1d(around.rows[around.at(edge)], seen)
                drawn = draw.permutation(len(layer))[: self.max_triples - len(kept)]
                kept = np.concatenate((kept, layer[np.sort(drawn)]))
                edge = np.setdiff1d(around.others[around.at(edge)], reached)
                seen, reached = np.union1d(seen, layer), np.union1d(reached, edge)
            more += len(kept) < len(seen)
            yield kept
        if more:
            given.note(
                f"{more} of {len(questions)} questions have more triples around than "
                f"max_triples={self.max_triples}; the nearest are shown."
            )


@dataclass(frozen=True)
class NearestTriples(Retriever):
    """A model that is shown the triples whose words are nearest to those of the question (``bm25``).

    Attributes:
        k: Triples shown at most; only such as share a word with the question are.
    """

    k: int = option(10, least=1)

    def find(self, given: Context, questions: Sequence[OpenQuestion]) -> Iterator[Ints]:
        """The triples with the highest scores."""
        index = _index_of_triples(given)
        for q in questions:
            yield np.array(index.nearest(q.question, self.k), np.int64)


@dataclass(frozen=True)
class Dense(Retriever):
    """A model that is shown the triples nearest to the question in an embedding.

    Each triple of the graph is a text ``subject relation object``, with blanks for ``_``, ``.`` and ``/``.
    Texts and questions are embedded by an endpoint, and what it gave is kept.

    Attributes:
        k: Triples shown.
        model: The embedding model; empty: the model that is asked.
        url: Where it is, up to and with ``/v1``; empty: where the model that is asked is. If it needs a key,
            that is in the environment variable EMBEDDINGS_API_KEY.
        batch: Texts in a call.
        query_prefix: Put before each question, where the embedding model wants one.
        text_prefix: Put before each triple, in the same way.
    """

    k: int = option(10, least=1, most=1000)
    model: str = ""
    url: str = option("", secret=True)
    batch: int = option(64, least=1, most=2048)
    query_prefix: str = ""
    text_prefix: str = ""

    def find(self, given: Context, questions: Sequence[OpenQuestion]) -> Iterator[Ints]:
        """The triples by the cosine, those of a piece of the graph after the other: of equals the first stay.

        Raises:
            ConfigError: There is no folder to keep embeddings of another endpoint in.
            EndpointError: The endpoint gives none, or vectors of different lengths.
        """
        triples = given.kg.labeled(given.private.rows)
        texts = [self.text_prefix + " ".join(triple).translate(_PARTED) for triple in triples]
        with ExitStack() as opened:
            session = self._session(given, opened)
            asked = self._units(given, session, [self.query_prefix + q.question for q in questions])
            scores: npt.NDArray[Any] = np.empty((len(asked), 0))
            best: npt.NDArray[Any] = np.empty((len(asked), 0), np.int64)
            for start in range(0, len(texts) * bool(questions), AT_ONCE):
                piece = texts[start : start + AT_ONCE]
                vectors = self._units(given, session, piece, start, len(texts))
                if vectors.shape[1] != asked.shape[1]:
                    raise EndpointError("questions and triples have vectors of different lengths.")
                scores = np.hstack((scores, asked @ vectors.T))
                rows = np.arange(start, start + len(piece))
                best = np.hstack((best, np.tile(rows, (len(asked), 1))))
                order = np.argsort(-scores, axis=1, kind="stable")[:, : self.k]
                scores, best = (np.take_along_axis(some, order, 1) for some in (scores, best))
        yield from best

    def worst_calls(self, topics: int) -> int:
        """Calls for a question at most, those for the graph aside."""
        return 2

    def graph_calls(self, triples: int) -> int:
        """Calls before the first question: one for each batch of the triples of a graph."""
        return -(-triples // self.batch)

    def _session(self, given: Context, opened: ExitStack) -> Session:
        """Where embeddings are asked for."""
        if not self.url:
            return given.asked
        if given.folder is None:
            raise ConfigError("dense: url needs a folder in which replies are kept.")
        batch = given.asked.batch
        options = EndpointOptions(
            base_url=self.url,
            api_key_variable="EMBEDDINGS_API_KEY",
            batch=batch and str(Path(batch) / "embeddings"),
        )
        journal = given.folder / "embeddings.sqlite"
        return opened.enter_context(Session(options, journal, given.note))

    def _units(
        self, given: Context, session: Session, texts: Sequence[str], done: int = 0, of: int = 0
    ) -> Floats:
        """The embeddings of texts, shape (texts, dimensions); so many of all texts are done before.

        They have the length 2¹⁵ and are rounded: sums of products of whole numbers are exact below 2⁵³,
        whatever the order of the summands.
        """

        def progress(batches: int, _: int) -> None:
            if given.progress and of:
                given.progress(min(of, done + batches * self.batch), of)

        vectors = embed(
            session,
            self.model or given.model,
            texts,
            batch=self.batch,
            progress=progress,
            advice="Try a smaller batch (dense:batch=1) or another model.",
        )
        lengths = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
        units: Floats = np.rint(vectors / np.maximum(lengths, 1e-30) * 2.0**15)
        return units


# Chosen on the validation questions of FB15k-237, Family and the demo; see docs/answerers.md.
DAMPING = 0.8
"""How often the walker of ``ppr`` goes on; else it goes back to a topic entity."""

STEPS = 10
"""Of the walk; what is left of it then is DAMPING to this power."""

STRANGE = 0.1
"""Weight of a relation without a word like those of the question; one with the same words has 1 more."""

LETTERS = 3
"""Of the parts that words are compared by, so that `nationals` is near to `nationality`."""


@dataclass(frozen=True)
class PersonalizedPageRank(Retriever):
    """A model that is shown the triples that a walk from the topic entities follows most often.

    Attributes:
        max_triples: Triples shown at most.
        max_characters: Characters of the triples shown at most: what the model's context has room for.
    """

    max_triples: int = option(200, least=1)
    max_characters: int = option(24_000, least=1)

    def find(self, given: Context, questions: Sequence[OpenQuestion]) -> Iterator[Ints]:
        """The triples by how often the walk follows them, those that it never comes to left out.

        Names of topic entities are no words that lead it, so that it is the same in every naming.
        """
        kg = given.private.kg
        nearness, ease = Nearness(kg.relations), ease_of(kg)
        for q in questions:
            named = tuple(span for span, _ in find_mentions_of_all(q.question, q.anchors))
            weights = STRANGE + nearness.to(" ".join(cut(q.question, named)))
            often = flow(kg, ease, given.placed(q.anchors), weights)
            best = np.argsort(-often, kind="stable")[: self.max_triples]
            yield best[often[best] > 0]


def ease_of(kg: KnowledgeGraph) -> Floats:
    """How easily a walk follows each triple forward, then each backward, whatever its relation means.

    All triples of a relation at an entity have √(their number) of the walks that one alone would have, and
    entities with many triples are led to less often.
    """
    subject, relation, object_ = kg.triples.T.astype(np.int64)
    here, there = np.concatenate((subject, object_)), np.concatenate((object_, subject))
    ways = np.concatenate((relation, relation + len(kg.relations)))
    ways += here * (2 * len(kg.relations))
    _, way, triples = np.unique(ways, return_inverse=True, return_counts=True)
    degree = np.bincount(here, minlength=len(kg.entities))
    ease: Floats = 1 / (np.sqrt(triples[way]) * np.sqrt(np.sqrt(degree[there])))
    return ease


def flow(kg: KnowledgeGraph, ease: Floats, topics: Sequence[int], weights: Floats) -> Floats:
    """How often a walk follows each triple of a graph, in either direction.

    Nothing but + − · / √ is computed, so the same on every machine.

    Args:
        kg: The graph.
        ease: See `ease_of`.
        topics: The entities where it starts, and goes back to.
        weights: Of each relation, > 0; shape (relations,).

    Returns:
        Shape (triples,): 0 where it never comes in `STEPS`, and everywhere if there is no topic.
    """
    size = len(kg.entities)
    subject, relation, object_ = kg.triples.T
    here, there = np.concatenate((subject, object_)), np.concatenate((object_, subject))
    share = ease * np.tile(weights[relation], 2)
    share /= np.bincount(here, share, size)[here]
    start = np.zeros(size)
    start[topics] = 1
    often = start
    for _ in range(STEPS):
        often = (1 - DAMPING) * start + DAMPING * np.bincount(there, often[here] * share, size)
    followed: Floats = (often[here] * share).reshape(2, -1).sum(axis=0)
    return followed


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
        every = dict.fromkeys(part for some in parts for part in some)
        self._ids = {part: at for at, part in enumerate(every)}
        self._part = np.array([self._ids[part] for some in parts for part in some], np.int64)
        self._name = np.repeat(np.arange(len(names)), [len(some) for some in parts])
        self._rarity = 1 / np.bincount(self._part, minlength=len(every))
        self._lengths = np.sqrt(self._sums(np.ones(len(every)), len(names)))

    def to(self, text: str) -> Floats:
        """The nearness of each name to a text, from 0 to 1; shape (names,)."""
        asked = np.zeros(len(self._ids))
        asked[[self._ids[part] for part in _parts(text) if part in self._ids]] = 1
        both = self._lengths * np.sqrt((asked * self._rarity).sum())
        near: Floats = self._sums(asked, len(both)) / np.maximum(both, 1e-30)
        return near

    def _sums(self, of_parts: Floats, names: int) -> Floats:
        """The sum over the parts of each name."""
        return np.bincount(self._name, (of_parts * self._rarity)[self._part], names).astype(float)


def _parts(text: str) -> list[str]:
    """The parts of the words of a text, each once, in order.

    >>> _parts("mothers of")
    ['^mo', 'mot', 'oth', 'the', 'her', 'ers', 'rs$', '^of', 'of$']
    """
    marked = [f"^{word}$" for word in words(text)]
    found = (word[at : at + LETTERS] for word in marked for at in range(len(word) - LETTERS + 1))
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class ConnectedSubgraph(Retriever):
    """A model that is shown a connected part of the graph that holds what is near to the question.

    The nearest entities and triples get prizes, an edge has a price, and the connected subgraph with the most
    left over is shown. As in G-Retriever, the three nearest entities get 3, 2 and 1, the five nearest triples
    5 to 1, and an edge costs 0.5. Otherwise than there, nearness is that of words (BM25), the graph is the
    whole one, the tree is grown greedily in place of Goemans and Williamson's approximation, and no graph
    network is trained.

    Attributes:
        entities: How many entities get a prize: the nearest this number, the next one less, …
        triples: How many triples do.
        price: Of an edge.
    """

    entities: int = option(3, least=0, most=1000)
    triples: int = option(5, least=0, most=1000)
    price: float = option(0.5, above=0)

    def find(self, given: Context, questions: Sequence[OpenQuestion]) -> Iterator[Ints]:
        """The triples of the subgraph as it grows."""
        kg, around = given.private.kg, Incidence(given.private.kg)
        of_names, of_triples = TextIndex(list(given.places)), _index_of_triples(given)
        for q in questions:
            near = enumerate(of_triples.nearest(q.question, self.triples))
            named = enumerate(of_names.nearest(q.question, self.entities))
            prizes = [
                Prize(self.triples - i - self.price, tuple(kg.triples[at, ::2].tolist()), at)
                for i, at in near
            ]
            prizes += [Prize(float(self.entities - i), (entity,)) for i, entity in named]
            yield np.array(grow(kg, around, prizes, self.price), np.int64)


class Prize(NamedTuple):
    """What is worth reaching.

    Attributes:
        worth: The prize; of a triple, less its own price.
        entities: Where it is: an entity, or both ends of a triple.
        triple: The row of the triple; −1 for an entity.
    """

    worth: float
    entities: tuple[int, ...]
    triple: int = -1


def grow(kg: KnowledgeGraph, around: Incidence, prizes: Iterable[Prize], price: float) -> list[int]:
    """Grows a subgraph from the highest prize, again and again to the prize that leaves most over.

    Args:
        kg: The graph.
        around: The triples at its entities.
        prizes: What there is to reach; of equal ones the first counts as the higher.
        price: Of each edge on the way.

    Returns:
        The rows of its triples, in the order in which they were added.
    """
    left = sorted((p for p in prizes if p.worth > 0), key=lambda prize: -prize.worth)
    kept: dict[int, None] = {}
    tree: set[int] = set()
    while left:
        way = _ways(kg, around, tree, left, price) if tree else dict.fromkeys(left[0].entities, ())
        gains = [
            (prize.worth - price * len(path), path, prize)
            for prize in left
            if (path := min((way[e] for e in prize.entities if e in way), key=len, default=None))
            is not None
        ]
        gain, path, prize = max(gains, key=lambda found: found[0], default=(0.0, (), left[0]))
        if gain <= 0:
            break
        left.remove(prize)
        kept |= dict.fromkeys((*path, prize.triple) if prize.triple >= 0 else path)
        tree.update(prize.entities, kg.triples[list(path), ::2].ravel().tolist())
    return list(kept)


def _ways(
    kg: KnowledgeGraph, around: Incidence, tree: set[int], left: Sequence[Prize], price: float
) -> dict[int, tuple[int, ...]]:
    """Entity → the triples of a shortest way to it from the tree, for all that are not too far to pay."""
    way: dict[int, tuple[int, ...]] = dict.fromkeys(tree, ())
    wanted = {e for prize in left for e in prize.entities}
    edge = sorted(tree)
    for _ in range(int(left[0].worth / price)):
        if not edge or wanted <= way.keys():
            break
        rows = distinct(around.rows[around.at(np.array(edge))])
        here, edge = set(edge), []
        for row, (s, o) in zip(rows.tolist(), kg.triples[rows, ::2].tolist(), strict=True):
            for near, far in ((s, o), (o, s)):
                if near in here and far not in way:
                    way[far] = (*way[near], row)
                    edge.append(far)
    return way


def answer_from(
    given: Context,
    questions: Sequence[OpenQuestion],
    shown: Mapping[str, Sequence[Triple]],
    max_tokens: int,
) -> list[Answered]:
    """Asks the final step about each question.

    Args:
        given: With a session and a model.
        questions: The questions.
        shown: Id of a question → the triples that the model is shown, in that order.
        max_tokens: Tokens of an answer at most.
    """

    async def work(question: OpenQuestion, chat: Chat) -> Answered:
        triples = shown[question.id]
        text = await final_answer(chat, question.question, lines_of(triples), tokens=max_tokens)
        return Answered(text=text, retrieved=triples)

    return given.converse(work, questions)


def fitting(
    given: Context, found: Mapping[str, Sequence[Triple]], characters: int
) -> dict[str, list[Triple]]:
    """Those triples of each question that `fit`; a note says for how many questions these are not all."""
    shown = {key: fit(triples, characters) for key, triples in found.items()}
    if cut_short := sum(len(shown[key]) < len(found[key]) for key in found):
        given.note(
            f"The triples of {cut_short} of {len(found)} questions have more than "
            f"max_characters={characters}; the first are shown."
        )
    return shown


def fit(triples: Sequence[Triple], characters: int) -> list[Triple]:
    """The first triples whose lines have so many characters at most, line ends included.

    >>> fit([("a", "r", "b"), ("c", "r", "d")], 19)
    [('a', 'r', 'b')]
    """
    sizes = np.cumsum([len(line) + 1 for line in lines_of(triples)])
    return list(triples[: int(np.searchsorted(sizes, characters, side="right"))])


def in_private_order(kg: KnowledgeGraph, order: Mapping[str, int]) -> Ints:
    """The rows of a graph by private ids of subject, relation and object: the same in every naming."""
    place = np.array([order.get(name, at) for at, name in enumerate(kg.entities)], np.int64)
    subject, relation, object_ = kg.triples.T
    return np.lexsort((place[object_], relation, place[subject])) if len(kg) else np.empty(0, int)


def _index_of_triples(given: Context) -> TextIndex:
    """The triples by their words, in private order."""
    return TextIndex([" ".join(triple) for triple in given.kg.labeled(given.private.rows)])
