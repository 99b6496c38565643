"""The error classes.

Every message says, in this order: where (file, line), what was found, what was expected, what to do.
The command line turns a `UserError` into one paragraph and exit status 2, and a `NoReplyError` into one and
exit status 1. Any other error is a bug and ends with exit status 1.
"""

import difflib
from collections.abc import Iterable, Sequence


class RulemineError(Exception):
    """Base of every error that this package raises on purpose."""


class UserError(RulemineError):
    """Something the user gave or asked for cannot be used; the message says what to change."""


class InputError(UserError):
    """A file given as input is missing, unreadable or malformed."""


class ConfigError(UserError):
    """A configuration value, option or key is wrong."""


class OutputError(UserError):
    """The output cannot be written where it was asked for."""


class DatasetError(UserError):
    """A named data set is unknown, or is not on this machine and cannot be fetched."""


class MiningError(UserError):
    """No rules can be mined from the knowledge graph with these options."""


class NoInferenceError(MiningError):
    """No rule holds well enough to prove a removed triple."""


class TooManyRulesError(MiningError):
    """More rules reach the thresholds than the caller has use for."""


class JavaError(UserError):
    """No usable Java runtime, or the one named by JAVA_HOME is too old or broken."""


class HeapError(UserError):
    """The miner ran out of heap, or the requested heap is not available."""


class ClusterError(UserError):
    """The workers of a cluster cannot be used, or are gone; what was finished is kept."""


class EndpointError(UserError):
    """A model's endpoint cannot be used: no key, refused, not found, or unreachable for too long."""


class LimitError(UserError):
    """A limit set by the user was reached; finished work is kept and the next run continues from it."""


class AwaitedError(LimitError):
    """Calls were written for a Batch API; the next run goes on with the results."""


class NoReplyError(RulemineError):
    """A model's replies are all cut off, or its calls all refused; what was finished is kept."""


class ReplayError(UserError):
    """A journal lacks the reply to a call that a replay needs."""


class ReleaseError(UserError):
    """A release folder is missing, incomplete, edited or of another format version."""


class QueryError(UserError):
    """A query cannot be read, is too large, or names what the graph lacks."""


class NoTreeError(QueryError):
    """A query of another language can be read but is no query tree.

    Attributes:
        reason: What it has that a tree lacks, in words without any of its names.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"query: no tree of entities and relations: {reason}.")


class BarredQueryError(NoTreeError):
    """A query that would change a graph, or asks another server or another graph."""


class PredictionError(UserError):
    """A prediction file is malformed or does not fit the release."""


MOST_PROBLEMS_SHOWN = 10
"""How many problems of one file are spelled out; the rest are counted."""


def list_problems(where: str, problems: Sequence[str], advice: str, unseen: int = 0) -> str:
    """Combines all problems of a file into one message.

    Args:
        where: The file.
        problems: One line each, in file order; at least one.
        advice: What to do, as a sentence.
        unseen: How many more problems were counted but not kept.

    Returns:
        The paragraph: at most `MOST_PROBLEMS_SHOWN` problems, a count of the rest, the advice.
    """
    shown = list(problems[:MOST_PROBLEMS_SHOWN])
    rest = len(problems) - len(shown) + unseen
    if rest:
        shown.append(f"… and {rest} more")
    if len(shown) > 1:
        return f"{where}:" + "".join(f"\n  {line}" for line in shown) + f"\n{advice}"
    return f"{where}: {shown[0]}{'' if shown[0].endswith(('.', '?', '!')) else '.'} {advice}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for a misspelled name.

    Args:
        name: What the user wrote.
        known: What exists.

    Returns:
        ``did you mean 'x'?`` when something is close, otherwise ``known: a, b, c``.
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names) or 'none'}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Formats a count with its noun, the same way in every message and table.

    Args:
        number: The count, ≥ 0.
        noun: The noun in the singular.
        plural: Its plural; empty: the noun with an s.

    Example:
        >>> counted(1, "rule"), counted(21661, "rule"), counted(2, "entity", "entities")
        ('1 rule', '21,661 rules', '2 entities')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
