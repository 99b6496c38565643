"""Generate-on-Graph: questions for an endpoint with the incomplete graph, and with the complete graph.

Xu et al., "Generate-on-Graph", EMNLP 2024. It takes the graph from a SPARQL endpoint, and each question has
the triples that it must not see: none where the endpoint has the incomplete graph; where it has the complete
one, the removed triples near the topic entities.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from rulemine.config import option
from rulemine.exports.protocol import ExportFolder, ExportInput, Fields
from rulemine.exports.row_export import OneSplit
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.records import Question

__all__ = ["GogFiles"]

MANY = 2_000_000
"""Hidden triples that take about a gigabyte of Generate-on-Graph's memory."""


@dataclass(frozen=True)
class GogFiles(OneSplit):
    """Question files for Generate-on-Graph.

    Attributes:
        split: The split whose questions are written.
        distance: A removed triple is hidden if an end of it is at most so many edges, in either direction,
            from a topic entity.
        max_triples: The most hidden triples of a question: those that its answers are derived from first,
            then the nearest. 0: all.
    """

    distance: int = option(2, least=0, most=6)
    max_triples: int = option(0, least=0)

    def fields(self, given: ExportInput) -> Fields:
        """Answers by their labels."""
        return {
            "ID": "id",
            "question": "question",
            "topic_entity": given.client.topics,
            "answer": lambda q: [answer.label for answer in given.gold(q)],
        }

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        questions, rows = given.questions(), list(self.rows(given, folder))
        level = given.release.level_of(given.kg_name)
        plain = "incomplete" if level else "complete"
        folder.lines(f"data/{plain}/data.json", _listed(rows, repeat([])))
        folder.lines("Freebase/virtuoso-opensource/database/FilterFreebase", _names(given))
        if given.without_answers or not level:
            return
        gone = [row.triple for row in given.missing if row.level <= level]
        hidden = _Hidden(given.complete, gone, self.distance)
        near = [hidden.by(question) for question in questions]
        chosen = [some[: self.max_triples or None] for some in near]
        total = sum(map(len, chosen))
        if total > MANY:
            given.note(
                f"data/complete/data.json hides {total:,} triples, and Generate-on-Graph keeps them all in "
                "memory: use data/incomplete, or bound them, e.g. gog:distance=1 or gog:max_triples=2000."
            )
        named = given.client.triples(gone, given.client.id)
        crucial = ([named[i] for i in some.tolist()] for some in chosen)
        folder.lines("data/complete/data.json", _listed(rows, crucial))
        folder.count("hidden_triples", total)
        cut = sum(len(some) < len(every) for some, every in zip(chosen, near, strict=True))
        folder.count("questions_cut", cut)


def _listed(rows: Sequence[dict[str, Any]], crucial: Iterable[list[list[str]]]) -> Iterator[str]:
    """A list of questions, each in a line, with the triples that it must not see."""
    yield "["
    for index, (row, triples) in enumerate(zip(rows, crucial, strict=False)):
        line = {"index": index, **row, "mid_crucial_triples": triples}
        yield json.dumps(line) + ("," if index + 1 < len(rows) else "")
    yield "]"


def _names(given: ExportInput) -> Iterator[str]:
    """The names of all entities, for its service that looks entities up by name.

    That reads the first three columns of N-Triples with tabs, and the name as a literal of Python.
    """
    prefix = "http://rdf.freebase.com/ns"
    for entity in given.entities():
        name = json.dumps(entity.label)
        yield f"<{prefix}/{entity.id}>\t<{prefix}/type.object.name>\t{name}@en\t."


class _Hidden:
    """Finds the removed triples near topic entities."""

    def __init__(self, kg: KnowledgeGraph, removed: Sequence[tuple[str, str, str]], distance: int):
        self._ids, self._most = kg.entity_ids, distance
        ends = kg.triples[:, (0, 2)]
        both = np.concatenate((ends, ends[:, ::-1]))
        both = both[np.argsort(both[:, 0], kind="stable")]
        self._others = both[:, 1]
        self._first = np.searchsorted(both[:, 0], np.arange(len(kg.entities) + 1))
        self._place = {triple: i for i, triple in enumerate(removed)}
        self._ends = np.array(
            [(self._ids[s], self._ids[o]) for s, _, o in removed], np.int64
        ).reshape(-1, 2)

    def by(self, question: Question) -> npt.NDArray[np.int64]:
        """The places of the triples that a question hides, the most important first."""
        far = self._most + 1
        distance = np.full(len(self._first) - 1, far)
        known = [self._ids[name] for name in question.anchors if name in self._ids]
        frontier = np.array(known, np.int64)
        for step in range(far):
            distance[frontier] = step
            if step == self._most:
                break
            near = np.zeros(len(distance), bool)
            for entity in frontier.tolist():
                near[self._others[self._first[entity] : self._first[entity + 1]]] = True
            frontier = np.flatnonzero(near & (distance == far))
        nearest = distance[self._ends].min(axis=1)
        own = [self._place[triple] for triple in question.full_evidence if triple in self._place]
        nearest[own] = -1
        order = np.argsort(nearest, kind="stable")
        return order[: int((nearest < far).sum())]
