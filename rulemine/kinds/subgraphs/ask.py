"""Makes the questions of the kind ``subgraphs``: which tasks are written, and what is kept.

A subgraph is drawn, or grown from that of an accepted question (`Grower`), or drawn for what the release
still lacks (`Aimer`); a writer writes a candidate for it, which is validated and graded (SynthKGQA, section 3
and appendix A; the grades are ours). It is enough when the questions that `rulemine.kinds.subgraphs.split`
keeps are as many as wanted. Guarantee: a task depends on its number, and if it grows another or is for what
is lacking, on what was accepted before its batch.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import UserError, counted
from rulemine.kinds.asking import Asking, Draft, question_ids
from rulemine.kinds.graded import Graded
from rulemine.kinds.locks import Patterns
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE
from rulemine.kinds.subgraphs.listed import ListedTrees, is_listed, plan_of
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.sampling import Sampler
from rulemine.kinds.subgraphs.split import Cell, Lacking, SplitReason, split_subgraphs
from rulemine.kinds.subgraphs.validation import GRAPHS_OWN, Mistake, Valid, Validator
from rulemine.kinds.texts import CHECKED
from rulemine.kinds.written.block import MinimalQuery, SubgraphBlock
from rulemine.kinds.written.candidate import FORMS, Candidate, Refusal, Subgraph, Task
from rulemine.kinds.written.engine import FEWEST_AT_ONCE, MOST_AT_ONCE, Engine, Made
from rulemine.kinds.written.execution import SECONDS, Executor, RunFailure
from rulemine.kinds.written.replies import Unread, read_candidate
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.phrasing.compose import reads_well
from rulemine.phrasing.templates import Templates
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.query.structures import structure_of, tree_shapes
from rulemine.query.tree import Query
from rulemine.recipe.joins import Joins
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.removal.selection import Selection
from rulemine.seeds import Stream, stream

if TYPE_CHECKING:
    from rulemine.llm.call import Call

__all__ = ["Aim", "Aimer", "Grower", "SubgraphEngine"]

Ints = npt.NDArray[np.int64]

MOST_TRIPLES = 6
"""Triples of a question at most: SynthKGQA's table of shapes ends there."""

CANDIDATES = 20
"""Times as many candidates as questions are written, at most."""

COUNT_SHARE, WITHOUT_SHARE = 0.05, 0.05
"""Fraction of the candidates that ask how many, and that leave some answers out (FILTER NOT EXISTS)."""

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


