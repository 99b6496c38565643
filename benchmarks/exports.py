"""What exports cost: every format of a release, and its archive.

    python benchmarks/exports.py out/fb15k237 [--kg complete] [rog tog …]

Every export is a process of its own, start-up and the check of the release's digests included. Prints
Markdown: CPU seconds (user + system), wall seconds, peak resident memory, size of the folder.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from scale import measure

from rulemine.exports.registry import EXPORTS


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("release", type=Path)
    parser.add_argument("formats", nargs="*", default=[*EXPORTS, "archive"])
    parser.add_argument("--kg", default="incomplete")
    arguments = parser.parse_args()
    print("| format | CPU s | wall s | peak MiB | size MiB |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.formats:
            out = Path(folder) / name
            command = [sys.executable, "-m", "rulemine"]
            if name == "archive":
                out = out.with_suffix(".tar")
                command += ["archive", str(arguments.release), "-o", str(out)]
            else:
                command += ["export", str(arguments.release), "--to", name, "-o", str(out)]
                command += ["--kg", arguments.kg]
            cost = measure(command, {})
            files = [out] if out.is_file() else [p for p in out.rglob("*") if p.is_file()]
            size = sum(path.stat().st_size for path in files) / 2**20
            print(
                f"| {name} | {cost.cpu:.1f} | {cost.wall:.1f} | {cost.peak:.0f} | {size:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
