"""The card of a release of the kind ``rules``: what only such a card says."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.errors import counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.release.card.bins import bin_label
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.card.markdown import FEW_CORE, LITTLE_CORE, table
from rulemine.release.records import Question
from rulemine.rules.taxonomy import RULE_SUBTYPES, RULE_TYPES, SUBTYPE_NAMES
from rulemine.text.markdown import plain

__all__ = ["RULE_PAGE"]

EXAMPLES = 5


def _lead(name: str, manifest: Manifest) -> list[str]:
    counts = manifest["counts"]
    return [
        f"# {name}: questions whose answers a knowledge graph no longer states",
        "",
        f"{counted(counts['questions'], 'question')} about {counts['triples_removed']:,} triples that "
        f"were removed from a knowledge graph of {counts['triples_complete']:,}. Each removed triple "
        "still follows from the remaining ones by a rule; the proof is published with it.",
        "",
        _core(counts, manifest["config"]["selection"]["mode"] == "brink"),
    ]


def _core(counts: Mapping[str, Any], brink: bool) -> str:
    total, core = counts["questions"], counts["core"]
    if not total:
        return "No question was left."
    said = f"**{core:,} of {counted(total, 'question')} need more than one edge: the core.** "
    if brink:
        why = "The published procedure (`brink`) does not select for the core."
    elif 3 * counts["triples_askable"] < counts["triples_complete"]:
        why = "Most facts of this graph can be guessed."
    else:
        why = "The others are restated by an edge between the same two ends, or can be guessed."
    if not core:
        return f"{said}There is nothing to report a headline score on. {why}"
    if core < max(LITTLE_CORE * total, FEW_CORE):
        return f"{said}That is little; scores on it have wide intervals. {why}"
    return said + (
        "There nothing else in the complete graph joins the two ends of the removed triple, and its answer "
        f"is rare among those of its relation (prior ≤ {CORE_PRIOR:g}). Report scores on the core first, "
        "then on all questions."
    )


def _proofs(manifest: Manifest) -> list[str]:
    """The proofs of questions by type, length, confidence, prior and lift."""
    counts = manifest["counts"]
    types: list[Sequence[object]] = [("rule type", "rules", "questions", "core")]
    for kind in RULE_TYPES:
        of = [counts[f"{prefix}_by_type"][kind] for prefix in ("rules", "questions", "core")]
        types.append((kind, *of))
    for kind in RULE_SUBTYPES:
        some, core = (counts[f"{prefix}_by_subtype"][kind] for prefix in ("questions", "core"))
        if some:
            types.append((f"other: {SUBTYPE_NAMES.get(kind, kind)}", "", some, core))
    rows: list[Sequence[object]] = [("", "all", "core")]
    for key, title in (
        ("body_atoms", "body atoms of the proof"),
        ("shortest_proof", "body atoms of the shortest remaining proof"),
        ("proofs", "remaining proofs"),
        ("confidence", "standard confidence of the proof"),
        ("prior", "prior of the answer"),
        ("lift", "lift: confidence / prior"),
    ):
        cells = (counts[f"{prefix}_by_{key}"] for prefix in ("questions", "core"))
        rows.append((title, *(_bins(key, cell) for cell in cells)))
    said = [
        "The proof of a question is the best that remains of its removed triple: the shortest within 0.1 of "
        "the best confidence. Below, each value or range with its number of questions."
    ]
    return [*table(types), "", *said, "", *table(rows)]


def _bins(key: str, cell: Mapping[str, int]) -> str:
    return " · ".join(f"{bin_label(key, name)}: {n:,}" for name, n in cell.items() if n) or "–"


def _examples(questions: Sequence[Question]) -> list[str]:
    ordered = sorted((q for q in questions if q.core), key=lambda q: q.id) or sorted(
        questions, key=lambda q: q.id
    )
    step = max(1, len(ordered) // EXAMPLES)
    return [
        f"- `{q.id}` {plain(q.question)} — hard answer: {plain(str(q.hard_answer))}"
        + (f" (one of {len(q.answers)} answers)" if len(q.answers) > 1 else "")
        for q in ordered[::step][:EXAMPLES]
    ] or ["None."]


RULE_PAGE = KindPage(
    lead=_lead,
    sizes={},
    origins={"Proofs": _proofs},
    examples=_examples,
    shared={
        "topic": "topic entity is one of train",
        "answer": "hard answer is one of train",
        "relation": "relation is one of train",
        "rule": "rule is one of train",
    },
    strata={
        "relation": "relation",
        "direction": "relation and direction",
        "rule_type": "rule type",
        "core": "core",
    },
    block="`rules` (the removed triple, relation, direction, rule and its type)",
)
"""What the cards of the kind ``rules`` say."""
