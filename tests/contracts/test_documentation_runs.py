"""What the documentation tells its reader to type works, and the files that it names exist."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rulemine.builder.pipeline import Build
from rulemine.recipe.loading import load_recipe
from tests import ROOT
from tests.command_line import Command

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK_OR_TITLE = re.compile(rf"{BLOCK.pattern}|^# |^## ", re.MULTILINE | re.DOTALL)

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


def test_a_readme_names_every_file_of_its_package() -> None:
    for readme in sorted((ROOT / "rulemine").glob("*/README.md")):
        text = readme.read_text("utf-8")
        files = {path.name for path in readme.parent.glob("*.py")} - {"__init__.py"}
        folders = {f"{path.parent.name}/" for path in readme.parent.glob("*/__init__.py")}
        assert [name for name in sorted(files | folders) if f"`{name}" not in text] == [], readme


NEEDS = {
    "a model": r"--model ",
    "a database": r"^rulemine serve neo4j |--neo4j|bolt:|neo4j\+s:|neo4j-admin|^cypher-shell|^oxigraph",
    "code of others": r"^lm_eval|^inspect |^from (graphrag|datasets|mlcroissant|pykeen|langchain)",
    "what a reader has": r"[ \"](DIR|OUT)\b|my-graph|towns\.ttl|-geography|wikidata",
    "predictions that a reader has": r"^rulemine evaluate (tasks|test)\.json",
    "time; other tests run it": r"^rulemine graph tasks demo .*tasks\.jsonl",
}
"""Why a line of a page is not run here → how such lines are known."""

LESS = {
    "rulemine build cypher-demo": ["--set", "cypher.per_template=1"],
    "rulemine build structures-demo": ["--set", "structures.per_structure=20"],
    "rulemine study": ["--sample", "10", "--resamples", "5"],
}
"""What commands that begin so are given besides, so that they take less; what they print is not shown."""

READ_TOGETHER = [
    (("quick-start.md", "scoring.md", "test-your-rag.md", "study.md"), 3),
    (("your-own-graph.md",), 0),
    (("cypher.md", "exports.md"), 5),
    (("python.md",), 2),
]
"""Pages of `docs` that are tried from top to bottom, in one folder and one console; blocks that they show
of what is printed or written."""


def commands_of(text: str) -> list[str]:
    """The commands of a page, without comments and what pipes them on."""
    lines = "".join(block for language, block in BLOCK.findall(text) if language == "sh")
    whole = lines.replace("\\\n", " ").splitlines()
    return [shlex.join(shlex.split(line, comments=True)) for line in whole]


def goes_to(command: str) -> str:
    """The file or folder that a command writes; empty: none is named."""
    if "--dry-run" in command or "--estimate" in command:
        return ""
    if command.startswith("rulemine serve neo4j start"):
        return "out/neo4j"
    found = re.search(r" (?:-o|--output) (\S+)", command)
    return found[1] if found else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_writes_two_things_to_one_place(page: Path) -> None:
    places = [goes_to(one) for one in sorted(set(commands_of(page.read_text("utf-8"))))]
    twice = {place for place in places if place and places.count(place) > 1}
    assert twice - {"OUT"} == set()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's release and its stages, built once for all pages."""
    folder = tmp_path_factory.mktemp("pages") / "out"
    Build(load_recipe("demo", []), folder / "demo").run()
    return folder


class Reader:
    """Types what pages say, from top to bottom, into one shell and one console.

    Attributes:
        said: What the last block printed and wrote into files; None: it was not run.
        compared: Number of blocks that were compared.
    """

    def __init__(self, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
        self._command, self._capsys = command, capsys
        self._names: dict[str, object] = {}
        self.said: str | None = None
        self.compared = 0

    def python(self, block: str) -> None:
        """Runs a block of Python."""
        self._capsys.readouterr()
        exec(block, self._names)
        self.said = self._capsys.readouterr().out

    def shell(self, line: str) -> None:
        """Runs a line of the shell, which may redirect; a build of the demo finds its stages."""
        words = shlex.split(line, comments=True)
        if words[0] == "rulemine":
            less = next((more for start, more in LESS.items() if line.startswith(start)), [])
            at = words.index("--") if "--" in words else len(words)
            ended = self._command(*words[1:at], *less, *words[at:])
            assert ended.status == 0, f"{line}\n{ended.err}"
            written = Path(goes_to(shlex.join(words)) or "none")
            said = ended.out + (written.read_text("utf-8") if written.is_file() else "")
        else:
            assert words[:1] + words[-4::2] == ["python3", "<", ">"], f"{line}: by which program?"
            with Path(words[-3]).open("rb") as asked, Path(words[-1]).open("wb") as told:
                subprocess.run([sys.executable, *words[1:-4]], stdin=asked, stdout=told, check=True)
            said = Path(words[-1]).read_text("utf-8")
        self.said = (self.said or "") + said

    def compare(self, block: str) -> None:
        """Compares what the last block printed with what the page shows, which may leave lines out."""
        self.compared += 1
        left = (line.split() for line in (self.said or "").splitlines())
        for line in filter(None, map(str.split, block.splitlines())):
            assert line in left, f"{line}\nnot in, or not there, of\n{self.said}"


@pytest.mark.parametrize(("pages", "shown"), READ_TOGETHER, ids=lambda given: str(given)[:20])
def test_the_pages_print_what_they_show(
    pages: tuple[str, ...],
    shown: int,
    here: Path,
    demo: Path,
    command: Command,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # pytest-xdist sets it to the width of its own terminal
    texts = [(ROOT / "docs" / page).read_text("utf-8") for page in pages]
    (here / "examples").symlink_to(ROOT / "examples")
    shutil.copytree(demo, here / "out")
    for name, block in re.findall(
        r"^```toml\n# (\S+\.toml)\n(.*?)^```$", "\n".join(texts), re.M | re.S
    ):
        (here / name).write_text(block, "utf-8")
    reader = Reader(command, capsys)
    for language, block in (found for text in texts for found in BLOCK_OR_TITLE.findall(text)):
        if language in ("text", "json") and reader.said is not None:
            reader.compare(block)
        reader.said = None
        lines = [block] if language == "python" else block.splitlines() * (language == "sh")
        for line in lines:
            if not any(re.search(pattern, line, re.MULTILINE) for pattern in NEEDS.values()):
                (reader.python if language == "python" else reader.shell)(line)
    assert reader.compared == shown
