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
from typing import TYPE_CHECKING, Any

from rulemine.config import read_toml
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS
from rulemine.kinds.kind import Input
from rulemine.registry import packaged_or_given

if TYPE_CHECKING:
    from rulemine.recipe.inputs import Inputs

__all__ = ["INPUTS", "JOINS", "Joins", "Link", "load_joins"]

Link = tuple[str, bool]
"""A relation, and whether it leads from objects to subjects; of those that state one fact, the one asked."""

_TOPS, _FLAGS = ("unions", "akin"), ("chains", "unions")

_LISTS = {"joins": ("from", "to"), "together": ("links", "with")}

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
    path, known = packaged_or_given(source, "joins.toml"), set(relations)
    values = read_toml(path)
    classes, problems = _checked(values)
    if not problems and path == Path(source):
        problems = _unknown(values, classes, {*known})
    if problems:
        raise InputError(list_problems(str(path), problems, _EXPECTED))

    def links(named: Iterable[str]) -> list[Link]:
        found = (link for name in named for link in _members(name, classes))
        return [_asked(link, declarations) for link in found if link[0] in known]

    def pairs(table: str, flag: str = "") -> frozenset[tuple[Link, Link]]:
        first, second = _LISTS[table]
        rows = [row for row in values.get(table, ()) if not flag or row.get(flag)]
        ends = [(links(row[first]), links(row.get(second, row[first]))) for row in rows]
        return frozenset((one, other) for some, others in ends for one in some for other in others)

    def both_ways(flag: str = "") -> frozenset[tuple[Link, Link]]:
        found = pairs("together", flag)
        return found | {(other, one) for one, other in found}

    return Joins(
        pairs("joins"),
        pairs("joins", "chains"),
        pairs("joins", "unions"),
        both_ways(),
        both_ways("chains"),
        *(frozenset(links(values.get(name, ()))) for name in _TOPS),
    )


def _asked(link: Link, declarations: Declarations) -> Link:
    """The link that is asked for the facts of one."""
    relation, end = declarations.asked(link[0], DIRECTIONS[not link[1]])
    return relation, end == DIRECTIONS[0]


def _members(name: str, classes: Mapping[str, list[str]], turned: bool = False) -> Iterator[Link]:
    """The links that a name stands for."""
    if name.startswith("^"):
        name, turned = name[1:], not turned
    if name not in classes:
        yield name, turned
    for member in classes.get(name, ()):
        yield from _members(member, classes, turned)


def _checked(values: Mapping[str, Any]) -> tuple[dict[str, list[str]], list[str]]:
    """The classes, and what is wrong with the form of a file."""

    def are_names(some: Any) -> bool:
        return isinstance(some, list) and all(isinstance(one, str) and one for one in some)

    problems = [
        f"{name!r} is no part of it; {did_you_mean(name, ('classes', *_TOPS, *_LISTS))}"
        for name in values.keys() - {"classes", *_TOPS, *_LISTS}
    ]
    classes = values.get("classes", {})
    if not isinstance(classes, dict):
        return {}, [*problems, "classes is no table"]
    lists = [(f"class {name!r}", some) for name, some in classes.items()]
    lists += [(name, values.get(name, [])) for name in _TOPS]
    for table, (first, second) in _LISTS.items():
        rows = values.get(table, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            problems.append(f"{table} is no list of tables")
            continue
        for number, row in enumerate(rows, start=1):
            lists.append((f"{table} {number}: {first}", row.get(first)))
            needed = table == "joins" or second in row
            lists += [(f"{table} {number}: {second}", row.get(second))] * needed
            allowed = {first, second, *_FLAGS[: 2 if table == "joins" else 1]}
            problems += [f"{table} {number} has {key!r}" for key in sorted(row.keys() - allowed)]
            problems += [
                f"{table} {number}: {flag} is {row[flag]!r}; true or false was expected"
                for flag in _FLAGS
                if not isinstance(row.get(flag, False), bool)
            ]
    problems += [
        f"{where} is {some!r}; a list of names was expected"
        for where, some in lists
        if not are_names(some)
    ]
    nested = [
        name for name, some in classes.items() if are_names(some) and _is_nested(some, classes)
    ]
    problems += [f"class {name!r} names another class" for name in nested]
    return classes, problems


def _is_nested(members: Iterable[str], classes: Mapping[str, Any]) -> bool:
    return any(name.removeprefix("^") in classes for name in members)


def _unknown(
    values: Mapping[str, Any], classes: Mapping[str, list[str]], known: set[str]
) -> list[str]:
    """Problems of the names that are nearly those of relations or classes."""
    rows = [(row, keys) for table, keys in _LISTS.items() for row in values.get(table, [])]
    lists = [*classes.values(), *(values.get(name, []) for name in _TOPS)]
    lists += [row.get(key, []) for row, keys in rows for key in keys]
    named = dict.fromkeys(name.removeprefix("^") for some in lists for name in some)
    known |= classes.keys()
    hints = {name: did_you_mean(name, known) for name in named if name not in known}
    return [
        f"{name!r} is no relation of the graph and no class; {hint}"
        for name, hint in hints.items()
        if hint.startswith("did you mean")
    ]


def _read(inputs: "Inputs") -> Joins | None:
    from rulemine.recipe.inputs import of_key

    with of_key(f"{inputs.recipe.kind}.joins"):
        return load_joins(
            inputs.recipe.own.joins, inputs.kg.relations, inputs.templates.declarations
        )


JOINS = Input("joins", _read, digest=lambda joins: joins is not None)

INPUTS = (JOINS,)
"""What builds of kinds with a key ``joins`` read, before they mine; the digest is with the key."""
