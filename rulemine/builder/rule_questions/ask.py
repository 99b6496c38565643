"""Makes questions from a selection: one per certificate row, with answers, difficulty features and text.

Guarantees: the hard answer is one of the hard answers, which are answers; the topic entity is an answer
only if its self-loop is a triple; the text names the topic entity and, in every naming, no answer.
Drafts that violate the last are rejected with the reason. The checks cover all namings at once, so every
naming of a release has the same questions, in canonical order: removed triple, direction, rule.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from rulemine.builder.difficulty import measure_difficulty
from rulemine.builder.removal.selection import Selection
from rulemine.builder.rule_questions.text_check import Refusal, TextCheck
from rulemine.errors import UserError
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.phrasing.templates import Templates
from rulemine.query.answers import AnswerIndex, QuestionKey, count_answers, missing_from
from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import Question, Rejection
from rulemine.rules.taxonomy import classify
from rulemine.seeds import stream

__all__ = ["ask"]

TOO_MANY = "it has too many answers"

ID_DIGITS = 5
"""Minimum number of digits of a question id."""


def ask(
    kg: KnowledgeGraph,
    selection: Selection,
    templates: Templates,
    *,
    reference: KnowledgeGraph | None = None,
    labels: Mapping[str, str] | None = None,
    seed: int = 0,
    max_answers: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """Makes one question per certificate row of a selection.

    Args:
        kg: The complete KG.
        selection: The removed triples with certificates; its rules have measures.
        templates: The templates of every relation of the graph.
        reference: A larger KG, matched by labels, that supplies further correct answers.
        labels: Entity → text label, for the naming ``text``.
        seed: Seed of the draws of topic entities and private ids.
        max_answers: Maximum number of answers of a question; 0: no limit. The end to ask for is drawn
            from those within the limit; if there is none, the question is rejected.
        progress: Called with (questions done, all questions).

    Returns:
        Questions with source labels, ids in canonical order and no split yet; the rejections.

    Raises:
        UserError: No question is left.
    """
    further_kg = None if reference is None else missing_from(kg, reference)
    drafts = _draft(kg, selection, seed, max_answers, further_kg)
    answers = _answers(kg, selection, drafts, further_kg)
    known = set(kg.entities)
    further = sorted({end for s, _, o in answers.reference for end in (s, o)} - known)
    names = name_entities(kg.entities, seed=seed, labels=labels, further=further)
    check = TextCheck(names, templates)
    difficulty = measure_difficulty(kg, selection)
    types = [classify(rule) for rule in selection.rules]
    # All labels at once: one array of ids is indexed far faster than many.
    bodies = kg.labeled(selection.body[selection.body >= 0])
    starts = [0, *np.cumsum((selection.body >= 0).sum(axis=1)).tolist()]
    questions: list[Question] = []
    rejections: list[Rejection] = []
    width = max(ID_DIGITS, len(str(len(drafts))))
    for done, draft in enumerate(drafts):
        if progress is not None and done % 1024 == 0:
            progress(done, len(drafts))
        rule, key = selection.rules[draft.rule], draft.key
        problem = check.problem(key, answers.all[key], draft.hard_answer)
        if (n := len(answers.all[key])) > (max_answers or n):
            problem = Refusal(TOO_MANY, f"{n} answers; at most {max_answers} are wanted", "")
        if problem is not None:
            reason, detail, text = problem
            rejections.append(
                Rejection("ask", reason, "", draft.removed, key.direction, rule.id, detail, text)
            )
            continue
        questions.append(
            Question(
                id=f"q{len(questions) + 1:0{width}d}",
                question=templates[key.relation].ask(key.direction, key.topic),
                topic=key.topic,
                relation=key.relation,
                direction=key.direction,
                answers=answers.all[key],
                hard_answer=draft.hard_answer,
                hard_answers=answers.hard[key],
                removed=draft.removed,
                level=int(selection.level[draft.row]),
                rule=rule.id,
                rule_type=types[draft.rule].type,
                rule_subtype=types[draft.rule].subtype,
                certificate=tuple(bodies[starts[draft.row] : starts[draft.row + 1]]),
                diagnosis=difficulty.of(int(selection.head[draft.row]), rule, answers.stated[key]),
                split="",
            )
        )
    if progress is not None:
        progress(len(drafts), len(drafts))
    if not questions:
        reasons = Counter(rejection.reason for rejection in rejections)
        advice = "Give other templates (questions.templates) or other labels" + (
            ", or raise questions.max_answers." if max_answers else "."
        )
        found = ", ".join(f"{n:,} because {reason}" for reason, n in reasons.items())
        raise UserError(f"no question is left: every draft was rejected ({found}). {advice}")
    everything = QuestionSet((), (), names, len(kg.entities), answers.reference)
    return everything.keep(questions, rejections)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A question without answers: a row of the selection and the end that is asked for."""

    row: int
    rule: int
    removed: Triple
    key: QuestionKey
    hard_answer: str


