"""The answerer ``rules``: mines rules on the graph that it is given, and applies them to questions.

`likely_links` makes likelihoods of links from the confidences of rules, `by_links` makes answers of them.

Guarantees: the same in every naming, and for any number of threads.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.errors import InputError
from rulemine.evaluation.answerers.model_free.by_links import answer_by_links
from rulemine.evaluation.answerers.model_free.likely_links import AGGREGATIONS, LikelyLinks
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.files import write_stream
from rulemine.mining.options import MiningOptions, Search
from rulemine.rules.formats import read_rules
from rulemine.rules.rule import Rule

__all__ = ["MinedRules"]

_HALVED = 2.0 ** (-np.arange(1, 41) / 4)
THRESHOLDS = distinct(np.concatenate(([1.0], _HALVED, 1 - _HALVED)))[::-1]
"""From which likelihood on an entity may be an answer, 1 … 0.001; dense near 1 and near 0."""

MOST_RANKED = 100
"""Entities in a ranking, beside those that the graph states."""


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
            write_stream(path, (piece.encode() for piece in rules.text("jsonl")), 700 * len(rules))
        return tuple(rules)
