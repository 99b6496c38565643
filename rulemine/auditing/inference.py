"""How many questions need what is missing, and how many of these can still be derived."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from rulemine.auditing.audited import AuditedSet, Progress
from rulemine.auditing.figures import Measure, measure, share
from rulemine.codec import to_json
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.index import Index
from rulemine.mining import MiningOptions, mine
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks

__all__ = ["AS_OURS", "inference_measures"]

SECTION = "inference"

AS_OURS = MiningOptions(min_head_coverage=0.1, min_std_confidence=0.3, min_pca_confidence=0.4)
"""What is mined where the release has no rules: as recipes do unless they say otherwise."""

_NAMED = (
    "max_atoms", "min_head_coverage", "min_std_confidence", "min_pca_confidence", "min_initial_support",
)  # fmt: skip
"""The options that the definition names."""


def inference_measures(of: AuditedSet, progress: Progress, mines: bool) -> Iterator[Measure]:
    """The figures on inference.

    Args:
        of: The set.
        progress: Called while rules are mined.
        mines: Whether rules are mined where the release has none.
    """
    why = "nothing is removed." if of.has_graph else "the set has no graph."
    missing = None
    if of.incomplete is not None:
        missing = share([bool(q.hard) if q.graded else None for q in of.questions])
    yield measure(
        SECTION, "needs_missing", "needs what is missing",
        "Share of all questions that have a hard answer: one which the complete graph gives and the "
        "incomplete one does not state.",
        missing, why,
    )  # fmt: skip
    certified = bool(of.release.removals())
    core = None if missing is None or not certified else share([q.core for q in of.questions])
    yield measure(
        SECTION, "core", "in the core",
        "Share of all questions whose hard answer rests on removed triples of the core alone: their ends are "
        "joined by no other edge, and the answer is no common one (docs/release.md).",
        core, why if missing is None else "removed triples have no certificates.",
    )  # fmt: skip
    yield _kept(of, progress, mines, why)


def _kept(of: AuditedSet, progress: Progress, mines: bool, why: str) -> Measure:
    key, title = "derivable", "keeps a derivation"
    definition = (
        "Share of the questions that need what is missing of which a hard answer keeps a derivation: every "
        "removed triple of its witness follows by a rule from the incomplete graph"
    )
    if of.complete is None or of.incomplete is None:
        return measure(SECTION, key, title, f"{definition}.", None, why)
    witnessed = [[row.witness for row in q.hard if row.witness] for q in of.questions]
    if not any(witnessed):
        why = "no question says what its answers rest on."
        return measure(SECTION, key, title, f"{definition}.", None, why)
    rules: Sequence[Rule] = ()
    if "rules.jsonl" in of.release.manifest["files"]:
        rules = of.release.rules()
    if rules:
        options, made = (
            of.release.manifest["config"].get("mining", {}),
            "its rules are those of the release",
        )
    elif mines:
        rules, options = list(mine(of.complete, AS_OURS, progress=progress)), to_json(AS_OURS)
        made = "rules are mined on the complete graph"
    else:
        why = "rules were not mined (--no-mining)."
        return measure(SECTION, key, title, f"{definition}.", None, why)
    with_what = ", ".join(f"{name} {options[name]:g}" for name in _NAMED if name in options)
    definition += f"; {made} ({len(rules):,}; {with_what})."
    follows = _derivable(of, of.incomplete, rules, witnessed)
    hits = [any(map(follows, some)) if some else None for some in witnessed]
    return measure(SECTION, key, title, definition, share(hits))


def _derivable(
    of: AuditedSet,
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    witnessed: Sequence[Sequence[Sequence[Triple]]],
) -> Callable[[Sequence[Triple]], bool]:
    """Whether every removed triple of a witness follows by a rule from the incomplete graph."""
    stated = set(kg.labeled())
    wanted: dict[str, set[str]] = {}
    for some in witnessed:
        for witness in some:
            for s, r, o in witness:
                if (s, r, o) not in stated:
                    for relation, end in of.declarations.statements(r, "object"):
                        wanted.setdefault(relation, set()).add(s if end == "object" else o)
    ids, walks, derived = kg.entity_ids, Walks(Index(kg), rules), set[Triple]()
    for relation, topics in sorted(wanted.items()):
        known = np.array(sorted(ids[t] for t in topics if t in ids), np.int64)
        for part in walks.derive([OpenEnds(relation, "object", known)]):
            starts = known[part.topic].tolist()
            for s, o in zip(starts, part.answer.tolist(), strict=True):
                derived.add((kg.entities[s], relation, kg.entities[o]))

    def follows(witness: Sequence[Triple]) -> bool:
        gone = [t for t in witness if t not in stated]
        return bool(gone) and all(_any_statement(of, t) & derived for t in gone)

    return follows


def _any_statement(of: AuditedSet, triple: Triple) -> set[Triple]:
    s, r, o = triple
    statements = of.declarations.statements(r, "object")
    return {(s, name, o) if end == "object" else (o, name, s) for name, end in statements}
