"""The card of a release of the kind ``structures``: what only such a card says; the text is ``page.md``."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rulemine.config import packaged
from rulemine.errors import counted
from rulemine.files import read_text
from rulemine.kinds.query_page import examples_of_structures, values_of_queries
from rulemine.kinds.structures.figures import FIGURES
from rulemine.release.card.kind_page import KindPage, Manifest

__all__ = ["STRUCTURE_PAGE"]

MOST_REASONS = 3
"""Reasons for a shortfall that are listed."""

_TYPES = {
    "schema": "those of the schema",
    "stated": "the graph states them by a relation such as `rdf:type`",
    "names": "Freebase's names of relations, `/domain/type/property`, tell those of their subjects",
    "induced": "induced from the relations: the subjects of a relation are a type and so are its objects, "
    "and two of these with mostly the same members are one",
}

_WANTED = {
    "balanced": ", as many for each number of missing links from 0 as the graph has",
    "full": ", all links of the hard answer missing",
    "any": ", with as many missing links as sampling finds",
}


def _values(manifest: Manifest) -> Mapping[str, Any]:
    """How questions were drawn, beside the statistics."""
    options, questions = manifest["config"]["structures"], manifest["config"]["questions"]
    types, *more_types = str(manifest["kg"].get("types", "")).split(", ")
    return {
        **values_of_queries(manifest),
        "wanted": _WANTED[options["missing"]],
        "share": 100 * options["max_share"],
        "anchors": _anchors(options),
        "grouped": questions["split"] == "group",
        "ratios": " : ".join(map(str, questions.get("ratios", ()))),
        "types": _TYPES.get(types, types or "given"),
        "more_types": bool(more_types),
        "shortfalls": _shortfalls(manifest["counts"]),
    }


def _anchors(options: Mapping[str, Any]) -> str:
    where = f"entities of `{options['anchors']}`" if options["anchors"] else "all entities"
    least, most = options["min_degree"], options["max_degree"]
    if not least and not most:
        return where
    upper = f" to {most:,}" if most else " or more"
    return f"{where} with {max(1, least):,}{upper} triples"


def _shortfalls(counts: Mapping[str, Any]) -> list[str]:
    """The structures with fewer questions than wanted, each with the commonest reasons."""
    lines = []
    for name, row in counts["sampling"].items():
        have, wanted = counts["statistics"][name]["questions"], row["wanted"]
        if have >= wanted:
            continue
        reasons = Counter(row["rejected"]).most_common(MOST_REASONS)
        why = "; ".join(f"{reason} ({n:,})" for reason, n in reasons)
        line = f"- {name}: {have:,} of {wanted:,} wanted."
        if row["questions"] < wanted:
            line += f" Of {counted(row['drawn'], 'draw')}, most were refused because {why}."
        if dropped := row["questions"] - have:
            line += f" {dropped:,} got no text that passed the checks."
        lines.append(line)
    if counts["sampling"] and not lines:
        lines.append("- Every structure has as many questions as wanted.")
    return lines


STRUCTURE_PAGE = KindPage(
    FIGURES, read_text(packaged("kinds", "structures", "page.md")), _values, examples_of_structures
)
"""What the cards of the kind ``structures`` say."""
