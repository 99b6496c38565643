"""The stage ``verbalize``: from questions in templates to questions in a language model's words.

Apart from `rulemine.builder.pipeline` so that builds without a model load nothing of this.
"""

from collections.abc import Callable
from pathlib import Path

from rulemine.builder.inputs import Inputs
from rulemine.errors import InputError
from rulemine.kg.index import Ints
from rulemine.llm.client import require_client
from rulemine.llm.journal import Journal
from rulemine.llm.replay import Replay, find_journal
from rulemine.llm.session import Session
from rulemine.release.contents import ModelTrace
from rulemine.release.question_set import QuestionSet
from rulemine.release.reader import MANIFEST, Release
from rulemine.text.language import unchecked
from rulemine.verbalizer import estimate as estimates
from rulemine.verbalizer.briefs import Brief, make_briefs
from rulemine.verbalizer.requests import Calls
from rulemine.verbalizer.verbalize import verbalize

__all__ = ["check_source", "estimate", "put_into_words"]

WORKING_JOURNAL = "llm/journal.sqlite"
"""Every reply of the model, in the folder of stages."""


def check_source(
    inputs: Inputs,
    folder: Path,
    replay: Path | None,
    *,
    asks: bool,
    note: Callable[[str], None],
) -> None:
    """Says at once, not after hours of mining, that no model can be asked or no replies be replayed.

    A build whose model has answered already may have all that it needs: then neither key nor client is
    looked for.

    Args:
        inputs: What the recipe names.
        folder: The folder of stages.
        replay: As for `put_into_words`.
        asks: Whether questions are to be put into words at all; an estimate needs neither key nor client.
        note: Told when no text can be checked for its language.

    Raises:
        EndpointError: There is no key, or the package openai is not installed.
        InputError: There is no journal to be replayed, or it is that of another graph.
    """
    if (reason := unchecked(inputs.recipe.verbalizer.language)) is not None:
        note(f"No text is checked for its language: {reason}.")
    if replay is not None:
        find_journal(replay)
        if (replay / MANIFEST).is_file():
            _check_graph(inputs, Release.open(replay))
    elif asks and not (folder / WORKING_JOURNAL).exists():
        inputs.recipe.endpoint.key()
        require_client()


def _check_graph(inputs: Inputs, release: Release) -> None:
    made_from = release.manifest.get("kg")
    if isinstance(made_from, dict) and made_from.get("digest") != inputs.kg.digest:
        raise InputError(
            f"--replay {release.path}: its questions are about another graph ({made_from.get('title')}) than "
            f"{inputs.recipe.kg}. Replay with the recipe that it was built with."
        )


def put_into_words(
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
    """The questions in a model's words, and what it was asked.

    Args:
        inputs: What the recipe names.
        asked: The questions.
        removed: Rows of the complete KG that are removed.
        folder: The folder of stages, which holds the journal.
        replay: A release or a journal to take the replies from; None: the endpoint is asked.
        progress: Told (questions settled, of all).
        status: Told how it stands.
        note: Told what is worth knowing.

    Raises:
        EndpointError: The endpoint cannot be used.
        LimitError: A limit is reached; the journal has everything that was answered.
        ReplayError: The journal to be replayed lacks a reply.
        UserError: No question is left.
    """
    opened: Session | Replay
    if replay is not None:
        opened = Replay(replay)
    else:
        opened = Session(inputs.recipe.endpoint, folder / WORKING_JOURNAL, note)
    with opened as session:
        made = verbalize(
            asked,
            _briefs(inputs, asked, removed),
            _calls(inputs),
            session,
            progress,
            status,
            hopes=replay is None,
        )
    note(made.tally.to_text())
    return made.asked, ModelTrace(made.journal, inputs.prompts.text, inputs.glosses.to_toml())


def estimate(
    inputs: Inputs, asked: QuestionSet, removed: Ints, folder: Path, replay: Path | None
) -> str:
    """What `put_into_words` would take, as text; asks nothing.

    Args:
        inputs: What the recipe names.
        asked: The questions.
        removed: Rows of the complete KG that are removed.
        folder: The folder of stages; what its journal has already costs nothing.
        replay: As for `put_into_words`; then its journal counts instead.
    """
    journal = folder / WORKING_JOURNAL if replay is None else find_journal(replay)
    done = Journal(journal, read_only=True) if journal.exists() else None
    prices = inputs.recipe.endpoint.price_input, inputs.recipe.endpoint.price_output
    try:
        briefs = _briefs(inputs, asked, removed)
        return estimates.estimate(briefs, _calls(inputs), done, prices).to_text()
    finally:
        if done is not None:
            done.close()


def _calls(inputs: Inputs) -> Calls:
    recipe = inputs.recipe
    return Calls(inputs.prompts, recipe.verbalizer, recipe.seed, inputs.glosses)


def _briefs(inputs: Inputs, asked: QuestionSet, removed: Ints) -> list[Brief]:
    naming = inputs.recipe.verbalizer.naming or inputs.recipe.naming
    return make_briefs(asked, inputs.kg, removed, inputs.glosses, naming, inputs.recipe.seed)
