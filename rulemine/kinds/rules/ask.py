"""Makes questions from a selection: finds and grades the answers, checks the text, chooses what is asked.

One question per query, so one per text. A query is a topic entity with everything that states the
relation asked about (see `rulemine.kg.facts`), looked up in the complete KG and, where one is given, in a
larger reference graph, matched by labels. Its hard answer is an answer whose triple is removed
and may be asked for in this direction: of the core first, then the first by name. Where both ends of a
removed triple give such a question, a seeded coin decides. The published procedure instead makes one
question per certificate, whatever else has the same text.

Guarantees: answers are the disjoint union of stated, hard and further ones; the topic entity is an
answer only if its self-loop is a triple; the text names the topic entity and, in every naming, no other
answer. What violates the last is rejected with the reason. The checks cover all namings at once, so every
naming of a release has the same questions, in canonical order: removed triple, direction, rule.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rulemine.errors import UserError, counted
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.asking import Asking, link_to, question_ids
from rulemine.kinds.checks import Unaskable
from rulemine.kinds.graded import asked_by, new_question
from rulemine.kinds.rules.block import RuleBlock
from rulemine.phrasing.templates import Templates
from rulemine.query.answers import AnswerIndex
from rulemine.recipe.earlier import AGAIN
from rulemine.release.records import HardAnswer, Question, Rejection
from rulemine.removal.selection import Selection
from rulemine.rules.blocks import by_blocks
from rulemine.rules.rule import Rule, classify
from rulemine.seeds import stream
from rulemine.text.normalization import fold, mentions

__all__ = ["NAMED", "SELF_LOOP", "TextCheck", "drafts"]

Ints = npt.NDArray[np.int64]

SELF_LOOP = "the topic is the hard answer"
NAMED = "the text names an answer"

_CODED = ("private", "numeric")
_TOKEN = re.compile(r"\w+")


Query = tuple[str, str, str]
"""Relation, direction, topic entity."""


class TextRefusal(NamedTuple):
    """Why a question cannot be asked.

    Attributes:
        reason: A short fixed phrase.
        detail: What exactly was found; names no entity.
        text: The refused text, in the naming given in the detail; empty: none.
    """

    reason: str
    detail: str
    text: str


class TextCheck:
    """Checks that texts name no answer in any naming; folds each name once, when it is first needed.

    An answer that is the topic entity is allowed in the text, which has to name the topic entity.
    """

    def __init__(self, names: Sequence[EntityNames], templates: Templates) -> None:
        self._templates = templates
        self._names = {row.entity: row for row in names}
        self._folded: dict[tuple[str, str], str] = {}
        self._seen: dict[Query, str | None] = {}

    def problem(self, asked: Query, answers: Sequence[str], hard_answer: str) -> TextRefusal | None:
        """Why a question cannot be asked.

        Args:
            asked: What it asks, as its relation states it.
            answers: All its answers, source labels.
            hard_answer: The answer that it was made from.

        Returns:
            None if the question can be asked.
        """
        if asked[2] == hard_answer:
            return TextRefusal(SELF_LOOP, "the removed triple is a self-loop", "")
        if asked not in self._seen:
            self._seen[asked] = self._naming_that_tells(asked, answers)
        naming = self._seen[asked]
        if naming is None:
            return None
        return TextRefusal(NAMED, f"in the naming {naming}", self._text(asked, naming))

    def _naming_that_tells(self, asked: Query, answers: Sequence[str]) -> str | None:
        told = [answer for answer in answers if answer != asked[2]]
        for naming in (*(n for n in NAMINGS if n not in _CODED), *_CODED):
            text = self._text(asked, naming)
            if naming in _CODED:
                # These names are single tokens without case, so a lookup of tokens is exact.
                tokens = set(_TOKEN.findall(text))
                if any(self._names[answer].name_in(naming) in tokens for answer in told):
                    return naming
                continue
            text = fold(text)
            for answer in told:
                name = self._fold(answer, naming)
                if name in text and mentions(text, name):
                    return naming
        return None

    def _text(self, asked: Query, naming: str) -> str:
        relation, direction, topic = asked
        name = self._names[topic].name_in(naming)
        return self._templates.ask(relation, direction, name, articles=naming == "text")

    def _fold(self, entity: str, naming: str) -> str:
        name = self._folded.get((entity, naming))
        if name is None:
            name = self._folded[entity, naming] = fold(self._names[entity].name_in(naming))
        return name


class Answers(NamedTuple):
    """The answers to a query, each part sorted by answer; see `rulemine.release.records.Question`."""

    stated: tuple[str, ...]
    hard: tuple[HardAnswer, ...]
    further: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """All of them, sorted."""
        return tuple(sorted((*self.stated, *(row.answer for row in self.hard), *self.further)))


class Found(NamedTuple):
    """What is found for a query.

    Attributes:
        answers: Its answers.
        rows: The rows of the complete KG that state one.
    """

    answers: Answers
    rows: Ints


class AnswerSets:
    """The answers to queries about a graph and what is removed from it; can be pickled.

    Args:
        kg: The complete KG.
        selection: What is removed.
        declarations: Which relations state the same facts.
        further: Triples that the KG lacks and that supply further answers.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        selection: Selection,
        declarations: Declarations,
        further: KnowledgeGraph | None,
    ) -> None:
        self._given = kg, selection, declarations, further
        self._kg, self._selection = kg, selection
        self._statements = cache(declarations.statements)

    def __reduce__(self) -> tuple[Any, ...]:
        return AnswerSets, self._given

    def find(self, queries: Sequence[Query]) -> list[Found]:
        """What is found for queries, which are looked up together."""
        asked = self._asked(queries)
        directions = asked[2]
        rows, starts = self._index.find_labeled(*asked)
        sides = np.repeat([2 * DIRECTIONS.index(d) for d in directions], np.diff(starts))
        ends = self._kg.triples[rows, sides.astype(np.int64)].tolist()
        more, more_starts = list[Triple](), [0] * (len(directions) + 1)
        if self._further is not None:
            wider, wider_starts = self._further.find_labeled(*asked)
            more, more_starts = self._further.kg.labeled(wider), wider_starts.tolist()
        every = list[Found]()
        at = 0
        for query in queries:
            known: dict[int, list[tuple[int, int]]] = {}
            further: set[str] = set()
            first = starts[at]
            for _ in self._statements(*query[:2]):
                side = DIRECTIONS.index(directions[at])
                own = slice(starts[at], starts[at + 1])
                for end, row in zip(ends[own], rows[own].tolist(), strict=True):
                    known.setdefault(end, []).append((row, side))
                further |= {t[2 * side] for t in more[more_starts[at] : more_starts[at + 1]]}
                at += 1
            every.append(Found(self._answers(known, further), rows[first : starts[at]]))
        return every

    def forget(self) -> None:
        """Gives up what queries are looked up with, which takes memory and is made again when needed."""
        for name in ("_index", "_further"):
            vars(self).pop(name, None)

    def reference(self, queries: Iterable[Query]) -> tuple[Triple, ...]:
        """The further triples that answer one of some queries, sorted."""
        if self._further is None:
            return ()
        rows, _ = self._further.find_labeled(*self._asked(queries))
        return tuple(sorted(set(self._further.kg.labeled(rows))))

    def _asked(self, queries: Iterable[Query]) -> tuple[list[str], list[str], list[str]]:
        """The topics, relations and directions of all statements of queries."""
        asked = [(q[2], *own) for q in queries for own in self._statements(*q[:2])]
        topics, relations, directions = ([row[i] for row in asked] for i in range(3))
        return topics, relations, directions

    @cached_property
    def _index(self) -> AnswerIndex:
        return AnswerIndex(self._kg)

    @cached_property
    def _further(self) -> AnswerIndex | None:
        further = self._given[-1]
        return None if further is None else AnswerIndex(further)

    @cached_property
    def _place(self) -> Ints:
        """Row of the graph → the first row of the selection that removes it."""
        place = np.full(len(self._kg), -1)
        selection = self._selection
        place[selection.head[::-1]] = np.arange(len(selection))[::-1]
        return place

    def _answers(self, found: dict[int, list[tuple[int, int]]], further: set[str]) -> Answers:
        """The answers to a query.

        Args:
            found: Answer → the rows that state it, each with the end at which it has the answer.
            further: What the further triples give.
        """
        labels, place = self._kg.entities, self._place
        hard, stated = [], []
        for end, statements in found.items():  # ids are in the order of labels
            if any(place[row] < 0 for row, _ in statements):
                stated.append(labels[end])
                continue
            row, side = min(statements)
            at = place[row]
            chosen = self._selection
            hard.append(
                HardAnswer(
                    labels[end],
                    missing=1,
                    level=int(chosen.level[at]),
                    witness=tuple(self._kg.labeled(np.array([row]))),
                    core=bool(chosen.core[at] and chosen.directions[at, side]),
                )
            )
        known = {*stated, *(row.answer for row in hard)}
        return Answers(
            tuple(sorted(stated)),
            tuple(sorted(hard, key=lambda row: row.answer)),
            tuple(sorted(further - known)),
        )


