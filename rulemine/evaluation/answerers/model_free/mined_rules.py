"""The answerer ``rules``: mines rules on the graph that it is given, and applies them to questions.

How likely a link is that the rules derive follows from their confidences, by `AGGREGATIONS`; `by_links` makes
answers of that.

``noisy-or``   1 − Π (1 − confidence): each rule is one more chance (Galárraga et al., WWW 2013)
``max-plus``   the highest confidence; among links with the same, the second highest decides, and so on
               (Meilicke et al., IJCAI 2019)

Guarantees: 1 means that the graph states the link, and only that; the same for any order of rules and links,
in every naming, and for any number of threads.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.errors import InputError
from rulemine.evaluation.answerers.model_free.by_links import (
    Floats,
    Ints,
    LinkEnds,
    answer_by_links,
)
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.files import write_stream
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.mining.options import MiningOptions, Search
from rulemine.query.atom import Atom
from rulemine.rules.formats import read_rules
from rulemine.rules.rule import Rule
from rulemine.rules.walk import Derived, OpenEnds, Walks

__all__ = ["AGGREGATIONS", "LikelyLinks", "MinedRules"]

AGGREGATIONS = ("noisy-or", "max-plus")

_HALVED = 2.0 ** (-np.arange(1, 41) / 4)

THRESHOLDS = distinct(np.concatenate(([1.0], _HALVED, 1 - _HALVED)))[::-1]
"""From which likelihood on an entity may be an answer, 1 … 0.001; dense near 1 and near 0."""

MOST_RANKED = 100
"""Entities in a ranking, beside those that the graph states."""

UNIT = 1 << 40
"""Logarithms are whole multiples of 1 / this, so that their sums do not depend on the order."""

MOST_CERTAIN = 34.0
"""−ln(1 − x) for the highest x < 1 that is distinguished from those a little lower."""

COMPARED = 10
"""How many confidences ``max-plus`` compares."""

LOWER = 1e-9
"""What comes off a likelihood for every likelier link of the same highest confidence."""


class LikelyLinks:
    """Finds the ends of links.

    Args:
        kg: The graph.
        rules: With their measures.
        aggregation: One of `AGGREGATIONS`.
        unseen: Groundings without the head that are added to those of each rule, so that rules with few
            groundings have little confidence.
    """

    def __init__(
        self, kg: KnowledgeGraph, rules: Sequence[Rule], aggregation: str, unseen: float
    ) -> None:
        self._noisy = aggregation == AGGREGATIONS[0]
        # What is stated follows from itself.
        stated = [Rule(atom, (atom,)) for atom in (Atom(0, r, 1) for r in kg.relations)]
        confidence = np.array([r.support / (r.pca_body_size + unseen) for r in rules])
        order = np.argsort(-confidence, kind="stable")
        self._stated = len(stated)
        self._walks = Walks(Index(kg), [*stated, *(rules[i] for i in order.tolist())])
        self._confidence = np.concatenate((np.ones(len(stated)), confidence[order]))
        weights = -np.log1p(-np.minimum(self._confidence, 0.9999))
        self._weights = np.rint(weights * UNIT).astype(np.int64)
        loops = kg.triples[kg.triples[:, 0] == kg.triples[:, 2], 1]
        self._loops = {kg.relations[i] for i in distinct(loops).tolist()}

    def ends(self, asked: OpenEnds) -> Iterator[LinkEnds]:
        """The ends of links, for some topics after the others."""
        for derived in self._walks.derive(asked):
            yield self._likely(derived, asked)

    def _likely(self, derived: Derived, asked: OpenEnds) -> LinkEnds:
        """How likely what was derived is."""
        topic, answer, rule = derived.topic, derived.answer, derived.rule
        new = np.ones(len(topic), bool)
        new[1:] = (topic[1:] != topic[:-1]) | (answer[1:] != answer[:-1])
        first = np.flatnonzero(new)
        truth = (self._noisy_or if self._noisy else self._max_plus)(topic, rule, first)
        stated = rule[first] < self._stated
        truth[stated] = 1
        topic, answer = topic[first], answer[first]
        # An entity is not linked to itself by a relation of which the graph has no such link.
        kept = stated | (asked.relation in self._loops) | (answer != asked.topics[topic])
        return LinkEnds(topic[kept], answer[kept], truth[kept])

    def _noisy_or(self, topic: Ints, rule: Ints, first: Ints) -> Floats:
        """Truth of each group of rows; `first` are their first rows."""
        if not len(first):
            return np.empty(0)
        total = np.add.reduceat(self._weights[rule], first) / UNIT
        truth: Floats = -np.expm1(-np.minimum(total, MOST_CERTAIN))
        return truth

    def _max_plus(self, topic: Ints, rule: Ints, first: Ints) -> Floats:
        """As `_noisy_or`. Rules are sorted by confidence, so the first row of a group has the highest."""
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(rule))))
        place = np.arange(len(rule)) - first[group]
        highest = np.zeros((COMPARED, len(first)))
        among = place < COMPARED
        highest[place[among], group[among]] = self._confidence[rule[among]]
        owner = topic[first]
        order = np.lexsort((*-highest[::-1], owner))
        other = np.ones(len(order), bool)
        other[1:] = (np.diff(highest[:, order], axis=1) != 0).any(axis=0)
        start = np.ones(len(order), bool)
        start[1:] = np.diff(owner[order]) != 0
        above: Ints = np.cumsum(other | start, dtype=np.int64)
        above -= np.maximum.accumulate(np.where(start, above, 0))
        truth = np.empty(len(first))
        truth[order] = highest[0, order] * (1 - LOWER * np.minimum(above, 1 / LOWER / 2))
        return np.minimum(truth, 1 - LOWER)


@dataclass(frozen=True)
class MinedRules(Section):
    """Predicts missing links with rules that it mines on the graph given.

    Attributes:
        max_atoms: Atoms of a rule at most, its head included.
        min_head_coverage: Smallest head coverage of a rule.
        min_confidence: Smallest standard and PCA confidence of a rule on the graph given.
        min_initial_support: Fewest triples of a relation in heads.
        aggregation: How the confidences of rules with the same conclusion become its likelihood.
        unseen: Groundings without the head that are added to those of each rule.
    """

    needs: ClassVar = ("query", "train")
    spreads: ClassVar = "run"

    max_atoms: int = option(3, least=2, most=5)
    min_head_coverage: float = option(0.001, least=0, most=1)
    min_confidence: float = option(0.003, least=0, most=1)
    min_initial_support: int = option(1, least=1, most=2**31 - 1)
    aggregation: str = option(AGGREGATIONS[0], choices=AGGREGATIONS)
    unseen: float = option(5.0, least=0)

    def __call__(self, given: Context, questions: Sequence[OpenQuestion]) -> list[Answered]:
        """The likely answers to each question, and a ranking.

        Raises:
            HeapError: The Java heap is too small, or not available.
            JavaError: There is no usable Java runtime.
            InputError: The file of rules in the folder is damaged.
        """
        links = LikelyLinks(given.kg, self._mined(given), self.aggregation, self.unseen)
        return answer_by_links(
            given,
            questions,
            links.ends,
            THRESHOLDS,
            lambda truth: int(np.count_nonzero(truth == 1)) + MOST_RANKED,
        )

    @property
    def mining(self) -> MiningOptions:
        """How rules are mined."""
        return MiningOptions(
            max_atoms=self.max_atoms,
            min_head_coverage=self.min_head_coverage,
            min_std_confidence=self.min_confidence,
            min_pca_confidence=self.min_confidence,
            min_initial_support=self.min_initial_support,
        )

    def _mined(self, given: Context) -> Sequence[Rule]:
        """The rules of the graph, from the folder if they are there."""
        from rulemine.mining.miner import mine

        key = hashlib.sha256(repr((given.kg.digest, self.mining)).encode()).hexdigest()[:16]
        path = given.folder / f"rules-{key}.jsonl" if given.folder else None
        if path and path.exists():
            try:
                return read_rules(path)
            except InputError as problem:
                raise InputError(
                    f"{path}: is not a complete file of rules. Delete it and run again."
                ) from problem
        rules = mine(
            given.kg,
            self.mining,
            progress=given.progress,
            on_warning=given.note,
            search=Search(skyline=False),
        )
        if path and rules:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_stream(path, (piece.encode() for piece in rules.text("jsonl")))
        return tuple(rules)
