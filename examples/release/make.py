"""The releases of Family and FB15k-237, from nothing to archives with the digests that are published.

    python examples/release/make.py out                 # both; FB15k-237 takes some minutes and 3 GB
    python examples/release/make.py out demo --twice    # any recipe; built again, differently, and compared

Data sets are fetched, or found below $RULEMINE_DATA. For each recipe NAME it writes out/NAME (the release),
out/NAME.tar (once it is verified) and out/NAME.tar.sha256, and prints the digest. Run again, it
goes on where it stopped. The same version of rulemine prints the same digests on any machine; --twice shows
it here: a second build from nothing, with one thread, another umask, time zone and hash seed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("family", "fb15k237")


def main() -> int:
    """Makes the releases; returns 1 if two builds of one differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder for releases and archives")
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help="recipes")
    parser.add_argument("--twice", action="store_true", help="build each twice, and compare")
    arguments = parser.parse_args()
    differ = 0
    for name in arguments.names:
        digest = make(name, arguments.out)
        print(f"{digest}  {name}.tar", flush=True)
        if arguments.twice:
            with tempfile.TemporaryDirectory() as folder:
                other = make(
                    name, Path(folder), "--threads", "1", TZ="Asia/Tokyo", PYTHONHASHSEED="1"
                )
            same = other == digest
            print(
                f"  {'the same' if same else f'NOT the same: {other}'} when built again", flush=True
            )
            differ += not same
    return 1 if differ else 0


def make(name: str, folder: Path, *options: str, **environment: str) -> str:
    """Builds, verifies and archives a release; returns the digest of the archive."""
    release = folder / name
    build = ["build", name, "-o", release, *options]
    for command in (build, ["verify", release], ["archive", release]):
        done = subprocess.run(
            [sys.executable, "-m", "rulemine", *map(str, command)],
            env={**os.environ, **environment},
            umask=0o077 if environment else -1,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"rulemine {command[0]} {name} failed, as said above")
    return (folder / f"{name}.tar.sha256").read_text().split()[0]


if __name__ == "__main__":
    sys.exit(main())
