"""What scores and groups of questions are called, what they are in words, and which scores tables have."""

from collections.abc import Iterable, Sequence

from rulemine.evaluation.metrics import COSTS, RANKED, ROW_METRICS
from rulemine.evaluation.retrieval import RETRIEVAL
from rulemine.evaluation.statistics.bootstrap import MEAN

__all__ = [
    "FURTHER",
    "GROUPS",
    "HHR_NOTE",
    "MEAN",
    "MEANINGS",
    "PLAIN_NUMBERS",
    "SHOWN",
    "SUBSETS",
    "TITLES",
    "meaning",
    "scores_in_words",
    "subsets_in_words",
]

SHOWN = ("hard_f1", "hhr", "hits_hard", "hits_any", "precision", "f1")
"""The scores of answers that tables have; files have all."""

TITLES = {
    "hits_any": "Hits@Any",
    "hits_at_1": "H@1",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "hits_hard": "Hits@Hard",
    "hhr": "HHR",
    "hard_recall": "Hard recall",
    "hard_f1": "Hard F1",
    "mrr": "MRR",
    "hard_hits_at_1": "Hits@1",
    "hard_hits_at_10": "Hits@10",
    "strict_hits_any": "strict Hits@Any",
    "strict_f1": "strict F1",
    "strict_hard_f1": "strict Hard F1",
    "triple_recall": "recall",
    "triple_precision": "precision",
    "triple_f1": "F1",
    "certificate_recall": "certificates",
    "certificate_precision": "certificate precision",
    "certificate_f1": "certificate F1",
    "answer_hit": "answer hit",
    "answer_recall": "answers",
    "retrieved": "triples",
    "proof_retrieved": "proof",
    "retrieval_failures": "not retrieved",
    "reasoning_failures": "not reasoned",
    "ex": "EX",
    "ex_columns": "EX, more columns",
    "ex_published": "EX published",
    "psjs": "PSJS",
    "psjs_published": "PSJS published",
    "psjs_edges": "PSJS edges",
    "executable": "executable",
    "row_hhr": "row HHR",
    "calls": "calls",
    "prompt_tokens": "tokens sent",
    "completion_tokens": "tokens received",
    "seconds": "seconds",
}
"""Headings of the columns of tables."""

PLAIN_NUMBERS = ("retrieved", *COSTS)
"""The scores that are numbers, not fractions."""

HHR_NOTE = (
    "HHR: Hits@Hard over Hits@Any, a ratio among the hits of a system, beside it; not a ranking."
)

SUBSETS = {
    "core": "the core",
    "granted": "the granted part of the core",
    "likely": "the likely rest of the core",
    "all": "all questions",
    MEAN: "mean of structures",
}
"""The breakdowns that are one row each and come first, in words; all others are over all questions."""

FURTHER = (
    ("ranked answers; in percent", RANKED, ("structure",)),
    (
        "raw outputs as lists and nothing else (matching ids); in percent",
        ("strict_hits_any", "strict_f1", "strict_hard_f1"),
        ("structure",),
    ),
    (
        "retrieved from the {kg} graph; in percent, triples as a number",
        tuple(
            m
            for m in RETRIEVAL
            if m not in ("certificate_precision", "certificate_f1", "answer_hit", "proof_retrieved")
        ),
        ("structure",),
    ),
    (
        "queries run on the {kg} graph; in percent",
        ROW_METRICS,
        ("structure", "shape", "return", "rows", "template", "graph", "changed"),
    ),
    ("what an answer of a model cost; means", COSTS, ("structure",)),
)
"""The further tables: title, the scores in them, and the breakdowns. JSON and CSV have all."""

