"""Answers from how likely single links are: what `rules` and `embeddings` have in common; and `rules`.

A model says how likely links are: 1 where the graph states one, less elsewhere. From some likelihood on,
links are taken for true: from the one with the best mean F1 on the validation questions about a single link
(on training questions if there are none). Their answers are the ends of the link from there on, and the
others are ranked behind them; a union of links, as of a relation and its inverse, leads wherever one of them
does, and the likeliest counts. The answers to a question about several links in a row or at once are those
of its query on the graph with all links that are taken for true. They are not ranked: all have one score.

``rules`` mines rules on the graph that it is given. How likely a link is that these derive follows from their
confidences:

``noisy-or``   1 − Π (1 − confidence): each rule is one more chance (Galárraga et al., WWW 2013)
``max-plus``   the highest confidence; among links with the same, the second highest decides, and so on
               (Meilicke et al., IJCAI 2019)

Guarantees: 1 means that the graph states the link, and only that; the same for any order of rules and links,
in every naming, and for any number of threads.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.config import Section, option
from rulemine.evaluation.answerers.model_free.learned import kept
from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.mining.options import MiningOptions, Search
from rulemine.query.atom import Atom
from rulemine.query.batch import Batch
from rulemine.query.parser import parse
from rulemine.query.tree import Anchor, Projection, Union
from rulemine.rules.formats import read_rules, write_rules
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks

__all__ = [
    "AGGREGATIONS",
    "LikelyLinks",
    "LinkEnds",
    "MinedRules",
    "answer_by_links",
    "answers_with",
    "best_threshold",
    "ends_of",
    "f1_scores",
    "first_of_groups",
]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Triples = npt.NDArray[np.int32]

USUAL = 0.5
"""The threshold where there is no question to choose it on."""

AT_ONCE = 256
"""Questions that are answered at once, to bound memory."""

MOST_RANKED = 100
"""Entities in a ranking."""


class LinkEnds(NamedTuple):
    """Where links probably lead, a row for each end.

    Attributes:
        topic: The position of the topic that the link starts from.
        entity: The id of the entity that it leads to.
        truth: How likely the link is, > 0 and at most 1; 1 exactly where the graph states it.
    """

    topic: Ints
    entity: Ints
    truth: Floats


Model = Callable[[OpenEnds], Iterable[LinkEnds]]
"""The ends of links whose relation the graph has; in any order, each once."""


def answer_by_links(
    given: Context,
    questions: Sequence[OpenQuestion],
    model: Model,
    thresholds: Floats,
    beside_stated: bool = False,
) -> list[Answered]:
    """Answers questions.

    Args:
        given: What is given beside them.
        questions: The questions.
        model: How likely links are.
        thresholds: From which likelihood on a link may be taken for true, descending.
        beside_stated: Whether a ranking has `MOST_RANKED` entities beside those that the graph states.
    """
    kg = given.kg
    known = [q for q in given.train if _links(q.query)]
    known = [q for q in known if q.split == "validation"] or known
    tried: dict[str, Floats] = {}
    for number, ids, truth in ends_of([q.query for q in known], kg, model):
        q = known[number]
        right = [kg.entity_ids[name] for name in q.answers if name in kg.entity_ids]
        tried[q.id] = f1_scores(truth, np.isin(ids, right), len(q.answers), thresholds)
    if not tried:
        given.note(
            f"No question about a single link to choose a threshold on; links count from {USUAL} on."
        )
    found: list[Answered] = [Answered((), ranking=())] * len(questions)
    # Equally likely ends are in an order that is the same in every naming.
    places = np.array(given.placed(kg.entities), np.int64)
    for part in given.parts(questions):
        least = best_threshold([tried[q.id] for q in part.train if q.id in tried], thresholds)
        single = [number for number in part.numbers if _links(questions[number].query)]
        for at, ids, truth in ends_of([questions[number].query for number in single], kg, model):
            best = np.lexsort((places[ids], -truth))
            told = [kg.entities[i] for i in ids[best].tolist()]
            most = MOST_RANKED + beside_stated * int(np.count_nonzero(truth == 1))
            ranking = list(zip(told, truth[best].tolist(), strict=True))[:most]
            found[single[at]] = Answered(told[: np.count_nonzero(truth >= least)], ranking=ranking)
        several = sorted({*part.numbers}.difference(single))
        batch = Batch(questions[number].query for number in several)
        more = partial(_taken_for_true, kg, model, least)
        answers = answers_with(batch, batch.over(kg), more, given.progress)
        for number, some in zip(several, answers, strict=True):
            told = [kg.entities[i] for i in sorted(some, key=places.__getitem__)]
            found[number] = Answered(told, ranking=[(name, least) for name in told])
    return found


def answers_with(
    batch: Batch,
    kg: KnowledgeGraph,
    more: Callable[[OpenEnds], Iterable[Triples]],
    progress: Callable[[int, int], None] | None,
) -> list[set[int]]:
    """The answers of queries on a graph with more links.

    Only links that the queries come across are looked for: first from their anchors, then from what those
    lead to, which the links that were found before add to.

    Args:
        batch: The queries.
        kg: The graph, from `Batch.over`.
        more: Links → those that are added, as ids of subject, relation and object.
        progress: Called with steps done and all steps.
    """
    for height in range(1, batch.height + 1):
        starts = sorted(batch.starts(kg, height).items())
        found = [np.empty((0, 3), np.int32)]
        for done, ((relation, direction), topics) in enumerate(starts, start=1):
            found += more(OpenEnds(relation, direction, np.array(sorted(topics), np.int64)))
            if progress is not None:
                progress((height - 1) * len(starts) + done, batch.height * len(starts))
        kg = kg.including(np.concatenate(found))
    return batch.answers(kg)


def ends_of(
    queries: Sequence[str], kg: KnowledgeGraph, model: Model
) -> Iterator[tuple[int, Ints, Floats]]:
    """The ends of links that are asked for.

    Args:
        queries: Queries of a single link, or of a union of such.
        kg: The graph.
        model: How likely links are.

    Yields:
        The position of each query, the ids of the ends, each once, and how likely they are.
    """
    alike: dict[tuple[tuple[str, str], ...], list[tuple[int, list[int]]]] = {}
    for number, query in enumerate(queries):
        links = _links(query)
        topics = [kg.entity_ids.get(topic, -1) for *_, topic in links]
        alike.setdefault(tuple(link[:2] for link in links), []).append((number, topics))
    for relations, every in sorted(alike.items()):
        for start in range(0, len(every), AT_ONCE):
            some = every[start : start + AT_ONCE]
            columns = np.array([topics for _, topics in some], np.int64).T
            found = [LinkEnds(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
            for (relation, direction), column in zip(relations, columns, strict=True):
                known = np.flatnonzero(column >= 0)
                if relation in kg.relation_ids:
                    asked = OpenEnds(relation, direction, column[known])
                    found += [ends._replace(topic=known[ends.topic]) for ends in model(asked)]
            # Of an end of several links the likeliest counts.
            topic, ids, truth = map(np.concatenate, zip(*found, strict=True))
            order = np.lexsort((-truth, ids, topic))
            order = order[first_of_groups(topic[order], ids[order])]
            bounds = np.searchsorted(topic[order], np.arange(len(some) + 1))
            for (number, _), low, high in zip(some, bounds, bounds[1:], strict=False):
                yield number, ids[order[low:high]], truth[order[low:high]]


def first_of_groups(*columns: Ints) -> Ints:
    """The positions of the rows that differ from the one before."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def _links(query: str) -> list[tuple[str, str, str]]:
    """The link that a query asks for, or those of a union: relation, end that is asked for, and topic.

    Empty if these are several in a row or at once, or if there is no query.
    """
    tree = parse(query) if query else None
    parts = tree.parts if isinstance(tree, Union) else (tree,)
    found = [
        (part.relation, DIRECTIONS[not part.inverse], part.of.entity)
        for part in parts
        if isinstance(part, Projection) and isinstance(part.of, Anchor)
    ]
    return found if len(found) == len(parts) else []


