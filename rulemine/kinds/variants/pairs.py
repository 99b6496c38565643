"""Question-answer pairs of a reply: read, and held against the subgraph that the writer saw.

The reply is that of P1 of Dynamic-KGQA (Dammu, Naidu and Shah 2025): an object with ``qa_pairs``, each with
``question``, ``answer`` and ``supporting_path``. Of a reply that breaks off, the pairs before that count.
`verified` is the paper's VerifyPath: every triple of the path is in the subgraph. What a query takes
beyond it (a tree that holds the answer, its other leaves the anchors) is `rulemine.query.evidence_tree`'s.

Guarantee: readers raise nothing, whatever a reply contains.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from rulemine.kg.graph import Triple
from rulemine.kinds.written.candidate import Refusal
from rulemine.text.json_reply import decode
from rulemine.text.normalization import fold_loosely
from rulemine.text.visible_reply import visible_reply

__all__ = ["MOST_PAIRS", "Pair", "PairReason", "Shown", "Verified", "pairs_of", "verified"]

MOST_PAIRS = 50
"""Pairs of a reply that are read."""

MOST_CHARACTERS = 2000
"""Of the question and of each name."""

_START = re.compile(r'"qa_pairs"\s*:\s*\[|\A\s*(?:```\w*\s*)?\[(?=\s*\{)')
_EMPTY = re.compile(
    r'"valid_qa_pairs"\s*:\s*(?:false|"(?:false|no)")|"qa_pairs"\s*:\s*\[\s*\]', re.I
)
_GAP = re.compile(r"[\s,]*")
_SIGNS = re.compile(r"[\W_]+")
_ENDS = ("subject", "predicate", "object")


class PairReason:
    """Why a reply gives no pairs, or a pair is no question; counted."""

    UNANSWERED = "the endpoint did not answer"
    UNREADABLE = "the reply has no pairs that can be read"
    NONE = "the writer found no pair"
    CUT_OFF = "the reply breaks off within a pair"
    FIELDS = "the pair lacks a field, or has one that is no text"
    OUTSIDE = "a triple of its path is not in the subgraph"
    ANSWER = "its answer is not an entity of its path"
    SINGLE = "its path is a single triple"
    TREE = "its path is no tree that holds the answer"
    MANY = "enough pairs of its seed text are accepted"
    ENOUGH = "enough questions are accepted"
    SAME = "its query is that of another question"


class Pair(NamedTuple):
    """A pair as it was written.

    Attributes:
        question: The question.
        answer: The name of the answer.
        path: The supporting path, in names.
    """

    question: str
    answer: str
    path: tuple[Triple, ...]


@dataclass(frozen=True)
class Shown:
    """The subgraph that a writer saw.

    Attributes:
        rows: Its rows of the graph's triples, in the order in which they were shown.
        triples: The same triples in the naming of the prompts.
    """

    rows: tuple[int, ...]
    triples: tuple[Triple, ...]

    def row(self, triple: Triple) -> int | None:
        """The row of a triple; None where it is not among them, or two would fit.

        Its relation may be in words: ``child of`` is ``child_of``.
        """
        found = _fitting(triple, self.triples)
        if not found:
            spoken = [(s, _spoken(r), o) for s, r, o in (triple, *self.triples)]
            found = _fitting(spoken[0], spoken[1:])
        return self.rows[found[0]] if len(found) == 1 else None


class Verified(NamedTuple):
    """A pair whose path is in the subgraph.

    Attributes:
        rows: The rows of its path, each once, in the order of the path.
        answer: Where the answer is: a row of the path, and whether it is its object.
    """

    rows: tuple[int, ...]
    answer: tuple[int, bool]


def pairs_of(text: str) -> Iterator[Pair | Refusal]:
    """Reads the pairs of a reply.

    Args:
        text: The reply.

    Yields:
        Each pair, or why it is none; one refusal where there are none at all. At most `MOST_PAIRS`.
    """
    words = visible_reply(text)
    found = list(islice(_items(words), MOST_PAIRS))
    if not found:
        yield Refusal(PairReason.NONE if _EMPTY.search(words) else PairReason.UNREADABLE)
    for item in found:
        yield item if isinstance(item, Refusal) else _pair(item)


def _items(words: str) -> Iterator[Any]:
    """The members of the list ``qa_pairs``, as far as they can be read."""
    start = _START.search(words)
    at = start.end() if start else len(words)
    while (at := _GAP.match(words, at).end()) < len(words):  # type: ignore[union-attr]
        if words[at] == "]":
            return
        try:
            item, at = decode(words, at)
        except ValueError:
            yield Refusal(PairReason.CUT_OFF)
            return
        yield item
    if start:
        yield Refusal(PairReason.CUT_OFF)


def _pair(item: Any) -> Pair | Refusal:
    """A pair; a triple may be an object with its three names, or a list of them."""
    if not isinstance(item, dict):
        return Refusal(PairReason.FIELDS)
    said: dict[str, Any] = {key: item.get(key) for key in ("question", "answer")}
    path = item.get("supporting_path")
    rows = [_names(row) for row in path] if isinstance(path, list) else []
    if not rows or not all(
        map(_is_text, [*said.values(), *(name for row in rows for name in row)])
    ):
        text = said["question"] if isinstance(said["question"], str) else ""
        return Refusal(PairReason.FIELDS, text=" ".join(text.split())[:MOST_CHARACTERS])
    return Pair(
        " ".join(said["question"].split()), said["answer"], tuple((s, r, o) for s, r, o in rows)
    )


def _names(row: Any) -> list[Any]:
    """The three names of a triple, None where one is missing."""
    names = [row.get(end) for end in _ENDS] if isinstance(row, Mapping) else row
    return names if isinstance(names, list) and len(names) == len(_ENDS) else [None] * len(_ENDS)


def _is_text(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip()) and len(name) <= MOST_CHARACTERS


def verified(pair: Pair, shown: Shown) -> Verified | Refusal:
    """A pair's path in the graph, or why it cannot be a question.

    Args:
        pair: The pair.
        shown: What its writer saw.
    """
    rows = list(dict.fromkeys(shown.row(triple) for triple in pair.path))
    if None in rows:
        return Refusal(PairReason.OUTSIDE)
    if len(rows) == 1:
        return Refusal(PairReason.SINGLE)
    own = dict(zip(shown.rows, shown.triples, strict=True))
    ends = [(row, at) for row in rows if row is not None for at in (0, 2)]
    names = [own[row][at] for row, at in ends]
    found = _fitting(pair.answer, names)
    if len({names[place] for place in found}) != 1:
        return Refusal(PairReason.ANSWER)
    row, at = ends[found[0]]
    return Verified(tuple(row for row in rows if row is not None), (row, at > 0))


_N = TypeVar("_N", str, Triple)


def _fitting(wanted: _N, names: Sequence[_N]) -> list[int]:
    """The places of the names that are the one wanted, or else of those that read like it."""
    found = [place for place, name in enumerate(names) if name == wanted]
    folded = _folded(wanted)
    return found or [place for place, name in enumerate(names) if _folded(name) == folded]


def _spoken(relation: str) -> str:
    """The words of a relation's name."""
    return " ".join(_SIGNS.split(relation)).strip()


def _folded(name: str | Triple) -> tuple[str, ...]:
    """A name, or those of a triple, without case, kinds of quotes and more than single spaces."""
    return tuple(fold_loosely(one).strip() for one in ([name] if isinstance(name, str) else name))
