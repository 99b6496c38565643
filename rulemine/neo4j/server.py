"""Fetches a Neo4j with Maven on first use, and starts and ends it on this machine; none is in this package.

Neo4j Community is licensed under the GPL, version 3, APOC under the Apache License, version 2. They run in a
process of their own (`process.py`). APOC has the procedures with which programs ask what is in a graph; its
jars are in a folder ``plugins`` below the others, because Neo4j looks for procedures in every jar of one.

Guarantees: it listens on the loopback interface alone; one that was started for a ``with`` block ends with
it, whatever becomes of this process; `stop` ends no process but one that `start` started.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rulemine.config import packaged
from rulemine.errors import ConfigError, JavaError
from rulemine.files import digest_of, write_text
from rulemine.guard import cache_folder

__all__ = ["Started", "cached_jars", "fetch_jars", "running", "start", "stop", "temporary"]

_SECONDS = 300
"""Seconds that a server may take to end; usually a few, more on a busy machine."""

_MODULE = "rulemine.neo4j.process"
_HEAP = "1g"


class Started(NamedTuple):
    """A server that runs.

    Attributes:
        pid: Its process.
        url: Where it answers, e.g. ``bolt://127.0.0.1:7687``.
        folder: The folder of its data.
    """

    pid: int
    url: str
    folder: str


@contextlib.contextmanager
def temporary(note: Callable[[str], None] = lambda _text: None) -> Iterator[str]:
    """A server with an empty graph for as long as a block runs; gives its address.

    Args:
        note: See `fetch_jars`.

    Raises:
        JavaError: There is no Java or no Maven, or it does not start.
    """
    jars = fetch_jars(note)
    with tempfile.TemporaryDirectory(prefix="rulemine-neo4j-") as folder:
        child = _launched(
            jars, Path(folder) / "data", 0, _HEAP, Path(folder) / "log", attached=True
        )
        try:
            yield f"bolt://127.0.0.1:{_port(child, Path(folder) / 'log')}"
        finally:
            child.kill()  # its data go with it, and an orderly shutdown takes ten seconds
            child.communicate()


def start(
    folder: Path,
    port: int = 7687,
    heap: str = _HEAP,
    note: Callable[[str], None] = lambda _text: None,
) -> Started:
    """Starts a server that goes on when this process ends.

    Args:
        folder: Where its data are, or will be.
        port: The port.
        heap: The heap of its JVM, e.g. ``1g``.
        note: See `temporary`.

    Raises:
        ConfigError: One that was started like this runs already, or the port is in use.
        JavaError: As `temporary`.
    """
    if (now := running()) is not None:
        raise ConfigError(
            f"a Neo4j runs at {now.url}, with its data in {now.folder}. Use it, or end it: "
            "rulemine data neo4j stop."
        )
    log = folder / "rulemine-neo4j.log"
    if folder.exists() and not log.exists() and any(folder.iterdir()):
        raise ConfigError(
            f"{folder}: has other files and no database of this program. Name an empty or new folder: "
            "--folder FOLDER."
        )
    jars = fetch_jars(note)
    folder.mkdir(parents=True, exist_ok=True)
    child = _launched(jars, folder, port, heap, log, attached=False)
    made = Started(child.pid, f"bolt://127.0.0.1:{_port(child, log)}", str(folder.absolute()))
    write_text(_state(), json.dumps(made._asdict()) + "\n")
    return made


def running() -> Started | None:
    """The server that `start` started, if it still runs."""
    try:
        made = Started(**json.loads(_state().read_text("utf-8")))
        command = Path(f"/proc/{made.pid}/cmdline").read_bytes().decode(errors="replace")
        return made if _MODULE in command.split("\0") else None
    except (OSError, ValueError, TypeError):
        return None


def stop() -> Started | None:
    """Ends the server that `start` started, and waits for its end; None if none runs."""
    made = running()
    if made is not None:
        os.kill(made.pid, signal.SIGTERM)
        until = time.monotonic() + _SECONDS
        while running() is not None and time.monotonic() < until:
            time.sleep(0.2)
    _state().unlink(missing_ok=True)
    return made


def _state() -> Path:
    return cache_folder() / "neo4j.json"


def _launched(
    jars: Path, folder: Path, port: int, heap: str, log: Path, *, attached: bool
) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", _MODULE, str(jars), str(folder), str(port), heap]
    with log.open("w", encoding="utf-8") as output:
        return subprocess.Popen(  # noqa: S603 - this package itself
            command + ["attached"] * attached,
            stdin=subprocess.PIPE if attached else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            start_new_session=not attached,
        )


def _port(child: "subprocess.Popen[str]", log: Path) -> int:
    """The port that a server names when it answers."""
    for line in child.stdout or ():
        if line.strip().isdigit():
            return int(line)
    child.wait()
    output = log.read_text("utf-8", errors="replace")
    cause = [line for line in output.splitlines() if "Caused by" in line or "Exception" in line]
    if "Address already in use" in output:
        raise ConfigError("Neo4j: the port is in use. Name another: --port N; 0: any that is free.")
    raise JavaError(
        f"Neo4j does not start: {(cause or output.splitlines() or ['it output nothing'])[-1]}"
    )


_SECONDS_TO_FETCH = 1200
"""Seconds that fetching may take: some 240 files, 130 MB."""


def cached_jars() -> Path | None:
    """The folder of the jars if they were fetched before."""
    return folder if (folder := _jar_folder()).is_dir() else None


def _jar_folder() -> Path:
    return cache_folder() / f"neo4j-{digest_of(packaged('neo4j', 'pom.xml').read_bytes())[:12]}"


def fetch_jars(note: Callable[[str], None] = lambda _text: None) -> Path:
    """The folder of the jars, fetched if it is not there yet.

    Args:
        note: Called with a sentence before a fetch, which takes minutes.

    Raises:
        JavaError: Maven is not installed, or cannot fetch them.
    """
    if (folder := _jar_folder()).is_dir():
        return folder
    if (maven := shutil.which("mvn")) is None:
        raise JavaError(
            "Neo4j is fetched with Maven, and there is no mvn. Install it (apt install maven), or name "
            "a server that runs already: --url bolt://HOST:7687."
        )
    note(f"fetching Neo4j Community (GPL-3, 130 MB) into {folder}; this happens once")
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    command = [
        maven, "--batch-mode", "--quiet", "--strict-checksums", "--file", str(packaged("neo4j", "pom.xml")),
        "dependency:copy-dependencies", f"-DoutputDirectory={fresh}",
    ]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, text=True, timeout=_SECONDS_TO_FETCH, check=False
        )
        if done.returncode != 0:
            reason = next(
                (line for line in done.stdout.splitlines() if "ERROR" in line), done.stderr[-300:]
            )
            raise JavaError(
                f"Neo4j: Maven cannot fetch it: {reason.strip()}. Look at the network and Maven's settings, "
                "or name a server that runs already: --url bolt://HOST:7687."
            )
        (fresh / "plugins").mkdir()
        for jar in fresh.glob("apoc-*.jar"):
            jar.rename(fresh / "plugins" / jar.name)
        fresh.rename(folder)
    except subprocess.TimeoutExpired:
        raise JavaError(f"Neo4j: Maven has fetched for {_SECONDS_TO_FETCH} s. Try again.") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder
