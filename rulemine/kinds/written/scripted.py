"""The scripted writer: candidates and pairs without a language model.

It composes as a model is asked to: some triples of the subgraph that form a tree, one entity of it as the
answer, and a text from templates. It sees the subgraph alone, so it cannot know which other answers the whole
graph has. Its replies have the form of a model's, and are read and checked as those are.

Guarantees: candidates depend on the task and the stream alone, and can have every shape that the subgraph
holds; pairs depend on the triples and their order alone, no two of a reply have the same query, and none goes
back by the relation by which it came, which would find its own anchor.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from rulemine.kg.graph import DIRECTIONS, Triple
from rulemine.kinds.written.candidate import Refusal, Task
from rulemine.kinds.written.listed import height
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.phrasing.compose import compose, goes_together, reads_well
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded, renamed
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Count, Difference, Intersection, Projection, Query
from rulemine.seeds import Stream

__all__ = ["MOST_TRIPLES", "NOTHING_SUITABLE", "ScriptedWriter"]

NOTHING_SUITABLE = "the writer found nothing suitable in the subgraph"

DRAWS = 30
"""Trees drawn for a candidate until one has a text that reads well."""

MOST_TRIPLES = 4
"""Of a pair: P1 asks for four hops or more at best, never for one."""

_Edge = tuple[str, bool]
"""A relation, and whether it leads to a node from its objects."""


class ScriptedWriter:
    """Writes from templates.

    Args:
        templates: The templates of all relations.
        fits: Whether a query may be asked whose triples the writer chose itself.
        articles: Whether names get *the* where they take it, see `rulemine.text.articles`.
    """

    def __init__(
        self,
        templates: Templates,
        fits: Callable[[Query], bool] = lambda _query: True,
        *,
        articles: bool = False,
    ) -> None:
        self._templates, self._fits, self._articles = templates, fits, articles

    def candidate(self, task: Task, names: WriterNames, random: Stream) -> str | Refusal:
        """The reply to a task, or why there is none."""
        shown, given = names.triples(task.subgraph.rows), names.triples(task.given)

        def any_of(some: Iterable[Triple]) -> Triple | None:
            found = list(some)
            return found[random.below(len(found))] if found else None

        for _ in range(DRAWS):
            used = given
            if not given and len(shown) >= task.atoms:
                used = _grown(shown, shown[random.below(len(shown))], task.atoms, any_of)
            if len(used) < task.atoms:
                break
            nodes = list(dict.fromkeys(end for s, _, o in used for end in (s, o)))
            answer = nodes[random.below(len(nodes))]
            if task.answer is not None:
                answer = names.id(task.answer)
            query: Query = query_of_triples(used, answer)
            if task.form == "without":
                taken = _taken(used, answer, shown, random)
                if taken is None:
                    continue
                query = Difference(query, taken)
            if not given and not self._fits(query):
                continue
            if self._templates.asks(query) and reads_well(query, self._templates):
                if task.form == "count":
                    query = Count(query)
                labels = {names.id(node): names.label(node) for node in task.subgraph.nodes}
                return json.dumps(self._candidate(query, answer, used, labels), ensure_ascii=False)
        return Refusal(NOTHING_SUITABLE, f"{task.atoms} triples, {task.form}")

    def _candidate(
        self, query: Query, answer: str, used: Sequence[Triple], labels: dict[str, str]
    ) -> dict[str, Any]:
        return {
            "question": self._text(renamed(query, labels)),
            "nodes": [{"id": seed, "label": labels[seed]} for seed in structure_of(query).anchors],
            "answer": {"id": answer, "label": labels[answer]},
            "triples": [{"subject": s, "relation": r, "object": o} for s, r, o in used],
            "sparql": to_sparql(query),
        }

    def pairs(self, shown: Sequence[Triple], most: int) -> str:
        """The reply to a prompt for pairs.

        Args:
            shown: The triples, in the order shown, in the naming of the prompt.
            most: Pairs wanted.
        """
        found: list[dict[str, Any]] = []
        tried: set[str] = set()
        for first in shown:
            for size, chain in ((MOST_TRIPLES, True), (2, False), (MOST_TRIPLES, False)):
                if len(found) < most:
                    tree = _grown(shown, first, size, lambda some: next(some, None), chain=chain)
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
            for answer in sorted(nodes, key=lambda node: -height(asking[node])):
                query = asking[answer]
                if height(query) < least or query.text in tried:
                    continue
                tried.add(query.text)
                if (
                    self._leads_on(query, None)
                    and self._templates.asks(query)
                    and self._fits(query)
                ):
                    path = [{"subject": s, "predicate": r, "object": o} for s, r, o in used]
                    return [
                        {"question": self._text(query), "answer": answer, "supporting_path": path}
                    ]
        return []

    def _leads_on(self, query: Query, above: _Edge | None) -> bool:
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

    def _fact(self, edge: _Edge) -> tuple[str, str]:
        return self._templates.declarations.asked(edge[0], DIRECTIONS[not edge[1]])

    def _text(self, query: Query) -> str:
        asked = expanded(query, self._templates.declarations)
        return compose(asked, self._templates, articles=self._articles)


def _grown(
    shown: Sequence[Triple],
    first: Triple,
    most: int,
    choose: Callable[[Iterator[Triple]], Triple | None],
    *,
    chain: bool = False,
) -> list[Triple]:
    """A tree that begins with a triple; each further one joins it by one end alone.

    Args:
        shown: The triples.
        first: One of them.
        most: Triples of the tree; it has fewer where none joins it, and one where that is a loop.
        choose: Chooses of those that may come next.
        chain: Whether each goes on from the end of the one before, the object of the first.
    """
    tree, nodes, end = [first], {first[0], first[2]}, first[2]
    while len(tree) < most and len(tree) < len(nodes):
        found = choose(
            triple
            for triple in shown
            if (triple[0] in nodes) != (triple[2] in nodes) and (not chain or end in triple[::2])
        )
        if found is None:
            break
        tree.append(found)
        end = found[2] if found[0] in nodes else found[0]
        nodes |= {found[0], found[2]}
    return tree


_Link = tuple[str, bool, str]
"""A triple as one of its ends sees it: the relation, whether that end is its subject, and the other end."""


def _links(triples: Iterable[Triple]) -> dict[str, list[_Link]]:
    """The links of each entity."""
    found: dict[str, list[_Link]] = {}
    for s, r, o in triples:
        found.setdefault(s, []).append((r, True, o))
        found.setdefault(o, []).append((r, False, s))
    return found


def _taken(
    used: Sequence[Triple], answer: str, shown: Sequence[Triple], random: Stream
) -> Query | None:
    """What to take away: a link that an entity like the answer has, but not the answer.

    Most like the answer is what has one of its links in the tree, then what has one of the same relation.
    """
    links, asked = _links(shown), _links(used)
    own, inside = {*links[answer]}, {*asked}
    for alike in ({*asked[answer]}, {link[:2] for link in asked[answer]}):
        found = [
            link
            for entity, some in links.items()
            if entity != answer and any(link in alike or link[:2] in alike for link in some)
            for link in some
            if link not in own and link[2] not in inside
        ]
        if found:
            relation, inverse, other = found[random.below(len(found))]
            return Projection(relation, inverse, Anchor(other))
    return None
