"""What it would take to have a model write and judge variants: calls and tokens, without a call."""

from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from rulemine.builder.inputs import Inputs
from rulemine.builder.variants.ask import FEWEST_AT_ONCE, shown_in_order
from rulemine.builder.variants.components import Components
from rulemine.builder.variants.pair_writers import ModelPairs, PairTask
from rulemine.builder.variants.pairs import Shown
from rulemine.builder.variants.seed_texts import SeedSet
from rulemine.builder.writing import WORKING_JOURNAL
from rulemine.builder.written.candidate import Subgraph
from rulemine.builder.written.writer_names import WriterNames
from rulemine.errors import counted
from rulemine.llm.call import Call
from rulemine.llm.estimates import (
    METHOD,
    OVER,
    Takes,
    format_takes,
    full_text,
    is_answered,
    sent_by,
)
from rulemine.llm.journal import Journal
from rulemine.llm.replay import find_journal
from rulemine.release.naming import name_entities
from rulemine.verbalizer.panel import JudgedQuestion, Panel, Stated, panel_takes, seat_judges

__all__ = ["estimate_variants"]

OF_PAIR, PAIRS = 120, 2.6
"""Tokens of a pair in a reply, and pairs in a reply, of a capable model that was allowed 5."""


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
    recipe, options = inputs.recipe, inputs.recipe.variants
    names = name_entities(inputs.kg.entities, seed=recipe.seed, labels=inputs.labels)
    shown_names = WriterNames.of(inputs.kg, names, inputs.prompt_naming)
    components = Components(inputs.kg, options, inputs.excluded)
    pairs, tasks = ModelPairs(inputs), []
    for one in sets:
        subgraph = components.component(one.entities)
        if isinstance(subgraph, Subgraph):
            shown = shown_in_order(shown_names, subgraph.rows, recipe.seed, options.run, one.id)
            tasks.append(PairTask(one.id, shown))
    calls = [pairs.call(task) for task in tasks]
    journal = folder / WORKING_JOURNAL if replay is None else find_journal(replay)
    kept = Journal(journal, read_only=True) if journal.exists() else None
    counts: Counter[str] = Counter()
    try:
        missing = [c for c in calls if kept is None or not is_answered(kept.get(c.key))]
        for (purpose, _), number in kept.counts().items() if kept is not None else ():
            counts[purpose.partition("_")[0]] += number
    finally:
        if kept is not None:
            kept.close()
    had = f"; the journal already has {len(calls) - len(missing):,}" * (len(missing) < len(calls))
    each = min(PAIRS, options.pairs)
    asked = min(len(missing), max(FEWEST_AT_ONCE, ceil(options.questions / each)))
    sent, room = sum(map(sent_by, missing)), sum(call.max_tokens or 0 for call in missing)
    a_set = Takes(1, round(sent / OVER / max(1, len(missing))), round(OF_PAIR * each))
    typical, worst = Takes().plus(a_set, asked), Takes().plus(Takes(len(missing), sent, room), 2)
    judged, votes = min(options.questions, round(each * len(calls))), 0
    if options.judges and tasks:
        calls_of_judges = _judging(inputs, max(tasks, key=lambda one: len(one.shown.triples)).shown)
        usual, most = panel_takes(calls_of_judges)
        left = max(0, judged - counts["judge"] // usual.calls)
        typical, votes = typical.plus(usual, left), left * usual.calls
        worst = worst.plus(most, options.pairs * len(calls) - judged + left)
    prices = recipe.endpoint.price_input, recipe.endpoint.price_output
    places = recipe.variant_judges[1]
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


def _judging(inputs: Inputs, shown: Shown) -> list[Call]:
    """The calls of a panel about a pair whose path is the first two triples shown."""
    path = shown.triples[:2]
    facts = [Stated(", ".join(t), inputs.templates[t[1]].state(t[0], t[2])) for t in path]
    text, answer = " and ".join(fact.statement for fact in facts), path[-1][2]
    item = JudgedQuestion("", text, answer, (), tuple(facts), inputs.prompt_naming)
    panel = Panel(
        seat_judges(inputs.recipe.variant_judges[0]),
        max_tokens=max(Panel.max_tokens, inputs.recipe.verbalizer.max_tokens),
    )
    return [call for judge in panel.judges for call in panel.calls(item, judge)]
