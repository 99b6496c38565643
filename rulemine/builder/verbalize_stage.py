"""The stage ``verbalize``: from template questions to questions in a language model's words.

Separate from `rulemine.builder.pipeline` so that builds without a model load none of this.
"""

from collections.abc import Callable
from pathlib import Path

from rulemine.errors import InputError
from rulemine.kg.index import Ints
from rulemine.kinds.registry import KINDS
from rulemine.kinds.writing import WORKING_JOURNAL, kept_calls, opened
from rulemine.llm.client import require_client
from rulemine.llm.journal import find_journal
from rulemine.recipe.inputs import Inputs
from rulemine.release.contents import ModelTrace
from rulemine.release.question_set import QuestionSet
from rulemine.release.reader import MANIFEST, Release
from rulemine.text.language import unchecked
from rulemine.verbalizer import estimate as estimates
from rulemine.verbalizer.prompts import Calls
from rulemine.verbalizer.verbalize import verbalize

__all__ = ["check_source", "estimate", "verbalize_questions"]

_CODES = {"private": "e00015", "numeric": "15"}
"""Naming that means nothing to a model → a name in it."""

MANY_UNNAMED = 0.1
"""The fraction of entities without a label from which on a note says so, where others have one."""


def check_source(
    inputs: Inputs,
    folder: Path,
    replay: Path | None,
    *,
    asks: bool,
    note: Callable[[str], None],
) -> None:
    """Fails early, before hours of mining, when no model can be asked and no reply replayed.

    A build with a working journal may have all the replies it needs, so neither key nor client is required.

    Args:
        inputs: The inputs of the recipe.
        folder: The folder of stages.
        replay: As for `verbalize_questions`.
        asks: Whether the model will be asked; an estimate needs neither key nor client.
        note: Called with the reason if no text can be checked for its language, and if the model sees codes
            because there are no labels, or names because few have one.

    Raises:
        EndpointError: There is no key, or the package openai is not installed.
        InputError: There is no journal to replay, or it belongs to another graph.
    """
    recipe, every = inputs.recipe, inputs.kg.entities
    if (reason := unchecked(recipe.verbalizer.language)) is not None:
        note(f"The language of the texts is not checked: {reason}.")
    code = _CODES.get(inputs.prompt_naming)
    if code and not recipe.verbalizer.naming:
        note(
            f"{recipe.kg} has no labels, so the model sees codes such as {code} and cannot "
            "know what it asks about: give labels with --labels FILE, or show it the names of the graph with "
            "--set verbalizer.naming=entity."
        )
    unnamed = [name for name in every if name not in inputs.labels]
    if inputs.prompt_naming == "text" and MANY_UNNAMED * len(every) <= len(unnamed) < len(every):
        note(
            f"{len(unnamed):,} of {len(every):,} entities of {recipe.kg} have no label, so the model "
            f"sees names such as {unnamed[0]}."
        )
    if replay is not None:
        find_journal(replay)
        made_from = Release.open(replay).manifest["kg"] if (replay / MANIFEST).is_file() else {}
        if made_from.get("digest", inputs.kg.digest) != inputs.kg.digest:
            raise InputError(
                f"--replay {replay}: its questions are about another graph, {made_from.get('title')}, not "
                f"{recipe.kg}. Replay it with the recipe that it was built with."
            )
    elif asks and not (recipe.endpoint.batch or (folder / WORKING_JOURNAL).exists()):
        for place in (recipe.endpoint, *recipe.own.endpoints(recipe.endpoint)):
            place.key()
        require_client()


def verbalize_questions(
    inputs: Inputs,
    asked: QuestionSet,
    removed: Ints,
    folder: Path,
    *,
    replay: Path | None,
    progress: Callable[[int, int], None] | None,
    status: Callable[[str], None],
    note: Callable[[str], None],
) -> tuple[QuestionSet, ModelTrace]:
    """Verbalizes the questions.

    Args:
        inputs: The inputs of the recipe.
        asked: The questions.
        removed: Rows of the complete KG that are removed.
        folder: The folder of stages, which has the working journal.
        replay: A release or a journal to take the replies from; None: the endpoint is asked.
        progress: Called with (settled questions, all questions).
        status: Called with a short line of counts.
        note: Called with notices, one sentence each.

    Returns:
        The questions with their new texts, and the trace of the model for the release.

    Raises:
        EndpointError: The endpoint cannot be used.
        LimitError: A limit is reached; the working journal has every reply so far.
        ReplayError: The replayed journal lacks a reply.
        UserError: No question is left.
    """
    with opened(inputs, folder, asks=True, replay=replay, note=note, status=status) as writing:
        if writing.session is None:
            raise ValueError("the recipe names no model")
        wording = KINDS.find(inputs.recipe.kind).wording
        made = verbalize(
            asked,
            wording.inputs(inputs, asked, removed),
            _calls(inputs),
            writing.session,
            progress,
            status,
            fail_fast=replay is None,
        )
    note(made.counts.to_text())
    return made.asked, ModelTrace(made.journal, inputs.prompts.text, inputs.glosses.to_toml())


def estimate(
    inputs: Inputs, asked: QuestionSet, removed: Ints, folder: Path, replay: Path | None
) -> str:
    """Estimates what `verbalize_questions` would take, as text, without a call.

    Args:
        inputs: The inputs of the recipe.
        asked: The questions.
        removed: Rows of the complete KG that are removed.
        folder: The folder of stages; calls in its working journal are not counted.
        replay: As for `verbalize_questions`; its journal is used instead.
    """
    with kept_calls(folder, replay) as journal:
        items = KINDS.find(inputs.recipe.kind).wording.inputs(inputs, asked, removed)
        return estimates.estimate(
            items, _calls(inputs), journal, bool(inputs.recipe.endpoint.batch)
        ).to_text()


def _calls(inputs: Inputs) -> Calls:
    recipe = inputs.recipe
    return Calls(inputs.prompts, recipe.verbalizer, recipe.seed, inputs.glosses)
