"""Mines one graph on workers that Dask's own commands start, with what goes wrong with them.

Two workers, one of them killed with −9 in the middle; one that stands still for a while; a scheduler that is
killed; five workers; one on another host, which sees no file that the client has for it; one that needs more
memory than its limit. Prints a line each; exit status 1 if the rules are not
those of one process. Another host is a network namespace: without root, or `ip`, it is skipped, and said.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from distributed import Client

from rulemine.cluster import cluster as of_client
from rulemine.cluster import opened
from rulemine.errors import ClusterError
from tests.chat_server import until
from tests.cluster.work import fill_memory
from tests.command_line import dense_graph


class Host(NamedTuple):
    """Where a program runs.

    Attributes:
        address: Where it listens.
        enter: The words before its command.
        environment: What differs in its environment.
    """

    address: str
    enter: tuple[str, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})


HERE = Host("127.0.0.1")

SECONDS_OF_STANDSTILL = 3

THRESHOLDS = ("--min-head-coverage=0.1", "--min-std-confidence=0", "--min-pca-confidence=0")


@contextmanager
def started(
    folder: Path, *workers: str, client: Host = HERE, other: Host = HERE
) -> Iterator[tuple[Path, list[subprocess.Popen[bytes]]]]:
    """A scheduler and its workers, each a command with these options; its file, and all of them.

    Args:
        folder: Where the file is.
        workers: The options of each worker.
        client: Where the scheduler is.
        other: Where the workers are.
    """
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    every: list[subprocess.Popen[bytes]] = []

    def start(host: Host, *words: str) -> None:
        own = [
            "--host",
            host.address,
            "--dashboard-address",
            "127.0.0.1:0",
            "--scheduler-file",
            str(file),
        ]
        every.append(
            subprocess.Popen(
                [*host.enter, sys.executable, "-m", "dask", *words, *own],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**os.environ, **host.environment},
            )
        )

    try:
        start(client, "scheduler", "--port", "0")
        for options in workers:
            own = folder / str(len(every))
            start(
                other, "worker", "--nthreads", "1", *options.split(), "--local-directory", str(own)
            )
        until(file.is_file)
        yield file, every
    finally:
        for process in every:
            process.kill()  # a nanny takes its worker with it
        for process in every:
            process.wait()


def mining(folder: Path, output: str, *more: str, host: Host = HERE) -> "subprocess.Popen[str]":
    """Begins to mine."""
    words = ["mine", "dense.tsv", "--max-atoms=3", *THRESHOLDS, "-o", output, *more]
    return subprocess.Popen(
        [*host.enter, sys.executable, "-m", "rulemine", *words],
        cwd=folder,
        env={**os.environ, **host.environment},
        text=True,
        stderr=subprocess.PIPE,
    )


def wait_until_at_work(file: Path, worker: "subprocess.Popen[bytes]", workers: int) -> None:
    """Waits until a worker has a task, of so many workers."""
    with Client(scheduler_file=str(file)) as client:
        client.wait_for_workers(workers)
        pids = client.run(os.getpid)
        address = next(address for address, pid in pids.items() if pid == worker.pid)
        while not client.processing().get(address):
            time.sleep(0.01)


@contextmanager
def two_hosts(folder: Path) -> Iterator[tuple[Host, Host]]:
    """Two network namespaces that reach each other alone; the second does not see the cache of the first.

    Raises:
        OSError: There is no `ip`. CalledProcessError: It may make none.
    """
    names = [f"rulemine{os.getpid()}{end}" for end in "ab"]
    enter = [("ip", "netns", "exec", own) for own in names]
    cache = folder / "cache"
    cache.mkdir()
    # Each has a view of the file system of its own, too.
    hidden = ("sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(cache))
    caches = {"XDG_CACHE_HOME": str(cache)}
    hosts = [
        Host("10.231.77.1", enter[0], caches),
        Host("10.231.77.2", (*enter[1], *hidden), caches),
    ]

    def ip(*words: str, check: bool = True) -> None:
        subprocess.run(["ip", *words], check=check, capture_output=True)

    try:
        for own in names:
            ip("netns", "add", own)
        peer = ("peer", "name", "end", "netns", names[1])
        ip("-n", names[0], "link", "add", "end", "type", "veth", *peer)
        for own, host in zip(names, hosts, strict=True):
            ip("-n", own, "addr", "add", f"{host.address}/30", "dev", "end")
            ip("-n", own, "link", "set", "end", "up")
            ip("-n", own, "link", "set", "lo", "up")
            subprocess.run([*host.enter, "true"], check=True, capture_output=True)
        yield hosts[0], hosts[1]
    finally:
        for own in names:
            with suppress(OSError):
                ip("netns", "delete", own, check=False)


def main() -> int:
    faults = 0

    def report(what: str, right: bool) -> None:
        nonlocal faults
        faults += not right
        print(f"{'right' if right else 'WRONG'}: {what}", flush=True)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        (folder / "dense.tsv").write_text(dense_graph())
        mining(folder, "alone").wait()
        alone = (folder / "alone").read_bytes()
        with started(folder, "--no-nanny", "--no-nanny") as (file, (_, *workers)):
            mine = mining(folder, "two", "--cluster", str(file))
            wait_until_at_work(file, workers[0], 2)
            workers[0].kill()
            mine.wait()
            report(
                f"two workers, one killed: {len(alone.splitlines()):,} rules with the bytes of one process",
                (folder / "two").read_bytes() == alone and workers[0].wait() == -9,
            )
        with started(folder, "--no-nanny") as (file, (scheduler, worker)):
            mine = mining(folder, "still", "--cluster", str(file))
            wait_until_at_work(file, worker, 1)
            worker.send_signal(signal.SIGSTOP)
            time.sleep(SECONDS_OF_STANDSTILL)
            waited = mine.poll() is None
            worker.send_signal(signal.SIGCONT)
            mine.wait()
            same = (folder / "still").read_bytes() == alone
            report("a worker that stood still", waited and same)
            mine = mining(folder, "gone", "--cluster", str(file))
            wait_until_at_work(file, worker, 1)
            scheduler.kill()
            said = mine.communicate()[1]
            right = (
                mine.returncode == 2 and said.count("\n") == 1 and "the scheduler is gone" in said
            )
            report(f"a scheduler that is killed: status {mine.returncode}, {said.strip()}", right)
        mining(folder, "five", "--cluster", "local:5").wait()
        report("five workers", (folder / "five").read_bytes() == alone)
        with ExitStack() as stack:
            try:
                client, other = stack.enter_context(two_hosts(folder))
            except (OSError, subprocess.CalledProcessError) as problem:
                print(
                    f"skipped: a worker on another host (no network namespaces: {problem})",
                    flush=True,
                )
            else:
                file, _ = stack.enter_context(started(folder, "", client=client, other=other))
                mining(folder, "far", "--cluster", str(file), host=client).wait()
                sent = any(folder.glob("*/*/rulemine/*"))
                same = (folder / "far").read_bytes() == alone
                report("a worker on another host, to which files are sent", same and sent)
        with started(folder, "--memory-limit=300MB") as (file, _):
            of_client.TRIES = 0
            try:
                with opened(str(file), print) as cluster:
                    list(cluster.map(fill_memory, [400 << 20]))
                said = "nothing"
            except ClusterError as problem:
                said = str(problem)
            report(f"a worker over its limit of memory: {said}", "needs more memory" in said)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
