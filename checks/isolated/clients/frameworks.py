"""The snippets of docs/frameworks.md for one framework, as they stand there.

Called with the folder of the releases and the heading of the section. Lines of the shell find the programs of
this environment, and our command; what a block prints has to be what the page shows below it.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "frameworks.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def main() -> None:
    release, heading = Path(sys.argv[1]).resolve() / "releases" / "demo", sys.argv[2]
    before, *sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.M)
    (section,) = (one for one in sections if one.startswith(f"{heading}\n"))
    blocks = BLOCK.findall(section)
    if "python" in dict(blocks):
        blocks = BLOCK.findall(before) + blocks
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("out").mkdir()
        Path("out/demo").symlink_to(release, target_is_directory=True)
        Path("examples").symlink_to(PAGE.parents[1] / "examples", target_is_directory=True)
        printed, shown = "", 0
        for language, text in blocks:
            if language == "text":
                for line in text.split("\n"):
                    assert line.split() in map(str.split, printed.split("\n")), (
                        f"{line!r}: {printed}"
                    )
                shown += 1
            else:
                printed = python(text, names) if language == "python" else shell(text)
    assert shown, "the page shows nothing of what these print"
    print(f"{len(blocks) - shown} blocks of the page run, and print what it shows")


def python(text: str, names: dict[str, object]) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(text, names)
    return said.getvalue()


def shell(text: str) -> str:
    places = (Path(sys.executable).parent, Path(os.environ["RULEMINE"]).parent)
    path = os.pathsep.join([*map(str, places), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-ec", text], env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{text}{done.stdout}{done.stderr}"
    return done.stdout


main()
