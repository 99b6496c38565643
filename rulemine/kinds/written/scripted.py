"""The scripted writer: candidates without a language model.

It writes as a model is asked to. A candidate is the tree of the triples that are given, with its query and a
text from templates. Where the writer chooses, it takes trees of the triples shown, as they come, one after
another. It sees the subgraph alone, so it cannot know which other answers the whole graph has. Its replies
have the form of a model's, and are read and checked as those are.

Guarantees: a reply depends on what is shown, its order and the stream alone; of those it chooses, no two have
the same query.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import Any

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import Triple
from rulemine.kinds.neighbors import usually_one
from rulemine.kinds.written.replies import Refusal, Task
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.phrasing.compose import compose, reads_well
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded, linked, parts_of, renamed
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Count, Difference, Projection, Query
from rulemine.recipe.joins import Joins, Link
from rulemine.seeds import Stream

__all__ = ["LONG", "MOST_TRIPLES", "NOTHING_SUITABLE", "ScriptedWriter", "is_listed"]

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
        joins: The joins that questions keep to; None: any, in chains of two.
    """

    def __init__(
        self, templates: Templates, names: WriterNames, joins: Joins | None = None
    ) -> None:
        self._templates, self._names, self._joins = templates, names, joins
        self._usual = usually_one(names.kg, templates.declarations)

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
        tried: dict[str, bool] = {}
        trees = (
            _grown(shown, both)
            for both in combinations([triple for triple in shown if triple[0] != triple[2]], 2)
            if len({end for triple in both for end in triple[::2]}) == 3
        )
        found = [*islice((pair for tree in trees for pair in self._of_tree(tree, tried)), most)]
        reply = {"valid_qa_pairs": bool(found), "number_of_qa_pairs": len(found), "qa_pairs": found}
        return json.dumps(reply, ensure_ascii=False)

    def _of_tree(self, tree: Sequence[Triple], tried: dict[str, bool]) -> Iterator[dict[str, Any]]:
        """A pair about a tree, and about what is left of it without its last triples; hops come first.

        Where nothing can be asked about some triples, nothing can about more.

        Args:
            tree: The triples.
            tried: Query → whether it can be asked; those that can are of other pairs.
        """
        for size in range(2, len(tree) + 1):
            used = tree[:size]
            nodes = dict.fromkeys(end for s, _, o in used for end in (s, o))
            asking = {node: query_of_triples(used, node) for node in nodes}
            for answer in sorted(nodes, key=lambda node: -_height(asking[node])):
                query = asking[answer]
                if query.text not in tried and tried.setdefault(query.text, self._may_ask(query)):
                    path = [{"subject": s, "predicate": r, "object": o} for s, r, o in used]
                    pair = {"question": self._text(query), "answer": answer}
                    yield {**pair, "supporting_path": path}
            if not any(tried[query.text] for query in asking.values()):
                return

    def _may_ask(self, query: Query) -> bool:
        declared = self._templates.declarations
        return (
            self._templates.asks(query)
            and is_listed(query, self._joins, self._usual, declared)
            and reads_well(query, self._templates)
        )

    def _text(self, query: Query) -> str:
        return compose(expanded(query, self._templates.declarations), self._templates)


def _grown(shown: Sequence[Triple], start: Iterable[Triple]) -> list[Triple]:
    """A tree that begins with some triples; each further one, the first shown, joins it by one end alone."""
    tree = [*start]
    while len(tree) < MOST_TRIPLES:
        nodes = {end for triple in tree for end in triple[::2]}
        fitting = (triple for triple in shown if (triple[0] in nodes) != (triple[2] in nodes))
        if (found := next(fitting, None)) is None:
            break
        tree.append(found)
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


def is_listed(
    query: Query, joins: Joins | None, usual: Collection[Link], declarations: Declarations
) -> bool:
    """Whether people would ask a query.

    Args:
        query: The query.
        joins: How its links may meet; None: in any way, but in no chain that is long, see `LONG`.
        usual: The links from which others may go on, see `usually_one`.
        declarations: Which relations state the same facts.
    """
    asked = linked(expanded(query, declarations), declarations)
    return _is_listed(asked, joins, usual, None, 0)


def _is_listed(
    query: Query, joins: Joins | None, usual: Collection[Link], above: Link | None, length: int
) -> bool:
    """Whether a part is, from which a link goes on; of so many links in all to the answer."""
    if isinstance(query, Projection):
        link, is_long = (query.relation, query.inverse), length + _height(query) >= LONG
        pairs = None if joins is None else joins.after["3p" if is_long else "2p"]
        meets = not is_long if pairs is None else (link, above) in pairs
        fits = above is None or (link in usual and meets)
        return fits and _is_listed(query.of, joins, usual, link, length + 1)
    parts = parts_of(query)
    links = [(part.relation, part.inverse) for part in parts if isinstance(part, Projection)]
    return all(_is_listed(part, joins, usual, above, length) for part in parts) and (
        joins is None
        or joins.together["pi" if _height(query) > 1 else "2i"].issuperset(combinations(links, 2))
    )


def _height(query: Query) -> int:
    """The links of the longest chain of a query."""
    below = max(map(_height, parts_of(query)), default=0)
    return below + isinstance(query, Projection)
