"""Makes the questions of the kind ``subgraphs``: from subgraphs to candidates to questions that are graded.

A subgraph is drawn, or grown from that of an accepted question, or drawn for what the release still lacks;
a writer writes a candidate for it, which is read, validated, graded, tried for minimality, and put into words
in all namings (SynthKGQA, section 3 and appendix A; the grades are ours). It is enough when the questions
that `rulemine.kinds.subgraphs.split` keeps are as many as wanted.

Guarantees: no two questions share a query or a text; no part of one is idle; candidates are written in
batches and accepted in the order of their numbers, so that the same seed and replies give the same questions,
however many calls are in flight; what is refused is counted by reason, and kept if it has words.
Over 400 lines because all that becomes of a candidate is in one place.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rulemine.errors import UserError, counted
from rulemine.kinds.graded import Graded, Grader, RemovedTriples, Unaskable, Wider
from rulemine.kinds.locks import removed_facts
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE, NearDuplicates
from rulemine.kinds.subgraphs.aiming import Aim
from rulemine.kinds.subgraphs.drafting import Drafting
from rulemine.kinds.subgraphs.split import (
    Lacking,
    SplitReason,
    split_subgraphs,
    without_lost_parents,
)
from rulemine.kinds.subgraphs.validation import GRAPHS_OWN, Mistake, Valid, Validator
from rulemine.kinds.texts import CHECKED, Texts
from rulemine.kinds.writing import Writing
from rulemine.kinds.written.block import MinimalQuery, SubgraphBlock
from rulemine.kinds.written.candidate import Refusal, Task, Writer
from rulemine.kinds.written.execution import Executor, RunFailure
from rulemine.kinds.written.replies import Unread, read_candidate
from rulemine.llm.replay import Replay
from rulemine.query.grading import Grades
from rulemine.query.minimality import minimal
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Query
from rulemine.recipe.inputs import Inputs
from rulemine.release.naming import Namer, name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.removal.selection import Selection

__all__ = ["AskReason", "ask_subgraphs"]

ID_DIGITS = 5
"""Minimum number of digits of a question id."""

MOST_AT_ONCE, FEWEST_AT_ONCE = 64, 8
"""Candidates of a batch: what is in flight together, and what is written beyond what was wanted."""

PATIENCE = 200
"""With a model: candidates without an accepted one after which the build ends."""

MOST_SPENT = 3
"""Times as many candidates as questions are written for the core and the cells of test, at most."""

GROWTH = 1.03
"""How much the number of accepted questions grows before it is seen again what is lacking."""

MOST_SHOWN = 4
"""Reasons that a message gives."""

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


class AskReason:
    """Why a valid candidate is no question, beside `rulemine.kinds.graded.Unaskable`."""

    SAME = "its query is that of another question"
    ENOUGH = SplitReason.FULL


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A candidate that is a question.

    Attributes:
        question: The question, with source labels, without id.
        task: What was written.
        valid: What it asks.
        keys: The calls made for it.
    """

    question: Question
    task: Task
    valid: Valid
    keys: tuple[str, ...]