TOO_MANY = "it has too many answers"
ANOTHER = "the question asks for another of its answers"
_OTHER_END = (TOO_MANY, Unaskable.BROAD)

AT_ONCE = 1024
"""Most queries or questions of a block."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def drafts(asking: Asking) -> Iterator[Question | Rejection]:
    """The questions about the removed triples of a selection whose rules have measures.

    One for each fact that is removed; in mode ``brink``, one for each row of the selection, about that row.

    Raises:
        UserError: No question is left.
    """
    selection, declarations = asking.selection, asking.declarations
    earlier, chosen = asking.inputs.earlier, asking.recipe.questions
    offers, stale = _offers(asking), asking.inputs.stale
    sets = AnswerSets(asking.kg, selection, declarations, asking.lacking)
    asking.reference = sets.reference(dict.fromkeys(offer.query for offer in offers))
    found_of: dict[Query, Found] = {}
    again = earlier.links(asking.kg, declarations)

    @cache
    def is_broad(relation: str, direction: str) -> bool:
        return not asking.templates.asks(asking.link(("", relation, ""), direction))

    def unfit(offer: _Offer) -> TextRefusal | None:
        if is_broad(offer.removed[1], offer.direction):
            return TextRefusal(Unaskable.BROAD, "", "")
        if again[offer.head] or (
            earlier.queries and asking.link(offer.removed, offer.direction).text in earlier.queries
        ):
            return TextRefusal(AGAIN, "", "")
        return None

    def problem(offer: _Offer, check: TextCheck) -> TextRefusal | None:
        found = found_of[offer.query]
        if stale is not None and stale[found.rows].any():
            return TextRefusal(Unaskable.STALE, "", "")
        answers, most = found.answers.all, chosen.max_answers
        if most and len(answers) > most:
            return TextRefusal(TOO_MANY, f"{len(answers)} answers; at most {most} are wanted", "")
        return check.problem(offer.asked, answers, offer.answer)

    def problems(some: Sequence[_Offer]) -> list[TextRefusal | None]:
        first = [unfit(offer) for offer in some]
        pairs = list(zip(some, first, strict=True))
        queries = list(dict.fromkeys(offer.query for offer, why in pairs if why is None))
        found_of.update(zip(queries, _by_blocks(asking, sets.find, queries), strict=True))
        sets.forget()  # before there are names
        check = TextCheck(asking.names, asking.templates)
        return [why or problem(offer, check) for offer, why in pairs]

    coins = (stream(asking.seed, "coin").uniform(len(selection)) < 0.5).tolist()
    choose = _one_per_row if asking.recipe.selection.mode == "brink" else _one_per_query
    found, refused = choose(offers, problems, coins)
    if not found:
        raise UserError(_explain_none(refused, chosen.max_answers))
    rules = selection.rules
    for o, (reason, detail, text) in refused:
        yield Rejection("ask", reason, "", o.removed, o.direction, rules[o.rule].id, detail, text)
    ids = question_ids(len(found), len(selection))
    work = partial(_questions, asking.kind.name, asking.kg, asking.templates)
    made = [
        _Asked(id_, o, rules[o.rule], found_of[o.query])
        for id_, o in zip(ids, sorted(found, key=_Offer.order), strict=True)
    ]
    yield from _by_blocks(asking, work, made)


def _by_blocks(
    asking: Asking, work: Callable[[Sequence[_Item]], list[_Result]], items: Sequence[_Item]
) -> Iterator[_Result]:
    return chain.from_iterable(by_blocks(work, items, asking.map, asking.progress, AT_ONCE))


def _explain_none(refused: "_Refused", max_answers: int) -> str:
    """Why there is no question at all."""
    reasons = Counter(refusal.reason for _, refusal in refused)
    if (lacking := reasons[Unaskable.STALE]) > 0:
        return (
            f"no question is left: {lacking:,} of {counted(len(refused), 'draft')} use a "
            "triple that the reference lacks. Give the larger graph: one that has all of these triples too."
        )
    advice = "Give other templates (questions.templates) or other labels" + (
        ", or raise questions.max_answers." if max_answers else "."
    )
    found = ", ".join(f"{n:,} because {reason}" for reason, n in reasons.items())
    return f"no question is left: every draft was rejected ({found}). {advice}"


@dataclass(frozen=True, slots=True)
class _Offer:
    """A removed triple with an end that may be asked for.

    Attributes:
        place: Position of its row of the selection in canonical order.
        head: The triple, a row of the graph.
        fact: The fact that it states, see `rulemine.kg.facts.facts_of`.
        rule: The rule of its certificate.
        removed: The triple.
        direction: The end asked for.
        query: What it asks; relation and direction stand for all statements, see `Declarations.asked`.
        answer: The answer asked for.
        core: Whether the triple is in the core.
    """

    place: int
    head: int
    fact: int
    rule: int
    removed: Triple
    direction: str
    query: Query
    answer: str
    core: bool

    @property
    def asked(self) -> Query:
        """What it asks, as its own relation states it."""
        return self.removed[1], self.direction, self.query[2]

    def order(self) -> tuple[int, bool, int]:
        """The canonical order of questions."""
        return self.head, self.direction == DIRECTIONS[1], self.place


_Problems = Callable[[Sequence[_Offer]], list[TextRefusal | None]]
_Refused = list[tuple[_Offer, TextRefusal]]
_Chosen = tuple[list[_Offer], _Refused]
"""The offers that become questions, and one, with the reason, for each fact that none asks for."""


def _offers(asking: Asking) -> list[_Offer]:
    """All offers by removed triple, rule, certificate, direction."""
    kg, selection, declarations = asking.kg, asking.selection, asking.declarations
    by_key = sorted(range(len(selection.rules)), key=lambda i: selection.rules[i].sort_key)
    rank = np.empty(len(by_key), np.int64)
    rank[by_key] = np.arange(len(by_key))
    proofs = [selection.body[:, i] for i in reversed(range(selection.body.shape[1]))]
    order = np.lexsort((*proofs, rank[selection.rule], selection.head))
    heads, rules = selection.head[order], selection.rule[order].tolist()
    facts = facts_of(kg, declarations)[heads].tolist()
    core, allowed = selection.core[order].tolist(), selection.directions[order].tolist()
    return [
        _Offer(
            place,
            head,
            facts[place],
            rules[place],
            (s, r, o),
            direction,
            (*declarations.asked(r, direction), o if direction == "subject" else s),
            s if direction == "subject" else o,
            core[place],
        )
        for place, (head, (s, r, o)) in enumerate(
            zip(heads.tolist(), kg.labeled(heads), strict=True)
        )
        for side, direction in enumerate(DIRECTIONS)
        if allowed[place][side]
    ]


def _one_per_query(
    offers: Sequence[_Offer], problems_of: _Problems, coins: Sequence[bool]
) -> _Chosen:
    """Chooses at most one offer for each query, and at most one for each fact.

    Args:
        offers: All offers, in canonical order.
        problems_of: Called with offers; returns why each cannot become a question, or None.
        coins: A coin for each place.
    """
    first: dict[Query, _Offer] = {}
    for offer in offers:
        best = first.get(offer.query)
        if best is None or (not offer.core, offer.answer) < (not best.core, best.answer):
            first[offer.query] = offer
    problems = dict(zip(first, problems_of(list(first.values())), strict=True))
    facts: dict[int, list[_Offer]] = {}
    for offer in offers:
        facts.setdefault(offer.fact, []).append(offer)
    chosen: list[_Offer] = []
    refused: _Refused = []
    for mine in facts.values():
        fit = [o for o in mine if problems[o.query] is None and first[o.query] is o]
        if fit:
            chosen.append(fit[-1] if coins[fit[0].place] else fit[0])
        else:
            known = [(o, problems[o.query] or TextRefusal(ANOTHER, "", "")) for o in mine]
            # A query that can be asked says more than one that cannot.
            refused.append(next((pair for pair in known if pair[1].reason == ANOTHER), known[0]))
    return chosen, refused


def _one_per_row(
    offers: Sequence[_Offer], problems_of: _Problems, coins: Sequence[bool]
) -> _Chosen:
    """Chooses one offer for each row of the selection; arguments as of `_one_per_query`."""
    rows: dict[int, list[_Offer]] = {}
    for offer in offers:
        rows.setdefault(offer.place, []).append(offer)
    chosen: list[_Offer] = []
    refused: _Refused = []
    turned = [mine[::-1] if coins[place] else mine for place, mine in rows.items()]
    problems = iter(problems_of([offer for mine in turned for offer in mine]))
    for mine in turned:
        found = [(o, next(problems)) for o in mine]
        # The other end is asked for only where the drawn one has too many answers, or none that one asks for.
        first = found[0][1]
        offer, why = found[-1] if first and first.reason in _OTHER_END else found[0]
        if why is None:
            chosen.append(offer)
        else:
            refused.append((offer, why))
    return chosen, refused


class _Asked(NamedTuple):
    """An offer that becomes a question, the rule of its certificate, and what is found for its query."""

    id: str
    offer: _Offer
    rule: Rule
    found: Found


def _questions(
    kind: str, kg: KnowledgeGraph, templates: Templates, asked: Sequence[_Asked]
) -> list[Question]:
    return [_question(kind, kg, templates, *one) for one in asked]


def _question(
    kind: str, kg: KnowledgeGraph, templates: Templates,
    id_: str, offer: _Offer, rule: Rule, found: Found,
) -> Question:  # fmt: skip
    topic, relation, answers = offer.query[2], offer.removed[1], found.answers
    query = link_to(offer.removed, offer.direction, templates.declarations)
    type_ = classify(rule)
    asked_for = next(row for row in answers.hard if row.answer == offer.answer)
    return new_question(
        kind,
        **asked_by(query, templates.declarations),
        id=id_,
        question=templates.ask(relation, offer.direction, topic),
        answers=answers.all,
        stated=answers.stated,
        hard=answers.hard,
        further=answers.further,
        hard_answer=offer.answer,
        core=asked_for.core,
        evidence=asked_for.witness,
        full_evidence=tuple(sorted(set(kg.labeled(found.rows)))),
        relations=(relation,),
        removed=(offer.removed,),
        rules=(rule.id,),
        block=RuleBlock(offer.direction, type_.type, type_.subtype),
    )
