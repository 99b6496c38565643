"""What a reader of scores must know about them, as sentences."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rulemine.arrays import distinct
from rulemine.errors import counted
from rulemine.evaluation.matching.vocabulary import LONGEST_OUTPUT, bounded
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import SUBSETS
from rulemine.evaluation.statistics.bootstrap import Bools, Floats, Ints, Row
from rulemine.kinds.registry import is_built
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "NOTHING_TO_INFER",
    "notes_on_clusters",
    "notes_on_cut_off",
    "notes_on_leaks",
    "notes_on_predictions",
    "notes_on_questions",
    "notes_on_retrieved",
    "notes_on_rows",
    "notes_on_texts",
    "where_any",
]

FEW_CLUSTERS = 20
"""Below so many clusters of questions in its headline a report warns that its intervals rest on few."""

DROPPED = "Resamples without a single hit are left out of the interval of HHR"

NOTHING_TO_INFER = (
    "On the complete graph there is nothing to infer, and Hits@Hard, HHR and the other hard scores say which "
    "of the answers that the incomplete graph lacks are found"
)
"""What hard scores are of a system that was given everything."""

LARGE_CLUSTER = 0.25
"""Share of the questions from which on a report warns that one cluster holds so many."""


def where_any(*said: tuple[int, str]) -> list[str]:
    """Of sentences, each with the number that it puts in place of ``{}``, those whose number is not 0."""
    return [text.replace("{}", f"{number:,}") for number, text in said if number]


def notes_on_predictions(
    given: Sequence[Prediction | None],
    matched: Sequence[Sequence[str]],
    known: Collection[str],
    *,
    silence: bool = False,
) -> list[str]:
    """About missing, empty and strange answers.

    Args:
        given: The prediction for each question, None where missing.
        matched: What each predicts, as keys.
        known: The keys of the entities of the release.
        silence: Whether no answer may be right, so that nothing is wrong if all are empty.
    """
    absent, items = sum(p is None for p in given), sum(map(len, matched))
    there = len(given) - absent
    empty = sum(not m for m in matched) - absent
    strange = sum(key not in known for keys in matched for key in keys)
    share = 100 * there / max(1, len(given))
    return where_any(
        (
            absent,
            f"{WARNING}predictions for {there:,} of {len(given):,} questions ({share:.1f} %); the others "
            "score 0.",
        ),
        (
            empty,
            f"{WARNING * (empty == there and not silence)}{{}} of {counted(there, 'prediction')} "
            f"{'holds no answer and scores' if there == 1 else 'hold no answer and score'} 0.",
        ),
        (
            strange,
            f"{WARNING * (strange == items)}{{}} of {items:,} predicted answers are no entity of the "
            "release; each counts as wrong.",
        ),
    )


def notes_on_texts(
    given: Sequence[Prediction | None],
    matched: Sequence[Sequence[str]],
    denied: Sequence[int] = (),
    *,
    whole: bool = False,
) -> list[str]:
    """About outputs and lists that are too long, hold thoughts alone, or deny names.

    Args:
        given: The prediction for each question, None where missing.
        matched: What each predicts.
        denied: How many names each denies, see `rulemine.evaluation.matching.vocabulary`.
        whole: Whether outputs are read whole, thoughts and all, as the public evaluator of BRINK does.
    """
    both = zip(given, matched, strict=True)
    lists = [p.answers for p in given if p is not None and p.answers is not None]
    texts = [(p.raw_output, own) for p, own in both if p is not None and p.raw_output and not whole]
    long = sum(len(text) > LONGEST_OUTPUT for text, _ in texts)
    long += sum(len(bounded(answers)) < len(answers) for answers in lists)
    empty = [text[:LONGEST_OUTPUT] for text, own in texts if not own and text.strip()]
    outputs = counted(sum(map(bool, denied)), "output")
    return where_any(
        (long, f"Outputs longer than {LONGEST_OUTPUT:,} characters, read so far only: {{}}."),
        (
            sum(not visible_reply(text) for text in empty),
            "Outputs that hold only thoughts, and no reply: {}; they score 0.",
        ),
        (
            sum(denied),
            "Names that outputs deny (not …, neither …, rather than …) are no answers: {}, in "
            f"{outputs}.",
        ),
    )


def notes_on_cut_off(given: Sequence[Prediction | None]) -> list[str]:
    """How many predictions rest on replies of a model that were cut off, or lack one."""
    cut = [p.cut_off for p in given if p is not None and p.cut_off]
    there = len(given) - given.count(None)
    options = ", ".join(sorted({option for own in cut for option in own}))
    return where_any(
        (
            len(cut),
            f"{WARNING * (len(cut) == there)}{{}} of {counted(there, 'prediction')} rest on a model's "
            f"replies that were cut off (at {options}); they are scored as they are.",
        ),
        (
            sum(bool(p and p.failed) for p in given),
            f"{WARNING}{{}} of {counted(there, 'prediction')} lack a model's reply, since a call failed; "
            "they are scored as they are, without names as silence. Run the same answer again.",
        ),
    )


def notes_on_questions(
    questions: Sequence[Question], level: int = 100, complete: bool = False
) -> list[str]:
    """About the questions: no core, no hard answers at the level, nothing to infer on the complete graph."""
    built = all(is_built(q.kind) for q in questions)
    lacking = [q for q in questions if q.hard_answer is None]
    graded = lacking if built else [q for q in lacking if q.stated or q.further]
    stated = sum(q.hard_answer is not None and q.level > level for q in questions)
    known = all(q.stated for q in graded)
    otherwise = "all are stated, or which are is not known" if built else "none is missing"
    of, end = (
        f"{{}} of {len(questions):,} questions",
        "are left out of Hits@Hard, HHR and the other hard scores.",
    )
    return where_any(
        (complete, f"{NOTHING_TO_INFER}: every answer is stated there."),
        (not built, "What others published has no core: the headline is over all questions."),
        (
            built and not any(q.core for q in questions),
            "No question here is in the core: the headline is over all questions.",
        ),
        (
            len(lacking) - len(graded),
            f"{of} have answers of which it is not known whether they are hard, and {end}",
        ),
        (
            len(graded),
            f"{of} have no hard answer ({'every answer is stated' if known else otherwise}) and {end}",
        ),
        (
            level < 100,
            f"Hard answers are those missing at level {level}: {stated:,} of {len(questions):,} questions "
            f"have theirs still stated and {end}",
        ),
    )


def notes_on_leaks(release: Release, split: str | None) -> list[str]:
    """About removed facts that other splits give away, where splits are not held apart.

    Args:
        release: The release.
        split: The split evaluated.
    """
    config = release.manifest["config"]
    at_random = config.get("questions", {}).get("split") == "random"
    brink = config.get("selection", {}).get("mode") == "brink"
    if not (at_random or brink) or split not in ("validation", "test"):
        return []
    facts = RemovedFacts(row.triple for row in release.missing())
    questions = release.questions()
    leaked, asked = facts.leaked(questions, split), sum(q.split == split for q in questions)
    return where_any(
        (
            leaked,
            f"{{}} of {asked:,} questions of {split} ({100 * leaked / max(1, asked):.1f} %) need a removed "
            "fact that training or validation gives away: the questions were not split by group.",
        )
    )


def notes_on_clusters(clusters: Ints, headline: Bools) -> list[str]:
    """About few or large clusters.

    Args:
        clusters: The cluster of each question.
        headline: Which questions the headline is over.
    """
    if (few := len(distinct(clusters[headline]))) < FEW_CLUSTERS:
        return [
            f"The questions of the headline form {counted(few, 'cluster')}, too few for intervals "
            "to be relied on."
        ]
    if (largest := int(np.bincount(clusters).max())) >= LARGE_CLUSTER * len(clusters):
        return [
            f"{largest:,} of {len(clusters):,} questions form one cluster, which makes intervals wide."
        ]
    return []


def notes_on_rows(rows: Sequence[Row]) -> list[str]:
    """About resamples left out of the interval of a rate."""
    parts = [
        f"{row.dropped:.1%} for {SUBSETS[row.breakdown]}".replace("%", " %")
        for row in rows
        if row.breakdown in SUBSETS
        and row.dropped
        and row.scores.get("hhr", (None,))[0] is not None
    ]
    return [f"{DROPPED}: {', '.join(parts)}."] * bool(parts)


def notes_on_retrieved(
    given: Sequence[Prediction],
    scores: Floats,
    total: int,
    strange: int,
    leaked: int,
    kg: str,
    failures: Mapping[str, Mapping[str, int]],
) -> list[str]:
    """About triples that were retrieved, and proofs that were not.

    Args:
        given: The predictions.
        scores: Their scores, shape (questions, `RETRIEVAL`).
        total: How many triples were retrieved.
        strange: How many of them are not of the release.
        leaked: How many of them were removed from the graph.
        kg: The graph that they are from.
        failures: See `rulemine.evaluation.retrieval.count_failures`.
    """
    told = where_any(
        (
            sum(p.retrieved is None for p in given),
            "Predictions that list no retrieved triples score as if there were none: {}.",
        ),
        (
            strange,
            "Retrieved triples with an entity or a relation that is not in the release: {} of "
            f"{total:,}.",
        ),
        (
            leaked,
            f"{WARNING}{{}} retrieved triples are removed from the {kg} graph: was another one given to the "
            "system? Say which with --kg.",
        ),
        (
            int(np.isnan(scores[:, 0]).sum()),
            f"Questions left out of recall, precision and F1 of triples, because the {kg} graph states none "
            f"of their evidence: {{}} of {len(scores):,}.",
        ),
    )
    return told + [
        f"Proof of the hard answer retrieved, over {SUBSETS[name]}: for {n['proved']:,} of "
        f"{n['questions']:,} questions. Hard answers not given: {n['retrieval'] + n['reasoning']:,} of "
        f"{n['questions']:,}; proof not retrieved (failures of retrieval): {n['retrieval']:,}; retrieved "
        f"(failures of reasoning): {n['reasoning']:,}."
        for name, n in failures.items()
    ]
