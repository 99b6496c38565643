"""The engine of all kinds of question: takes what a kind yields, checks it, deals it to the splits, words it.

A kind supplies `drafts`, which is called with an `Asking` and yields, for each thing that it tries, what was
found: a `Draft`, which is a query that `Asking.grade` found fit to be asked, with the block of the kind; a
text, which says why there is no question, e.g. what `Asking.grade` gives in place of grades; or, where the
kind grades and words on its own, a `Question` or a `Rejection`.

    def drafts(self, asking):
        for triple in asking.kg.labeled(asking.selection.head):
            for end in ("subject", "object"):
                graded = asking.grade(asking.link(triple, end), max_answers=20)
                yield graded if isinstance(graded, str) else Draft(graded, MyBlock(end))

All of these are asked, and split in the stage ``split``. A kind that draws more than it asks says how many
questions of which part are wanted (`rulemine.kinds.building.BuildingKind.parts`), and yields a `Tried`, with
the part and the stratum, as long as `Asking.open` says that it is worth it. `rulemine.kinds.dealing` takes
what is asked of these, in the order in which it came, and only that is put into words.

Guarantees: no two questions share a query or a text, or have the same answers and two constants in common;
none is asked by a release that the recipe names (``not_in``); no part of a query is idle, and a text names
every anchor and no answer in any naming; ids count questions in their order; what is not asked is counted by
reason, and kept where it has words.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulemine.config import keys_of
from rulemine.errors import UserError, counted
from rulemine.files import digest_of, read_text
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.bounds import Bounds, of_proofs
from rulemine.kinds.checks import Unaskable, refusal
from rulemine.kinds.dealing import DRAWN, Dealable, deal
from rulemine.kinds.graded import Graded, Grader, RemovedTriples
from rulemine.kinds.registry import KINDS
from rulemine.kinds.texts import Texts
from rulemine.kinds.writing import Writing
from rulemine.query.answers import missing_from
from rulemine.query.links import expanded
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.query.tree import Anchor, Projection, Query
from rulemine.query.wider import Wider
from rulemine.registry import packaged_or_given
from rulemine.release.naming import name_entities
from rulemine.release.proof_triples import RemovedFacts
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.removal.selection import Selection
from rulemine.rules.blocks import MapLike

if TYPE_CHECKING:
    from rulemine.recipe.inputs import Inputs

__all__ = [
    "HOPELESS",
    "MOST_SHOWN",
    "Asking",
    "Draft",
    "Tried",
    "link_to",
    "options_of",
    "question_ids",
]

HOPELESS = 50
"""A stratum is given up after so many refusals for one cause since its last candidate was taken."""

ID_DIGITS = 5
"""Minimum number of digits of a question id."""

MOST_SHOWN = 4
"""Reasons that a message gives."""


class Draft(NamedTuple):
    """What may become a question.

    Attributes:
        graded: Its query, with all answers.
        block: What only its kind has.
        text: Its text by a model, in `Inputs.prompt_naming`; None: the kind words it from templates.
    """

    graded: Graded
    block: Any
    text: str | None = None


class Tried(NamedTuple):
    """What was found for one thing that a kind tried.

    Attributes:
        part: Of which part of the questions it is, see `rulemine.kinds.building.BuildingKind.parts`.
        stratum: What it is like within the part, see `rulemine.kinds.dealing.Dealable`.
        found: A draft, a question without words, or why there is none.
        splits: The splits where it may be.
    """

    part: Hashable
    stratum: Hashable
    found: Draft | Question | Rejection | str
    splits: Collection[str] = DRAWN


class Asking:
    """A build that asks its questions. Whatever it has is made when it is first used.

    Args:
        inputs: The inputs of the recipe: graph, templates, types, earlier releases.
        selection: The removed triples with certificates.
        progress: Called with (done, wanted).
        writing: What a model is asked with; without a session none is.
        run: Calls a function with blocks of what is asked, perhaps in other processes, see
            `rulemine.rules.blocks.by_blocks`.

    Attributes:
        kind: The kind of question, a `rulemine.kinds.building.BuildingKind`.
        recipe: The recipe; `options` is the section of the kind.
        pool: What may be asked, in the order in which it came: each question, without id and split, and
            without words unless a model wrote it or the kind did, and what of it matters to the dealer.
        tried: Part → how many were tried.
        refused: Part → why others are not asked → how many.
        sampling: For the manifest: what was drawn, by part.
        records: File → its records, of the files that only releases of the kind have.
        reference: Triples that the graph lacks and that may answer a question, sorted; None: those in the
            derivations of further answers.
    """

    def __init__(
        self,
        inputs: "Inputs",
        selection: Selection,
        progress: Callable[[int, int], None] | None = None,
        writing: Writing | None = None,
        run: MapLike = map,
    ) -> None:
        self.inputs, self.selection = inputs, selection
        self.progress = progress or (lambda _done, _wanted: None)
        self.writing, self.map = writing or Writing(), run
        self.recipe, self.kg, self.templates = inputs.recipe, inputs.kg, inputs.templates
        self.kind: Any = KINDS.find(self.recipe.kind)
        self.options, self.seed = self.recipe.own, self.recipe.seed
        self.declarations = self.templates.declarations
        self.rejections: list[Rejection] = []
        self.queries: set[str] = set()
        self.sampling: dict[str, Any] = {}
        self.records: dict[str, tuple[Any, ...]] = {}
        self.pool: list[tuple[Question, Dealable]] = []
        self.tried: Counter[Hashable] = Counter()
        self.refused: defaultdict[Hashable, Counter[str]] = defaultdict(Counter)
        self._have: Counter[tuple[Hashable, Hashable]] = Counter()
        self._since: defaultdict[tuple[Hashable, Hashable], Counter[str]] = defaultdict(Counter)
        self._words: dict[int, Question | Rejection] = {}
        self._found: Counter[Hashable] = Counter()
        self.reference: Sequence[Triple] | None = None

    def run(self) -> QuestionSet:
        """All questions, with source labels and ids, without splits unless these decide what is asked.

        Raises:
            UserError: There is none.
        """
        for made in self.kind.drafts(self):
            self.consider(made if isinstance(made, Tried) else Tried("", "", made))
        questions, reasons = self.dealt()
        for i, why in reasons.items():
            question, candidate = self.pool[i]
            worded = self._words.get(i)
            if not isinstance(worded, Rejection):
                text = question.question if question.wording == "model" else ""
                worded = Rejection("ask", why, "", None, "", "", "", text, query=question.query)
            self.refuse(worded, candidate.part)
        if not questions:
            raise UserError(
                f"no question is left: {counted(self.tried.total(), 'draft')} ({self.why}). Loosen the "
                f"options of the section {self.recipe.kind}, or take a larger graph."
            )
        if self.parts:
            questions = self._by_part(questions)
        numbered = zip(questions, question_ids(len(questions)), strict=True)
        questions = self.kind.finished(self, [replace(q, id=q.id or own) for q, own in numbered])
        if self.reference is None:
            self.reference = sorted(
                {
                    triple
                    for q in questions
                    if self.wider and q.further
                    for triple in self.wider.reference(parse(q.query), q.further)
                }
            )
        everything = QuestionSet(
            (),
            (),
            self.names,
            len(self.names) - len(self._further),
            tuple(self.reference),
            self.declarations,
            self.sampling,
            self.records,
        )
        return everything.keep(questions, self.rejections)

    def consider(self, tried: Tried) -> None:
        """Takes what a kind found into account; may be called in place of yielding it."""
        part, stratum, found, splits = tried
        self.tried[part] += 1
        if isinstance(found, Draft):
            found = self.question(found)
        if not isinstance(found, Question):
            self._since[part, stratum][found if isinstance(found, str) else found.reason] += 1
            self.refuse(found, part)
            return
        self._since.pop((part, stratum), None)
        self._have[part, stratum] += 1
        self.pool.append((found, self._dealable(part, stratum, found, splits)))
        self._found[part] += 1
        if self.parts:
            done = sum(min(wanted, self._found[own]) for own, wanted in self.parts.items())
            self.progress(done, sum(self.parts.values()))

    def open(self, part: Hashable, stratum: Hashable, wanted: int) -> bool:
        """Whether it is worth trying for more of a stratum.

        Args:
            part: Its part.
            stratum: The stratum.
            wanted: How many candidates of it are enough.
        """
        hopeless = max(self._since[part, stratum].values(), default=0) >= HOPELESS
        return self._have[part, stratum] < wanted and not hopeless

    def dealt(self) -> tuple[list[Question], dict[int, str]]:
        """What would be asked of all that was found so far.

        Returns:
            The questions with their splits and words, in the order in which they were found; and place in
            `pool` of each other one → why it is not asked.
        """
        made = dict[int, Question]()
        candidates = [candidate for _, candidate in self.pool]
        plan = self.kind.plan(self, candidates)
        core = plan["test"].core if "test" in plan else None
        bounds = self.bounds(core)

        def take(i: int, split: str) -> str | None:
            question = self.pool[i][0]
            if (why := bounds.objection(split, question)) is not None:
                return why
            if i not in self._words:
                worded = question if question.question else self.texts.from_template(question)
                self._words[i] = worded
            if isinstance(worded := self._words[i], Rejection):
                return worded.reason
            bounds.add(split, question)
            made[i] = replace(worded, split=split or worded.split)
            return None

        _, reasons = deal(candidates, plan, take)
        return [made[i] for i in sorted(made)], reasons

    def bounds(self, core: int | None) -> Bounds:
        """What no more than so many questions may have in common, before any is asked.

        Args:
            core: How many questions of the core test should have; None: splits are not held apart.
        """
        own = partial(self.kind.bounds, self)
        if core is None:
            return Bounds(own)
        texts = {row.entity: row.text for row in self.names}
        return Bounds(own, of_proofs(self.kg, self.selection.rules, self.facts, core, texts))

    def _dealable(
        self, part: Hashable, stratum: Hashable, question: Question, splits: Collection[str]
    ) -> Dealable:
        """What of a question matters to the dealer."""
        if not self.parts:
            return Dealable(part, stratum, frozenset(), frozenset())
        needed, marks = self.facts.needed_by(question), frozenset(self.kind.marks(question))
        if len(needed) > self.recipe.questions.max_facts:
            splits = [split for split in splits if split == "train"]
        given = self.facts.given_by(question) | marks
        return Dealable(part, stratum, needed | marks, given, question.core, splits)

    def _by_part(self, questions: Sequence[Question]) -> list[Question]:
        """The questions in the order of their parts and queries, counted for the manifest.

        Raises:
            UserError: There is none for some split.
        """
        empty = {split for _, one in self.pool for split in one.splits} - {
            q.split for q in questions
        }
        if questions[0].split and empty:
            raise UserError(
                f"{counted(len(questions), 'question')} could be drawn, none of them for "
                f"{' and '.join(sorted(empty))} ({self.why}). Set questions.split to random or none, "
                f"ask for more ({self.kind.limits.amount}), or build from a larger graph."
            )
        part_of = {question.query: candidate.part for question, candidate in self.pool}
        asked = Counter(part_of[q.query] for q in questions)
        self.sampling |= {
            str(part): {
                "wanted": wanted,
                "questions": asked[part],
                "drawn": self.tried[part],
                "rejected": dict(sorted(self.refused[part].items())),
            }
            for part, wanted in self.parts.items()
        }
        places = {part: place for place, part in enumerate(self.parts)}
        return sorted(questions, key=lambda q: (places[part_of[q.query]], q.query))

    @cached_property
    def parts(self) -> Mapping[Hashable, int]:
        """Part → how many questions of it are wanted; empty: all that is found is asked."""
        return dict(self.kind.parts(self))

    def grade(self, query: Query, *, max_answers: int = 0, max_evidence: int = 0) -> Graded | str:
        """Grades a query, or says why it is no question: one of `rulemine.kinds.checks.Unaskable`.

        Args:
            query: The query, with all statements of its relations.
            max_answers: Most answers, further ones included; 0: any number.
            max_evidence: Most triples of evidence; 0: any number.
        """
        if query.text in self.queries:
            return Unaskable.SAME
        graded = Graded(self.grader, query, max_answers or math.inf, max_evidence or math.inf)
        return refusal(graded) or graded

    def question(self, draft: Draft) -> Question | Rejection:
        """The question of a draft, with the words of a model if there are any, or why it cannot have them."""
        made = draft.graded.question(self.kind.name, draft.block)
        found = made if draft.text is None else self.texts.from_model(made, draft.text)
        if isinstance(found, Question):
            self.queries.add(found.query)
        return found

    def link(self, triple: Triple, end: str) -> Query:
        """See `link_to`."""
        return link_to(triple, end, self.declarations)

    def refuse(self, found: Rejection | str, part: Hashable = "") -> None:
        """Counts what is not asked, and keeps it for the release where it has words, a triple or an id."""
        self.refused[part][found if isinstance(found, str) else found.reason] += 1
        if isinstance(found, Rejection) and (found.text or found.removed or found.question):
            self.rejections.append(found)

    @property
    def why(self) -> str:
        """The most frequent reasons, in words."""
        most = sum(self.refused.values(), Counter[str]()).most_common(MOST_SHOWN)
        return "; ".join(f"{number:,} × {reason}" for reason, number in most)

    @cached_property
    def removed(self) -> RemovedTriples:
        """What is removed, by rows of the graph."""
        return RemovedTriples.of(len(self.kg), self.selection)

    @cached_property
    def graph(self) -> QueryGraph:
        """The graph with the level at which each triple is removed."""
        return QueryGraph(self.kg, self.removed.levels)

    @cached_property
    def lacking(self) -> KnowledgeGraph | None:
        """The triples that the graph lacks and that supply further answers; None: there are none."""
        larger = self.inputs.further(self.progress)
        found = None if larger is None else missing_from(self.kg, larger)
        return found if found is not None and len(found) else None

    @cached_property
    def wider(self) -> Wider | None:
        """The graph with these triples."""
        return None if self.lacking is None else Wider.of(self.kg, self.lacking)

    @cached_property
    def grader(self) -> Grader:
        """Grades queries."""
        return Grader(
            self.graph,
            self.removed,
            self.templates,
            self.inputs.types,
            self.wider,
            self.inputs.earlier,
            self.inputs.stale,
            self.recipe.restated,
        )

    @cached_property
    def names(self) -> tuple[EntityNames, ...]:
        """The names of all entities."""
        return name_entities(
            self.kg.entities,
            seed=self.seed,
            labels=self.inputs.labels,
            aliases=self.inputs.aliases,
            further=self._further,
        )

    @cached_property
    def texts(self) -> Texts:
        """Words questions, each otherwise."""
        naming, language = self.inputs.prompt_naming, self.recipe.verbalizer.language
        return Texts(self.names, self.templates, naming, language)

    @cached_property
    def facts(self) -> RemovedFacts:
        """The facts that are removed, which no split may give away to a later one."""
        return RemovedFacts(self.kg.labeled(self.selection.head))

    @cached_property
    def _further(self) -> list[str]:
        """The entities that only further answers and their derivations have, sorted."""
        if self.reference is None:
            return self.wider.entities(self.kg) if self.wider else []
        return sorted({end for s, _, o in self.reference for end in (s, o)} - {*self.kg.entities})


def options_of(inputs: "Inputs") -> dict[str, Any]:
    """What the kind adds to the key of the stage ``ask``: its section and what it reads, files as digests."""
    recipe, chosen, kind = inputs.recipe, inputs.recipe.questions, KINDS.find(inputs.recipe.kind)
    section, read = recipe.own.portable(), {key for one in kind.inputs for key in one.keys}
    for key in keys_of(recipe.own, f"{recipe.kind}."):
        name = key.path[-1]
        if key.name in read:
            del section[name]  # its digest says more
        elif key.option.file and section[name]:
            path = packaged_or_given(section[name], key.option.packaged)
            section[name] = digest_of(read_text(path).encode())
    return {
        "kind": [recipe.kind, section],
        "mode": [recipe.selection.mode, chosen.max_answers],
        "splits": [chosen.split, chosen.test_core, *chosen.ratios, chosen.max_facts],
        "excluded": sorted(inputs.excluded),
        **inputs.digests(),
        **({"naming": recipe.naming, **inputs.model_options()} if kind.wording.writes else {}),
    }


def link_to(triple: Triple, end: str, declarations: Declarations) -> Query:
    """The query that asks for an end of a triple, ``subject`` or ``object``, however it is stated."""
    subject, relation, object_ = triple
    inverse = end == DIRECTIONS[0]
    one = Projection(relation, inverse, Anchor(object_ if inverse else subject))
    return expanded(one, declarations)


def question_ids(number: int, most: int = 0) -> list[str]:
    """The ids of so many questions; of a number of digits that `most` of them need too."""
    width = max(ID_DIGITS, len(str(max(number, most))))
    return [f"q{place:0{width}d}" for place in range(1, number + 1)]
