"""TOML files with one table per relation: reading them, and what is wrong with them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rulemine.codec import shown, slots_of
from rulemine.config import decode, read_toml
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.text.template import template_problem

__all__ = ["misspelled", "read_tables", "template_problems"]

_T = TypeVar("_T")


def read_tables(
    path: Path,
    kind: type[_T],
    placeholders: Mapping[str, Sequence[str]],
    expected: str,
    lists: Collection[str] = (),
    bare: type[Any] | None = None,
) -> dict[str, _T]:
    """Reads a TOML file with one table per relation, in file order.

    Args:
        path: The file.
        kind: The keys of a table.
        placeholders: Key of each template → its placeholders.
        expected: What the file should contain, as a sentence.
        lists: Keys of lists of texts that may be a single text.
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
            values = {k: [v] if k in lists and isinstance(v, str) else v for k, v in table.items()}
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
