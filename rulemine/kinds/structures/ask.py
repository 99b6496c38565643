"""Draws the questions of the kind ``structures``, and bounds what many of them have in common.

Entities are dealt to the splits first, and all anchors of a question are of its split. Candidates are drawn
for test, then for validation, then for training, and give away nothing that an earlier split needs. Of
each structure and split, equally many are wanted for each number of links that the hard answer misses, the
highest first: these are scarce. Most of those for test and validation are over removed triples of the core.

Guarantees for every question: as many answers as allowed, which share a type; every branch is needed, at any
depth; no anchor is an answer or an intermediate; of a union, the anchors share a type and so do the members;
few triples of full evidence.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from rulemine.kinds.asking import Asking, Tried
from rulemine.kinds.dealing import DRAWN, ENOUGH
from rulemine.kinds.structures.options import StructureBlock
from rulemine.kinds.structures.steps import Bools, Joinable, Steps
from rulemine.kinds.structures.walk import LINKS, Walk
from rulemine.phrasing.compose import reads_well
from rulemine.query.tree import Query
from rulemine.release.proof_triples import Fact
from rulemine.release.records import SPLITS, Question
from rulemine.seeds import stream

__all__ = ["SHARED", "drafts", "most_sharing", "shared_by", "within_limit"]

SPARE = Fraction(13, 10)
"""Candidates for each question that is wanted: some are like others, or give away what others ask for."""

CORE = 0.75
"""The fraction of those for validation and test that is drawn over removed triples of the core."""

FEW = 4
"""So many candidates for a split may have something in common, however few are wanted."""

NOWHERE = "no further one can be drawn with as many removed links"
NESTED = "its text would have three clauses, one in the other"
SHARED = "too many questions share an anchor or an answer"


def drafts(asking: Asking) -> Iterator[Tried]:
    """Candidates of all structures; their strata are splits, and how many links the hard answer misses."""
    options, removed, templates = asking.options, asking.removed, asking.templates
    steps = Steps.of(
        asking.kg,
        asking.declarations,
        removed.place >= 0,
        removed.allowed,
        removed.core,
        asking.inputs.excluded,
    )
    # Those of most links first: fewer of them can be drawn.
    names = sorted(map(str, asking.parts), key=lambda name: -LINKS[name])
    joinable = {name: Joinable.of(name, steps, templates, asking.inputs["joins"]) for name in names}
    bounds = asking.bounds(asking.recipe.questions.test_core)
    barred, hubs = np.zeros(len(steps.link), bool), asking.grader.neighbors.hubs
    for split, share, anchors in _pools(asking):
        needed = set[Fact]()
        for name in names:
            wanted = SPARE * share * options.per_structure
            most = max(FEW, most_sharing(options.max_share, share * options.per_structure))
            # Without a list, not "who is an actor, speaks English, and died in Paris".
            hub = (hubs[steps.source] | (hubs[steps.target] & (name in ("2i", "3i")))) & (
                asking.inputs["joins"] is None and name not in ("1p", "2p")
            )
            walk = Walk(
                name, steps, joinable[name], asking.grader.neighbors, asking.inputs.types,
                anchors, barred | hub, options.max_answers, most,
                stream(asking.seed, "structures", name, split).below,
            )  # fmt: skip
            left = math.ceil(wanted)
            for number in range(LINKS[name], -1, -1):
                enough = math.ceil(left / (number + 1))  # what others lack, those of fewer give
                for core_only in (True, False) if number and split in DRAWN[:2] else (False,):
                    few = math.ceil(CORE * enough) if core_only else enough
                    while asking.open(name, (split, number), few):
                        if (query := walk.draw(number, core_only)) is None:
                            yield Tried(name, (split, number), NOWHERE)
                            break
                        tried = _tried(asking, name, split, number, query, enough)
                        if isinstance(made := tried.found, Question):
                            if (why := bounds.objection(split, made)) is not None:
                                tried = Tried(name, (split, number), why)
                            else:
                                bounds.add(split, made)
                                left -= 1
                                needed |= asking.facts.needed_by(made)
                        yield tried
        barred = barred | steps.giving(needed, options.max_answers)


def _pools(asking: Asking) -> Iterator[tuple[str, Fraction, Bools]]:
    """Each split in the order in which they are dealt, its share, and its anchors: shape (entities,)."""
    chosen, size = asking.recipe.questions, len(asking.kg.entities)
    if chosen.split != "group":
        yield "", Fraction(1), np.ones(size, bool)
        return
    order, start, place = stream(asking.seed, "structures", "anchors").permutation(size), 0, 0
    for split in DRAWN:
        place += chosen.ratios[SPLITS.index(split)]
        end, anchors = place * size // sum(chosen.ratios), np.zeros(size, bool)
        anchors[order[start:end]] = True
        yield split, Fraction(chosen.ratios[SPLITS.index(split)], sum(chosen.ratios)), anchors
        start = end


def _tried(asking: Asking, name: str, split: str, number: int, query: Query, enough: int) -> Tried:
    """A candidate, in the stratum of what its hard answer misses, if that is not what was sought."""
    options, types = asking.options, asking.inputs.types
    if not reads_well(query, asking.templates):
        return Tried(name, (split, number), NESTED)
    graded = asking.grade(query, max_answers=options.max_answers, max_evidence=options.max_evidence)
    if isinstance(graded, str):
        return Tried(name, (split, number), graded)
    missing = graded.asked_for.missing if graded.asked_for else 0
    if not asking.open(name, (split, missing), enough):
        return Tried(name, (split, number), ENOUGH)
    shared = types.shared(graded.grades.entities.tolist())
    made = graded.question(asking.kind.name, StructureBlock(types.labels(shared)))
    # The split that its anchors are of, or one that is dealt later.
    return Tried(name, (split, missing), made, DRAWN[DRAWN.index(split) :] if split else DRAWN)


def shared_by(question: Question) -> Iterator[str]:
    """What no more than a fraction of the questions may share; each with a letter for what it is."""
    some = ("e", question.anchors), ("a", question.answers)
    yield from (f"{letter}{name}" for letter, names in some for name in names)


@cache
def most_sharing(share: float, size: float | Fraction) -> int:
    """The most questions, of so many, that may share an anchor or an answer."""
    return max(1, int(Fraction(str(share)) * size))


def within_limit(questions: Sequence[Question], max_share: float) -> list[Question]:
    """Drops questions of a structure until no more than a fraction of those left share something.

    Which set is the largest is a hard problem; this drops those that share most with too many others, and of
    these, those of the core last.

    Args:
        questions: Questions of one structure.
        max_share: See `StructureSection.max_share`.

    Returns:
        Those that stay, in the order given.
    """
    left, shared = list(questions), [{*shared_by(question)} for question in questions]
    while True:
        times, most = (
            Counter(one for some in shared for one in some),
            most_sharing(max_share, len(left)),
        )
        over = [sum(times[one] > most for one in some) for some in shared]
        if not any(over):
            return left
        place = max(range(len(left)), key=lambda i: (over[i], not left[i].core, i))
        del left[place], shared[place]
