"""Releases of the kinds that a writer asks, made by hand from the world of `tests.structures`."""

from dataclasses import replace
from typing import Any

from rulemine.kinds.written.block import Judgement, MinimalQuery, SubgraphBlock, VariantBlock
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import Question
from tests.structures import CONFIG, world

SUBGRAPHS = {
    "questions": 20, "nodes": 10, "edges": 30, "max_answers": 10, "max_evidence": 100,
    "reserved_shapes": ["((1)(1))"], "test_share": 0.3,
}  # fmt: skip
VARIANTS = {"questions": 20, "max_triples": 100, "max_neighbors": 1000, "run": 0, "judges": []}
JUDGEMENT = Judgement("judge", True, "fine", False, "no", True, "yes", True, "whole")


def as_subgraph(question: Question, **changes: Any) -> Question:
    """The same question as one written for a subgraph; `changes` are of its block."""
    block = SubgraphBlock(
        **_shared(question),
        redundant=False,
        minimal_shape=question.shape,
        minimal=(MinimalQuery(question.anchors, question.query),),
        test_type=(),
    )
    return replace(question, kind="subgraphs", block=replace(block, **changes))


def as_variant(question: Question, **changes: Any) -> Question:
    """The same question as one written from a seed text; `changes` are of its block."""
    block = VariantBlock(
        **_shared(question),
        seed_text=f"t{int(question.id[1:]) // 2}", seeds=question.anchors, topic="people",
        unique=len(question.answers) == 1, redundant=False, judgements=(),
    )  # fmt: skip
    return replace(question, kind="variants", block=replace(block, **changes))


def _shared(question: Question) -> dict[str, Any]:
    return {
        "answer": question.answers[0],
        "triples": tuple(sorted(set(question.evidence))), "subgraph": question.full_evidence,
    }  # fmt: skip


def _world(
    kind: str, section: dict[str, Any], questions: tuple[Question, ...], told: Any
) -> ReleaseParts:
    return world(
        config={**CONFIG, "kind": kind, kind: section},
        questions=questions,
        sampling_counts={kind: told},
    )


def subgraphs() -> ReleaseParts:
    """Twelve questions, of which one is not minimal and the test questions have a class."""
    given = list(world().questions)
    made = []
    for number, q in enumerate(given):
        split = "test" if q.split == "test" else "train"
        types = (("id",), ("ugt",), ("urt",), ("ugt", "urt"))[number % 4]
        own: dict[str, Any] = {"test_type": types if split == "test" else ()}
        if number == 4:
            own |= {"redundant": True, "minimal_shape": "(1)"}
        made.append(as_subgraph(replace(q, split=split), **own))
    told = {
        "wanted": 20, "questions": 15, "drawn": 40, "rejected": {"it is odd": 20, "it is long": 5},
        "grown": 3, "final_filter": {"model": "judge", "asked": 7, "failed": 1, "unreadable": 2},
        "paraphrases": {
            "model": "other", "judge": "judge", "asked": 12, "dropped": {"paraphrase: audit_failed": 2},
        },
        "mended": {"asked": 9, "accepted": 4}, "dropped": {"LIMIT": 3},
        "split": {"accepted": 15, "training_relations": ["in", "won"], "per_cell": 1},
    }  # fmt: skip
    return _world("subgraphs", SUBGRAPHS, tuple(made), told)


def variants(judged: bool = False) -> ReleaseParts:
    """Twelve questions from six seed texts, of two topics; judged by one model thrice, or not."""
    given = list(world().questions)
    own: dict[str, Any] = {"judgements": (JUDGEMENT,) * 3 if judged else ()}
    made = [
        as_variant(q, topic="people" if n % 3 else "places", **own) for n, q in enumerate(given)
    ]
    agreement = {
        "votes": 54, "good": 51, "subjects": 18, "raw": 0.9, "kappa": 0.5, "low": 0.25, "high": 0.75,
    }  # fmt: skip
    counts = {
        "models": ["judge"] * 3, "judged": 18, "accepted": 12, "unreadable": 1,
        "agreement": {"redundancy": agreement, "answer_support": agreement | {"kappa": None, "low": None}},
    }  # fmt: skip
    told = {
        "wanted": 20, "questions": 12, "drawn": 18, "seed_texts": 6,
        "rejected": {"it is odd": 4, "enough questions are accepted": 2},
        "skipped": {"no seed": 3}, "judged": counts if judged else None,
    }  # fmt: skip
    return _world("variants", VARIANTS, tuple(made), told)
