"""Finds a scheduler, or starts workers on this machine."""

import json
import logging
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rulemine.errors import ClusterError, ConfigError, OutputError
from rulemine.files import take_lock
from rulemine.guard import cache_folder

if TYPE_CHECKING:
    from distributed import Client

    from rulemine.cluster.cluster import Cluster

__all__ = ["Here", "opened"]

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS_TO_CONNECT = 30

ALLOWED_FAILURES = 2
"""Of workers on this machine, before a task is given up, see `rulemine.cluster.cluster.TRIES`."""

WORKERS = {
    "threads_per_worker": 1, "processes": True, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0",
    "silence_logs": logging.CRITICAL,
    # Ctrl-C is for the command, which ends its workers.
    "preload": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
}  # fmt: skip
"""How workers on this machine are started."""

_HELD = f"held by {platform.node()}"
"""A file that is locked while a command of this machine uses its folder."""

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")


class Here:
    """This process, in place of workers."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """The builtin `map`."""
        return map(function, items)

    unordered = map


@contextmanager
def opened(address: str | None, note: Callable[[str], None]) -> "Iterator[Cluster | Here]":
    """Connects with workers; they are let go at the end, and those of this machine ended.

    Args:
        address: ``tcp://HOST:PORT`` or ``tls://HOST:PORT``, a scheduler file, or ``local:N`` for N processes
            on this machine that no other machine can reach; None: no workers, but this process.
        note: Called with a sentence when there is something to know.

    Raises:
        ConfigError: It is no such address, or Dask is not installed.
        ClusterError: There is no scheduler.
        OutputError: The folder of caches cannot be written.
    """
    if address is None:
        yield Here()
        return
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ConfigError(
            "--cluster: needs the package distributed. Install it: pip install 'rulemine[cluster]'."
        ) from None
    from rulemine.cluster.cluster import Cluster, Packer

    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        _be_quiet()
        client = _connected(address, folder, stack)
        if not client.scheduler_info(n_workers=-1)["workers"]:
            note(f"{address}: there are no workers yet; the work waits for them.")
        yield Cluster(client, address, Packer(folder / "files"))


@contextmanager
def _folder() -> Iterator[Path]:
    place = cache_folder() / "cluster"
    try:
        place.mkdir(parents=True, exist_ok=True)
        _remove_left(place)
        folder = tempfile.TemporaryDirectory(dir=place, ignore_cleanup_errors=True)
    except OSError as problem:
        raise OutputError(
            f"{place}: cannot be written ({problem.strerror}). Workers read there what they need. Name "
            "another folder for caches by XDG_CACHE_HOME."
        ) from None
    with folder as name, (Path(name) / "new").open("wb") as held:
        with suppress(OSError):  # a file system without locks: what is left there stays
            take_lock(held.fileno())
        (Path(name) / "new").replace(Path(name) / _HELD)
        yield Path(name)


def _remove_left(place: Path) -> None:
    """Removes the folders of commands of this machine that were killed."""
    if os.name != "posix":  # no locks
        return
    for path in place.glob(f"*/{_HELD}"):
        with suppress(OSError), path.open("rb+") as held:
            if take_lock(held.fileno()):
                shutil.rmtree(path.parent, ignore_errors=True)


def _connected(address: str, folder: Path, stack: ExitStack) -> "Client":
    import dask
    from distributed import Client, LocalCluster
    from distributed.system import MEMORY_LIMIT

    local = _LOCAL.fullmatch(address)
    where: dict[str, object]
    if local:
        stack.enter_context(
            dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES})
        )
        number = int(local[1])
        size = {"n_workers": number, "memory_limit": MEMORY_LIMIT // number}
        try:
            workers = stack.enter_context(
                LocalCluster(**size, local_directory=str(folder), **WORKERS)
            )
        except RuntimeError as problem:
            raise ClusterError(
                f"{address}: a worker ended while it started ({problem}). Give the same command again; if it "
                "ends again, start fewer workers, which have more memory each."
            ) from None
        # Else one that was killed while it started would stay away.
        workers.adapt(minimum=number, maximum=number)
        where = {"address": workers}
    elif re.fullmatch(r"(tcp|tls)://\S+:\d+", address):
        where = {"address": address}
    elif Path(address).is_file():
        where = {"address": _in_file(Path(address))}
    else:
        raise ConfigError(
            f"--cluster is {address!r}; expected tcp://HOST:PORT, a scheduler file that is there, or local:N "
            "for N processes on this machine."
        )
    try:
        client = Client(**where, timeout=SECONDS_TO_CONNECT, set_as_default=False, name="rulemine")
    except (OSError, TimeoutError, ValueError) as problem:
        raise ClusterError(
            f"{address}: no scheduler answers ({problem}). Start one with dask scheduler, or check the "
            "address."
        ) from None
    stack.callback(_let_go, client)
    return client


def _in_file(path: Path) -> str:
    """The address in a scheduler file; Dask would wait for ever on a file that has none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        if isinstance(found := json.loads(path.read_bytes())["address"], str):
            return found
    raise ConfigError(
        f'{path}: --cluster names no scheduler file; expected JSON with "address", as dask scheduler '
        "--scheduler-file writes it. Start the scheduler again, or name another file."
    )


def _let_go(client: "Client") -> None:
    with suppress(OSError, TimeoutError):
        client.close(timeout=2)


def _be_quiet() -> None:
    """What Dask logs is about its own affairs; what matters becomes an error of ours."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
