"""Mines one graph on workers that Dask's own commands start, with what goes wrong with them.

Two workers, one of them killed with −9 in the middle; five; one that needs more memory than its limit.
Prints a line each; exit status 1 if the rules are not those of one process.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import Client

from rulemine.cluster import cluster as of_client
from rulemine.cluster import opened
from rulemine.errors import ClusterError
from tests.chat_server import until
from tests.cluster.work import fill_memory
from tests.command_line import dense_graph

THRESHOLDS = ("--min-head-coverage=0.1", "--min-std-confidence=0", "--min-pca-confidence=0")


@contextmanager
def started(folder: Path, *workers: str) -> Iterator[tuple[Path, list[subprocess.Popen[bytes]]]]:
    """A scheduler and its workers, each a command with these options; its file, and the workers."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    common = [
        "--host",
        "127.0.0.1",
        "--dashboard-address",
        "127.0.0.1:0",
        "--scheduler-file",
        str(file),
    ]
    every = [
        subprocess.Popen([*dask, "scheduler", "--port", "0", *common], **quiet)  # type: ignore[call-overload]
    ]
    try:
        for options in workers:
            words = [*dask, "worker", "--nthreads", "1", *common, *options.split()]
            words += ["--local-directory", str(folder / str(len(every)))]
            every.append(subprocess.Popen(words, **quiet))  # type: ignore[call-overload]
        until(file.is_file)
        yield file, every[1:]
    finally:
        for process in every:
            process.kill()  # a nanny takes its worker with it
        for process in every:
            process.wait()


def mining(folder: Path, output: str, *more: str) -> "subprocess.Popen[str]":
    words = ["mine", "dense.tsv", "--max-atoms=3", *THRESHOLDS, "-o", output, *more]
    return subprocess.Popen(
        [sys.executable, "-m", "rulemine", *words], cwd=folder, text=True, stderr=subprocess.PIPE
    )


def killed_in_the_middle(file: Path, workers: "list[subprocess.Popen[bytes]]") -> None:
    """Kills the first worker as soon as it works."""
    with Client(scheduler_file=str(file)) as client:
        client.wait_for_workers(len(workers))
        address = next(
            address for address, pid in client.run(os.getpid).items() if pid == workers[0].pid
        )
        while not client.processing().get(address):
            time.sleep(0.01)
        workers[0].kill()


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
        with started(folder, "--no-nanny", "--no-nanny") as (file, workers):
            mine = mining(folder, "two", "--cluster", str(file))
            killed_in_the_middle(file, workers)
            mine.wait()
            report(
                f"two workers, one killed: {len(alone.splitlines()):,} rules with the bytes of one process",
                (folder / "two").read_bytes() == alone and workers[0].wait() == -9,
            )
        mining(folder, "five", "--cluster", "local:5").wait()
        report("five workers", (folder / "five").read_bytes() == alone)
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
