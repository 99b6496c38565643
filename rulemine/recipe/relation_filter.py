"""Excluded relations, which are not asked about: by a filter file, and by statistics of the graph.

A filter file is TOML with a table, relation → reason:

    [drop]
    "/common/topic/webpage./common/webpage/category" = "about a web page, not about the topic"

It may also say which rules have to be more confident than others (see `rulemine.rules.standards`), for
relations and classes of relations that it names itself:

    [classes]
    credit = ["/film/film/written_by", "/film/film/music"]

    [[standards]]
    head = ["credit"]
    body_only = ["credit"]
    min_std_confidence = 0.5
    reason = "who worked together elsewhere may or may not have done so here"

Guarantees: relations are excluded before anything is removed, so no removal is spent on them; their
triples stay, may be part of proofs, and are never removed; each excluded relation has one reason, that
of the file before that of a statistic.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.config import build, read_toml
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import rows_by_relation
from rulemine.registry import packaged_or_given
from rulemine.rules.standards import Standard

__all__ = [
    "ONE_END",
    "TOO_MANY",
    "excluded_relations",
    "load_classes",
    "load_filter",
    "load_standards",
]

ONE_END = "one entity is an end of most of its facts"
TOO_MANY = "its questions have too many answers"

NO_FILE = ("", "found")
"""Values of ``questions.filter`` that name none."""

_TABLES = ("drop", "classes", "standards")

_EXPECTED = (
    'A filter file has the table [drop], with lines "relation" = "reason", and may have [classes], with '
    'lines name = ["relation", …], and [[standards]], each with a reason and some of head, head_not, '
    "body_only, body_any and min_std_confidence."
)

_LISTS = ("head", "head_not", "body_only", "body_any")


def load_filter(source: str | Path, relations: Iterable[str]) -> dict[str, str]:
    """Reads the relations of a filter file with their reasons, sorted by relation.

    Args:
        source: A filter file, the name of a packaged data set that has one, or one of `NO_FILE`.
        relations: The relations of the graph; others are ignored.

    Raises:
        InputError: The file is missing or not a filter file, or names a relation that looks misspelled.
    """
    if source in NO_FILE:
        return {}
    path, listed, known = *_read(source), set(relations)
    problems = [
        f"the reason of {relation!r} is {reason!r}; a line of text was expected"
        for relation, reason in listed["drop"].items()
        if not isinstance(reason, str) or not reason.strip() or "\n" in reason
    ]
    if path == Path(source):
        problems += _misspelled(listed["drop"], known)
    if problems:
        raise InputError(list_problems(str(path), problems, _EXPECTED))
    return {
        relation: listed["drop"][relation] for relation in sorted(known & listed["drop"].keys())
    }


def load_classes(source: str | Path, relations: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Reads the classes of relations of a filter file: name → its relations that the graph has, sorted.

    Args:
        source: As for `load_filter`.
        relations: The relations of the graph.

    Raises:
        InputError: The file is missing or not a filter file, or a class is no list of relations.
    """
    if source in NO_FILE:
        return {}
    path, listed = _read(source)
    if problems := _misshapen(listed["classes"]):
        raise InputError(list_problems(str(path), problems, _EXPECTED))
    known = set(relations)
    return {name: tuple(sorted(known & {*some})) for name, some in listed["classes"].items()}


