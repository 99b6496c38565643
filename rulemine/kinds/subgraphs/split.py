"""Splits questions of the kind ``subgraphs`` into training and test, by what training lacks.

After SynthKGQA (section 4): some shapes and the rarest relations are kept for test. A test question is of an
unseen shape (``ugt``), of an unseen relation (``urt``), of both, or of neither (``id``). There is no
validation: the paper has none, and a third split without shared answers would cost more questions; whoever
tunes something holds out part of training.

Guarantees: no answer of a test question is an answer of a training question; no training question gives away
a removed fact that a test question needs; no training question has a reserved shape or relation; test
questions with a relation that no training question has say so. What fits neither is rejected, with the
reason. Nothing depends on the order of the questions.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from rulemine.errors import UserError, counted
from rulemine.kg.facts import Declarations
from rulemine.kinds.locks import LockReason, Patterns, RememberedFacts
from rulemine.kinds.split import with_unseen
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.query.links import positive
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.recipe.recipe import Recipe
from rulemine.release.proof_triples import Fact
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.seeds import stream

__all__ = [
    "CELLS",
    "TESTED_SHAPES",
    "Cell",
    "Lacking",
    "SplitReason",
    "plain_shape",
    "split_subgraphs",
    "without_lost_parents",
]

TESTED_SHAPES = ("(1)", "(2)", "(1)(1)", "(2)(1)", "(3)", "(1)(1)(1)")
"""The shapes of test questions beside the reserved ones, with and without an unseen relation."""

Cell = tuple[str, str]
"""``id``, ``ugt`` or ``urt``, and a shape."""

CELLS: Sequence[Cell] = (
    *(("ugt", shape) for shape in sorted(SubgraphSection.reserved_shapes)),
    *((kind, shape) for kind in ("id", "urt") for shape in TESTED_SHAPES),
)
"""The cells of the test split; of both unseen, the shape decides."""

TRAINING_RELATIONS = 0.54
"""Fraction of the relations, the most frequent first, that training may have."""

PER_CELL = 45
"""Test questions of a cell at most, and a twentieth of the test split where that is less; of the core always
up to this number."""


class SplitReason:
    """Why a question is in neither split."""

    SHARED = "an answer is one of a test question"
    NO_CELL = "for test only, which has no questions of this shape"
    ENOUGH = "for test only, which has enough questions of this shape"
    FULL = "enough questions are accepted"


def split_subgraphs(
    asked: QuestionSet,
    recipe: Recipe,
    facts: RememberedFacts,
    patterns: Patterns,
    shapes: "dict[str, str] | None" = None,
) -> QuestionSet:
    """Assigns questions to train and test, and rejects what fits neither.

    Relations are ordered by how often they are in the evidence of the questions; the first
    `TRAINING_RELATIONS` of them may train. Those that state the same facts are one. With N
    questions, at most `SubgraphSection.questions`, test has at most `SubgraphSection.test_share` · N. Cells
    are filled in turns, so that they are even where the graph has enough, each up to its part of that or
    `PER_CELL`. Of a cell, the question is next that takes the fewest training questions away
    that are left. Questions of the core come first until there are `QuestionSection.test_core`, or a third of
    all, for which a cell may have more than its part. Training has what is left, as many as are wanted.

    Args:
        asked: The questions, all of the kind ``subgraphs``.
        recipe: The recipe: its sections ``subgraphs`` and ``questions``, and its seed.
        facts: The removed facts.
        patterns: What else keeps a question out of test; without questions.
        shapes: Query → `plain_shape`, of queries whose shape is known; what is found is added.

    Returns:
        The questions kept, with `Question.split`, `Question.unseen` and `SubgraphBlock.test_type`; a parent
        that is not kept is named no more. `QuestionSet.sampling` says under ``split`` how many questions
        there were (``accepted``), which relations training has (``training_relations``), and how many
        questions every cell of test has if there are enough (``per_cell``).

    Raises:
        UserError: No training question is left.
    """
    declared, options, chosen = asked.declarations, recipe.own, recipe.questions
    known = {} if shapes is None else shapes
    questions = sorted(asked.questions, key=lambda q: q.id)
    may_train = _training_relations(questions, declared)
    for q in questions:
        if q.query not in known:
            known[q.query] = plain_shape(q, declared)
    types = {
        q.id: _test_type(known[q.query] in options.reserved_shapes, q.relations, may_train)
        for q in questions
    }
    cells: dict[Cell, list[Question]] = {cell: [] for cell in CELLS}
    cell_of = {q.id: (types[q.id][0], known[q.query]) for q in questions}
    training = [q for q in questions if types[q.id] == ("id",)]
    for q in questions:
        if cell_of[q.id] in cells and len(facts.needed_by(q)) <= chosen.max_facts:
            cells[cell_of[q.id]].append(q)
    wanted = max(1, _rounded(options.test_share, min(options.questions, len(questions))))
    core = min(chosen.test_core, sum(q.core for q in questions) // 3)
    fill = _Filling(training, facts, patterns.anew(core), recipe.seed)
    test = fill.made(cells, wanted, core)
    split = {q.id: "test" for q in test}
    fitting = [q for q in training if fill.leaves(q) and q.id not in split]
    split |= {q.id: "train" for q in fitting[: max(0, options.questions - len(test))]}
    # What test took away from training may have been all that training had of a relation.
    left = {declared[r].fact for q in questions if split.get(q.id) == "train" for r in q.relations}
    trained = {relation for relation in may_train if declared[relation].fact in left}

    def why(q: Question) -> str:
        if types[q.id] == ("id",):
            if fill.leaves(q):
                return SplitReason.FULL
            return SplitReason.SHARED if fill.shares(q) else LockReason.GIVES
        if len(facts.needed_by(q)) > chosen.max_facts:
            return LockReason.MANY
        return SplitReason.ENOUGH if cell_of[q.id] in cells else SplitReason.NO_CELL

    if "train" not in split.values():
        raise UserError(
            f"no training question is left of {counted(len(questions), 'accepted question')}: the others are "
            "for test only, or share answers with test. Ask for more questions (subgraphs.questions), or "
            "take a larger graph."
        )
    kept: list[Question] = []
    rejections = []
    for q in questions:
        if q.id not in split:
            said = " and ".join(types[q.id])
            rejections.append(Rejection("split", why(q), q.id, None, "", "", said, query=q.query))
            continue
        lacking = _test_type(known[q.query] in options.reserved_shapes, q.relations, trained)
        block = replace(q.block, test_type=lacking if split[q.id] == "test" else ())
        kept.append(replace(q, split=split[q.id], block=block))
    told = {
        "accepted": len(questions),
        "training_relations": sorted(trained),
        "per_cell": min(PER_CELL, wanted // len(cells)),
        "core": core,
    }
    own = {**asked.sampling.get(recipe.kind, {}), "split": told}
    made = asked.keep(with_unseen(without_lost_parents(kept)), rejections)
    return replace(made, sampling={**asked.sampling, recipe.kind: own})


class Lacking(NamedTuple):
    """What a release still lacks.

    Attributes:
        questions: How many questions.
        core: How many questions of the core in test.
        cells: The cells of test that have fewer than they should.
        filling: The cells that may take questions of the core; none: these must be able to train, as test has
            a third of them.
        may_train: The relations that training has.
        taken: The answers of test questions.
    """

    questions: int
    core: int
    cells: tuple[Cell, ...]
    filling: tuple[Cell, ...]
    may_train: frozenset[str]
    taken: frozenset[str]

    @classmethod
    def all_of(cls, recipe: Recipe) -> "Lacking":
        """Before anything is there."""
        return cls(recipe.own.questions, 0, (), (), frozenset(), frozenset())

    @classmethod
    def after(cls, made: QuestionSet | None, recipe: Recipe) -> "Lacking":
        """What is lacking after a split; None: it left no training question."""
        if made is None:
            return cls.all_of(recipe)
        told, options = made.sampling[recipe.kind]["split"], recipe.own
        test = [q for q in made.questions if q.split == "test"]
        core = max(0, recipe.questions.test_core - sum(q.core for q in test))
        have = Counter((q.block.test_type[0], plain_shape(q, made.declarations)) for q in test)
        has_third = told["core"] + core <= recipe.questions.test_core
        return cls(
            max(0, options.questions - len(made.questions)),
            core,
            tuple(cell for cell in CELLS if have[cell] < told["per_cell"]),
            () if has_third else tuple(cell for cell in CELLS if have[cell] < PER_CELL),
            frozenset(told["training_relations"]),
            frozenset(answer for q in test for answer in q.answers),
        )


def without_lost_parents(questions: Iterable[Question]) -> list[Question]:
    """The questions; a parent that is not among them is named no more."""
    every = list(questions)
    known = {q.id for q in every}
    return [
        replace(q, block=replace(q.block, parent="")) if q.block.parent not in known else q
        for q in every
    ]


def plain_shape(question: Question, declared: Declarations) -> str:
    """The shape of the triples behind an answer: without the count and what differences take away."""
    if not re.search("[#-]", question.shape):
        return question.shape
    return structure_of(positive(parse(question.query)), declared).shape


def _rounded(share: float, whole: int) -> int:
    """A share of a whole, to the nearest; of the decimal as written, not its binary approximation."""
    return math.floor(Fraction(repr(float(share))) * whole + Fraction(1, 2))


def _training_relations(questions: Sequence[Question], declared: Declarations) -> frozenset[str]:
    """The relations that training questions may have."""
    times = Counter(declared[r].fact for q in questions for _, r, _ in q.evidence)
    # What a difference takes away is in no evidence.
    relations = {r for q in questions for r in q.relations}
    ordered = sorted({declared[r].fact for r in relations}, key=lambda fact: (-times[fact], fact))
    facts = set(ordered[: _rounded(TRAINING_RELATIONS, len(ordered))])
    return frozenset(r for r in relations if declared[r].fact in facts)


def _test_type(
    ugt: bool, relations: Collection[str], may_train: Collection[str]
) -> tuple[str, ...]:
    """What training lacks of a question: its shape, one of its relations."""
    urt = not all(relation in may_train for relation in relations)
    return (*["ugt"] * ugt, *["urt"] * urt) or ("id",)


class _Filling:
    """Fills the test split, and says what training loses by it.

    Args:
        training: The questions that may train.
        facts: The removed facts.
        patterns: What else keeps a question out of test.
        seed: Seed of the order of cells, and of questions that cost training as much.
    """

    def __init__(
        self, training: Sequence[Question], facts: RememberedFacts, patterns: Patterns, seed: int
    ) -> None:
        self._facts, self._patterns, self._seed = facts, patterns, seed
        self._having: dict[Fact, list[Question]] = {}
        for q in training:
            for shown in self._shown(q):
                self._having.setdefault(shown, []).append(q)
        self._left = {q.id for q in training}
        self._costs = Counter({shown: len(some) for shown, some in self._having.items()})
        self._taken: set[Fact] = set()

    def made(
        self, cells: Mapping[Cell, Sequence[Question]], wanted: int, core: int
    ) -> list[Question]:
        """The test questions.

        Args:
            cells: Cell → the questions that it may have, sorted by id.
            wanted: Their number at most, but for the core.
            core: How many of the core come first, of a cell no more than `PER_CELL`; with the others a cell
                has no more than its part of `wanted`, rounded up.
        """
        waiting = []
        for cell, some in cells.items():
            order = stream(self._seed, "subgraphs", "split", *cell).permutation(len(some)).tolist()
            waiting.append([some[i] for i in order])
        turns = stream(self._seed, "subgraphs", "split").permutation(len(waiting)).tolist()
        part = min(PER_CELL, -(-wanted // len(waiting)))
        have = [0] * len(waiting)
        test: list[Question] = []
        for turn in turns * PER_CELL:
            fitting = [q for q in waiting[turn] if q.core and self._fits(q)]
            if len(test) < core and fitting and have[turn] < PER_CELL:
                test.append(self._take(fitting, waiting[turn]))
                have[turn] += 1
        for turn in turns * part:
            fitting = [q for q in waiting[turn] if self._fits(q)]
            if sum(min(part, n) for n in have) < wanted and fitting and have[turn] < part:
                test.append(self._take(fitting, waiting[turn]))
                have[turn] += 1
        return test

    def leaves(self, question: Question) -> bool:
        """Whether a question may train, by what test took."""
        return self._taken.isdisjoint(self._shown(question))

    def shares(self, question: Question) -> bool:
        """Whether an answer of it is one of a test question."""
        return not self._taken.isdisjoint((answer,) for answer in question.answers)

    def _fits(self, question: Question) -> bool:
        return self._patterns.objection("test", question) is None

    def _take(self, some: Sequence[Question], waiting: list[Question]) -> Question:
        """Takes the question from those waiting that costs training least."""
        chosen = min(some, key=lambda q: sum(self._costs[shown] for shown in self._needed(q)))
        waiting.remove(chosen)
        self._patterns.add("test", chosen)
        needed = self._needed(chosen)
        self._taken |= needed
        for q in (q for shown in needed for q in self._having.get(shown, ())):
            if q.id in self._left:
                self._left.remove(q.id)
                self._costs.subtract(self._shown(q))
        return chosen

    def _shown(self, question: Question) -> set[Fact]:
        """What a training question shows: its answers, and the removed facts that it gives."""
        return {(answer,) for answer in question.answers} | self._facts.given_by(question)

    def _needed(self, question: Question) -> set[Fact]:
        """What no training question may show beside a test question."""
        return {(answer,) for answer in question.answers} | self._facts.needed_by(question)
