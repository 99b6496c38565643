"""Asking a language model: a session that journals every reply, calls, replies."""

from typing import TYPE_CHECKING

from rulemine.registry import lazy_names

if TYPE_CHECKING:
    from rulemine.llm.call import Call as Call
    from rulemine.llm.call import Failure as Failure
    from rulemine.llm.call import Reply as Reply
    from rulemine.llm.options import EndpointOptions as EndpointOptions
    from rulemine.llm.session import Replay as Replay
    from rulemine.llm.session import Session as Session

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Call": "rulemine.llm.call",
        "EndpointOptions": "rulemine.llm.options",
        "Failure": "rulemine.llm.call",
        "Replay": "rulemine.llm.session",
        "Reply": "rulemine.llm.call",
        "Session": "rulemine.llm.session",
    },
)
