"""The scripted writer: candidates without a language model.

It writes as a model is asked to. A candidate is the tree of the triples that are given, with its query and a
text from templates. Where the writer chooses, it takes trees of the triples shown, as they come, one after
another. It sees the subgraph alone, so it cannot know which other answers the whole graph has. Its replies
have the form of a model's, and are read and checked as those are.

Guarantees: a reply depends on what is shown, its order and the stream alone; of those it chooses, no two have
the same query, and none goes back by the relation by which it came, which would find its own anchor.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, Triple
from rulemine.kinds.written.replies import Refusal, Task
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.phrasing.compose import compose, goes_together
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded, linked, parts_of, renamed
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query
from rulemine.recipe.joins import Joins, Link
from rulemine.seeds import Stream

__all__ = ["LONG", "MOST_TRIPLES", "NOTHING_SUITABLE", "ScriptedWriter", "has_listed_chains"]

NOTHING_SUITABLE = "the writer found nothing suitable in the subgraph"

MOST_TRIPLES = 4
"""Of a pair: P1 of Dynamic-KGQA asks for four hops or more at best, never for one."""

LONG = 3
"""The links of a chain from which on its joins must be for chains."""


class ScriptedWriter:
    """Writes from templates.

    Args:
        templates: The templates of all relations.
        names: The names of all entities.
        joins: The joins that chains keep to; None: any.
    """

    def __init__(
        self, templates: Templates, names: WriterNames, joins: Joins | None = None
    ) -> None:
        self._templates, self._names, self._joins = templates, names, joins

    def candidate(self, task: Task, random: Stream) -> str | Refusal:
        """The reply to a task whose triples and answer are given, or why there is none."""
        names, used = self._names, self._names.triples(task.given)
        answer = names.id(task.answer or 0)
        query = query_of_triples(used, answer)
        if task.form == "without":
            taken = _taken(used, answer, names.triples(task.subgraph.rows), random)
            if taken is None:
                return Refusal(NOTHING_SUITABLE, task.form)
            query = Difference(query, taken)
        if task.form == "count":
            query = Count(query)
        labels = {names.id(node): names.label(node) for node in task.subgraph.nodes}
        reply = {
            "question": self._text(renamed(query, labels)),
            "nodes": [{"id": seed, "label": labels[seed]} for seed in structure_of(query).anchors],
            "answer": {"id": answer, "label": labels[answer]},
            "triples": [{"subject": s, "relation": r, "object": o} for s, r, o in used],
            "sparql": to_sparql(query),
        }
        return json.dumps(reply, ensure_ascii=False)

    def pairs(self, shown: Sequence[Triple], most: int) -> str:
        """The reply where the writer chooses: pairs of a question and its answer.

        Args:
            shown: The triples, in the order shown, in the naming of the prompt.
            most: Pairs wanted.
        """
        found: list[dict[str, Any]] = []
        tried: set[str] = set()
        for first in shown:
            for size, chain in ((MOST_TRIPLES, True), (2, False), (MOST_TRIPLES, False)):
                if len(found) < most:
                    tree = _grown(shown, first, size, chain=chain)
                    found += self._pair(tree, 2 if chain else 1, tried)
        reply = {"valid_qa_pairs": bool(found), "number_of_qa_pairs": len(found), "qa_pairs": found}
        return json.dumps(reply, ensure_ascii=False)

    def _pair(self, tree: Sequence[Triple], least: int, tried: set[str]) -> list[dict[str, Any]]:
        """The first pair about a tree, or about what is left of it without its last triples.

        Args:
            tree: The triples.
            least: The hops of the pair at least; those with most come first.
            tried: The queries of other pairs, and those that cannot be asked.
        """
        for size in range(len(tree), 1, -1):
            used = tree[:size]
            nodes = dict.fromkeys(end for s, _, o in used for end in (s, o))
            asking = {node: query_of_triples(used, node) for node in nodes}
            for answer in sorted(nodes, key=lambda node: -_height(asking[node])):
                query = asking[answer]
                if _height(query) < least or query.text in tried:
                    continue
                tried.add(query.text)
                if self._may_ask(query):
                    path = [{"subject": s, "predicate": r, "object": o} for s, r, o in used]
                    pair = {"question": self._text(query), "answer": answer}
                    return [{**pair, "supporting_path": path}]
        return []

    def _may_ask(self, query: Query) -> bool:
        declared, joins = self._templates.declarations, self._joins
        return (
            self._leads_on(query, None)
            and self._templates.asks(query)
            and (joins is None or has_listed_chains(query, joins, declared))
        )

    def _leads_on(self, query: Query, above: Link | None) -> bool:
        """Whether a text may say all of what leads to each node, and nothing goes back where it came from.

        Args:
            query: What gives the node.
            above: What leads on from it, reversed.
        """
        every = query.parts if isinstance(query, Intersection) else (query,)
        parts = [part for part in every if isinstance(part, Projection)]
        edges = [(part.relation, part.inverse) for part in parts]
        if above is not None:
            if any(self._fact(above) == self._fact(edge) for edge in edges):
                return False
            edges.append(above)
        return all(
            goes_together(self._templates, one, other) for one, other in combinations(edges, 2)
        ) and all(self._leads_on(part.of, (part.relation, not part.inverse)) for part in parts)

    def _fact(self, edge: Link) -> tuple[str, str]:
        return self._templates.declarations.asked(edge[0], DIRECTIONS[not edge[1]])

    def _text(self, query: Query) -> str:
        return compose(expanded(query, self._templates.declarations), self._templates)


def _grown(
    shown: Sequence[Triple], first: Triple, most: int, *, chain: bool = False
) -> list[Triple]:
    """A tree that begins with a triple; each further one, the first shown, joins it by one end alone.

    Args:
        shown: The triples.
        first: One of them.
        most: Triples of the tree; it has fewer where none joins it, and one where that is a loop.
        chain: Whether each goes on from the end of the one before, the object of the first.
    """
    tree, nodes, end = [first], {first[0], first[2]}, first[2]
    while len(tree) < most and len(tree) < len(nodes):
        fitting = (
            triple
            for triple in shown
            if (triple[0] in nodes) != (triple[2] in nodes) and (not chain or end in triple[::2])
        )
        if (found := next(fitting, None)) is None:
            break
        tree.append(found)
        end = found[2] if found[0] in nodes else found[0]
        nodes |= {found[0], found[2]}
    return tree


def _taken(
    used: Sequence[Triple], answer: str, shown: Sequence[Triple], random: Stream
) -> Query | None:
    """What to take away: a link of something that has a relation of the answer, which the answer lacks."""
    inside = {end for s, _, o in used for end in (s, o)}
    own, ends = (
        {*_links_of(answer, shown)},
        dict.fromkeys(end for s, _, o in shown for end in (s, o)),
    )
    for same in (3, 2):  # most like the answer is what has one of its links
        alike = {link[:same] for link in _links_of(answer, used)}
        found = [
            link
            for entity in ends
            if entity != answer and alike & {one[:same] for one in _links_of(entity, shown)}
            for link in _links_of(entity, shown)
            if link not in own and link[2] not in inside
        ]
        if found:
            relation, inverse, other = found[random.below(len(found))]
            return Projection(relation, inverse, Anchor(other))
    return None


def _links_of(entity: str, triples: Iterable[Triple]) -> list[tuple[str, bool, str]]:
    """The triples at an entity: the relation, whether the entity is its subject, and the other end."""
    return [(r, entity == s, o if entity == s else s) for s, r, o in triples if entity in (s, o)]


def has_listed_chains(query: Query, joins: Joins, declarations: Declarations) -> bool:
    """Whether every link of a query goes on from another as a list of joins has it."""
    return _is_listed(linked(expanded(query, declarations), declarations), joins, None, 0)


def _is_listed(query: Query, joins: Joins, above: Link | None, length: int) -> bool:
    """Whether a part is, from which a link goes on; of so many links in all to the answer."""
    if isinstance(query, Projection):
        link = query.relation, query.inverse
        pairs = joins.chains if length + _height(query) >= LONG else joins.after
        fits = above is None or (link, above) in pairs
        return fits and _is_listed(query.of, joins, link, length + 1)
    return all(_is_listed(part, joins, above, length) for part in parts_of(query))


def _height(query: Query) -> int:
    """The links of the longest chain of a query."""
    below = max(map(_height, parts_of(query)), default=0)
    return below + isinstance(query, Projection)
