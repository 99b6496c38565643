"""The steps that a query can take through a graph, what is removed of them, and which may be joined.

A step leads from one entity to another by a *link*: a relation and the end of it that is asked for, one link
for all relations that state the same facts (see `rulemine.kg.facts`).
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph
from rulemine.kinds.neighbors import usually_one
from rulemine.phrasing.clauses import SOMETHING, Noun, may_be_same
from rulemine.phrasing.descriptions import Description, read_description
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

WORDS = ("word", "verb", "term", "thing")
"""Nouns of entities that are their own names, as in a dictionary: nobody describes a word, but names it."""


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
                    number[i, end] = links.setdefault(
                        declarations.asked(relation, direction), len(links)
                    )
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
        ways = link.astype(np.int64) * len(kg.entities) + source
        by_source = np.argsort(ways, kind="stable").astype(np.int32)
        _, way, fans = np.unique(ways, return_inverse=True, return_counts=True)
        named = tuple((relation, end == DIRECTIONS[0]) for relation, end in links)
        return cls(
            kg,
            declarations,
            named,
            link,
            source,
            target,
            state,
            fans[way].astype(np.int32),
            by_source,
        )

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
    def back(self) -> npt.NDArray[np.int64]:
        """Shape (links,): the link that leads the other way; of a symmetric relation, itself."""
        at = {link: i for i, link in enumerate(self.links)}
        return np.array([at.get((r, not inverse), i) for (r, inverse), i in at.items()], np.int64)

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
        ways = self.link.astype(np.int64) * size + self.source
        return found | (np.isin(ways, ways[found]) & (self.fan <= few))

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
        ends: Likewise: whether the two entities that it joins are akin.
        akin: Shape (links, links): whether two entities to which the first leads from one are akin, if the
            second is asked of both.
        found: Whether there is no list of joins; an intersection must then leave less.
    """

    after: Bools
    beside: Bools
    leaves: Bools
    ends: Bools
    akin: Bools
    found: bool

    @classmethod
    def of(cls, name: str, steps: Steps, templates: Templates, joins: Joins | None) -> "Joinable":
        """Those on a list of joins; without a list, those that templates and graph show people to make.

        Either way, two links meet only in what both can be about by their templates (no person is a film),
        and a query goes on from what is usually one entity, "the director of X", but in ip, in up, and in pi
        where it goes back.

        Args:
            name: The structure.
            steps: The steps of the graph.
            templates: The templates of its relations.
            joins: The list of what may be joined, if the recipe has one.
        """
        rows = [(templates[relation], inverse) for relation, inverse in steps.links]
        said, left = (
            [read_description(row.description(DIRECTIONS[inverse ^ end])) for row, inverse in rows]
            for end in (True, False)
        )
        # What is derived from a name alone says of no end what it is.
        nouns, starts = (
            [
                None if one.noun == SOMETHING and row.source == "derived" else one.noun
                for one, (row, _) in zip(some, rows, strict=True)
            ]
            for some in (said, left)
        )
        after, beside = (
            _same_sort(nouns, others, templates.people, strict=joins is None)
            for others in (starts, nouns)
        )
        found = (
            _shown(name, steps, templates, said, nouns, after, beside)
            if joins is None
            else _listed(name, steps, joins, after, beside)
        )
        goes_on = steps.usual[:, None]
        if name == "pi":  # it may go back, too: "shares a director with X"
            named = np.array([one.name is not None for one in said], bool)
            goes_on = goes_on | (named[:, None] & (steps.back[:, None] == np.arange(len(said))))
        # The two conditions of ip make it one; up goes on from either of two.
        return found if name in ("ip", "up") else replace(found, after=found.after & goes_on)


def _same_sort(
    nouns: Sequence[Noun | None],
    others: Sequence[Noun | None],
    people: Collection[str],
    *,
    strict: bool,
) -> Bools:
    """Whether an entity can be what each noun and each other one names; None may name anything."""
    at = {noun: i for i, noun in enumerate(dict.fromkeys((*nouns, *others)))}
    same = [
        [a is None or b is None or may_be_same(a, b, people, strict=strict) for b in at] for a in at
    ]
    return np.array(same, bool)[np.ix_([at[a] for a in nouns], [at[b] for b in others])]