class Grower:
    """Grows subgraphs of accepted questions by a triple, to reach longer and rarer shapes.

    As the public code of SynthKGQA does: an accepted answer subgraph gets one triple more, at a topic entity
    (the node beyond it becomes a topic) or at the answer (the node beyond becomes the answer), and context is
    drawn around it again up to full size.

    Args:
        sampler: Draws what comes new, with its sizes, chances and relations.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._triples = sampler.kg.triples

    def grow(
        self,
        rows: Sequence[int],
        answer: int,
        seeds: Collection[int],
        random: Stream,
        parent: str = "",
    ) -> Subgraph | None:
        """A subgraph around an answer subgraph and one triple more.

        The end that it grows at is drawn uniformly from the topic entities and the answer; the node beyond as
        the algorithm draws one; of several triples that lead there, one uniformly.

        Args:
            rows: The triples that the accepted question uses, rows of the complete graph: a tree.
            answer: Its answer, one of their ends.
            seeds: Its topic entities, likewise.
            random: The stream.
            parent: Key of the accepted candidate.

        Returns:
            The subgraph: first `rows`, then the new triple, then all other triples between their nodes, then
            the context. None if no end has a neighbor outside.
        """
        draw = self._sampler
        ends = (end for row in rows for end in self._triples[row, [0, 2]].tolist())
        nodes = list(dict.fromkeys(ends))
        sides = sorted({answer, *seeds})
        while sides:
            side = sides.pop(random.below(len(sides)))
            found = draw.beyond(side, nodes, random)
            if found is None:
                continue
            beside = draw.between(found, [side])
            first = [*rows, beside[random.below(len(beside))]]
            return draw.around(first, random, parent)
        return None


_Edge = tuple[int, tuple[int, int]]
"""A row of the graph, and its ends."""

SUBGRAPHS, TREES = 6, 30
"""Subgraphs tried for a task, and trees of each."""

LISTED_TRIPLES, LISTED_TREES = 96, 10
"""Over a list of joins: triples tried for a task, and trees with each; from most triples, a list leads to no
tree of the larger shapes."""

PATIENCE = 10
"""Tasks for a cell without anything found, in a row, after which contrived queries are asked for it too, and
then nothing is tried for it."""

_NAMES = re.compile(r'(\(p-? "(?:[^"\\]|\\.)*")|"(?:[^"\\]|\\.)*"')
"""Of the text of a query: a relation, as the first group, or else an entity."""

_LEAF = re.compile(r"\d\)")
"""Of the code of a shape: an anchor."""


class Aim(NamedTuple):
    """What a release lacks.

    Attributes:
        core: Whether only questions of the core are wanted.
        cells: The cells of test that lack questions; none: training does.
        may_train: The relations that training may have.
        taken: The answers of test questions.
    """

    core: bool
    cells: tuple[Cell, ...]
    may_train: frozenset[str]
    taken: frozenset[str]


class Aimer:
    """Draws tasks for what a release lacks: questions of the core, cells of the test split, or of training.

    A triple that such a question may rest on is drawn, a subgraph around it, and trees of its triples with
    the triple in them, until one is a query that can be asked and is of the kind that is wanted. The writer
    is to use these triples and this answer, as for what is grown.

    Args:
        sampler: Draws subgraphs.
        options: The section of the recipe.
        templates: The templates of all relations.
        selection: What is removed.
        seed: The seed of the build.
        graded: What a query gives, or why it cannot be asked.
        lift: Has contrived queries of a shape asked too; whether that is new.
        joins: The joins that people make; None: there is no list of them.
    """

    def __init__(
        self,
        sampler: Sampler,
        options: SubgraphSection,
        templates: Templates,
        selection: Selection,
        seed: int,
        graded: "Callable[[Query], Graded | str]",
        lift: Callable[[str], bool],
        joins: Joins | None = None,
    ) -> None:
        self._sampler, self._options, self._seed = sampler, options, seed
        self._templates, self._graded, self._kg = templates, graded, sampler.kg
        self._lift = lift
        used = sampler.rows
        declared = templates.declarations
        self._listed = None if joins is None else ListedTrees(self._kg, used, joins, declared)
        self._unlisted: set[Cell | str | None] = set()
        self._core = np.intersect1d(selection.head[selection.core], used)
        removed = np.intersect1d(selection.removed, used)
        self._starts = removed if options.start == "removed" and len(removed) else used
        most_first = range(MOST_TRIPLES, 0, -1)  # shapes of up to so many triples
        self._sizes = {shape: n for n in most_first for shape in tree_shapes(n)}
        self._rows_of: dict[str, Ints] = {}
        self._shapes: dict[tuple[int, ...], str] = {}
        self._asked_at = cache(self._asks_end)
        self._reading: dict[str, bool] = {}
        self._failed: Counter[Cell | str | None] = Counter()

    def task(self, number: int, aim: Aim) -> Task | None:
        """A task; None where nothing that fits was found.

        Args:
            number: Its number, from 0.
            aim: What is lacking.
        """
        random = stream(self._seed, "subgraphs", "aim", number, len(aim.cells))
        cells = [cell for cell in aim.cells if aim.core or not self.gives_up(cell)]
        if aim.cells and not cells:
            return None
        cell = cells[random.below(len(cells))] if cells else None
        leaves = len(_LEAF.findall(cell[1])) if cell else 0
        wanted: Cell | str | None = None if aim.core else cell
        if aim.core and self._listed is not None:
            wanted = "core"  # without a list, as patient with it as with training
        tried: set[tuple[frozenset[int], int]] = set()
        over_list = LISTED_TRIPLES if self._listed is not None else 0
        elsewhere = 0 if over_list and wanted not in self._unlisted else SUBGRAPHS
        for at in range(over_list + elsewhere):
            rows = self._starting(cell, aim)
            row = int(rows[random.below(len(rows))])
            atoms = self._sizes[cell[1]] if cell else 1 + random.below(MOST_TRIPLES)
            s, _, o = self._kg.triples[row].tolist()
            listed, subgraph = self._listed if at < over_list else None, None
            if listed is None:
                subgraph = self._sampler.fill([s, o], self._sampler.between(o, [s]), random)
                shown = list(zip(subgraph.rows, self._ends(subgraph.rows), strict=True))
            for _ in range(LISTED_TREES if listed else TREES):
                if listed is not None:
                    plan = plan_of(cell[1]) if cell else _any_plan(atoms, random)
                    if (drawn_tree := listed.draw(plan, row, random)) is None:
                        continue
                    tree, answer = drawn_tree
                    if not self._asks(tree, answer):
                        continue
                else:
                    grown = _tree(shown, (row, (s, o)), atoms, random)
                    if grown is None:
                        break
                    tree = grown
                    degrees = Counter(end for _, ends in tree for end in ends)
                    answer = [*degrees][random.below(len(degrees))]
                    anchors = sum(n == 1 and end != answer for end, n in degrees.items())
                    if leaves and anchors != leaves:
                        continue
                    if not self._asks(tree, answer):  # the other end of a chain may be asked for
                        others = [
                            e for e, n in degrees.items() if n == degrees[answer] and e != answer
                        ]
                        answer = next((e for e in others if self._asks(tree, e)), answer)
                chosen = [place for place, _ in tree]
                # Small trees are drawn again and again.
                if (drawn := (frozenset(chosen), answer)) in tried:
                    continue
                tried.add(drawn)
                if self._fits(tree, answer, aim):
                    self._failed[wanted] = 0
                    around = subgraph or self._sampler.around(chosen, random)
                    return Task(number, around, atoms, given=tuple(chosen), answer=answer)
        self._failed[wanted] += 1
        if self._failed[wanted] >= PATIENCE:
            shapes = {one[1] for one in (cells if aim.core else [cell]) if one is not None}
            if sum(map(self._lift, sorted(shapes))):
                self._failed[wanted] = 0
            elif self._listed is not None and wanted not in self._unlisted:
                self._unlisted.add(wanted)
                self._failed[wanted] = 0
        return None

    def gives_up(self, cell: Cell) -> bool:
        """Whether too many tasks for a cell found nothing in a row."""
        return self._failed[cell] >= PATIENCE

    def _starting(self, cell: Cell | None, aim: Aim) -> Ints:
        """The triples that a question may start from."""
        if aim.core and len(self._core):
            return self._core
        if cell is None or cell[0] != "urt":
            return self._starts
        key = " ".join(sorted(aim.may_train))
        if key not in self._rows_of:
            known = [self._kg.relation_ids[name] for name in sorted(aim.may_train)]
            rows = self._sampler.rows
            rare = rows[~np.isin(self._kg.triples[rows, 1], known)]
            self._rows_of = {key: rare if len(rare) else self._starts}
        return self._rows_of[key]

    def _ends(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """The ends of some rows."""
        return [(s, o) for s, _, o in self._kg.triples[list(rows)].tolist()]

    def _asks(self, tree: Sequence[_Edge], answer: int) -> bool:
        """Whether a tree asks for an end that is asked for."""
        beside = [row for row, ends in tree if answer in ends]
        return len(beside) > 1 or self._asked_at(beside[0], answer)

    def _asks_end(self, row: int, answer: int) -> bool:
        """Whether an end of a triple is asked for."""
        triples = self._kg.labeled(np.array([row], np.int64))
        return self._templates.asks(query_of_triples(triples, self._kg.entities[answer]))

    def _shape(self, tree: Sequence[_Edge], answer: int) -> str:
        """The shape code of a tree, whatever its relations."""
        numbers = {answer: 0}
        nodes = [numbers.setdefault(end, len(numbers)) for _, ends in tree for end in ends]
        key = tuple(nodes)
        if key not in self._shapes:
            edges = [(str(s), "", str(o)) for s, o in zip(nodes[::2], nodes[1::2], strict=True)]
            self._shapes[key] = structure_of(query_of_triples(edges, "0")).shape
        return self._shapes[key]

    def _fits(self, tree: Sequence[_Edge], answer: int, aim: Aim) -> bool:
        """Whether a tree is a question of the kind that is wanted."""
        kg, declared = self._kg, self._templates.declarations
        triples = kg.labeled(np.array([row for row, _ in tree], np.int64))
        known = all(relation in aim.may_train for _, relation, _ in triples)
        if not (known or aim.cells):
            return False
        shape = self._shape(tree, answer)
        place = "id" if known else "urt"
        if shape in self._options.reserved_shapes:
            place = "ugt"
        trains = place == "id" and not aim.cells
        if not trains and (place, shape) not in aim.cells:
            return False
        if not self._asks(tree, answer):
            return False
        query = query_of_triples(triples, kg.entities[answer])
        # It reads as well with any other names.
        pattern = _NAMES.sub(lambda found: found[1] or "", query.text)
        if pattern not in self._reading:
            self._reading[pattern] = reads_well(query, self._templates)
        if not self._reading[pattern]:
            return False
        found = self._graded(expanded(query, declared))
        if isinstance(found, str):
            return False
        if aim.core and not (found.asked_for and found.asked_for.core):
            return False
        return not trains or aim.taken.isdisjoint((*found.grades.answers, *found.further))


def _any_plan(atoms: int, random: Stream) -> tuple[int, ...]:
    """The plan of a tree of so many links: each is put at any node, the first of which is the answer."""
    return tuple(random.below(node) for node in range(1, atoms + 1))


def _tree(shown: Sequence[_Edge], first: _Edge, atoms: int, random: Stream) -> list[_Edge] | None:
    """So many rows, each with its ends, that form a tree with the first of them; None: there is none."""
    tree, nodes = [first], {*first[1]}
    while len(tree) < atoms:
        beside = [one for one in shown if (one[1][0] in nodes) != (one[1][1] in nodes)]
        if not beside:
            return None
        tree.append(beside[random.below(len(beside))])
        nodes.update(tree[-1][1])
    return tree


class SubgraphEngine(Engine[Task, Candidate]):
    """A build's questions in the making, see `Engine`."""

    noun = "candidate"
    patience = 200
    advice = (
        "Ask for more questions (subgraphs.questions), for which more candidates are written, name another "
        "model, or take a larger graph."
    )

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        options, selection, inputs = self.options, asking.selection, self.inputs
        ends = distinct(self.kg.triples[selection.removed][:, [0, 2]])
        at_removed = options.start == "removed" and len(ends)
        start = ends.astype(np.int64) if at_removed else None
        self._sampler = Sampler(self.kg, inputs.excluded, start)
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
        self._patterns = Patterns.of(asking.kg, asking.selection.rules, asking.facts)
        self._lacking = Lacking.all_of(asking.recipe)
        self._seen = 0
        self._made_of: dict[str, tuple[Valid, Task]] = {}
        self._dropped: Counter[str] = Counter()
        self._mended: Counter[str] = Counter()

    def drafts(self) -> Iterator[Question]:
        """See `Engine`; with splits, if they are by group."""
        asking = self.asking
        with Executor(self.names) as executor:
            self._validator = Validator(
                self.names, asking.graph, asking.declarations, executor, wider=asking.wider
            )
            made = list(super().drafts())
        if late := self._validator.unfinished:
            self.writing.note(
                f"{counted(late, 'query', 'queries')} did not end within {SECONDS:g} s; what the graph "
                "gives for their trees was taken."
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

    @property
    def most(self) -> int:
        """How many candidates are written at most."""
        return CANDIDATES * int(self.options.questions)

    def tasks(self) -> list[Task] | None:
        """See `Engine`."""
        if self.drawn >= self.most or not (lacking := self._still_lacking()):
            return None
        size = min(MOST_AT_ONCE, max(FEWEST_AT_ONCE, 4 * lacking), self.most - self.drawn)
        self._grades.clear()
        parents = [self._made_of[question.query] for question in self.found]
        return [self._task(self.drawn + place, parents) for place in range(size)]

    def _task(self, number: int, parents: Sequence[tuple[Valid, Task]]) -> Task:
        random = stream(self.asking.seed, "subgraphs", "task", number)
        chance = float(random.uniform(1)[0])
        form = FORMS[0]
        if chance < COUNT_SHARE + WITHOUT_SHARE:
            form = "count" if chance < COUNT_SHARE else "without"
        if parents and random.uniform(1)[0] < self.options.grow:
            valid, task = parents[random.below(len(parents))]
            if (grown := self._grown(number, valid, task)) is not None:
                return grown
        if form == FORMS[0] and number % 8 and (aimed := self._aimed(number)) is not None:
            return aimed
        return self._fresh(number, form, random)

    def _fresh(self, number: int, form: str, random: Stream) -> Task:
        subgraph = self._sampler.draw(stream(self.asking.seed, "subgraphs", "draw", number))
        most = min(MOST_TRIPLES, len(subgraph.nodes) - 1)
        return Task(number, subgraph, 1 + random.below(most), form)

    def _grown(self, number: int, valid: Valid, task: Task) -> Task | None:
        """A task that adds a triple to what was accepted; None where nothing can be added."""
        if task.atoms == MOST_TRIPLES:
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
        return split_subgraphs(given, asking.recipe, asking.facts, self._patterns, self._shapes)

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
                self._settle(made, keys)
                continue
            if isinstance(made, Rejection):
                why = self.asking.texts.objection
            else:
                why = f"{made.reason} ({made.detail})." if made.detail else f"{made.reason}."
            said = " ".join(str(reply).split())[:MOST_QUOTED]
            waiting.append((replace(task, refused=((said, why),)), keys))
        before = len(self.found)
        again = self.written([task for task, _ in waiting])
        for (_, earlier), (_, _, made, keys) in zip(waiting, again, strict=True):
            self._settle(made, (*earlier, *keys))
        self._mended.update(asked=len(waiting), accepted=len(self.found) - before)
        self.report(self.options.questions - self._lacking.questions, len(self._staying()))

    def _settle(self, made: Made, keys: tuple[str, ...]) -> None:
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
        form, grader = structure_of(valid.query, self.asking.declarations), self.asking.grader
        self._made_of[valid.query.text] = valid, task
        block = SubgraphBlock(
            answer=self.kg.entities[valid.answer],
            triples=tuple(sorted(grader.triples(valid.rows))),
            subgraph=tuple(sorted(grader.triples(task.subgraph.rows))),
            redundant=False,
            minimal_shape=form.shape,
            minimal=(MinimalQuery(form.anchors, valid.query.text),),
            test_type=(),
            parent=task.subgraph.parent,
        )
        return Draft(graded, block)

    def grade(self, query: Query) -> Graded | str:
        """What a query gives, or why it is no question; what was found for a batch is not found again."""
        if query.text in self.asking.queries or query.text not in self._grades:
            self._grades[query.text] = self.graded(query)
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
