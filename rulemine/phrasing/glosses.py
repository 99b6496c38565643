"""Relation descriptions (glosses): what a relation means, and which end is which.

A gloss file is TOML with one table per relation; `rulemine data gloss` writes it and people review it:

    ["aunt"]
    statement = "{subject} is the aunt of {object}"
    subjects = "the aunts of {topic}"
    objects = "the nieces and nephews of {topic}"
    source = "written"

``{{`` and ``}}`` stand for braces. Guarantees: every relation of a graph has a description, made from its
templates if no file has one; each text has each of its placeholders exactly once.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rulemine.config import option
from rulemine.errors import InputError, list_problems
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.template_file import misspelled, read_tables
from rulemine.phrasing.templates import RelationTemplates, Templates
from rulemine.registry import packaged_or_given
from rulemine.text.template import fill

__all__ = [
    "Gloss",
    "Glosses",
    "gloss_of",
    "load_glosses",
    "read_glosses",
]

PLACEHOLDERS = {
    "statement": ("subject", "object"),
    "subjects": ("topic",),
    "objects": ("topic",),
}
_KEYS = (*PLACEHOLDERS, "source")
_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_EXPECTED = (
    "A gloss file has one table per relation with the keys statement ({subject} and {object}), "
    "subjects and objects ({topic}), and may have source (written, model or template)."
)


@dataclass(frozen=True, slots=True)
class Gloss:
    """The description of a relation.

    Attributes:
        relation: The relation.
        statement: The triple as a clause, with ``{subject}`` and ``{object}``, e.g. ``{subject} is the
            aunt of {object}``.
        subjects: What a question for the subjects asks for, with ``{topic}`` for the object, e.g. ``the
            aunts of {topic}``.
        objects: What a question for the objects asks for, with ``{topic}`` for the subject, e.g. ``the
            nieces and nephews of {topic}``.
        source: ``written`` (by hand or reviewed), ``model``, or ``template`` (made from the templates).
    """

    relation: str
    statement: str
    subjects: str
    objects: str
    source: str

    def state(self, subject: str, object: str) -> str:
        """The triple in words, e.g. ``7 is the aunt of 72``."""
        return fill(self.statement, {"subject": subject, "object": object})

    def asked(self, direction: str, topic: str) -> str:
        """What a question for the subjects or the objects asks for, e.g. ``the aunts of 72``."""
        return fill(self.subjects if direction == DIRECTIONS[0] else self.objects, {"topic": topic})


@dataclass(frozen=True)
class Glosses:
    """The descriptions of all relations of a graph.

    Attributes:
        rows: One description per relation, sorted by relation.
    """

    rows: tuple[Gloss, ...]

    @cached_property
    def _by_relation(self) -> dict[str, Gloss]:
        return {row.relation: row for row in self.rows}

    def __getitem__(self, relation: str) -> Gloss:
        return self._by_relation[relation]

    def to_toml(self) -> str:
        """Writes a gloss file that `load_glosses` reads back unchanged."""
        tables = (
            (
                f"[{_quoted(row.relation)}]",
                *(f"{key} = {_quoted(getattr(row, key))}" for key in _KEYS),
            )
            for row in self.rows
        )
        return "\n".join("\n".join(lines) + "\n" for lines in tables)


def _quoted(text: str) -> str:
    """A TOML string: as in JSON, but DEL is escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def load_glosses(source: str, templates: Templates, symmetric: Collection[str] = ()) -> Glosses:
    """Loads the descriptions of a graph: those of a file, the rest made from templates.

    Args:
        source: A gloss file, the name of a packaged data set that has one, or "" for none.
        templates: The templates of all relations of the graph.
        symmetric: Relations that hold in both directions in the graph, see `gloss_of`.

    Raises:
        InputError: As `read_glosses`; or the file names a relation that is not in the graph and looks like
            a misspelling of one without description.
    """
    path = packaged_or_given(source, "glosses.toml")
    given = read_glosses(path) if source else {}
    names = [template.relation for template in templates.rows]
    if problems := [*misspelled(given, names)]:
        raise InputError(list_problems(str(path), problems, "Relation names must match exactly."))
    return Glosses(
        tuple(
            given.get(row.relation) or gloss_of(row, row.relation in symmetric)
            for row in templates.rows
        )
    )


def read_glosses(path: Path) -> dict[str, Gloss]:
    """Reads the descriptions of a file, by relation, in file order; ``source`` is ``written`` if missing.

    Raises:
        InputError: As `read_tables`.
    """
    return {
        relation: Gloss(relation, t.statement, t.subjects, t.objects, t.source)
        for relation, t in read_tables(path, _Table, PLACEHOLDERS, _EXPECTED).items()
    }


@dataclass(frozen=True, slots=True)
class _Table:
    """The keys of a relation in a gloss file."""

    statement: str
    subjects: str
    objects: str
    source: str = option("written", choices=("written", "model", "template"))


def gloss_of(template: RelationTemplates, symmetric: bool = False) -> Gloss:
    """Makes a description from templates.

    Args:
        template: The templates of the relation.
        symmetric: Whether the relation holds in both directions, as siblings do: then both ends are described
            in the same words.

    Example:
        >>> aunt = RelationTemplates("aunt", "{subject} is the aunt of {object}", *[""] * 4, "written")
        >>> gloss_of(aunt).subjects
        'every X such that “X is the aunt of {topic}”'
    """

    def such_that(wanted: str, topic: str) -> str:
        names = {wanted: "X", topic: "{topic}"}
        clause = _PART.sub(lambda p: names[p[1]] if p[1] else p[0], template.statement)
        return f"every X such that “{clause}”"

    subjects = such_that("subject", "object")
    objects = subjects if symmetric else such_that("object", "subject")
    return Gloss(template.relation, template.statement, subjects, objects, "template")
