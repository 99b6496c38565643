"""Work for tests, and what goes wrong with it."""

import os
import signal
import time
from contextlib import contextmanager

import dask
from distributed import LocalCluster

from rulemine.cluster.opening import WORKERS
from rulemine.errors import HeapError


@contextmanager
def started(folder, workers, memory="4GB"):
    """Workers that are processes of one thread; a task that ends one is given up by the scheduler."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}), LocalCluster(n_workers=workers,
        memory_limit=memory, local_directory=str(folder), **WORKERS) as cluster
    ):  # fmt: skip
        # As `local:N` does: a worker that is killed while it starts would stay away.
        cluster.adapt(minimum=workers, maximum=workers)
        yield cluster


def square(number):
    return number * number


def die_once(folder, number):
    """Ends its worker as the kernel would, the first time that it is called with 3."""
    mark = folder / "died"
    if number == 3 and not mark.exists():
        mark.touch()
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def always_die(number):
    time.sleep(0.3)  # what ends at once looks like a worker that cannot start
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def fill_memory(size):
    """Takes so many bytes, until somebody ends its worker."""
    taken = bytearray(os.urandom(1 << 20) * (size >> 20))
    time.sleep(30)
    return len(taken)


def interrupt(number):
    """Sends its worker what Ctrl-C in a terminal sends to all processes of a command."""
    os.kill(os.getpid(), signal.SIGINT)
    return number


def dies_first(marks, function, item):
    """Calls a function; the first worker that would is ended instead, of functions of each package."""
    mark = marks / getattr(function, "func", function).__module__.split(".")[1]
    if not mark.exists():
        marks.mkdir(exist_ok=True)
        mark.touch()
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    return function(item)


def out_of_heap(_):
    raise HeapError(
        "the miner ran out of memory with a Java heap of 64m. Raise it with --heap (…)."
    )
