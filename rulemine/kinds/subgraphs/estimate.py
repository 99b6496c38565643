"""What it takes to have a model write questions for subgraphs, see `rulemine.llm.estimates`."""

from typing import TYPE_CHECKING

from rulemine.kinds.subgraphs.ask import MOST_SPENT
from rulemine.kinds.written.engine import AT_ONCE, FEWEST_AT_ONCE
from rulemine.llm.estimates import OVER, Estimate, Purpose, sent_by, three_prompts, tokens_of
from rulemine.llm.journal import Journal

if TYPE_CHECKING:
    from rulemine.kinds.subgraphs.ask import SubgraphEngine

__all__ = ["estimate"]

STAYING = 0.5
"""The part of a capable model's candidates that stay; the paper's 0.1 to 0.25 (SynthKGQA, section 3)."""

BRIEFER = 0.6
"""How long a reply like the examples of the prompt is, beside the scripted writer's."""

OF_SHORT, OF_LONG, OF_REPLY = 252, 1000, 20
"""Tokens of a prompt about an accepted question (for other words, a verdict on them, an answer from
evidence), usually and at most; and of the reply."""


def estimate(engine: "SubgraphEngine", journal: Journal | None) -> Estimate:
    """Estimates what all questions take, from the prompts of the first batch.

    Args:
        engine: The build's questions in the making.
        journal: The calls answered so far.
    """
    recipe, options = engine.asking.recipe, engine.options
    tasks = engine.tasks()
    calls = list(map(engine.call, tasks))
    replies = [reply for task in tasks if isinstance(reply := engine.scripted(task), str)]
    received = BRIEFER * sum(map(tokens_of, replies)) / max(1, len(replies)) / OVER
    sent = list(map(sent_by, calls))
    most = MOST_SPENT * options.questions
    known = {} if journal is None else journal.counts()
    answered = sum(n for (purpose, _), n in known.items() if purpose.startswith("candidate"))
    usually = max(0, min(most, _candidates(options.questions)) - answered)
    longer = max(sent) - sum(sent) / len(sent)
    grouped, ratios = recipe.questions.split == "group", recipe.questions.ratios
    tested = options.test_share if grouped else ratios[-1] / sum(ratios)
    share = bool(recipe.verbalizer.rewriter_model) + tested * bool(recipe.verbalizer.judge_model)
    further = 2 * round(share * options.questions)  # and who compares; twice in two
    purposes = [
        Purpose.of(
            "candidates", calls, usually, 2 * most, received, more=longer, answered=answered
        ),
        Purpose(
            "paraphrases and the final filter",
            [OF_SHORT],
            further,
            2 * further,
            OF_REPLY,
            recipe.verbalizer.max_tokens,
            OF_LONG - OF_SHORT,
        ),
    ]
    return Estimate(
        f"{options.questions:,} questions wanted",
        purposes,
        options.questions,
        f"Typical: {STAYING:.0%} of the candidates stay, with replies as long as the examples; the paper "
        f"accepted 10 to 25 %. At most: {most:,} candidates, each sent back once, "
        f"with the longest replies. Prompts are those of the first {len(tasks)}.",
        three_prompts(calls),
        bool(recipe.endpoint.batch),
        (-(-usually // AT_ONCE) + 2 * bool(further), 2 * -(-most // FEWEST_AT_ONCE) + 4),
    )


def _candidates(wanted: int) -> int:
    """How many candidates are written, batch by batch, until so many stay."""
    written = 0
    while (lacking := wanted - round(STAYING * written)) > 0:
        written += min(AT_ONCE, max(FEWEST_AT_ONCE, 4 * lacking))
    return written
