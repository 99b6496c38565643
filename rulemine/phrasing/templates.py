"""Verbalization templates: files that users can edit, and derived templates for all other relations.

A template file is TOML with one table per relation; all three keys are needed:

    ["aunt"]
    statement = "{subject} is the aunt of {object}"
    ask_subject = "Who is the aunt of {topic}?"
    ask_object = "Who is {topic} the aunt of?"

``{{`` and ``}}`` stand for braces. Guarantees: every template holds each of its placeholders exactly
once, not touching a letter or digit; names are put in verbatim, whatever they contain; no two derived
templates of a graph ask the same question for different relations.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, TypeVar

from rulemine.codec import decode, shown
from rulemine.config import packaged_or_given, read_toml
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.derive import derive
from rulemine.text.template import escape, fill, template_problem

__all__ = [
    "RelationTemplates",
    "Templates",
    "check_spelling",
    "load_templates",
    "read_tables",
    "read_templates",
    "template_problems",
]

_T = TypeVar("_T")

PLACEHOLDERS = {
    "statement": ("subject", "object"),
    "ask_subject": ("topic",),
    "ask_object": ("topic",),
}
_EXPECTED = (
    "A template file has one table per relation with the keys statement ({subject} and {object}), "
    "ask_subject and ask_object ({topic})."
)


@dataclass(frozen=True, slots=True)
class RelationTemplates:
    """The templates of a relation.

    Attributes:
        relation: The relation.
        statement: Template of the triple as a clause, with ``{subject}`` and ``{object}``.
        ask_subject: Template of a question for the subjects, with ``{topic}`` for the object.
        ask_object: Template of a question for the objects, with ``{topic}`` for the subject.
        source: ``written`` (by hand) or ``derived`` (from the relation's name).
    """

    relation: str
    statement: str
    ask_subject: str
    ask_object: str
    source: str

    def state(self, subject: str, object: str) -> str:
        """The triple in words, e.g. ``7 is the aunt of 72``."""
        return fill(self.statement, {"subject": subject, "object": object})

    def ask(self, direction: str, topic: str) -> str:
        """The question for the subjects or the objects, see `rulemine.kg.graph.DIRECTIONS`."""
        template = self.ask_subject if direction == DIRECTIONS[0] else self.ask_object
        return fill(template, {"topic": topic})


@dataclass(frozen=True)
class Templates:
    """The templates of all relations of a graph.

    Attributes:
        rows: The templates of each relation, sorted by relation.
        unused: Relations of the template file that the graph lacks, sorted.
    """

    rows: tuple[RelationTemplates, ...]
    unused: tuple[str, ...] = ()

    @cached_property
    def _by_relation(self) -> dict[str, RelationTemplates]:
        return {row.relation: row for row in self.rows}

    def __getitem__(self, relation: str) -> RelationTemplates:
        return self._by_relation[relation]

    declarations: ClassVar[Declarations] = Declarations()

    @property
    def written(self) -> int:
        """How many relations have written templates."""
        return sum(row.source == "written" for row in self.rows)

    @property
    def derived(self) -> int:
        """How many relations have templates derived from their names."""
        return len(self.rows) - self.written

    def to_plain(self) -> list[list[str]]:
        """The templates as rows of plain values, fields in their order."""
        return [
            [row.relation, row.statement, row.ask_subject, row.ask_object, row.source]
            for row in self.rows
        ]

    @classmethod
    def from_plain(cls, rows: Iterable[Sequence[str]]) -> "Templates":
        """Reads what `to_plain` writes, e.g. the first columns of ``relations.tsv``."""
        return cls(
            tuple(sorted((RelationTemplates(*row) for row in rows), key=lambda row: row.relation))
        )


def load_templates(source: str | Path, relations: Iterable[str]) -> Templates:
    """Loads the templates of a graph: those of a file, and derived ones for all other relations.

    Args:
        source: A template file, the name of a packaged data set that has one, or "" for none.
        relations: The relations of the graph.

    Raises:
        InputError: As `read_templates`; or the file names a relation that is not in the graph and looks like
            a misspelling of one without templates.
    """
    names = sorted(set(relations))
    written: dict[str, RelationTemplates] = {}
    if source != "":
        path = packaged_or_given(str(source), "templates.toml")
        written = read_templates(path)
        check_spelling(path, written, names)
    derived = {name: _derived(name) for name in names if name not in written}
    rows = tuple(written.get(name) or derived[name] for name in names)
    unused = tuple(sorted(set(written).difference(names)))
    return Templates(_distinct(rows), unused)


def read_templates(path: Path) -> dict[str, RelationTemplates]:
    """Reads the templates of a TOML file, by relation, in file order.

    Raises:
        InputError: As `read_tables`.
    """
    return {
        relation: RelationTemplates(relation, t.statement, t.ask_subject, t.ask_object, "written")
        for relation, t in read_tables(path, _Table, PLACEHOLDERS, _EXPECTED).items()
    }


@dataclass(frozen=True, slots=True)
class _Table:
    """The keys of a relation in a template file."""

    statement: str
    ask_subject: str
    ask_object: str


def read_tables(
    path: Path, kind: type[_T], placeholders: Mapping[str, Sequence[str]], expected: str
) -> dict[str, _T]:
    """Reads a TOML file with one table per relation, in file order.

    Args:
        path: The file.
        kind: The keys of a table.
        placeholders: Key of each template → its placeholders.
        expected: What the file should contain, as a sentence.

    Raises:
        InputError: The file cannot be read, is not TOML or is empty; or tables, keys or templates are wrong:
            one message counts them and spells out the first ten.
    """
    problems: list[str] = []
    records: dict[str, _T] = {}
    for relation, table in read_toml(path, expected).items():
        found: list[str] = []
        if not isinstance(table, Mapping):
            found = [
                f'is {shown(table)}; a table was expected: write ["{relation}"] on its own line'
            ]
        elif record := decode(kind, table, found, suggest=partial(_suggest, table)):
            records[relation] = record
            found = template_problems(record, placeholders)
        problems += [f"relation {relation!r}: {problem}" for problem in found]
    if problems:
        raise InputError(list_problems(str(path), problems, expected))
    if not records:
        raise InputError(f"{path}: is empty. {expected}")
    return records


def template_problems(record: object, placeholders: Mapping[str, Sequence[str]]) -> list[str]:
    """The problems of the templates of a record, one line each."""
    return [
        f"key {key}: {found}"
        for key, names in placeholders.items()
        if (found := template_problem(getattr(record, key), names))
    ]


def _suggest(table: Mapping[str, object], key: str, known: Iterable[str]) -> str:
    more = "; a relation with a dot needs quotes" if isinstance(table[key], Mapping) else ""
    return did_you_mean(key, known) + more


def check_spelling(path: Path, written: Collection[str], names: Collection[str]) -> None:
    """Refuses relations of a file that are not in the graph and look like a misspelling of one that is.

    Args:
        path: The file.
        written: Its relations, in file order.
        names: The relations of the graph.

    Raises:
        InputError: There are some; names all of them.
    """
    missing = [name for name in names if name not in written]
    problems = [
        f"relation {relation!r} is not in the graph; {hint}"
        for relation in written
        if relation not in names and missing
        for hint in [did_you_mean(relation, missing)]
        if hint.startswith("did you mean")
    ]
    if problems:
        raise InputError(list_problems(str(path), problems, "Relation names must match exactly."))


def _derived(relation: str, *, typed: bool = False) -> RelationTemplates:
    return RelationTemplates(relation, *derive(relation, typed=typed), source="derived")


def _distinct(rows: Sequence[RelationTemplates]) -> tuple[RelationTemplates, ...]:
    """Replaces derived templates until no two relations share a question."""
    typed = _replaced(rows, lambda row: _derived(row.relation, typed=True))
    return _replaced(typed, _with_name)


def _replaced(
    rows: Sequence[RelationTemplates], other: Callable[[RelationTemplates], RelationTemplates]
) -> tuple[RelationTemplates, ...]:
    shared = _shared(rows)
    return tuple(
        other(row)
        if row.source == "derived" and shared & {row.ask_subject, row.ask_object}
        else row
        for row in rows
    )


def _shared(rows: Sequence[RelationTemplates]) -> set[str]:
    seen: dict[str, int] = {}
    for row in rows:
        for template in {row.ask_subject, row.ask_object}:
            seen[template] = seen.get(template, 0) + 1
    return {template for template, n in seen.items() if n > 1}


def _with_name(row: RelationTemplates) -> RelationTemplates:
    """Appends the full name of the relation to each question."""
    name = f" (relation “{escape(row.relation)}”)?"
    return replace(
        row,
        ask_subject=row.ask_subject.removesuffix("?") + name,
        ask_object=row.ask_object.removesuffix("?") + name,
    )
