"""Makes the questions of the kind ``subgraphs``: what is drawn, what a candidate asks, and who may have it.

A question is for a cell of the test split or for training (SynthKGQA, section 4). A tree of triples of the
shape that is lacking is drawn, and a subgraph around it; a writer writes a candidate for it, which is
validated and graded (section 3 and appendix A; the grades are ours). What is drawn next depends on what the
dealer lacks. Guarantees: no training question has a reserved shape or relation, and no answer of a test
question is an answer of a training question; a task depends on its number, and on what was found before its
batch.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rulemine.errors import UserError, counted
from rulemine.kinds.asking import Asking, Draft, Tried
from rulemine.kinds.dealing import GIVES, Dealable, Share
from rulemine.kinds.graded import Graded
from rulemine.kinds.subgraphs.drawing import Sampler, Trees, asked_rows, plan_of
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.validation import SECONDS, Executor, Mistake, RunFailure, Validator
from rulemine.kinds.texts import CHECKED
from rulemine.kinds.written.block import MinimalQuery, SubgraphBlock
from rulemine.kinds.written.engine import AT_ONCE, FEWEST_AT_ONCE, Engine, Made
from rulemine.kinds.written.replies import (
    FORMS,
    Candidate,
    Refusal,
    Task,
    Unread,
    read_candidate,
)
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.phrasing.compose import reads_well
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded, linked, parts_of, positive
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Count, Projection, Query
from rulemine.release.records import Question
from rulemine.seeds import stream
from rulemine.text.naming_rules import ANCHOR_MISSING, ANSWER_NAMED, INTERMEDIATE_NAMED

if TYPE_CHECKING:
    from rulemine.llm.call import Call

__all__ = ["CELLS", "SubgraphEngine", "finished", "parts", "plan"]

TESTED_SHAPES = ("(1)", "(2)", "(1)(1)", "(2)(1)", "(3)", "(1)(1)(1)")
"""The shapes of test questions beside the reserved ones, with and without an unseen relation."""

CELLS = (
    *(f"{lacks} {shape}" for lacks in ("id", "urt") for shape in TESTED_SHAPES),
    *(f"ugt {shape}" for shape in sorted(SubgraphSection.reserved_shapes)),
)
"""The parts of test: what training lacks, and the shape; of both unseen, the shape decides."""

TRAINED = tuple(f"id {shape}" for shape in TESTED_SHAPES)
"""The parts of training."""

TRAINING_RELATIONS = 0.54
"""Fraction of the relations, those with most triples first, that training may have."""

COUNT_SHARE, WITHOUT_SHARE = 0.05, 0.05
"""Fraction of the candidates that ask how many, and that leave some answers out (FILTER NOT EXISTS)."""

TREES = 60
"""Trees drawn for a candidate at most."""

MOST_SPENT, MOST_DRAWN, FEW = 3, 100, 20
"""Times as many candidates, and trees, of a part as it should have questions, or `FEW`, at most."""

NO_CELL = "for test only, which has no questions of this shape"
NOWHERE = "no tree of its shape is found that can be asked"
NO_CORE = "it is not of the core"

_NAMES = re.compile(r'(\(p-? "(?:[^"\\]|\\.)*")|"(?:[^"\\]|\\.)*"')
"""Of the text of a query: a relation, as the first group, or else an entity."""

_MENDABLE = {ANCHOR_MISSING, ANSWER_NAMED, INTERMEDIATE_NAMED} | {
    value
    for of in (Mistake, RunFailure, Unread)
    for value in vars(of).values()
    if value not in (Unread.UNANSWERED, RunFailure.TIME, RunFailure.MEMORY)
}
"""Reasons that a writer can do something about, beside what a check of its text found."""


def parts(asking: Asking) -> Mapping[Hashable, int]:
    """As many of each cell of test, if there is one for each, and the rest for the shapes of training."""
    size = _tested(asking)
    train = -(-(asking.options.questions - size) // len(TRAINED))
    cells: dict[Hashable, int] = dict.fromkeys(CELLS[:size], -(-size // len(CELLS)))
    return dict.fromkeys(CELLS, 0) | cells | {part: cells.get(part, 0) + train for part in TRAINED}


def plan(asking: Asking, candidates: Sequence[Dealable]) -> Mapping[str, Share]:
    """Test has its share of what there is, and of that its core, but a third of all at most.

    There is no validation, as in GTSQA.
    """
    wanted = asking.options.questions
    every = Share(dict.fromkeys(asking.parts, wanted), wanted)
    if asking.recipe.questions.split != "group":
        return {"": every}
    test = max(1, _tested(asking, min(wanted, len(candidates))))
    core = sum(one.core for one in candidates)
    core = min(asking.recipe.questions.test_core, core // 3, wanted // 3)
    each = dict[Hashable, int](dict.fromkeys(CELLS, -(-test // len(CELLS))))
    return {"test": Share(each, max(test, core), core), "train": every}


def _tested(asking: Asking, questions: int = 0) -> int:
    """How many of some questions, by default of all, are for test; of the share as it is written."""
    share = Fraction(repr(float(asking.options.test_share)))
    return math.floor(share * (questions or asking.options.questions) + Fraction(1, 2))


def _plain_shape(question: Question) -> str:
    """The shape of the triples behind an answer: without the count and what differences take away."""
    block = question.block
    return structure_of(query_of_triples(block.triples, block.answer)).shape


def finished(questions: Sequence[Question]) -> list[Question]:
    """The questions, those of test with what training lacks of them, now that it is known."""
    trained = {relation for q in questions if q.split == "train" for relation in q.relations}

    def lacking(q: Question) -> tuple[str, ...]:
        if q.split != "test":  # without splits, there is no training
            return ()
        ugt = _plain_shape(q) in SubgraphSection.reserved_shapes
        return (*["ugt"] * ugt, *["urt"] * (not trained.issuperset(q.relations))) or ("id",)

    return [replace(q, block=replace(q.block, test_type=lacking(q))) for q in questions]


class SubgraphEngine(Engine):
    """A build's questions in the making, see `Engine`."""

    advice = (
        "Ask for more questions (subgraphs.questions), name another model, or take a larger graph."
    )

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        rows = asked_rows(self.kg, self.inputs.excluded)
        if not len(rows):
            raise UserError(
                "no subgraph can be drawn: the graph has no triple of two entities. Exclude fewer relations."
            )
        templates, selection = asking.templates, asking.selection
        self._declared, self._grouped = (
            asking.declarations,
            asking.recipe.questions.split == "group",
        )
        self._sampler = Sampler(self.kg, rows)
        self._trees = Trees(self.kg, rows, self._declared, self.inputs["joins"])
        self._script = ScriptedWriter(templates, self.names)
        removed = np.intersect1d(selection.removed, rows)
        some = removed if self.options.start == "removed" and len(removed) else rows
        core = np.intersect1d(selection.head[selection.core], rows)
        self._trained = self._training_relations(rows)
        self._may_train = np.array([r in self._trained for r in self.kg.relations])
        trained = self._may_train[self.kg.triples[:, 1]]
        every = np.ones(len(trained), bool)
        self._starts = {
            (lacks, is_core): start[fits[start]] if fits[start].any() else start
            for lacks, fits in (("ugt", every), ("urt", ~trained), ("id", trained))
            for is_core, start in ((True, core), (False, some))
        }
        self._number, self._dealt_of = 0, -1
        self._dealt: list[Question] = []
        self._taken: set[str] = set()
        self._graded: dict[str, Graded | str] = {}
        self._reading: dict[str, bool] = {}

    def _training_relations(self, rows: npt.NDArray[np.int64]) -> frozenset[str]:
        """The relations that training may have; those that state the same facts are one."""
        names, declared = self.kg.relations, self._declared
        if not self._grouped:
            return frozenset(names)
        times = Counter[str]()
        for relation, number in enumerate(np.bincount(self.kg.triples[rows, 1]).tolist()):
            times[declared[names[relation]].fact] += number
        ordered = sorted(filter(times.get, times), key=lambda fact: (-times[fact], fact))
        facts = {*ordered[: round(TRAINING_RELATIONS * len(ordered))]}
        return frozenset(r for r in names if declared[r].fact in facts)

    def drafts(self) -> Iterator[Tried]:
        """See `Engine`."""
        asking = self.asking
        with Executor(self.names) as executor:
            self._validator = Validator(
                self.names, asking.graph, self._declared, executor, asking.wider
            )
            yield from super().drafts()
        if late := self._validator.unfinished:
            asking.writing.note(
                f"{counted(late, 'query', 'queries')} did not end within {SECONDS:g} s; what the graph "
                "gives for their trees was taken."
            )

    # Tasks.

    def tasks(self) -> list[Task]:
        """See `Engine`; what nothing is found for is given up in the end."""
        found: list[Task] = []
        while not found and (lacking := self._lacking()):
            self._graded.clear()
            size = min(AT_ONCE, max(FEWEST_AT_ONCE, len(lacking)))
            tried = (self._task(*one) for one in islice(cycle(lacking), size))
            found = [task for task in tried if task is not None]
        return found

    def _lacking(self) -> list[tuple[str, bool]]:
        """The part of each question that is lacking, and whether it should be of the core.

        Until there are as many candidates of each part as it should have questions, these are; then what the
        dealer lacks.
        """
        asking = self.asking
        have = Counter(candidate.part for _, candidate in asking.pool)
        first = [
            self._in_turn([(str(part), True), (str(part), False)], number - have[part])
            for part, number in asking.parts.items()
        ]
        places = [place for some in first for place in _spread(some)] or self._undealt()
        return [one for _, one in sorted(places, key=lambda place: place[0])]

    def _undealt(self) -> list[tuple[float, tuple[str, bool]]]:
        """What the dealer lacks, each with its place between 0 and 1."""
        asking, whole = self.asking, self.options.questions
        if len(asking.pool) > self._dealt_of:
            self._dealt, self._dealt_of = asking.dealt()[0], len(asking.pool)
        tested = [q for q in self._dealt if q.split == "test"]
        self._taken = {answer for q in tested for answer in q.answers}
        size = _tested(asking) if self._grouped else 0
        more = min(asking.recipe.questions.test_core, whole // 3) - sum(q.core for q in tested)
        of_core = self._in_turn([(cell, True) for cell in CELLS], more if size else 0)
        have = Counter(self._part_of(parse(q.query)) for q in tested) + Counter(
            cell for cell, _ in of_core
        )
        each = -(-size // len(CELLS))
        rest = [(cell, False) for cell in CELLS if self._is_open(cell, False)]
        rest = [one for one in rest for _ in range(each - have[one[0]])]
        trained = [(part, core) for part in TRAINED for core in (True, False)]
        training = self._in_turn(trained, whole - size - len(self._dealt) + len(tested))
        return [*_spread([*of_core, *rest]), *_spread(training)]

    def _in_turn(self, strata: Sequence[tuple[str, bool]], number: int) -> list[tuple[str, bool]]:
        """So many strata for which it is worth trying, in turn."""
        some = [one for one in strata if self._is_open(*one)]
        return [*islice(cycle(some), max(0, number))]

    def _is_open(self, part: str, core: bool) -> bool:
        """Whether it is worth trying for more of a part."""
        asking, number = self.asking, self.asking.parts[part]
        some = len(self._starts[part.partition(" ")[0], core]) > 0
        few = asking.tried[part] < MOST_DRAWN * max(number, FEW)
        return some and few and asking.open(part, core, MOST_SPENT * number)

    def _task(self, part: str, core: bool) -> Task | None:
        """A task; None where nothing can be asked, which is counted."""
        self._number += 1
        random = stream(self.asking.seed, "subgraphs", "task", self._number)
        chance = float(random.uniform(1)[0])
        form = FORMS[(chance < COUNT_SHARE + WITHOUT_SHARE) + (chance < WITHOUT_SHARE)]
        lacks, _, shape = part.partition(" ")
        starts = self._starts[lacks, core]
        for _ in range(TREES):
            row = int(starts[random.below(len(starts))])
            tree = self._trees.draw(plan_of(shape), row, random)
            if tree is None or (query := self._query(part, form, *tree)) is None:
                continue
            graded = self._grade(Count(query) if form == "count" else query)
            if not isinstance(graded, str):
                graded = self._unfit(part, core, graded) or graded
            if not isinstance(graded, str):
                around = self._sampler.around(tree[0], random)
                about = f"candidate {self._number}"
                return Task(self._number, around, about, part, core, form, *tree)
            self.asking.tried[part] += 1
            self.asking.refuse(graded, part)
        self.asking.consider(Tried(part, core, NOWHERE))
        return None

    def _unfit(self, part: str, core: bool, graded: Graded) -> str | None:
        """Why a question that can be asked is of no use."""
        if core and not (graded.asked_for and graded.asked_for.core):
            return NO_CORE
        taken = part in TRAINED and not self._taken.isdisjoint(graded.grades.answers)
        return GIVES if taken else None

    def _query(self, part: str, form: str, rows: Sequence[int], answer: int) -> Query | None:
        """The query of a tree, with all statements; None where it is of no use for a part or form."""
        if not part.startswith("ugt"):
            trained = self._may_train[self.kg.triples[list(rows), 1]].all()
            if trained != part.startswith("id"):
                return None
        query = query_of_triples(self.kg.labeled(np.array(rows)), self.kg.entities[answer])
        if not self.asking.templates.asks(query) or (
            form == "count"  # nobody asks how many there are where there is one
            and self.asking.templates.gives_one(
                Projection(asked.relation, asked.inverse, Anchor(""))
                if isinstance(
                    asked := linked(expanded(query, self._declared), self._declared), Projection
                )
                else asked
            )
        ):
            return None
        pattern = _NAMES.sub(lambda found: found[1] or "", query.text)  # whatever the names
        if pattern not in self._reading:
            self._reading[pattern] = reads_well(query, self.asking.templates)
        return expanded(query, self._declared) if self._reading[pattern] else None

    def _part_of(self, query: Query) -> str | None:
        """The part of a query; None: there is none."""
        shape = structure_of(positive(query), self._declared).shape
        lacks = "id" if self._trained.issuperset(_relations(query)) else "urt"
        if shape in SubgraphSection.reserved_shapes:
            lacks = "ugt"
        part = f"{lacks} {shape}"
        return part if part in CELLS else None

    def _grade(self, query: Query) -> Graded | str:
        """What a query gives, or why it is no question; what was found for a batch is not found again."""
        if query.text in self.asking.queries or query.text not in self._graded:
            self._graded[query.text] = self.asking.grade(
                query,
                max_answers=SubgraphSection.max_answers,
                max_evidence=SubgraphSection.max_evidence,
            )
        return self._graded[query.text]

    # Candidates.

    def scripted(self, task: Task) -> str | Refusal:
        """See `Engine`."""
        random = stream(self.asking.seed, "written", "scripted", task.number)
        return self._script.candidate(task, random)

    def call(self, task: Task) -> "Call":
        """See `Engine`."""
        return self.calls.candidate(task)

    def read(self, reply: str) -> list[Candidate | Refusal]:
        """See `Engine`."""
        return [read_candidate(reply)]

    def may_mend(self, reason: str) -> bool:
        """See `Engine`."""
        return reason.startswith(CHECKED) or reason in _MENDABLE

    def draft(self, task: Task, candidate: Candidate) -> Draft | Refusal:
        """See `Engine`."""
        valid = self._validator.validate(candidate, task.subgraph, len(task.given))
        if isinstance(valid, Refusal):
            return valid
        part, graded = self._part_of(valid.query), self._grade(valid.query)
        if isinstance(graded, str) or part is None:
            return Refusal(graded if isinstance(graded, str) else NO_CELL, query=valid.query.text)
        form, grader = structure_of(valid.query, self._declared), self.asking.grader
        block = SubgraphBlock(
            answer=self.kg.entities[valid.answer],
            triples=tuple(sorted(grader.triples(valid.rows))),
            subgraph=tuple(sorted(grader.triples(task.subgraph.rows))),
            redundant=False,
            minimal_shape=form.shape,
            minimal=(MinimalQuery(form.anchors, valid.query.text),),
            test_type=(part.partition(" ")[0],),
        )
        return Draft(graded, block)

    def drawn(self, made: Made) -> Tried:
        """See `Engine`; a question is of the part that its query is of."""
        drawn = super().drawn(made)
        if isinstance(drawn.found, Question | Draft):
            query = (
                parse(drawn.found.query)
                if isinstance(drawn.found, Question)
                else drawn.found.graded.query
            )
            part = self._part_of(query)
            splits = ("test", "train") if part in TRAINED else ("test",)  # what training lacks
            return drawn._replace(part=part, splits=splits)
        return drawn


def _relations(query: Query) -> set[str]:
    own = {query.relation} if isinstance(query, Projection) else set[str]()
    return own.union(*map(_relations, parts_of(query)))


def _spread(some: Sequence[tuple[str, bool]]) -> Iterator[tuple[float, tuple[str, bool]]]:
    """Each with its place between 0 and 1, those that are alike far from each other."""
    times, seen = Counter(some), Counter[tuple[str, bool]]()
    for one in some:
        seen[one] += 1
        yield (seen[one] - 0.5) / times[one], one
