"""Reads what writers reply: candidates.

A candidate is a JSON object with ``question``, ``nodes``, ``answer``, ``triples`` and ``sparql``, by itself,
in a code fence or among other words; further keys are allowed. Or it is five lines, ``Question: …`` and so
on, as in SynthKGQA. Which entities its names are, `WriterNames` says. Guarantee: readers raise nothing,
whatever a reply contains, and what they cannot read has one of the reasons of `Unread`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.kinds.written.candidate import Candidate, NamedNode, Refusal
from rulemine.llm.call import Answer, Failure
from rulemine.text.json_reply import TEXT, TEXTS, json_values, object_schema
from rulemine.verbalizer.checks import TextProblem
from rulemine.verbalizer.replies import visible_words

__all__ = ["CANDIDATE_SCHEMA", "Unread", "read_candidate", "text_of"]

MOST_CHARACTERS = 20_000
"""Of a text in a reply; no SPARQL that is read is longer."""

MOST_ITEMS = 100
"""Nodes, and triples, of a candidate that are read."""


class Unread:
    """Why a reply is no candidate."""

    UNANSWERED = "the endpoint did not answer"
    CUT_OFF = "the reply was not finished"
    EMPTY = "the reply is empty"
    NO_JSON = "the reply is no JSON object"
    FIELDS = "the reply lacks a field, or has one of another kind"


CANDIDATE_SCHEMA = object_schema(
    question=TEXT, nodes=TEXTS, answer=TEXT, triples=TEXTS, sparql=TEXT
)
"""Of a candidate, for structured outputs."""

_LINE = re.compile(
    r"^[\s*#>-]*(question|nodes|answer|triples|sparql)\b[^:\n]{0,40}:[*\s]*",
    re.IGNORECASE | re.MULTILINE,
)
"""How each of the five lines begins."""

_AROUND_QUERY = re.compile(r"^```\w*|[;\s]*(?:```)?$")
"""A code fence around a query, and a semicolon behind it."""


def text_of(answer: Answer) -> str | Refusal:
    """What a model said, or why that is nothing."""
    if isinstance(answer, Failure):
        return Refusal(Unread.UNANSWERED, answer.code)
    words = visible_words(answer)
    if not isinstance(words, TextProblem):
        return words
    return Refusal(Unread.EMPTY if words.code == "empty" else Unread.CUT_OFF, words.code)


def read_candidate(text: str) -> Candidate | Refusal:
    """Reads the candidate in a reply.

    Example:
        >>> read_candidate("I cannot do that.").reason
        'the reply is no JSON object'
    """
    problem = Refusal(Unread.NO_JSON) if text.strip() else Refusal(Unread.EMPTY)
    for value in json_values(text):
        row = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(row, dict):
            found = _candidate(row)
            if isinstance(found, Candidate):
                return found
            problem = found
    return problem if problem.reason == Unread.FIELDS else _in_lines(text) or problem


def _in_lines(text: str) -> Candidate | None:
    """The candidate in five lines; lists are separated by semicolons, where names have ids after these."""
    _, *parts = _LINE.split(text)
    row = {name.lower(): value.strip() for name, value in zip(parts[::2], parts[1::2], strict=True)}
    if len(parts) != 2 * len(row) or row.keys() != CANDIDATE_SCHEMA["properties"].keys():
        return None
    lists = {key: re.split(r"(?<=\));\s*|\n[-*\s]*", row[key]) for key in ("nodes", "triples")}
    found = _candidate({**row, **lists})
    return found if isinstance(found, Candidate) else None


def _candidate(reply: Mapping[str, Any]) -> Candidate | Refusal:
    row = {key.strip().lower(): value for key, value in reply.items()}
    question, sparql = _text(row.get("question")), _text(row.get("sparql"))
    sparql = sparql and _AROUND_QUERY.sub("", sparql)
    nodes, answer = _nodes(row.get("nodes")), _node(row.get("answer"))
    triples = _triples(row.get("triples"))
    if not question:
        return Refusal(Unread.FIELDS, "question")
    if not nodes:
        return Refusal(Unread.FIELDS, "nodes", question)
    if not answer:
        return Refusal(Unread.FIELDS, "answer", question)
    if not triples:
        return Refusal(Unread.FIELDS, "triples", question)
    if not sparql:
        return Refusal(Unread.FIELDS, "sparql", question)
    return Candidate(question, nodes, answer, triples, sparql)


def _text(value: Any) -> str | None:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        return None
    return value.strip() or None


def _node(value: Any) -> NamedNode | None:
    """An entity by its id and its label, or by one name of any form."""
    if isinstance(value, Mapping):
        names = [name for key in ("id", "label") if (name := _text(value.get(key)))]
        return NamedNode(names[0], names[-1]) if names else None
    name = _text(value)
    return NamedNode(name, name) if name else None


def _nodes(value: Any) -> tuple[NamedNode, ...] | None:
    if not isinstance(value, list) or len(value) > MOST_ITEMS:
        return None
    found = [node for node in map(_node, value) if node is not None]
    return tuple(dict.fromkeys(found)) if len(found) == len(value) else None


def _triples(value: Any) -> tuple[tuple[str, ...], ...] | None:
    if not isinstance(value, list) or len(value) > MOST_ITEMS:
        return None
    found = [triple for triple in map(_triple, value) if triple is not None]
    return tuple(found) if len(found) == len(value) else None


def _triple(value: Any) -> tuple[str, ...] | None:
    """A triple as a line, an object or a list; its ends as names, or as objects with one."""
    if isinstance(value, Mapping):
        value = [
            value.get("subject"),
            value.get("relation", value.get("predicate")),
            value.get("object"),
        ]
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence) or len(value) not in (1, 3):
        return None
    names = [_node(item) for item in value]
    found = tuple(name.id for name in names if name is not None)
    return found if len(found) == len(names) else None
