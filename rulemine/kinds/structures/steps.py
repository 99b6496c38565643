"""The steps that a query can take through a graph, what is removed of them, and which may be joined.

A step leads from one entity to another by a *link*: a relation and the end of it that is asked for, one link
for all relations that state the same facts (see `rulemine.kg.facts`).
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kinds.neighbors import usually_one
from rulemine.phrasing.clauses import SOMETHING, may_be_same
from rulemine.phrasing.descriptions import read_description
from rulemine.phrasing.templates import Templates
from rulemine.recipe.joins import Joins

__all__ = ["CORE", "REMEMBERED", "REMOVED", "STATED", "Joinable", "Steps", "changes"]

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

STATED, REMOVED, CORE, BARRED = range(4)
"""Of a step: the incomplete graph states it; it was removed and may be asked for; also its triple is of the
core; it is not asked for."""

REMEMBERED = 2**14
"""What is kept of what was found for single entities."""


@dataclass(frozen=True, eq=False)
class Steps:
    """All steps by links that may be asked about; made by `Steps.of`.

    Attributes:
        kg: The complete graph.
        declarations: Which relations state the same facts.
        links: The relation of each link, and whether a projection to it is inverse.
        link: int32, shape (steps,), as all others but `status`: the link of each step. The steps are by
            target, link and source.
        source: Where it comes from.
        target: Where it leads.
        status: int8: `STATED`, `REMOVED`, `CORE` or `BARRED`.
        fan: To how many entities the link leads from this source.
    """

    kg: KnowledgeGraph
    declarations: Declarations
    links: tuple[tuple[str, bool], ...]
    link: Ints
    source: Ints
    target: Ints
    status: npt.NDArray[np.int8]
    fan: Ints
    _by_source: Ints
    """The steps by link, source and target."""

    @classmethod
    def of(
        cls,
        kg: KnowledgeGraph,
        declarations: Declarations,
        removed: Bools,
        allowed: Bools,
        core: Bools,
        excluded: Collection[str] = (),
    ) -> "Steps":
        """The steps of a graph.

        Args:
            kg: The complete graph.
            declarations: Which relations state the same facts.
            removed: Shape (triples,): what the incomplete graph lacks.
            allowed: Shape (triples, 2): whether the subject, and the object, of a removed triple may be
                asked for.
            core: Shape (triples,): which removed triples are in the core.
            excluded: Relations that are not asked about.
        """
        links: dict[tuple[str, str], int] = {}
        number = np.full((len(kg.relations), 2), -1, np.int32)
        for i, relation in enumerate(kg.relations):
            for end, direction in enumerate(DIRECTIONS):
                stating = {name for name, _ in declarations.statements(relation, direction)}
                if stating.isdisjoint(excluded):
                    asked = declarations.asked(relation, direction)
                    number[i, end] = links.setdefault(asked, len(links))
        s, r, o = kg.triples.T
        gone = np.where(allowed, np.where(core, CORE, REMOVED)[:, None], BARRED)
        state = np.where(removed[:, None], gone, STATED).astype(np.int8)
        state[s == o] = BARRED
        state = state.T.reshape(-1)
        link, source, target = number[r].T.reshape(-1), np.append(o, s), np.append(s, o)
        order = np.lexsort((state, source, link, target))
        order = order[link[order] >= 0]
        link, source, target = link[order], source[order], target[order]
        # Of several statements of one fact, the least status.
        new = changes(target, link, source)
        link, source, target, state = link[new], source[new], target[new], state[order[new]]
        by_source = np.lexsort((source, link)).astype(np.int32)
        starts = changes(link[by_source], source[by_source])
        sizes = np.diff(starts, append=len(by_source))
        fan = np.empty(len(link), np.int32)
        fan[by_source] = sizes.repeat(sizes)
        named = tuple((relation, end == DIRECTIONS[0]) for relation, end in links)
        return cls(kg, declarations, named, link, source, target, state, fan, by_source)

    @cached_property
    def reached(self) -> Callable[[int, int], frozenset[int]]:
        """To which entities a link leads from an entity."""
        counts = np.bincount(self.link, minlength=len(self.links))
        ends, targets = [0, *np.cumsum(counts).tolist()], self.target[self._by_source]
        sources = self.source[self._by_source].data

        @lru_cache(REMEMBERED)
        def found(link: int, source: int) -> frozenset[int]:
            low = bisect_left(sources, source, ends[link], ends[link + 1])
            high = bisect_left(sources, source + 1, low, ends[link + 1])
            return frozenset(targets[low:high].tolist())

        return found

    @cached_property
    def usual(self) -> Bools:
        """Shape (links,): which links usually lead to one entity, see `usually_one`."""
        usual = usually_one(self.kg, self.declarations)
        return np.array([link in usual for link in self.links], bool)

    def giving(self, pairs: Iterable[tuple[str, ...]], few: int) -> Bools:
        """Which steps give away that some pairs of entities are joined.

        They are those between the pairs and, where a link leads from an entity to few others, all by this
        link from there as soon as one of them is: a question would have them as its answers together.

        Args:
            pairs: The pairs, each in either order.
            few: The most entities that such a link may lead to.

        Returns:
            Shape (steps,).
        """
        ids, size = self.kg.entity_ids, len(self.kg.entities)
        wanted = [sorted((ids[a], ids[b])) for a, b in pairs]
        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        found: Bools = np.isin(
            low.astype(np.int64) * size + high, [a * size + b for a, b in wanted]
        )
        order = self._by_source
        starts = changes(self.link[order], self.source[order])
        whole = np.zeros(len(order), bool)
        if len(order):
            some = np.logical_or.reduceat(found[order], starts)
            whole[order] = some.repeat(np.diff(starts, append=len(order)))
        return found | (whole & (self.fan <= few))

    @cached_property
    def statements(self) -> list[list[tuple[str, bool]]]:
        """For each link, the relations that state its facts, and whether a projection to it is inverse."""
        return [
            [
                (stating, end == DIRECTIONS[0])
                for stating, end in self.declarations.statements(relation, DIRECTIONS[not inverse])
            ]
            for relation, inverse in self.links
        ]


def changes(*columns: Ints) -> npt.NDArray[np.int64]:
    """The rows that differ from those before, the first one included, ascending."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


