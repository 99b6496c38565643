"""What scores and groups of questions are called in tables, and which scores tables have."""

from rulemine.evaluation.cypher.release_rows import ROW_METRICS
from rulemine.evaluation.ranked import RANKED
from rulemine.evaluation.retrieval import RETRIEVAL

__all__ = ["BREAKDOWN_TITLES", "FURTHER", "IN_TABLES", "MEAN", "SUBSETS", "TITLES"]

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
    "ex_published": "EX published",
    "psjs": "PSJS",
    "psjs_published": "PSJS published",
    "psjs_edges": "PSJS edges",
    "executable": "executable",
    "row_hhr": "row HHR",
}
"""Headings of the columns of tables."""

IN_TABLES = {
    "rules": ("hard_f1", "hhr", "hits_hard", "hits_any", "precision", "f1"),
    "structures": ("hard_f1", "hhr", "hits_hard", "hits_any", "hits_at_1", "f1"),
    "subgraphs": ("hard_f1", "hhr", "hits_hard", "hits_any", "recall", "f1"),
    "variants": ("hard_f1", "hhr", "hits_hard", "hits_any", "recall", "f1"),
    "cypher": ("hard_f1", "hard_recall", "hhr", "hits_hard", "hits_any", "f1"),
}
"""Kind of the questions → the scores of answers in tables; JSON and CSV have all."""

MEAN = "mean_of_structures"
"""Breakdown and group of the plain mean over structures."""

SUBSETS = {"core": "the core", "all": "all questions", MEAN: "mean of structures"}
"""The breakdowns that are one row each and come first, in words; all others are over all questions."""

BREAKDOWN_TITLES = {
    "proof": "what is left of the hard answer",
    "structure": "structure",
    "hops": "hops",
    "missing": "missing links",
    "inference": "inference",
    "triples": "triples that the writer used",
    "redundancy": "topic entities needed",
    "test_type": "what training lacks (id: nothing, ugt: the shape, urt: a relation)",
    "topic": "topic",
    "unique": "answers",
    "rule_type": "rule type",
    "rule_subtype": "other rules by shape",
    "proofs": "proofs left",
    "inverse_edge": "inverse edge",
    "shape": "MATCH template",
    "return": "RETURN, basic questions",
    "rows": "rows of the gold",
    "changed": "rows on the graph of the level",
    "unseen": "unseen in training",
    "split": "split",
    "level": "level",
}

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
        ("structure", "shape", "return", "rows", "changed"),
    ),
)
"""The further tables: title, the scores in them, and the breakdowns. JSON and CSV have all."""
