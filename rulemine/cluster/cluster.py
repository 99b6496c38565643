"""Sends work to the workers of a scheduler.

Guarantees: results are those of the same calls in this process, whatever the number of workers, their order
and their failures; a task whose worker died is done again; what ends a run is one sentence.
"""

import os
import pickle
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

from distributed import Client, Future, as_completed
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from rulemine.cluster.parcel import AwayError, Packer
from rulemine.cluster.worker import do_task, lacking, receive, versions
from rulemine.errors import ClusterError

__all__ = ["Cluster"]

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 3
"""How often a task is handed in that the scheduler gave up: each time several workers died of it."""

MOST_TRIES = 20
"""How often a task is handed in that came to workers without its files; each gets them then."""

PIECE = 16 << 20
"""Bytes that are sent at once."""

_GONE = (CancelledError, CommClosedError, OSError, TimeoutError)


class Cluster:
    """The workers of a scheduler."""

    def __init__(self, client: Client, address: str, packer: Packer) -> None:
        """Uses a scheduler that is there.

        Args:
            client: Connected to it.
            address: As the user gave it, for messages.
            packer: Where functions are kept that the workers read.
        """
        self._client, self._address, self._packer = client, address, packer
        self._seen = str(packer.folder.absolute())
        self._sent: set[tuple[str, tuple[str, ...]]] = set()

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Calls a function with each of the items, on the workers.

        Args:
            function: What can be pickled, and gives the same when it is called twice: a function of a module,
                or a `functools.partial` of one. What it holds travels once to each machine.
            items: What it is called with, one at a time.

        Yields:
            The results, in the order of the items.

        Raises:
            ClusterError: The scheduler is gone, a worker has other versions, or a task ends every worker.
            OutputError: What the workers read cannot be written.
        """
        early: dict[int, Result] = {}
        due = 0
        for place, result in self._finished(function, items):
            early[place] = result
            while due in early:
                yield early.pop(due)
                due += 1

    def unordered(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[Result]:
        """As `map`, but yields the results as they come; the items at the front begin first.

        Items that are appended while a result is looked at are done before those that have not begun.
        """
        for _, result in self._finished(function, items):
            yield result

    def _finished(
        self, function: Callable[[Any], Any], items: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        names = self._packer.pack(function)
        run = uuid.uuid4().hex[:12]
        head = dict(versions()), names, self._seen
        begun = len(items)
        places: dict[Future[Any], int] = {}
        given_up: Counter[int] = Counter()
        number = 0

        def hand_in(place: int) -> Future[Any]:
            nonlocal number
            number += 1
            future = self._client.submit(
                do_task,
                pickle.dumps((*head, pickle.dumps(items[place]))),
                key=f"rulemine-{run}-{number}",
                pure=False,
                priority=number > begun,  # what is done again or came later has waited long enough
            )
            places[future] = place
            return future

        try:
            waiting = as_completed(
                [hand_in(place) for place in range(begun)], loop=self._client.loop
            )
            for future in waiting:
                place = places.pop(future)
                if future.status == "finished":
                    yield place, self._result(future)
                    waiting.update([hand_in(later) for later in range(begun, len(items))])
                    begun = len(items)
                    continue
                if future.status != "error":
                    raise self._gone()
                problem = future.exception()
                given_up[place] += 1
                if isinstance(problem, AwayError) and given_up[place] <= MOST_TRIES:
                    self._send(problem)
                elif not isinstance(problem, KilledWorker) or given_up[place] > TRIES:
                    raise self._explained(problem)
                waiting.add(hand_in(place))
        finally:
            if places and self._client.status == "running":
                with suppress(*_GONE):
                    self._client.cancel(list(places))

    def _result(self, future: Future[Any]) -> Any:
        try:
            return future.result()
        except _GONE:
            raise self._gone() from None

    def _send(self, away: AwayError) -> None:
        """Sends files to the machine of a worker; where that fails, the task will ask again."""
        if (away.address, away.names) in self._sent:
            return
        with suppress(*_GONE, KeyError, ValueError):
            for name in self._ask(away.address, lacking, away.names):
                with (self._packer.folder / name).open("rb") as file:
                    size = os.fstat(file.fileno()).st_size
                    for start in range(0, size, PIECE):
                        last = start + PIECE >= size
                        self._ask(away.address, receive, name, start, file.read(PIECE), last=last)
            self._sent.add((away.address, away.names))

    def _ask(self, address: str, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        return self._client.run(function, *given, workers=[address], **named)[address]

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"{self._address}: the scheduler is gone. Give the same command again once there is one: "
            "finished stages, answers and scores are kept; what was being mined is mined anew."
        )

    def _explained(self, problem: BaseException) -> BaseException:
        if isinstance(problem, KilledWorker):
            return ClusterError(
                f"{self._address}: every worker that began one of the tasks died of it, the last at "
                f"{problem.last_worker.address}. Most likely it needs more memory than a worker may have. "
                "Start workers with more (--memory-limit), or fewer on a machine."
            )
        if isinstance(problem, AwayError):
            return ClusterError(
                f"{self._address}: the worker {problem.address} cannot keep what it needs in its local "
                "directory. Free space there, or start it with another --local-directory."
            )
        if isinstance(problem, ImportError):
            return ClusterError(
                f"{self._address}: a worker cannot import what it is to do ({problem}). Install "
                f"rulemine {versions()['rulemine']} with the extra cluster on all machines."
            )
        return problem
