"""The card of a release of the kind ``cypher``: what only such a card says."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.cypher.questions.templates import CATEGORIES
from rulemine.errors import counted
from rulemine.kinds.cypher.figures import LENGTHS
from rulemine.kinds.structures.figures import ALL
from rulemine.kinds.structures.page import (
    QUERY_SHARED,
    QUERY_STRATA,
    describe_missing,
    describe_structures,
)
from rulemine.release.card.bins import range_label
from rulemine.release.card.kind_page import NOTHING_REMOVED, KindPage, Manifest
from rulemine.release.card.markdown import percent, ratio, table
from rulemine.release.records import CypherQuestion, Question
from rulemine.text.markdown import code, plain

__all__ = ["CYPHER_PAGE"]


def _lead(name: str, manifest: Manifest) -> list[str]:
    counts = manifest["counts"]
    of_whom = (
        "Templates of questions and how they are asked are those of CypherBench (Feng, Papicchio, Rahman, "
        "arXiv 2412.18702), see `docs/cypher.md` of rulemine."
    )
    if manifest["config"]["selection"]["mode"] == "none":
        return [
            f"# {name}: text-to-Cypher on a property graph",
            "",
            f"{counted(counts['questions'], 'question')} in words and in Cypher, each with its rows on a "
            f"property graph of {counts['entities']:,} nodes and {counts['triples_complete']:,} triples. "
            f"{NOTHING_REMOVED}",
            "",
            of_whom,
        ]
    last = str(manifest["levels"][-1])
    changed = sum(counts["changed"][last]["category"].values())
    values = (
        f" and {counts['values_removed']:,} of its {counts['values_complete']:,} values"
        if counts["values_removed"]
        else ""
    )
    return [
        f"# {name}: text-to-Cypher on a property graph that lacks part of what queries need",
        "",
        f"{counted(counts['questions'], 'question')} in words and in Cypher, each with its rows on a "
        f"property graph of {counts['entities']:,} nodes and {counts['triples_complete']:,} triples, and "
        f"with what becomes of them once {counts['triples_removed']:,} triples{values} are gone: the rows of "
        f"{counted(changed, 'question')} change. Each removed triple still follows from the remaining ones "
        "by a rule, each removed value can be read from another one; the proofs are published.",
        "",
        of_whom,
    ]


def _categories(counts: Mapping[str, Any]) -> list[str]:
    """The categories that were asked about, in the order of the templates."""
    return [name for name in CATEGORIES if name in counts["templates"]]


def _templates(manifest: Manifest) -> list[str]:
    """Questions by category of MATCH and name of RETURN, and by length of the result."""
    counts = manifest["counts"]
    returns = counts["returns"]
    rows: list[Sequence[object]] = [("category", *returns, "questions")]
    rows += [
        (name, *(counts["templates"][name].get(one, 0) for one in returns), _asked(counts, name))
        for name in _categories(counts)
    ]
    rows.append((ALL, *returns.values(), counts["questions"]))
    lengths: list[Sequence[object]] = [("rows of the result", "questions", "share")]
    lengths += [
        (range_label(name, LENGTHS), n, percent(n, counts["questions"]))
        for name, n in counts["lengths"].items()
    ]
    return [
        "What a question MATCHes (`*`: a node fixed by name) and what it RETURNs, by CypherBench's names:",
        "",
        *table(rows),
        "",
        f"Rows on the complete graph: {counts['rows']:,}, of a question "
        f"{ratio(counts['rows'], counts['questions'])}.",
        "",
        *table(lengths),
    ]


def _asked(counts: Mapping[str, Any], category: str) -> int:
    return int(counts["statistics"][category]["questions"])


def _changes(manifest: Manifest) -> list[str]:
    """What each level takes from the rows."""
    counts = manifest["counts"]
    levels = list(counts["changed"])

    def shares(of: str, name: str, n: int) -> list[object]:
        return [percent(counts["changed"][level][of].get(name, 0), n) for level in levels]

    header = ("", "questions", *(f"changed at {level} %" for level in levels))
    rows: list[Sequence[object]] = [header]
    for name in _categories(counts):
        rows.append((name, _asked(counts, name), *shares("category", name, _asked(counts, name))))
    rows += [(name, n, *shares("return", name, n)) for name, n in counts["returns"].items()]
    whole = [sum(counts["changed"][level]["category"].values()) for level in levels]
    rows.append(
        (ALL, counts["questions"], *(percent(n, counts["questions"]) for n in whole)),
    )
    sizes: list[Sequence[object]] = [("", *(f"{level} %" for level in levels))]
    sizes += [
        (f"{what}", *counts[key].values())
        for what, key in (
            ("triples removed", "removed_by_level"),
            ("values removed", "values_by_level"),
            ("rows lost", "rows_lost"),
            ("rows that only the incomplete graph gives", "rows_spurious"),
        )
    ]
    lines = [
        "A result changes if the incomplete graph does not give all of its rows, or gives others. Lost rows "
        "are the hard answers; what it gives besides (a lower count, the second highest) is wrong.",
        "",
        *table(sizes),
        "",
        *table(rows),
    ]
    touched = {name: row for name, row in counts["values_by_property"].items() if row["removed"]}
    if touched:
        values: list[Sequence[object]] = [("property", "values", "removed", "share")]
        values += [
            (code(name), row["values"], row["removed"], percent(row["removed"], row["values"]))
            for name, row in touched.items()
        ]
        lines += [
            "",
            f"Removed values, each determined by another value ({counted(counts['value_rules'], 'rule')}). "
            "Names and end years always stay.",
            "",
            *table(values),
        ]
    return lines


def _drawn(manifest: Manifest) -> list[str]:
    """How questions came about."""
    counts, options = manifest["counts"], manifest["config"]["cypher"]
    rows: list[Sequence[object]] = [("category", "wanted", "asked", "drawn", "left out because")]
    for name, row in counts["sampling"].items():
        reasons = sorted(row["rejected"].items(), key=lambda pair: (-pair[1], pair[0]))
        why = "; ".join(f"{reason} ({n:,})" for reason, n in reasons) or "–"
        rows.append(
            (f"`{name}`", f"{row['wanted']:,}", f"{row['questions']:,}", f"{row['drawn']:,}", why)
        )
    known = (
        "of the recipe's file"
        if options["characteristics"]
        else "what the graph shows of its relations"
    )
    return [
        f"- Of each MATCH template at most {counted(options['per_template'], 'question')}, and of them "
        f"{percent(options['changed'])} whose rows change, as far as there are.",
        f"- Realism of patterns is checked against {known}: no redundant edges, no way there and back, no "
        "leaf that says nothing, no group of one.",
        f"- At most {options['max_rows']:,} rows; each gold query gives at least one on the complete graph.",
        "- Where a value is returned, sorted, compared or grouped by, only nodes with a known one count, and "
        "the text says so.",
        "- Nothing is idle: what is grouped or sorted has three values or more, two of them different; no "
        "step leads to all that its relation leads to; leaving out one of two conditions changes the rows.",
        *_off(counts["sampling"]),
        "",
        *table(rows, text=True),
    ]


def _off(sampling: Mapping[str, Any]) -> list[str]:
    """Which templates the graph gives no question of."""
    lines = [f"`{name}` ({why})" for row in sampling.values() for name, why in row["off"].items()]
    return [f"- Off on this graph: {', '.join(lines)}."] if lines else []


def _examples(questions: Sequence[Question]) -> list[str]:
    """A question of each category, one whose rows change if there is one, with its Cypher."""
    lines = []
    asked = [q for q in questions if isinstance(q, CypherQuestion)]
    for category in CATEGORIES:
        some = sorted((q for q in asked if q.structure == category), key=lambda q: q.id)
        some = [q for q in some if q.cypher.changed] or some
        if not some:
            continue
        q = some[len(some) // 2]
        last = q.cypher.levels[-1]
        said = f"{counted(len(q.cypher.rows), 'row')}, {len(last.lost):,} lost, {len(last.spurious):,} wrong"
        lines += [
            f"- {category} `{q.id}` {plain(q.question)} ({said})",
            "",
            f"      {q.cypher.cypher}",
            "",
        ]
    return lines[:-1] or ["None."]


CYPHER_PAGE = KindPage(
    lead=_lead,
    sizes={
        "Templates": _templates,
        "What the removal changes": _changes,
        "Categories": describe_structures,
    },
    origins={"Proofs": describe_missing, "How questions were drawn": _drawn},
    examples=_examples,
    shared=QUERY_SHARED,
    strata=QUERY_STRATA,
    block="`cypher` (templates, the Cypher, its columns and rows, order and ties; for each level the rows "
    "lost and spurious; relations, properties, removed triples and values, rules of their proofs)",
)
"""What the cards of the kind ``cypher`` say."""
