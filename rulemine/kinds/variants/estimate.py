"""What it takes to have a model write and judge variants, see `rulemine.llm.estimates`."""

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from rulemine.errors import counted
from rulemine.judging.panel import Panel
from rulemine.kinds.written.engine import FEWEST_AT_ONCE, MOST_AT_ONCE
from rulemine.llm.estimates import Estimate, Purpose, three_prompts, unanswered
from rulemine.llm.journal import Journal

if TYPE_CHECKING:
    from rulemine.kinds.variants.ask import VariantEngine

__all__ = ["estimate"]

OF_PAIR, PAIRS = 120, 2.6
"""Tokens of a pair in a reply, and pairs in a reply, of a capable model that was allowed 5."""

VOTES, OF_VOTE, OF_LONG, OF_REPLY = 6, 406, 2000, 60
"""Calls that judge a pair; tokens of their prompts, usually and at most; and of the reply."""


def estimate(engine: "VariantEngine", journal: Journal | None) -> Estimate:
    """Estimates what asking about all seed sets takes; a build stops once it has enough questions.

    Args:
        engine: The build's questions in the making.
        journal: The calls answered so far.
    """
    recipe, options = engine.asking.recipe, engine.options
    calls = list(map(engine.call, engine.joined(engine.sets)))
    missing = unanswered(calls, journal)
    each = min(PAIRS, options.pairs)
    asked = min(len(missing), max(FEWEST_AT_ONCE, ceil(options.questions / each)))
    judged = min(options.questions, round(each * len(calls)))
    purposes = [
        Purpose.of(
            "pairs",
            missing,
            asked,
            2 * len(missing),
            OF_PAIR * each,
            answered=len(calls) - len(missing),
        )
    ]
    if options.judges:
        votes, places = VOTES * judged, options.endpoints(recipe.endpoint)
        away = Counter(place.address for place in places if place != recipe.endpoint)
        at = (f", {votes * n // len(places):,} of them at {a}" for a, n in sorted(away.items()))
        purposes.append(
            Purpose(
                f"judges{''.join(at)}",
                [OF_VOTE],
                votes,
                2 * VOTES * options.pairs * len(calls),
                OF_REPLY,
                max(Panel.max_tokens, recipe.verbalizer.max_tokens),
                OF_LONG - OF_VOTE,
            )
        )
    return Estimate(
        f"{counted(len(engine.sets), 'seed set')}, {len(calls):,} of them joined by the graph",
        purposes,
        judged,
        f"A build ends with {counted(options.questions, 'accepted question')}. Typical: {each:g} pairs of a "
        "seed set, all of them accepted; at most: all sets, with all pairs, each reply as long as allowed, "
        "asked for twice.",
        three_prompts(calls),
        bool(recipe.endpoint.batch),
        (
            (1 + bool(options.judges)) * -(-asked // MOST_AT_ONCE),
            (2 + 2 * bool(options.judges)) * -(-len(missing) // FEWEST_AT_ONCE),
        ),
    )
