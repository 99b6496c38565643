"""One fixed order in which questions are drawn, so that the samples of two papers are nested.

Guarantee: a smaller sample is the beginning of a larger one; the order depends on the ids of the questions
and on which are in the core, on neither naming nor seed.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from rulemine.errors import ConfigError
from rulemine.files import digest_of

__all__ = ["sample"]


_Q = TypeVar("_Q", bound=Any)
"""What has an ``id`` and says whether it is in the ``core``."""


def sample(questions: Sequence[_Q], n: int | None) -> tuple[_Q, ...]:
    """The first `n` questions of the order, the core first; all of them for None.

    Returns:
        Sorted by id.

    Raises:
        ConfigError: `n` is below 1.
    """
    if n is None:
        return tuple(questions)
    if n < 1:
        raise ConfigError(f"sample is {n}; expected a whole number, 1 or more.")
    drawn = sorted(questions, key=lambda q: (not q.core, digest_of(q.id.encode()), q.id))
    return tuple(sorted(drawn[:n], key=lambda q: q.id))
