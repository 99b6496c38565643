"""What is shown of a question, as data: blocks under titles, drawn by the terminal and the page."""

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rulemine.codec import dump_line, from_json, parse_object
from rulemine.errors import InputError, ReleaseError, counted
from rulemine.files import read_text
from rulemine.kg.graph import Triple
from rulemine.release.reader import Release
from rulemine.release.records import Question, Removal
from rulemine.release.showing.layout import (
    INDENT,
    REMOVED,
    answer_rows,
    columns,
    hanging,
    in_words,
    wrapped,
)
from rulemine.release.showing.proofs_left import ProofsLeft
from rulemine.rules.formats import rule_from_json
from rulemine.rules.rule import Rule
from rulemine.text.printing import printable

__all__ = [
    "ALL_STATED", "Drawing", "Row", "ShownRelease", "Titled", "asked_rows", "common_view", "draw", "fate",
    "topics",
]  # fmt: skip

ALL_STATED = "Every answer is stated; the question is left out of scores on hard answers."

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

Row = tuple[str, str]
"""A key and a text."""

Drawing = Callable[[int], Sequence[str]]
"""Draws lines of so many columns."""


class Titled(NamedTuple):
    """A block of what is shown.

    Attributes:
        title: Its title; "": it has none.
        parts: Paragraphs and drawings, or rows alone, whose texts stand below each other.
    """

    title: str
    parts: Sequence[str | Drawing | Row]


def draw(block: Titled, width: int) -> list[str]:
    """The lines of a block on a terminal."""
    inner, lines = width - len(INDENT), list[str]()
    if rows := [part for part in block.parts if isinstance(part, tuple)]:
        lines += columns(rows, inner)
    for part in block.parts:
        if not isinstance(part, tuple):
            lines += wrapped(part, inner) if isinstance(part, str) else part(inner)
    return [block.title][: bool(block.title)] + [INDENT + line for line in lines]


class _Lines(Mapping[_K, _V]):
    """The records of a file by key: a question needs a few of thousands, so each is decoded when needed.

    Args:
        path: A file of JSON Lines.
        start: How its lines begin, mostly; the key follows.
        decode: Makes a record of an object and of where it stands.
        key: The key of a record.
    """

    def __init__(
        self,
        path: Path,
        start: str,
        decode: Callable[[dict[str, Any], str], _V],
        key: Callable[[_V], _K],
    ) -> None:
        self._path, self._decode = path, decode
        self.lines: dict[_K, tuple[int, str]] = {}
        value_at = json.JSONDecoder().raw_decode
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.startswith(start):
                found: Any = value_at(line, len(start))[0]
                found = tuple(found) if isinstance(found, list) else found
                self.lines[found] = number, line
            elif line.strip():
                self.lines[key(self._decoded(number, line))] = number, line

    def _decoded(self, number: int, line: str) -> _V:
        where = f"{self._path}: line {number}"
        return self._decode(parse_object(line, where), where)

    def __getitem__(self, key: _K) -> _V:
        return self._decoded(*self.lines[key])

    def __iter__(self) -> Iterator[_K]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)


def _rule(row: dict[str, Any], where: str) -> Rule:
    try:
        return rule_from_json(row)
    except InputError as problem:
        raise InputError(f"{where}: {problem}.") from None


