"""Twins: does a system know when it cannot know? Questions asked again where their answer is out of reach.

A twin is a question of the core of test whose every answer was removed. Two more graphs lack a few further
facts, in all their statements: the *twin graph*, from which no rule of the release leads back to an answer,
in however many steps, and the *control graph*, which lacks as many facts of the same relations in the same
neighborhood and keeps every proof of one step. Right is an answer on the second and none on the first.

A set of facts cannot be derived if each is missing and every body that proves one of them has another one of
the set (an unfounded set). Such a set is grown from the answers of a question: as long as a body has none of
it, the fact joins that is in most bodies for what it costs, which is a fact to take, unless it is removed or
taken already, and the bodies by which it could be derived itself. What is taken is what of the set was left.

Guarantees: no closure of the rules over the twin graph, within the facts of the complete graph, has an answer
of a twin; on both graphs every other test question keeps the certificates of its hard answers; both lack as
many facts of each relation; no fact that the control graph lacks is in a proof, of one step from the
incomplete graph, of a question that could have been a twin. A function of its arguments alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Set
from itertools import chain

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.kg.facts import Declarations, facts_of, oriented
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Incidence, Index
from rulemine.release.proof_triples import rows_of
from rulemine.release.records import Question, Twin
from rulemine.removal.selection import Selection
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.chains import Chains
from rulemine.rules.rule import Rule
from rulemine.seeds import stream

__all__ = ["twins_of"]

Ints = npt.NDArray[np.int64]
Body = frozenset[int]
_Pair = dict[int, int]
"""Fact that is taken → the fact that the control graph lacks in its place."""

MOST_TAKEN = 10
"""Facts that are taken for a question at most: its neighborhood should stay what it is."""

MOST_BODIES = 300
"""A fact that more bodies prove is left alone: to make it underivable would take too many facts."""


def twins_of(
    kg: KnowledgeGraph,
    declarations: Declarations,
    selection: Selection,
    test: Sequence[Question],
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Twin, ...]:
    """The twins of test questions; those that take the fewest facts alone are tried first.

    Args:
        kg: The complete graph.
        declarations: Which of its relations state the same facts.
        selection: What is removed from it; of its rules none may derive an answer.
        test: All test questions, each about a single link.
        seed: Decides between facts, and between questions, that are as good.
        progress: Called with (questions tried, all that there are to try).

    Returns:
        Sorted by question; none where no question can have one.
    """
    search = _Search(kg, declarations, selection, test, seed)
    alone = {number: len(pair) for number, pair in search.cut(search.asked).items()}
    rank = stream(seed, "twins", "questions").permutation(len(test))
    order = sorted(search.asked, key=lambda n: (alone.get(n, MOST_TAKEN + 1), rank[n]))
    for done, number in enumerate(order, start=1):
        search.pairs |= search.cut([number])
        if progress:
            progress(done, len(order))
    return tuple(
        Twin(test[number].id, *map(search.statements, (pair, pair.values())))
        for number, pair in sorted(search.pairs.items(), key=lambda item: test[item[0]].id)
    )


class _Search:
    """The facts that are taken so far, and for which questions.

    A fact is the first row that states it, see `rulemine.kg.facts.facts_of`; a question its position.

    Attributes:
        asked: The questions that could have a twin.
        pairs: Twin → what is taken for it, and what the control graph lacks.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        declarations: Declarations,
        selection: Selection,
        test: Sequence[Question],
        seed: int,
    ) -> None:
        facts = facts_of(kg, declarations).astype(np.int64)
        self._kg, self._facts, self._test = kg, facts, test
        self._bodies = _Bodies(kg, declarations, selection.rules, facts)
        self._relation, self._at = oriented(kg, declarations)[0], Incidence(kg)
        self._rank = stream(seed, "twins", "facts").permutation(len(kg))
        self._removed = frozenset[int](facts[selection.removed].tolist())
        witnesses = ([t for row in q.hard for t in row.witness] for q in test)
        self._hard = [self._removed.intersection(facts[rows_of(kg, own)]) for own in witnesses]
        certificate = dict(zip(facts[selection.head].tolist(), selection.body, strict=True))
        self._owners = defaultdict[int, set[int]](set)  # of an answer, or a fact of its certificate
        for number, hard in enumerate(self._hard):
            for fact in hard.union(
                *(facts[body[body >= 0]].tolist() for body in map(certificate.__getitem__, hard))
            ):
                self._owners[fact].add(number)
        self.pairs = dict[int, _Pair]()
        self.asked = [n for n, q in enumerate(test) if q.core and not q.stated and not q.further]
        found = self._bodies.of(sorted({fact for n in self.asked for fact in self._hard[n]}))
        bodies = [body for some in found.values() for body in some or ()]
        self._proofs = {f for body in bodies if body.isdisjoint(self._removed) for f in body}

    def cut(self, numbers: Iterable[int]) -> dict[int, _Pair]:
        """What to take for questions, each as if it were the next twin; those for which that is possible."""
        found, cuts = dict[int, _Pair](), {number: self._cut(number) for number in numbers}
        while cuts:  # in step, so that bodies are looked for of many facts at once
            wanted = dict[int, Iterable[int]]()
            for number, cut in cuts.items():
                try:
                    wanted[number] = next(cut)
                except StopIteration as end:
                    found |= {number: end.value} if end.value else {}
            self._bodies.of(chain.from_iterable(wanted.values()))
            cuts = {number: cuts[number] for number in wanted}
        return found

    def statements(self, facts: Iterable[int]) -> tuple[tuple[str, str, str], ...]:
        """All triples that state some facts, sorted."""
        return tuple(sorted(self._kg.labeled(np.flatnonzero(np.isin(self._facts, [*facts])))))

    def _cut(self, number: int) -> Generator[Iterable[int], None, _Pair | None]:
        """Finds what to take so that no answer of a question can be derived; yields whose bodies it needs."""
        waiting, pair = sorted(self._hard[number]), _Pair()
        apart, spared = {*waiting}, {number, *self.pairs}
        gone = self._removed.union(*self.pairs.values())  # it costs nothing to take it again
        control = {other for own in self.pairs.values() for other in own.values()}
        for fact in waiting:  # which grows
            yield [fact]
            bodies = self._bodies.of([fact])[fact]
            if bodies is None:
                return None
            while left := [body for body in bodies if apart.isdisjoint(body)]:
                hits, used = Counter(chain.from_iterable(left)), {*pair, *pair.values()}
                fit = {
                    one: other
                    for one in hits
                    if one not in used and self._owners.get(one, spared) <= spared
                    if (other := self._instead(number, one, used, control, one in gone)) is not None
                }
                yield fit
                best = self._best(hits, fit, apart, gone)
                if best is None or len(pair) == MOST_TAKEN:
                    return None
                apart.add(best)
                waiting.append(best)
                if best not in self._removed:
                    pair[best] = fit[best]
        return pair

    def _best(
        self, hits: Counter[int], fit: Iterable[int], apart: set[int], gone: Set[int]
    ) -> int | None:
        """The fact that is in most bodies for what it costs; None where all cost too much."""
        bodies = self._bodies.of(fit)

        def cost(fact: int) -> tuple[float, int]:
            further = sum(apart.isdisjoint(body) for body in bodies[fact] or ())
            return (further + (fact not in gone)) / hits[fact], int(self._rank[fact])

        return min((fact for fact in fit if bodies[fact] is not None), key=cost, default=None)

    def _instead(
        self, number: int, fact: int, used: set[int], lacking: set[int], again: bool
    ) -> int | None:
        """What the control graph lacks instead of a fact: one of its relation at the topic, or at its ends.

        Nothing needs it. It is lacking already if the fact is taken again, and else not: both graphs lose
        as much. Of a removed fact that fact itself, as nothing is taken; None: there is none.
        """
        if fact in self._removed:
            return fact
        topic = self._kg.entity_ids[self._test[number].topic]
        for entities in ([topic], self._kg.triples[fact, ::2]):
            rows = self._at.rows[self._at.at(np.array(entities, np.int64))]
            facts: list[int] = self._facts[
                rows[self._relation[rows] == self._relation[fact]]
            ].tolist()
            own = {other for other in facts if (other in lacking) == again}
            if free := own.difference(used, self._removed, self._proofs, self._owners, [fact]):
                return min(free, key=self._rank.__getitem__)
        return None


