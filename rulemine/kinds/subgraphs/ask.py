"""Makes the questions of the kind ``subgraphs``: which tasks are written, and what is kept.

A subgraph is drawn, or grown from that of an accepted question, or drawn for what the release still lacks;
a writer writes a candidate for it, which is validated, graded and tried for minimality (SynthKGQA, section 3
and appendix A; the grades are ours). It is enough when the questions that `rulemine.kinds.subgraphs.split`
keeps are as many as wanted. Guarantee: a task depends on its number, and if it grows another or is for what
is lacking, on what was accepted before its batch.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rulemine.arrays import distinct
from rulemine.errors import UserError, counted
from rulemine.kinds.asking import Asking, Draft, question_ids
from rulemine.kinds.graded import Graded
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE
from rulemine.kinds.subgraphs.aiming import Aim, Aimer
from rulemine.kinds.subgraphs.growing import Grower
from rulemine.kinds.subgraphs.listed import is_listed
from rulemine.kinds.subgraphs.sampling import Sampler
from rulemine.kinds.subgraphs.split import Lacking, SplitReason, split_subgraphs
from rulemine.kinds.subgraphs.validation import GRAPHS_OWN, Mistake, Valid, Validator
from rulemine.kinds.texts import CHECKED
from rulemine.kinds.written.block import MinimalQuery, SubgraphBlock
from rulemine.kinds.written.candidate import FORMS, Candidate, Refusal, Task
from rulemine.kinds.written.engine import FEWEST_AT_ONCE, MOST_AT_ONCE, Engine, Made
from rulemine.kinds.written.execution import Executor, RunFailure
from rulemine.kinds.written.replies import Unread, read_candidate
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.parser import parse
from rulemine.query.tree import Query
from rulemine.recipe.joins import Joins
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.seeds import Stream, stream

if TYPE_CHECKING:
    from rulemine.llm.call import Call

__all__ = ["SubgraphEngine"]

MOST_SPENT = 3
"""Times as many candidates as questions are written for the core and the cells of test, at most."""

GROWTH = 1.03
"""How much the number of accepted questions grows before it is seen again what is lacking."""

MOST_QUOTED = 4000
"""Characters of a refused reply that the model sees again."""

_MENDABLE = {value for name, value in vars(Mistake).items() if name.isupper()} - GRAPHS_OWN
_MENDABLE |= {
    Unread.NO_JSON,
    Unread.FIELDS,
    RunFailure.UNREADABLE,
    RunFailure.COLUMNS,
    RunFailure.UNKNOWN,
}
"""Reasons that a writer can do something about, beside what is wrong with a text."""


class SubgraphEngine(Engine[Task, Candidate]):
    """A build's questions in the making, see `Engine`."""

    noun = "candidate"
    patience = 200
    advice = (
        "Allow more candidates (subgraphs.candidates) or answers (subgraphs.max_answers), name another "
        "model, or take a larger graph."
    )

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        options, selection, inputs = self.options, asking.selection, self.inputs
        ends = distinct(self.kg.triples[selection.removed][:, [0, 2]])
        at_removed = options.start == "removed" and len(ends)
        start = ends.astype(np.int64) if at_removed else None
        self._sampler = Sampler(self.kg, options, inputs.excluded, start)
        self._grower = Grower(self._sampler)
        self._joins: Joins | None = inputs["joins"]
        self.aimer = Aimer(
            self._sampler, options, asking.templates, selection, asking.seed, self.grade,
            self.better.lift, self._joins,
        )  # fmt: skip
        self._script = ScriptedWriter(
            asking.templates, self._is_listed, articles=self.naming == "text"
        )
        self._grouped = self.chosen.split == "group"
        self._grades: dict[str, Graded | str] = {}
        self._shapes: dict[str, str] = {}
        self._lacking = Lacking.all_of(asking.recipe)
        self._seen = 0
        self._made_of: dict[str, tuple[Valid, Task]] = {}
        self._dropped: Counter[str] = Counter()
        self._mended: Counter[str] = Counter()

    def drafts(self) -> Iterator[Question]:
        """See `Engine`; with splits, if they are by group."""
        options, asking = self.options, self.asking
        with Executor(self.names, options.seconds, options.rows) as executor:
            self._validator = Validator(
                self.names, asking.graph, asking.declarations, options, executor, wider=asking.wider
            )
            made = list(super().drafts())
        if late := self._validator.unfinished:
            self.writing.note(
                f"{counted(late, 'query', 'queries')} did not end within {options.seconds:g} s "
                "(subgraphs.seconds); what the graph gives for their trees was taken."
            )
        if not self._grouped:
            yield from made
            return
        asking.reference = asking.of_further(made)
        split = self._split_of(made, question_ids(len(made)))
        asking.sampling = {**split.sampling}
        for rejection in split.rejections:
            asking.refuse(rejection)
        yield from split.questions

    # Tasks.

    def tasks(self) -> list[Task] | None:
        """See `Engine`."""
        most = self.options.candidates or 20 * self.options.questions
        if self.drawn >= most or not (lacking := self._still_lacking()):
            return None
        size = min(MOST_AT_ONCE, max(FEWEST_AT_ONCE, 4 * lacking), most - self.drawn)
        self._grades.clear()
        parents = [self._made_of[question.query] for question in self.found]
        return [self._task(self.drawn + place, parents) for place in range(size)]

    def _task(self, number: int, parents: Sequence[tuple[Valid, Task]]) -> Task:
        random = stream(self.asking.seed, "subgraphs", "task", number)
        chance, options = float(random.uniform(1)[0]), self.options
        form = FORMS[0]
        if chance < options.count_share + options.without_share:
            form = "count" if chance < options.count_share else "without"
        if parents and random.uniform(1)[0] < options.grow:
            valid, task = parents[random.below(len(parents))]
            if (grown := self._grown(number, valid, task)) is not None:
                return grown
        if form == FORMS[0] and number % 8 and (aimed := self._aimed(number)) is not None:
            return aimed
        return self._fresh(number, form, random)

    def _fresh(self, number: int, form: str, random: Stream) -> Task:
        subgraph = self._sampler.draw(stream(self.asking.seed, "subgraphs", "draw", number))
        sizes = self.options.atoms
        fitting = [size for size in sizes if size < len(subgraph.nodes)] or sizes
        return Task(number, subgraph, fitting[random.below(len(fitting))], form)

    def _grown(self, number: int, valid: Valid, task: Task) -> Task | None:
        """A task that adds a triple to what was accepted; None where nothing can be added."""
        if task.atoms + 1 not in self.options.atoms:
            return None
        random = stream(self.asking.seed, "subgraphs", "grow", number)
        known = {*self.kg.triples[list(valid.rows)][:, [0, 2]].flat}
        seeds = known.intersection(valid.seeds)  # without those of what is taken away
        subgraph = self._grower.grow(valid.rows, valid.answer, seeds, random, str(task.number))
        if subgraph is None:
            return None
        given = subgraph.rows[: task.atoms + 1]
        s, _, o = self.kg.triples[given[-1]].tolist()
        answer = valid.answer
        if answer in (s, o):  # it grew there, and what lies beyond is the answer now
            answer = o if s in known else s
        used = self.asking.grader.triples(given)
        if not self._is_listed(query_of_triples(used, self.kg.entities[answer])):
            return None
        return Task(number, subgraph, len(given), given=given, answer=answer)

    def _is_listed(self, query: Query) -> bool:
        """Whether a query joins links as the list has it; True: there is none."""
        joins = self._joins
        return joins is None or is_listed(query, joins, self.asking.declarations)

    def _aimed(self, number: int) -> Task | None:
        """A task for what is lacking; None: there is nothing in particular, or nothing was found."""
        lacking = self._lacking
        if not self._grouped or not lacking.may_train:
            return None
        known = lacking.may_train, lacking.taken
        found = None
        if self.drawn < MOST_SPENT * self.options.questions and (lacking.core or lacking.cells):
            core = lacking.core > 0 and (number % 2 > 0 or not lacking.cells)
            cells = lacking.filling if core else lacking.cells
            found = self.aimer.task(number, Aim(core, cells, *known))
        return found or self.aimer.task(number, Aim(False, (), *known))

    def _still_lacking(self) -> int:
        """How many questions are lacking, and for some time also those of the core and of cells."""
        if len(self.found) >= self._seen:
            self._seen = int(GROWTH * len(self.found)) + 1
            if self._grouped:
                self._lacking = Lacking.after(self._split(), self.asking.recipe)
            else:
                more = max(0, self.options.questions - len(self._staying()))
                self._lacking = Lacking(more, 0, (), (), frozenset(), frozenset())
        if self.drawn >= MOST_SPENT * self.options.questions:
            return self._lacking.questions
        cells = [cell for cell in self._lacking.cells if not self.aimer.gives_up(cell)]
        return self._lacking.questions + self._lacking.core + len(cells)

    def _staying(self) -> list[Question]:
        """What was accepted, without near duplicates."""
        return [question for question in self.found if self.asking.near.stays(question)]

    def _split(self) -> QuestionSet | None:
        """The split of what was accepted so far; None: it leaves no training question."""
        staying = self._staying()
        try:
            return self._split_of(staying, [f"q{place:09d}" for place in range(len(staying))])
        except UserError:
            return None

    def _split_of(self, questions: Sequence[Question], ids: Sequence[str]) -> QuestionSet:
        """See `split_subgraphs`; of questions in the order of their ids."""
        asking = self.asking
        asked = tuple(replace(q, id=own) for q, own in zip(questions, ids, strict=True))
        given = QuestionSet(asked, (), (), 0, (), asking.declarations, asking.sampling)
        return split_subgraphs(given, asking.recipe, asking.facts, self._shapes)

    # Candidates.

    def scripted(self, task: Task) -> str | Refusal:
        """See `Engine`."""
        random = stream(self.asking.seed, "written", "scripted", task.number)
        return self._script.candidate(task, self.names, random)

    def call(self, task: Task) -> "Call":
        """See `Engine`."""
        return self.calls.candidate(task)

    def read(self, reply: str) -> list[Candidate | Refusal]:
        """See `Engine`."""
        return [read_candidate(reply)]

    def take(self, tasks: Sequence[Task]) -> None:
        """See `Engine`; a model may mend each candidate once."""
        waiting: list[tuple[Task, tuple[str, ...]]] = []
        for task, reply, made, keys in self.written(tasks):
            if self.session is None or isinstance(made, Question) or not _may_mend(made):
                self._settle(task, made, keys)
                continue
            if isinstance(made, Rejection):
                why = self.asking.texts.objection
            else:
                why = f"{made.reason} ({made.detail})." if made.detail else f"{made.reason}."
            said = " ".join(str(reply).split())[:MOST_QUOTED]
            waiting.append((replace(task, refused=((said, why),)), keys))
        before = len(self.found)
        again = self.written([task for task, _ in waiting])
        for (_, earlier), (task, _, made, keys) in zip(waiting, again, strict=True):
            self._settle(task, made, (*earlier, *keys))
        self._mended.update(asked=len(waiting), accepted=len(self.found) - before)
        self.report(self.options.questions - self._lacking.questions, len(self._staying()))

    def _settle(self, task: Task, made: Made, keys: tuple[str, ...]) -> None:
        """Accepts what came of a task, or refuses it."""
        self.drawn += 1
        if not isinstance(made, Question):
            self.refuse(replace(made, detail="") if isinstance(made, Refusal) else made)
            return
        valid, _ = self._made_of[made.query]
        self._dropped.update(valid.dropped)
        self.asking.near.add(made)
        self.accept(made, keys)

    def draft(self, task: Task, candidate: Candidate) -> Draft | Refusal:
        """See `Engine`."""
        valid = self._validator.validate(candidate, task.subgraph, task.atoms)
        if isinstance(valid, Refusal):
            return valid
        graded = self.grade(valid.query)
        if isinstance(graded, str):
            return Refusal(graded, query=valid.query.text)
        least, grader = self.minimal(valid.query), self.asking.grader
        self._made_of[valid.query.text] = valid, task
        block = SubgraphBlock(
            answer=self.kg.entities[valid.answer],
            triples=tuple(sorted(grader.triples(valid.rows))),
            subgraph=tuple(sorted(grader.triples(task.subgraph.rows))),
            redundant=least.redundant,
            minimal_shape=least.shape,
            minimal=tuple(MinimalQuery(anchors, of.text) for anchors, of in least.queries),
            test_type=(),
            parent=task.subgraph.parent,
        )
        return Draft(graded, block)

    def grade(self, query: Query) -> Graded | str:
        """What a query gives, or why it is no question; what was found for a batch is not found again."""
        if query.text in self.asking.queries or query.text not in self._grades:
            self._grades[query.text] = self.graded(query, may_be_idle=not self.options.minimal)
        return self._grades[query.text]

    # What is kept.

    def kept(self) -> tuple[list[Question], list[tuple[Question, str]]]:
        """See `Engine`; what a question was grown from has its id."""
        near = self.asking.near
        kept = self._staying()[: None if self._grouped else self.options.questions]
        asked = {question.query for question in kept}
        refused = [
            (question, SplitReason.FULL if near.stays(question) else NEAR_DUPLICATE)
            for question in self.found
            if question.query not in asked
        ]
        numbers = (str(self._made_of[question.query][1].number) for question in kept)
        ids = dict(zip(numbers, question_ids(len(kept)), strict=True))
        return [
            replace(q, block=replace(q.block, parent=ids.get(q.block.parent, ""))) for q in kept
        ], refused

    def counts(self, kept: Sequence[Question]) -> dict[str, Any]:
        """See `Engine`."""
        tasks = [self._made_of[question.query][1] for question in kept]
        return {
            "grown": sum(bool(task.subgraph.parent) for task in tasks),
            "paraphrased": 0,  # as yet
            **({} if self._joins is None else {"unlisted": self._unlisted(kept)}),
            **({"dropped": dict(sorted(self._dropped.items()))} if self._dropped else {}),
            **({"mended": dict(self._mended)} if self._mended["asked"] else {}),
        }

    def _unlisted(self, kept: Sequence[Question]) -> int:
        """How many questions do not join links as the list has it."""
        return sum(not self._is_listed(parse(question.query)) for question in kept)


def _may_mend(found: Refusal | Rejection) -> bool:
    return found.reason in _MENDABLE or found.reason.startswith(CHECKED)
