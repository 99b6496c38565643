"""Files with one table per relation: reading them, what may be wrong, and what template files declare.

Declarations say which relations state the same facts (see `rulemine.kg.facts`). Each key stands in the table
of either of the relations, which may have no templates:

    ["spouse"]
    symmetric = true

    ["parent"]
    inverse_of = "child"    # a relation or a list; same_as too

Guarantee: a template file that is read has templates with their placeholders, descriptions that can be read,
and no wording for two questions with different answers.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rulemine.codec import dump_line, shown, slots_of
from rulemine.config import decode, read_toml
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.kg.facts import Declarations, FoundDeclaration
from rulemine.kg.graph import DIRECTIONS
from rulemine.phrasing.descriptions import description_problem, wordings
from rulemine.text.template import template_problem

__all__ = [
    "ENDS", "PLACEHOLDERS", "RelationTable", "closed_ends", "found_lines", "lines_of", "misspelled",
    "questions_of", "read_tables", "read_template_file", "table_problems", "template_problems",
]  # fmt: skip

_T = TypeVar("_T")

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
_LISTS = ("inverse_of", "same_as")
_KEYS = {"symmetric": "symmetric", "inverse": "inverse_of", "same": "same_as"}


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


@dataclass(frozen=True, slots=True)
class _Declaring:
    """The keys of a relation that has no templates of its own."""

    symmetric: bool = False
    inverse_of: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


_Tables = Mapping[str, RelationTable | _Declaring]


def read_tables(
    path: Path,
    kind: type[_T],
    placeholders: Mapping[str, Sequence[str]],
    expected: str,
    bare: type[Any] | None = None,
) -> dict[str, _T]:
    """Reads a TOML file with one table per relation, in file order.

    Args:
        path: The file.
        kind: The keys of a table.
        placeholders: Key of each template → its placeholders.
        expected: What the file should contain, as a sentence.
        bare: The class of a table that has some of its keys, which all have defaults, and no other;
            None: there is no such table.

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
        else:
            values = {k: [v] if k in _LISTS and isinstance(v, str) else v for k, v in table.items()}
            own: type[Any] = kind
            if bare and values and {*values} <= {slot.name for slot in slots_of(bare)}:
                own = bare
            if record := decode(own, values, found, suggest=partial(_suggest, table)):
                records[relation] = record
                found = template_problems(record, placeholders) if own is kind else []
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
        if (text := getattr(record, key)) is not None and (found := template_problem(text, names))
    ]


def _suggest(table: Mapping[str, object], key: str, known: Iterable[str]) -> str:
    return did_you_mean(key, known) + (
        "; a relation with a dot needs quotes" if isinstance(table[key], Mapping) else ""
    )


def misspelled(written: Collection[str], names: Collection[str]) -> Iterator[str]:
    """Yields a line for each relation of a file that looks like a misspelling of one of the graph."""
    missing = [name for name in names if name not in written]
    for relation in written:
        if relation not in names and missing:
            hint = did_you_mean(relation, missing)
            if hint.startswith("did you mean"):
                yield f"relation {relation!r} is not in the graph; {hint}"


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
    every: _Tables = read_tables(path, RelationTable, PLACEHOLDERS, _EXPECTED, _Declaring)
    tables = {r: table for r, table in every.items() if isinstance(table, RelationTable)}
    declared = Declarations.of(
        [r for r, table in every.items() if table.symmetric],
        [(r, other) for r, table in every.items() for other in table.inverse_of],
        [(r, other) for r, table in every.items() for other in table.same_as],
    ).joined(further)
    problems = [*misspelled(every, names), *_unknown(every, {*names, *every})]
    if problems := [*problems, *table_problems(tables, declared)]:
        raise InputError(list_problems(str(path), problems, _ADVICE))
    return tables, declared


def table_problems(tables: Mapping[str, RelationTable], declared: Declarations) -> list[str]:
    """A line for each description that cannot be read, wording of two questions, and wrong ``ask``."""
    return [*_wrong_texts(tables, declared), *_wrong_asks(tables, declared)]


def closed_ends(
    tables: Mapping[str, RelationTable], declared: Declarations
) -> set[tuple[str, str]]:
    """The ends that are not asked for, as `Declarations.asked` names them."""
    asked = {relation: ENDS.get(table.ask, DIRECTIONS) for relation, table in tables.items()}
    return {declared.asked(r, end) for r in asked for end in DIRECTIONS if end not in asked[r]}


def questions_of(table: RelationTable) -> Iterator[tuple[str, str]]:
    """Yields each text that asks for an end or describes it, after that end."""
    asks = (
        (table.ask_subject, table.ask_subjects, table.describe_subject),
        (table.ask_object, table.ask_objects, table.describe_object),
    )
    for direction, (one, several, description) in zip(DIRECTIONS, asks, strict=True):
        texts = dict.fromkeys((one, several or one, *wordings(description or "")))
        yield from ((direction, text) for text in texts)


def _unknown(tables: _Tables, known: Collection[str]) -> Iterator[str]:
    """Yields a line for each declaration about a relation that neither graph nor file has."""
    for relation, table in tables.items():
        for key in _LISTS:
            for other in getattr(table, key):
                if other not in known:
                    hint = did_you_mean(other, known)
                    hint = f"; {hint}" if hint.startswith("did you mean") else ""
                    yield f"relation {relation!r}: {key} names {other!r}, which is unknown{hint}"


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


def _wrong_texts(tables: Mapping[str, RelationTable], declared: Declarations) -> Iterator[str]:
    """Yields a line for each unreadable description and each wording of questions with different answers."""
    first: dict[str, tuple[str, str]] = {}
    for relation, table in tables.items():
        for key in ("describe_subject", "describe_object"):
            text = getattr(table, key)
            if text is not None and (problem := description_problem(text)):
                yield f"relation {relation!r}: key {key}: {problem}"
        for direction, text in questions_of(table):
            before = first.setdefault(text, (relation, direction))
            if declared.asked(*before) != declared.asked(relation, direction):
                both = f"relations {before[0]!r} and {relation!r}: both ask {text!r}"
                alone = f"relation {relation!r}: asks for both ends with {text!r}"
                yield alone if before[0] == relation else both


def lines_of(rows: Iterable[tuple[str, str, str, str]]) -> list[str]:
    """The lines of a file that declares something, each with a comment.

    Args:
        rows: Relation, other relation, how they look (see `rulemine.kg.facts.Lookalike`), comment.
    """
    tables: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for relation, other, looks, why in rows:
        tables.setdefault(relation, {}).setdefault(_KEYS[looks], []).append((other, why))
    lines = []
    for relation, keys in tables.items():
        lines.append(f"[{dump_line(relation)}]")
        for key, others in keys.items():
            (other, why), *more = others
            value = "true" if key == "symmetric" else dump_line(other)
            several = [f"{key} = [", *(f"  {dump_line(o)},  # {w}" for o, w in others), "]"]
            lines += several if more else [f"{key} = {value}  # {why}"]
    return lines


def found_lines(found: Sequence[FoundDeclaration]) -> list[str]:
    """The lines of a file that declares what is found; what is no declaration is a comment."""

    def counted(row: FoundDeclaration) -> str:
        return ", ".join(f"{stated:,} of {triples:,}" for stated, triples in row.counts)

    narrower = [
        f"# not declared: {dump_line(row.other)} states {counted(row)} triples of {dump_line(row.relation)}"
        + ", from object to subject" * (row.looks == "narrower_inverse")
        for row in found
        if not row.declares
    ]
    declared = [(*row[:3], f"states {counted(row)}") for row in found if row.declares]
    return [*lines_of(declared), *narrower]
