"""From rules to removed triples: eligible rules, their groundings, what is removed and how it is proved."""

from collections.abc import Sequence

from rulemine.errors import NoInferenceError, counted
from rulemine.kg.priors import CORE_PRIOR
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.options import SelectionSection
from rulemine.recipe.recipe import Recipe
from rulemine.removal.brink import select_brink
from rulemine.removal.certificates import certify, certify_as_chosen
from rulemine.removal.eligibility import confident_rules, rules_beyond_guessing
from rulemine.removal.levels import thin
from rulemine.removal.maximal import choose
from rulemine.removal.selection import Selection
from rulemine.removal.setting import Setting
from rulemine.rules.blocks import MapLike, Progress
from rulemine.rules.grounding import Groundings, ground
from rulemine.rules.rule import Rule

__all__ = ["explain_priors", "ground_eligible", "remove"]

LEAST_FAIR = 1 / 3
"""Where a smaller fraction of the triples has a direction with a low prior, a build says so."""


def ground_eligible(
    recipe: Recipe,
    inputs: Inputs,
    mined: Sequence[Rule],
    progress: Progress | None = None,
    run: MapLike = map,
) -> tuple[tuple[Rule, ...], Groundings]:
    """The rules that may prove something, and their groundings.

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
        inputs.kg,
        confident_rules(
            mined,
            chosen.min_std_confidence,
            inputs.excluded_from_bodies,
            inputs.standards,
            chosen.min_sure_confidence,
        ),
        chosen.min_rare_confidence,
        max_prior=chosen.max_prior,
        seed=recipe.seed,
        progress=progress,
        run=run,
    )
    if not rules:
        raise NoInferenceError(
            f"{recipe.kg}: none of {counted(len(mined), 'rule')} reaches "
            "selection.min_std_confidence, min_sure_confidence and min_rare_confidence, and the standards of "
            "the filter, without a relation that is not asked about. Lower these or shorten the filter."
        )
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
