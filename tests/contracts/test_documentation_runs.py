"""What the documentation has its reader type works, every block of it, and the files that it names exist."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import ROOT
from tests.command_line import Command

DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

PAGES = [*DOCS, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "rulemine").glob("*/README.md"))]

MOST_WORDS = 2500
"""Of a page, as ``wc -w`` counts."""

NAMED = re.compile(
    r"`((?:amie|benchmarks|checks|docs|examples|rulemine|tests)/[\w./-]*)`|\]\(([\w./-]+)(?:#[\w-]*)?\)"
)
"""A path of the repository in backquotes, or the target of a link to a file."""

BESIDE = re.compile(r"`(\w+(?:\.py|(?=/)))/?`")
"""A file or folder in the list of a package's README."""

PART = re.compile(
    r"(?:^<!-- (not run|run by|from):? ([^\n]+) -->\n)?^ *```(\w*)\n(.*?)^ *```$|^#+ ", re.M | re.S
)
"""A fenced block with the mark above it, or a heading."""

LESS = {
    "rulemine build my.tsv": ["--set", "mining.max_atoms=3"],
    "rulemine build cypher-demo": ["--set", "cypher.per_template=1"],
    "rulemine build structures-demo": ["--set", "structures.per_structure=6"],
    "rulemine build subgraphs-demo": ["--set", "subgraphs.questions=10"],
    "rulemine build variants-demo": ["--set", "variants.questions=10"],
    "rulemine study": ["--sample", "5", "--set", "resamples=5"],
}
"""What commands that begin so are given as well, so that they take less; what they print is not shown."""


