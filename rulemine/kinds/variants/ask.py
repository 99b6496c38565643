"""Makes the questions of the kind ``variants``: which seed sets are asked about, and who judges.

Each seed set is connected to a subgraph; a writer is shown its triples in random order and replies with
pairs; each pair is held against the subgraph, graded, and judged (Dynamic-KGQA; what is executed and graded
is ours). Which of them are kept for which split, and when it is enough, `rulemine.kinds.variants.seed_splits`
says. Questions come in the order of the seed sets, and of one set in the order of the reply.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rulemine.errors import NoTreeError, counted
from rulemine.judging.panel import JudgedQuestion, Panel, Stated, seat_judges
from rulemine.kinds.asking import Asking, Draft
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.judging import Judges, Vote
from rulemine.kinds.variants.pairs import Pair, PairReason, Shown, pairs_of, verified
from rulemine.kinds.variants.seed_inputs import sets_of
from rulemine.kinds.variants.seed_splits import SeedSplits
from rulemine.kinds.variants.seed_texts import SeedSet
from rulemine.kinds.variants.topics import Topics
from rulemine.kinds.written.block import VariantBlock
from rulemine.kinds.written.candidate import Refusal, Subgraph, Written
from rulemine.kinds.written.engine import FEWEST_AT_ONCE, MOST_AT_ONCE, Engine
from rulemine.kinds.written.listed import has_listed_chains
from rulemine.kinds.written.scripted import ScriptedWriter
from rulemine.llm.call import Failure
from rulemine.llm.replay import Replay
from rulemine.query.evidence_tree import query_of_triples
from rulemine.query.grading import Grades
from rulemine.query.links import expanded
from rulemine.query.structures import structure_of
from rulemine.query.tree import Query
from rulemine.release.records import Question
from rulemine.release.seed_rows import SEED_TEXTS, SeedRow
from rulemine.seeds import stream
from rulemine.verbalizer.requests import SEEDS

if TYPE_CHECKING:
    from rulemine.llm.call import Ask, Call

__all__ = ["PairTask", "VariantEngine"]


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
        self.components = Components(self.kg, self.options, self.inputs.excluded)
        self.sets = sets_of(self.inputs, asking.selection)
        self._splits = SeedSplits(asking.recipe, self.sets, asking.facts, asking.near)
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

    def call(self, task: PairTask) -> "Call":
        """See `Engine`."""
        return self.calls.pairs(task.seeds.id, task.shown.triples)

    async def ask(self, task: PairTask, ask: "Ask") -> Written:
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
        may_be_idle = self._may_be_idle(seeds)
        graded = self.graded(query, may_be_idle=may_be_idle)
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
            redundant=may_be_idle and self.minimal(query).redundant,
            judgements=(),
        )
        return Draft(graded, block)

    def _may_be_idle(self, seeds: SeedSet) -> bool:
        """Whether topic entities of questions about a seed set may be idle."""
        split = self._splits.split_of(seeds.id) or self.chosen.split
        return not self.options.minimal and split in ("train", "random")

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