def _taken_for_true(
    kg: KnowledgeGraph, model: Model, least: float, asked: OpenEnds
) -> Iterator[Triples]:
    """The links that are at least so likely, as triples."""
    topics = asked.topics[asked.topics < len(kg.entities)]
    if asked.relation not in kg.relation_ids or not len(topics):
        return
    for ends in model(asked._replace(topics=topics)):
        true = ends.truth >= least
        pair = [topics[ends.topic[true]], ends.entity[true]]
        subjects, objects = pair if asked.direction == DIRECTIONS[1] else pair[::-1]
        relations = np.full(len(subjects), kg.relation_ids[asked.relation])
        yield np.column_stack((subjects, relations, objects)).astype(np.int32)


def f1_scores(truth: Floats, right: Bools, answers: int, thresholds: Floats) -> Floats:
    """The F1 of a question with each threshold, stated answers set aside; 0 if there are no others.

    Args:
        truth: How likely each candidate is; 1: the graph states it.
        right: Whether each is an answer.
        answers: The number of all answers.
        thresholds: To try.
    """
    open_ = truth < 1
    wanted = answers - int(np.count_nonzero(~open_ & right))
    given = np.array([np.count_nonzero(truth[open_] >= least) for least in thresholds])
    hit = np.array([np.count_nonzero(truth[open_ & right] >= least) for least in thresholds])
    return 2 * hit / (given + wanted) if wanted else np.zeros(len(thresholds))


