"""What scores and groups of questions are called in tables, and which scores tables have."""

from rulemine.evaluation.metrics import COSTS, ROW_METRICS
from rulemine.evaluation.ranked import RANKED
from rulemine.evaluation.retrieval import RETRIEVAL

__all__ = ["FURTHER", "HHR_NOTE", "MEAN", "PLAIN_NUMBERS", "SHOWN", "SUBSETS", "TITLES"]

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

MEAN = "mean_of_structures"
"""Breakdown and group of the plain mean over structures."""

SUBSETS = {
    "core": "the core",
    "granted": "the granted part of the core",
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
