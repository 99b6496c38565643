"""What a kind of question needs to have a model write, and what it leaves for the release."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rulemine.codec import dump_line
from rulemine.llm.options import EndpointOptions
from rulemine.recipe.inputs import Inputs
from rulemine.release.contents import ModelTrace

if TYPE_CHECKING:  # builds without a model load nothing of a session
    from rulemine.llm.journal import Journal
    from rulemine.llm.session import Session

__all__ = ["WORKING_JOURNAL", "Writing", "kept_calls", "opened"]

WORKING_JOURNAL = "llm/journal.sqlite"
"""The working journal, in the folder of stages: every reply of a model."""


@dataclass
class Writing:
    """A model at work in a stage.

    Attributes:
        session: Answers calls; None: no model is named.
        note: Called with notices, one sentence each.
        status: Called with a short line of counts.
        calls: Key of each call whose reply mattered → ids of the questions that it was made for; filled by
            the kind.
    """

    session: "Session | None" = None
    note: Callable[[str], None] = lambda _text: None
    status: Callable[[str], None] = lambda _text: None
    calls: dict[str, set[str]] = field(default_factory=dict)

    def concerns(self, keys: Iterable[str], questions: Iterable[str] = ()) -> None:
        """Notes that calls were made, and for which questions."""
        some = set(questions)
        for key in keys:
            self.calls.setdefault(key, set()).update(some)

    def trace(self, inputs: Inputs) -> ModelTrace | None:
        """The calls for the release; None where no model is named."""
        if self.session is None:
            return None
        lines = (
            dump_line({**self.session.line(key), "questions": sorted(self.calls[key])}).encode()
            for key in sorted(self.calls)
        )
        return ModelTrace(tuple(lines), inputs.prompts.text, inputs.glosses.to_toml())


def kept_calls(folder: Path, replay: Path | None) -> "AbstractContextManager[Journal | None]":
    """The journal of a build, if it has one, to see what was asked before.

    Args:
        folder: The folder of stages, which may have a working journal.
        replay: A journal, or a release with one, that is used instead.
    """
    from rulemine.llm.journal import find_journal, reading

    return reading(folder / WORKING_JOURNAL if replay is None else find_journal(replay))


@contextmanager
def opened(
    inputs: Inputs,
    folder: Path,
    *,
    asks: bool,
    replay: Path | None,
    note: Callable[[str], None],
    status: Callable[[str], None],
) -> Iterator[Writing]:
    """Opens what a stage needs to ask a model.

    Args:
        inputs: The inputs of the recipe.
        folder: The folder of stages, which has the working journal.
        asks: Whether the stage asks a model, if the recipe names one.
        replay: A release or a journal to take the replies from; None: the endpoint is asked.
        note: As of `Writing`.
        status: Likewise.

    Raises:
        InputError: There is nothing to replay.
        OutputError: The journal cannot be written.
    """
    if not asks or inputs.recipe.verbalizer.name == "template":
        yield Writing(None, note, status)
        return
    from rulemine.llm.call import more_tokens
    from rulemine.llm.session import Replay, Session

    endpoint: EndpointOptions = inputs.recipe.endpoint
    room = f"--set verbalizer.max_tokens={more_tokens(inputs.recipe.verbalizer.max_tokens)}"
    session = (
        Session(endpoint, folder / WORKING_JOURNAL, note, room=room)
        if replay is None
        else Replay(replay)
    )
    with session:
        yield Writing(session, note, status)
