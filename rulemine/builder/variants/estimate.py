"""What it would take to have a model write and judge variants: calls and tokens, without a call."""

from collections.abc import Sequence
from pathlib import Path

from rulemine.builder.inputs import Inputs
from rulemine.builder.variants.ask import shown_in_order
from rulemine.builder.variants.components import Components
from rulemine.builder.variants.pair_writers import ModelPairs, PairTask
from rulemine.builder.variants.seed_texts import SeedSet
from rulemine.builder.writing import WORKING_JOURNAL
from rulemine.builder.written.candidate import Subgraph
from rulemine.builder.written.writer_names import WriterNames
from rulemine.errors import counted
from rulemine.llm.journal import Journal
from rulemine.llm.replay import find_journal
from rulemine.release.naming import name_entities
from rulemine.verbalizer.estimate import METHOD, full_text, is_answered, sent_by
from rulemine.verbalizer.panel import SEATS

__all__ = ["estimate_variants"]

OF_PAIR = 150
"""Tokens of a pair in a reply."""

OF_JUDGE, OF_VERDICTS = 450, 120
"""Tokens of a prompt for a judge, and of its reply; a pair takes two of each from every judge."""


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
    pairs, calls = ModelPairs(inputs), []
    for one in sets:
        subgraph = components.component(one.entities)
        if isinstance(subgraph, Subgraph):
            shown = shown_in_order(shown_names, subgraph.rows, recipe.seed, options.run, one.id)
            calls.append(pairs.call(PairTask(one.id, shown)))
    journal = folder / WORKING_JOURNAL if replay is None else find_journal(replay)
    kept = Journal(journal, read_only=True) if journal.exists() else None
    try:
        missing = [c for c in calls if kept is None or not is_answered(kept.get(c.key))]
    finally:
        if kept is not None:
            kept.close()
    had = f"; the journal already has {len(calls) - len(missing):,}" * (len(missing) < len(calls))
    wanted = min(options.questions, options.pairs * len(calls))
    votes = 2 * SEATS * wanted if options.judges else 0
    sent = sum(map(sent_by, missing)) + OF_JUDGE * votes
    received = OF_PAIR * options.pairs * len(missing) + OF_VERDICTS * votes
    cost = "unknown; set endpoint.price_input and endpoint.price_output, money per million tokens"
    prices = recipe.endpoint.price_input, recipe.endpoint.price_output
    if any(prices):
        cost = f"{(sent * prices[0] + received * prices[1]) / 1e6:,.2f}"
    lines = [
        f"{counted(len(sets), 'seed set')}, {len(calls):,} of them joined by the graph",
        f"calls             {len(missing):,} for pairs at most{had}"
        + f", {votes:,} for judges" * bool(votes),
        f"tokens sent       {sent:,}",
        f"tokens received   {received:,}",
        f"price             {cost}",
        f"A build ends with {counted(options.questions, 'accepted question')}; a reply that cannot be read "
        f"is asked for once more, and pairs that judges refuse take more calls. Tokens are {METHOD}; of "
        f"a pair {OF_PAIR}, of a judge {OF_JUDGE} sent and {OF_VERDICTS} received are assumed.",
    ]
    longest = max(calls, key=sent_by, default=None)
    if longest is not None:
        lines.append(f"\n── the longest prompt ──\n{full_text(longest)}")
    return "\n".join(lines)
