"""What a prompt file has to hold, and what is wrong with one that does not.

Guarantee: a file without problems renders for every brief, whatever names it is given.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rulemine.errors import did_you_mean
from rulemine.kg.entity_names import NAMINGS

__all__ = ["BLOCKS", "PURPOSES", "block_of", "problems_of"]

PURPOSES = ("question", "paraphrase", "audit", "round_trip", "gloss")
"""What a model is asked for: the sections of a prompt file, beside ``names``."""

BLOCKS = {
    "context": "context",
    "earlier": "earlier",
    "questions": "question",
    "relations": "relation",
    "samples": "sample",
}
"""Placeholder that stands for any number of lines → the key of the template of each."""

_BLOCK = re.compile(rf"\s*\{{({'|'.join(BLOCKS)})\}}\s*")
_FACT = ("subject", "relation", "object", "topic", "answer", "meaning", "asked", "names", "context")
_PLACEHOLDERS: dict[str, dict[str, tuple[str, ...]]] = {
    "names": dict.fromkeys(NAMINGS, ()),
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


def block_of(line: str) -> str:
    """The placeholder that a line of a template is, if it stands for any number of lines; else empty."""
    found = _BLOCK.fullmatch(line)
    return found[1] if found else ""


def problems_of(tables: Mapping[str, Any]) -> list[str]:
    """What is wrong with the tables of a prompt file, one line each, in the order of the sections."""
    problems = [
        f"unknown section [{n}]; {did_you_mean(n, _PLACEHOLDERS)}"
        for n in tables
        if n not in _PLACEHOLDERS
    ]
    for name, templates in _PLACEHOLDERS.items():
        table = tables.get(name)
        if table is None:
            problems.append(f"section [{name}] is missing")
        elif not isinstance(table, dict):
            problems.append(f"{name} is {table!r}; a section [{name}] was expected")
        else:
            problems += [f"[{name}] {problem}" for problem in _of_section(table, templates)]
    return problems


def _of_section(
    table: Mapping[str, Any], templates: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    for key, value in table.items():
        if key not in templates:
            yield f"unknown key {key!r}; {did_you_mean(key, templates)}"
        elif not isinstance(value, str) or not value.strip():
            yield f"{key} is {value!r}; a text was expected"
    for key, placeholders in templates.items():
        template = table.get(key, "")
        if key not in table:
            yield f"key {key} is missing"
        elif isinstance(template, str):
            yield from (f"{key}: {problem}" for problem in _of_template(template, placeholders))
            if key not in ("system", "user") and "\n" in template:
                yield f"{key}: holds a line break; one line was expected"
            lines = [line.strip() for line in template.split("\n")]
            for line in _LABELLED if key == "user" and "topic" in placeholders else ():
                if lines.count(line) != 1:
                    yield f"user: needs the line {line!r} once, on a line of its own"


def _of_template(template: str, placeholders: tuple[str, ...]) -> Iterator[str]:
    lacking = dict.fromkeys(placeholders)
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
            elif name in BLOCKS and not block_of(line):
                yield f"{found[0]} stands for whole lines; put it on a line of its own"
            lacking.pop(name, None)
    yield from (f"lacks {{{name}}}" for name in lacking)