def ask_subgraphs(
    inputs: Inputs,
    selection: Selection,
    writing: Writing,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """Has candidates written until enough of them are questions.

    Args:
        inputs: The inputs of the build.
        selection: The removed triples with certificates.
        writing: What a model is asked with; without a session the scripted writer writes.
        progress: Called with (questions, questions wanted).

    Returns:
        Questions with source labels and ids; with splits if they are split by group.

    Raises:
        UserError: There is no question.
    """
    return _Asking(inputs, selection, writing).run(progress)


class _Asking:
    """A build's questions in the making."""

    def __init__(self, inputs: Inputs, selection: Selection, writing: Writing) -> None:
        recipe = inputs.recipe
        self.inputs, self.writing, self.options = inputs, writing, recipe.own
        self.kg, self.templates = inputs.kg, inputs.templates
        removed = RemovedTriples.of(len(self.kg), selection)
        self.graph = QueryGraph(self.kg, removed.levels)
        self.wider = Wider.of(self.kg, inputs.further(None))
        self.grader = Grader(
            self.graph,
            removed,
            self.templates.declarations,
            self.wider,
            inputs.earlier,
            inputs.stale,
            recipe.questions.core_only,
        )
        further = self.wider.entities(self.kg) if self.wider else ()
        self.names = name_entities(
            self.kg.entities, seed=recipe.seed, labels=inputs.labels, further=further
        )
        self.naming = inputs.prompt_naming
        self.texts = Texts(self.names, self.templates, self.naming, recipe.verbalizer.language)
        self.drafting = Drafting(inputs, selection, self.names)
        self.aimer = self.drafting.aimer(inputs, selection, self._graded)
        self.facts = removed_facts(self.kg, selection)
        self.near = NearDuplicates(self.templates.declarations)
        self.grouped = recipe.questions.split == "group"
        self.grades: dict[str, Graded | str] = {}
        self.shapes: dict[str, str] = {}
        self.lacking = Lacking.all_of(recipe)
        self.seen = 0
        self.accepted: list[_Accepted] = []
        self.rejections: list[Rejection] = []
        self.queries: set[str] = set()
        self.reasons: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.mended: Counter[str] = Counter()
        self.written = 0

    def run(self, progress: Callable[[int, int], None] | None) -> QuestionSet:
        """See `ask_subgraphs`."""
        options = self.options
        most = options.candidates or 20 * options.questions
        with Executor(self.drafting.writer_names, options.seconds, options.rows) as executor:
            self.validator = Validator(
                self.drafting.writer_names,
                self.graph,
                self.templates.declarations,
                options,
                executor,
                wider=self.wider,
            )
            writer = self.drafting.writer(self.writing.session)
            while self.written < most and (lacking := self._lacking()):
                size = min(MOST_AT_ONCE, max(FEWEST_AT_ONCE, 4 * lacking), most - self.written)
                parents = [(one.valid, one.task) for one in self.accepted]
                numbers = range(self.written, self.written + size)
                self.grades.clear()
                tasks = [self.drafting.task(number, parents, self._aimed) for number in numbers]
                self._take_batch(tasks, writer)
                if progress is not None:
                    progress(options.questions - self.lacking.questions, options.questions)
                self._report()
        if not self.accepted:
            raise UserError(self._explain_none())
        if late := self.validator.unfinished:
            self.writing.note(
                f"{counted(late, 'query', 'queries')} did not end within {options.seconds:g} s "
                "(subgraphs.seconds); what the graph gives for their trees was taken."
            )
        return self._question_set()

    def _lacking(self) -> int:
        """How many questions are lacking, and for some time also those of the core and of cells."""
        if len(self.accepted) >= self.seen:
            self.seen = int(GROWTH * len(self.accepted)) + 1
            if self.grouped:
                self.lacking = Lacking.after(self._split(), self.inputs.recipe)
            else:
                more = max(0, self.options.questions - len(self._staying()))
                self.lacking = Lacking(more, 0, (), (), frozenset(), frozenset())
        if self.written >= MOST_SPENT * self.options.questions:
            return self.lacking.questions
        cells = [cell for cell in self.lacking.cells if not self.aimer.gives_up(cell)]
        return self.lacking.questions + self.lacking.core + len(cells)

    def _aimed(self, number: int) -> Task | None:
        """A task for what is lacking; None: there is nothing in particular, or nothing was found."""
        lacking = self.lacking
        if not self.grouped or not lacking.may_train:
            return None
        known = lacking.may_train, lacking.taken
        found = None
        if self.written < MOST_SPENT * self.options.questions and (lacking.core or lacking.cells):
            core = lacking.core > 0 and (number % 2 > 0 or not lacking.cells)
            cells = lacking.filling if core else lacking.cells
            found = self.aimer.task(number, Aim(core, cells, *known))
        return found or self.aimer.task(number, Aim(False, (), *known))

    def _staying(self) -> list[_Accepted]:
        """What was accepted, without near duplicates."""
        return [one for one in self.accepted if self.near.stays(one.question)]

    def _split(self) -> QuestionSet | None:
        """The split of what was accepted so far; None: it leaves no training question."""
        questions = [
            replace(one.question, id=f"q{place:09d}") for place, one in enumerate(self._staying())
        ]
        asked = QuestionSet((*questions,), (), (), 0, (), self.templates.declarations)
        try:
            return split_subgraphs(asked, self.inputs.recipe, self.facts, self.shapes)
        except UserError:
            return None

    def _take_batch(self, tasks: Sequence[Task], writer: Writer) -> None:
        """Accepts candidates or refuses them; a model may mend each once."""
        waiting: list[tuple[Task, tuple[str, ...]]] = []
        for task, (reply, keys) in zip(tasks, writer.write(tasks), strict=True):
            self.writing.concerns(keys)
            found = self._question(task, reply)
            if self.writing.session is None or isinstance(found, tuple) or not _may_mend(found):
                self._take(task, found, keys)
                continue
            if isinstance(found, Rejection):
                why = self.texts.objection
            else:
                why = f"{found.reason} ({found.detail})." if found.detail else f"{found.reason}."
            said = " ".join(str(reply).split())[:MOST_QUOTED]
            waiting.append((replace(task, refused=((said, why),)), keys))
        before = len(self.accepted)
        again = writer.write([task for task, _ in waiting])
        for (task, earlier), (reply, keys) in zip(waiting, again, strict=True):
            self.writing.concerns(keys)
            self._take(task, self._question(task, reply), (*earlier, *keys))
        self.mended.update(asked=len(waiting), accepted=len(self.accepted) - before)

    def _take(
        self,
        task: Task,
        found: tuple[Question, Valid] | Refusal | Rejection,
        keys: tuple[str, ...],
    ) -> None:
        """Accepts a candidate or refuses it."""
        self.written += 1
        if isinstance(found, tuple):
            question, valid = found
            self.queries.add(question.query)
            self.near.add(question)
            self.dropped.update(valid.dropped)
            self.accepted.append(_Accepted(question, task, valid, keys))
        else:
            self._refuse(found)

    def _question(
        self, task: Task, reply: str | Refusal
    ) -> tuple[Question, Valid] | Refusal | Rejection:
        """The question that a reply asks, or why it asks none."""
        candidate = read_candidate(reply) if isinstance(reply, str) else reply
        if isinstance(candidate, Refusal):
            return candidate
        valid = self.validator.validate(candidate, task.subgraph, task.atoms)
        if isinstance(valid, Refusal):
            return valid
        query = valid.query
        graded = self._graded(query)
        if isinstance(graded, str):
            return Refusal(graded, text=candidate.question, query=query.text)
        least = minimal(self.graph, query, self.templates.declarations)
        block = SubgraphBlock(
            answer=self.kg.entities[valid.answer],
            triples=tuple(sorted(self.grader.triples(valid.rows))),
            subgraph=tuple(sorted(self.grader.triples(task.subgraph.rows))),
            redundant=least.redundant,
            minimal_shape=least.shape,
            minimal=tuple(MinimalQuery(anchors, of.text) for anchors, of in least.queries),
            test_type=(),
            parent=task.subgraph.parent,
        )
        question = self.grader.question("subgraphs", graded, block)
        if self.writing.session is None:
            worded = self.texts.from_template(question)
        else:
            worded = self.texts.from_model(question, candidate.question)
        return worded if isinstance(worded, Rejection) else (worded, valid)

    def _graded(self, query: Query) -> Graded | str:
        """What a query gives, or why it is no question; what was found for a batch is not found again."""
        if query.text in self.queries:
            return AskReason.SAME
        if query.text not in self.grades:
            self.grades[query.text] = self._grade(query)
        return self.grades[query.text]

    def _grade(self, query: Query) -> Graded | str:
        options = self.options
        if self.grader.idle_parts.needless(Grades(self.graph, query)) and (
            options.minimal or not minimal(self.graph, query, self.templates.declarations).redundant
        ):
            return Unaskable.NEEDLESS
        graded = self.grader.grade(
            query, max_answers=options.max_answers, max_evidence=options.max_evidence
        )
        if isinstance(graded, str):
            return graded
        idle = self.grader.idle_parts.in_query(graded.grades, self.inputs.types, branches=False)
        return idle or graded

    def _refuse(self, found: Rejection | Refusal) -> None:
        """Counts what is refused, and keeps what has words."""
        self.reasons[found.reason] += 1
        if isinstance(found, Refusal):
            found = Rejection(
                "ask", found.reason, "", None, "", "", f"in the naming {self.naming}", found.text,
                query=found.query,
            )  # fmt: skip
        if found.text:
            self.rejections.append(found)

    def _report(self) -> None:
        """Says how far it is; ends a build whose model writes nothing that can be used."""
        share = len(self._staying()) / self.written
        self.writing.status(f"{share:.0%} of {counted(self.written, 'candidate')} accepted")
        session = self.writing.session
        if session is None or isinstance(session, Replay):
            return
        if not self.accepted and self.written >= PATIENCE // (4 if session.advice else 1):
            raise UserError(self._explain_none())

    def _explain_none(self) -> str:
        why = "; ".join(f"{n:,} × {reason}" for reason, n in self.reasons.most_common(MOST_SHOWN))
        session = self.writing.session
        advice = "" if session is None else session.advice
        return (
            f"no question is left: {counted(self.written, 'candidate')} ({why}).\n{advice}Allow more "
            "candidates (subgraphs.candidates) or answers (subgraphs.max_answers), name another model, or "
            "take a larger graph."
        )

    def _question_set(self) -> QuestionSet:
        staying = self._staying()
        if not self.grouped:
            del staying[self.options.questions :]
        kept = {one.question.query for one in staying}
        for one in self.accepted:
            if one.question.query not in kept:
                near = not self.near.stays(one.question)
                reason = NEAR_DUPLICATE if near else AskReason.ENOUGH
                self._refuse(
                    Refusal(reason, text=self._said(one.question), query=one.question.query)
                )
        width = max(ID_DIGITS, len(str(len(staying))))
        ids = {
            str(one.task.number): f"q{place:0{width}d}"
            for place, one in enumerate(staying, start=1)
        }
        questions = []
        for one in staying:
            block = one.question.block
            own = ids[str(one.task.number)]
            block = replace(block, parent=ids.get(block.parent, ""))
            questions.append(replace(one.question, id=own, block=block))
            self.writing.concerns(one.keys, [own])
        reference = {
            triple
            for question in questions
            if self.wider is not None and question.further
            for triple in self.wider.reference(parse(question.query), question.further)
        }
        counts: dict[str, Any] = {
            "wanted": self.options.questions,
            "questions": len(questions),
            "drawn": self.written,
            "rejected": dict(sorted(self.reasons.items())),
            "grown": sum(bool(one.task.subgraph.parent) for one in staying),
            "paraphrased": 0,  # as yet
        }
        if self.dropped:
            counts["dropped"] = dict(sorted(self.dropped.items()))
        if self.mended["asked"]:
            counts["mended"] = dict(self.mended)
        everything = QuestionSet(
            (),
            (),
            self.names,
            len(self.kg.entities),
            tuple(sorted(reference)),
            self.templates.declarations,
            {"subgraphs": counts},
        )
        asked = everything.keep(without_lost_parents(questions), self.rejections)
        if not self.grouped:
            return asked
        return split_subgraphs(asked, self.inputs.recipe, self.facts, self.shapes)

    def _said(self, question: Question) -> str:
        """The text of a question in the naming of the writer."""
        return Namer(self.names, self.templates, self.naming).question(question).question


def _may_mend(found: Refusal | Rejection) -> bool:
    return found.reason in _MENDABLE or found.reason.startswith(CHECKED)
