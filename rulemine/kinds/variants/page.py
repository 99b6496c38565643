"""The card of a release of the kind ``variants``: what only such a card says."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.errors import counted
from rulemine.kinds.structures.figures import ALL
from rulemine.kinds.structures.page import (
    QUERY_SHARED,
    QUERY_STRATA,
    describe_missing,
    describe_structures,
    examples_of_structures,
    lead,
)
from rulemine.kinds.subgraphs.page import describe_acceptance
from rulemine.release.card.kind_page import KindPage, Manifest
from rulemine.release.card.markdown import percent, table
from rulemine.release.records import SPLITS
from rulemine.text.markdown import plain

__all__ = ["VARIANT_PAGE"]

_MEASURES = {
    "subgraph": "triples of the subgraph",
    "facts": "supporting facts",
    "seeds": "entities of the seed text",
    "hops": "hops",
    "answers": "answers",
}


def _lead(name: str, manifest: Manifest) -> list[str]:
    texts = counted(manifest["counts"]["variants"][ALL]["seed_texts"], "seed text")
    written = f"from {texts}, each written for what joins the entities of its seed text in"
    return lead(name, manifest, "questions written from seed texts on", written)


def _statistics(manifest: Manifest) -> list[str]:
    counts = manifest["counts"]
    rows = counts["variants"]
    parts = [name for name in (*SPLITS, ALL) if rows[name]["questions"] or name == ALL]
    means: list[Sequence[object]] = [
        ("", *parts),
        ("questions", *(f"{rows[part]['questions']:,}" for part in parts)),
        ("seed texts", *(f"{rows[part]['seed_texts']:,}" for part in parts)),
        ("a single answer", *(percent(rows[p]["unique"], rows[p]["questions"]) for p in parts)),
        ("not minimal", *(percent(rows[p]["redundant"], rows[p]["questions"]) for p in parts)),
        *(
            (f"{said}, mean", *(f"{rows[part][key]:.2f}" for part in parts))
            for key, said in _MEASURES.items()
        ),
    ]
    topics: list[Sequence[object]] = [("topic", *SPLITS)]
    topics += [(plain(topic) or "none", *row.values()) for topic, row in counts["topics"].items()]
    return [
        "Supporting facts are the triples that the writer named. A single answer: the complete graph gives "
        "no other one. Not minimal: fewer topic entities give the same answers, so structure and hops say "
        "more than is needed.",
        "",
        *table(means),
        "",
        *table(topics),
    ]


def _origin(manifest: Manifest) -> list[str]:
    counts, options = manifest["counts"], manifest["config"]["variants"]
    if run := options["run"]:
        drawn = f"- A fresh variant, run {run}: the seed texts of another release, triples in another order."
    else:
        drawn = "- A static release; fresh variants of it are made by `rulemine variants`."
    return [
        "- Subgraphs: what joins the entities of a seed text with the fewest edges (Steiner trees, "
        "Mehlhorn), with every triple between the ends of each edge; at most"
        f" {options['max_triples']} triples, {options['max_neighbors']} neighbors of an entity.",
        drawn,
        "- Every question was executed: `answers` has all that the graph gives, not the writer's alone.",
        *_skipped(counts["sampling"].get("variants", {})),
        *_judged(manifest),
        *describe_acceptance(counts["sampling"].get("variants", {})),
    ]


def _skipped(told: Mapping[str, Any]) -> list[str]:
    if not told.get("skipped"):
        return []
    why = "; ".join(f"{reason} ({n:,})" for reason, n in told["skipped"].items())
    return [f"- Seed texts that were asked about: {told['seed_texts']:,}; left out: {why}."]


def _judged(manifest: Manifest) -> list[str]:
    counts = manifest["counts"]
    told = counts["sampling"].get("variants", {}).get("judged")
    if not counts["judged"] or not told:
        return ["- No model judged the questions."]
    rows: list[Sequence[object]] = [("flag", "votes", "good", "raw agreement", "Fleiss’ κ (95 %)")]
    for flag, row in told["agreement"].items():
        interval = "" if row["low"] is None else f" ({row['low']:.2f} … {row['high']:.2f})"
        kappa = "–" if row["kappa"] is None else f"{row['kappa']:.2f}{interval}"
        raw = "–" if row["raw"] is None else percent(row["raw"])
        rows.append((f"`{flag}`", row["votes"], percent(row["good"], row["votes"]), raw, kappa))
    return [
        f"- Judges: {', '.join(f'`{model}`' for model in told['models'])}. They accepted "
        f"{told['accepted']:,} of {counted(told['judged'], 'question')}, each unanimously; "
        f"{counted(told['unreadable'], 'vote')} could not be read. κ is undefined where all votes are equal."
        + " Three samples of one model are no independent judges."
        * (len(set(told["models"])) == 1),
        "",
        *table(rows),
        "",
    ]


VARIANT_PAGE = KindPage(
    lead=_lead,
    sizes={"Statistics": _statistics, "Structures": describe_structures},
    origins={"Proofs": describe_missing, "How questions were written": _origin},
    examples=examples_of_structures,
    shared=QUERY_SHARED,
    strata=QUERY_STRATA,
    block="`variants` (relations, intermediate entities, removed triples of `evidence` and rules of their "
    "proofs; the writer's answer and supporting triples, the subgraph it saw; seed text, its entities, "
    "topic; whether the answer is the only one; judgements)",
)
"""What the cards of the kind ``variants`` say."""
