"""A question with what its query gives on the complete graph, and the form of the query.

The form: links, structure, shape code, hops and anchors, and what it is with a branch less. All statements of
a fact over one operand are one link. The shape code reads a query as a tree with an edge per link and the
answer at its root; see ``docs/structures.md``. What a difference takes away comes last.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import Any

from rulemine.verify.contents import Contents, Record
from rulemine.verify.graph import Facts, Triple
from rulemine.verify.questions.queries import (
    LINK,
    Few,
    Query,
    answers,
    costs,
    evidence,
    nodes,
    triple_of,
)  # fmt: skip

__all__ = ["STRUCTURES", "Asked", "form_of", "leaves", "linked", "links_in", "positive", "smaller"]

WHOLE = 100

STRUCTURES = {
    "(1)": "1p", "(2)": "2p", "(3)": "3p", "(1)(1)": "2i", "(1)(1)(1)": "3i", "((1)(1))": "ip",
    "(2)(1)": "pi", "{(1)|(1)}": "2u", "({(1)|(1)})": "up",
}  # fmt: skip
"""Shape code → structure; any other query is called by its code."""


def linked(query: Query, facts: Facts) -> Query:
    """Makes the statements of each fact over one operand one step, which may go all their ways.

    Raises:
        ValueError: Some statement of a fact is not asked for.
    """
    groups: dict[Hashable, list[Query]] = {}
    for arm in query.parts if query.word == "or" else (query,):
        ways = tuple(facts.ways(*arm.ways[0])) if arm.ways else ()
        groups.setdefault((ways, arm.parts if ways else arm), []).append(arm)
    found = []
    for (ways, _), arms in groups.items():  # type: ignore[misc]
        if len(arms) < len(ways):
            raise ValueError(arms[0].text)
        parts = tuple(linked(part, facts) for part in arms[0].parts)
        found.append(arms[0]._replace(parts=parts, ways=ways))
    return found[0] if len(found) == 1 else query._replace(parts=tuple(found))


def form_of(links: Query) -> dict[str, Any]:
    """What a question says of the form of its query, which is as `linked` gives it."""
    shape = _shape(links)
    return {
        "structure": STRUCTURES.get(shape, shape),
        "shape": shape,
        "hops": _hops(links),
        "anchors": sorted({*leaves(links)}),
    }


def _hops(links: Query) -> int:
    return max(map(_hops, links.parts), default=0) + (links.word == LINK)


def leaves(links: Query) -> list[str]:
    """The entities that a query names, as often as it does."""
    return [node.name for node in nodes(links) if not node.word]


def links_in(links: Query) -> list[Query]:
    """The links of a query as `linked` gives it."""
    return [node for node in nodes(links) if node.word == LINK]


def positive(links: Query) -> Query:
    """A query without what its differences take away; of a count, what it counts."""
    if links.word in ("minus", "count"):
        return positive(links.parts[0])
    return links._replace(parts=tuple(map(positive, links.parts)))


def smaller(links: Query) -> Iterator[Query]:
    """The query with one branch less, for every branch at any depth."""
    for i, part in enumerate(links.parts):
        rest = (*links.parts[:i], *links.parts[i + 1 :])
        if links.word in ("and", "or") or (links.word == "minus" and i == 1):
            yield rest[0] if len(rest) == 1 else links._replace(parts=rest)
        for less in smaller(part):
            yield links._replace(parts=(*links.parts[:i], less, *links.parts[i + 1 :]))


_Branch = tuple[bool, int, str]
"""Whether a branch of the tree is straight, its links (negative), and its code: in the order of siblings."""


def _shape(links: Query) -> str:
    return f"#{_shape(links.parts[0])}" if links.word == "count" else _arm(links)[2]


def _arm(links: Query) -> _Branch:
    """A query as a branch of a union, or as a whole."""
    branches, taken = sorted(_branches(links)), sorted(_taken(links))
    straight = len(branches) == 1 and branches[0][0] and not taken
    code = "".join([*(code for _, _, code in branches), *taken])
    return straight, -len(links_in(links)), code


def _branches(links: Query) -> list[_Branch]:
    """The branches of the node that a query gives, without what is taken away from it."""
    size, steps = -len(links_in(links)), 0
    if links.word in ("and", "minus"):
        parts = links.parts[: 1 if links.word == "minus" else None]
        return [branch for part in parts for branch in _branches(part)]
    if links.word == "or":
        codes = "|".join(code for _, _, code in sorted(map(_arm, links.parts)))
        return [(False, size, f"{{{codes}}}")]
    while links.word == LINK:
        steps, links = steps + 1, links.parts[0]
    if not links.word:
        return [(True, size, f"({steps})")]
    return [(False, size, f"({steps if steps > 1 else ''}{_shape(links)})")]


def _taken(links: Query) -> list[str]:
    """The codes of what is taken away from the node that a query gives."""
    own = [f"-{{{_shape(part)}}}" for part in links.parts[1:] if links.word == "minus"]
    parts = {"and": links.parts, "minus": links.parts[:1]}.get(links.word, ())
    return own + [code for part in parts for code in _taken(part)]


@dataclass(frozen=True)
class Asked:
    """A question, and what its query gives."""

    contents: Contents
    at: Record
    query: Query

    @property
    def row(self) -> dict[str, Any]:
        """The record."""
        return self.at.row

    @property
    def block(self) -> dict[str, Any]:
        """What only its kind has."""
        return self.at.row["block"]  # type: ignore[no-any-return]

    def wrong(self, what: str, found: object, expected: object) -> None:
        """Adds a problem."""
        self.contents.wrong(self.at, what, found, expected)

    def expect(self, holds: object, what: str, found: object, expected: object) -> None:
        """Adds a problem unless something holds."""
        if not holds:
            self.wrong(what, found, expected)

    def equal(self, what: str, found: object, expected: object) -> None:
        """Adds a problem if two values differ."""
        self.contents.equal(self.at, what, found, expected)

    def option(self, key: str) -> Any:
        """An option of the kind; None if the manifest does not state it."""
        return self.contents.option(self.contents.kind, key)

    def at_most(self, what: str, number: int, key: str, section: str = "") -> None:
        """Adds a problem if a number is above an option, of the kind or another section; 0 is no bound."""
        section = section or self.contents.kind
        most = self.contents.option(section, key) or number
        self.expect(number <= most, what, number, f"at most {most} (config.{section}.{key})")

    @cached_property
    def links(self) -> Query:
        """The query by links.

        Raises:
            ValueError: Some statement of a fact is not asked for.
        """
        return linked(self.query, self.contents.facts)

    @cached_property
    def form(self) -> dict[str, Any]:
        """The form of the query."""
        return form_of(self.links)

    @cached_property
    def whole(self) -> set[str]:
        """The answers on the complete graph."""
        return answers(self.links, self.contents.complete)

    @cached_property
    def evidence(self) -> frozenset[tuple[Triple, str]]:
        """The triples of all their derivations, each with the end that it leads to."""
        return frozenset(evidence(self.links, self.whole, self.contents.complete))

    @cached_property
    def _few(self) -> Few:
        return Few(triple for triple, _ in self.evidence)

    @cached_property
    def missing(self) -> dict[str, int]:
        """Answer → the least number of removed triples in its derivations."""
        return self._least(lambda triple: triple in self.contents.removed, add)

    @cached_property
    def levels(self) -> dict[str, int]:
        """Answer → the level from which on no derivation of it is whole; above 100 if one always is."""
        removed = self.contents.removed
        late = self._least(
            lambda t: WHOLE + 1 - removed[t].row["level"] if t in removed else 0, max
        )
        return {answer: WHOLE + 1 - cost for answer, cost in late.items()}

    def _least(
        self, cost: Callable[[Triple], int], both: Callable[[int, int], int]
    ) -> dict[str, int]:
        return costs(self.links, self._few, self.contents.complete, cost, both)

    def derivable(self, entity: str) -> bool:
        """Whether a graph states, or a rule proves from the complete graph, that an entity is an answer.

        The query has one link, of any number of statements.
        """
        topic = self.links.parts[0].name
        found = [triple_of(way, topic, entity) for way in self.links.ways]
        proofs = self.contents.whole_prover.prove_all(found)
        return any(triple in self.contents.wider or proofs[triple].ways for triple in found)

    def types_of(self, entities: Iterable[str]) -> frozenset[str]:
        """The types that all of some entities have."""
        found = [self.contents.types.get(entity, frozenset()) for entity in entities]
        return frozenset.intersection(*found) if found else frozenset()

    def source(self, entity: str) -> str:
        """The name of an entity in the source."""
        return self.contents.names(entity)["entity"]
