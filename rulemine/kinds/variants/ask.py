"""Makes the questions of the kind ``variants``: from seed sets to pairs to questions, graded and judged.

Each seed set is connected to a subgraph; a writer is shown its triples in random order and replies with
pairs; each pair is read, held against the subgraph, executed, graded, put into words in all namings, and
judged (Dynamic-KGQA; what is executed and graded is ours). Which of them are kept for which split, and when
it is enough, `rulemine.kinds.variants.seed_splits` says.

Guarantees: no two questions share a query or a text; no part of one is idle; questions come in the order of
the seed sets, and of one set in the order of the reply; the same seed and replies give the same questions,
however many calls are in flight; what is refused is counted by reason, and kept if it has words.
Over 400 lines because all that becomes of a candidate is in one place.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rulemine.errors import NoTreeError, UserError, counted
from rulemine.judging.panel import JudgedQuestion, Panel, Stated, seat_judges
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.graded import Grader, RemovedTriples, Unaskable, Wider
from rulemine.kinds.locks import removed_facts
from rulemine.kinds.texts import Texts
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.judging import Judges, Vote
from rulemine.kinds.variants.pair_writers import ModelPairs, PairTask, PairWriter, WithoutModel
from rulemine.kinds.variants.pairs import Pair, PairReason, Shown, Verified, pairs_of, verified
from rulemine.kinds.variants.seed_splits import Dealt, SeedSplits
from rulemine.kinds.variants.seed_texts import SeedSet
from rulemine.kinds.variants.topics import Topics
from rulemine.kinds.writing import Writing
from rulemine.kinds.written.block import VariantBlock
from rulemine.kinds.written.candidate import Refusal, Subgraph
from rulemine.kinds.written.scripted_pairs import ScriptedPairs
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.replay import Replay
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.grading import Grades
from rulemine.query.links import expanded
from rulemine.query.minimality import minimal
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.recipe.inputs import Inputs
from rulemine.release.naming import Namer, name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.release.seed_rows import SEED_TEXTS, SeedRow
from rulemine.removal.selection import Selection
from rulemine.seeds import stream
from rulemine.verbalizer.requests import SEEDS

__all__ = ["ask_variants", "shown_in_order"]

ID_DIGITS = 5
"""Minimum number of digits of a question id."""

MOST_AT_ONCE, FEWEST_AT_ONCE = 64, 8
"""Seed sets of a batch: what is in flight together, and what is asked beyond what was wanted."""

PATIENCE = 50
"""With a model: seed sets without a question after which the build ends."""

MOST_SHOWN = 4
"""Reasons that a message gives."""


class _Found(NamedTuple):
    """A question that may be accepted.

    Attributes:
        question: The question, with source labels, without id.
        keys: The calls made for it so far.
    """

    question: Question
    keys: tuple[str, ...]


def ask_variants(
    inputs: Inputs,
    sets: Sequence[SeedSet],
    selection: Selection,
    writing: Writing,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """Asks about seed sets until there are enough questions.

    Args:
        inputs: The inputs of the build.
        sets: The seed sets, in the order in which they are asked about.
        selection: The removed triples with certificates.
        writing: What a model is asked with; without a session the scripted writer writes.
        progress: Called with (questions, questions wanted).

    Returns:
        Questions with source labels and ids, with splits if seed texts are split, and the seed sets that were
        asked about.

    Raises:
        UserError: There is no question, or none for a split.
    """
    return _Asking(inputs, sets, selection, writing).run(progress)


def shown_in_order(
    names: WriterNames, rows: Sequence[int], seed: int, run: int, seed_set: str
) -> Shown:
    """The triples of a subgraph in the random order in which a writer sees them, Reorder(G', R) of the paper.

    Args:
        names: The names of the entities in prompts.
        rows: Rows of the complete graph.
        seed: The seed of the build.
        run: The run, see `VariantSection.run`.
        seed_set: The id of the seed set.
    """
    order = stream(seed, "variants", run, seed_set).permutation(len(rows)).tolist()
    ordered = tuple(rows[place] for place in order)
    kg = names.kg
    triples = [
        (names.label(s), kg.relations[r], names.label(o))
        for s, r, o in kg.triples[list(ordered)].tolist()
    ]
    return Shown(ordered, tuple(triples))


class _Asking:
    """A build's questions in the making."""

    def __init__(
        self, inputs: Inputs, sets: Sequence[SeedSet], selection: Selection, writing: Writing
    ) -> None:
        recipe = inputs.recipe
        self.inputs, self.writing = inputs, writing
        self.options, self.seed, self.kg = recipe.own, recipe.seed, inputs.kg
        self.templates, self.naming = inputs.templates, inputs.prompt_naming
        removed = RemovedTriples.of(len(self.kg), selection)
        graph = QueryGraph(self.kg, removed.levels)
        self.wider = Wider.of(self.kg, inputs.further(None))
        self.grader = Grader(
            graph,
            removed,
            self.templates.declarations,
            self.wider,
            inputs.earlier,
            inputs.stale,
            recipe.questions.core_only,
        )
        further = self.wider.entities(self.kg) if self.wider else ()
        self.names = name_entities(
            self.kg.entities, seed=self.seed, labels=inputs.labels, further=further
        )
        self.shown_names = WriterNames.of(self.kg, self.names, self.naming)
        self.texts = Texts(self.names, self.templates, self.naming, recipe.verbalizer.language)
        self.namer = Namer(self.names, self.templates, self.naming)
        self.components = Components(self.kg, self.options, inputs.excluded)
        self.topics = Topics.of_inputs(inputs)
        self.judges = self._judges()
        self.splits = SeedSplits(
            recipe, sets, removed_facts(self.kg, selection), self.templates.declarations
        )
        self.found: list[_Found] = []
        self.rejections: list[Rejection] = []
        self.queries: set[str] = set()
        self.skipped: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.asked: list[SeedSet] = []
        self.drawn = 0

    def run(self, progress: Callable[[int, int], None] | None) -> QuestionSet:
        """See `ask_variants`."""
        writer = self._writer()
        dealt = self.splits.deal([])
        while sets := self.splits.next(dealt, MOST_AT_ONCE, FEWEST_AT_ONCE):
            self._batch(sets, writer, dealt)
            dealt = self.splits.deal([one.question for one in self.found])
            if progress is not None:
                progress(len(dealt.kept), self.options.questions)
            self._check_patience()
        if not dealt.kept:
            raise UserError(self._explain_none())
        self.splits.check(dealt)
        for question, reason in dealt.refused:
            self._refuse(self._turned_down(question, reason))
        return self._question_set(dealt)

    def _batch(self, sets: Sequence[SeedSet], writer: PairWriter, dealt: Dealt) -> None:
        """Asks about some seed sets, given what is kept so far."""
        tasks: list[tuple[SeedSet, PairTask]] = []
        for seeds in sets:
            self.asked.append(seeds)
            subgraph = self.components.component(seeds.entities)
            if isinstance(subgraph, Subgraph):
                shown = shown_in_order(
                    self.shown_names, subgraph.rows, self.seed, self.options.run, seeds.id
                )
                tasks.append((seeds, PairTask(seeds.id, shown)))
            else:
                self.skipped[subgraph.reason] += 1
        written = writer.write([task for _, task in tasks])
        found: list[_Found] = []
        for (seeds, task), (reply, keys) in zip(tasks, written, strict=True):
            self.writing.concerns(keys)
            some = [reply] if isinstance(reply, Refusal) else pairs_of(reply)
            for pair in some:
                self.drawn += 1
                made = self._question(seeds, task.shown, pair)
                if isinstance(made, Question):
                    found.append(_Found(made, keys))
                else:
                    self._refuse(made)
        if self.judges is None:
            self.found += found
        else:
            self._judge(self.judges, found, dealt)

    def _question(
        self, seeds: SeedSet, shown: Shown, pair: Pair | Refusal
    ) -> Question | Rejection | Refusal:
        """The question of a pair, or why it is none."""
        if isinstance(pair, Refusal):
            return pair
        path = verified(pair, shown)
        made = path if isinstance(path, Refusal) else self._graded(seeds, shown, path)
        if isinstance(made, Refusal):
            return replace(made, text=pair.question)
        if self.writing.session is None:
            worded = self.texts.from_template(made)
        else:
            worded = self.texts.from_model(made, pair.question)
        if isinstance(worded, Question):
            self.queries.add(worded.query)
        return worded

    def _graded(self, seeds: SeedSet, shown: Shown, path: Verified) -> Question | Refusal:
        """The question that a path asks, without text, or why it asks none."""
        kg, options = self.kg, self.options
        row, at_object = path.answer
        answer = kg.entities[int(kg.triples[row, 2 if at_object else 0])]
        triples = self.grader.triples(path.rows)
        try:
            query = expanded(query_of_triples(triples, answer), self.templates.declarations)
        except NoTreeError as problem:
            return Refusal(PairReason.TREE, problem.reason)
        if query.text in self.queries:
            return Refusal(PairReason.SAME, query=query.text)
        least = None
        if self.grader.idle_parts.needless(
            Grades(self.grader.graph, query)
        ):  # the cheapest check that refuses many
            least = minimal(self.grader.graph, query, self.templates.declarations)
            if not (self._may_be_idle(seeds) and least.redundant):
                return Refusal(Unaskable.NEEDLESS, query=query.text)
        graded = self.grader.grade(
            query, max_answers=options.max_answers, max_evidence=options.max_evidence
        )
        if isinstance(graded, str):
            return Refusal(graded, query=query.text)
        parts = self.grader.idle_parts
        if idle := parts.in_query(graded.grades, self.inputs.types, branches=False):
            return Refusal(idle, query=query.text)
        block = VariantBlock(
            answer=answer,
            triples=tuple(sorted(triples)),
            subgraph=tuple(sorted(self.grader.triples(shown.rows))),
            seed_text=seeds.id,
            seeds=_labels(kg, seeds),
            topic=self.topics.topic(kg.entity_ids[answer], sorted({r for _, r, _ in triples})),
            unique=len(graded.grades) == 1,
            redundant=least is not None,
            judgements=(),
        )
        return self.grader.question("variants", graded, block)

    def _may_be_idle(self, seeds: SeedSet) -> bool:
        """Whether topic entities of questions about a seed set may be idle."""
        if self.options.minimal:
            return False
        split = self.splits.split_of(seeds.id) or self.inputs.recipe.questions.split
        return split in ("train", "random")

    def _judge(self, judges: Judges, found: Sequence[_Found], dealt: Dealt) -> None:
        """Has questions judged until there are enough, and takes what is accepted."""
        texts = [one.question.block.seed_text for one in found]
        splits = [self.splits.split_of(text) for text in texts]
        lacks = self.splits.lacks(dealt)
        room = Counter(dict.fromkeys(texts, self.options.pairs))

        def wanted(place: int, others: Sequence[int]) -> bool:
            text, split = texts[place], splits[place]
            return sum(texts[one] == text for one in others) < room[text] and (
                sum(splits[one] == split for one in others) < lacks[split]
            )

        def decide(place: int, vote: Vote | None) -> None:
            (question, keys), text, split = found[place], texts[place], splits[place]
            if vote is None:
                reason = PairReason.MANY if room[text] <= 0 < lacks[split] else PairReason.ENOUGH
                self._refuse(self._turned_down(question, reason))
                return
            self.writing.concerns(vote.keys)
            if vote.reason:
                self._refuse(self._turned_down(question, vote.reason))
                return
            block = replace(question.block, judgements=vote.judgements)
            judged = replace(question, block=block)
            self.found.append(_Found(judged, (*keys, *vote.keys)))
            room[text] -= 1
            lacks[split] -= 1
            if not lacks[split]:  # unless some of it is left out
                now = self.splits.deal([one.question for one in self.found])
                lacks[split] = self.splits.lacks(now)[split]

        judges.judge([self._shown_to_judges(one.question) for one in found], wanted, decide)

    def _shown_to_judges(self, question: Question) -> JudgedQuestion:
        """What judges see: the writer's answer and its path."""
        own = self.namer.question(question)
        block = own.block
        facts = [
            Stated(", ".join(triple), self.templates[triple[1]].state(triple[0], triple[2]))
            for triple in block.triples
        ]
        others = tuple(name for name in own.answers if name != block.answer)
        return JudgedQuestion(
            f"{block.seed_text}: {own.question}", own.question, block.answer, others, tuple(facts),
            self.naming,
        )  # fmt: skip

    def _turned_down(self, question: Question, reason: str) -> Refusal:
        """Why a question that passed all checks of its own is not asked."""
        return Refusal(reason, text=self.namer.question(question).question, query=question.query)

    def _refuse(self, found: Rejection | Refusal) -> None:
        """Counts what is refused, and keeps what has words."""
        self.reasons[found.reason] += 1
        if isinstance(found, Refusal):
            detail = found.detail or f"in the naming {self.naming}"
            found = Rejection(
                "ask", found.reason, "", None, "", "", detail, found.text, query=found.query
            )
        if found.text:
            self.rejections.append(found)

    def _question_set(self, dealt: Dealt) -> QuestionSet:
        width = max(ID_DIGITS, len(str(len(dealt.kept))))
        keys = {one.question.query: one.keys for one in self.found}
        questions = []
        for number, question in enumerate(dealt.kept, start=1):
            questions.append(replace(question, id=f"q{number:0{width}d}"))
            self.writing.concerns(keys[question.query], [questions[-1].id])
        reference = {
            triple
            for question in questions
            if self.wider is not None and question.further
            for triple in self.wider.reference(parse(question.query), question.further)
        }
        seed_rows = tuple(
            SeedRow(seeds.id, _labels(self.kg, seeds), seeds.topic, "") for seeds in self.asked
        )
        everything = QuestionSet(
            (),
            (),
            self.names,
            len(self.kg.entities),
            tuple(sorted(reference)),
            self.templates.declarations,
            {"variants": self._counts(len(questions))},
            {SEED_TEXTS: seed_rows},
        )
        return everything.keep(questions, self.rejections)

    def _counts(self, questions: int) -> dict[str, Any]:
        """For the manifest."""
        return {
            "wanted": self.options.questions,
            "questions": questions,
            "drawn": self.drawn,
            "rejected": dict(sorted(self.reasons.items())),
            "seed_texts": len(self.asked),
            "skipped": dict(sorted(self.skipped.items())),
            "judged": None if self.judges is None else self.judges.counts(self.seed),
        }

    def _writer(self) -> PairWriter:
        if self.writing.session is not None:
            return ModelPairs(self.inputs).asking(self.writing.session)
        script = ScriptedPairs(self.templates, articles=self.naming == "text")
        return WithoutModel(script, 3 * self.options.pairs)

    def _judges(self) -> Judges | None:
        """The panel, if the recipe names one."""
        if not self.options.judges or self.writing.session is None:
            return None
        recipe = self.inputs.recipe
        chosen = recipe.verbalizer
        temperature = -1.0 if chosen.temperature < 0 else None
        models, places = self.options.named_judges(recipe.endpoint)
        panel = Panel(
            seat_judges(models, temperature),
            max_tokens=max(Panel.max_tokens, chosen.max_tokens),
            seed=(self.seed + self.options.run) % SEEDS,
        )
        session = self.writing.session
        at_once = 1 if isinstance(session, Replay) else recipe.endpoint.concurrency
        own = [None if place == recipe.endpoint else place for place in places]
        return Judges(panel, session, own * (len(panel.judges) // len(own)), at_once)

    def _check_patience(self) -> None:
        """Ends a build whose model writes nothing that can be used."""
        if self.found or len(self.asked) < PATIENCE or self.writing.session is None:
            return
        if not isinstance(self.writing.session, Replay):
            raise UserError(self._explain_none())

    def _explain_none(self) -> str:
        """Says why there is no question at all."""
        ways = (self.skipped + self.reasons).most_common(MOST_SHOWN)
        why = "; ".join(f"{n:,} × {reason}" for reason, n in ways)
        session = self.writing.session
        advice = "" if session is None else session.advice
        return (
            f"no question is left: {counted(len(self.asked), 'seed set')}, "
            f"{counted(self.drawn, 'pair')} ({why}).\n{advice}Give texts or entities that the "
            "graph joins (section variants), another model, or a larger graph."
        )


def _labels(kg: KnowledgeGraph, seeds: SeedSet) -> tuple[str, ...]:
    return tuple(sorted(kg.entities[entity] for entity in seeds.entities))
