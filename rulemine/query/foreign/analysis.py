"""Classifies the queries of a set of questions by logical structure: the nine, or another shape.

A file holds one query a line, JSON Lines, or JSON as WebQSP, CWQ and GrailQA have it. A query is SPARQL, an
S-expression or the text of a tree; `rulemine.query.foreign.read_sparql` and
`rulemine.query.foreign.read_sexpression` say how the first two are read, and what is dropped.

Guarantee: every question is counted once, in one of the structures, as another shape, as no tree or as
unreadable, the last with its place and reason.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.codec import parse_object, shown, why_unreadable
from rulemine.errors import (
    MOST_PROBLEMS_SHOWN,
    InputError,
    NoTreeError,
    QueryError,
    counted,
    list_problems,
)
from rulemine.files import read_text
from rulemine.kg.facts import Declarations
from rulemine.query.foreign.pattern import Translation
from rulemine.query.foreign.qualifier_chains import with_chains
from rulemine.query.foreign.read_sexpression import tree_of_sexpression
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.links import NONE_DECLARED
from rulemine.query.parser import parse
from rulemine.query.structures import STRUCTURES, structure_of
from rulemine.query.tree import Count

__all__ = ["PROTOCOLS", "PUBLISHED", "Analysis", "analyze", "translate"]

PROTOCOLS = ("trees", "complexlogicalqa")
"""How structures are counted: as the trees of the queries, with qualifiers dropped, or as
`rulemine.query.foreign.qualifier_chains` says."""

MOST_BYTES = 1 << 28
"""Size of a file; the largest of the data sets, GrailQA's training questions, has half of it."""

MOST_QUESTIONS = 1_000_000
"""Questions of a file."""

MOST_KEPT = 1000
"""Unreadable queries whose reason is kept; the rest are only counted."""

MOST_SHOWN = 300
"""Characters of such a reason."""

WIDEST = 60
"""Characters of a shape code in the table."""

PUBLISHED = {
    "WebQSP": (649, 291, 0, 45, 0, 7, 8, 0, 0),
    "CWQ": (55, 504, 201, 182, 8, 7, 43, 0, 0),
    "GrailQA": (784, 127, 22, 36, 20, 9, 2, 0, 0),
}
"""Questions per 1,000 of each of `STRUCTURES`, by hand: ComplexLogicalQA, table 2."""

_FIELDS = ("s_expression", "query", "sparql", "sparql_query")
"""Fields of a record that may hold its query, the first that it has is read."""

_TREE = re.compile(r'"|\(\s*(?:p-?|and|or|minus|count)\s')

_MARKS = {"WebQSP": "Parses", "CWQ": "compositionality_type", "GrailQA": "s_expression"}
"""Data set → a field that only its records have."""


@dataclass(frozen=True)
class Analysis:
    """How many questions of a set have which structure.

    Attributes:
        data_set: WebQSP, CWQ, GrailQA, or empty.
        questions: All of them.
        structures: Short name → questions, of the nine, in their order.
        shapes: Shape code → questions, of other trees, most first.
        no_tree: Reason → questions that are no tree, most first.
        unreadable: Questions that cannot be read.
        problems: Place and reason of those, up to `MOST_KEPT`.
        qualifiers: Kind of qualifier → questions that have it, most first.
        several_parses: Questions with several parses, of which the first is counted.
    """

    data_set: str
    questions: int
    structures: dict[str, int]
    shapes: dict[str, int]
    no_tree: dict[str, int]
    unreadable: int
    problems: tuple[str, ...]
    qualifiers: dict[str, int]
    several_parses: int

    def to_json(self) -> str:
        """All of it, as a JSON object, with the published figures per 1,000 where there are any."""
        published = dict(zip(STRUCTURES, PUBLISHED.get(self.data_set, ()), strict=False))
        return json.dumps({**asdict(self), "published_per_1000": published}, indent=2)

    def to_table(self) -> str:
        """A table for people; shares are of the questions that can be read."""
        read = self.questions - self.unreadable
        published = PUBLISHED.get(self.data_set, ())
        title = counted(self.questions, "question") + (f", {self.data_set}" if published else "")
        if self.several_parses:
            title += f"; {self.several_parses:,} have several parses, the first is counted"
        head = f"{'structure':12}{'questions':>10}{'per 1,000':>11}"
        lines = [title, "", head + f"{'published':>11}" * bool(published)]

        def row(name: str, number: int, more: str = "") -> None:
            lines.append(f"{name:12}{number:10,}{1000 * number / read:11.1f}{more:>11}".rstrip())

        for i, (name, number) in enumerate(self.structures.items()):
            row(name, number, str(published[i]) if published else "")
        row("other", sum(self.shapes.values()) + sum(self.no_tree.values()))
        for heading, counts in (
            ("other shapes", self.shapes),
            ("no tree, because of", self.no_tree),
            ("questions with qualifiers, which are dropped", self.qualifiers),
        ):
            if counts:
                lines += ["", heading]
                lines += [f"  {number:7,}  {_short(name)}" for name, number in counts.items()]
        if self.unreadable:
            lines += ["", f"unreadable, and not in the table: {self.unreadable:,}"]
            lines += [f"  {problem}" for problem in self.problems[:MOST_PROBLEMS_SHOWN]]
            if self.unreadable > MOST_PROBLEMS_SHOWN:
                lines.append(f"  … and {self.unreadable - MOST_PROBLEMS_SHOWN:,} more")
        return "\n".join(lines)


