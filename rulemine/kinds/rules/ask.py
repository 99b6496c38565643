"""Makes questions from a selection, with answers, grades and text.

One question per query, so one per text. A query is a topic entity with everything that states the
relation asked about (see `rulemine.kg.facts`). Its hard answer is an answer whose triple is removed
and may be asked for in this direction: of the core first, then the first by name. Where both ends of a
removed triple give such a question, a seeded coin decides. The published procedure instead makes one
question per certificate, whatever else has the same text.

Guarantees: answers are the disjoint union of stated, hard and further ones; the topic entity is an
answer only if its self-loop is a triple; the text names the topic entity and, in every naming, no answer.
What violates the last is rejected with the reason. The checks cover all namings at once, so every
naming of a release has the same questions, in canonical order: removed triple, direction, rule.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulemine.errors import UserError, counted
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import DIRECTIONS, KnowledgeGraph, Triple
from rulemine.kinds.graded import Unaskable
from rulemine.kinds.rules.answer_sets import AnswerSets, Query
from rulemine.kinds.rules.block import RuleBlock
from rulemine.kinds.rules.text_check import TextCheck, TextRefusal
from rulemine.phrasing.templates import Templates
from rulemine.query.answers import QuestionKey, missing_from
from rulemine.query.links import expanded
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Anchor, Projection
from rulemine.query.tree import Query as Tree
from rulemine.recipe.earlier import AGAIN, NOTHING, Earlier
from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection, Unseen
from rulemine.removal.selection import Selection
from rulemine.rules.rule import Rule
from rulemine.rules.taxonomy import classify
from rulemine.seeds import stream

__all__ = ["ask"]

TOO_MANY = "it has too many answers"
ANOTHER = "the question asks for another of its answers"

ID_DIGITS = 5
"""Minimum number of digits of a question id."""


def ask(
    kg: KnowledgeGraph,
    selection: Selection,
    templates: Templates,
    *,
    merge: bool = True,
    reference: KnowledgeGraph | None = None,
    labels: Mapping[str, str] | None = None,
    seed: int = 0,
    max_answers: int = 0,
    earlier: Earlier = NOTHING,
    stale: npt.NDArray[np.bool_] | None = None,
    core_only: bool = False,
    progress: Callable[[int, int], None] | None = None,
    kind: str = "rules",
) -> QuestionSet:
    """Makes the questions about the removed triples of a selection.

    Args:
        kg: The complete KG.
        selection: The removed triples with certificates; its rules have measures.
        templates: The templates of every relation of the graph.
        merge: Whether questions with the same query are one. False: one question per row of the
            selection, about that row, whatever the declarations.
        reference: A larger KG, matched by labels, that supplies further correct answers.
        labels: Entity → text label, for the naming ``text``.
        seed: Seed of the draws of directions and private ids.
        max_answers: Maximum number of answers of a question; 0: no limit.
        earlier: What is not asked again.
        stale: bool, shape (triples,): triples that no question may use; None: none.
        core_only: Whether only questions of the core are asked.
        progress: Called with (questions checked, most that can be).
        kind: What their kind is called.

    Returns:
        Questions with source labels, ids in canonical order and no split yet. A removed triple that no
        question asks for is rejected with the reason.

    Raises:
        UserError: No question is left.
    """
    declarations = templates.declarations if merge else Declarations()
    further_kg = None if reference is None else missing_from(kg, reference)
    offers = _offers(kg, selection, declarations)
    sets = AnswerSets(kg, selection, declarations, [o.query for o in offers], further_kg)
    known = set(kg.entities)
    further = sorted({end for s, _, o in sets.reference for end in (s, o)} - known)
    names = name_entities(kg.entities, seed=seed, labels=labels, further=further)
    check = TextCheck(names, templates)
    again = earlier.links(kg, declarations)
    outdated = frozenset(() if stale is None else kg.labeled(np.flatnonzero(stale)))
    checked = 0

    def problem(offer: _Offer) -> TextRefusal | None:
        nonlocal checked
        if progress is not None and checked % 1024 == 0:
            progress(checked, len(offers))
        checked += 1
        if again[offer.head] or (
            earlier.queries and _tree(offer, declarations).text in earlier.queries
        ):
            return TextRefusal(AGAIN, "", "")
        if core_only and not offer.core:
            return TextRefusal(Unaskable.EASY, "", "")
        if outdated and not outdated.isdisjoint(sets.evidence(offer.query)):
            return TextRefusal(Unaskable.STALE, "", "")
        answers = sets[offer.query].all
        if max_answers and len(answers) > max_answers:
            return TextRefusal(
                TOO_MANY, f"{len(answers)} answers; at most {max_answers} are wanted", ""
            )
        return check.problem(offer.key, answers, offer.answer)

    coins = (stream(seed, "coin").uniform(len(selection)) < 0.5).tolist()
    chosen, refused = (_one_per_query if merge else _one_per_row)(offers, problem, coins)
    if progress is not None:
        progress(len(offers), len(offers))
    rules = selection.rules
    rejections = [
        Rejection("ask", reason, "", o.removed, o.direction, rules[o.rule].id, detail, text)
        for o, (reason, detail, text) in refused
    ]
    if not chosen:
        reasons = Counter(rejection.reason for rejection in rejections)
        if (lacking := reasons[Unaskable.STALE]) > 0:
            raise UserError(
                f"no question is left: {lacking:,} of {counted(len(rejections), 'draft')} use a "
                "triple that the reference lacks. Give the larger graph, or, if the reference holds "
                "further triples alone, set questions.stale = true."
            )
        advice = "Give other templates (questions.templates) or other labels" + (
            ", or raise questions.max_answers." if max_answers else "."
        )
        found = ", ".join(f"{n:,} because {reason}" for reason, n in reasons.items())
        raise UserError(f"no question is left: every draft was rejected ({found}). {advice}")
    width = max(ID_DIGITS, len(str(len(selection))))
    questions = [
        _question(
            kind, f"q{number:0{width}d}", offer, rules[offer.rule], sets, templates, declarations
        )
        for number, offer in enumerate(sorted(chosen, key=_Offer.order), start=1)
    ]
    everything = QuestionSet((), (), names, len(kg.entities), sets.reference, declarations)
    return everything.keep(questions, rejections)


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
        query: What it asks.
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
    def key(self) -> QuestionKey:
        """What it asks, as its own relation states it."""
        return QuestionKey(self.query[2], self.removed[1], self.direction)

    def order(self) -> tuple[int, bool, int]:
        """The canonical order of questions."""
        return self.head, self.direction == DIRECTIONS[1], self.place


_Problem = Callable[[_Offer], TextRefusal | None]
_Chosen = tuple[list[_Offer], list[tuple[_Offer, TextRefusal]]]
"""The offers that become questions, and one, with the reason, for each fact that none asks for."""


def _offers(kg: KnowledgeGraph, selection: Selection, declarations: Declarations) -> list[_Offer]:
    """All offers by removed triple, rule, certificate, direction."""
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


def _one_per_query(offers: Sequence[_Offer], problem: _Problem, coins: Sequence[bool]) -> _Chosen:
    """Chooses at most one offer for each query, and at most one for each fact.

    Args:
        offers: All offers, in canonical order.
        problem: Called with an offer; returns why it cannot become a question, or None.
        coins: A coin for each place.
    """
    first: dict[Query, _Offer] = {}
    for offer in offers:
        best = first.get(offer.query)
        if best is None or (not offer.core, offer.answer) < (not best.core, best.answer):
            first[offer.query] = offer
    problems = {query: problem(offer) for query, offer in first.items()}
    facts: dict[int, list[_Offer]] = {}
    for offer in offers:
        facts.setdefault(offer.fact, []).append(offer)
    chosen: list[_Offer] = []
    refused: list[tuple[_Offer, TextRefusal]] = []
    for mine in facts.values():
        fit = [o for o in mine if problems[o.query] is None and first[o.query] is o]
        if fit:
            chosen.append(fit[-1] if coins[fit[0].place] else fit[0])
        else:
            known = [(o, problems[o.query] or TextRefusal(ANOTHER, "", "")) for o in mine]
            # A query that can be asked says more than one that cannot.
            refused.append(next((pair for pair in known if pair[1].reason == ANOTHER), known[0]))
    return chosen, refused


def _one_per_row(offers: Sequence[_Offer], problem: _Problem, coins: Sequence[bool]) -> _Chosen:
    """Chooses one offer for each row of the selection; arguments as of `_one_per_query`."""
    rows: dict[int, list[_Offer]] = {}
    for offer in offers:
        rows.setdefault(offer.place, []).append(offer)
    chosen: list[_Offer] = []
    refused: list[tuple[_Offer, TextRefusal]] = []
    for place, mine in rows.items():
        found = [(o, problem(o)) for o in (reversed(mine) if coins[place] else mine)]
        # The other end is asked for only where the drawn one has too many answers.
        offer, why = found[-1] if found[0][1] and found[0][1].reason == TOO_MANY else found[0]
        if why is None:
            chosen.append(offer)
        else:
            refused.append((offer, why))
    return chosen, refused


def _tree(offer: _Offer, declarations: Declarations) -> Tree:
    """What an offer asks, as a query tree."""
    one = Projection(offer.removed[1], offer.direction == DIRECTIONS[0], Anchor(offer.query[2]))
    return expanded(one, declarations)


def _question(
    kind: str,
    id_: str,
    offer: _Offer,
    rule: Rule,
    sets: AnswerSets,
    templates: Templates,
    declarations: Declarations,
) -> Question:
    topic, relation = offer.query[2], offer.removed[1]
    answers = sets[offer.query]
    query = _tree(offer, declarations)
    structure = structure_of(query, declarations)
    type_ = classify(rule)
    asked_for = next(row for row in answers.hard if row.answer == offer.answer)
    return Question(
        id=id_,
        kind=kind,
        question=templates[relation].ask(offer.direction, topic, several=len(answers.all) > 1),
        anchors=structure.anchors,
        query=query.text,
        sparql=to_sparql(query),
        structure=structure.name,
        shape=structure.shape,
        hops=structure.hops,
        answers=answers.all,
        stated=answers.stated,
        hard=answers.hard,
        further=answers.further,
        hard_answer=offer.answer,
        core=asked_for.core,
        evidence=asked_for.witness,
        full_evidence=sets.evidence(offer.query),
        spurious=(),
        value=None,
        stated_value=None,
        relations=(relation,),
        intermediates=(),
        removed=(offer.removed,),
        rules=(rule.id,),
        split="",
        unseen=Unseen(False, False, False),
        wording="template",
        paraphrases=(),
        patterns=(),
        block=RuleBlock(offer.direction, type_.type, type_.subtype),
    )
