"""Declarations in template files: which relations state the same facts (see `rulemine.kg.facts`).

Each key stands in the table of either of the relations, which may have no templates:

    ["spouse"]
    symmetric = true

    ["parent"]
    inverse_of = "child"    # a relation or a list; same_as too
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rulemine.codec import dump_line
from rulemine.errors import did_you_mean
from rulemine.kg.facts import Declarations
from rulemine.kg.relation_overlap import FoundDeclaration

__all__ = [
    "LISTS", "Declaring", "declared_in", "found_lines", "lines_of", "unknown_in",
]  # fmt: skip

LISTS = ("inverse_of", "same_as")
"""Keys of lists of relations."""

_KEYS = {"symmetric": "symmetric", "inverse": "inverse_of", "same": "same_as"}


class _Declares(Protocol):
    @property
    def symmetric(self) -> bool: ...
    @property
    def inverse_of(self) -> tuple[str, ...]: ...
    @property
    def same_as(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Declaring:
    """The keys of a relation that has no templates of its own."""

    symmetric: bool = False
    inverse_of: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


def declared_in(tables: Mapping[str, _Declares]) -> Declarations:
    """What tables declare."""
    return Declarations.of(
        [r for r, table in tables.items() if table.symmetric],
        [(r, other) for r, table in tables.items() for other in table.inverse_of],
        [(r, other) for r, table in tables.items() for other in table.same_as],
    )


def unknown_in(tables: Mapping[str, _Declares], known: Collection[str]) -> Iterator[str]:
    """Yields a line for each declaration about a relation that neither graph nor file has."""
    for relation, table in tables.items():
        for key in LISTS:
            for other in getattr(table, key):
                if other not in known:
                    hint = did_you_mean(other, known)
                    hint = f"; {hint}" if hint.startswith("did you mean") else ""
                    yield f"relation {relation!r}: {key} names {other!r}, which is unknown{hint}"


def lines_of(rows: Iterable[tuple[str, str, str, str]]) -> list[str]:
    """The lines of a file that declares something, each with a comment.

    Args:
        rows: Relation, other relation, how they look (see `rulemine.kg.relation_overlap.Lookalike`), comment.
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
            if more:
                lines += [f"{key} = [", *(f"  {dump_line(o)},  # {w}" for o, w in others), "]"]
            else:
                lines.append(f"{key} = {value}  # {why}")
    return lines


def found_lines(found: Sequence[FoundDeclaration]) -> list[str]:
    """The lines of a file that declares what is found; what is no declaration is a comment."""
    narrower = [
        f"# not declared: {dump_line(row.other)} states {_counted(row)} triples of {dump_line(row.relation)}"
        + ", from object to subject" * (row.looks == "narrower_inverse")
        for row in found
        if not row.declares
    ]
    declared = [(*row[:3], f"states {_counted(row)}") for row in found if row.declares]
    return [*lines_of(declared), *narrower]


def _counted(row: FoundDeclaration) -> str:
    return ", ".join(f"{stated:,} of {triples:,}" for stated, triples in row.counts)
