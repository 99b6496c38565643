"""How an endpoint is doing."""

from dataclasses import dataclass

__all__ = ["Health"]


@dataclass(slots=True)
class Health:
    """How the endpoint is doing.

    Attributes:
        contact: When it was last heard of at all.
        deadline: Until when it may go on without a reply.
        replies: Replies so far.
        failures: Requests that failed so far.
        refused: Calls refused so far.
    """

    contact: float
    deadline: float
    replies: int = 0
    failures: int = 0
    refused: int = 0