def load_standards(
    source: str | Path,
    relations: Iterable[str],
    called: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[Standard, ...]:
    """Reads the standards of proof of a filter file, in its order, with the relations of their classes.

    Args:
        source: As for `load_filter`.
        relations: The relations of the graph; others are left out, and a standard that then has nothing
            left of a list that it has.
        called: Name in the file → what the graph calls it; empty: both have the same names.

    Raises:
        InputError: The file is missing or not a filter file; a standard is malformed, has no reason or no
            form; it names a relation that looks misspelled.
    """
    if source in NO_FILE:
        return ()
    path, listed, known = *_read(source), set(relations)
    classes, found = listed["classes"], []
    problems = _misshapen(classes)
    for number, values in enumerate(listed["standards"], start=1):
        where = f"{path}: standard {number}"
        standard = build(Standard, values, where, _EXPECTED)
        if not standard.reason.strip() or not any(getattr(standard, name) for name in _LISTS):
            problems.append(f"standard {number} has no reason, or none of {', '.join(_LISTS)}")
        found.append(standard)
    if not problems and path == Path(source) and not called:
        named = [r for standard in found for name in _LISTS for r in getattr(standard, name)]
        named += [relation for members in classes.values() for relation in members]
        problems += _misspelled(named, known | classes.keys())
    if problems:
        raise InputError(list_problems(str(path), problems, _EXPECTED))
    return tuple(one for one in (_resolved(each, classes, known, called) for each in found) if one)


def _read(source: str | Path) -> tuple[Path, dict[str, Any]]:
    """The file, and its tables."""
    path = packaged_or_given(str(source), "filter.toml")
    values = read_toml(path)
    tables = {"drop": {}, "classes": {}, "standards": [], **values}
    fits = "drop" in values and values.keys() <= {*_TABLES}
    fits &= all(isinstance(tables[name], dict) for name in _TABLES[:2])
    fits &= isinstance(tables["standards"], list)
    if not fits or not all(isinstance(one, dict) for one in tables["standards"]):
        found = ", ".join(values) or "nothing"
        raise InputError(f"{path}: holds {found}. {_EXPECTED}")
    return path, tables


def _misshapen(classes: Mapping[str, Any]) -> list[str]:
    """Problems of the classes that are no lists of names."""
    return [
        f"class {name!r} is {members!r}; a list of relations was expected"
        for name, members in classes.items()
        if not isinstance(members, list) or not all(isinstance(one, str) for one in members)
    ]


def _misspelled(named: Iterable[str], known: set[str]) -> list[str]:
    """Problems of the names that are nearly those of known relations."""
    unknown = (name for name in named if name not in known)
    hints = ((name, did_you_mean(name, known)) for name in unknown)
    return [
        f"relation {name!r} is not in the graph; {hint}"
        for name, hint in hints
        if hint.startswith("did you mean")
    ]


def _resolved(
    standard: Standard,
    classes: Mapping[str, Sequence[str]],
    known: set[str],
    called: Mapping[str, Sequence[str]],
) -> Standard | None:
    """The standard with relations of the graph alone; None: it holds for no rule of the graph."""
    lists: dict[str, Any] = {}
    for name in _LISTS:
        named = getattr(standard, name)
        members = {relation for one in named for relation in classes.get(one, [one])}
        if called:
            members = {relation for one in members for relation in called.get(one, ())}
        lists[name] = tuple(sorted(members & known))
        if named and not lists[name] and name != "head_not":
            return None
    return replace(standard, **lists)


def excluded_relations(
    kg: KnowledgeGraph, listed: Mapping[str, str], max_end_share: float, max_median_answers: int
) -> dict[str, str]:
    """The excluded relations, with their reasons, sorted by relation.

    Args:
        kg: The complete KG.
        listed: Relation → reason, from a filter file.
        max_end_share: A relation is excluded if one entity is the object (or the subject) of more than
            this fraction of its triples; 1: off.
        max_median_answers: A relation is excluded if, in both directions, more than half of its triples
            answer a question with more answers than this; 0: off.
    """
    dropped = dict(listed)
    for relation, rows in zip(kg.relations, rows_by_relation(kg), strict=True):
        if relation in dropped or not len(rows):
            continue
        answers = [_times(kg.triples[rows, column], len(kg.entities)) for column in (0, 2)]
        if max_end_share < 1 and max(map(np.max, answers)) > max_end_share * len(rows):
            dropped[relation] = ONE_END
        elif max_median_answers and min(map(np.median, answers)) > max_median_answers:
            dropped[relation] = TOO_MANY
    return dict(sorted(dropped.items()))


def _times(values: npt.NDArray[np.int32], below: int) -> npt.NDArray[np.int64]:
    """How often each of some numbers occurs among them; the time it takes depends on how many they are."""
    if len(values) > below / 8:
        return np.bincount(values)[values]
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    return times[which]
