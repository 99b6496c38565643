"""Joins that people make: which link of a question goes naturally on from which, and which stand together.

A file of joins is TOML. A link is a relation, from subject to object; with ``^`` before it, from object to
subject. A class names several; ``^`` before it turns all of them:

    unions = ["films by"]
    akin = ["^films by"]

    [classes]
    "films by" = ["/film/director/film", "^/film/film/written_by"]

    [[joins]]
    from = ["films by"]
    to = ["^films by", "/film/film/prequel"]
    forms = ["2p", "3p"]

    [[together]]
    links = ["films by"]
    with = ["^/film/film/genre"]

Every link of `from` leads to something from which every link of `to` may go on, in the forms named, or
in 2p where none is. Links that stand together may both give one entity, in the forms named, or in 2i
where none is; without `with`, any two of `links` do. 2u asks what one link of `unions` leads to from
either of two entities, up goes on from that by a row of joins. The two are akin: some link of `akin` leads
from one to the other, or it is the way back of the link that is asked and leads to both (any link will do,
if there is no such list).
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

Pairs = frozenset[tuple[Link, Link]]

_Names = tuple[str, ...]

_ROWS = {"joins": ("from", "to", "forms"), "together": ("links", "with", "forms")}
"""Table of the file → the keys of its rows, of which the first two list the links."""

_FORMS = {"joins": ("2p", "3p", "ip", "pi", "up"), "together": ("2i", "3i", "ip", "pi")}
"""Table → the forms of questions in which its pairs meet; those of a row that names none are the first."""

_NEEDED = ("from", "to", "links")

_EXPECTED = (
    'A file of joins has [classes], with lines name = ["relation", "^relation", …], [[joins]] with the '
    "lists from, to and, maybe, forms, [[together]] with the lists links and, maybe, with and "
    "forms, and the lists unions and akin."
)


@dataclass(frozen=True)
class Joins:
    """The joins of a file.

    Attributes:
        after: Form → pairs of links: the second goes on from what the first leads to.
        together: Form → pairs of links, in both orders, that may give one entity.
        unions: The links of 2u.
        akin: The links that lead from one topic of a union to the other, or back to both from what it gives.
    """

    after: Mapping[str, Pairs]
    together: Mapping[str, Pairs]
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

    def pairs(table: str) -> dict[str, Pairs]:
        (one, other, _), found = (
            _ROWS[table],
            {name: set[tuple[Link, Link]]() for name in _FORMS[table]},
        )
        for row in values[table]:
            ends = links(row[one]), links(row.get(other, row[one]))
            some = {(a, b) for a in ends[0] for b in ends[1]}
            for name in row.get("forms", _FORMS[table][:1]):
                found[name] |= some | ({(b, a) for a, b in some} if table == "together" else set())
        return {name: frozenset(some) for name, some in found.items()}

    return Joins(pairs("joins"), pairs("together"), links(values["unions"]), links(values["akin"]))


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
    values["classes"] = (
        read_value(
            dict[str, _Names],
            given.get("classes", {}),
            "classes",
            problems,
            Option(expected="lists of names"),
        )
        or {}
    )
    problems += [
        f"class {name!r} names another class"
        for name, members in values["classes"].items()
        if any(member.removeprefix("^") in values["classes"] for member in members)
    ]
    for table, keys in _ROWS.items():
        values[table] = (
            read_value(tuple[dict[str, Any], ...], given.get(table, ()), table, problems, tables)
            or ()
        )
        for number, row in enumerate(values[table], start=1):
            problems += [f"{table} {number} has {key!r}" for key in sorted(row.keys() - {*keys})]
            row |= {
                key: read_value(_Names, row.get(key), f"{table} {number}: {key}", problems, lists)
                or ()
                for key in keys
                if key in row or key in _NEEDED
            }
            for name in {*row.get("forms", ())}.difference(_FORMS[table]):
                expected = ", ".join(_FORMS[table])
                problems.append(
                    f"{table} {number}: forms has {name!r}; expected some of {expected}"
                )
    return values, [
        *(
            f"{name!r} is no part of it; {did_you_mean(name, values)}"
            for name in sorted(given.keys() - values)
        ),
        *problems,
    ]


def _named(values: Mapping[str, Any]) -> set[str]:
    """The relations that a file names."""
    lists = [values["unions"], values["akin"], *values["classes"].values()]
    for row in (row for table in _ROWS for row in values[table]):
        lists += [some for key, some in row.items() if key != "forms"]
    named = {name.removeprefix("^") for some in lists for name in some}
    return named.difference(values["classes"])


def _read(inputs: Inputs) -> Joins | None:
    declarations = inputs.templates.declarations
    with of_key(f"{inputs.recipe.kind}.joins"):
        return load_joins(inputs.recipe.own.joins, inputs.kg.relations, declarations)


JOINS = Input("joins", _read, digest=lambda joins: joins is not None)

INPUTS = (JOINS,)
"""What builds of kinds with a key ``joins`` read, before they mine; the digest is with the key."""
