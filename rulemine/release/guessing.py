"""What can be named without inferring anything: what the questions of a benchmark have to be harder than.

`guesser` names the commonest answers of the training questions and looks at no graph. `nearest` names the
entity of the right type that has most in common with the topic entity and applies no rule. Guarantee: what
they name depends neither on the order of the questions nor, given `order_of_names`, on the naming.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, reduce
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.cypher.questions.pattern_text import query_of
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kg.vocabulary import spans
from rulemine.query.links import NONE_DECLARED, linked, parts_of
from rulemine.query.parser import parse
from rulemine.query.tree import Difference, Projection, Query
from rulemine.release.records import Question, names_in

__all__ = ["QUERY", "Ends", "asked_about", "asked_ends", "guesser", "nearest", "order_of_names"]

Ends = tuple[tuple[str, str], ...]
"""Relations, each with the end that is asked for, sorted."""

QUERY = ("(", "{")
"""The first characters of queries that this package wrote, over links or over property graphs."""

UNIT = 1_000_000
"""Weights are whole numbers of millionths, so that sums are the same in any order and on any machine."""


def guesser(
    training: Iterable[Question],
    declarations: Declarations = NONE_DECLARED,
    order: Mapping[str, int] | None = None,
) -> Callable[[str], Sequence[str]]:
    """Guesses the answers that are commonest among those of training questions about the same ends.

    Each training question counts once for each of its answers. Of equally common ones, first comes the one
    that was hard more often, then the first in `order`.

    Args:
        training: The training questions.
        declarations: Which relations state the same facts, and so are counted together.
        order: Entity → its place among equals, see `order_of_names`; by default by name.

    Returns:
        Called with a query, gives the guesses, the best first: the answers of the training questions with the
        same `asked_about`; where there are none, or the query is empty, of all of them, unless rows are asked
        for, which may have another form.
    """
    counted: defaultdict[Ends, Counter[str]] = defaultdict(Counter)
    hard: defaultdict[Ends, Counter[str]] = defaultdict(Counter)
    places = order or {}
    for question in training:
        own = asked_about(question.query, declarations) if question.query[:1] in QUERY else ()
        for key in {(), own}:
            counted[key].update(question.answers)
            hard[key].update(question.hard_answers)

    @cache
    def ranked(key: Ends) -> list[str]:
        found = counted[key]
        return sorted(found, key=lambda a: (-found[a], -hard[key][a], places.get(a, 0), a))

    def guesses(query: str) -> list[str]:
        key = asked_about(query, declarations) if query else ()
        return ranked(key if key in counted or query.startswith("{") else ())

    return guesses


def asked_about(query: str, declarations: Declarations = NONE_DECLARED) -> Ends:
    """What a question asks about: the ends of relations at its answer, see `asked_ends`.

    Of the kind ``cypher``: its templates and the relations of its pattern.

    Args:
        query: The query of a question.
        declarations: See `asked_ends`.

    Raises:
        QueryError: It is the query of another, which was imported as it is.
    """
    if query.startswith("{"):
        asked = query_of(query)
        relations = sorted(set(asked.match.relations))
        return (asked.match.template, asked.result.template), *((one, "") for one in relations)
    return asked_ends(parse(query), declarations)


def asked_ends(query: Query, declarations: Declarations) -> Ends:
    """The relations whose ends a query asks for, with the end: those of the atoms at its answer.

    Args:
        query: The query.
        declarations: Which relations state the same facts; these are one, see `Declarations.asked`.

    Returns:
        Sorted, each once; for a question about one link, the only one.
    """
    waiting, found = [linked(query, declarations)], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Projection):
            found.add(declarations.asked(node.relation, DIRECTIONS[not node.inverse]))
        elif isinstance(node, Difference):
            waiting.append(node.of)
        else:
            waiting += parts_of(node)
    return tuple(sorted(found))


def nearest(
    kg: KnowledgeGraph,
    asked: Iterable[tuple[str, Collection[str], Collection[str]]],
    declarations: Declarations,
    order: Mapping[str, int],
) -> list[Sequence[str]]:
    """The entity of the right type that is nearest to the topic of each question.

    Of the right type is what stands in `kg` at every end that the query asks for. Nearest is what has the
    largest Adamic–Adar weight to the topic entity: the sum, over their common neighbors in the graph without
    directions, of 1 / log of the number of neighbors (Adamic and Adar, *Friends and neighbors on the Web*,
    2003; Liben-Nowell and Kleinberg, *The link-prediction problem for social networks*, 2007). Stated answers
    and topic entities are left out. Of equally near ones, it is the one with the most neighbors, then the
    first in `order`. Of several topic entities the weights are added. A query over several links is treated
    no otherwise, although its answer is farther from the topic than a common neighbor.

    Args:
        kg: The graph.
        asked: For each question its query, its topic entities, and its stated answers on the graph.
        declarations: Which relations state the same facts.
        order: Entity → its place among equals, see `order_of_names`.

    Returns:
        For each question one entity; none where nothing is of the right type, or the query asks for rows.
    """
    number, ids, triples = max(1, len(kg.entities)), kg.entity_ids, kg.triples
    ends = triples[triples[:, 0] != triples[:, 2]][:, ::2].astype(np.int64)
    edges = distinct(np.concatenate((ends @ [number, 1], ends @ [1, number])))
    others, degrees = edges % number, np.bincount(edges // number, minlength=number)
    starts = degrees.cumsum() - degrees
    sizes, which = np.unique(degrees, return_inverse=True)
    weights = np.array([UNIT / math.log(n) if n > 1 else 0 for n in sizes.tolist()]).round()[which]

    @cache
    def of_type(relation: str, end: str) -> npt.NDArray[np.int32]:
        statements = declarations.statements(relation, end)
        known = [(kg.relation_ids[r], e) for r, e in statements if r in kg.relation_ids]
        some = [triples[triples[:, 1] == r, 2 * (e == DIRECTIONS[1])] for r, e in known]
        return distinct(np.concatenate([np.array([], np.int32), *some]))

    def near(topic: int) -> npt.NDArray[Any]:
        common = others[starts[topic] : starts[topic] + degrees[topic]]
        reached = others[spans(starts[common], degrees[common])]
        reach: npt.NDArray[Any] = np.bincount(
            reached, weights[common].repeat(degrees[common]), number
        )
        return reach

    def named(query: str, topics: Collection[str], stated: Collection[str]) -> Sequence[str]:
        right = asked_about(query, declarations) if query.startswith("(") else ()
        left_out = [ids[name] for name in (*topics, *stated) if name in ids]
        found = reduce(np.intersect1d, [of_type(*end) for end in right]) if right else np.array([])
        found = found[~np.isin(found, left_out)].astype(np.int64)
        if not len(found):
            return []
        reach = sum(near(ids[topic]) for topic in topics if topic in ids) + np.zeros(number)
        for score in (reach, degrees):
            found = found[score[found] == score[found].max()]
        return [min((kg.entities[i] for i in found.tolist()), key=lambda e: (order.get(e, 0), e))]

    return [named(*one) for one in asked]


def order_of_names(names: Sequence[EntityNames], naming: str) -> dict[str, int]:
    """Entity, in a naming → its place by private id, which is the same in every naming."""
    ordered = names_in(sorted(names, key=attrgetter("private")), naming)
    return {name: place for place, name in enumerate(ordered)}
