"""Makes the questions of the kind ``variants``: what is written about seed sets, and who judges it.

Each seed set is connected to a subgraph; a writer is shown its triples in random order and replies with
pairs of a question and its answer; each pair is held against the subgraph, graded, and judged by `Judges`
(Dynamic-KGQA; what is executed and graded is ours). Seed sets of the splits that lack questions are asked
about until none does.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import ceil
from typing import Any, NamedTuple

from rulemine.errors import NoTreeError, UserError, counted
from rulemine.judging.agreement import agreement_of
from rulemine.judging.panel import (
    FLAGS,
    SEATS,
    Ballot,
    JudgedQuestion,
    Panel,
    Stated,
    is_accepted,
    seat_judges,
)
from rulemine.kg.graph import Triple
from rulemine.kinds.asking import Asking, Draft, Tried
from rulemine.kinds.dealing import ENOUGH
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.kind import MANY
from rulemine.kinds.variants.seed_texts import SeedSet, sets_of
from rulemine.kinds.variants.topics import Topics
from rulemine.kinds.written.block import Judgement, VariantBlock
from rulemine.kinds.written.engine import AT_ONCE, FEWEST_AT_ONCE, Engine, Made
from rulemine.kinds.written.replies import (
    Candidate,
    Refusal,
    Subgraph,
    Task,
    Unread,
    read_candidates,
)
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.llm.call import Answer, Ask, Call
from rulemine.llm.estimates import Estimate, Purpose, three_prompts, unanswered
from rulemine.llm.journal import Journal
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.links import expanded
from rulemine.release.naming import Namer
from rulemine.release.records import SEED_TEXTS, Question, SeedRow
from rulemine.seeds import stream
from rulemine.text.normalization import fold_loosely
from rulemine.verbalizer.prompts import SEEDS

__all__ = [
    "BAD", "FIRST", "UNREAD", "Judges", "PairReason", "Shown", "VariantEngine", "Verified", "Vote",
    "estimate", "verified",
]  # fmt: skip

DECIDING = tuple(flag for flag in FLAGS if flag.decides)

FIRST = 10
"""So many pairs are judged first: a judge that cannot be read on any of them ends the build."""

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

    The panel is that of ``evaluate --judge`` (`rulemine.judging.panel`); of its flags the four that decide
    are kept. A question is accepted if all judges find it well formed, not redundant, supported and adequate;
    a reply that cannot be read is asked for once more, and rejects then.

    Guarantee: judgements and agreement depend on the replies alone, in whatever order they come.

    Args:
        panel: The panel.
        session: What answers its calls.
        places: Where each judge is that has an address of its own, else None.
    """

    def __init__(
        self, panel: Panel, session: Session, places: Sequence[EndpointOptions | None] = ()
    ) -> None:
        self._panel, self._session = panel, session
        self._places = places or [None] * len(panel.judges)
        self._ballots: list[Sequence[Ballot]] = []

    @property
    def are_new(self) -> bool:
        """Whether they have judged too little for anybody to know that their votes can be read."""
        return len(self._ballots) < FIRST

    def judge(self, items: Sequence[JudgedQuestion]) -> list[Vote]:
        """The votes on questions, in their order.

        Raises:
            UserError: `FIRST` questions or more were judged, and a judge could not be read on any of them.
        """
        cast = self._session.run([partial(self._cast, item) for item in items])
        self._ballots += [ballots for ballots, _ in cast]
        if not self.are_new:
            self._check_heard()
        return [self._judged(ballots, keys) for ballots, keys in cast]

    def _check_heard(self) -> None:
        for seat, judge in enumerate(self._panel.judges):
            for flag in DECIDING:
                marks = [cast[seat][flag.name] for cast in self._ballots]
                if all(mark.value is None for mark in marks):
                    raise UserError(
                        f"{flag.name}_flag of {judge.model}, judge {seat + 1} of {SEATS}, cannot be read on "
                        f"any of the first {counted(len(marks), 'pair')}: {marks[0].reasoning}.\n"
                        f"{self._session.advice}Name other judges (variants.judges)."
                    )

    async def _cast(
        self, item: JudgedQuestion, ask: Ask
    ) -> tuple[Sequence[Ballot], tuple[str, ...]]:
        """The ballots on a question, and the keys of the calls made for them."""
        keys: list[str] = []

        async def noted(at: EndpointOptions | None, call: Call) -> Answer:
            keys.append(call.key)
            return await (ask if at is None else self._session.at(at))(call)

        each = zip(self._panel.judges, self._places, strict=True)
        works = [self._panel.ballot(item, judge, partial(noted, at)) for judge, at in each]
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
            "unreadable": [
                ballot[flag.name].value
                for cast in self._ballots
                for ballot in cast
                for flag in DECIDING
            ].count(None),
            "agreement": agreement,
        }