class ShownRelease:
    """A release as it is shown: what its entities are called, and what is known of its removed triples.

    Names are those in the naming of the release, each followed by the text label if it differs.

    Args:
        release: The release.
    """

    def __init__(self, release: Release) -> None:
        self.release = release

    @cached_property
    def names(self) -> dict[str, str]:
        """Entity → its printed name."""
        shown: dict[str, str] = {}
        for row in self.release.entities:
            own = {"entity": row.entity, "text": row.text}.get(self.release.naming, row.private)
            if self.release.naming == "numeric":
                own = str(int(row.private[1:]))
            label = "" if row.text == own else f" ({printable(row.text)})"
            shown[own] = printable(own) + label
        return shown

    @cached_property
    def removals(self) -> Mapping[Triple, Removal]:
        """Removed triple → what is known of its removal."""
        decode = partial(from_json, Removal)
        path = self.release.file("removed.jsonl")
        return _Lines[Triple, Removal](path, '{"triple": ', decode, lambda row: row.triple)

    @cached_property
    def missing(self) -> frozenset[Triple]:
        """The triples that the incomplete graph lacks."""
        return frozenset(row.triple for row in self.release.missing())

    @cached_property
    def rules(self) -> _Lines[str, Rule]:
        """Id → rule."""
        path = self.release.file("rules.jsonl")
        return _Lines[str, Rule](path, '{"id": ', _rule, lambda rule: rule.id)

    def _heading(self, relation: str) -> list[Rule]:
        """The rules with a relation in the head."""
        rows, text = self.rules.lines.items(), dump_line(relation)
        some = [
            id_ for id_, (_, line) in rows if text in line.partition('"body": ')[0] or "\\u" in line
        ]
        return [
            rule for rule in map(self.rules.__getitem__, some) if rule.head.relation == relation
        ]

    @cached_property
    def proofs(self) -> ProofsLeft:
        """The search for the remaining proofs of the removed triples."""
        declared = self.release.templates().declarations
        kg = self.release.kg("complete")
        return ProofsLeft(kg, [*self.removals], self._heading, declared)

    @cached_property
    def _statements(self) -> dict[str, str]:
        return {r: row.get("statement", "") for r, row in self.release.relations().items()}

    def name(self, entity: str) -> str:
        """The printed name of an entity; of what is none, the text as it is."""
        return self.names.get(entity, entity)

    def triple(self, triple: Triple) -> str:
        """A triple as an arrow."""
        return f"{self.name(triple[0])} ──{printable(triple[1])}──▶ {self.name(triple[2])}"

    def in_words(self, rule: Rule) -> str:
        """A rule as a sentence."""
        return in_words(rule, self._statements)

    def removed(self, question: Question) -> dict[Triple, Removal]:
        """The removals that a question rests on.

        Raises:
            ReleaseError: One of them, or a rule that the question names, is not in the release.
        """
        found = {t: self.removals[t] for t in question.removed if t in self.removals}
        rules = {*question.rules, *(row.certificate.rule for row in found.values())}
        lacks = [f"{t}, which removed.jsonl" for t in question.removed if t not in found]
        lacks += [f"rule {rule}, which rules.jsonl" for rule in sorted(rules - self.rules.keys())]
        if lacks:
            raise ReleaseError(
                f"{self.release.path}: question {question.id} rests on {lacks[0]} lacks. rulemine verify "
                "lists all faults."
            )
        return found


def common_view(question: Question, shown: ShownRelease) -> list[Titled]:
    """What every question has below its text, whatever its kind."""
    evidence = [
        f"{shown.triple(triple)}   {REMOVED if triple in shown.missing else 'stated'}"
        for triple in question.evidence
    ]
    hard = [ALL_STATED]
    if question.hard_answer is not None:
        hard = fate(question, shown, "stated", "The answer is not stated")
        hard.append(f"{'In' if question.core else 'Not in'} the core.")
    blocks = [
        Titled("", asked_rows(question, shown)),
        Titled("Evidence", [hanging(evidence)]),
        Titled("How hard", [hanging(hard)]),
    ]
    return [block for block in blocks if evidence or block.title != "Evidence"]


def asked_rows(question: Question, shown: ShownRelease) -> list[Row]:
    """Structure, query, topics and answers of a question."""
    form = f"{question.structure} · {counted(question.hops, 'hop')}"
    rows = [("structure", form), ("query", printable(question.query)), *topics(question, shown)]
    hard = {row.answer: f"hard: misses {counted(row.missing, 'link')}" for row in question.hard}
    return [*rows, *answer_rows(question, shown.names, hard)]


def topics(question: Question, shown: ShownRelease) -> list[Row]:
    """The topic entities as rows."""
    key = "topic" if len(question.anchors) == 1 else "topics"
    return [
        ("" if place else key, shown.name(anchor)) for place, anchor in enumerate(question.anchors)
    ]


def fate(question: Question, shown: ShownRelease, stated: str, lost: str) -> list[str]:
    """How many answers are still stated, and, of several levels, from which on one is not.

    Args:
        question: The question, with a hard answer.
        shown: The release.
        stated: What the answers still are.
        lost: What happens at the level.
    """
    number = len(question.stated)
    some = f"{number} of {counted(len(question.answers), 'answer')} {'is' if number == 1 else 'are'} still"
    found = [f"{some if number else 'No answer is'} {stated}."]
    levels = shown.release.levels
    if levels != (100,):
        higher = " and higher" if question.level < levels[-1] else " only"
        found.append(f"{lost} at level {question.level} %{higher}.")
    return found
