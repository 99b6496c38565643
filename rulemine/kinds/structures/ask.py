"""Makes the questions of the kind ``structures``: samples queries of each structure, with their texts.

Guarantees: questions are as `rulemine.kinds.structures.checking` and `sampling` say; no two have the
same query or text, or are near duplicates; in mode ``group``, anchors of different splits are disjoint, and
training gives away no removed fact that validation or test needs, validation none that test needs; questions
are in canonical order: by structure, then by query.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from rulemine.errors import UserError, counted
from rulemine.kg.entity_types import EntityTypes
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.graded import Grader, RemovedTriples, Wider
from rulemine.kinds.locks import Locks, removed_facts
from rulemine.kinds.near_duplicates import NearDuplicates
from rulemine.kinds.structures.checking import QueryChecker, Reason
from rulemine.kinds.structures.drawing import Drawer
from rulemine.kinds.structures.edges import Steps
from rulemine.kinds.structures.options import StructureSection
from rulemine.kinds.structures.sampling import Company, Pool, Sampled, sample
from rulemine.kinds.structures.sharing import within_limit
from rulemine.kinds.texts import Texts
from rulemine.phrasing.compose import goes_together
from rulemine.phrasing.templates import Templates
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph
from rulemine.query.structures import STRUCTURES
from rulemine.recipe.earlier import NOTHING, Earlier
from rulemine.release.naming import name_entities
from rulemine.release.question_set import QuestionSet
from rulemine.release.records import SPLITS, Rejection
from rulemine.removal.selection import Selection
from rulemine.seeds import stream

__all__ = ["ask_structures", "keep_within_limit"]

Bools = npt.NDArray[np.bool_]

ID_DIGITS = 5
"""Minimum number of digits of a question id."""

MOST_SHOWN = 3
"""Reasons that are given for a structure without questions."""


def ask_structures(
    kg: KnowledgeGraph,
    selection: Selection,
    templates: Templates,
    types: EntityTypes,
    options: StructureSection,
    *,
    anchors: Collection[str] | None = None,
    ratios: Sequence[int] | None = None,
    test_core: int = 0,
    max_facts: int = 5,
    excluded: Collection[str] = (),
    reference: KnowledgeGraph | None = None,
    labels: dict[str, str] | None = None,
    seed: int = 0,
    earlier: Earlier = NOTHING,
    stale: npt.NDArray[np.bool_] | None = None,
    core_only: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> QuestionSet:
    """Samples questions.

    Args:
        kg: The complete KG.
        selection: The removed triples with certificates, one row for each.
        templates: The templates of every relation of the graph.
        types: The types of its entities.
        options: Which questions are sampled.
        anchors: Entities from which anchors are drawn; None: all.
        ratios: Sizes of train, validation and test relative to each other: entities are dealt to splits,
            and all anchors of a question are from its split. None: questions get no split.
        test_core: Questions of the core that test should have, the same number of each structure; validation
            a third as many.
        max_facts: See `rulemine.recipe.options.QuestionSection.max_facts`.
        excluded: Relations that are not asked about.
        reference: A larger KG, matched by labels, that supplies further correct answers.
        labels: Entity → text label, for the naming ``text``.
        seed: The seed of all draws.
        earlier: What is not asked again.
        stale: bool, shape (triples,): triples that no question may use; None: none.
        core_only: Whether only questions of the core are asked.
        progress: Called with (questions, questions wanted).

    Returns:
        Questions with source labels, ids in canonical order, and splits as `ratios` says.

    Raises:
        UserError: There is no question.
    """
    declarations = templates.declarations
    removed = RemovedTriples.of(len(kg), selection)
    graph = QueryGraph(kg, removed.levels)
    wider = Wider.of(kg, reference)
    steps = Steps.of(kg, removed.place >= 0, removed.allowed, removed.core, declarations, excluded)
    fit = _anchors(kg, options, anchors)
    pools, masks = [Pool("", 1)], [fit]
    if ratios is not None:
        core = {"test": test_core, "validation": -(-test_core // 3)}
        pools = [
            Pool(split, ratio, -(-core.get(split, 0) // len(options.names)))
            for split, ratio in zip(SPLITS, ratios, strict=True)
        ]
        masks = _dealt(fit, ratios, seed)
    together = partial(goes_together, templates)
    drawer = Drawer(steps, types, masks, options.max_answers, options.max_evidence, together)
    grader = Grader(graph, removed, declarations, wider, earlier, stale, core_only)
    checker = QueryChecker(grader, types, options)
    further = wider.entities(kg) if wider else []
    names = name_entities(kg.entities, seed=seed, labels=labels, further=further)
    texts = Texts(names, templates).from_template
    wanted = len(options.names) * options.per_structure
    done = 0

    def on_question() -> None:
        nonlocal done
        done += 1
        if progress is not None and done % 16 == 0:
            progress(done, wanted)

    locks = None
    if ratios is not None:
        shares = {pool.split: pool.ratio / sum(ratios) for pool in pools}
        locks = Locks(removed_facts(kg, selection), max_facts, shares)
    company = Company(locks, NearDuplicates(declarations))
    chosen = [name for name in STRUCTURES if name in options.names]
    samples = sample(chosen, drawer, checker, texts, pools, options, seed, company, on_question)
    if progress is not None:
        progress(wanted, wanted)
    made = [
        question
        for some in samples
        for question in sorted(some.questions, key=lambda question: question.query)
    ]
    if not made:
        raise UserError(_explain_none(samples, fit))
    if empty := [pool.split for pool in pools if pool.split not in {q.split for q in made}]:
        raise UserError(
            f"{counted(len(made), 'question')} could be drawn, none of them for {' and '.join(empty)}. Set "
            "questions.split to random or none, raise structures.per_structure, or build from a larger graph."
        )
    width = max(ID_DIGITS, len(str(len(made))))
    questions = [
        replace(question, id=f"q{number:0{width}d}") for number, question in enumerate(made, 1)
    ]
    triples = {
        triple
        for question in questions
        if wider and question.further
        for triple in wider.reference(parse(question.query), question.further)
    }
    everything = QuestionSet(
        (),
        (),
        names,
        len(kg.entities),
        tuple(sorted(triples)),
        declarations,
        {some.name: some.to_plain() for some in samples},
    )
    return everything.keep(questions, [row for some in samples for row in some.refused])


def keep_within_limit(asked: QuestionSet, max_share: float) -> QuestionSet:
    """Drops questions until no more of a structure than a fraction share something, after some are gone.

    Args:
        asked: Questions of this kind.
        max_share: See `StructureSection.max_share`.
    """
    given = list(asked.questions)
    kept = {
        question.id
        for name in STRUCTURES
        for question in within_limit([q for q in given if q.structure == name], max_share)
    }
    return asked.keep(
        [q for q in given if q.id in kept],
        [
            Rejection("verbalize", Reason.SHARED, q.id, None, "", "", "", query=q.query)
            for q in given
            if q.id not in kept
        ],
    )


def _anchors(kg: KnowledgeGraph, options: StructureSection, named: Collection[str] | None) -> Bools:
    """The entities that may be anchors, shape (entities,)."""
    degree = np.bincount(kg.triples[:, [0, 2]].reshape(-1), minlength=len(kg.entities))
    fit: Bools = degree >= max(1, options.min_degree)
    if options.max_degree:
        fit &= degree <= options.max_degree
    if named is not None:
        ids = [kg.entity_ids[name] for name in named if name in kg.entity_ids]
        fit &= np.isin(np.arange(len(fit)), ids)
    return fit


def _dealt(fit: Bools, ratios: Sequence[int], seed: int) -> list[Bools]:
    """The anchors of each split, all different, in numbers near the ratios."""
    ids = np.flatnonzero(fit)
    order = ids[stream(seed, "structures", "anchors").permutation(len(ids))]
    ends = np.cumsum(ratios) * len(ids) // sum(ratios)
    masks = []
    for some in np.split(order, ends[:-1]):
        mask = np.zeros(len(fit), bool)
        mask[some] = True
        masks.append(mask)
    return masks


def _explain_none(samples: Sequence[Sampled], fit: Bools) -> str:
    """Says why there is no question at all."""
    found = []
    for some in samples:
        reasons = ", ".join(f"{n:,} {why}" for why, n in some.reasons.most_common(MOST_SHOWN))
        found.append(f"{some.name}: {counted(some.drawn, 'draw')} ({reasons})")
    return (
        f"no question is left. Anchors may be {counted(int(fit.sum()), 'entity', 'entities')}. "
        f"{'; '.join(found)}. Give another graph or other structures (structures.names), or loosen the other "
        "options of the section structures."
    )
