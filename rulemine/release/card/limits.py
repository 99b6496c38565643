"""The known limits of a release in figures, in words for its card."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rulemine.errors import counted
from rulemine.kg.relation_overlap import LEAST_SHARE
from rulemine.kinds.structures.figures import ALL
from rulemine.text.markdown import code

__all__ = ["describe_limits"]

MOST_RELATIONS = 10
"""Number of undeclared relations that are listed."""

MOST_REASONS = 6
"""Number of reasons for not asking about relations that are listed."""


def describe_limits(manifest: Mapping[str, Any]) -> list[str]:
    """The limits of a release, as lines of Markdown.

    Args:
        manifest: Its manifest, without the digests of files.
    """
    counts, config = manifest["counts"], manifest["config"]
    total, askable = counts["questions"], counts["triples_askable"]
    structures = "statistics" in counts
    removes = config["selection"]["mode"] != "none"
    lines = [
        f"- Base rates: {_percent(askable, counts['triples_complete'])} of the triples of the graph have an "
        "answer that is rare enough to ask for in at least one direction"
        + (
            ". Most facts of this graph can be guessed."
            if 3 * askable < counts["triples_complete"]
            else "."
        ),
        *(_restatement(counts, structures) if removes else ()),
        *_completion(counts, config.get("kind", "")),
        *_undeclared(counts["relations_undeclared"]),
        *(_of_removed(counts, structures) if removes else ()),
        "- Answers are those that the graph states"
        + (
            f", with {counts['triples_reference']:,} triples {_further(config)}"
            if counts["triples_reference"]
            else ""
        )
        + "; an answer that is true but not stated counts as wrong.",
    ]
    if counts["distinct_texts"] < total:
        lines.append(f"- The questions have {counts['distinct_texts']:,} distinct texts.")
    lines += _rejected(counts)
    if config["selection"]["mode"] == "brink":
        lines.append(
            "- The published procedure bounds neither priors nor the confidence of long proofs."
        )
        if config["questions"].get("split") == "random":  # as published in every step
            lines.append(
                "- Table 3 of the paper (arXiv 2508.08344) is not comparable row by row: a language model "
                "wrote its questions, and its FB15k-237 is another part of the graph (204,087 triples)."
            )
    return [*lines, *_excluded(manifest["kg"].get("dropped", {}), config["questions"])]


def _restatement(counts: Mapping[str, Any], structures: bool) -> list[str]:
    """What restates removed triples."""
    total = counts["questions"]
    return [
        f"- Restatement: in {_percent(counts['inverse_edge_left'], total)} of the questions an inverse edge, "
        f"from {'a' if structures else 'the'} removed triple's object to its subject, is left; in "
        f"{_percent(counts['parallel_edge_left'], total)} another edge in the same direction. In "
        f"{_percent(counts['restating_edge_left'], total)} it is an edge of a relation that states at least "
        f"{100 * LEAST_SHARE:.0f} % of the same triples. None of these questions is in the core.",
        *_joined(counts),
    ]


def _joined(counts: Mapping[str, Any]) -> list[str]:
    """What the core is not: without any other edge in the reference graph too."""
    if not counts["triples_reference"]:
        return []
    return [
        "- That nothing else joins the two ends of a removed triple of the core is so in the complete "
        "graph: the triples of the reference that give further answers join the ends of "
        f"{counts['core_joined_by_reference']:,} of "
        f"{counted(counts['removed_core'], 'removed triple')} of the core."
    ]


def _completion(counts: Mapping[str, Any], kind: str) -> list[str]:
    declared = counts["relations_declared"]
    if not declared:
        return ["- Completion: no relation is declared symmetric, inverse or the same as another."]
    others = "all statements of a fact are asked for together"
    if kind == "cypher":
        others += ", because each is an edge of the property graph"
    if "answers_completed" in counts:
        others = (
            f"{counted(counts['answers_completed'], 'answer')} of "
            f"{counted(counts['questions_completed'], 'question')} come only from another statement"
        )
    return [
        f"- Completion: {_are(declared, 'relation')} declared symmetric, inverse or the same as another; "
        f"{others}. Removed triples that only restate another one: {counts['removed_restatements']:,}."
    ]


def _of_removed(counts: Mapping[str, Any], structures: bool) -> list[str]:
    """What is not asked about, and how questions ask for what is removed."""
    return [
        f"- {_are(counts['removed_not_asked'], 'removed triple')} not asked about.",
        *(_of_structures if structures else _of_rules)(counts),
    ]


def _of_rules(counts: Mapping[str, Any]) -> list[str]:
    total = counts["questions"]
    return [
        f"- In {_percent(counts['some_answer_stated'], total)} of the questions another answer is still "
        "stated. Hits@Any needs no inference there; Hits@Hard does.",
        f"- {_percent(counts['questions_by_proofs']['1'], total)} of the questions have a single remaining "
        "proof.",
    ]


def _of_structures(counts: Mapping[str, Any]) -> list[str]:
    whole, total = counts["statistics"][ALL], counts["questions"]
    easy = whole["by_missing"]["0"]
    lines = [
        f"- In {_percent(easy, total)} of the questions every answer is stated. They have no hard answer and "
        "are left out of scores on hard answers.",
        f"- In {_percent(counts['some_answer_stated'] - easy, total - easy)} of the others another answer is "
        "still stated. Hits@Any needs no inference there; Hits@Hard does.",
        "- A hard answer is graded by its cheapest derivation; other derivations may miss more links.",
    ]
    if whole["mediated"]:
        lines.append(
            f"- In {_percent(whole['mediated'], total)} of the questions a relation joins two properties of "
            "Freebase with a mediator between them: one link here, two hops in the count of ComplexLogicalQA."
        )
    return lines


def _further(config: Mapping[str, Any]) -> str:
    """Where further answers come from, after a number of triples."""
    sources = ["of a larger reference graph"] * bool(config["reference"])
    sources += ["implied by definition"] * bool(config.get("implied"))
    return " or ".join(sources)


def _undeclared(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    said = {
        "symmetric": "{relation} looks symmetric ({share:.0f} %)",
        "inverse": "{relation} and {other} look inverse ({share:.0f} %)",
        "same": "{relation} and {other} look the same ({share:.0f} %)",
    }
    shown = [
        said[row["looks"]].format(
            relation=code(row["relation"]), other=code(row["other"]), share=100 * row["share"]
        )
        for row in sorted(rows, key=lambda row: -row["share"])[:MOST_RELATIONS]
    ]
    more = f"; and {len(rows) - len(shown):,} more" if len(rows) > len(shown) else ""
    return [
        f"- Not declared, so not completed: {'; '.join(shown)}{more}. If so, say it in the template file: "
        "`symmetric = true`, `inverse_of`, `same_as`."
    ]


def _rejected(counts: Mapping[str, Any]) -> list[str]:
    rejected = {
        why: n for why, n in counts["rejected"].items() if "verbalize: paraphrase: " not in why
    }
    if counts["questions_by_wording"]["fallback"]:  # the questions of these texts are kept
        rejected = {why: n for why, n in rejected.items() if not why.startswith("verbalize: ")}
    if not rejected:
        return ["- No question was rejected."]
    reasons = "; ".join(f"{reason} ({n:,})" for reason, n in rejected.items())
    return [f"- {sum(rejected.values()):,} questions were rejected: {reasons}."]


def _excluded(dropped: Mapping[str, str], config: Mapping[str, Any]) -> list[str]:
    """The excluded relations, counted by reason."""
    if not dropped:
        return []
    reasons = Counter(dropped.values()).most_common()
    shown = "; ".join(f"{reason} ({n:,})" for reason, n in reasons[:MOST_REASONS])
    more = sum(n for _, n in reasons[MOST_REASONS:])
    return [
        f"- {_are(len(dropped), 'relation')} not asked about: {shown}"
        + (f"; other reasons ({more:,})" if more else "")
        + f". See `kg.dropped` in `manifest.json`; filter `{config['filter'] or 'none'}`, thresholds in "
        "`questions` of the options.",
    ]


def _are(n: int, noun: str) -> str:
    return f"{counted(n, noun)} {'is' if n == 1 else 'are'}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
