"""What is special to a kind of question: a module of its name defines ``CHECKS``.

Those of other people's kinds are named by an entry point ``rulemine.verifiers``.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec

from rulemine.verify.protocol import KindChecks

__all__ = ["checks_of"]


@cache
def checks_of(kind: str) -> KindChecks:
    """The checks of a kind; none, of queries and texts that are not known, if there are no others."""
    found = KindChecks(known=False)
    if kind.isidentifier() and find_spec(f"{__name__}.{kind}") is not None:
        found = import_module(f"{__name__}.{kind}").CHECKS
    else:
        for point in entry_points(group="rulemine.verifiers", name=kind):
            found = point.load()
    return found