class Block(NamedTuple):
    """A fenced block of a page.

    Attributes:
        mark: ``not run``, ``run by``, ``from``, or empty.
        reason: Why it is not run, the test that runs it, or the file that has it.
        language: What stands after the fence.
        text: Its lines.
        shown: Whether it follows a block that is run, without a heading between, and shows what that prints.
    """

    mark: str
    reason: str
    language: str
    text: str
    shown: bool

    @property
    def runs(self) -> bool:
        return self.language in ("sh", "python") and not self.mark

    @property
    def file(self) -> str:
        """The file that it is, named on its first line; empty: none."""
        found = re.match(r"# (\S+\.(?:toml|txt))\n", self.text)
        return found[1] if found else ""


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in their order."""
    ran = False
    for mark, reason, language, text in PART.findall(page.read_text("utf-8")):
        if not text:  # a heading
            ran = False
            continue
        shown = ran and language in ("text", "json") and not mark
        yield (block := Block(mark, reason, language, text, shown))
        ran = block.runs


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_the_files_that_a_page_names_exist() -> None:
    assert len(PAGES) > 30
    assert {name(page): missing for page in PAGES if (missing := missing_from(page))} == {}


def missing_from(page: Path) -> list[str]:
    """The files that a page names and that are not there."""
    text = page.read_text("utf-8")
    missing = [path for path, _ in NAMED.findall(text) if path and not (ROOT / path).exists()]
    missing += [
        link for _, link in NAMED.findall(text) if link and not (page.parent / link).exists()
    ]
    if page.parent.parent == ROOT / "rulemine":
        rows = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
        missing += [name for name in BESIDE.findall(rows) if not any(page.parent.rglob(name))]
    return missing


def test_a_readme_names_every_file_of_its_package() -> None:
    for readme in sorted((ROOT / "rulemine").glob("*/README.md")):
        text = readme.read_text("utf-8")
        files = {path.name for path in readme.parent.glob("*.py")} - {"__init__.py"}
        folders = {f"{path.parent.name}/" for path in readme.parent.glob("*/__init__.py")}
        assert [name for name in sorted(files | folders) if f"`{name}" not in text] == [], readme


def test_a_page_is_read_in_ten_minutes_and_the_readme_fits_a_screen_or_two() -> None:
    words = {name(page): len(page.read_text("utf-8").split()) for page in DOCS}
    assert {page: number for page, number in words.items() if number > MOST_WORDS} == {}
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 120
    assert max(map(len, lines)) <= 110


def test_every_block_is_run_or_says_why_not() -> None:
    for page in DOCS:
        for block in blocks_of(page):
            if block.mark == "run by":
                assert page.name in (ROOT / block.reason).read_text("utf-8"), (page, block.reason)
            elif block.mark == "from":
                assert block.text in (ROOT / block.reason).read_text("utf-8"), (page, block.reason)
            elif block.mark:
                assert len(block.reason) > 5, (page, block)
            elif block.language == "toml":
                tomllib.loads(block.text)
            elif block.language == "json" and not block.shown:
                assert [json.loads(line) for line in block.text.splitlines()], (page, block)
            else:
                assert block.runs or block.shown or block.file, (page, block)
        outside = PART.sub("", page.read_text("utf-8"))
        typed = re.findall(r"^ {4}\$? ?(?:rulemine|python3?|make|pip) .*", outside, re.M)
        assert not typed, (page, typed)


def goes_to(command: str) -> str:
    """The file or folder that a command writes; empty: none is named."""
    if "--dry-run" in command:
        return ""
    if command.startswith("rulemine data neo4j start"):
        return "out/neo4j"
    found = re.search(r" (?:-o|--output) (\S+)", command)
    return found[1] if found else ""


class Reader:
    """Types what a page says, from top to bottom, into one shell and one console.

    Attributes:
        printed: What the last block printed and wrote into files.
    """

    def __init__(self, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
        self._command, self._capsys = command, capsys
        self._names: dict[str, object] = {}
        self.printed = ""

    def python(self, block: str) -> None:
        """Runs a block of Python."""
        self._capsys.readouterr()
        exec(block, self._names)
        self.printed = self._capsys.readouterr().out

    def shell(self, block: str) -> None:
        """Runs lines of the shell, which may redirect; a build of what is there finds its stages."""
        self.printed = ""
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] == "rulemine":
                self._rulemine(words)
            elif words:
                assert words[:1] + words[-4::2] == ["python3", "<", ">"], f"{line}: by what?"
                with Path(words[-3]).open("rb") as asked, Path(words[-1]).open("wb") as out:
                    program = [sys.executable, *words[1:-4]]
                    subprocess.run(program, stdin=asked, stdout=out, check=True)
                self.printed += Path(words[-1]).read_text("utf-8")

    def _rulemine(self, words: list[str]) -> None:
        line = shlex.join(words)
        less = next((more for start, more in LESS.items() if line.startswith(start)), [])
        at = words.index("--") if "--" in words else len(words)
        ended = self._command(*words[1:at], *less, *words[at:])
        assert ended.status == 0, f"{line}\n{ended.err}"
        written = Path(goes_to(line) or "none")
        text = written.suffix == ".jsonl" and written.is_file()
        self.printed += ended.out + (written.read_text("utf-8") if text else "")

    def compare(self, block: str) -> None:
        """Compares what the last block printed with what the page shows, which may leave lines out."""
        left = (line.split() for line in self.printed.splitlines())
        for line in filter(None, map(str.split, block.splitlines())):
            assert line in left, f"{line}\nnot in, or not there, of\n{self.printed}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the releases that pages have in ``out``, each built once."""
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def release(built: Path, here: Path, command: Command) -> Callable[[str, str], None]:
    """Puts a release of a recipe of the demo, with its stages, below ``out``."""

    def put(recipe: str, folder: str) -> None:
        if not (built / folder).exists():
            options = LESS.get(f"rulemine build {recipe}", [])
            assert command("build", recipe, *options, "-o", built / folder).status == 0
        for path in built.glob(f"{folder}*"):
            shutil.copytree(path, here / "out" / path.name)

    return put


RELEASES = {
    "out/demo": "demo",
    "out/cypher-demo": "cypher-demo",
    "out/variants": "variants-demo",
}
"""Where pages have a release → its recipe."""


FIRST_PAGES = ("README.md", "docs/index.md", "docs/test-your-rag.md")
"""Those that `make test` runs; `make check` runs all."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, marks=[pytest.mark.slow] * (name(page) not in FIRST_PAGES), id=name(page)
        )
        for page in DOCS
        if any(block.runs for block in blocks_of(page))
    ],
)
def test_a_page_prints_what_it_shows(page, here, release, command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")  # pytest-xdist sets it to the width of its own terminal
    (here / "examples").symlink_to(ROOT / "examples")
    shutil.copy(ROOT / "rulemine/datasets/demo/world.tsv", here / "my.tsv")
    for one in [*DOCS, page]:  # those of the page itself last
        for block in filter(lambda block: block.file, blocks_of(one)):
            (here / block.file).write_text(block.text, "utf-8")
    blocks = list(blocks_of(page))
    typed = "".join(block.text for block in blocks if block.runs)
    for folder, recipe in RELEASES.items():
        if re.search(rf"{folder}\b(?!-)", typed):
            release(recipe, Path(folder).name)
    reader = Reader(command, capsys)
    for block in blocks:
        if block.shown:
            reader.compare(block.text)
        elif block.runs:
            (reader.python if block.language == "python" else reader.shell)(block.text)
