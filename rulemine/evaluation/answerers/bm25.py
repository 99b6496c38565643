"""Texts nearest to a query by their words (BM25), for retrieval and for agents that cut long lists.

Words are those of `rulemine.evaluation.matching.vocabulary`, whatever their case; ``_``, ``.`` and ``/``,
which relation names are made of, part them as blanks do. Parameters as in most of the literature: k1 = 1.2,
b = 0.75 (Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009, section 3).

Guarantee: the order depends on the texts and the query alone; texts that score the same stay in their order.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rulemine.errors import ConfigError
from rulemine.evaluation.matching.vocabulary import tokens

__all__ = ["TextIndex", "nearest", "words"]

K1 = 1.2
B = 0.75


def words(text: str) -> list[str]:
    """The words of a text in their order, in lower case.

    Example:
        >>> words("e00039 /people/person/place_of_birth Bern")
        ['e00039', 'people', 'person', 'place', 'of', 'birth', 'bern']
    """
    return [token for token in tokens(text.casefold().replace("_", " ")) if token[0].isalnum()]


class TextIndex:
    """Texts that are searched again and again.

    Args:
        texts: The texts, any number.

    Raises:
        ConfigError: The package ``bm25s`` is not installed.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError:
            raise ConfigError(
                "ranking texts by their words needs the package bm25s. Install it: "
                "pip install 'rulemine[llm]'."
            ) from None
        corpus = [words(text) for text in texts]
        self._size = len(corpus)
        self._bm25 = None
        if any(corpus):  # it cannot index no words at all
            self._bm25 = bm25s.BM25(k1=K1, b=B, backend="numpy")
            self._bm25.index(corpus, show_progress=False)

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """The score of each text, shape (texts,); 0 where it shares no word with the query."""
        asked = words(query)
        if self._bm25 is None or not asked:
            return np.zeros(self._size, np.float32)
        return np.asarray(self._bm25.get_scores(asked), np.float32)

    def nearest(self, query: str, k: int) -> list[int]:
        """The positions of the `k` texts with the highest scores above 0, the highest first."""
        scores = self.scores(query)
        order = np.argsort(-scores, kind="stable")[:k]
        return [int(at) for at in order if scores[at] > 0]


def nearest(texts: Sequence[str], query: str, k: int) -> list[int]:
    """The positions of the `k` texts that are nearest to a query, the nearest first.

    Unlike `TextIndex.nearest`, it fills up with texts that share no word with the query, in their order: for
    cutting a list to a length. A list that is short enough stays as it is.

    Example:
        >>> nearest(["Ann mother_of Bob", "Bob likes tea", "Eve likes Bob"], "who is a mother?", 2)
        [0, 1]
    """
    if len(texts) <= k:
        return list(range(len(texts)))
    order = np.argsort(-TextIndex(texts).scores(query), kind="stable")
    return [int(at) for at in order[:k]]
