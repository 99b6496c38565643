"""Joins that people make: which link of a question goes naturally on from which, and which stand together.

A file of joins is TOML. A link is a relation, from subject to object; with ``^`` before it, from object to
subject. A class names several; ``^`` before it turns all of them:

    unions = ["films by"]
    akin = ["/film/film/prequel"]

    [classes]
    "films by" = ["/film/director/film", "^/film/film/written_by"]

    [[joins]]
    from = ["films by"]
    to = ["^films by", "/film/film/prequel"]
    chains = true

    [[together]]
    links = ["films by"]
    with = ["^/film/film/genre"]
    chains = true

Every link of `from` leads to something from which every link of `to` may go on; where `chains`, also in a
chain of three or more; where `unions`, also from a union. Links that stand together may both give one entity;
without `with`, any two of `links` do; where `chains`, also where a chain leads there. A union is of what one
link of `unions` leads to from two entities; some link of `akin` leads to both of these from one entity (any
link, if there is no such list).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.config import Option, read_toml, read_value
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.kinds.kind import Input
from rulemine.phrasing.template_file import misspelled
from rulemine.recipe.inputs import Inputs, of_key
from rulemine.registry import packaged_or_given

__all__ = ["INPUTS", "JOINS", "Joins", "Link", "load_joins"]

Link = tuple[str, bool]
"""A relation, and whether it leads from objects to subjects; of those that state one fact, the one asked."""

_Names = tuple[str, ...]

_ROWS: Mapping[str, Mapping[str, Any]] = {
    "joins": {"from": _Names, "to": _Names, "chains": bool, "unions": bool},
    "together": {"links": _Names, "with": _Names, "chains": bool},
}
"""Table of the file → the keys of its rows, of which the first two list the links; with their types."""

_NEEDED = ("from", "to", "links")

_EXPECTED = (
    'A file of joins has [classes], with lines name = ["relation", "^relation", …], [[joins]] with the '
    "lists from and to, and maybe chains = true or unions = true, [[together]] with the lists links and, "
    "maybe, with and chains = true, and the lists unions and akin."
)


@dataclass(frozen=True)
class Joins:
    """The joins of a file.

    Attributes:
        after: Pairs of links: the second goes on from what the first leads to.
        chains: Those of them that may be in a chain of three or more.
        after_unions: Those of them whose second link goes on from a union.
        together: Pairs of links, in both orders, that may give one entity.
        beside_chains: Those of them of which one may be the end of a chain.
        unions: The links whose unions are asked.
        akin: The links that lead to akin entities from one.
    """

    after: frozenset[tuple[Link, Link]]
    chains: frozenset[tuple[Link, Link]]
    after_unions: frozenset[tuple[Link, Link]]
    together: frozenset[tuple[Link, Link]]
    beside_chains: frozenset[tuple[Link, Link]]
    unions: frozenset[Link]
    akin: frozenset[Link]


def load_joins(source: str, relations: Iterable[str], declarations: Declarations) -> Joins | None:
    """Reads a file of joins.

    Args:
        source: The file, the name of a packaged data set that has one, or "" for none.
        relations: The relations of the graph; links of others are left out.
        declarations: Which relations state the same facts.

    Returns:
        The joins; None: there is no file.

    Raises:
        InputError: The file is missing or malformed, or names a relation or class that is not known.
    """
    if source == "":
        return None
    path, known = packaged_or_given(source, "joins.toml"), {*relations}
    values, problems = _checked(read_toml(path))
    classes: Mapping[str, _Names] = values["classes"]
    if path == Path(source) and not problems:
        problems = [*misspelled(_named(values), known)]
    if problems:
        raise InputError(list_problems(str(path), problems, _EXPECTED))

    def links(named: Iterable[str]) -> frozenset[Link]:
        found = (link for name in named for link in _members(name, classes))
        return frozenset(_asked(link, declarations) for link in found if link[0] in known)

    def pairs(table: str, flag: str = "") -> frozenset[tuple[Link, Link]]:
        one, other, *_ = _ROWS[table]
        rows = [row for row in values[table] if not flag or row.get(flag)]
        ends = [(links(row[one]), links(row.get(other, row[one]))) for row in rows]
        found = {(a, b) for some, others in ends for a in some for b in others}
        return frozenset(found | ({(b, a) for a, b in found} if table == "together" else set()))

    return Joins(
        pairs("joins"),
        pairs("joins", "chains"),
        pairs("joins", "unions"),
        pairs("together"),
        pairs("together", "chains"),
        links(values["unions"]),
        links(values["akin"]),
    )


def _asked(link: Link, declarations: Declarations) -> Link:
    """The link that is asked for the facts of one."""
    relation, end = declarations.asked(link[0], DIRECTIONS[not link[1]])
    return relation, end == DIRECTIONS[0]


def _members(name: str, classes: Mapping[str, _Names]) -> Iterator[Link]:
    """The links that a name stands for: those of a class, or one."""
    for member in classes.get(name.removeprefix("^"), (name.removeprefix("^"),)):
        yield member.removeprefix("^"), name.startswith("^") != member.startswith("^")


def _checked(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parts of a file, and what is wrong with their form."""
    problems: list[str] = []
    lists, tables = Option(expected="a list of names"), Option(expected="a list of tables")
    values = {
        name: read_value(_Names, given.get(name, ()), name, problems, lists)
        for name in ("unions", "akin")
    }
    classes = read_value(
        dict[str, _Names],
        given.get("classes", {}),
        "classes",
        problems,
        Option(expected="lists of names"),
    )
    values["classes"] = classes or {}
    problems += [
        f"class {name!r} names another class"
        for name, members in values["classes"].items()
        if any(member.removeprefix("^") in classes for member in members)
    ]
    for table, keys in _ROWS.items():
        rows = read_value(tuple[dict[str, Any], ...], given.get(table, ()), table, problems, tables)
        values[table] = rows or ()
        for number, row in enumerate(values[table], start=1):
            problems += [f"{table} {number} has {key!r}" for key in sorted(row.keys() - keys)]
            for key in [key for key in keys if key in row or key in _NEEDED]:
                option = lists if keys[key] is _Names else None
                read_value(keys[key], row.get(key), f"{table} {number}: {key}", problems, option)
    unknown = sorted(given.keys() - values)
    return values, [
        *(f"{name!r} is no part of it; {did_you_mean(name, values)}" for name in unknown),
        *problems,
    ]


def _named(values: Mapping[str, Any]) -> set[str]:
    """The relations that a file names."""
    lists = [values["unions"], values["akin"], *values["classes"].values()]
    for row in (row for table in _ROWS for row in values[table]):
        lists += [some for some in row.values() if not isinstance(some, bool)]
    named = {name.removeprefix("^") for some in lists for name in some}
    return named.difference(values["classes"])


def _read(inputs: Inputs) -> Joins | None:
    declarations = inputs.templates.declarations
    with of_key(f"{inputs.recipe.kind}.joins"):
        return load_joins(inputs.recipe.own.joins, inputs.kg.relations, declarations)


JOINS = Input("joins", _read, digest=lambda joins: joins is not None)

INPUTS = (JOINS,)
"""What builds of kinds with a key ``joins`` read, before they mine; the digest is with the key."""
