"""The prompts of a release and what relations were said to mean: two files that people edit.

Checks that ``llm/prompt.toml`` and ``llm/glosses.toml`` are TOML of the right kind, and that the glosses
are those of the relations of the release.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from rulemine.verify.folder import Folder
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.report import Findings, difference, shown

__all__ = ["GLOSSES", "PROMPT", "Gloss", "Prompt", "check_glosses", "read_prompts", "recognised"]

PROMPT, GLOSSES = "llm/prompt.toml", "llm/glosses.toml"

PURPOSES = ("audit", "paraphrase", "question", "round_trip")
"""What a model is asked for in a release."""


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


class Prompt(NamedTuple):
    """What journal entries say of the prompt of a purpose.

    Attributes:
        version: Purpose and version.
        digest: SHA-256 of the templates: of the compact JSON of their sorted (key, text) pairs, those of
            ``names`` among them (as ``names.key``) where the prompt tells them.
    """

    version: str
    digest: str


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


def read_prompts(folder: Folder, findings: Findings) -> dict[str, Prompt]:
    """The prompts by purpose; what is wrong with the file is noted."""
    tables = _tables(folder, PROMPT, findings)
    if tables is None:
        return {}
    names = tables.get("names")
    prompts = {}
    for purpose in PURPOSES:
        section = tables.get(purpose)
        if (
            not isinstance(section, dict)
            or not isinstance(names, dict)
            or type(section.get("version")) is not int
            or not _texts(names, section)
        ):
            expected = f"texts in [names] and in [{purpose}], which has a version"
            findings.add(PROMPT, None, "record", shown(section), expected)
            continue
        pairs = {key: value for key, value in section.items() if key != "version"}
        if "{names}" in str(section.get("user")):
            pairs |= {f"names.{key}": value for key, value in names.items()}
        content = json.dumps(sorted(pairs.items()), ensure_ascii=False).encode()
        digest = hashlib.sha256(content).hexdigest()
        prompts[purpose] = Prompt(f"{purpose}/{section['version']}", digest)
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
        if (
            not isinstance(gloss, dict)
            or set(gloss) != {*Gloss._fields, "source"}
            or not _texts(gloss)
        ):
            found = f"{shown(relation)}: {shown(gloss)}"
            findings.add(
                GLOSSES, None, "record", found, f"texts {', '.join(Gloss._fields)}, source"
            )
        else:
            glosses[relation] = Gloss(*(gloss[key] for key in Gloss._fields))
    return glosses


def _texts(*tables: Any) -> bool:
    values = [v for table in tables for key, v in table.items() if key != "version"]
    return all(isinstance(value, str) for value in values)


def _tables(folder: Folder, name: str, findings: Findings) -> dict[str, Any] | None:
    if not folder.has(name):
        return None
    try:
        return tomllib.loads(folder.text(name))
    except (ValueError, RecursionError) as problem:
        findings.add(name, None, "record", shown(str(problem)), "TOML")
        return None
