"""What a reader of scores must know about them, as sentences."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rulemine.arrays import distinct
from rulemine.errors import counted
from rulemine.evaluation.matching.vocabulary import LONGEST_OUTPUT, bounded
from rulemine.evaluation.reporting.report import Row
from rulemine.evaluation.reporting.tables import WARNING
from rulemine.evaluation.reporting.titles import SUBSETS
from rulemine.evaluation.statistics.bootstrap import Bools, Ints
from rulemine.kinds.registry import is_built
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question
from rulemine.text.visible_reply import visible_reply

__all__ = [
    "NOTHING_TO_INFER",
    "notes_on_clusters",
    "notes_on_cut_off",
    "notes_on_denials",
    "notes_on_failures",
    "notes_on_leaks",
    "notes_on_left_out",
    "notes_on_length",
    "notes_on_predictions",
    "notes_on_questions",
    "notes_on_rankings",
    "notes_on_rows",
    "notes_on_thoughts",
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


def notes_on_predictions(
    given: Sequence[Prediction | None], matched: Sequence[Sequence[str]], known: Collection[str]
) -> list[str]:
    """About missing, empty and strange answers.

    Args:
        given: The prediction for each question, None where missing.
        matched: What each predicts, as keys.
        known: The keys of the entities of the release.
    """
    notes = []
    absent = sum(p is None for p in given)
    there = len(given) - absent
    if absent:
        notes.append(
            f"{WARNING}predictions for {there:,} of {len(given):,} questions "
            f"({100 * there / len(given):.1f} %); the others score 0."
        )
    if empty := sum(not m for m in matched) - absent:
        warning = WARNING if empty == there else ""
        note = f"{empty:,} of {counted(there, 'prediction')} {'holds' if there == 1 else 'hold'}"
        notes.append(f"{warning}{note} no answer and score{'s' * (there == 1)} 0.")
    items = sum(map(len, matched))
    if strange := sum(key not in known for keys in matched for key in keys):
        notes.append(
            f"{WARNING * (strange == items)}{strange:,} of {items:,} predicted answers are no entity of the "
            "release; each counts as wrong."
        )
    return notes


def notes_on_length(given: Sequence[Prediction | None], whole_texts: bool) -> list[str]:
    """How many predictions were not read to their end.

    Args:
        given: The prediction for each question.
        whole_texts: Whether texts were.
    """
    cut = sum(
        len(p.raw_output or "") > LONGEST_OUTPUT and not whole_texts
        if p.answers is None
        else len(bounded(p.answers)) < len(p.answers)
        for p in given
        if p is not None
    )
    if not cut:
        return []
    return [f"Outputs longer than {LONGEST_OUTPUT:,} characters, read so far only: {cut:,}."]


def notes_on_thoughts(given: Sequence[Prediction | None]) -> list[str]:
    """How many outputs hold thoughts and no reply, see `rulemine.text.visible_reply`."""
    texts = [p.raw_output[:LONGEST_OUTPUT] for p in given if p is not None and p.raw_output]
    silent = sum(not visible_reply(text) for text in texts if text.strip())
    note = f"Outputs that hold only thoughts, and no reply: {silent:,}; they score 0."
    return [note] if silent else []


def notes_on_cut_off(given: Sequence[Prediction | None]) -> list[str]:
    """How many predictions rest on replies of a model that were cut off."""
    there = [p for p in given if p is not None]
    if not (cut := [p for p in there if p.cut_off]):
        return []
    options = ", ".join(sorted({option for p in cut for option in p.cut_off}))
    return [
        f"{WARNING * (len(cut) == len(there))}{len(cut):,} of {counted(len(there), 'prediction')} rest on a "
        f"model's replies that were cut off (at {options}); they are scored as they are."
    ]


def notes_on_denials(denied: Sequence[int]) -> list[str]:
    """How many names outputs deny (``not Ann``), see `rulemine.evaluation.matching.vocabulary`."""
    note = (
        f"Names that outputs deny (not …, neither …, rather than …) are no answers: {sum(denied):,}, in "
        f"{counted(sum(map(bool, denied)), 'output')}."
    )
    return [note] if any(denied) else []


def notes_on_rankings(given: Sequence[Prediction | None]) -> list[str]:
    """About predictions without a ranking, where others have one."""
    without = sum(p is not None and p.ranking is None for p in given)
    note = f"Predictions that rank nothing have the reciprocal rank 0: {without:,}."
    return [note] if without else []


def notes_on_questions(
    questions: Sequence[Question], level: int = 100, complete: bool = False
) -> list[str]:
    """About the questions: no core, no hard answers at the level, nothing to infer on the complete graph."""
    notes = []
    if complete:
        notes.append(f"{NOTHING_TO_INFER}: every answer is stated there.")
    built = all(is_built(q.kind) for q in questions)
    if not built:
        notes.append("What others published has no core: the headline is over all questions.")
    elif not any(q.core for q in questions):
        notes.append("No question here is in the core: the headline is over all questions.")
    end = "and are left out of Hits@Hard, HHR and the other hard scores."
    lacking = [q for q in questions if q.hard_answer is None]
    graded = lacking if built else [q for q in lacking if q.stated or q.further]
    if unknown := len(lacking) - len(graded):
        notes.append(
            f"{unknown:,} of {len(questions):,} questions have answers of which it is not known whether they "
            f"are hard, {end}"
        )
    if graded:
        known = all(q.stated for q in graded)
        otherwise = "all are stated, or which are is not known" if built else "none is missing"
        why = "every answer is stated" if known else otherwise
        notes.append(
            f"{len(graded):,} of {len(questions):,} questions have no hard answer ({why}) {end}"
        )
    if level < 100:
        stated = sum(q.hard_answer is not None and q.level > level for q in questions)
        notes.append(
            f"Hard answers are those missing at level {level}: {stated:,} of {len(questions):,} questions "
            f"have theirs still stated {end}"
        )
    return notes


def notes_on_left_out(left_out: int, questions: int) -> list[str]:
    """About questions that are not scored because the evaluator that is followed has no such questions."""
    if not left_out:
        return []
    return [
        f"{left_out:,} of {questions:,} questions have no hard answer, or ask for a number, and are left "
        "out, as in the gold that rulemine export --to brink writes for the public evaluator."
    ]


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
    if not (leaked := facts.leaked(questions, split)):
        return []
    asked = sum(q.split == split for q in questions)
    return [
        f"{leaked:,} of {asked:,} questions of {split} ({100 * leaked / asked:.1f} %) need a removed fact "
        "that training or validation gives away: the questions were not split by group."
    ]


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
    if not parts:
        return []
    return [f"{DROPPED}: {', '.join(parts)}."]


def notes_on_failures(failures: Mapping[str, Mapping[str, int]]) -> list[str]:
    """About what failed: see `rulemine.evaluation.retrieval.count_failures`."""
    return [
        f"Proof of the hard answer retrieved, over {SUBSETS[name]}: for {n['proved']:,} of "
        f"{n['questions']:,} questions. Hard answers not given: {n['retrieval'] + n['reasoning']:,} of "
        f"{n['questions']:,}; proof not retrieved (failures of retrieval): {n['retrieval']:,}; retrieved "
        f"(failures of reasoning): {n['reasoning']:,}."
        for name, n in failures.items()
    ]
