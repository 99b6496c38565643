"""The jars of Neo4j Community and its APOC core, fetched with Maven on first use; none is in this package.

Neo4j Community is licensed under the GPL, version 3, APOC under the Apache License, version 2. They run in a
process of their own (`process.py`). APOC has the procedures with which programs ask what is in a graph; its
jars are in a folder ``plugins`` below the others, because Neo4j looks for procedures in every jar of one.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from rulemine.config import packaged
from rulemine.errors import JavaError
from rulemine.files import digest_of
from rulemine.guard import cache_folder

__all__ = ["cached_jars", "fetch_jars"]

_SECONDS = 1200
"""How long fetching may take: some 240 files, 130 MB."""


def cached_jars() -> Path | None:
    """The folder of the jars if they were fetched before."""
    folder = cache_folder() / f"neo4j-{digest_of(packaged('neo4j', 'pom.xml').read_bytes())[:12]}"
    return folder if folder.is_dir() else None


def fetch_jars(note: Callable[[str], None] = lambda _text: None) -> Path:
    """The folder of the jars, fetched if it is not there yet.

    Args:
        note: Called with a sentence before a fetch, which takes minutes.

    Raises:
        JavaError: Maven is not installed, or cannot fetch them.
    """
    pom = packaged("neo4j", "pom.xml")
    if (known := cached_jars()) is not None:
        return known
    folder = cache_folder() / f"neo4j-{digest_of(pom.read_bytes())[:12]}"
    maven = shutil.which("mvn")
    if maven is None:
        raise JavaError(
            "Neo4j is fetched with Maven, and there is no mvn. Install it (apt install maven), or name "
            "a server that runs already: --url bolt://HOST:7687."
        )
    note(f"fetching Neo4j Community (GPL-3, 130 MB) into {folder}; this happens once")
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    goals = ["dependency:copy-dependencies", f"-DoutputDirectory={fresh}"]
    command = [maven, "--batch-mode", "--quiet", "--strict-checksums", "--file", str(pom), *goals]
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
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
        raise JavaError(f"Neo4j: Maven has fetched for {_SECONDS} s. Try again.") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder
