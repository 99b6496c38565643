"""Template files: the keys of a relation, what may be wrong with them, and what they declare.

Guarantee: a file that is read has templates with their placeholders, descriptions that can be read, and no
wording for two questions with different answers.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rulemine.codec import shown
from rulemine.errors import InputError, list_problems
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.declarations import LISTS, Declaring, declared_in, unknown_in
from rulemine.phrasing.descriptions import description_problem, wordings
from rulemine.phrasing.tables import misspelled, read_tables

__all__ = [
    "ENDS",
    "PLACEHOLDERS",
    "RelationTable",
    "closed_ends",
    "questions_of",
    "read_template_file",
    "table_problems",
]

PLACEHOLDERS = {
    "statement": ("subject", "object"),
    "ask_subject": ("topic",),
    "ask_object": ("topic",),
    "ask_subjects": ("topic",),
    "ask_objects": ("topic",),
}
_EXPECTED = (
    "A template file has one table per relation with the keys statement ({subject} and {object}), "
    "ask_subject and ask_object ({topic}), and may have ask_subjects, ask_objects, "
    "describe_subject, describe_object, ask with ask_reason, symmetric, inverse_of, same_as and place; or "
    "only some of symmetric, inverse_of and same_as."
)
ENDS = {"both": DIRECTIONS, "subject": ("subject",), "object": ("object",), "none": ()}
"""Value of the key ``ask`` → the ends that are asked for."""

_ADVICE = (
    "Relation names must match exactly. Relations with one wording must state the same facts: declare that "
    "(symmetric, inverse_of, same_as), or ask them apart."
)


@dataclass(frozen=True, slots=True)
class RelationTable:
    """The keys of a relation in a template file, see `rulemine.phrasing.templates`."""

    statement: str
    ask_subject: str
    ask_object: str
    ask_subjects: str | None = None
    ask_objects: str | None = None
    describe_subject: str | None = None
    describe_object: str | None = None
    ask: str = "both"
    ask_reason: str = ""
    symmetric: bool = False
    inverse_of: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()
    place: bool = False


def read_template_file(
    path: Path, names: Collection[str], further: Declarations
) -> tuple[dict[str, RelationTable], Declarations]:
    """Reads a template file.

    Args:
        path: The file.
        names: The relations of the graph.
        further: What is declared besides.

    Returns:
        Relation → its keys, in file order, for those with templates; and all that is declared.

    Raises:
        InputError: As `read_tables`; or the file names a relation that is not in the graph and looks like
            a misspelling of one without templates, declares something about an unknown relation, or asks
            two relations with one wording that are not declared to state the same facts.
    """
    every = read_tables(path, RelationTable, PLACEHOLDERS, _EXPECTED, LISTS, Declaring)
    tables = {r: table for r, table in every.items() if isinstance(table, RelationTable)}
    declared = declared_in(every).joined(further)
    problems = [*misspelled(every, names), *unknown_in(every, {*names, *every})]
    if problems := [*problems, *table_problems(tables, declared)]:
        raise InputError(list_problems(str(path), problems, _ADVICE))
    return tables, declared


def table_problems(tables: Mapping[str, RelationTable], declared: Declarations) -> list[str]:
    """A line for each description that cannot be read, wording of two questions, and wrong ``ask``."""
    return [
        *_wrong_descriptions(tables),
        *_asked_alike(tables, declared),
        *_wrong_asks(tables, declared),
    ]


def closed_ends(
    tables: Mapping[str, RelationTable], declared: Declarations
) -> set[tuple[str, str]]:
    """The ends that are not asked for, as `Declarations.asked` names them."""
    asked = {relation: ENDS.get(table.ask, DIRECTIONS) for relation, table in tables.items()}
    return {declared.asked(r, end) for r in asked for end in DIRECTIONS if end not in asked[r]}


def _wrong_asks(tables: Mapping[str, RelationTable], declared: Declarations) -> Iterator[str]:
    """Yields a line for each relation that does not say why an end is not asked for, or leaves out both."""
    closed = closed_ends(tables, declared)
    for relation, table in tables.items():
        where = f"relation {relation!r}: key ask: {shown(table.ask)}"
        if table.ask not in ENDS:
            yield f'{where}; expected "subject", "object", "both" or "none"'
        elif table.ask != "both" and not table.ask_reason.strip():
            yield f"{where} needs an ask_reason, which says why the other end is not asked for"
        elif table.ask in DIRECTIONS and declared.asked(relation, table.ask) in closed:
            yield f"{where}: together with what states the same, no end is asked for"


def _wrong_descriptions(tables: Mapping[str, RelationTable]) -> Iterator[str]:
    for relation, table in tables.items():
        for key in ("describe_subject", "describe_object"):
            text = getattr(table, key)
            if text is not None and (problem := description_problem(text)):
                yield f"relation {relation!r}: key {key}: {problem}"


def _asked_alike(tables: Mapping[str, RelationTable], declared: Declarations) -> Iterator[str]:
    """Yields a line for each wording of two questions that have different answers."""
    first: dict[str, tuple[str, str]] = {}
    for relation, table in tables.items():
        for direction, text in questions_of(table):
            before = first.setdefault(text, (relation, direction))
            if declared.asked(*before) == declared.asked(relation, direction):
                continue
            if before[0] == relation:
                yield f"relation {relation!r}: asks for both ends with {text!r}"
            else:
                yield f"relations {before[0]!r} and {relation!r}: both ask {text!r}"


def questions_of(table: RelationTable) -> Iterator[tuple[str, str]]:
    """Yields each text that asks for an end or describes it, after that end."""
    asks = (
        (table.ask_subject, table.ask_subjects, table.describe_subject),
        (table.ask_object, table.ask_objects, table.describe_object),
    )
    for direction, (one, several, description) in zip(DIRECTIONS, asks, strict=True):
        yield from (
            (direction, text)
            for text in dict.fromkeys((one, several or one, *wordings(description or "")))
        )
