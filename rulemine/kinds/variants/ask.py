"""Makes the questions of the kind ``variants``: which seed sets are asked about, and who judges.

Each seed set is connected to a subgraph; a writer is shown its triples in random order and replies with
pairs of a question and its answer; each pair is held against the subgraph, graded, and judged by `Judges`
(Dynamic-KGQA; what is executed and graded is ours). `SeedSplits` says which of them are kept for which split,
and when it is enough. Questions come in the order of the seed sets, and of one set in the order of the reply.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rulemine.errors import NoTreeError, UserError, counted
from rulemine.judging.agreement import agreement_of
from rulemine.judging.panel import (
    FLAGS,
    Ballot,
    JudgedQuestion,
    Panel,
    Stated,
    is_accepted,
    seat_judges,
)
from rulemine.kinds.asking import Asking, Draft
from rulemine.kinds.locks import DRAWN, Locks, Patterns, RememberedFacts
from rulemine.kinds.near_duplicates import NEAR_DUPLICATE, NearDuplicates
from rulemine.kinds.split import draw_splits
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.pairs import Pair, PairReason, Shown, pairs_of, verified
from rulemine.kinds.variants.seed_inputs import sets_of
from rulemine.kinds.variants.seed_texts import SeedSet, splits_of_sets
from rulemine.kinds.variants.topics import Topics
from rulemine.kinds.written.block import Judgement, VariantBlock
from rulemine.kinds.written.candidate import Refusal, Subgraph, Written
from rulemine.kinds.written.engine import FEWEST_AT_ONCE, MOST_AT_ONCE, Engine
from rulemine.kinds.written.listed import has_listed_chains
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.llm.batch import WantedError
from rulemine.llm.call import Answer, Ask, Call, Failure
from rulemine.llm.options import EndpointOptions
from rulemine.llm.replay import Replay
from rulemine.llm.session import Session
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.grading import Grades
from rulemine.query.links import expanded
from rulemine.query.structures import structure_of
from rulemine.query.tree import Query
from rulemine.recipe.recipe import Recipe
from rulemine.release.records import SEED_TEXTS, SPLITS, Question, SeedRow
from rulemine.seeds import stream
from rulemine.verbalizer.requests import SEEDS

__all__ = ["BAD", "UNREAD", "Judges", "SeedSplits", "VariantEngine", "Vote"]

DECIDING = tuple(flag for flag in FLAGS if flag.decides)

FAR = 2000
"""Questions that are judged ahead where their votes come in rounds."""

FIRST = 10
"""So many pairs are judged before a build may end whose judges are cut off."""

UNREAD = "a judge's reply cannot be read"
BAD = {
    "logical_structure": "a judge finds it not well formed",
    "redundancy": "a judge finds that it gives its answer away",
    "answer_support": "a judge finds its answer not supported",
    "answer_adequacy": "a judge finds its answer not adequate",
}
"""Why judges refuse a pair: the flag that most find bad, of equals the first; or `UNREAD`."""


class Vote(NamedTuple):
    """What the judges say of a question.

    Attributes:
        judgements: Of each judge; none unless it is accepted.
        reason: Why it is not accepted, one of `BAD` or `UNREAD`; "": it is.
        keys: The keys of the calls made for it.
    """

    judgements: tuple[Judgement, ...]
    reason: str
    keys: tuple[str, ...]


class Judges:
    """Three judges at work: whether a question, its answer and its facts are accepted (P2 and P3).

    The panel is that of ``rulemine judge`` (`rulemine.judging.panel`); of its flags the four that decide are
    kept. A question is accepted if all judges find it well formed, not redundant, supported and adequate; a
    reply that cannot be read is asked for once more, and rejects then.

    Guarantee: judgements and agreement depend on the replies alone, in whatever order they come, and however
    many questions are judged at once.

    Args:
        panel: The panel.
        session: What answers its calls.
        places: Where each judge is that has an address of its own, else None.
        at_once: Questions that are judged at once, at most.
    """

    def __init__(
        self,
        panel: Panel,
        session: Session,
        places: Sequence[EndpointOptions | None] = (),
        at_once: int = 1,
    ) -> None:
        self._panel, self._session, self._at_once = panel, session, at_once
        self._places = places or [None] * len(panel.judges)
        self._ballots: list[tuple[Ballot, ...]] = []

    def judge(
        self,
        items: Sequence[JudgedQuestion],
        wanted: Callable[[int, Sequence[int]], bool],
        decide: Callable[[int, Vote | None], None],
    ) -> None:
        """Has questions judged, and decides about them in their order.

        Those after the one whose turn it is are judged ahead, `at_once` in all. If one of them is no longer
        wanted when its turn comes, it was judged in vain: nothing depends on its votes.

        Args:
            items: The questions.
            wanted: Whether the votes on the question of a place matter, given all that was decided and if
                those at some other places, which are being judged, are accepted. Once nothing is being judged
                and they do not matter, they never do.
            decide: Called with each place in turn, and the votes; None: they do not matter.
        """

        async def in_turn(ask: Ask) -> None:
            asks = [ask if at is None else self._session.at(at) for at in self._places]
            ahead: dict[int, asyncio.Task[tuple[Sequence[Ballot], tuple[str, ...]]]] = {}

            def look_ahead(place: int, far: int) -> None:
                for other in range(place, min(place + far, len(items))):
                    if other not in ahead:
                        before = [one for one in range(place, other) if one in ahead]
                        if wanted(other, before):
                            ahead[other] = asyncio.create_task(self._cast(items[other], asks))

            try:
                for place in range(len(items)):
                    look_ahead(place, self._at_once)
                    if not wanted(place, ()):
                        decide(place, None)
                        continue
                    try:
                        ballots, keys = await ahead[place]
                    except WantedError:  # as many as may matter go into the same round
                        look_ahead(place, FAR)
                        await asyncio.gather(*ahead.values(), return_exceptions=True)
                        raise
                    self._ballots.append(tuple(ballots))
                    self._check_first()
                    decide(place, self._judged(ballots, keys))
            except BaseException:
                for task in ahead.values():
                    task.cancel()
                raise
            finally:  # what is asked already is paid for
                await asyncio.gather(*ahead.values(), return_exceptions=True)

        self._session.run([in_turn])

    def _check_first(self) -> None:
        """Ends a build whose judges are cut off."""
        advice = self._session.advice
        if advice and len(self._ballots) == FIRST and not any(_read(self._ballots)):
            raise UserError(
                f"no vote on any of the first {FIRST} pairs can be read.\n{advice}Name other judges "
                "(variants.judges)."
            )

    async def _cast(
        self, item: JudgedQuestion, asks: Sequence[Ask]
    ) -> tuple[Sequence[Ballot], tuple[str, ...]]:
        """The ballots on a question, and the keys of the calls made for them."""
        keys: list[str] = []

        def noting(ask: Ask) -> Ask:
            async def noted(call: Call) -> Answer:
                keys.append(call.key)
                return await ask(call)

            return noted

        each = zip(self._panel.judges, asks, strict=True)
        works = [self._panel.ballot(item, judge, noting(ask)) for judge, ask in each]
        return await asyncio.gather(*works), tuple(keys)

    def _judged(self, ballots: Sequence[Ballot], keys: tuple[str, ...]) -> Vote:
        if not is_accepted(ballots):
            return Vote((), _reason(ballots), keys)
        judgements = []
        for judge, ballot in zip(self._panel.judges, ballots, strict=True):
            marks = {f"{flag.name}_flag": ballot[flag.name].value for flag in DECIDING}
            words = {f"{flag.name}_reasoning": ballot[flag.name].reasoning for flag in DECIDING}
            judgements.append(Judgement(judge.model, **marks, **words))  # type: ignore[arg-type]
        return Vote(tuple(judgements), "", keys)

    def counts(self, seed: int) -> dict[str, Any]:
        """Who judged, how much was accepted, and how far the judges agree on each flag.

        Args:
            seed: Of the resamples of the intervals.
        """
        agreement = {}
        for flag in DECIDING:
            rows = [[ballot[flag.name].value for ballot in cast] for cast in self._ballots]
            found = agreement_of([row for row in rows if None not in row], seed, flag.name)
            good = sum(value == flag.good for row in rows for value in row)
            agreement[flag.name] = {"votes": sum(map(len, rows)), "good": good, **found._asdict()}
        return {
            "models": [judge.model for judge in self._panel.judges],
            "judged": len(self._ballots),
            "accepted": sum(map(is_accepted, self._ballots)),
            "unreadable": [*_read(self._ballots)].count(False),
            "agreement": agreement,
        }


def _read(all_ballots: Sequence[Sequence[Ballot]]) -> Iterator[bool]:
    """For each flag that decides, on each ballot, whether it could be read."""
    return (
        b[flag.name].value is not None for cast in all_ballots for b in cast for flag in DECIDING
    )


def _reason(ballots: Sequence[Ballot]) -> str:
    """Why ballots do not accept: the flag that most judges find bad, of equals the first."""
    bad = Counter(
        flag.name
        for flag in DECIDING
        for ballot in ballots
        if ballot[flag.name].value not in (None, flag.good)
    )
    return BAD[bad.most_common(1)[0][0]] if bad else UNREAD


MOST_SPENT = 3
"""Times as many seed sets are asked about for the hard questions of a split as for its size, at most."""

HARD_SHARE = 0.6
"""The part of test and validation that should have a hard answer, where a core is asked for."""


class Dealt(NamedTuple):
    """What is kept of the questions written so far.

    Attributes:
        kept: The questions, in the order in which they were written, with their splits if texts have any.
        refused: The others, each with the reason.
        lacking: Split → how many questions it lacks.
        lacking_hard: Split → how many questions it lacks with a hard answer, or of the core.
    """

    kept: list[Question]
    refused: list[tuple[Question, str]]
    lacking: Counter[str]
    lacking_hard: Counter[str]


class SeedSplits:
    """Says which seed sets are asked about next, and which questions about them are kept.

    Seed texts are dealt to splits by their places, before anything is asked. Of the questions that are
    written about them, near duplicates are left out; then test is filled first, then validation, then
    training, each without questions that give away what the earlier ones need.

    Guarantees: all questions of a seed text are in one split; which questions are kept depends on the
    questions written so far and their order alone.

    Args:
        recipe: The recipe.
        sets: The seed sets.
        facts: The removed facts.
        near: Holds near duplicates together.
        patterns: What else keeps questions out of splits; without questions.
    """

    def __init__(
        self,
        recipe: Recipe,
        sets: Sequence[SeedSet],
        facts: RememberedFacts,
        near: NearDuplicates,
        patterns: Patterns,
    ) -> None:
        self._recipe, self._facts, self._patterns = recipe, facts, patterns
        self._near = near
        self._seen = 0
        options, chosen = recipe.own, recipe.questions
        splits = splits_of_sets(recipe, len(sets))
        self._split_of = {one.id: split for one, split in zip(sets, splits, strict=True)}
        self._waiting: dict[str, list[SeedSet]] = {split: [] for split in (*DRAWN, "")}
        for one in reversed(sets):
            self._waiting[self._split_of[one.id]].append(one)
        self._sizes = Counter({"": options.questions})
        if any(splits):
            numbers = draw_splits(options.questions, chosen.ratios, recipe.seed)
            self._sizes = Counter(SPLITS[number] for number in numbers)
        self._asked: Counter[str] = Counter()
        self._full: dict[str, int] = {}

    def split_of(self, seed_set: str) -> str:
        """The split of a seed set, by its id; "": texts have none."""
        return self._split_of[seed_set]

    def next(self, dealt: Dealt, most: int, fewest: int) -> list[SeedSet]:
        """The seed sets to ask about next, by what their splits lack; none: it is enough.

        Args:
            dealt: What is kept so far.
            most: Their number at most.
            fewest: Their number at least, if more than one lack questions.
        """
        for split in self._waiting:
            if not dealt.lacking[split]:
                self._full.setdefault(split, self._asked[split])
        lacks = Counter({s: n for s, n in self.lacks(dealt).items() if self._waiting[s]})
        whole = lacks.total()
        size = min(most, max(fewest, -(-whole // self._recipe.own.pairs)))
        found = []
        for split in (*DRAWN, ""):
            number = -(-size * lacks[split] // whole) if lacks[split] else 0
            waiting = self._waiting[split]
            some = [waiting.pop() for _ in range(min(number, len(waiting)))]
            self._asked[split] += len(some)
            found += some
        return found

    def lacks(self, dealt: Dealt) -> Counter[str]:
        """How many questions each split lacks: by its size, and for some time of those that are hard."""
        lacks: Counter[str] = Counter()
        for split in self._waiting:
            spent = self._asked[split] >= MOST_SPENT * self._full.get(split, self._asked[split] + 1)
            hard = 0 if spent else dealt.lacking_hard[split]
            lacks[split] = max(dealt.lacking[split], hard)
        return lacks

    def deal(self, questions: Sequence[Question]) -> Dealt:
        """What is kept of all questions written so far, in the order in which they were.

        Raises:
            ValueError: There are fewer than before.
        """
        if len(questions) < self._seen:
            raise ValueError("questions that were written are gone")
        for question in questions[self._seen :]:
            self._near.add(question)
        self._seen = len(questions)
        chosen = self._recipe.questions
        staying = [q for q in questions if self._near.stays(q)]
        reasons = dict.fromkeys((q.query for q in questions), NEAR_DUPLICATE)
        locks = Locks(self._facts, chosen.max_facts, self._patterns.anew(chosen.test_core))
        third = sum(q.core for q in staying) // 3
        wanted = {"test": chosen.test_core, "validation": chosen.test_core // 3}
        lacking, lacking_hard = Counter(self._sizes), Counter[str]()
        split_of: dict[str, str] = {}
        for split in [split for split in (*DRAWN, "") if split in self._sizes]:
            own = [q for q in staying if self.split_of(q.block.seed_text) == split]
            size = self._sizes[split]
            core = min(size, wanted.get(split, 0))
            hard = math.ceil(HARD_SHARE * size) if core else 0
            most = min(core, third if split == "test" else third // 3)
            kept, refused = self._filled(own, split, size, most, hard, locks)
            split_of |= dict.fromkeys((q.query for q in kept), split)
            reasons |= refused
            lacking[split] = size - len(kept)
            more = (core - sum(q.core for q in kept), hard - sum(bool(q.hard) for q in kept))
            lacking_hard[split] = max(0, *more)
        return Dealt(
            [replace(q, split=split_of[q.query]) for q in questions if q.query in split_of],
            [(q, reasons[q.query]) for q in questions if q.query not in split_of],
            lacking,
            lacking_hard,
        )

    def _filled(
        self,
        questions: Sequence[Question],
        split: str,
        size: int,
        core: int,
        hard: int,
        locks: Locks,
    ) -> tuple[list[Question], dict[str, str]]:
        """The questions of a split: first so many of the core, then so many hard ones, then any.

        Returns:
            The questions, and why the others are none.
        """
        times: Counter[str] = Counter()
        kept: list[Question] = []
        refused: dict[str, str] = {}
        in_turn = [
            *((q, core) for q in questions if q.core),
            *((q, hard) for q in questions if q.hard),
            *((q, size) for q in questions),
        ]
        done: set[str] = set()
        for question, most in in_turn:
            if question.query in done or (most < size and len(kept) >= most):
                continue
            done.add(question.query)
            text = question.block.seed_text
            reason = None
            if len(kept) == size:
                reason = PairReason.ENOUGH
            elif times[text] == self._recipe.own.pairs:
                reason = PairReason.MANY
            elif split:
                reason = locks.objection(question, split)
            if reason is None:
                times[text] += 1
                kept.append(question)
                if split:
                    locks.add(question, split)
            else:
                refused[question.query] = reason
        return kept, refused

    def check(self, dealt: Dealt) -> None:
        """Checks that no split is empty.

        Raises:
            UserError: One is.
        """
        for split in SPLITS:
            if self._sizes[split] and dealt.lacking[split] == self._sizes[split]:
                texts = sum(split == other for other in self._split_of.values())
                raise UserError(
                    f"no question for the split {split}: {counted(texts, 'seed text')} of "
                    f"{len(self._split_of):,} are for it. Set questions.split to none, or give more seed "
                    "texts."
                )


class PairTask(NamedTuple):
    """What pairs are wanted for.

    Attributes:
        seeds: The seed set.
        shown: What the writer sees.
    """

    seeds: SeedSet
    shown: Shown


class VariantEngine(Engine[PairTask, Pair]):
    """A build's questions in the making, see `Engine`."""

    noun = "pair"
    patience = 50
    advice = (
        "Give texts or entities that the graph joins (section variants), another model, or a larger "
        "graph."
    )

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self.components = Components(self.kg, self.inputs.excluded)
        self.sets = sets_of(self.inputs, asking.selection)
        self._splits = SeedSplits(
            asking.recipe, self.sets, asking.facts, asking.near,
            Patterns.of(self.kg, asking.selection.rules, asking.facts),
        )  # fmt: skip
        self._dealt = self._splits.deal([])
        self._topics = Topics.of_inputs(self.inputs)
        self._script = ScriptedWriter(
            asking.templates, self._is_listed, articles=self.naming == "text"
        )
        self._judges = self._panel()
        self._looked_at: list[SeedSet] = []

    # Tasks.

    def tasks(self) -> list[PairTask] | None:
        """See `Engine`."""
        sets = self._splits.next(self._dealt, MOST_AT_ONCE, FEWEST_AT_ONCE)
        self._looked_at += sets
        return [*self.joined(sets)] if sets else None

    def joined(self, sets: Sequence[SeedSet]) -> Iterator[PairTask]:
        """The tasks of the seed sets that the graph joins; the others are counted."""
        for seeds in sets:
            subgraph = self.components.component(seeds.entities)
            if isinstance(subgraph, Subgraph):
                yield PairTask(seeds, self._shown(subgraph, seeds.id))
            else:
                self.skipped[subgraph.reason] += 1

    def _shown(self, subgraph: Subgraph, seed_set: str) -> Shown:
        """The triples in the random order in which a writer sees them, Reorder(G', R) of the paper."""
        random = stream(self.asking.seed, "variants", self.options.run, seed_set)
        rows = tuple(subgraph.rows[at] for at in random.permutation(len(subgraph.rows)).tolist())
        names, relations = self.names, self.kg.relations
        triples = self.kg.triples[list(rows)].tolist()
        return Shown(
            rows, tuple((names.label(s), relations[r], names.label(o)) for s, r, o in triples)
        )

    # Pairs.

    def scripted(self, task: PairTask) -> str:
        """See `Engine`."""
        return self._script.pairs(task.shown.triples, 3 * self.options.pairs)

    def _is_listed(self, query: Query) -> bool:
        """Whether the chains of a query join links as the list has it; True: there is none."""
        joins = self.inputs["joins"]
        return joins is None or has_listed_chains(query, joins, self.asking.declarations)

    def _is_better(self, shape: str, grades: Grades) -> bool:
        """See `Engine`; of what keeps to a list of joins, all chains are."""
        is_chain = self.inputs["joins"] is not None and structure_of(grades.query).hops > 1
        return super()._is_better(shape, grades) or is_chain

    def call(self, task: PairTask) -> Call:
        """See `Engine`."""
        return self.calls.pairs(task.seeds.id, task.shown.triples)

    async def ask(self, task: PairTask, ask: Ask) -> Written:
        """See `Engine`; a reply without pairs that can be read is asked for once more."""
        keys: list[str] = []
        reply: str | Refusal = ""
        call = self.call(task)
        for one in (call, self.calls.again(call)):
            keys.append(one.key)
            answer = await ask(one)
            if isinstance(answer, Failure):
                return Written(Refusal(PairReason.UNANSWERED, answer.code), tuple(keys))
            reply = answer.text
            if any(map(_is_read, pairs_of(reply))):
                break
        return Written(reply, tuple(keys))

    def read(self, reply: str) -> Iterator[Pair | Refusal]:
        """See `Engine`."""
        return pairs_of(reply)

    def take(self, tasks: Sequence[PairTask]) -> None:
        """See `Engine`; pairs are judged, given what is kept so far."""
        made: list[tuple[Question, tuple[str, ...]]] = []
        for _, _, found, keys in self.written(tasks):
            self.drawn += 1
            if isinstance(found, Question):
                made.append((found, keys))
            else:
                self.refuse(found)
        if self._judges is None:
            for question, keys in made:
                self.accept(question, keys)
        else:
            self._judge(self._judges, made)
        self._dealt = self._splits.deal(self.found)
        self.report(len(self._dealt.kept), len(self._dealt.kept))

    def draft(self, task: PairTask, candidate: Pair) -> Draft | Refusal:
        """See `Engine`."""
        path, seeds = verified(candidate, task.shown), task.seeds
        if isinstance(path, Refusal):
            return path
        row, at_object = path.answer
        answer = self.kg.entities[int(self.kg.triples[row, 2 if at_object else 0])]
        triples = self.asking.grader.triples(path.rows)
        try:
            query = expanded(query_of_triples(triples, answer), self.asking.declarations)
        except NoTreeError as problem:
            return Refusal(PairReason.TREE, problem.reason)
        graded = self.graded(query)
        if isinstance(graded, str):
            return Refusal(graded, query=query.text)
        relations = sorted({relation for _, relation, _ in triples})
        block = VariantBlock(
            answer=answer,
            triples=tuple(sorted(triples)),
            subgraph=tuple(sorted(self.asking.grader.triples(task.shown.rows))),
            seed_text=seeds.id,
            seeds=self._labels(seeds),
            topic=self._topics.topic(self.kg.entity_ids[answer], relations),
            unique=len(graded.grades) == 1,
            redundant=False,
            judgements=(),
        )
        return Draft(graded, block)

    def _labels(self, seeds: SeedSet) -> tuple[str, ...]:
        return tuple(sorted(self.kg.entities[entity] for entity in seeds.entities))

    # Judges.

    def _panel(self) -> Judges | None:
        """The judges, if the recipe names any."""
        if not self.options.judges or self.session is None:
            return None
        recipe = self.asking.recipe
        chosen = recipe.verbalizer
        models, places = self.options.named_judges(recipe.endpoint)
        panel = Panel(
            seat_judges(models, -1.0 if chosen.temperature < 0 else None),
            max_tokens=max(Panel.max_tokens, chosen.max_tokens),
            seed=(recipe.seed + self.options.run) % SEEDS,
        )
        waits = not (isinstance(self.session, Replay) or recipe.endpoint.batch)
        at_once = recipe.endpoint.concurrency if waits else 1
        own = [None if place == recipe.endpoint else place for place in places]
        return Judges(panel, self.session, own * (len(panel.judges) // len(own)), at_once)

    def _judge(self, judges: Judges, made: Sequence[tuple[Question, tuple[str, ...]]]) -> None:
        """Has questions judged until there are enough, and takes what is accepted."""
        texts = [question.block.seed_text for question, _ in made]
        splits = [self._splits.split_of(text) for text in texts]
        lacks = self._splits.lacks(self._dealt)
        room = Counter(dict.fromkeys(texts, self.options.pairs))

        def wanted(place: int, others: Sequence[int]) -> bool:
            text, split = texts[place], splits[place]
            return sum(texts[one] == text for one in others) < room[text] and (
                sum(splits[one] == split for one in others) < lacks[split]
            )

        def decide(place: int, vote: Vote | None) -> None:
            (question, keys), text, split = made[place], texts[place], splits[place]
            if vote is None:
                reason = PairReason.MANY if room[text] <= 0 < lacks[split] else PairReason.ENOUGH
                self.turn_down(question, reason)
                return
            self.writing.concerns(vote.keys)
            if vote.reason:
                self.turn_down(question, vote.reason)
                return
            block = replace(question.block, judgements=vote.judgements)
            self.accept(replace(question, block=block), (*keys, *vote.keys))
            room[text] -= 1
            lacks[split] -= 1
            if not lacks[split]:  # unless some of it is left out
                lacks[split] = self._splits.lacks(self._splits.deal(self.found))[split]

        judges.judge([self._seen_by_judges(question) for question, _ in made], wanted, decide)

    def _seen_by_judges(self, question: Question) -> JudgedQuestion:
        """What judges see: the writer's answer and its path."""
        own = self.namer.question(question)
        block, templates = own.block, self.asking.templates
        facts = [
            Stated(", ".join(triple), templates[triple[1]].state(triple[0], triple[2]))
            for triple in block.triples
        ]
        others = tuple(name for name in own.answers if name != block.answer)
        return JudgedQuestion(
            f"{block.seed_text}: {own.question}", own.question, block.answer, others, tuple(facts),
            self.naming,
        )  # fmt: skip

    # What is kept.

    def kept(self) -> tuple[list[Question], list[tuple[Question, str]]]:
        """See `Engine`."""
        if self._dealt.kept:
            self._splits.check(self._dealt)
        return self._dealt.kept, self._dealt.refused

    def counts(self, kept: Sequence[Question]) -> dict[str, Any]:
        """See `Engine`; the seed sets that were asked about are records of the release."""
        self.asking.records[SEED_TEXTS] = tuple(
            SeedRow(seeds.id, self._labels(seeds), seeds.topic, "") for seeds in self._looked_at
        )
        return {
            "seed_texts": len(self._looked_at),
            "skipped": dict(sorted(self.skipped.items())),
            "judged": None if self._judges is None else self._judges.counts(self.asking.seed),
        }

    @property
    def tried(self) -> str:
        """See `Engine`."""
        return f"{counted(len(self._looked_at), 'seed set')}, {super().tried}"


def _is_read(found: Pair | Refusal) -> bool:
    """Whether there was something to read: a pair, or that there are none."""
    return not isinstance(found, Refusal) or found.reason == PairReason.NONE