def _reason(ballots: Sequence[Ballot]) -> str:
    """Why ballots do not accept: the flag that most judges find bad, of equals the first."""
    bad = Counter(
        flag.name
        for flag in DECIDING
        for ballot in ballots
        if ballot[flag.name].value not in (None, flag.good)
    )
    return BAD[bad.most_common(1)[0][0]] if bad else UNREAD


MOST_FOUND = 3
"""Times as many questions as are wanted in all are found for a split at most."""


class PairReason:
    """Why a pair is no question; counted."""

    OUTSIDE = "a triple of its path is not in the subgraph"
    ANSWER = "its answer is not an entity of its path"
    SINGLE = "its path is a single triple"
    TREE = "its path is no tree that holds the answer"


@dataclass(frozen=True)
class Shown:
    """The subgraph that a writer saw.

    Attributes:
        rows: Its rows of the graph's triples, in the order in which they were shown.
        triples: The same triples in the naming of the prompts.
    """

    rows: tuple[int, ...]
    triples: tuple[Triple, ...]

    def row(self, triple: tuple[str, ...]) -> int | None:
        """The row of a triple; None where it is not among them, or two would fit.

        Its relation may be in words: ``child of`` is ``child_of``.
        """
        found = _fitting(triple, self.triples) or _fitting(
            _spoken(triple), [*map(_spoken, self.triples)]
        )
        return self.rows[found[0]] if len(found) == 1 else None


class Verified(NamedTuple):
    """A pair whose path is in the subgraph.

    Attributes:
        rows: The rows of its path, each once, in the order of the path.
        answer: Where the answer is: a row of the path, and whether it is its object.
    """

    rows: tuple[int, ...]
    answer: tuple[int, bool]


def verified(pair: Candidate, shown: Shown) -> Verified | Refusal:
    """A pair's path in the graph, or why it cannot be a question.

    Args:
        pair: The pair.
        shown: What its writer saw.
    """
    rows = list(dict.fromkeys(shown.row(triple) for triple in pair.triples))
    if None in rows:
        return Refusal(PairReason.OUTSIDE)
    if len(rows) == 1:
        return Refusal(PairReason.SINGLE)
    own = dict(zip(shown.rows, shown.triples, strict=True))
    ends = [(row, at) for row in rows if row is not None for at in (0, 2)]
    names = [(own[row][at],) for row, at in ends]
    found = _fitting((pair.answer.label,), names)
    if len({names[place] for place in found}) != 1:
        return Refusal(PairReason.ANSWER)
    row, at = ends[found[0]]
    return Verified(tuple(row for row in rows if row is not None), (row, at > 0))


def _fitting(wanted: tuple[str, ...], each: Sequence[tuple[str, ...]]) -> list[int]:
    """The places of the names that are those wanted, or else of those that read like them."""
    found = [place for place, names in enumerate(each) if names == wanted]
    folded = _folded(wanted)
    return found or [place for place, names in enumerate(each) if _folded(names) == folded]


