"""Answers from how likely single links are: what `rules` and `embeddings` have in common.

A model says how likely links are: 1 where the graph states one, less elsewhere. From some likelihood on,
links are taken for true: from the one with the best mean F1 on the validation questions about a single link
(on training questions if there are none). Their answers are the ends of the link from there on, and the
others are ranked behind them; a union of links, as of a relation and its inverse, leads wherever one of them
does, and the likeliest counts. The answers to a question about several links in a row or at once are those
of its query on the graph with all links that are taken for true. They are not ranked: all have one score.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.evaluation.answerers.protocol import Answered, Context, OpenQuestion
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.query.batch import Batch
from rulemine.query.parser import parse
from rulemine.query.tree import Anchor, Projection, Union
from rulemine.rules.walk import OpenEnds

__all__ = ["LinkEnds", "answer_by_links", "answers_with", "best_threshold", "ends_of", "f1_scores"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Triples = npt.NDArray[np.int32]

USUAL = 0.5
"""The threshold where there is no question to choose it on."""

AT_ONCE = 256
"""Questions that are answered at once, to bound memory."""


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
    ranked: Callable[[Floats], int],
) -> list[Answered]:
    """Answers questions.

    Args:
        given: What is given beside them.
        questions: The questions.
        model: How likely links are.
        thresholds: From which likelihood on a link may be taken for true, descending.
        ranked: The likelihoods of all ends of a link → how many of the ends are in the ranking.
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
    places = np.array([given.places[name] for name in kg.entities], np.int64)
    for part in given.parts(questions):
        least = best_threshold([tried[q.id] for q in part.train if q.id in tried], thresholds)
        single = [number for number in part.numbers if _links(questions[number].query)]
        for at, ids, truth in ends_of([questions[number].query for number in single], kg, model):
            best = np.lexsort((places[ids], -truth))
            told = [kg.entities[i] for i in ids[best].tolist()]
            ranking = list(zip(told, truth[best].tolist(), strict=True))[: ranked(truth)]
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
            topic, ids, truth = _likeliest(found)
            bounds = np.searchsorted(topic, np.arange(len(some) + 1))
            for (number, _), low, high in zip(some, bounds, bounds[1:], strict=False):
                yield number, ids[low:high], truth[low:high]


def _likeliest(parts: Sequence[LinkEnds]) -> LinkEnds:
    """The ends of several links together, each once, sorted by topic and id."""
    topic, ids, truth = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((-truth, ids, topic))
    topic, ids, truth = topic[order], ids[order], truth[order]
    new = np.ones(len(ids), bool)
    new[1:] = (np.diff(topic) != 0) | (np.diff(ids) != 0)
    return LinkEnds(topic[new], ids[new], truth[new])


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
