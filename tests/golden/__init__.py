"""What every file of some releases was when it was written down in ``releases.json``; what differs now."""

import gzip
import hashlib
import json
import re
from pathlib import Path

WRITTEN = Path(__file__).with_name("releases.json")


def digests(release: Path) -> dict[str, str]:
    """Path → SHA-256 of each file.

    Compressors differ between machines: of a ``.gz`` file what is inside counts, and the manifest is taken
    without the size and the digest of such files.
    """
    found = {}
    for path in sorted(path for path in release.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        elif path.name == "manifest.json":
            content = re.sub(rb'(\.gz": )\{[^}]*\}', rb"\1{}", content)
        found[path.relative_to(release).as_posix()] = hashlib.sha256(content).hexdigest()
    return found


def differences(name: str, release: Path) -> list[str]:
    """The files that are not what was written down under a name; last, what to do if that is meant."""
    before, now = json.loads(WRITTEN.read_text("utf-8")).get(name, {}), digests(release)
    changed = sorted(path for path in {*before, *now} if before.get(path) != now.get(path))
    how = {(True, True): "differs", (False, True): "is new", (True, False): "is gone"}
    todo = [f"if that is meant: python -m tests.golden.digests --write {name}"] if changed else []
    return [f"{name}: {path} {how[path in before, path in now]}" for path in changed] + todo
