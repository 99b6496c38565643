"""Estimates what it takes to have a model write questions for subgraphs, without asking it."""

from collections import Counter
from pathlib import Path

from rulemine.builder.inputs import Inputs
from rulemine.builder.removal.selection import Selection
from rulemine.builder.subgraphs.drafting import Drafting
from rulemine.builder.writing import WORKING_JOURNAL
from rulemine.llm.estimates import full_text, sent_by, tokens_of
from rulemine.llm.journal import Journal
from rulemine.llm.replay import find_journal
from rulemine.release.naming import name_entities

__all__ = ["forecast_of"]

SAMPLE = 64
"""Candidates whose prompts are made: a batch."""

ACCEPTED = 0.1, 0.25
"""The part of a model's candidates that the paper accepts (SynthKGQA, section 3)."""


def forecast_of(inputs: Inputs, selection: Selection, folder: Path, replay: Path | None) -> str:
    """The estimate as text, with a prompt at the end.

    Args:
        inputs: The inputs of the build.
        selection: The removed triples.
        folder: The folder of stages, which may have a working journal.
        replay: A journal, or a release with one, that is used instead.
    """
    recipe, options = inputs.recipe, inputs.recipe.subgraphs
    names = name_entities(inputs.kg.entities, seed=recipe.seed, labels=inputs.labels)
    drafting = Drafting(inputs, selection, names)
    if drafting.calls is None:
        raise ValueError("the recipe names no model")
    tasks = [drafting.task(number, ()) for number in range(SAMPLE)]
    calls = [drafting.calls.candidate(task) for task in tasks]
    replies = drafting.writer(None).write(tasks)
    sent = sum(map(sent_by, calls)) / SAMPLE
    texts = [tokens_of(reply) for reply, _ in replies if isinstance(reply, str)]
    received = sum(texts) / max(1, len(texts))
    most = options.candidates or 20 * options.questions
    few, many = (min(most, round(options.questions / share)) for share in reversed(ACCEPTED))
    prices = recipe.endpoint.price_input, recipe.endpoint.price_output
    price = "unknown; set endpoint.price_input and endpoint.price_output, money per million tokens"
    if any(prices):
        each = (sent * prices[0] + received * prices[1]) / 1e6
        price = f"{few * each:,.2f} to {many * each:,.2f}, {most * each:,.2f} at most"
    rows = [
        f"{options.questions:,} questions wanted",
        f"calls             {few:,} to {many:,} if a quarter to a tenth is accepted, as published; "
        f"{most:,} at most (subgraphs.candidates){_kept(folder, replay)}",
        f"tokens sent       {sent:,.0f} per call, as of the first {SAMPLE}",
        f"tokens received   {received:,.0f} per call, as the scripted writer's replies",
        f"price             {price}",
    ]
    rows.append("and one more call for each candidate that is refused for what the model can mend")
    if recipe.verbalizer.rewriter_model:
        rows.append("and one short call per accepted question for its paraphrase")
    if recipe.verbalizer.judge_model:
        share = options.test_share
        rows.append(f"and two short calls per test question for the final filter ({share:.0%})")
    middle = sorted(calls, key=sent_by)[SAMPLE // 2]
    rows.append(f"\n── the prompt of median length ──\n{full_text(middle)}")
    return "\n".join(rows)


def _kept(folder: Path, replay: Path | None) -> str:
    """What the journal has."""
    path = folder / WORKING_JOURNAL if replay is None else find_journal(replay)
    if not path.exists():
        return ""
    journal = Journal(path, read_only=True)
    try:
        counts: Counter[str] = Counter()
        for (purpose, _), number in journal.counts().items():
            counts[purpose] += number
    finally:
        journal.close()
    some = sum(n for purpose, n in counts.items() if purpose.startswith("candidate"))
    return f"; the journal already has {some:,}" * bool(some)
