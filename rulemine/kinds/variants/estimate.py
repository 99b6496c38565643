"""What it would take to have a model write and judge variants: calls and tokens, without a call."""

from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from rulemine.errors import counted
from rulemine.judging.panel import Panel
from rulemine.kinds.variants.ask import FEWEST_AT_ONCE, shown_in_order
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.pair_writers import ModelPairs, PairTask
from rulemine.kinds.variants.seed_texts import SeedSet
from rulemine.kinds.writing import WORKING_JOURNAL
from rulemine.kinds.written.candidate import Subgraph
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.llm.estimates import (
    METHOD,
    OVER,
    Takes,
    format_takes,
    full_text,
    sent_by,
    unanswered,
)
from rulemine.llm.replay import find_journal
from rulemine.recipe.inputs import Inputs
from rulemine.release.naming import name_entities

__all__ = ["estimate_variants"]

OF_PAIR, PAIRS = 120, 2.6
"""Tokens of a pair in a reply, and pairs in a reply, of a capable model that was allowed 5."""

PANEL, MOST_SHOWN = Takes(6, 6 * 290, 6 * 60), 2000
"""What judging a pair took of capable models; and the most tokens of a prompt, sent twice at most."""


def estimate_variants(
    inputs: Inputs, sets: Sequence[SeedSet], folder: Path, replay: Path | None
) -> str:
    """Estimates what asking about all seed sets takes, as text; a build stops once it has enough questions.

    Args:
        inputs: The inputs of the recipe.
        sets: The seed sets.
        folder: The folder of stages; calls in its working journal are not counted.
        replay: A release or a journal; used instead.
    """
    recipe, options = inputs.recipe, inputs.recipe.own
    names = name_entities(inputs.kg.entities, seed=recipe.seed, labels=inputs.labels)
    shown_names = WriterNames.of(inputs.kg, names, inputs.prompt_naming)
    components = Components(inputs.kg, options, inputs.excluded)
    pairs, calls = ModelPairs(inputs), []
    for one in sets:
        subgraph = components.component(one.entities)
        if isinstance(subgraph, Subgraph):
            shown = shown_in_order(shown_names, subgraph.rows, recipe.seed, options.run, one.id)
            calls.append(pairs.call(PairTask(one.id, shown)))
    journal = folder / WORKING_JOURNAL if replay is None else find_journal(replay)
    missing = unanswered(calls, journal)
    had = f"; the journal already has {len(calls) - len(missing):,}" * (len(missing) < len(calls))
    each = min(PAIRS, options.pairs)
    asked = min(len(missing), max(FEWEST_AT_ONCE, ceil(options.questions / each)))
    sent, room = sum(map(sent_by, missing)), sum(call.max_tokens or 0 for call in missing)
    a_set = Takes(1, round(sent / OVER / max(1, len(missing))), round(OF_PAIR * each))
    typical, worst = Takes().plus(a_set, asked), Takes().plus(Takes(len(missing), sent, room), 2)
    judged, votes = min(options.questions, round(each * len(calls))), 0
    if options.judges:
        typical, votes = typical.plus(PANEL, judged), judged * PANEL.calls
        room = max(Panel.max_tokens, recipe.verbalizer.max_tokens)
        worst = worst.plus(Takes(12, 12 * MOST_SHOWN, 12 * room), options.pairs * len(calls))
    prices = recipe.endpoint.price_input, recipe.endpoint.price_output
    places = options.endpoints(recipe.endpoint)
    away = Counter(place.address for place in places if place != recipe.endpoint)
    at = "".join(f", {votes * n // len(places):,} of them at {a}" for a, n in sorted(away.items()))
    of_judges = f" ({asked:,} for pairs, {votes:,} for judges{at})" * bool(votes)
    lines = [
        f"{counted(len(sets), 'seed set')}, {len(calls):,} of them joined by the graph",
        *format_takes(typical, worst, prices, judged, of_judges + had),
        f"A build ends with {counted(options.questions, 'accepted question')}. Typical: {each:g} pairs of a "
        "seed set, all of them accepted; at most: all sets, with all pairs, each reply as long as allowed, "
        f"asked for twice. Tokens are {METHOD}.",
    ]
    longest = max(calls, key=sent_by, default=None)
    if longest is not None:
        lines.append(f"\n── the longest prompt ──\n{full_text(longest)}")
    return "\n".join(lines)
