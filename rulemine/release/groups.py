"""Which questions belong together, and the order in which they are drawn.

Groups share so much that one question in training would give away another in test.

Of the kind ``rules``, two questions stay together when they ask for the same relation and direction of the
same topic entities, when a removed triple is in both of them, or when an unordered pair of topic entity and
hard answer of the one is a pair of topic entity and answer of the other, a further one included, under
whichever relation and in whichever direction; and so do all that such links join. Splits keep the groups
whole, and resampling draws whole groups, because their questions are not independent.

Of the kind ``structures``, splits are disjoint by topic entities instead, and groups only serve resampling.
Two questions stay together when the hard answers that they ask for need the same removed triple, or when one
pair of topic entity and hard answer asked for is in both. With all hard answers and witnesses, 86 % of the
questions on FB15k-237 that have a hard answer would be one group; like this, 3 % are the largest. A question
whose every answer is stated is a group of its own. Of the kind ``variants``, questions on one seed text stay
together besides: they were written for the same triples. Of the kind ``cypher``, questions that return
something of the same matches stay together, and nothing else: an aggregate shares removed triples with most
others.

Questions are drawn in one fixed order, so that the samples of two papers are nested: a smaller sample is the
beginning of a larger one.

Guarantees: the groups depend on the questions alone, not on their order or the naming; the order of drawing
on the ids of the questions and on which are in the core, on neither naming nor seed.
"""

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from rulemine.errors import ConfigError
from rulemine.files import digest_of
from rulemine.kinds.registry import kind_named
from rulemine.release.records import Question

__all__ = ["groups_of", "sample"]

_Q = TypeVar("_Q", bound=Any)
"""A question, or anything with its ``id`` and ``core``."""


def groups_of(questions: Sequence[Question]) -> list[list[int]]:
    """The groups, as positions in `questions`.

    Returns:
        Each group ascending; by first position. Every question is in exactly one.
    """
    parent = list(range(len(questions)))
    first: dict[Hashable, int] = {}
    ties = kind_named(questions[0].kind).ties(questions) if questions else ()
    for i, links in enumerate(ties):
        for link in links:
            if (other := first.setdefault(link, i)) != i:
                a, b = _root(parent, other), _root(parent, i)
                # The smaller becomes the root, so that the root of a group is its first question.
                parent[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = {}
    for i in range(len(questions)):
        groups.setdefault(_root(parent, i), []).append(i)
    return list(groups.values())


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def sample(questions: Sequence[_Q], n: int | None) -> tuple[_Q, ...]:
    """The first `n` questions of the order, the core first; all of them for None.

    Returns:
        Sorted by id.

    Raises:
        ConfigError: `n` is below 1.
    """
    if n is None:
        return tuple(questions)
    if n < 1:
        raise ConfigError(f"sample is {n}; expected a whole number, 1 or more.")
    drawn = sorted(questions, key=lambda q: (not q.core, digest_of(q.id.encode()), q.id))
    return tuple(sorted(drawn[:n], key=lambda q: q.id))
