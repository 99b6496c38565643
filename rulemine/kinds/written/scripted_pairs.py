"""The scripted writer of question-answer pairs: composes them from a subgraph alone, without a model.

For each triple, in the order shown, it grows a tree of up to `MOST_TRIPLES` triples by the first that fit,
asks for the node whose question has most hops, and puts that into words from templates. Its replies have the
form of a model's and are read and checked as those are. It sees no more of the graph than a model does, so
many of its pairs are refused too.

Guarantees: the reply depends on the triples, their order and the templates alone; no two pairs of a reply
have the same query; a path never goes back by the relation by which it came, which would find its own anchor.
"""

import json
from collections.abc import Callable, Sequence
from itertools import combinations, product

from rulemine.errors import QueryError
from rulemine.kg.graph import DIRECTIONS, Triple
from rulemine.phrasing.compose import compose, goes_together
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.tree import Intersection, Projection, Query

__all__ = ["MOST_TRIPLES", "ScriptedPairs"]

MOST_TRIPLES = 4
"""Of a path: P1 asks for four hops or more at best, never for one."""

_Edge = tuple[str, bool]
"""A relation, and whether it leads to a node from its objects."""

_Asked = tuple[frozenset[Triple], str]
"""Triples, and the node that they ask for."""


class ScriptedPairs:
    """Writes pairs.

    Args:
        templates: The templates of all relations.
        articles: Whether names are text labels, which may take *the*.
        fits: Whether a query may be asked.
    """

    def __init__(
        self,
        templates: Templates,
        articles: bool,
        fits: Callable[[Query], bool] = lambda _query: True,
    ) -> None:
        self._templates, self._articles, self._may_be_asked = templates, articles, fits

    def reply(self, triples: Sequence[Triple], most: int) -> str:
        """The reply to a prompt.

        Args:
            triples: The triples, in the order shown, in the naming of the prompt.
            most: Pairs wanted.
        """
        pairs: list[dict[str, object]] = []
        seen: set[str] = set()
        tried: set[_Asked] = set()
        for start, grow in product(range(len(triples)), (_chain, _pair_of_triples, _tree)):
            if len(pairs) == most:
                break
            found = self._pair(grow(triples, start), seen, tried, 2 if grow is _chain else 1)
            if found is not None:
                pairs.append(found)
        reply = {"valid_qa_pairs": bool(pairs), "number_of_qa_pairs": len(pairs), "qa_pairs": pairs}
        return json.dumps(reply, ensure_ascii=False)

    def _pair(
        self, tree: Sequence[Triple], seen: set[str], tried: set[_Asked], hops: int
    ) -> dict[str, object] | None:
        """The first pair of so many hops about a tree, or what is left of it without its last triples.

        Args:
            tree: The triples.
            seen: The queries of other pairs.
            tried: What was asked of which triples before; nothing more comes of it.
            hops: So many at least.
        """
        for size in range(len(tree), 1, -1):
            left = frozenset(tree[:size])
            for answer in _asked_of(tree[:size], hops):
                if (left, answer) in tried:
                    continue
                tried.add((left, answer))
                query = query_of_triples(tree[:size], answer)
                if query.text in seen or not self._fits(query, None):
                    continue
                if not self._templates.asks(query) or not self._may_be_asked(query):
                    continue
                try:
                    text = compose(query, self._templates, articles=self._articles)
                except QueryError:
                    continue
                seen.add(query.text)
                path = [
                    dict(zip(("subject", "predicate", "object"), t, strict=True))
                    for t in tree[:size]
                ]
                return {"question": text, "answer": answer, "supporting_path": path}
        return None

    def _fits(self, query: Query, above: _Edge | None) -> bool:
        """Whether a text may say all of what leads to each node, and nothing goes back where it came from.

        Args:
            query: What gives the node.
            above: What leads on from it, reversed.
        """
        parts = query.parts if isinstance(query, Intersection) else (query,)
        asked = [part for part in parts if isinstance(part, Projection)]
        edges = [(part.relation, part.inverse) for part in asked]
        if above is not None:
            if any(self._fact(above) == self._fact(edge) for edge in edges):
                return False
            edges.append(above)
        return all(
            goes_together(self._templates, one, other) for one, other in combinations(edges, 2)
        ) and all(self._fits(part.of, (part.relation, not part.inverse)) for part in asked)

    def _fact(self, edge: _Edge) -> tuple[str, str]:
        return self._templates.declarations.asked(edge[0], DIRECTIONS[not edge[1]])


def _tree(triples: Sequence[Triple], start: int, most: int = MOST_TRIPLES) -> list[Triple]:
    """A tree that begins with a triple; each further one is the first that joins it by one end alone."""
    s, _, o = triples[start]
    tree, nodes = [triples[start]], {s, o}
    while len(tree) < most:
        found = next((t for t in triples if (t[0] in nodes) != (t[2] in nodes)), None)
        if found is None:
            break
        tree.append(found)
        nodes |= {found[0], found[2]}
    return tree if s != o else []


def _pair_of_triples(triples: Sequence[Triple], start: int) -> list[Triple]:
    """A tree of two triples."""
    return _tree(triples, start, 2)


def _chain(triples: Sequence[Triple], start: int) -> list[Triple]:
    """A chain that begins with a triple and goes on, from the object, by the first that leads elsewhere."""
    s, _, last = triples[start]
    chain, nodes = [triples[start]], {s, last}
    while len(chain) < MOST_TRIPLES:
        found = next((t for t in triples if last in t[::2] and not nodes >= {*t[::2]}), None)
        if found is None:
            break
        chain.append(found)
        last = found[2] if found[0] == last else found[0]
        nodes.add(last)
    return chain if len(nodes) > len(chain) else []


def _asked_of(tree: Sequence[Triple], least: int) -> list[str]:
    """The nodes of a tree that it can ask for in so many hops: those with most hops first."""
    nodes = dict.fromkeys(end for s, _, o in tree for end in (s, o))
    hops = {node: _hops(tree, node) for node in nodes}
    return sorted((n for n in nodes if hops[n] >= least), key=lambda node: -hops[node])


def _hops(tree: Sequence[Triple], node: str) -> int:
    """How far the farthest node of a tree is from one of them."""
    seen, near, hops = {node}, {node}, -1
    while near:
        hops += 1
        near = {e for s, _, o in tree if s in near or o in near for e in (s, o)} - seen
        seen |= near
    return hops
