"""Puts faults into a copy of the tree, one at a time, and says which test finds each: `checks/README.md`."""
# ruff: noqa: T201

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
JAR = "rulemine/mining/amie.jar"
LONGEST = 900  # seconds of a test session: a fault may make a loop endless
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no")
FAILED = re.compile(r"^(?:FAILED|ERROR) ((?:tests|checks)/\S+?\.py::.+?)(?: - .*)?$", re.MULTILINE)
Fault = dict[str, Any]


class Copy:
    """A copy of the tree in which faults are put and tests are run."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.sound: set[str] = set()  # tests that pass without a fault
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.check_output(listing, cwd=ROOT, text=True)
        for name in {*filter(None, listed.split("\0")), JAR}:
            if (ROOT / name).exists():  # not what was deleted and is not committed yet
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, place / name, follow_symlinks=False)
        self.environment = {**os.environ, "PYTHONPATH": str(place)}
        where = self.run("-c", "import rulemine; print(rulemine.__file__)")[1].strip()
        if not Path(where).is_relative_to(place):
            sys.exit(f"the tests would import {where}, not the copy in {place}")

    def run(self, *arguments: str) -> tuple[int, str]:
        """The status and output of Python in the copy."""
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.place, env=self.environment,
            stdout=subprocess.PIPE, text=True, timeout=LONGEST,
        )  # fmt: skip
        return done.returncode, done.stdout

    def failing(self, *tests: str) -> str:
        """The first test that fails; "" where all pass or the tests do not exist (any more)."""
        try:
            status, said = self.run(*PYTEST, *tests)
        except subprocess.TimeoutExpired:
            return tests[0]
        if status == 0:
            self.sound.update(tests)
        if (found := FAILED.search(said)) is None:
            return "" if status in (0, 4, 5) else "broken patch"
        return re.sub(r"\[[^]]*$", "", found[1])  # " - " in brackets cuts a name there

    def finder(self, fault: Fault, number: int) -> str:
        """The test that finds a fault, or what else is to be said."""
        path = self.place / fault["file"]
        text = path.read_text("utf-8") if path.exists() else ""
        if (times := text.count(fault["before"])) != 1:
            return f"does not apply: the text occurs {times} times in {fault['file']}"
        was, sound = path.stat(), set(self.sound)
        path.write_text(text.replace(fault["before"], fault["after"]), "utf-8")
        # A time of its own: by time and size Python knows whether what it compiled is still right.
        os.utime(path, (was.st_atime, was.st_mtime + 2 + 2 * number))
        try:
            self.build(path)
            for tests in filter(None, [fault["found_by"], *fault["tests"]]):
                if name := self.failing(tests):
                    break
        finally:
            path.write_text(text, "utf-8")
            os.utime(path, (was.st_atime, was.st_mtime))
            self.sound = sound
            self.build(path)
        if name not in ("", "broken patch", *self.sound) and self.failing(name):
            return f"broken test: {name} fails without the fault"
        return f"found: {name}" if "/" in name else name or "NOT FOUND"

    def build(self, path: Path) -> None:
        """Builds the jar anew if a file belongs to it."""
        if path.suffix == ".java":
            subprocess.run([sys.executable, "hatch_build.py"], cwd=self.place, check=True, stdout=2)


def write_finder(room: Path, fault: Fault, name: str) -> None:
    """Writes the name of a test into `found_by` of one fault."""
    before, own, after = room.read_text("utf-8").partition(f'id = "{fault["id"]}"\n')
    line = f"found_by = {json.dumps(name, ensure_ascii=False)}\n"
    after = re.sub(r"^found_by = .*\n", lambda _: line, after, count=1, flags=re.MULTILINE)
    room.write_text(before + own + after, "utf-8")


def main() -> int:
    """Runs the faults of some rooms; 1 where one is not found or does not apply."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="the name of a file of faults")
    parser.add_argument("--id", nargs="+", default=[], help="these faults alone")
    parser.add_argument("--write", action="store_true", help="write what finds a fault in its file")
    parser.add_argument("--all", action="store_true", help="the faults of all rooms")
    given = parser.parse_args()
    if not (given.rooms or given.all):
        parser.error("name rooms, or say --all")
    rooms = sorted(HERE.glob("*.toml")) if given.all else [HERE / f"{r}.toml" for r in given.rooms]
    faults = [(room, f) for room in rooms for f in tomllib.loads(room.read_text("utf-8"))["fault"]]
    faults = [(room, f) for room, f in faults if f["id"] in given.id or not given.id]
    said: dict[str, Counter[str]] = {room.stem: Counter() for room, _ in faults}
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        copy = Copy(Path(folder))
        if known := sorted({f["found_by"] for _, f in faults} - {""}):
            copy.failing(*known)
        for number, (room, fault) in enumerate(faults):
            kind, _, what = (verdict := copy.finder(fault, number)).partition(": ")
            other = " (another test)" * (kind == "found" and what != fault["found_by"])
            print(f"{room.stem} {fault['id']}: {verdict}{other}", flush=True)
            said[room.stem][kind] += 1
            if given.write and kind in ("found", "NOT FOUND"):
                write_finder(room, fault, what)
    for name, counts in said.items():
        print(name, ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return int(any(counts.keys() - {"found"} for counts in said.values()))


if __name__ == "__main__":
    sys.exit(main())
