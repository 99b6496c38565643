"""What the documentation tells its reader to type works: commands, recipes and Python, page by page."""

import re
import shlex
from pathlib import Path

import pytest

from tests import ROOT
from tests.command_line import Command

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "pages", [("quick-start.md", "scoring.md"), ("your-own-graph.md",)], ids=" ".join
)
def test_what_the_pages_say_works(pages: tuple[str, ...], here: Path, command: Command) -> None:
    text = "\n".join((ROOT / "docs" / page).read_text("utf-8") for page in pages)
    blocks = BLOCK.findall(text)
    for language, block in blocks:
        name = re.match(r"# (\S+\.toml)\n", block)
        if language == "toml" and name:
            (here / name[1]).write_text(block, "utf-8")
    lines = 0
    for language, block in blocks:
        if language == "python":
            exec(block, {})
        for line in block.splitlines() if language == "sh" else ():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "rulemine"
            ended = command(*arguments)
            assert ended.status == 0, f"{line}\n{ended.err}"
            lines += 1
    assert lines >= 4
