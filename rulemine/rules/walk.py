"""Walks from topic entities along the bodies of many rules at once, to the answers that they derive.

A walk goes from a topic entity along the body of a rule to the answers, atom by atom. The walks of the rules
that answer the same end of a relation share their first steps: they are a trie, whose edges are steps from
what is bound to something new, or tests of what is bound. All topics go down the trie together.

Guarantees: finds exactly the heads that one application of a rule derives for a topic entity; a binding is
carried along only as far as later atoms need it, without duplicates, so the work does not grow with the
number of proofs of an answer; the result does not depend on how many topics are walked at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.kg.graph import DIRECTIONS
from rulemine.kg.index import Index
from rulemine.query.join import BoundAtom, bind
from rulemine.rules.rule import Rule
from rulemine.rules.two_hop import chunks

__all__ = ["Derived", "OpenEnds", "Walks"]

Ints = npt.NDArray[np.int64]

FORWARD, BACKWARD, SUBJECTS, TEST, SAME = range(5)
"""What a step does: goes to objects, to subjects, to all subjects of a relation; or nowhere, but looks
whether a triple is there, or whether two terms are the same."""

TOPIC = 0
"""The term that stands for the topic entity. Slot i is term i, an entity that a rule names −1 − its id."""


class WalkStep(NamedTuple):
    """A step of a walk.

    Attributes:
        kind: `FORWARD` … `SAME`.
        relation: Its id.
        source: The term from which it goes; the first term of a test.
        target: The second term of a test.
        slot: Where the end of the step is kept; 0: nowhere.
        kept: The other slots that later steps need.
        merges: Whether a slot is not needed any more, so that bindings become the same.
    """

    kind: int
    relation: int
    source: int
    target: int
    slot: int
    kept: tuple[int, ...]
    merges: bool


def walk_along(
    head: BoundAtom, body: Sequence[BoundAtom], direction: str
) -> tuple[int, list[WalkStep]]:
    """The term that is the answer, and the steps from the topic along the body of a rule."""
    topic, answer = head.subject, head.object
    if direction == "subject":
        topic, answer = answer, topic
    term, plan = _plan(topic, answer, tuple([(atom.subject, atom.object) for atom in body]))
    return term, [WalkStep(step[0], body[step[1]].relation, *step[2:]) for step in plan]


@lru_cache(maxsize=1 << 12)
def _plan(
    topic: int, answer: int, body: tuple[tuple[int, int], ...]
) -> tuple[int, tuple[WalkStep, ...]]:
    """As `walk_along`, with positions of atoms in place of relations: many rules have the same."""
    terms: dict[int, int] = {}  # of variables
    steps: list[WalkStep] = []
    if topic < 0:
        steps.append(WalkStep(SAME, 0, TOPIC, topic, 0, (), False))
    else:
        terms[topic] = TOPIC
    waiting = list(range(len(body)))
    while waiting:
        at = max(waiting, key=lambda i: sum(t < 0 or t in terms for t in body[i]))
        source, target = (t if t < 0 else terms.get(t) for t in body[at])
        new = None
        if source is None and target is None:
            kind, source, new = SUBJECTS, TOPIC, body[at][0]
        elif source is None:
            kind, source, new = BACKWARD, target, body[at][0]
        elif target is None:
            kind, new = FORWARD, body[at][1]
        else:
            kind = TEST
        if kind != SUBJECTS:  # after that one end of the atom is known
            waiting.remove(at)
        needed = {answer, *(term for i in waiting for term in body[i])}
        left = {v: term for v, term in terms.items() if term == TOPIC or v in needed}
        kept = sorted(set(left.values()) - {TOPIC})
        slot = 0
        if new in needed:
            slot = next(i for i in range(1, len(kept) + 2) if i not in kept)
            left[new] = slot
        merges = not left.keys() >= terms.keys()
        steps.append(WalkStep(kind, at, source or 0, target or 0, slot, tuple(kept), merges))
        terms = left
    return (answer if answer < 0 else terms[answer]), tuple(steps)


class Trie:
    """The walks of many rules, which share their first steps.

    Attributes:
        steps: The step to each node; None for roots.
        children: WalkStep → node, for each node.
        ends: The rules that end at each node, with the terms that are their answers.
    """

    def __init__(self) -> None:
        self.steps: list[WalkStep | None] = []
        self.children: list[dict[WalkStep, int]] = []
        self.ends: list[list[tuple[int, int]]] = []

    def node(self, step: WalkStep | None) -> int:
        """A new node."""
        self.steps.append(step)
        self.children.append({})
        self.ends.append([])
        return len(self.steps) - 1

    def add(self, root: int, rule: int, answer: int, steps: Sequence[WalkStep]) -> None:
        """Adds the walk of a rule."""
        at = root
        for step in steps:
            if step not in self.children[at]:
                self.children[at][step] = self.node(step)
            at = self.children[at][step]
        self.ends[at].append((rule, answer))


TOPICS_AT_ONCE = 1 << 14

STEPS_AT_ONCE = 1 << 16
"""About how many steps are taken at once: what is made of them should fit into a cache."""

MOST_ROWS = 1 << 23
"""Bindings, or answers, of several topics; with more, fewer topics are walked at once."""

MOST_SLOTS = 1 << 24
"""Relations × entities up to which their places are in an array; beyond they are searched for."""


class OpenEnds(NamedTuple):
    """An end of the triples of a relation that is asked for.

    Attributes:
        relation: Its label.
        direction: The end asked for, ``object`` or ``subject``.
        topics: Ids of the entities at the other end, shape (m,).
    """

    relation: str
    direction: str
    topics: Ints


class Derived(NamedTuple):
    """All that rules derive for some topics.

    Attributes:
        topics: The positions of these topics.
        topic: Position of the topic, counted through everything that is asked, shape (k,).
        answer: Entity ids, shape (k,).
        rule: Positions of rules, shape (k,). Rows are sorted by topic, answer, rule; no two are the same.
    """

    topics: range
    topic: Ints
    answer: Ints
    rule: Ints


class Walks:
    """The walks of rules over a graph.

    Args:
        index: The graph.
        rules: The rules. Those whose body or entities the graph lacks derive nothing.
    """

    def __init__(self, index: Index, rules: Iterable[Rule]) -> None:
        self._index = index
        self._rules = list(rules)
        self._of: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            self._of.setdefault(rule.head.relation, []).append(number)
        self._sides = _Sides(index)

    def derive(self, asked: Sequence[OpenEnds]) -> Iterator[Derived]:
        """All that the rules derive for what is asked.

        Yields:
            What is derived for some topics, in the order of the topics.
        """
        trie = Trie()
        entities, nodes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for relation, direction, some in asked:
            root = trie.node(None)
            for number in self._of.get(relation, ()):
                rule = self._rules[number]
                # The graph need not have the relation of the head.
                head = rule.head._replace(relation=rule.body[0].relation)
                atoms = bind(self._index.kg, (head, *rule.body))
                if atoms is not None:
                    trie.add(root, number, *walk_along(atoms[0], atoms[1:], direction))
            entities.append(some)
            nodes.append(np.full(len(some), root))
        descent = _Descent(self._sides, trie, len(self._rules))
        entity, node = np.concatenate(entities), np.concatenate(nodes)
        start, size = 0, TOPICS_AT_ONCE
        while start < len(entity):
            topics = range(start, min(start + size, len(entity)))
            part = slice(topics.start, topics.stop)
            found = descent.of(entity[part], node[part], MOST_ROWS if size > 1 else None)
            if found is None:
                size //= 2
                continue
            yield Derived(topics, found[0] + start, *found[1:])
            start = topics.stop

    def triples(self, asked: Sequence[OpenEnds]) -> Iterator[npt.NDArray[np.int32]]:
        """What `derive` finds as triples, whose relations the graph has: ids, shape (k, 3), in blocks.

        A triple comes once for each end that is asked for.
        """
        ids = self._index.kg.relation_ids
        sizes = [len(some.topics) for some in asked]
        relations = np.repeat(np.array([ids[some.relation] for some in asked], np.int64), sizes)
        turned = np.repeat([some.direction == DIRECTIONS[0] for some in asked], sizes)
        entities = np.concatenate([np.empty(0, np.int64), *(some.topics for some in asked)])
        for _, topic, answer, _ in self.derive(asked):
            new = np.ones(len(topic), bool)
            new[1:] = (np.diff(topic) != 0) | (np.diff(answer) != 0)
            topic, answer = topic[new], answer[new]
            found = np.column_stack((entities[topic], relations[topic], answer)).astype(np.int32)
            back = turned[topic]
            found[back] = found[back][:, ::-1]
            yield found


class _Sides:
    """Where steps of each kind end.

    Attributes:
        ends: Entity ids, int64.
        entities: Number of entities, at least 1.
    """

    def __init__(self, index: Index) -> None:
        kg, slots = index.kg, len(index.kg.relations) * index.entities
        new = np.flatnonzero(np.diff(index.subject_keys, prepend=-1))
        self._kg, self.entities, self._slots = kg, index.entities, slots
        self._keys = np.concatenate(
            (
                index.subject_keys,
                index.object_keys + slots,
                index.subject_keys[new] // index.entities + 2 * slots,
            )
        )
        rows = index.by_subject, index.by_object, index.by_subject[new]
        self.ends = np.concatenate(
            [kg.triples[some, i].astype(np.int64) for some, i in zip(rows, (2, 0, 0), strict=True)]
        )
        self._starts = None
        if slots <= MOST_SLOTS:
            sizes = np.bincount(self._keys, minlength=2 * slots + len(kg.relations))
            self._starts = np.zeros(len(sizes) + 1, np.int64)
            np.cumsum(sizes, out=self._starts[1:])

    def key(self, step: WalkStep) -> int:
        """What distinguishes the ends of a step from those of others, without the entity where it starts."""
        if step.kind == SUBJECTS:
            return 2 * self._slots + step.relation
        return (step.kind == BACKWARD) * self._slots + step.relation * self.entities

    def spans(self, keys: Ints) -> tuple[Ints, Ints]:
        """Where the ends of steps are: first, and number."""
        if self._starts is not None:
            first = self._starts[keys]
            return first, self._starts[keys + 1] - first
        first = self._keys.searchsorted(keys)
        return first, self._keys.searchsorted(keys, "right") - first

    def holds(self, subject: Ints, relation: Ints, end: Ints) -> npt.NDArray[np.bool_]:
        """Whether triples are in the graph."""
        ids = np.column_stack((subject, relation, end)).astype(np.int32)
        return self._kg.rows_of(ids) >= 0


class _Lists:
    """Lists of numbers, one after the other."""

    def __init__(self, lists: Sequence[Sequence[int]]) -> None:
        self.size = np.array([len(some) for some in lists], np.int64)
        self._first = np.cumsum(self.size) - self.size
        self._values = np.array([value for some in lists for value in some], np.int64)

    def of(self, numbers: Ints) -> tuple[Ints, Ints]:
        """The values of lists: the position in `numbers`, and the value."""
        source, at = _spread(self._first[numbers], self.size[numbers])
        return source, self._values[at]


class _States(NamedTuple):
    """How far topics have come.

    Attributes:
        topic: Positions of topics, shape (n,).
        node: Nodes of the trie, shape (n,).
        terms: The entities that terms stand for: the topic, then the slots, 0 where not needed; shape
            (slots + 1, n).
    """

    topic: Ints
    node: Ints
    terms: Ints

    def at(self, places: Ints) -> "_States":
        """Some of them."""
        return _States(self.topic[places], self.node[places], self.terms[:, places])


class _Moves(NamedTuple):
    """Steps from states.

    Attributes:
        source: Positions of states, shape (k,).
        node: The nodes to which the steps lead.
        end: The entities to which they lead.
    """

    source: Ints
    node: Ints
    end: Ints

    def at(self, places: Ints) -> "_Moves":
        """Some of them."""
        return _Moves(self.source[places], self.node[places], self.end[places])


class _Descent:
    """A trie that topics go down together."""

    def __init__(self, sides: _Sides, trie: Trie, rules: int) -> None:
        self._sides = sides
        steps = [step or WalkStep(SAME, 0, 0, 0, 0, (), False) for step in trie.steps]
        columns = np.array([step[:5] for step in steps], np.int64).reshape(-1, 5).T
        self._kind, self._relation, self._source, self._target, self._slot = columns
        self._key = np.array([sides.key(step) for step in steps], np.int64)
        self._most = np.where(self._slot == 0, 1, len(sides.ends))
        self._merges = np.array([step.merges for step in steps], bool)
        width = 1 + max((max((step.slot, *step.kept)) for step in steps), default=0)
        self._keeps = np.zeros((width, len(steps)), np.int64)
        self._keeps[TOPIC] = 1
        for number, step in enumerate(steps):
            if step.kept:
                self._keeps[list(step.kept), number] = 1
        self._children = _Lists([list(nodes.values()) for nodes in trie.children])
        ends = [(rule, term) for some in trie.ends for rule, term in some]
        numbers = iter(range(len(ends)))
        self._ends = _Lists([[next(numbers) for _ in some] for some in trie.ends])
        self._rule, self._answer = np.array(ends, np.int64).reshape(-1, 2).T
        own = np.repeat(self._slot, self._ends.size)
        self._fresh = (self._answer == own) & (own > 0)
        self._bits = rules.bit_length(), sides.entities.bit_length()

    def of(self, entity: Ints, node: Ints, most: int | None) -> tuple[Ints, Ints, Ints] | None:
        """Topic, answer and rule of all that is derived; None: with more than `most` rows on the way."""
        terms = np.zeros((len(self._keeps), len(entity)), np.int64)
        terms[TOPIC] = entity
        states = _States(np.arange(len(entity)), node, terms)
        found = [np.empty(0, np.int64)]
        while len(states.node):
            onwards = []
            for block in self._onwards(states):
                found.append(self._answers(states, block))
                onwards.append(self._moved(states, block))
                rows = sum(map(len, found)), sum(len(some.node) for some in onwards)
                if most is not None and max(rows) > most:
                    return None
            states = self._joined(onwards)
        keys = _unique(np.concatenate(found))
        by_rule, by_answer = self._bits
        rule = keys & ((1 << by_rule) - 1)
        keys >>= by_rule
        return keys >> by_answer, keys & ((1 << by_answer) - 1), rule

    def _onwards(self, states: _States) -> Iterator["_Moves"]:
        """Yields all next steps, in blocks."""
        for low, high in chunks(self._children.size[states.node], STEPS_AT_ONCE):
            source, node = self._children.of(states.node[low:high])
            source += low
            first, count = self._reach(states, source, node)
            alive = np.flatnonzero(count)
            source, node, first, count = source[alive], node[alive], first[alive], count[alive]
            for start, stop in chunks(count, STEPS_AT_ONCE):
                place, at = _spread(first[start:stop], count[start:stop])
                place += start
                yield _Moves(source[place], node[place], self._sides.ends[at])

    def _reach(self, states: _States, source: Ints, node: Ints) -> tuple[Ints, Ints]:
        """For each next step from a state: where its ends are, and how many."""
        start = _values(states, self._source[node], source)
        kind = self._kind[node]
        first, count = self._sides.spans(self._key[node] + np.where(kind == SUBJECTS, 0, start))
        tests = np.flatnonzero(kind >= TEST)
        if len(tests):
            at = node[tests]
            end = _values(states, self._target[at], source[tests])
            holds = self._sides.holds(start[tests], self._relation[at], end)
            first[tests] = 0
            count[tests] = np.where(kind[tests] == TEST, holds, start[tests] == end)
        return first, np.minimum(count, self._most[node])

    def _moved(self, states: _States, moves: "_Moves") -> _States:
        """The states after steps, from which others lead on."""
        source, node, end = moves.at(np.flatnonzero(self._children.size[moves.node]))
        terms = states.terms[:, source]
        terms *= self._keeps[:, node]
        slot = self._slot[node]
        for i in range(1, len(terms)):
            terms[i] = np.where(slot == i, end, terms[i])
        return self._distinct(_States(states.topic[source], node, terms))

    def _answers(self, states: _States, moves: "_Moves") -> Ints:
        """What the rules derive that end after steps, as numbers: by topic, answer, rule."""
        at, number = self._ends.of(moves.node)
        source, node, end = moves.at(at)
        fresh = self._fresh[number]
        if not fresh.all():
            end = np.where(fresh, end, _values(states, self._answer[number], source))
        by_rule, by_answer = self._bits
        keys = states.topic[source] << by_answer
        keys |= end
        keys <<= by_rule
        keys |= self._rule[number]
        return _unique(keys) if self._merges[node].any() else keys

    def _distinct(self, states: _States) -> _States:
        """Each state once."""
        if not self._merges[states.node].any():
            return states
        order = np.lexsort((*states.terms[1:], states.topic, states.node))
        columns = [states.node, states.topic, *states.terms[1:]]
        new = np.zeros(len(order), bool)
        new[:1] = True
        for column in columns:
            new[1:] |= np.diff(column[order]) != 0
        return states.at(order[new])

    def _joined(self, parts: Sequence[_States]) -> _States:
        """The states of several blocks."""
        if len(parts) == 1:
            return parts[0]
        whole = _States(
            np.concatenate([np.empty(0, np.int64), *(part.topic for part in parts)]),
            np.concatenate([np.empty(0, np.int64), *(part.node for part in parts)]),
            np.concatenate(
                [np.empty((len(self._keeps), 0), np.int64), *(part.terms for part in parts)], axis=1
            ),
        )
        return self._distinct(whole)


def _values(states: _States, term: Ints, place: Ints) -> Ints:
    """The entities that terms stand for in states."""
    named = term < 0
    if not named.any():
        values: Ints = states.terms.ravel()[term * states.terms.shape[1] + place]
        return values
    return np.where(named, -1 - term, states.terms[np.maximum(term, 0), place])


def _unique(keys: Ints) -> Ints:
    """Sorts keys in place; each once. `np.unique` hashes, which takes six times as long."""
    keys.sort()
    new = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return keys[new]


def _spread(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Ranges that begin at `first`, one after the other: the number of the range, and the position."""
    source = np.repeat(np.arange(len(count)), count)
    at = np.repeat(first - np.cumsum(count) + count, count)
    at += np.arange(len(at))
    return source, at