def _draft(
    kg: KnowledgeGraph,
    selection: Selection,
    seed: int,
    max_answers: int,
    further: KnowledgeGraph | None,
) -> list[_Draft]:
    """The drafts in canonical order; a fair coin decides which end each asks for.

    If only one end has at most `max_answers` answers, that end is asked for.
    """
    by_key = sorted(range(len(selection.rules)), key=lambda i: selection.rules[i].sort_key)
    rank = np.empty(len(by_key), np.int64)
    rank[by_key] = np.arange(len(by_key))
    proofs = [selection.body[:, i] for i in reversed(range(selection.body.shape[1]))]
    asks_object = np.empty(len(selection.head), bool)
    # The order of the coin flips must not depend on their outcome.
    by_triple = np.lexsort((*proofs, rank[selection.rule], selection.head))
    asks_object[by_triple] = stream(seed, "coin").uniform(len(by_triple)) < 0.5
    if max_answers:
        objects, subjects = count_answers(kg, selection.head, further)
        asks_object = np.where(
            (objects <= max_answers) == (subjects <= max_answers),
            asks_object,
            objects <= max_answers,
        )
    order = np.lexsort((*proofs, rank[selection.rule], asks_object, selection.head))
    drafts = []
    for row, (s, r, o) in zip(order.tolist(), kg.labeled(selection.head[order]), strict=True):
        topic, answer, direction = (s, o, "object") if asks_object[row] else (o, s, "subject")
        key = QuestionKey(topic, r, direction)
        drafts.append(_Draft(row, int(selection.rule[row]), (s, r, o), key, answer))
    return drafts


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers of all keys, as sorted labels, and the reference triples among them."""

    all: dict[QuestionKey, tuple[str, ...]]
    hard: dict[QuestionKey, tuple[str, ...]]
    stated: dict[QuestionKey, int]
    reference: tuple[Triple, ...]


def _answers(
    kg: KnowledgeGraph,
    selection: Selection,
    drafts: list[_Draft],
    further: KnowledgeGraph | None,
) -> _Answers:
    keys = sorted({draft.key for draft in drafts})
    topics, relations, directions = ([key[i] for key in keys] for i in range(3))
    asks_object = np.array([direction == "object" for direction in directions], bool)
    removed = np.zeros(len(kg), bool)
    removed[selection.removed] = True
    found = AnswerIndex(kg).find_labeled(topics, relations, directions)
    sides = np.where(np.repeat(asks_object, np.diff(found.starts)), 2, 0)
    ends = [kg.entities[end] for end in kg.triples[found.rows, sides].tolist()]
    gone = removed[found.rows].tolist()
    starts = found.starts.tolist()
    more, more_starts = [], [0] * (len(keys) + 1)
    if further is not None:
        wider = AnswerIndex(further).find_labeled(topics, relations, directions)
        more, more_starts = further.labeled(wider.rows), wider.starts.tolist()
    made = _Answers({}, {}, {}, tuple(sorted(set(more))))
    for i, key in enumerate(keys):
        answers, hidden = (column[starts[i] : starts[i + 1]] for column in (ends, gone))
        hard = tuple(itertools.compress(answers, hidden))
        side = 2 if key.direction == "object" else 0
        answers += [triple[side] for triple in more[more_starts[i] : more_starts[i + 1]]]
        made.all[key] = tuple(sorted(answers))
        made.hard[key] = hard
        made.stated[key] = len(hidden) - len(hard)
    return made