MEANINGS = {
    "hits_any": "the share of questions with at least one right answer",
    "hits_at_1": "the share of questions whose first answer is right",
    "f1": "the harmonic mean of precision and recall, a mean over questions",
    "precision": "the share of the answers given that are right, a mean over questions",
    "recall": "the share of the right answers that are given, a mean over questions",
    "hard_f1": "F1 of the hard answers, the other right answers set aside",
    "hits_hard": "the share of questions with the hard answer",
    "hard_recall": "the share of the hard answers that are given",
    "hhr": "Hits@Hard over Hits@Any (how much of what is hit is inferred; not a ranking)",
    "mrr": "the mean of 1 / rank of the hard answer",
    "hard_hits_at_1": "the share of questions whose hard answer is ranked first",
    "hard_hits_at_10": "the same among the first ten",
    "strict_hits_any": "Hits@Any of a text taken as a list, and of no name in its sentences",
    "strict_f1": "F1 of the same",
    "strict_hard_f1": "Hard F1 of the same",
    "triple_recall": "the share of the evidence, which the graph states, that was retrieved",
    "triple_precision": "the share of what was retrieved that is evidence",
    "triple_f1": "F1 of the evidence",
    "certificate_recall": "the share of the proofs of missing facts that was retrieved",
    "certificate_precision": "the share of what was retrieved that is of these proofs",
    "certificate_f1": "F1 of these proofs",
    "answer_hit": "the share of questions with an answer at an end of a retrieved triple",
    "answer_recall": "the share of the answers at such ends",
    "retrieved": "how many triples were retrieved for a question",
    "proof_retrieved": "the share of questions with a whole proof retrieved",
    "retrieval_failures": "the share without the hard answer and without its proof",
    "reasoning_failures": "the share without the hard answer, although its proof was retrieved",
    "ex": "Execution accuracy, the share of queries with the right rows",
    "ex_columns": "the same with further columns allowed",
    "ex_published": "EX as CypherBench's program computes it",
    "psjs": "how much of the part of the graph that the right query matches its own one matches",
    "psjs_published": "PSJS as CypherBench's program computes it",
    "psjs_edges": "PSJS over edges",
    "executable": "the share of queries that run",
    "row_hhr": "the share of the right rows given that the incomplete graph has lost",
    "calls": "calls of a model that an answer took",
    "prompt_tokens": "tokens sent to a model for an answer",
    "completion_tokens": "tokens received from a model for an answer",
    "seconds": "seconds that an answer took",
}
"""What a score is, as a noun phrase."""

GROUPS = {
    "proof": "Core: nothing else joins the ends of the removed fact; restated: another fact says the same; "
    "side edge: another edge joins them; other: the answer is too frequent for the core.",
    "missing": "Missing links: the removed facts that the hard answer needs.",
    "inference": "Full: nothing that the hard answer needs is stated; partial: some of it is.",
    "unseen": "What a question has that no training question has; groups overlap.",
    "proofs": "Proofs left: proofs of the removed fact that the incomplete graph still has.",
    "inverse_edge": "Left: an edge between the same entities, in the other direction, is still there.",
    "split": "Split: the part of the questions that is for training, for choosing, or for testing.",
}
"""What the groups of a breakdown are, as sentences."""

_SUBSETS = {
    "core": "whose hard answer, which the incomplete graph lacks, has to be inferred: no other edge gives it "
    "away, and no frequent answer is right",
    "granted": "of the core whose missing facts follow by rules that hold in 80 % of the cases or more",
    "likely": "of the core that are not granted",
    "all": "asked",
}


def meaning(metric: str) -> str:
    """What a score is, as the beginning of a sentence."""
    return f"{MEANINGS[metric][0].upper()}{MEANINGS[metric][1:]}"


def subsets_in_words(sizes: Iterable[tuple[str, int]]) -> str:
    """What the core, its granted part and all questions are, and how many each has.

    Args:
        sizes: Breakdowns and numbers of questions; other breakdowns are left out.

    Example:
        >>> subsets_in_words([("all", 72), ("hops", 9)])
        'All: 72 questions asked.'
    """
    known = ((name, n) for name, n in sizes if name in _SUBSETS)
    return " ".join(f"{name.capitalize()}: {n:,} questions {_SUBSETS[name]}." for name, n in known)


def scores_in_words(metrics: Iterable[str], known: Sequence[str] = ()) -> tuple[str, ...]:
    """What scores are, in one sentence or none; those that were said before are left out.

    Example:
        >>> scores_in_words(["f1", "hits_at_1"], known=["f1"])
        ('H@1: the share of questions whose first answer is right.',)
    """
    parts = (f"{TITLES[metric]}: {MEANINGS[metric]}" for metric in metrics if metric not in known)
    return tuple(filter(None, [" ".join(f"{part}." for part in parts)]))
