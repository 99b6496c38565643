"""What a kind of question adds to the checks that hold for all kinds.

A kind's module defines ``CHECKS``, a `KnownKind` with its own values and methods; it stands in
`rulemine.verify.kinds` under the name of the kind, or is named by an entry point ``rulemine.verifiers``.
What is checked of a kind without one: see `KindChecks`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from rulemine.verify.questions.mentions import occurrences
from rulemine.verify.report import Findings
from rulemine.verify.shaping import Shape, anything, array, mapping, name, record

__all__ = [
    "TABLES", "GoldQuery", "GoldServer", "KindChecks", "KnownKind", "Watch",
    "anything", "array", "mapping", "name", "record",
]  # fmt: skip

Contents = Any
"""A `rulemine.verify.contents.Contents`, which imports this."""

Asked = Any
"""A `rulemine.verify.questions.asked.Asked`."""

Row = dict[str, Any]
"""A record of a file."""

TABLES = ("sheet.tsv", "types.tsv")
"""What the releases of most kinds have beside the files of all."""

Result = tuple[Sequence[str], Sequence[str]]
"""The names of columns, and rows as texts."""

GoldQuery = Callable[[str], Result | str]
"""Runs a query; a text says why there is no result."""

GoldServer = Callable[[Mapping[str, Any]], GoldQuery]
"""Loads a graph, as SimpleKG, in the place of the one before, and runs queries on it."""


class Watch(NamedTuple):
    """Who watches a verification, and what it may use.

    Attributes:
        on_phase: Called with what is checked next, in a word or two.
        progress: Called now and then with how many questions have been checked.
        gold: Runs Cypher on a database; None: none is at hand.
    """

    on_phase: Callable[[str], object]
    progress: Callable[[int], object]
    gold: GoldServer | None


class KindChecks:
    """The checks of a kind that the verifier does not know: nothing special.

    Attributes:
        known: Whether its files, texts and the reading of its queries are known.
        fields: The shape of the block of a question, and of fields that have another one than in other kinds.
        ids: The pattern of the ids of questions.
        as_given: Whether its questions are those of others, who may ask the same twice, and have no proofs.
        own_splits: Whether splits are not those of all kinds.
    """

    known = False
    fields: Mapping[str, Shape] = MappingProxyType({"block": mapping(anything)})
    ids = r"q\d+"
    as_given = False
    own_splits: bool = True

    def optional(self, _name: str) -> bool:
        """Whether a release may have a file or lack it, beside those that all may."""
        return False

    def files(self, _levels: Iterable[int]) -> Iterable[str]:
        """The files beside those of all kinds, for the levels of the manifest."""
        return ()

    def check_set(self, contents: Contents, findings: Findings) -> None:
        """Checks what is special to all questions together, and to the files of the kind."""

    def check_question(self, here: Asked) -> None:
        """Checks what is special to one question; query, answers and mentions are checked for all."""

    def check_otherwise(self, _contents: Contents, _findings: Findings, _watch: Watch) -> bool:
        """Checks each question in another way than by its query; whether it did."""
        return False

    def shared(self, _row: Row, _contents: Contents) -> Iterable[tuple[str, Hashable]]:
        """What a question has that none of another split may have, where the split is by group."""
        return ()

    def named(self, row: Row) -> Iterable[str]:
        """What the text of a question names beside topic entities, answers too; here what its block may."""
        return (name for name in _texts(row["block"]) if occurrences(row["question"], name))

    def constants(self, row: Row) -> Iterable[str]:
        """What a question names; two questions with the same answers have at most one in common."""
        names: list[str] = row["anchors"]
        return names


class KnownKind(KindChecks):
    """The base of the checks of a kind."""

    known = True
    own_splits = False

    def files(self, _levels: Iterable[int]) -> Iterable[str]:
        """The files of most kinds."""
        return TABLES

    def named(self, _row: Row) -> Iterable[str]:
        """Nothing: no text names an answer."""
        return ()


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value as JSON has it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
