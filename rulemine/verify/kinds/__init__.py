"""What is special to a kind of question, beside the checks that hold for all.

A module of its name defines ``CHECKS``; those of another package's kind are named by an entry point
``rulemine.verifiers``. Of a kind without any, the verifier checks what holds for all.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, NamedTuple

__all__ = ["GoldQuery", "GoldServer", "KindChecks", "checks_of"]

Row = dict[str, Any]
"""A record of a file."""

Result = tuple[Sequence[str], Sequence[str]]
"""The names of columns, and rows as texts."""

GoldQuery = Callable[[str], Result | str]
"""Runs a query; a text says why there is no result."""

GoldServer = Callable[[Mapping[str, Any]], GoldQuery]
"""Loads a graph, as SimpleKG, in the place of the one before, and runs queries on it."""


class KindChecks(NamedTuple):
    """What is special to a kind; what it leaves out, all kinds have.

    A question is a `rulemine.verify.questions.asked.Asked`, all of them are in a
    `rulemine.verify.contents.Contents`.

    Attributes:
        question: Checks one question, after what holds for all that have a query.
        whole: Checks all questions together, and the files of the kind.
        otherwise: Checks questions in another way than by their queries, given the contents, the questions in
            turn, and what runs Cypher, if anything does; None: by their queries.
        apart: Yields (what it is, value) for all that a question may not share with questions of other
            splits, where splits are by group.
        named: The names, even of answers, that the text of a question may have beside its topic entities.
        constants: The names in a query; two questions with the same answers share at most one of them.
        as_given: Whether others published the questions, which then may repeat and have no proofs.
        known: Whether the texts and the queries of the kind are known.
    """

    question: Callable[[Any], object] = lambda _here: None
    whole: Callable[[Any], object] = lambda _contents: None
    otherwise: Callable[[Any, Iterable[Any], GoldServer | None], object] | None = None
    apart: Callable[[Row, Any], Iterable[tuple[str, Hashable]]] = lambda _row, _contents: ()
    named: Callable[[Row], Iterable[str]] = lambda _row: ()
    constants: Callable[[Row], Iterable[str]] = lambda row: row["anchors"]
    as_given: bool = False
    known: bool = True


@cache
def checks_of(kind: str) -> KindChecks:
    """The checks of a kind; for a kind without any, those that assume nothing of its queries and texts."""
    if kind.isidentifier() and find_spec(f"{__name__}.{kind}") is not None:
        return import_module(f"{__name__}.{kind}").CHECKS  # type: ignore[no-any-return]
    points = entry_points(group="rulemine.verifiers", name=kind)
    return next((point.load() for point in points), KindChecks(known=False))