def _listed(name: str, steps: Steps, joins: Joins, after: Bools, beside: Bools) -> Joinable:
    """Of the pairs of links that are given, those that a list of joins has; see `rulemine.recipe.joins`."""
    links = np.arange(len(steps.links))
    at = dict(zip(steps.links, links.tolist(), strict=True))
    after, beside = (
        table
        & np.isin(
            len(at) * links[:, None] + links,
            [len(at) * at[a] + at[b] for a, b in forms.get(name, ()) if {a, b} <= at.keys()],
        )
        for table, forms in ((after, joins.after), (beside, joins.together))
    )
    leaves, ends = (
        np.array([link in some for link in steps.links], bool)
        for some in (joins.unions if name == "2u" else at, joins.akin or at)
    )
    akin = ends[:, None] & (steps.back == links[:, None])
    return Joinable(after, beside, leaves, ends, akin, found=False)


def _shown(
    name: str,
    steps: Steps,
    templates: Templates,
    said: Sequence[Description],
    nouns: Sequence[Noun | None],
    after: Bools,
    beside: Bools,
) -> Joinable:
    """Of the pairs of links that are given, those that people would join, as templates and graph show.

    Args:
        name: The structure.
        steps: The steps of the graph.
        templates: The templates of its relations.
        said: The description of what each link leads to.
        nouns: Its noun; None: the template does not know it.
        after: The pairs of which the second may go on from what the first leads to.
        beside: The pairs that may both give one entity.
    """
    asked = np.array(
        [(r, DIRECTIONS[not inverse]) not in templates.unasked for r, inverse in steps.links], bool
    )
    place = np.array([relation in templates.places for relation, _ in steps.links], bool)
    told = np.array([noun != SOMETHING for noun in nouns], bool)
    words = np.array([noun is not None and noun[0] in WORDS for noun in nouns], bool)
    whose = np.array([one.forms[0].before.startswith("whose ") for one in said], bool)
    # A symmetric relation is its own way back. Nobody asks "who speaks X?": a link that is not asked starts
    # from a mere value, such as a language, and one whose way back is not asked leads to a mere value.
    back, links = steps.back, np.arange(len(nouns))
    symmetric, own, of_one = back == links, asked[back], steps.usual[back]
    # The films of one director are akin; so are a film and its sequel, and spouses. Those who speak one
    # language are not, and no union is of mere values.
    ends = after.diagonal() & (steps.usual | of_one | symmetric)
    akin = (asked & of_one)[:, None] & own
    # A query goes on from no "something that contains X", no word, and not from "whose parts include X",
    # which names no one thing; nor by a symmetric relation from itself: nobody asks for a spouse of a spouse.
    after = after & (told & ~words & ~whose)[:, None] & ~np.diag(symmetric)
    # Two conditions by different links: one says what both are true of, which is no word and no mere value.
    # Neither starts from a mere value; in 2i one may, "who directed X and speaks Y".
    fits = own & (asked | (name == "2i"))
    beside = (
        beside & (told[:, None] | told) & (asked[:, None] | asked) & fits[:, None] & fits & ~words
    )
    # Not "what contains X and is a part of Y".
    beside[links, back] = False
    # Two by the same link: not "who was born in both X and Y", as everybody is born in one place, nor what
    # lies in both places; mere values only in 2i, "which languages do both X and Y speak?"; and who is
    # hidden in ip is no sibling of both X and Y.
    np.fill_diagonal(
        beside,
        told & ~of_one & ~place & ((own & asked) | (name == "2i")) & ~(symmetric & (name == "ip")),
    )
    leaves = (told & ~words) | (name not in ("2u", "up"))  # not "what contains X or Y"
    return Joinable(after, beside, leaves, ends, akin, found=True)
