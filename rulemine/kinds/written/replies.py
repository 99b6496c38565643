"""What writers of questions are asked for and give back: tasks, candidates, and why a reply is none.

A writer, a language model (`rulemine.kinds.written.model_calls`) or the scripted one
(`rulemine.kinds.written.scripted`), sees a subgraph. It replies with candidates as JSON objects: one by
itself, in a code fence or among other words, or several in a list ``qa_pairs``, of which those before a break
are read. Further keys are allowed. One candidate may also be five lines, ``Question: …`` and so on, as in
SynthKGQA. Which entities its names are, `WriterNames` says. Guarantee: readers raise nothing, whatever a
reply contains.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from rulemine.llm.call import Answer, Failure
from rulemine.text.json_reply import TEXT, TEXTS, decode, json_values, object_schema
from rulemine.verbalizer.replies import TextProblem, visible_words

__all__ = [
    "CANDIDATE_SCHEMA", "FORMS", "PAIR_FIELDS", "Candidate", "NamedNode", "Refusal", "Subgraph", "Task",
    "Unread", "read_candidate", "read_candidates", "text_of",
]  # fmt: skip

MOST_CHARACTERS = 20_000
"""Of a text in a reply; no SPARQL that is read is longer."""

MOST_ITEMS = 100
"""Nodes and triples of a candidate, and candidates of a reply, that are read."""

FORMS = ("plain", "count", "without")
"""What a question asks for: the answers, their number, or those that are left when some are taken away."""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A part of the complete graph that a writer sees.

    Attributes:
        nodes: Ids of entities, in the order in which they came.
        rows: Rows of ``kg.triples``, in the order in which they are shown, each once.
    """

    nodes: tuple[int, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What is written in one reply.

    Attributes:
        number: Its number in the build, from 0.
        subgraph: What the writer sees.
        about: What it is about, for error messages.
        part: The part of the release that it is for, as the kind names it; and `stratum` within that.
        stratum: See `part`.
        form: One of `FORMS`.
        given: Rows of ``kg.triples`` that the question must be made from; empty: the writer chooses.
        answer: The entity that must be the answer; None: the writer chooses.
        refused: A reply to it that is to be mended, and what is wrong with it; or "" twice.
    """

    number: int
    subgraph: Subgraph
    about: str = ""
    part: Any = ""
    stratum: Any = ""
    form: str = "plain"
    given: tuple[int, ...] = ()
    answer: int | None = None
    refused: tuple[str, str] = ("", "")


class NamedNode(NamedTuple):
    """An entity as a writer names it, each in any form that `WriterNames.find` reads.

    Attributes:
        id: Its id.
        label: Its label; or the same as the id, where it has one name alone.
    """

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that a writer proposes.

    Attributes:
        question: The text.
        answer: The answer that the writer has in mind.
        triples: What it is made from: subject, relation and object, or the three on one line.
        seeds: The entities that it names; none where the reply need not say so.
        sparql: The query for all answers; likewise "".
    """

    question: str
    answer: NamedNode
    triples: tuple[tuple[str, ...], ...]
    seeds: tuple[NamedNode, ...] = ()
    sparql: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a candidate is no question.

    Attributes:
        reason: A fixed text that can be counted.
        detail: What exactly was found.
        text: The refused text, if it was refused for its words.
        query: The query, if it has one; in the names of the source.
    """

    reason: str
    detail: str = ""
    text: str = ""
    query: str = ""


class Unread:
    """Why a reply is no candidate."""

    UNANSWERED = "the endpoint did not answer"
    CUT_OFF = "the reply was not finished"
    EMPTY = "the reply is empty"
    NO_JSON = "the reply is no JSON object"
    FIELDS = "the reply lacks a field, or has one of another kind"
    NONE = "the writer found nothing to ask"


CANDIDATE_SCHEMA = object_schema(
    question=TEXT, nodes=TEXTS, answer=TEXT, triples=TEXTS, sparql=TEXT
)
"""Of a candidate, for structured outputs."""

PAIR_FIELDS = ("question", "answer", "triples")
"""What a candidate must have where no query is asked for."""

_LINE = re.compile(
    r"^[\s*#>-]*(question|nodes|answer|triples|sparql)\b[^:\n]{0,40}:[*\s]*",
    re.IGNORECASE | re.MULTILINE,
)
"""How each of the five lines begins."""

_AROUND_QUERY = re.compile(r"^```\w*|[;\s]*(?:```)?$")
"""A code fence around a query, and a semicolon behind it."""

_LIST = re.compile(r'"qa_pairs"\s*:\s*\[|\A\s*(?:```\w*\s*)?\[(?=\s*\{)')
_EMPTY = re.compile(
    r'"valid_qa_pairs"\s*:\s*(?:false|"(?:false|no)")|"qa_pairs"\s*:\s*\[\s*\]', re.IGNORECASE
)
_GAP = re.compile(r"[\s,]*")


def text_of(answer: Answer) -> str | Refusal:
    """What a model said, or why that is nothing."""
    if isinstance(answer, Failure):
        return Refusal(Unread.UNANSWERED, answer.code)
    words = visible_words(answer)
    if not isinstance(words, TextProblem):
        return words
    return Refusal(Unread.EMPTY if words.code == "empty" else Unread.CUT_OFF, words.code)


def read_candidate(text: str) -> Candidate | Refusal:
    """Reads the one candidate in a reply.

    Example:
        >>> read_candidate("I cannot do that.").reason
        'the reply is no JSON object'
    """
    found = list(read_candidates(text, CANDIDATE_SCHEMA["properties"].keys()))
    good = [one for one in found if isinstance(one, Candidate)]
    return good[0] if good else _in_lines(text) or found[-1]


def read_candidates(
    text: str, fields: Collection[str] = PAIR_FIELDS
) -> Iterator[Candidate | Refusal]:
    """Reads the candidates in a reply, at most `MOST_ITEMS`.

    Args:
        text: The reply.
        fields: What each must have, of the keys of `CANDIDATE_SCHEMA`.

    Yields:
        Each, or why it is none; one refusal where there are none at all.
    """
    items = list(islice(_items(text), MOST_ITEMS))
    if not items:
        reason = Unread.NO_JSON if text.strip() else Unread.EMPTY
        yield Refusal(Unread.NONE if _EMPTY.search(text) else reason)
    for item in items:
        yield item if isinstance(item, Refusal) else _candidate(item, fields)


def _items(text: str) -> Iterator[Mapping[str, Any] | Refusal]:
    """The objects of the list in a reply, as far as they can be read, or those that are in no list."""
    if (start := _LIST.search(text)) is None:
        yield from (value for value in json_values(text) if isinstance(value, Mapping))
        return
    at = start.end()
    while (at := _GAP.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        if text[at] == "]":
            return
        try:
            item, at = decode(text, at)
        except ValueError:
            break
        yield item if isinstance(item, Mapping) else Refusal(Unread.FIELDS)
    yield Refusal(Unread.CUT_OFF)


def _in_lines(text: str) -> Candidate | None:
    """The candidate in five lines; lists are separated by semicolons, where names have ids after these."""
    _, *parts = _LINE.split(text)
    row = {name.lower(): value.strip() for name, value in zip(parts[::2], parts[1::2], strict=True)}
    if len(parts) != 2 * len(row) or row.keys() != CANDIDATE_SCHEMA["properties"].keys():
        return None
    lists = {key: re.split(r"(?<=\));\s*|\n[-*\s]*", row[key]) for key in ("nodes", "triples")}
    found = _candidate({**row, **lists}, row)
    return found if isinstance(found, Candidate) else None


def _candidate(reply: Mapping[str, Any], fields: Collection[str]) -> Candidate | Refusal:
    row = {key.strip().lower(): value for key, value in reply.items()}
    found: dict[str, Any] = {
        "question": _text(row.get("question")),
        "nodes": _list(row.get("nodes"), _node),
        "answer": _node(row.get("answer")),
        "triples": _list(row.get("triples", row.get("supporting_path")), _triple),
        "sparql": _AROUND_QUERY.sub("", _text(row.get("sparql"))),
    }
    for field in CANDIDATE_SCHEMA["properties"]:
        if field in fields and not found[field]:
            return Refusal(Unread.FIELDS, field, found["question"])
    return Candidate(
        found["question"], found["answer"], found["triples"],
        tuple(dict.fromkeys(found["nodes"])), found["sparql"],
    )  # fmt: skip


def _text(value: Any) -> str:
    """A text; "" for anything else."""
    return value.strip() if isinstance(value, str) and len(value) <= MOST_CHARACTERS else ""


def _node(value: Any) -> NamedNode | None:
    """An entity by its id and its label, or by one name of any form."""
    parts = [value.get("id"), value.get("label")] if isinstance(value, Mapping) else [value]
    names = [name for name in map(_text, parts) if name]
    return NamedNode(names[0], names[-1]) if names else None


def _list(value: Any, read: Any) -> tuple[Any, ...]:
    """The members of a list; none if one cannot be read."""
    if not isinstance(value, list) or len(value) > MOST_ITEMS:
        return ()
    found = tuple(map(read, value))
    return () if None in found else found


def _triple(value: Any) -> tuple[str, ...] | None:
    """A triple as a line, an object or a list; its ends as names, or as objects with one."""
    if isinstance(value, Mapping):
        relation = value.get("relation", value.get("predicate"))
        value = [value.get("subject"), relation, value.get("object")]
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence) or len(value) not in (1, 3):
        return None
    names = [_node(item) for item in value]
    return None if None in names else tuple(name.id for name in names if name is not None)
