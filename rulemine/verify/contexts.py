"""What a model was told about a topic whose label another entity has too: up to two facts about it.

That is so where prompts name entities by their labels. The facts are those of the incomplete KG that name
no answer, in an order drawn with the seed, first those that few entities have.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from rulemine.verify.calls import Query, draw
from rulemine.verify.graph import Graph, Triple
from rulemine.verify.names import Names
from rulemine.verify.proofs import Facts
from rulemine.verify.shapes import NAMINGS
from rulemine.verify.wording import Verbalizer

__all__ = ["Contexts", "namesakes"]

MOST = 2
"""Facts that are told at most."""

FEW = 20
"""A fact that more entities have comes later."""


def namesakes(names: Names) -> set[str]:
    """The entities whose label, without the id in parentheses that tells them apart, others have too."""
    labels: dict[str, list[str]] = defaultdict(list)
    for name, entity in names.entities.items():
        mark = f" ({entity.source})"
        label = entity.spelled[NAMINGS.index("text")]
        if label.endswith(mark):
            while label.endswith(mark):
                label = label.removesuffix(mark)
            labels[label].append(name)
    return {name for group in labels.values() if len(group) > 1 for name in group}


class Contexts:
    """The contexts of questions.

    Args:
        queries: All questions that a model may have been asked about.
        names: The tables of names.
        complete: The complete KG.
        left: The incomplete KG.
        known: Complete KG and reference, for the answers.
        verbalizer: The options.
    """

    def __init__(
        self,
        queries: Iterable[Query],
        names: Names,
        complete: Graph,
        left: Graph,
        known: Facts,
        verbalizer: Verbalizer,
    ) -> None:
        self._names, self._complete, self._known = names, Facts(complete), known
        self._verbalizer = verbalizer
        by_label = NAMINGS[verbalizer.naming] == "text"
        topics = {query.topic for query in queries} & namesakes(names) if by_label else set()
        self._facts = _facts_about(topics, left)
        self._ordered: dict[str, list[Triple]] = {}

    def of(self, query: Query) -> list[Triple]:
        """The facts that are told, in the naming of the prompts."""
        topic = query.topic
        if topic not in self._facts:
            return []
        if topic not in self._ordered:
            self._ordered[topic] = self._order(topic)
        if query.direction == "object":
            answers = self._known.objects(topic, query.relation)
        else:
            answers = self._known.subjects(query.relation, topic)
        told = [
            (s, r, o) for s, r, o in self._ordered[topic] if (o if s == topic else s) not in answers
        ]
        return [(self._spelled(s), r, self._spelled(o)) for s, r, o in told[:MOST]]

    def _order(self, topic: str) -> list[Triple]:
        entities = self._names.entities

        def place(fact: Triple) -> tuple[bool, str, str, str]:
            s, r, o = fact
            return s != topic, entities[s].source, r, entities[o].source

        known = (f for f in self._facts[topic] if f[0] in entities and f[2] in entities)
        facts = sorted(known, key=place)
        drawn = draw(self._verbalizer.seed, len(facts), "context", entities[topic].source)
        return sorted((facts[i] for i in drawn), key=lambda fact: self._is_common(fact, topic))

    def _is_common(self, fact: Triple, topic: str) -> bool:
        s, r, o = fact
        same = self._complete.subjects(r, o) if s == topic else self._complete.objects(s, r)
        return len(same) > FEW

    def _spelled(self, entity: str) -> str:
        return self._names.entities[entity].spelled[self._verbalizer.naming]


def _facts_about(topics: set[str], left: Graph) -> dict[str, list[Triple]]:
    """Topic → the facts with it at one end."""
    facts: dict[str, list[Triple]] = {topic: [] for topic in topics}
    numbers = [left.terms.entities[topic] for topic in topics if topic in left.terms.entities]
    if numbers:  # else all of the graph would be gone through for nothing
        about = np.isin(left.columns[:, [0, 2]], numbers).any(axis=1)
        for s, r, o in left.triples(left.keys[about]):
            for end in {s, o} & topics if s != o else ():
                facts[end].append((s, r, o))
    return facts
