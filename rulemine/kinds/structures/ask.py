"""Makes the questions of the kind ``structures``: samples queries of each structure, with their texts.

Guarantees: questions are as `rulemine.kinds.structures.checking` and `sampling` say; no two have the
same query or text, or are near duplicates; in mode ``group``, anchors of different splits are disjoint, and
training gives away no removed fact that validation or test needs, validation none that test needs; questions
are in canonical order: by structure, then by query.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from rulemine.errors import UserError, counted
from rulemine.kinds.asking import Asking
from rulemine.kinds.locks import Locks
from rulemine.kinds.structures.drawing import Drawer
from rulemine.kinds.structures.edges import Steps
from rulemine.kinds.structures.sampling import Company, Pool, Sampled, sample
from rulemine.phrasing.compose import goes_together
from rulemine.release.records import SPLITS, Question, Rejection
from rulemine.seeds import stream

__all__ = ["drafts"]

Bools = npt.NDArray[np.bool_]

MOST_SHOWN = 3
"""Reasons that are given for a structure without questions."""


def drafts(asking: Asking) -> Iterator[Question | Rejection]:
    """The questions that are sampled; with splits where these are held apart.

    Then entities are dealt to splits, and all anchors of a question are from its split. Test should have
    ``questions.test_core`` questions of the core, as many of each structure; validation a third of them.

    Raises:
        UserError: There is no question, or none for a split.
    """
    kg, options, chosen = asking.kg, asking.options, asking.recipe.questions
    removed, inputs = asking.removed, asking.inputs
    steps = Steps.of(
        kg,
        removed.place >= 0,
        removed.allowed,
        removed.core,
        asking.declarations,
        inputs.excluded,
    )
    degree = np.bincount(kg.triples[:, [0, 2]].reshape(-1), minlength=len(kg.entities))
    fit: Bools = degree > 0
    pools, masks, locks = [Pool("", 1)], [fit], None
    if chosen.split == "group":
        core = {"test": chosen.test_core, "validation": -(-chosen.test_core // 3)}
        pools = [
            Pool(split, ratio, -(-core.get(split, 0) // len(options.names)))
            for split, ratio in zip(SPLITS, chosen.ratios, strict=True)
        ]
        masks = _dealt(fit, chosen.ratios, asking.seed)
        shares = {pool.split: pool.ratio / sum(chosen.ratios) for pool in pools}
        locks = Locks(asking.facts, chosen.max_facts, shares)
    together = partial(goes_together, asking.templates)
    most = options.max_answers, options.max_evidence
    drawer = Drawer(steps, inputs.types, masks, *most, together, inputs["joins"])
    samples = sample(asking, drawer, pools, Company(locks, asking.near))
    made = [question for some in samples for question in sorted(some.questions, key=_by_query)]
    if not made:
        raise UserError(_explain_none(samples, fit))
    if empty := [pool.split for pool in pools if pool.split not in {q.split for q in made}]:
        raise UserError(
            f"{counted(len(made), 'question')} could be drawn, none of them for {' and '.join(empty)}. Set "
            "questions.split to random or none, raise structures.per_structure, or build from a larger graph."
        )
    asking.sampling = {some.name: some.to_plain() for some in samples}
    yield from made
    for some in samples:
        yield from some.refused


def _by_query(question: Question) -> str:
    return question.query


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
