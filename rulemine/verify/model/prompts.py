"""The prompts of a release and what relations were said to mean: two files that people edit.

Checks that ``llm/prompt.toml`` and ``llm/glosses.toml`` are TOML of the right kind, and that the glosses
are those of the relations of the release, with each placeholder once; a gloss that is said to come from the
template of its relation has its statement.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from rulemine.verify.folder import Folder
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.report import Findings, difference, shown
from rulemine.verify.shapes import NAMINGS

__all__ = ["GLOSSES", "PROMPT", "Gloss", "check_glosses", "read_prompts", "recognised"]

PROMPT, GLOSSES = "llm/prompt.toml", "llm/glosses.toml"

PURPOSES = ("audit", "paraphrase", "question", "round_trip")
"""What a model is asked for in a release."""

GLOSS = "gloss"
"""What it is asked for before there is one."""

SOURCES = ("written", "model", "template")
"""Where a gloss is from."""

_PLACEHOLDERS = {"statement": ("object", "subject"), "subjects": ("topic",), "objects": ("topic",)}
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")


class Gloss(NamedTuple):
    """What a relation means.

    Attributes:
        statement: The triple as a clause.
        subjects: What a question for the subjects asks for.
        objects: What a question for the objects asks for.
    """

    statement: str
    subjects: str
    objects: str


def recognised(
    said: tuple[str, str] | None, relation: str, direction: str, glosses: Mapping[str, Gloss]
) -> bool:
    """Whether a model recognised what its text asks for.

    Where subjects and objects of the relation are asked for in the same words, either direction is right.

    Args:
        said: The relation and the direction that it named; None: nothing that can be read.
        relation: The relation asked about.
        direction: The end asked for.
        glosses: What the relations mean.
    """
    gloss = glosses.get(relation)
    if said is None or gloss is None or said[0] != relation:
        return False
    return said[1] == direction or gloss.subjects == gloss.objects


def read_prompts(folder: Folder, findings: Findings) -> dict[str, str]:
    """The system messages by purpose; what is wrong with the file is noted."""
    tables = _tables(folder, PROMPT, findings)
    if tables is None:
        return {}
    if set(tables) != {"names", *PURPOSES, GLOSS}:
        found = difference(set(tables), {"names", *PURPOSES, GLOSS})
        findings.add(PROMPT, None, "record", found, "a section for each purpose, and names")
    names = tables.get("names")
    if not isinstance(names, dict) or set(names) != set(NAMINGS):
        expected = f"the texts {', '.join(NAMINGS)}"
        findings.add(PROMPT, None, "record", f"[names] {shown(names)}", expected)
    prompts = {}
    for purpose in PURPOSES:
        section = tables.get(purpose)
        if (
            not isinstance(section, dict)
            or not isinstance(names, dict)
            or not _texts(names, section)
        ):
            expected = f"texts in [names] and in [{purpose}]"
            findings.add(PROMPT, None, "record", shown(section), expected)
            continue
        system = section.get("system", "").strip("\n")
        prompts[purpose] = system.replace("{{", "{").replace("}}", "}")
    return prompts


def check_glosses(folder: Folder, names: Names, findings: Findings) -> dict[str, Gloss]:
    """Checks that every relation has a gloss, and nothing else has one.

    Returns:
        Relation → its gloss, of those of the right shape.
    """
    tables = _tables(folder, GLOSSES, findings)
    glosses: dict[str, Gloss] = {}
    if tables is None:
        return glosses
    if set(tables) != set(names.relations):
        found = difference(set(tables), set(names.relations))
        findings.add(GLOSSES, None, "glosses", found, f"the relations of {RELATIONS}")
    for relation, gloss in tables.items():
        where = f"{shown(relation)}: "
        if (
            not isinstance(gloss, dict)
            or set(gloss) != {*Gloss._fields, "source"}
            or not _texts(gloss)
        ):
            expected = f"texts {', '.join(Gloss._fields)}, source"
            findings.add(GLOSSES, None, "record", where + shown(gloss), expected)
            continue
        glosses[relation] = Gloss(*(gloss[key] for key in Gloss._fields))
        for key, placeholders in _PLACEHOLDERS.items():
            if _placeholders(gloss[key]) != placeholders:
                expected = " and ".join(f"{{{name}}}" for name in placeholders)
                found = f"{where}{key} = {shown(gloss[key])}"
                findings.add(GLOSSES, None, "gloss", found, f"{expected}, each once")
        if gloss["source"] not in SOURCES:
            found = f"{where}source = {shown(gloss['source'])}"
            findings.add(GLOSSES, None, "gloss", found, f"one of {', '.join(SOURCES)}")
        template = names.relations.get(relation, {}).get("statement")
        if gloss["source"] == "template" and gloss["statement"] != template:
            found = f"{where}statement = {shown(gloss['statement'])}, from its template"
            findings.add(GLOSSES, None, "gloss", found, f"{shown(template)} ({RELATIONS})")
    return glosses


def _placeholders(template: str) -> tuple[str, ...]:
    """The names in braces, sorted; a lone brace counts as an empty one."""
    found = _PLACEHOLDER.finditer(template)
    return tuple(sorted(part[1] or "" for part in found if part[0] not in ("{{", "}}")))


def _texts(*tables: Any) -> bool:
    return all(isinstance(value, str) for table in tables for value in table.values())


def _tables(folder: Folder, name: str, findings: Findings) -> dict[str, Any] | None:
    if not folder.has(name):
        return None
    try:
        return tomllib.loads(folder.text(name))
    except (ValueError, RecursionError) as problem:
        findings.add(name, None, "record", shown(str(problem)), "TOML")
        return None
