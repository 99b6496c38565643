"""Prompts: what a language model is asked, from templates in a TOML file that users can edit.

A template is a text with ``{placeholder}``s; ``{{`` and ``}}`` stand for braces. A placeholder alone on
its line stands for any number of lines. Guarantees: a file without problems renders for every question; names
are put in verbatim, whatever they contain; the user messages of questions, paraphrases and audits have
``Removed Triple``, ``Question Entity`` and ``Answer Entity`` each on a line of its own.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rulemine.config import packaged, read_toml_text
from rulemine.errors import ConfigError, did_you_mean, list_problems
from rulemine.kg.entity_names import NAMINGS
from rulemine.llm.call import Message
from rulemine.query.structures import STRUCTURES
from rulemine.text.template import fill

__all__ = ["PLACEHOLDERS", "PURPOSES", "Placeholders", "Prompts", "load_prompts", "read_sections"]

Placeholders = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Section of a prompt file → template → its placeholders, all of them required."""

PURPOSES = (
    "question", "paraphrase", "audit", "structure_question", "structure_audit", "gloss",
)  # fmt: skip
"""Purposes of calls: the sections of a prompt file, besides ``names`` and ``structures``."""

PACKAGED = "verbalizer/prompts.toml"

_BLOCKS = {
    "context": "context",
    "earlier": "earlier",
    "questions": "question",
    "relations": "relation",
    "samples": "sample",
    "facts": "fact",
    "conclusions": "conclusion",
    "examples": "example",
    "choice": "choice",
    "schema": "schema",
}
"""Placeholder that stands for any number of lines → the key of the template of one line."""

_BLOCK = re.compile(rf"\s*\{{({'|'.join(_BLOCKS)})\}}\s*")
_QUESTION = (
    "subject",
    "relation",
    "object",
    "topic",
    "answer",
    "meaning",
    "asked",
    "names",
    "context",
)
_STRUCTURE = (
    "structure",
    "form",
    "triples",
    "relations",
    "anchors",
    "answers",
    "intermediates",
    "asked",
    "names",
)
PLACEHOLDERS: Placeholders = {
    "names": dict.fromkeys(NAMINGS, ()),
    "structures": dict.fromkeys(STRUCTURES, ()),
    "question": {
        "system": (),
        "user": (*_QUESTION, "language", "earlier"),
        "context": ("fact",),
        "earlier": ("text", "reason"),
    },
    "paraphrase": {
        "system": (),
        "user": (*_QUESTION, "language", "questions", "count", "earlier"),
        "question": ("text",),
        "context": ("fact",),
        "earlier": ("text", "reason"),
    },
    "audit": {"system": (), "user": (*_QUESTION, "question"), "context": ("fact",)},
    "structure_question": {
        "system": (),
        "user": (*_STRUCTURE, "language", "earlier"),
        "relation": ("relation", "statement"),
        "earlier": ("text", "reason"),
    },
    "structure_audit": {
        "system": (),
        "user": (*_STRUCTURE, "question"),
        "relation": ("relation", "statement"),
    },
    "gloss": {
        "system": (),
        "user": ("relation", "samples", "language", "earlier"),
        "sample": ("subject", "object"),
        "earlier": ("text", "reason"),
    },
}
"""The sections of a prompt file for questions."""

_LABELED = (
    "Removed Triple: ({subject}, {relation}, {object})",
    "Question Entity: {topic}",
    "Answer Entity: {answer}",
)
"""Lines that the user templates of questions, paraphrases and audits must have."""

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


@dataclass(frozen=True)
class Prompts:
    """The prompts of a file.

    Attributes:
        text: The text of the file.
        sections: Purpose → key → template.
        names: Naming → what its names look like, in words.
        structures: Structure → what it asks, in words; none where no purpose needs it.
        packaged: The packaged file that such a file can be a copy of, below the package.
    """

    text: str
    sections: Mapping[str, Mapping[str, str]] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    structures: Mapping[str, str] = field(repr=False, default_factory=dict)
    packaged: str = PACKAGED

    def messages(
        self,
        purpose: str,
        values: Mapping[str, str],
        blocks: Mapping[str, Iterable[Mapping[str, str]]],
    ) -> tuple[Message, ...]:
        """Renders the messages of a call.

        Args:
            purpose: One of `PURPOSES`.
            values: Placeholder → its value.
            blocks: Placeholder that stands for lines → the values of each line.
        """
        section = self.sections[purpose]
        lines: list[str] = []
        for line in section["user"].strip("\n").split("\n"):
            if block := _block_of(line):
                lines += (fill(section[_BLOCKS[block]], row) for row in blocks[block])
            else:
                lines.append(fill(line, values))
        return (
            {"role": "system", "content": fill(section["system"].strip("\n"), {})},
            {"role": "user", "content": "\n".join(lines)},
        )


