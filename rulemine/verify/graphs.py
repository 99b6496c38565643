"""The knowledge graphs: sets of triples, and incomplete KG = complete KG − removed, exactly.

Also checks that the incomplete KG of every incompleteness level is the complete KG without the triples
removed at that level or below (so levels are nested), and that every removed triple is in the complete KG.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulemine.verify.folder import Folder
from rulemine.verify.names import Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.triples import Columns, Graph, Terms, Triple, member

__all__ = ["Triple", "check_graph", "check_incomplete", "check_removed"]

COMPLETE = "kg/complete.tsv.gz"
INCOMPLETE = "kg/incomplete.tsv.gz"
REFERENCE = "kg/reference.tsv.gz"
REMOVED = "removed.jsonl"
MISSING = "missing.jsonl"
"""The removed triples without certificates."""

_LF = 10


@dataclass(frozen=True, slots=True)
class Removed:
    """A removed triple in ``removed.jsonl``.

    Attributes:
        line: Its line.
        level: The percentage of the removal at which it goes.
        certificates: Rule id and body triples of each certificate, the published one first.
        proves: What each of them says that it proves.
        row: The line itself.
    """

    line: int
    level: int
    certificates: tuple[tuple[str, tuple[Triple, ...]], ...]
    proves: tuple[Triple, ...]
    row: dict[str, Any]


def as_triple(value: list[str]) -> Triple:
    """Makes a triple of a JSON array of three."""
    return (value[0], value[1], value[2])


def check_graph(
    folder: Folder, name: str, names: Names | None, terms: Terms, findings: Findings
) -> Graph:
    """Reads a KG file; checks uniqueness and names.

    Args:
        folder: The release.
        name: The file.
        names: The tables of names; None if they cannot be read.
        terms: Numbers the names; those of the tables are numbered first.
        findings: Collects the problems.

    Returns:
        The triples.
    """
    parts = [np.empty((0, 3), np.int32)]
    lines = [np.empty(0, np.int32)]
    for numbers, triples in folder.triples(name, terms):
        parts.append(triples)
        lines.append(np.array(numbers, np.int32))
    columns, line = np.concatenate(parts), np.concatenate(lines)
    del parts, lines
    graph = Graph(terms, columns)
    if len(graph) != len(columns):
        found = f"{len(columns) - len(graph)} triples again"
        findings.add(name, None, "triples unique", found, "each triple once")
    if names is not None:
        _check_known(name, names, graph, columns, line, findings)
    if not len(graph):
        findings.add(name, None, "triples", "none", "at least one")
    findings.count("triples", len(graph))
    return graph


def _check_known(
    name: str, names: Names, graph: Graph, columns: Columns, line: Columns, findings: Findings
) -> None:
    terms = graph.terms
    known = (terms.known_entities, terms.known_relations, terms.known_entities)
    for i in np.flatnonzero((columns >= known).any(axis=1)).tolist():
        s, r, o = next(graph.triples(terms.pack(columns[i : i + 1])))
        expected = "names of entities.tsv and relations.tsv"
        findings.add(name, int(line[i]), "names", shown(names.unknown((s, o), (r,))), expected)


def check_removed(
    rows: list[tuple[int, dict[str, Any]]],
    complete: Graph | None,
    findings: Findings,
    file: str = REMOVED,
) -> dict[Triple, Removed]:
    """Reads ``removed.jsonl``, or ``missing.jsonl``; checks that it is a sorted subset of the complete KG.

    Returns:
        Removed triple → its record.
    """
    removed: dict[Triple, Removed] = {}
    last: Triple = ("", "", "")
    for number, row in rows:
        triple = as_triple(row["triple"])
        if triple in removed:
            found, expected = f"{shown(triple)} of line {removed[triple].line}", "each triple once"
            findings.add(file, number, "triples unique", found, expected)
        if triple < last:  # or the order would reveal something about names in other namings
            found, expected = f"{shown(triple)} after {shown(last)}", "triples in their order"
            findings.add(file, number, "removals sorted", found, expected)
        last = triple
        if complete is not None and triple not in complete:
            findings.add(file, number, "removed ⊆ complete", shown(triple), f"one in {COMPLETE}")
        proofs = [row["certificate"], *row["further_certificates"]] if file == REMOVED else []
        certificates = tuple((one["rule"], tuple(map(as_triple, one["body"]))) for one in proofs)
        proves = tuple(as_triple(one["proves"]) for one in proofs)
        removed[triple] = Removed(number, row["level"], certificates, proves, row)
    findings.count("removed triples", len(removed))
    return removed


def check_incomplete(
    name: str,
    level: int,
    incomplete: Graph,
    complete: Graph,
    removed: dict[Triple, Removed],
    findings: Findings,
) -> None:
    """Checks that an incomplete KG is the complete KG without the triples removed up to its level."""
    gone = complete.keys_of(t for t, record in removed.items() if record.level <= level)
    left, whole = incomplete.keys, complete.keys
    invariant = "incomplete = complete − removed"
    for triple in complete.triples(gone[member(left, gone)]):
        found = f"{shown(triple)}, removed by line {removed[triple].line} of {REMOVED}"
        findings.add(name, None, invariant, found, "no removed triple")
    for triple in complete.triples(left[~member(whole, left)]):
        findings.add(name, None, invariant, f"{shown(triple)}, not in {COMPLETE}", "no others")
    for triple in complete.triples(whole[~member(left, whole) & ~member(gone, whole)]):
        expected = f"this triple: it is in {COMPLETE} and not removed"
        findings.add(name, None, invariant, f"no {shown(triple)}", expected)


def left_by(
    folder: Folder,
    name: str,
    level: int,
    complete: Graph,
    removed: dict[Triple, Removed],
    findings: Findings,
) -> Graph | None:
    """Compares an incomplete KG with the lines of the complete one, which takes a fifth of reading it.

    Args:
        folder: The release.
        name: The file of the incomplete KG.
        level: Its level.
        complete: The complete KG.
        removed: The removed triples.
        findings: Counts the triples.

    Returns:
        The incomplete KG, if it is the complete one without the lines of the triples removed up to its level;
        else None, and `check_incomplete` says what differs.
    """
    if findings.concern(COMPLETE):
        return None  # the same lines are at fault here
    gone = [t for t, record in removed.items() if record.level <= level]
    rows = np.flatnonzero(member(complete.keys_of(gone), complete.keys))
    cut, digest = set[bytes](), hashlib.sha256()
    for first, block in folder.read(COMPLETE):
        low, high = rows.searchsorted((first - 1, first - 1 + block.count(b"\n")))
        if low < high:
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _LF) + 1
            own = rows[low:high] - (first - 1)
            starts, ends = np.append(0, ends)[own].tolist(), ends[own].tolist()
            cut |= {block[start:end] for start, end in zip(starts, ends, strict=True)}
            kept = zip([0, *ends], [*starts, len(block)], strict=True)
            block = b"".join(block[start:end] for start, end in kept)
        digest.update(block)
    lines = {"\t".join(triple).encode() + b"\n" for triple in gone}
    if cut != lines or digest.hexdigest() != folder.digest(name):
        return None
    findings.count("triples", len(complete) - len(rows))
    return Graph(complete.terms, np.delete(complete.columns, rows, axis=0))


def check_levels(levels: list[int], removed: dict[Triple, Removed], findings: Findings) -> None:
    """Checks the size of each level: n percent of all removed triples, up to what goes together.

    All removed triples between two entities go together at most.
    """
    units: Counter[tuple[str, ...]] = Counter(tuple(sorted((s, o))) for s, _, o in removed)
    most = max(units.values(), default=1)
    for level in levels:
        gone = sum(record.level <= level for record in removed.values())
        exact = len(removed) * level / 100
        if removed and abs(gone - max(1.0, exact)) > most:
            found = f"{gone} of {len(removed)} triples removed at level {level}"
            findings.add(REMOVED, None, "level size", found, f"{exact:.1f}, within {most}")
