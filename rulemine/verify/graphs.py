"""The knowledge graphs: sorted sets of triples, and incomplete KG = complete KG − removed, exactly.

Also checks, for every level of a release with levels, that its incomplete KG is the complete KG without
the triples removed at that level or below (so the levels are nested), that every removed triple is in
the complete KG, and that what a reference KG adds is not in the complete KG already.
"""

from dataclasses import dataclass
from typing import Any

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.names import Names
from rulemine.verify.report import Findings, shown

__all__ = ["Triple", "check_graph", "check_incomplete", "check_removed"]

Triple = tuple[str, str, str]

COMPLETE = "kg/complete.tsv.gz"
INCOMPLETE = "kg/incomplete.tsv.gz"
REFERENCE = "kg/reference.tsv.gz"
REMOVED = "removed.jsonl"


@dataclass(frozen=True, slots=True)
class Removed:
    """A removed triple, as ``removed.jsonl`` has it.

    Attributes:
        line: Its line.
        level: The smallest level at which it is removed.
        certificates: Rule id and body triples of each certificate.
    """

    line: int
    level: int
    certificates: tuple[tuple[str, tuple[Triple, ...]], ...]


def as_triple(value: list[str]) -> Triple:
    """A triple out of a JSON array of three."""
    return (value[0], value[1], value[2])


def check_graph(folder: Folder, name: str, names: Names | None, findings: Findings) -> set[Triple]:
    """Reads a KG file and checks order, uniqueness and names.

    Returns:
        Its triples.
    """
    triples: set[Triple] = set()
    last: Triple | None = None
    for number, row in folder.fields(name, 3):
        triple = (row[0], row[1], row[2])
        if last is not None and triple <= last:
            what = "triples unique" if triple in triples else "sorted"
            findings.add(name, number, what, shown(triple), f"something after {shown(last)}")
        last = triple
        triples.add(triple)
        if names is not None and (lost := names.unknown((row[0], row[2]), (row[1],))):
            expected = "names of entities.tsv and relations.tsv"
            findings.add(name, number, "names", shown(lost), expected)
    if not triples:
        findings.add(name, None, "triples", "none", "at least one")
    findings.count("triples", len(triples))
    return triples


def check_removed(
    rows: list[tuple[int, dict[str, Any]]], complete: set[Triple] | None, findings: Findings
) -> dict[Triple, Removed]:
    """Reads the records of ``removed.jsonl`` and checks that they are a sorted part of the complete KG.

    Returns:
        Removed triple → its record.
    """
    removed: dict[Triple, Removed] = {}
    last: Triple | None = None
    for number, row in rows:
        triple = as_triple(row["triple"])
        if last is not None and triple <= last:
            what = "triples unique" if triple in removed else "sorted"
            findings.add(REMOVED, number, what, shown(triple), f"something after {shown(last)}")
        last = triple
        if complete is not None and triple not in complete:
            findings.add(REMOVED, number, "removed ⊆ complete", shown(triple), f"one of {COMPLETE}")
        certificates = tuple(
            (entry["rule"], tuple(as_triple(t) for t in entry["body"]))
            for entry in row["certificates"]
        )
        removed[triple] = Removed(number, row["level"], certificates)
    findings.count("removed triples", len(removed))
    return removed


def check_incomplete(
    name: str,
    level: int,
    incomplete: set[Triple],
    complete: set[Triple],
    removed: dict[Triple, Removed],
    findings: Findings,
) -> None:
    """Checks that an incomplete KG is the complete KG without what is removed up to its level."""
    gone = {triple for triple, record in removed.items() if record.level <= level}
    invariant = "incomplete = complete − removed"
    for triple in sorted(incomplete & gone):
        found = f"{shown(triple)}, removed by line {removed[triple].line} of {REMOVED}"
        findings.add(name, None, invariant, found, "no removed triple")
    for triple in sorted(incomplete - complete):
        findings.add(name, None, invariant, f"{shown(triple)}, not in {COMPLETE}", "none of these")
    for triple in sorted(complete - gone - incomplete):
        findings.add(
            name, None, invariant, f"no {shown(triple)}", f"it: in {COMPLETE}, not removed"
        )


def check_levels(levels: list[int], removed: dict[Triple, Removed], findings: Findings) -> None:
    """Checks that every removed triple has a level that the manifest names, and the size of each level.

    A level of so many percent removes that share of all removed triples, up to rounding.
    """
    known = set(levels)
    for record in removed.values():
        if record.level not in known:
            expected = f"one of {shown(levels)} ({MANIFEST_NAME})"
            findings.add(REMOVED, record.line, "level", str(record.level), expected)
    for level in levels:
        gone = sum(record.level <= level for record in removed.values())
        exact = len(removed) * level / 100
        if removed and abs(gone - max(1.0, exact)) > 1:
            found = f"{gone} of {len(removed)} triples removed at level {level}"
            findings.add(REMOVED, None, "level size", found, f"{exact:.1f}, rounded")


def check_reference(
    reference: set[Triple],
    complete: set[Triple] | None,
    asked: set[tuple[str, str, str]],
    findings: Findings,
) -> None:
    """Checks that reference triples are new and that each answers a question.

    Args:
        reference: The triples of ``kg/reference.tsv.gz``.
        complete: The complete KG, or None when it cannot be read.
        asked: Topic, relation and direction of every question.
        findings: Takes the problems.
    """
    for s, r, o in sorted(reference):
        triple = (s, r, o)
        if complete is not None and triple in complete:
            findings.add(REFERENCE, None, "reference", shown(triple), f"nothing of {COMPLETE}")
        if (s, r, "object") not in asked and (o, r, "subject") not in asked:
            findings.add(REFERENCE, None, "reference", shown(triple), "answers of questions only")
