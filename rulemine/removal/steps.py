"""From rules to removed triples: eligible rules, their groundings, what is removed and how it is proved.

`remove` chooses what goes, by `rulemine.removal.maximal` or, in mode ``brink``, by the published procedure
(`select_brink`); in mode ``given``, where a user names what is missing, by `prove`.
Then each removed triple gets a level, a certificate, and a place in the core or outside.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.arrays import distinct
from rulemine.errors import ConfigError, NoInferenceError, counted
from rulemine.kg.facts import CORE_PRIOR
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.missing import MissingTriples
from rulemine.recipe.recipe import Recipe, SelectionSection
from rulemine.removal.levels import levels_of, thin
from rulemine.removal.maximal import choose
from rulemine.removal.selection import RemovalPlan, Selection, SelectionCounts
from rulemine.removal.setting import Setting
from rulemine.rules.blocks import MapLike, Progress
from rulemine.rules.bodies import BoundRule, bind_rule
from rulemine.rules.confidence import confident_rules, rules_beyond_guessing
from rulemine.rules.grounding import Groundings, ground
from rulemine.rules.proofs import Decorations, best_proofs, remaining_proofs
from rulemine.rules.rule import Rule

__all__ = ["explain_missing", "explain_priors", "ground_eligible", "prove", "remove"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def certify(
    setting: Setting,
    choice: RemovalPlan,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Selection:
    """The selection of a choice, with the best remaining proof of each fact as its certificate.

    Args:
        setting: What it was chosen from.
        choice: One row per removed fact.
        seed: Seed of the levels.
        progress: Called with (rules done, all rules), each rule twice.

    Returns:
        One row per removed triple, ascending.
    """
    rules = choice.rules
    total = 2 * len(rules)
    kg = setting.kg
    row_of = np.full(len(kg), -1, np.int64)
    row_of[setting.facts[choice.head]] = np.arange(len(choice))
    row = row_of[setting.facts]
    removed = np.flatnonzero(row >= 0)
    row = row[removed]
    del row_of
    remaining = remaining_proofs(
        kg.without(removed),
        rules,
        kg.triples[removed],
        progress and (lambda done, _: progress(done, total)),
    )
    best = best_proofs(
        kg,
        rules,
        Decorations(kg, rules, setting.facts),
        removed,
        row,
        remaining,
        progress and (lambda done, _: progress(len(rules) + done, total)),
    )
    proofs = np.zeros(len(choice), np.int64)
    np.add.at(proofs, row, remaining.count)
    shortest = np.full(len(choice), np.iinfo(np.int64).max)
    proved = remaining.shortest > 0
    np.minimum.at(shortest, row[proved], remaining.shortest[proved])
    level = levels_of(choice, seed)[row]
    return Selection(
        rules,
        removed,
        best.rule[row].astype(np.int32),
        best.body[row],
        choice.rule[row],
        level,
        setting.directions[removed],
        setting.prior[removed],
        _alone(setting, removed, level) & setting.guarded()[removed],
        proofs[row],
        shortest[row],
        choice.counts,
    )


def certify_as_chosen(setting: Setting, choice: RemovalPlan, seed: int) -> Selection:
    """The selection of a choice whose groundings are the certificates, one row for each.

    A row is of the core if nothing joins the two ends of its triple, both priors are low enough, and its
    certificate is not decorated.
    """
    kg, head = setting.kg, choice.head
    removed, of = np.unique(head, return_inverse=True)
    remaining = remaining_proofs(kg.without(removed), choice.rules, kg.triples[removed])
    decorations = Decorations(kg, choice.rules, setting.facts)
    fine = np.zeros(len(choice), bool)
    for number in distinct(choice.rule).tolist():
        own = np.flatnonzero(choice.rule == number)
        fine[own] = decorations.without(number, head[own], choice.body[own])
    level = levels_of(choice, seed)
    return Selection(
        choice.rules,
        head,
        choice.rule,
        choice.body,
        choice.rule,
        level,
        setting.directions[head],
        setting.prior[head],
        _alone(setting, head, level) & setting.guarded()[head] & fine,
        remaining.count[of],
        remaining.shortest[of],
        choice.counts,
    )


def _alone(setting: Setting, head: Ints, level: npt.NDArray[np.int16]) -> Bools:
    """Whether, at the level of each removed triple, no other triple joins its two ends."""
    at = np.full(len(setting.kg), 101, np.int16)
    at[head] = level
    last = np.zeros(int(setting.pairs.max(initial=-1)) + 1, np.int16)
    np.maximum.at(last, setting.pairs, at)
    alone: Bools = last[setting.pairs[head]] <= level
    return alone


def select_brink(
    kg: KnowledgeGraph,
    rules: Sequence[Rule],
    *,
    per_rule: int = 30,
    progress: Callable[[int, int], None] | None = None,
) -> RemovalPlan:
    """Selects as the published procedure (Zhou et al., arXiv 2508.08344), reproduced with its flaws.

    For each rule a nested loop over the body atoms, in the order in which the rule is written, each over
    the facts in the order of the source; the first `per_rule` groundings are kept. Then every row whose
    head is in the body of some kept row is dropped, whichever rule that is of. On Family, with the rules
    as AMIE 3.5.1 prints them, this gives the published benchmark. A removed triple may have several rows,
    and a rule may lose all of its own.

    Guarantee: exactly the rows, in exactly the order, of the literal nested loop, computed from indexes;
    all groundings are counted, few are held in memory.

    Args:
        kg: The graph; ``kg.source_order`` is the order of its source.
        rules: The rules in their own order, each with its body in the order written.
        per_rule: Cap: how many groundings of each rule are kept at first, ≥ 1.
        progress: Called with (rules done, rules).

    Returns:
        The rows that are left: by rule, then in the order of the loop. `considered` counts
        the rows before any was dropped.

    Raises:
        ConfigError: `per_rule` is not positive.
    """
    if per_rule < 1:
        raise ConfigError(f"per_rule: found {per_rule}; expected at least 1. Raise it.")
    index = Index(kg)
    place = np.empty(len(kg), np.int64)
    place[kg.source_order] = np.arange(len(kg))
    provable = np.zeros(len(kg), bool)
    groundings = 0
    widest = max((len(rule.body) for rule in rules), default=0)
    numbers: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)]
    heads: list[Ints] = [np.empty(0, np.int64)]
    bodies: list[Ints] = [np.empty((0, widest), np.int64)]
    for number, rule in enumerate(rules):
        bound = bind_rule(index, rule)
        if bound is not None:
            count, head, body = _first(bound, place, per_rule, provable)
            groundings += count
            numbers.append(np.full(len(head), number, np.int32))
            heads.append(head)
            padding = ((0, 0), (0, widest - len(rule.body)))
            bodies.append(np.pad(body, padding, constant_values=-1))
        if progress:
            progress(number + 1, len(rules))
    rule_of, head, body = np.concatenate(numbers), np.concatenate(heads), np.concatenate(bodies)
    needed = np.zeros(len(kg), bool)
    needed[body[body >= 0]] = True
    keep = ~needed[head]
    counts = SelectionCounts(groundings, int(provable.sum()), len(head), upper_bound=0)
    head = head[keep]
    size = np.zeros(len(head), np.int64)
    size[np.unique(head, return_index=True)[1]] = 1
    return RemovalPlan(tuple(rules), head, rule_of[keep], body[keep], head, size, counts)


def _first(
    bound: BoundRule, place: Ints, per_rule: int, provable: npt.NDArray[np.bool_]
) -> tuple[int, Ints, Ints]:
    """The number of groundings of a rule, and head and body of the first ones.

    Args:
        bound: The rule.
        place: Position of each row of ``kg.triples`` in the source.
        per_rule: How many to return.
        provable: Marks the heads of all groundings; changed.
    """
    rows = bound.heads()
    count = 0
    head = np.empty(0, np.int64)
    body = np.empty((0, len(bound.body)), np.int64)
    for found in bound.bodies(bound.index.kg.triples[rows]):
        count += len(found.head)
        provable[rows[found.head]] = True
        head = np.concatenate((head, rows[found.head]))
        body = np.concatenate((body, found.rows))
        # The position of the first atom's fact is the outermost loop; a body determines its head.
        order = np.lexsort(place[body].T[::-1])[:per_rule]
        head, body = head[order], body[order]
    return count, head, body


def prove(
    missing: MissingTriples,
    rules: Sequence[Rule],
    setting_of: Callable[[KnowledgeGraph], Setting],
    seed: int,
    progress: Progress | None = None,
) -> tuple[npt.NDArray[np.int64], Selection]:
    """Removes what is proved of the triples that a user names as missing.

    A missing fact is proved if it has a certificate as in `rulemine.removal.maximal`: an undecorated proof by
    an eligible rule, whose whole body is left. The complete graph is what is left and what is proved. From
    that a fact has to be removable: its prior is low enough and, unless answers may be restated, nothing
    between its two entities stays. What is not removable is left out of the complete graph; then the priors
    of others change, so this is repeated until all are.

    Guarantee: exact, whatever the order of rules and triples.

    Args:
        missing: The missing triples.
        rules: The rules that may prove something, with their measures on what is left.
        setting_of: Called with what may be the complete graph; returns its setting.
        seed: Seed of the levels.
        progress: Called with (rules done, all rules), for each pass.

    Returns:
        The proved triples, rows of ``missing.kg``, ascending; and what is removed from the complete graph,
        see `MissingTriples.completed`. Of its counts, `considered` are the missing triples, `provable` those
        with a remaining proof, decorated or not, and `groundings` these proofs.

    Raises:
        NoInferenceError: Nothing is proved.
    """
    kg, rows = missing.kg, missing.rows
    fact = np.unique(missing.facts[rows], return_inverse=True)[1]
    remaining = remaining_proofs(missing.left, rules, kg.triples[rows], progress)
    best = best_proofs(
        kg, rules, Decorations(kg, rules, missing.facts), rows, fact, remaining, progress
    )
    provable = int(np.isin(fact, fact[remaining.count > 0]).sum())
    counts = SelectionCounts(int(remaining.count.sum()), provable, len(rows), 0)
    at = np.flatnonzero(best.rule[fact] >= 0)
    while True:
        proved, rest = rows[at], np.delete(rows, at)
        setting = setting_of(missing.completed(proved))
        head = proved - np.searchsorted(rest, proved)  # rows of the complete graph
        fit = setting.removable[head]
        if not setting.restated:
            fit &= setting.cleared(head)[head]
        if fit.all():
            break
        at = at[fit]
    if not len(at):
        raise NoInferenceError(
            f"none of {counted(len(rows), 'missing triple')} is proved by {counted(len(rules), 'rule')} from "
            f"what is left, without being guessed or restated; {counts.provable:,} have some proof. Mine "
            "with lower thresholds, give other rules, or raise selection.max_prior."
        )
    once = setting.facts[head] == head
    head, fact = head[once], fact[at[once]]
    body = best.body[fact]
    plan = RemovalPlan(
        tuple(rules),
        head,
        best.rule[fact].astype(np.int32),
        np.where(body < 0, -1, body - np.searchsorted(rest, body)),
        setting.units(head, proved - np.searchsorted(rest, proved)),
        np.bincount(setting.facts, minlength=len(setting.kg))[head],
        counts,
    )
    return proved, certify(setting, plan, seed, progress)


def explain_missing(found: Selection) -> str:
    """How much of what is missing is proved, in a few sentences."""
    proved, counts = len(found.removed), found.counts
    return (
        f"{proved:,} of {counted(counts.considered, 'missing triple')} are proved and may be asked about "
        f"({proved / counts.considered:.1%}). {counts.provable - proved:,} more have a decorated proof, or "
        "an answer that is restated, left out or guessed; the rest has none. They supply further answers."
    )


LEAST_FAIR = 1 / 3
"""A build warns if a smaller fraction of the triples than this has a low prior in some direction."""


def ground_eligible(
    recipe: Recipe,
    inputs: Inputs,
    mined: Sequence[Rule],
    progress: Progress | None = None,
    run: MapLike = map,
) -> tuple[tuple[Rule, ...], Groundings | None]:
    """The rules that may prove something, and their groundings; None for what a user names as missing.

    Args:
        recipe: The build; its selection is not ``brink``.
        inputs: Its inputs.
        mined: The rules, mined or given.
        progress: Called with (rules done, all rules), for each pass.
        run: Calls a function with blocks of rules, perhaps in other processes.

    Raises:
        NoInferenceError: No rule may prove anything.
    """
    chosen = recipe.selection
    rules = rules_beyond_guessing(
        inputs.left,
        confident_rules(
            mined,
            inputs.excluded,
            inputs.standards,
            chosen.min_sure_confidence,
        ),
        chosen.min_rare_confidence,
        max_prior=chosen.max_prior,
        progress=progress,
        run=run,
    )
    if not rules:
        raise NoInferenceError(
            f"{recipe.kg}: none of {counted(len(mined), 'rule')} reaches "
            "selection.min_sure_confidence and min_rare_confidence, and the standards of "
            "the filter, without a relation that is not asked about. Lower these or shorten the filter."
        )
    if inputs.missing is not None:
        return rules, None
    found = ground(
        inputs.kg,
        rules,
        sample=chosen.groundings_per_rule,
        seed=recipe.seed,
        excluded=inputs.excluded,
        progress=progress,
        run=run,
    )
    return rules, found


def remove(
    recipe: Recipe,
    setting: Setting,
    rules: Sequence[Rule],
    groundings: Groundings | None,
    progress: Progress | None = None,
) -> Selection:
    """What is removed, with its certificates.

    Args:
        recipe: The build.
        setting: What may be removed.
        rules: The rules that may prove something.
        groundings: Their groundings; None for the published procedure, which enumerates its own.
        progress: Called with (steps done, all steps).

    Raises:
        NoInferenceError: Nothing can be removed.
    """
    chosen, seed = recipe.selection, recipe.seed
    if groundings is None:
        found = select_brink(setting.kg, rules, per_rule=chosen.per_rule, progress=progress)
    else:
        found = choose(setting, groundings, per_rule=chosen.per_rule, seed=seed, progress=progress)
    if not len(found):
        raise NoInferenceError(
            f"{recipe.kg}: none of {counted(len(rules), 'rule')} has a grounding in the "
            "graph that could prove a removed triple. Give other rules, mine with lower thresholds, "
            "or raise selection.max_prior."
        )
    if chosen.share < 1:
        found = thin(found, chosen.share, seed)
    if groundings is None:
        return certify_as_chosen(setting, found, seed)
    return certify(setting, found, seed, progress)


def explain_priors(chosen: SelectionSection, setting: Setting) -> str:
    """Says that most facts of a graph can be guessed; "" if they cannot, or in mode ``brink``."""
    fair = float(setting.directions.any(axis=1).mean())
    if chosen.mode == "brink" or fair >= LEAST_FAIR:
        return ""
    return (
        f"Only {fair:.0%} of the triples can be asked about so that the answer is not among the "
        f"commonest ones (prior at most {chosen.max_prior:g}): most facts of this graph can be "
        "guessed. Raise selection.max_prior to ask about more; what is above "
        f"{CORE_PRIOR:g} is then asked about and never in the core."
    )
