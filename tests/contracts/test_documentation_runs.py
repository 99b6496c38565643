"""What the documentation tells its reader to type works, and the files that it names exist."""

import re
import shlex
from pathlib import Path

import pytest

from tests import ROOT
from tests.command_line import Command

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "rulemine").glob("*/README.md")),
]

NAMED = re.compile(
    r"`((?:amie|benchmarks|docs|examples|rulemine|tests)/[\w./-]*)`|\]\(([\w./-]+)(?:#[\w-]*)?\)"
)
"""A path of the repository in backquotes, or the target of a link to a file."""

BESIDE = re.compile(r"`(\w+(?:\.py|(?=/)))/?`")
"""A file or folder in the list of a package's README."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    missing = [path for path, _ in NAMED.findall(text) if path and not (ROOT / path).exists()]
    missing += [
        link for _, link in NAMED.findall(text) if link and not (page.parent / link).exists()
    ]
    if page.parent.parent == ROOT / "rulemine":
        rows = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
        missing += [name for name in BESIDE.findall(rows) if not any(page.parent.rglob(name))]
    assert not missing


@pytest.mark.parametrize(
    "pages",
    [("quick-start.md", "scoring.md", "test-your-rag.md"), ("your-own-graph.md",)],
    ids=" ".join,
)
def test_what_the_pages_say_works(pages: tuple[str, ...], here: Path, command: Command) -> None:
    text = "\n".join((ROOT / "docs" / page).read_text("utf-8") for page in pages)
    (here / "examples").symlink_to(ROOT / "examples")
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