def best_threshold(tried: Sequence[Floats], thresholds: Floats) -> float:
    """The threshold with the best mean of `f1_scores`, the first of equal ones; `USUAL` without any."""
    return float(thresholds[np.argmax(sum(tried))]) if tried else USUAL


AGGREGATIONS = ("noisy-or", "max-plus")

_HALVED = 2.0 ** (-np.arange(1, 41) / 4)

THRESHOLDS = distinct(np.concatenate(([1.0], _HALVED, 1 - _HALVED)))[::-1]
"""From which likelihood on ``rules`` takes links for true, 1 … 0.001; dense near 1 and near 0."""

UNIT = 1 << 40
"""Logarithms are whole multiples of 1 / this, so that their sums do not depend on the order."""

MOST_CERTAIN = 34.0
"""−ln(1 − x) for the highest x < 1 that is distinguished from those a little lower."""

COMPARED = 10
"""How many confidences ``max-plus`` compares."""

LOWER = 1e-9
"""What comes off a likelihood for every likelier link of the same highest confidence."""


class LikelyLinks:
    """Finds the ends of links by rules.

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
        for _, topic, answer, rule in self._walks.derive(asked):
            first = first_of_groups(topic, answer)
            truth = (self._noisy_or if self._noisy else self._max_plus)(topic, rule, first)
            # Rules are by confidence, and what is stated by itself first of all.
            truth[rule[first] < self._stated] = 1
            found = LinkEnds(topic[first], answer[first], truth)
            if asked.relation not in self._loops:
                keep = found.entity != asked.topics[found.topic]
                found = LinkEnds(*(column[keep] for column in found))
            yield found

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
    spreads: ClassVar = True

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
        return answer_by_links(given, questions, links.ends, THRESHOLDS, beside_stated=True)

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

        search = Search(skyline=False)
        return kept(
            given.folder,
            "rules-{}.jsonl",
            (given.kg.digest, self.mining),
            lambda: tuple(
                mine(
                    given.kg,
                    self.mining,
                    progress=given.progress,
                    on_warning=given.note,
                    search=search,
                )
            ),
            write_rules,
            lambda path: read_rules(path) if path.stat().st_size else (),
        )
