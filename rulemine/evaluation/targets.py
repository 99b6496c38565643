"""What predictions are scored against, at a level of the removal: made once, used for every system.

The hard answers of a question at a level are those that the graph of this level no longer states. A question
whose `hard_answer` is still stated there has no hard answer at this level.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from rulemine.errors import ReleaseError
from rulemine.evaluation.matching.matching import PredictionReader, ReadOutput, spelled_out
from rulemine.evaluation.metrics import (
    COLUMNS,
    RANKED,
    Floats,
    QuestionScores,
    score,
    score_ranking,
)
from rulemine.evaluation.retrieval import ToRetrieve, evidence_of
from rulemine.files import read_lines
from rulemine.kinds.registry import kind_named
from rulemine.release.guessing import asked_about
from rulemine.release.naming import HIDING
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, names_in, translation
from rulemine.rules.blocks import MapLike

__all__ = [
    "Gold",
    "Targets",
    "golds_of",
    "score_questions",
    "score_rankings",
    "topics_of",
    "without_labels",
]


class Gold(NamedTuple):
    """What predictions for a question are scored against.

    Attributes:
        answers: Its answers.
        hard_answer: The hard answer that it asks for; None if that is stated.
        hard_answers: Its hard answers.
        core_answers: Those of them that are in the core; None if the question is not.
    """

    answers: frozenset[str]
    hard_answer: str | None
    hard_answers: frozenset[str]
    core_answers: frozenset[str] | None = None


def golds_of(
    questions: Sequence[Question],
    key: Callable[[str], str],
    names: Mapping[str, str] | None = None,
    level: int = 100,
) -> list[Gold]:
    """What the predictions for questions are scored against.

    Args:
        questions: The questions.
        key: From a name to what predictions are compared by; names with the key "" are left out.
        names: From the names in the questions to those in the predictions; None where they are the same.
        level: The percentage of the removal, 1 … 100.

    Raises:
        ReleaseError: An answer has no name in the predictions' naming.
    """
    key_of = functools.cache(lambda name: key(name if names is None else names[name]))
    found: list[Gold] = []
    try:
        for q in questions:
            hard = [row for row in q.hard if row.level <= level]
            missing = q.hard_answer is not None and q.level <= level
            of_core = frozenset(key_of(row.answer) for row in hard if row.core) - {""}
            found.append(
                Gold(
                    frozenset(map(key_of, q.answers)) - {""},
                    key_of(q.hard_answer) if missing else None,
                    frozenset(key_of(row.answer) for row in hard) - {""},
                    of_core if q.core else None,
                )
            )
    except KeyError as unknown:
        raise ReleaseError(
            f"entities.tsv: lacks the answer {unknown}. Check the release: rulemine verify."
        ) from None
    return found


def score_questions(golds: Sequence[Gold], matched: Sequence[Sequence[str]]) -> Floats:
    """The scores of each question.

    Args:
        golds: What each is scored against.
        matched: What is predicted for each, in the order given, as keys.

    Returns:
        Shape (questions, `COLUMNS`).
    """
    found: list[QuestionScores] = [
        score(predicted, *gold) for gold, predicted in zip(golds, matched, strict=True)
    ]
    return np.array(found, np.float64).reshape(len(found), len(COLUMNS))


def score_rankings(
    given: Sequence[Prediction | None],
    golds: Sequence[Gold],
    keys: Mapping[str, str],
    key: Callable[[str], str],
) -> Floats:
    """The scores of rankings, shape (questions, `RANKED`); the keys of entities, and of other names."""
    found: list[tuple[float, float, float]] = []
    for p, gold in zip(given, golds, strict=True):
        ranking = (p and p.ranking) or ()
        named = [*map(keys.get, map(itemgetter(0), ranking))]
        if gold.hard_answer not in named and None not in named:
            ranking = ()  # as most do not have it
        listed = [(keys.get(name) or key(name), value) for name, value in ranking]
        found.append(score_ranking(listed, gold.answers, gold.hard_answer))
    return np.array(found, np.float64).reshape(len(found), len(RANKED))


def topics_of(
    release: Release, questions: Sequence[Question], naming: str
) -> list[tuple[str, ...]]:
    """For each question the topic entities, in a naming, which are no answers if something else is named.

    None where a relation at the answer of the query (`rulemine.release.guessing.asked_ends`) links an entity
    of the complete graph to itself, or of the reference graph: a topic entity may be an answer then.
    """
    graphs = {"kg/complete.tsv.gz", "kg/reference.tsv.gz"} & release.manifest["files"].keys()
    looped = {
        relation
        for name in graphs
        for subject, relation, obj in (line.split("\t") for line in read_lines(release.file(name)))
        if subject == obj
    }
    names = translation(release.entities, release.naming, naming)
    return [
        ()
        if q.query and not looped.isdisjoint(r for r, _ in asked_about(q.query))
        else tuple(names.get(anchor, anchor) for anchor in q.anchors)
        for q in questions
    ]


def without_labels(
    release: Release,
    questions: Sequence[Question],
    given: Sequence[Prediction | None],
    naming: str,
) -> Sequence[Prediction | None]:
    """Predictions in a naming, with names in the place of the labels of choices that questions offer."""
    choices_of = {kind: kind_named(kind).choices for kind in {q.kind for q in questions}}
    offered = [choices_of[q.kind](q) for q in questions]
    if not any(offered):
        return given
    names = translation(release.entities, release.naming, naming)

    def named(labels: Mapping[str, str], found: Prediction) -> Prediction:
        choices = {label: names[entity] for label, entity in labels.items()}
        answers = found.answers and tuple(choices.get(answer, answer) for answer in found.answers)
        text = found.raw_output and spelled_out(found.raw_output, choices)
        return replace(found, raw_output=text, answers=answers)

    return [p and named(labels, p) for labels, p in zip(offered, given, strict=True)]


class Targets:
    """What predictions in one naming are scored against, each part made when it is needed.

    Args:
        release: The release.
        questions: The questions.
        naming: The naming of the predictions.
        matching: How outputs become keys of entities, see `rulemine.evaluation.matching.matching`.

    Attributes:
        naming: The naming.
        names: The entities in it.
        reader: Reads outputs.
    """

    def __init__(
        self, release: Release, questions: Sequence[Question], naming: str, matching: str
    ) -> None:
        self._release, self._questions, self.naming = release, questions, naming
        self.names = frozenset(names_in(release.entities, naming))
        named = () if naming in HIDING else release.entities
        aliases = ((e.name_in(naming), alias) for e in named for alias in e.aliases)
        self.reader = PredictionReader(matching, self.names, aliases)
        self._golds: dict[tuple[int, bool], list[Gold]] = {}
        self._evidence: dict[str, list[ToRetrieve]] = {}

    @cached_property
    def key_of(self) -> dict[str, str]:
        """Entity → its key."""
        return {name: self.reader.matcher.name(name) for name in self.names}

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of all entities."""
        return frozenset(self.key_of.values())

    @cached_property
    def entities(self) -> dict[str, str]:
        """Key → the entity in the naming of the release."""
        own = translation(self._release.entities, self.naming, self._release.naming)
        return {key: own[name] for name, key in self.key_of.items()}

    @cached_property
    def topics(self) -> list[tuple[str, ...]]:
        """For each question the topic entities that cannot be its answers, see `topics_of`."""
        return topics_of(self._release, self._questions, self.naming)

    def read(self, given: Sequence[Prediction | None], spread: MapLike) -> list[ReadOutput]:
        """What the prediction for each question predicts, see `PredictionReader.read`."""
        some = any(p is not None and p.answers is None for p in given)
        topics = self.topics if some else [()] * len(given)  # a list may name topic entities
        return self.reader.read(given, topics, spread)

    def golds(self, level: int, strict: bool = False) -> list[Gold]:
        """The golds at a level, for the matcher or the strict one."""
        if (level, strict) not in self._golds:
            matcher = self.reader.strict if strict else self.reader.matcher
            own = self._release.naming
            names = translation(self._release.entities, own, self.naming)
            changed = None if self.naming == own else names
            found = golds_of(self._questions, matcher.name, changed, level)
            self._golds[level, strict] = found
        return self._golds[level, strict]

    def evidence(self, kg: str) -> list[ToRetrieve]:
        """What is to be retrieved from a graph."""
        if kg not in self._evidence:
            found = evidence_of(self._release, self._questions, kg, self.naming)
            self._evidence[kg] = found
        return self._evidence[kg]
