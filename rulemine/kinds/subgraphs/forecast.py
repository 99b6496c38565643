"""Estimates what it takes to have a model write questions for subgraphs, without asking it."""

from contextlib import closing
from pathlib import Path

from rulemine.kinds.subgraphs.ask import FEWEST_AT_ONCE, MOST_AT_ONCE
from rulemine.kinds.subgraphs.drafting import Drafting
from rulemine.kinds.writing import WORKING_JOURNAL
from rulemine.llm.estimates import (
    METHOD,
    OVER,
    Takes,
    format_takes,
    full_text,
    sent_by,
    tokens_of,
)
from rulemine.llm.journal import Journal
from rulemine.llm.replay import find_journal
from rulemine.recipe.inputs import Inputs
from rulemine.release.naming import name_entities
from rulemine.removal.selection import Selection

__all__ = ["forecast_of"]

SAMPLE = 64
"""Candidates whose prompts are made: a batch."""

STAYING = 0.5
"""The part of a capable model's candidates that stay; the paper's 0.1 to 0.25 (SynthKGQA, section 3)."""

BRIEFER = 0.6
"""How long a reply like the examples of the prompt is, beside the scripted writer's."""

SHORT, OF_LONG = Takes(1, 180, 20), 1000
"""What a call about an accepted question takes: for other words, a verdict on them, an answer from evidence;
and the tokens of the longest prompt."""


def forecast_of(inputs: Inputs, selection: Selection, folder: Path, replay: Path | None) -> str:
    """The estimate as text, with a prompt at the end.

    Args:
        inputs: The inputs of the build.
        selection: The removed triples.
        folder: The folder of stages, which may have a working journal.
        replay: A journal, or a release with one, that is used instead.
    """
    recipe, options = inputs.recipe, inputs.recipe.own
    names = name_entities(inputs.kg.entities, seed=recipe.seed, labels=inputs.labels)
    drafting = Drafting(inputs, selection, names)
    if drafting.calls is None:
        raise ValueError("the recipe names no model")
    tasks = [drafting.task(number, ()) for number in range(SAMPLE)]
    calls = [drafting.calls.candidate(task) for task in tasks]
    replies = drafting.writer(None).write(tasks)
    texts = [reply for reply, _ in replies if isinstance(reply, str)]
    sent, room = sum(map(sent_by, calls)), sum(call.max_tokens or 0 for call in calls)
    received = sum(map(tokens_of, texts)) / max(1, len(texts))
    a_call = Takes(1, round(sent / SAMPLE / OVER), round(BRIEFER * received / OVER))
    longest = Takes(1, max(map(sent_by, calls)), room // SAMPLE)
    most = options.candidates or 20 * options.questions
    candidates = min(most, _candidates(options.questions))
    typical, worst = Takes().plus(a_call, candidates), Takes().plus(longest, 2 * most)
    grouped, ratios = recipe.questions.split == "group", recipe.questions.ratios
    tested = options.test_share if grouped else ratios[-1] / sum(ratios)
    share = bool(recipe.verbalizer.rewriter_model) + tested * bool(recipe.verbalizer.judge_model)
    further = 2 * round(share * options.questions)  # and who compares; twice in two
    typical = typical.plus(SHORT, further)
    worst = worst.plus(Takes(2, 2 * OF_LONG, 2 * recipe.verbalizer.max_tokens), further)
    prices = recipe.endpoint.price_input, recipe.endpoint.price_output
    about = f" ({candidates:,} for candidates, {further:,} for paraphrases and the final filter)"
    rows = [
        f"{options.questions:,} questions wanted",
        *format_takes(typical, worst, prices, options.questions, about + _kept(folder, replay)),
        f"Typical: {STAYING:.0%} of the candidates stay, with replies as long as the examples; the paper "
        f"accepted 10 to 25 %. At most: {most:,} candidates (subgraphs.candidates), each sent back once, "
        f"with the longest replies. Prompts are those of the first {SAMPLE}. Tokens are {METHOD}.",
    ]
    middle = sorted(calls, key=sent_by)[SAMPLE // 2]
    rows.append(f"\n── the prompt of median length ──\n{full_text(middle)}")
    return "\n".join(rows)


def _candidates(wanted: int) -> int:
    """How many candidates are written, batch by batch, until so many stay."""
    written = 0
    while (lacking := wanted - round(STAYING * written)) > 0:
        written += min(MOST_AT_ONCE, max(FEWEST_AT_ONCE, 4 * lacking))
    return written


def _kept(folder: Path, replay: Path | None) -> str:
    """What the journal has."""
    path = folder / WORKING_JOURNAL if replay is None else find_journal(replay)
    if not path.exists():
        return ""
    with closing(Journal(path, read_only=True)) as journal:
        counts = journal.counts()
    some = sum(n for (purpose, _), n in counts.items() if purpose.startswith("candidate"))
    return f"; the journal already has {some:,}" * bool(some)
