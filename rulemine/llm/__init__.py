"""Asking a language model: a session that journals every reply, calls, replies."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulemine.llm.call import Call, Failure, Reply
    from rulemine.llm.options import EndpointOptions
    from rulemine.llm.replay import Replay
    from rulemine.llm.session import Session

__all__ = ["Call", "EndpointOptions", "Failure", "Replay", "Reply", "Session"]

_HOMES = {"EndpointOptions": "options", "Replay": "replay", "Session": "session"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'call')}"), name)