class _Bodies:
    """The bodies that prove facts, or any statement of them, in the complete graph."""

    def __init__(
        self, kg: KnowledgeGraph, declarations: Declarations, rules: Iterable[Rule], facts: Ints
    ) -> None:
        self._kg, self._declarations, self._facts = kg, declarations, facts
        self._chains, self._found = Chains(Index(kg)), dict[int, list[Body] | None]()
        self._rules = defaultdict[int, list[BoundRule]](list)
        for rule in rules:
            if (bound := bind_rule(self._chains.index, rule)) is not None:
                self._rules[bound.head.relation].append(bound)

    def of(self, facts: Iterable[int]) -> dict[int, list[Body] | None]:
        """Of each fact the distinct bodies without itself; None where they are more than `MOST_BODIES`."""
        wanted = list(dict.fromkeys(facts))
        self._find([fact for fact in wanted if fact not in self._found])
        return {fact: self._found[fact] for fact in wanted}

    def _find(self, facts: list[int]) -> None:
        heads = [(place, *head) for place, fact in enumerate(facts) for head in self._heads(fact)]
        table, many = np.array(heads, np.int32).reshape(-1, 4), np.zeros(len(facts), bool)
        found: list[set[Body]] = [set() for _ in facts]
        for relation in distinct(table[:, 2]).tolist():
            for rule in self._rules[relation]:
                own = table[(table[:, 2] == relation) & ~many[table[:, 0]]]
                chained = self._chains.over(rule, own[:, 1:])
                if chained is not None:  # there may be very many, so they are counted first
                    many[own[chained.counts > MOST_BODIES, 0]] = True
                    own = own[~many[own[:, 0]]]
                for some in rule.bodies(own[:, 1:]):
                    places = own[some.head, 0]
                    many |= np.bincount(places, minlength=len(facts)) > MOST_BODIES
                    few = ~many[places]
                    bodies = map(frozenset, self._facts[some.rows[few]].tolist())
                    for place, body in zip(places[few].tolist(), bodies, strict=True):
                        found[place].add(body)
        for place, fact in enumerate(facts):
            bodies_ = sorted((body for body in found[place] if fact not in body), key=sorted)
            self._found[fact] = None if many[place] or len(bodies_) > MOST_BODIES else bodies_

    def _heads(self, fact: int) -> Iterator[tuple[int, int, int]]:
        """All statements of a fact, those too that the graph lacks."""
        s, r, o = self._kg.triples[fact].tolist()
        for name, end in self._declarations.statements(self._kg.relations[r], "object"):
            if (relation := self._kg.relation_ids.get(name)) is not None:
                yield (s, relation, o) if end == "object" else (o, relation, s)