def load_prompts(source: str, spare: Collection[str] = ()) -> Prompts:
    """Loads and checks a prompt file.

    Args:
        source: A TOML file, or "" for the packaged one.
        spare: Sections that may be missing, as only another kind of question needs them.

    Raises:
        InputError: The file cannot be read or is not TOML.
        ConfigError: Sections, templates or placeholders are missing, unknown or of the wrong type; one
            message lists all.
    """
    tables, text = read_sections(source, PACKAGED, PLACEHOLDERS, spare)
    sections = {purpose: tables.get(purpose, {}) for purpose in PURPOSES}
    return Prompts(text, sections, tables["names"], tables.get("structures", {}))


def read_sections(
    source: str, packaged_file: str, wanted: Placeholders, spare: Collection[str] = ()
) -> tuple[dict[str, Any], str]:
    """Reads and checks a file of templates.

    Args:
        source: A TOML file, or "" for the packaged one.
        packaged_file: The path of the packaged one below the package.
        wanted: What it must hold, and nothing else.
        spare: Sections that may be missing.

    Returns:
        Section → key → template, and the text of the file.

    Raises:
        InputError: As `load_prompts`.
        ConfigError: As `load_prompts`.
    """
    default = packaged(packaged_file)
    path = Path(source) if source else default
    tables, text = read_toml_text(path)
    if problems := _problems(tables, wanted, spare):
        advice = f"A complete prompt file to copy: {default}"
        raise ConfigError(list_problems(str(path), problems, advice))
    return tables, text


def _block_of(line: str) -> str:
    """The placeholder that a line consists of, if it stands for any number of lines; else empty."""
    found = _BLOCK.fullmatch(line)
    return found[1] if found else ""


def _problems(tables: Mapping[str, Any], wanted: Placeholders, spare: Collection[str]) -> list[str]:
    """The problems of a prompt file, one line each, in the order of the sections."""
    problems = [
        f"unknown section [{n}]; {did_you_mean(n, wanted)}" for n in tables if n not in wanted
    ]
    for name, templates in wanted.items():
        table = tables.get(name)
        if table is None and name in spare:
            continue
        if table is None:
            problems.append(f"section [{name}] is missing")
        elif not isinstance(table, dict):
            problems.append(f"{name} is {table!r}; a section [{name}] was expected")
        else:
            problems += [f"[{name}] {problem}" for problem in _section_problems(table, templates)]
    return problems


def _section_problems(
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
            yield from (
                f"{key}: {problem}" for problem in _template_problems(template, placeholders)
            )
            if key not in ("system", "user") and "\n" in template:
                yield f"{key}: has a line break; one line was expected"
            lines = [line.strip() for line in template.split("\n")]
            for line in _LABELED if key == "user" and "topic" in placeholders else ():
                if lines.count(line) != 1:
                    yield f"user: must have the line {line!r} exactly once"


def _template_problems(template: str, placeholders: tuple[str, ...]) -> Iterator[str]:
    missing = dict.fromkeys(placeholders)
    for line in template.split("\n"):
        for found in _PART.finditer(line):
            name = found[1]
            if found[0] in ("{{", "}}"):
                continue
            if name is None:
                yield f"has a single {found[0]!r}; write it twice for a literal brace"
            elif name not in placeholders:
                hint = (
                    did_you_mean(name, placeholders) if placeholders else "it takes no placeholders"
                )
                yield f"has {found[0]}; {hint}"
            elif name in _BLOCKS and not _block_of(line):
                yield f"{found[0]} stands for whole lines; put it on its own line"
            missing.pop(name, None)
    yield from (f"needs the placeholder {{{name}}}" for name in missing)
