"""Splits questions of the kind ``subgraphs`` into training and test, by what training lacks.

After SynthKGQA (section 4): some shapes and the rarest relations are kept for test. A test question is of an
unseen shape (``ugt``), of an unseen relation (``urt``), of both, or of neither (``id``). There is no
validation: the paper has none, and a third split without shared answers would cost more questions; whoever
tunes something holds out part of training.

Guarantees: no answer of a test question is an answer of a training question; no training question has a
reserved shape or relation; test has minimal questions only, and those with a relation that no training
question has say so. What fits neither is rejected, with the reason.
Nothing depends on the order of the questions.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from rulemine.builder.split import with_unseen
from rulemine.builder.subgraphs.options import SubgraphSection
from rulemine.errors import UserError, counted
from rulemine.kg.facts import Declarations
from rulemine.query.links import positive
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection, SubgraphQuestion
from rulemine.seeds import stream

__all__ = [
    "TESTED_SHAPES",
    "SplitReason",
    "explain_cells",
    "plain_shape",
    "split_subgraphs",
    "without_lost_parents",
]

TESTED_SHAPES = ("(1)", "(2)", "(1)(1)", "(2)(1)", "(3)", "(1)(1)(1)")
"""The shapes of test questions beside the reserved ones, with and without an unseen relation."""

Cell = tuple[str, str]
"""``id``, ``ugt`` or ``urt``, and a shape."""


class SplitReason:
    """Why a question is in neither split."""

    SHARED = "an answer is one of a test question"
    REDUNDANT = "for test only, but not minimal"
    NO_CELL = "for test only, which has no questions of this shape"
    ENOUGH = "for test only, which has enough questions of this shape"


def split_subgraphs(asked: QuestionSet, options: SubgraphSection, seed: int) -> QuestionSet:
    """Assigns questions to train and test, and rejects what fits neither.

    Relations are ordered by how often they are in the evidence of the questions; the first
    `SubgraphSection.training_relations` of them may train. Those that state the same facts are one. With N
    questions, test has at most `SubgraphSection.test_share` · N. Its cells are filled in turns, so that they
    are even where the graph has enough, each up to its part of that or `SubgraphSection.per_cell`. Of a cell,
    the question is next whose answers the fewest training questions share that are left.

    Args:
        asked: The questions, all of the kind ``subgraphs``.
        options: The section of the recipe.
        seed: Seed of the random choices.

    Returns:
        The questions kept, with `Question.split`, `Question.unseen` and `SubgraphBlock.test_type`; a parent
        that is not kept is named no more. `QuestionSet.sampling` says under ``split`` how many questions
        there were (``accepted``), which relations training has (``training_relations``), and how many
        questions every cell of test has if there are enough (``per_cell``).

    Raises:
        UserError: No training question is left.
    """
    declared = asked.declarations
    questions = sorted(
        (q for q in asked.questions if isinstance(q, SubgraphQuestion)), key=lambda q: q.id
    )
    may_train = _training_relations(questions, declared, options.training_relations)
    shapes = {q.id: plain_shape(q, declared) for q in questions}
    types = {
        q.id: _test_type(shapes[q.id] in options.reserved_shapes, q.relations, may_train)
        for q in questions
    }
    cells = _cells(options.reserved_shapes)
    cell_of = {q.id: (types[q.id][0], shapes[q.id]) for q in questions}
    training = [q for q in questions if types[q.id] == ("id",)]
    for q in questions:
        if cell_of[q.id] in cells and not q.subgraphs.redundant:
            cells[cell_of[q.id]].append(q)
    wanted = max(1, _rounded(options.test_share, len(questions)))
    test = _fill(cells, training, wanted, options.per_cell, seed)
    taken = {answer for q in test for answer in q.answers}
    split = {q.id: "train" for q in training if taken.isdisjoint(q.answers)}
    split |= {q.id: "test" for q in test}
    # What test took away from training may have been all that training had of a relation.
    facts = {declared[r].fact for q in questions if split.get(q.id) == "train" for r in q.relations}
    trained = {relation for relation in may_train if declared[relation].fact in facts}

    def why(q: SubgraphQuestion) -> str:
        if types[q.id] == ("id",):
            return SplitReason.SHARED
        if q.subgraphs.redundant:
            return SplitReason.REDUNDANT
        return SplitReason.ENOUGH if cell_of[q.id] in cells else SplitReason.NO_CELL

    if "train" not in split.values():
        raise UserError(
            f"no training question is left of {counted(len(questions), 'accepted question')}: the others are "
            "for test only, or share answers with test. Ask for more questions (subgraphs.questions, "
            "subgraphs.candidates), let more relations train (subgraphs.training_relations) or reserve fewer "
            "shapes (subgraphs.reserved_shapes)."
        )
    kept: list[SubgraphQuestion] = []
    rejections = []
    for q in questions:
        if q.id not in split:
            said = " and ".join(types[q.id])
            rejections.append(Rejection("split", why(q), q.id, None, "", "", said, query=q.query))
            continue
        lacking = _test_type(shapes[q.id] in options.reserved_shapes, q.relations, trained)
        block = replace(q.subgraphs, test_type=lacking if split[q.id] == "test" else ())
        kept.append(replace(q, split=split[q.id], subgraphs=block))
    told = {
        "accepted": len(questions),
        "training_relations": sorted(trained),
        "per_cell": min(options.per_cell, wanted // len(cells)),
    }
    own = {**asked.sampling.get("subgraphs", {}), "split": told}
    made = asked.keep(with_unseen(without_lost_parents(kept)), rejections)
    return replace(made, sampling={**asked.sampling, "subgraphs": own})


def without_lost_parents(questions: Iterable[Question]) -> list[Question]:
    """The questions; a parent that is not among them is named no more."""
    every = list(questions)
    known = {q.id for q in every}
    return [
        replace(q, subgraphs=replace(q.subgraphs, parent=""))
        if isinstance(q, SubgraphQuestion) and q.subgraphs.parent not in known
        else q
        for q in every
    ]


def explain_cells(made: QuestionSet, options: SubgraphSection) -> str:
    """Says which cells of the test split have fewer questions than they should.

    Args:
        made: The questions, with the splits of `split_subgraphs`.
        options: The section of the recipe.

    Returns:
        A sentence; "" if there is none.
    """
    per_cell = made.sampling["subgraphs"]["split"]["per_cell"]
    have = Counter(
        (q.subgraphs.test_type[0], plain_shape(q, made.declarations))
        for q in made.questions
        if isinstance(q, SubgraphQuestion) and q.split == "test"
    )
    cells = _cells(options.reserved_shapes)
    short = [cell for cell in cells if have[cell] < max(1, per_cell)]
    if not short:
        return ""
    named = ", ".join(f"{kind} {shape}: {have[kind, shape]}" for kind, shape in short)
    return (
        f"{len(short)} of the {len(cells)} cells of the test split have fewer than "
        f"{counted(max(1, per_cell), 'question')} ({named}), because "
        + ("no more were accepted" if per_cell else "test is to have fewer questions than cells")
        + ". Ask for more questions (subgraphs.questions), or reserve other shapes "
        "(subgraphs.reserved_shapes)."
    )


def plain_shape(question: Question, declared: Declarations) -> str:
    """The shape of the triples behind an answer: without the count and what differences take away."""
    if not re.search("[#-]", question.shape):
        return question.shape
    return structure_of(positive(parse(question.query)), declared).shape


def _rounded(share: float, whole: int) -> int:
    """A share of a whole, to the nearest; of the decimal as written, not its binary approximation."""
    return math.floor(Fraction(repr(float(share))) * whole + Fraction(1, 2))


def _training_relations(
    questions: Sequence[SubgraphQuestion], declared: Declarations, share: float
) -> frozenset[str]:
    """The relations that training questions may have."""
    times = Counter(declared[r].fact for q in questions for _, r, _ in q.evidence)
    # What a difference takes away is in no evidence.
    relations = {r for q in questions for r in q.relations}
    ordered = sorted({declared[r].fact for r in relations}, key=lambda fact: (-times[fact], fact))
    facts = set(ordered[: _rounded(share, len(ordered))])
    return frozenset(r for r in relations if declared[r].fact in facts)


def _test_type(
    ugt: bool, relations: Collection[str], may_train: Collection[str]
) -> tuple[str, ...]:
    """What training lacks of a question: its shape, one of its relations."""
    urt = not all(relation in may_train for relation in relations)
    return (*["ugt"] * ugt, *["urt"] * urt) or ("id",)


def _cells(reserved: Collection[str]) -> dict[Cell, list[SubgraphQuestion]]:
    """The cells of the test split, without questions; of both unseen, the shape decides."""
    others = [shape for shape in TESTED_SHAPES if shape not in reserved]
    cells = [("ugt", shape) for shape in sorted(set(reserved))]
    return {cell: [] for cell in cells + [(kind, s) for kind in ("id", "urt") for s in others]}


def _fill(
    cells: Mapping[Cell, Sequence[SubgraphQuestion]],
    training: Sequence[SubgraphQuestion],
    wanted: int,
    per_cell: int,
    seed: int,
) -> list[SubgraphQuestion]:
    """The test questions.

    Args:
        cells: Cell → the questions that it may have, sorted by id.
        training: The questions that may train.
        wanted: Their number at most.
        per_cell: Those of a cell at most, and no more than the cell's part of `wanted`, rounded up.
        seed: Seed of the order of cells, and of questions that cost training as much.
    """
    having: dict[str, list[SubgraphQuestion]] = {}
    for q in training:
        for answer in q.answers:
            having.setdefault(answer, []).append(q)
    left = {q.id for q in training}
    costs = Counter({answer: len(some) for answer, some in having.items()})

    def cost(q: SubgraphQuestion) -> int:
        return sum(costs[answer] for answer in q.answers)

    waiting = []
    for cell, some in cells.items():
        order = stream(seed, "subgraphs", "split", *cell).permutation(len(some)).tolist()
        waiting.append([some[i] for i in order])
    turns = stream(seed, "subgraphs", "split").permutation(len(waiting)).tolist()
    test: list[SubgraphQuestion] = []
    for _ in range(min(per_cell, -(-wanted // len(waiting)))):
        for turn in turns:
            if len(test) == wanted or not waiting[turn]:
                continue
            chosen = min(waiting[turn], key=cost)
            waiting[turn].remove(chosen)
            test.append(chosen)
            for q in (q for answer in chosen.answers for q in having.get(answer, ())):
                if q.id in left:
                    left.remove(q.id)
                    costs.subtract(q.answers)
    return test
