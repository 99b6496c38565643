"""What a prompt file has to hold, and what is wrong with one that does not.

Guarantee: a file without problems renders for every brief, whatever names it is given.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rulemine.errors import did_you_mean
from rulemine.kg.entity_names import NAMINGS

__all__ = ["BLOCK", "PURPOSES", "problems_of"]

PURPOSES = ("question", "paraphrase", "audit", "round_trip", "gloss")
"""What a model is asked for: the sections of a prompt file, beside ``names``."""

BLOCK = re.compile(r"\s*\{(context|earlier|questions|relations|samples)\}\s*")
"""A line of a template that stands for any number of lines."""

_FACT = ("subject", "relation", "object", "topic", "answer", "meaning", "asked", "names", "context")
_PLACEHOLDERS: dict[str, dict[str, tuple[str, ...]]] = {
    "question": {
        "system": (),
        "user": (*_FACT, "language", "earlier"),
        "context": ("fact",),
        "earlier": ("text", "reason"),
    },
    "paraphrase": {
        "system": (),
        "user": (*_FACT, "language", "questions", "count", "earlier"),
        "question": ("text",),
        "context": ("fact",),
        "earlier": ("text", "reason"),
    },
    "audit": {"system": (), "user": (*_FACT, "question"), "context": ("fact",)},
    "round_trip": {
        "system": (),
        "user": ("question", "relations"),
        "relation": ("relation", "statement"),
    },
    "gloss": {
        "system": (),
        "user": ("relation", "samples", "language", "earlier"),
        "sample": ("subject", "object"),
        "earlier": ("text", "reason"),
    },
}
"""Section → template → its placeholders; all are needed."""

_LABELLED = (
    "Removed Triple: ({subject}, {relation}, {object})",
    "Question Entity: {topic}",
    "Answer Entity: {answer}",
)
"""Lines that the user templates of a question, its paraphrases and its audit hold."""

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def problems_of(tables: Mapping[str, Any]) -> list[str]:
    """What is wrong with the tables of a prompt file, one line each, in the order of the sections."""
    known = ("names", *PURPOSES)
    problems = [
        f"unknown section [{name}]; {did_you_mean(name, known)}"
        for name in tables
        if name not in known
    ]
    for name in known:
        table = tables.get(name)
        if table is None:
            problems.append(f"section [{name}] is missing")
        elif not isinstance(table, dict):
            problems.append(f"{name} is {table!r}; a section [{name}] was expected")
        else:
            found = _of_names(table) if name == "names" else _of_section(name, table)
            problems += [f"[{name}] {problem}" for problem in found]
    return problems


def _of_names(table: Mapping[str, Any]) -> Iterator[str]:
    yield from _of_keys(table, NAMINGS)
    for key in NAMINGS:
        if "\n" in str(table.get(key, "")).strip("\n"):
            yield f"{key} holds a line break; one line was expected"


def _of_section(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    templates = _PLACEHOLDERS[name]
    yield from _of_keys(table, templates)
    for key, placeholders in templates.items():
        if isinstance(template := table.get(key), str):
            for problem in _of_template(template, placeholders, one_line=key not in _LONG):
                yield f"{key}: {problem}"
            if key == "user" and "topic" in placeholders:
                lines = [line.strip() for line in template.split("\n")]
                for line in _LABELLED:
                    if lines.count(line) != 1:
                        yield f"user: needs the line {line!r} once, on a line of its own"


_LONG = ("system", "user")


def _of_keys(table: Mapping[str, Any], known: Mapping[str, Any] | tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if key not in known:
            yield f"unknown key {key!r}; {did_you_mean(key, known)}"
        elif not isinstance(value, str) or not value.strip():
            yield f"{key} is {value!r}; a text was expected"
    for key in known:
        if key not in table:
            yield f"key {key} is missing"


def _of_template(template: str, placeholders: tuple[str, ...], *, one_line: bool) -> Iterator[str]:
    if one_line and "\n" in template:
        yield "holds a line break; one line was expected"
    lacking = set(placeholders)
    for line in template.split("\n"):
        for found in _PART.finditer(line):
            name = found[1]
            if found[0] in ("{{", "}}"):
                continue
            if name is None:
                yield f"holds a lone {found[0]!r}; double it to mean the brace itself"
            elif name not in placeholders:
                hint = did_you_mean(name, placeholders) if placeholders else "it takes none"
                yield f"holds {found[0]}; {hint}"
            elif BLOCK.fullmatch(found[0]) and not BLOCK.fullmatch(line):
                yield f"{found[0]} stands for whole lines; put it on a line of its own"
            lacking.discard(name)
    for name in placeholders:
        if name in lacking:
            yield f"lacks {{{name}}}"
