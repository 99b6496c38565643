"""Other ways for a graph to be incomplete: it lacks what a study asks about, and beside it other triples.

The *asked* triples are the removed ones that answers to the questions of the study rest on, and all that were
removed between the same two entities (the facts of `rulemine.release.proof_triples`). So no statement of an
asked fact is left, unless the release itself restates it. A damaged graph lacks the asked triples of its
level, and as many *further* ones as the release removes beside them up to that level:

``provable``  those that the release removes: this is the graph of the level
``random``    drawn from the complete graph
``path``      drawn from the paths of two edges, in any direction, between a topic entity and the hard answer
              (disrupted by Zhou et al., arXiv 2504.05163); all of them where there are fewer

Guarantees: no further triple is asked about, at any level; what a graph lacks at a level it lacks at all
higher ones; the triples depend on the release, the questions and the seed alone, not on the naming.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from rulemine.evaluation.answerers.registry import answer
from rulemine.evaluation.study.options import DAMAGES
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.release.groups import sample
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.reader import Release
from rulemine.release.records import Question, translation
from rulemine.seeds import stream

__all__ = ["DamagedRelease"]


@dataclass(frozen=True)
class DamagedRelease(Release):
    """A release that also has the graphs ``DAMAGE-LEVEL``, such as ``random-40``.

    Attributes:
        split: The split that is asked; None for all.
        sample: How many of its questions are asked; None for all.
        seed: Of what is drawn, ≥ 0.
    """

    split: str | None = None
    sample: int | None = None
    seed: int = 0

    def level_of(self, which: str) -> int:
        """See `Release.level_of`; of a graph with a damage, its level."""
        damage, _, level = which.rpartition("-")
        return super().level_of(f"incomplete-{level}" if damage in DAMAGES else which)

    def kg(self, which: str = "incomplete") -> KnowledgeGraph:
        """See `Release.kg`; or a graph with a damage."""
        damage = which.rpartition("-")[0]
        if damage not in DAMAGES:
            return super().kg(which)
        level = self.level_of(which)
        gone = self._removed(level)[0] | self.further(damage, level)
        whole = super().kg("complete").labeled()
        return KnowledgeGraph.from_triples(triple for triple in whole if triple not in gone)

    @cached_property
    def asked(self) -> tuple[Question, ...]:
        """The questions that are asked, sorted by id."""
        return sample(self.questions(self.split), self.sample)

    def further(self, damage: str, level: int) -> Set[Triple]:
        """The triples that a graph with a damage lacks beside the asked ones.

        Args:
            damage: One of `DAMAGES`.
            level: The level, 0 … 100.
        """
        others = self._removed(level)[1]
        return others if damage == DAMAGES[0] else {*self._drawn[damage][: len(others)]}

    def proved(self, damage: str, level: int) -> Set[str]:
        """The ids of the questions whose hard answer still has a proof on a graph with a damage.

        One application of all rules of the release derives it: the graph states the bodies.

        Args:
            damage: One of `DAMAGES`.
            level: The level, 1 … 100.
        """
        graph, hard = f"{damage}-{level}", {q.id: q.hard_answer for q in self.asked}
        found = answer(self, "reasoner", kg=graph, split=self.split, sample=self.sample)
        return {one.id for one in found if hard[one.id] in (one.answers or ())}

    def _removed(self, level: int) -> tuple[Set[Triple], Set[Triple]]:
        """The triples that the release removes up to a level: the asked ones, and the others."""
        gone = {row.triple for row in self.missing() if row.level <= level}
        asked = {t for t in gone if (min(t[0], t[2]), max(t[0], t[2])) in self._facts}
        return asked, gone - asked

    @cached_property
    def _facts(self) -> Set[tuple[str, ...]]:
        """The removed facts that the answers to the questions rest on."""
        removed = RemovedFacts(row.triple for row in self.missing())
        return {f for q in self.asked for f in removed.needed_by(q) | removed.given_by(q)}

    @cached_property
    def _drawn(self) -> dict[str, list[Triple]]:
        """Damage → its further triples in the order in which they go, as far as the last level needs them."""
        asked, others = self._removed(100)
        names = translation(self.entities, self.naming, "private")
        left = [triple for triple in super().kg("complete").labeled() if triple not in asked]
        left.sort(key=lambda triple: (names[triple[0]], triple[1], names[triple[2]]))
        ends = [
            (anchor, q.hard_answer) for q in self.asked if q.hard_answer for anchor in q.anchors
        ]
        pools = dict(zip(DAMAGES[1:], (left, _on_paths(left, ends)), strict=True))
        orders = {
            name: stream(self.seed, "damage", name).permutation(len(pools[name])) for name in pools
        }
        return {
            name: [pools[name][at] for at in order[: len(others)]] for name, order in orders.items()
        }


def _on_paths(triples: Sequence[Triple], ends: Iterable[tuple[str, str]]) -> list[Triple]:
    """Those of some triples that lie on a path of two of them between two of some ends, in their order."""
    beside: dict[str, set[str]] = defaultdict(set)
    for s, _, o in triples:
        beside[s].add(o)
        beside[o].add(s)
    links = {
        link
        for a, b in ends
        for middle in (beside[a] & beside[b]) - {a, b}
        for end in (a, b)
        for link in ((end, middle), (middle, end))
    }
    return [triple for triple in triples if (triple[0], triple[2]) in links]