@dataclass(frozen=True, eq=False)
class Joinable:
    """Which links may be joined in queries of a structure, all bool.

    Attributes:
        after: Shape (links, links): whether the second may go on from what the first leads to.
        beside: Likewise: whether both may give one entity.
        leaves: Shape (links,): whether it may start from an anchor.
        akin: Likewise: whether the entities that it leads to from one entity are akin.
        ends: Likewise: whether the two entities that it joins are akin.
        own: Likewise: whether its way back is asked, too, so that it leads to no mere value (a language).
        found: Whether there is no list of joins; an intersection must then leave less.
    """

    after: Bools
    beside: Bools
    leaves: Bools
    akin: Bools
    ends: Bools
    own: Bools
    found: bool

    @classmethod
    def of(cls, name: str, steps: Steps, templates: Templates, joins: Joins | None) -> "Joinable":
        """Those whose templates speak of the same sort of thing; where there is a list, those on it.

        Args:
            name: The structure.
            steps: The steps of the graph.
            templates: The templates of its relations.
            joins: The list of what may be joined, if the recipe has one.
        """
        said, left = (
            [
                (read_description(row.description(DIRECTIONS[inverse ^ end])), row.source)
                for relation, inverse in steps.links
                for row in [templates[relation]]
            ]
            for end in (True, False)
        )
        # What is derived from a name alone says of no end what it is.
        nouns = [[(one.noun, by == "derived") for one, by in some] for some in (said, left)]
        places = {noun: i for i, noun in enumerate(dict.fromkeys(nouns[0] + nouns[1]))}
        same = np.array(
            [
                [
                    (SOMETHING, True) in (a, b)
                    or may_be_same(a[0], b[0], templates.people, strict=joins is None)
                    for b in places
                ]
                for a in places
            ],
            bool,
        )
        given, start = ([places[noun] for noun in some] for some in nouns)
        after, beside = same[np.ix_(given, start)], same[np.ix_(given, given)]
        if name == "pi":  # it may go back, too: "shares a director with X"
            back = [
                [one.name is not None and (r, not i) == link for link in steps.links]
                for (one, _), (r, i) in zip(said, steps.links, strict=True)
            ]
            after &= steps.usual[:, None] | np.array(back, bool)
        elif name not in ("ip", "up"):  # whose two conditions make it one; of either of two
            after &= steps.usual[:, None]
        # Without a list, "whose parts include X" is no name for one thing.
        after &= np.array(
            [joins is not None or one.forms[0].before[:6] != "whose " for one, _ in said]
        )[:, None]
        leaves = akin = ends = own = np.ones(len(given), bool)
        number = {link: i for i, link in enumerate(steps.links)}
        if joins is None:
            ways = [
                (
                    number.get((r, not i), at),
                    (r, DIRECTIONS[not i]) not in templates.unasked,
                    r in templates.places,
                    noun != (SOMETHING, False),
                    noun[0][0] not in ("word", "verb", "term", "thing"),  # a word is its name
                )
                for at, ((r, i), noun) in enumerate(zip(steps.links, nouns[0], strict=True))
            ]
            other, *flags = np.array(ways, int).reshape(-1, 5).T
            asked, placed, told, named = (flag > 0 for flag in flags)
            back, alike, own = steps.usual[other], np.eye(len(given), dtype=bool), asked[other]
            # Not who speaks X and is a citizen of Y, what contains X and is a part of Y, or who was
            # born in both X and Y; of three conditions, or of what is hidden, not which languages
            # both speak.
            mutual, fits = alike & alike[other], own & (asked | (name == "2i"))
            after, beside = (
                after & (told & named)[:, None] & ~mutual,
                beside
                & (told[:, None] | told)  # not "what contains both A and B"
                & np.where(alike, ~(back | placed), ~alike[other])
                & (
                    (fits[:, None] & fits & (asked[:, None] | asked) & (named | alike))
                    | (alike & (name == "2i"))
                )
                & ~(mutual & (name == "ip")),
            )
            akin, ends = asked & back, same[given, start] & (steps.usual | back | mutual.any(1))
            leaves = (told & named) | (name not in ("2u", "up"))
        elif name != "1p":
            for table, listed_in in ((after, joins.after), (beside, joins.together)):
                pairs = listed_in.get(name, ())
                listed = np.zeros(table.shape, bool)
                known = [(number[a], number[b]) for a, b in pairs if a in number and b in number]
                listed[tuple(np.array(known, int).reshape(-1, 2).T)] = True
                table &= listed
            if name in ("2u", "up"):
                leaves = np.array([link in joins.unions for link in steps.links], bool)
                akin = ends = np.array(
                    [link in (joins.akin or number) for link in steps.links], bool
                )
        return cls(after, beside, leaves, akin, ends, own, joins is None)
