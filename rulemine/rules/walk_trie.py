"""The walks of rules: how to get from a topic entity along the body of a rule to the answers, atom by atom.

The walks of the rules that answer the same end of a relation share their first steps: a trie, whose edges are
steps from what is bound to something new, or tests of what is bound.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rulemine.query.join import BoundAtom

__all__ = [
    "BACKWARD",
    "FORWARD",
    "SAME",
    "SUBJECTS",
    "TEST",
    "TOPIC",
    "Trie",
    "WalkStep",
    "walk_along",
]

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