def analyze(
    path: Path,
    declarations: Declarations = NONE_DECLARED,
    progress: Callable[[int, int], None] = lambda done, total: None,
    protocol: str = PROTOCOLS[0],
) -> Analysis:
    """Classifies the questions of a file.

    Args:
        path: The file, UTF-8, of up to 256 MiB.
        declarations: Which relations state the same facts.
        progress: Called with the number of questions done and of all.
        protocol: One of `PROTOCOLS`.

    Raises:
        InputError: The file is missing, empty, too large, no text or no JSON, or has no readable query.
    """
    records = _read(path)
    found: dict[str, Counter[str]] = {"shape": Counter(), "no tree": Counter()}
    qualifiers: Counter[str] = Counter()
    problems: list[str] = []
    unreadable = 0
    for done, record in enumerate(records):
        progress(done, len(records))
        try:
            if record.problem:
                raise InputError(record.problem)
            query, dropped = translate(record.text, protocol)
        except NoTreeError as problem:
            found["no tree"][problem.reason] += 1
            continue
        except (QueryError, InputError) as problem:
            unreadable += 1
            if len(problems) < MOST_KEPT:
                text = str(problem).removeprefix("query: ")[:MOST_SHOWN]
                # JSON may hold half a surrogate pair, which no output can.
                problems.append(f"{record.place}: {text.encode(errors='replace').decode()}")
            continue
        if isinstance(query, Count):
            query, dropped = query.of, (*dropped, "COUNT")
        qualifiers.update(set(dropped))
        found["shape"][structure_of(query, declarations).name] += 1
    if unreadable == len(records):
        advice = "One query a line, JSON Lines or JSON with the queries of questions was expected."
        raise InputError(list_problems(str(path), problems, advice, unreadable - len(problems)))
    shapes = found["shape"]
    return Analysis(
        data_set=records[0].data_set,
        questions=len(records),
        structures={name: shapes.pop(name, 0) for name in STRUCTURES},
        shapes=_sorted(shapes),
        no_tree=_sorted(found["no tree"]),
        unreadable=unreadable,
        problems=tuple(problems),
        qualifiers=_sorted(qualifiers),
        several_parses=sum(record.parses > 1 for record in records),
    )


def translate(text: str, protocol: str = PROTOCOLS[0]) -> Translation:
    """The tree of a query in any of the three languages, recognized by how it begins.

    Args:
        text: The query.
        protocol: One of `PROTOCOLS`; they differ in SPARQL alone.

    Raises:
        NoTreeError: It is no tree.
        QueryError: It cannot be read.
    """
    start = text.lstrip()
    if _TREE.match(start):
        return Translation(parse(text), ())
    if start.startswith("("):
        return tree_of_sexpression(text)
    if protocol == PROTOCOLS[0]:
        return tree_of_sparql(text)
    query, dropped = tree_of_sparql(text, valued=True)
    return Translation(with_chains(query), dropped)


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else f"{name[:WIDEST]}…"


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class _Record(NamedTuple):
    """The query of a question, or why it has none; and of which data set it looks."""

    place: str
    text: str
    problem: str
    data_set: str
    parses: int


def _read(path: Path) -> list[_Record]:
    """The questions of a file, at least one."""
    text = read_text(path, MOST_BYTES).rstrip()
    start = text.lstrip()
    if not start:
        raise InputError(f"{path}: is empty; queries were expected.")
    if start[0] == "[" or (start[0] == "{" and start.partition("\n")[2].lstrip()[:1] != "{"):
        questions = _json(path, start)
        _check_number(path, len(questions))
        return [_record(f"question {i}", value) for i, value in enumerate(questions, start=1)]
    _check_number(path, text.count("\n") + 1)
    lines = ((f"line {i}", line) for i, line in enumerate(text.split("\n"), start=1))
    return [_line(place, line) for place, line in lines if line.strip()]


def _check_number(path: Path, number: int) -> None:
    if number > MOST_QUESTIONS:
        raise InputError(
            f"{path}: holds {number:,} questions or lines; at most {MOST_QUESTIONS:,} are read. Split it."
        )


def _line(place: str, line: str) -> _Record:
    try:
        return _record(place, parse_object(line, "it") if line.lstrip()[0] == "{" else line)
    except InputError as problem:
        return _Record(place, "", str(problem), "", 1)


def _json(path: Path, text: str) -> list[Any]:
    """The questions of a file that is one JSON value."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"{path}: is not valid JSON ({why_unreadable(problem)}). Copy it again, or give one query a line."
        ) from None
    if isinstance(value, dict):
        value = value.get("Questions", [value])
    if not isinstance(value, list) or not value:
        raise InputError(f"{path}: holds no list of questions; one with a query each was expected.")
    return value


def _record(place: str, value: Any) -> _Record:
    parses, name, data_set = 1, "", ""
    if isinstance(value, dict):
        data_set = next((name for name, field in _MARKS.items() if field in value), "")
        name = next((name for name in _FIELDS if name in value), "")
        if isinstance(value.get("Parses"), list):
            parses, name = len(value["Parses"]), "Sparql"
            value = value["Parses"][0] if parses else {}
        value = value.get(name) if isinstance(value, dict) else value
    if isinstance(value, str):
        return _Record(place, value, "", data_set, parses)
    found = f"{name or 'its query'} is {'missing' if value is None else shown(value)}"
    expected = f"expected text in Parses, {', '.join(_FIELDS)}."
    return _Record(place, "", f"{found}; {expected}", data_set, parses)