def _spoken(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a triple, its relation as words."""
    subject, *rest = names
    return (subject, *(" ".join(re.split(r"[\W_]+", name)).strip() for name in rest[:1]), *rest[1:])


def _folded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without case, kinds of quotes and more than single spaces."""
    return tuple(fold_loosely(name).strip() for name in names)


class VariantEngine(Engine):
    """A build's questions in the making, see `Engine`."""

    noun = "pair"
    advice = (
        "Give texts or entities that the graph joins (section variants), another model, or a larger "
        "graph."
    )

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self.sets = sets_of(self.inputs, asking.selection)
        self.looked_at: dict[str, SeedSet] = {}
        self.skipped: Counter[str] = Counter()
        self.judges = self._panel()
        self._components = Components(self.kg, self.inputs.excluded)
        self._topics = Topics.of_inputs(self.inputs)
        self._shown: dict[str, Shown] = {}
        self._script = ScriptedWriter(asking.templates, self.names, self.inputs["joins"])
        self._namer = Namer(asking.names, asking.templates, self.names.naming)

    # Tasks.

    def tasks(self) -> list[Task]:
        """See `Engine`."""
        lacks = self._lacking()
        # Dealing takes the longer the more there is, so what is written before it grows, too.
        most = max(ceil(lacks.total() / self.options.pairs), len(self.looked_at) // 10)
        most = min(AT_ONCE if self.asking.pool else FEWEST_AT_ONCE, max(FEWEST_AT_ONCE, most))
        wanted = [one for one in self.sets if lacks[one.split]]
        found = list(islice(self.joined(wanted), most))
        self.sets = [one for one in self.sets if one.id not in self.looked_at]
        return found

    def _lacking(self) -> Counter[Hashable]:
        """Split → how many questions it lacks, of the core or in all, where it is worth trying."""
        asking = self.asking
        dealt, _ = asking.dealt()
        have, core = Counter(q.split for q in dealt), Counter(q.split for q in dealt if q.core)
        plan = asking.kind.plan(asking, ())
        lacks = {
            at: max(share.parts[at] - have[at], share.core - core[at])
            for at, share in plan.items()
            if asking.open(at, "", MOST_FOUND * asking.options.questions)
        }
        return +Counter(lacks)

    def joined(self, sets: Iterable[SeedSet]) -> Iterator[Task]:
        """The tasks of the seed sets that the graph joins; the others are counted.

        Their triples are in the random order in which a writer sees them, Reorder(G', R) of the paper.
        """
        for seeds in sets:
            self.looked_at[seeds.id] = seeds
            found = self._components.component(seeds.entities)
            if isinstance(found, Refusal):
                self.skipped[found.reason] += 1
                continue
            random = stream(self.asking.seed, "variants", self.options.run, seeds.id)
            order = random.permutation(len(found.rows)).tolist()
            rows = tuple(found.rows[at] for at in order)
            names, relations = self.names, self.kg.relations
            triples = self.kg.triples[list(rows)].tolist()
            named = [(names.label(s), relations[r], names.label(o)) for s, r, o in triples]
            self._shown[seeds.id] = Shown(rows, tuple(named))
            yield Task(len(self.looked_at), Subgraph(found.nodes, rows), seeds.id, seeds.split)

    # Pairs.

    def scripted(self, task: Task) -> str:
        """See `Engine`."""
        return self._script.pairs(self._shown[task.about].triples, 6 * self.options.pairs)

    def call(self, task: Task) -> Call:
        """See `Engine`."""
        return self.calls.pairs(task, self._shown[task.about].triples)

    def read(self, reply: str) -> Iterator[Candidate | Refusal]:
        """See `Engine`; a question is one line."""
        for one in read_candidates(reply):
            if isinstance(one, Candidate):
                yield replace(one, question=" ".join(one.question.split()))
            else:
                yield one

    def may_mend(self, reason: str) -> bool:
        """See `Engine`; a reply without pairs that can be read is asked for once more."""
        return reason in (Unread.NO_JSON, Unread.EMPTY)

    def draft(self, task: Task, candidate: Candidate) -> Draft | Refusal:
        """See `Engine`."""
        path = verified(candidate, self._shown[task.about])
        if isinstance(path, Refusal):
            return path
        row, at_object = path.answer
        answer = self.kg.entities[int(self.kg.triples[row, 2 if at_object else 0])]
        asking, seeds = self.asking, self.looked_at[task.about]
        triples = asking.grader.triples(path.rows)
        try:
            query = expanded(query_of_triples(triples, answer), asking.declarations)
        except NoTreeError as problem:
            return Refusal(PairReason.TREE, problem.reason)
        graded = asking.grade(
            query, max_answers=self.options.max_answers, max_evidence=self.options.max_evidence
        )
        if isinstance(graded, str):
            return Refusal(graded, query=query.text)
        block = VariantBlock(
            answer=answer,
            triples=tuple(sorted(triples)),
            subgraph=tuple(sorted(asking.grader.triples(task.subgraph.rows))),
            seed_text=seeds.id,
            seeds=self._labels(seeds),
            topic=self._topics.topic(
                self.kg.entity_ids[answer], sorted({relation for _, relation, _ in triples})
            ),
            unique=len(graded.grades) == 1,
            redundant=False,
            judgements=(),
        )
        return Draft(graded, block)

    def _labels(self, seeds: SeedSet) -> tuple[str, ...]:
        return tuple(sorted(self.kg.entities[entity] for entity in seeds.entities))

    # What is chosen of them.

    def judged(self, made: Iterator[Made]) -> Iterator[Made]:
        """See `Engine`."""
        return made if self.judges is None else self._accepted(self.judges, made)

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
        own = [None if place == recipe.endpoint else place for place in places]
        return Judges(panel, self.session, own * (len(panel.judges) // len(own)))

    def _accepted(self, judges: Judges, made: Iterable[Made]) -> Iterator[Made]:
        """What the judges accept, asked in rounds: in each no more than is wanted if all is accepted."""
        waiting: list[tuple[Made, Question]] = []
        for one in made:
            if isinstance(one.found, Question):
                waiting.append((one, one.found))
            else:
                yield one
        room: Counter[Hashable] = self._lacking()
        room.update({("text", one.task.about): self.options.pairs for one, _ in waiting})
        while waiting:
            now, later = list[tuple[Made, Question]](), list[tuple[Made, Question]]()
            times = Counter[Hashable]()
            most = FIRST if judges.are_new else len(waiting)
            for one, question in waiting:
                split, text = one.task.part, ("text", one.task.about)
                if not room[split] or not room[text]:
                    yield self._refused(one, question, ENOUGH if room[text] else MANY)
                elif len(now) < most and times[split] < room[split] and times[text] < room[text]:
                    times.update((split, text))
                    now.append((one, question))
                else:
                    later.append((one, question))
            votes = judges.judge([self._seen_by_judges(question) for _, question in now])
            for (one, question), vote in zip(now, votes, strict=True):
                if vote.reason:
                    self.asking.writing.concerns(vote.keys)
                    yield self._refused(one, question, vote.reason)
                    continue
                room.subtract((one.task.part, ("text", one.task.about)))
                block = replace(question.block, judgements=vote.judgements)
                keys = (*one.keys, *vote.keys)
                yield one._replace(found=replace(question, block=block), keys=keys)
            waiting = later

    def _refused(self, one: Made, question: Question, reason: str) -> Made:
        text = self._namer.question(question).question
        return one._replace(found=Refusal(reason, text=text, query=question.query))

    def _seen_by_judges(self, question: Question) -> JudgedQuestion:
        """What judges see: the writer's answer and its path."""
        own = self._namer.question(question)
        block, templates = own.block, self.asking.templates
        facts = [
            Stated(", ".join(triple), templates[triple[1]].state(triple[0], triple[2]))
            for triple in block.triples
        ]
        others = tuple(name for name in own.answers if name != block.answer)
        return JudgedQuestion(
            f"{block.seed_text}: {own.question}", own.question, block.answer, others, tuple(facts),
            self.names.naming,
        )  # fmt: skip

    def drafts(self) -> Iterator[Tried]:
        """See `Engine`; the seed sets that were asked about are records of the release."""
        yield from super().drafts()
        self.asking.records[SEED_TEXTS] = tuple(
            SeedRow(one.id, self._labels(one), one.topic) for one in self.looked_at.values()
        )
        self.asking.sampling |= {
            "seed_texts": len(self.looked_at),
            "skipped": dict(sorted(self.skipped.items())),
            "judged": None if self.judges is None else self.judges.counts(self.asking.seed),
        }


OF_PAIR, PAIRS = 120, 2.6
"""Tokens of a pair in a reply, and pairs in a reply, of a capable model that was allowed 5."""

VOTES, OF_VOTE, OF_LONG, OF_REPLY = 6, 406, 2000, 60
"""Calls that judge a pair; tokens of their prompts, usually and at most; and of the reply."""


def estimate(engine: VariantEngine, journal: Journal | None) -> Estimate:
    """Estimates what asking about all seed sets takes; a build stops once it has enough questions.

    Args:
        engine: The build's questions in the making.
        journal: The calls answered so far.
    """
    recipe, options = engine.asking.recipe, engine.options
    calls = list(map(engine.call, engine.joined(engine.sets)))
    missing = unanswered(calls, journal)
    each = min(PAIRS, options.pairs)
    asked = min(len(missing), max(FEWEST_AT_ONCE, ceil(options.questions / each)))
    judged = min(options.questions, round(each * len(calls)))
    purposes = [
        Purpose.of(
            "pairs",
            missing,
            asked,
            2 * len(missing),
            OF_PAIR * each,
            answered=len(calls) - len(missing),
        )
    ]
    if options.judges:
        votes, places = VOTES * judged, options.endpoints(recipe.endpoint)
        away = Counter(place.address for place in places if place != recipe.endpoint)
        at = (f", {votes * n // len(places):,} of them at {a}" for a, n in sorted(away.items()))
        purposes.append(
            Purpose(
                f"judges{''.join(at)}",
                [OF_VOTE],
                votes,
                2 * VOTES * options.pairs * len(calls),
                OF_REPLY,
                max(Panel.max_tokens, recipe.verbalizer.max_tokens),
                OF_LONG - OF_VOTE,
            )
        )
    return Estimate(
        f"{counted(len(engine.looked_at), 'seed set')}, {len(calls):,} of them joined by the graph",
        purposes,
        judged,
        f"A build ends with {counted(options.questions, 'accepted question')}. Typical: {each:g} pairs of a "
        "seed set, all of them accepted; at most: all sets, with all pairs, each reply as long as allowed, "
        "asked for twice.",
        three_prompts(calls),
        bool(recipe.endpoint.batch),
        (
            (1 + bool(options.judges)) * -(-asked // AT_ONCE),
            (2 + 2 * bool(options.judges)) * -(-len(missing) // FEWEST_AT_ONCE),
        ),
    )
