"""Files stay small enough to be read at one go, and each says what it is for."""

import ast
import doctest
import importlib
import re
from functools import cache
from pathlib import Path

from tests import ROOT

FOLDERS = ("rulemine", "tests", "checks")
FILES = sorted(
    [*ROOT.glob("*.py"), *(path for name in FOLDERS for path in (ROOT / name).rglob("*.py"))]
)
LONGEST = 700
DOCSTRING = re.compile(r'r?"""')
PUBLIC_CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)


@cache
def texts() -> dict[Path, str]:
    """The text of each file that has one."""
    found = {path: path.read_text("utf-8") for path in FILES}
    return {path: text for path, text in found.items() if text.strip()}


def test_a_file_says_what_it_is_for_and_a_long_one_why() -> None:
    silent, long = [], []
    for path, text in texts().items():
        if not DOCSTRING.match(text) and not path.name.startswith(("test_", "conftest")):
            silent.append(path)
        if text.count("\n") > LONGEST:
            docstring = ast.get_docstring(ast.parse(text)) or ""
            if f"ver {LONGEST} lines because" not in docstring.replace("\n", " "):
                long.append(path)
    assert (silent, long) == ([], [])


def test_no_public_class_name_occurs_twice() -> None:
    homes: dict[str, list[str]] = {}
    for path, text in texts().items():
        if path.is_relative_to(ROOT / "rulemine"):
            for name in PUBLIC_CLASS.findall(text):
                homes.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(homes) > 500
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


# Not pytest's --doctest-modules: each of its processes would import every file to look for examples.
DOCTESTED = [
    path for path in sorted((ROOT / "rulemine").rglob("*.py")) if ">>> " in path.read_text("utf-8")
]


def test_the_examples_of_a_file_hold() -> None:
    found, there = {}, {}
    for path in DOCTESTED:
        text, name = path.read_text("utf-8"), str(path.relative_to(ROOT))
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                documented = ast.get_docstring(node) or ""
                of = getattr(node, "name", module.__name__)
                runner.run(parser.get_doctest(documented, vars(module), of, str(path), 0))
        found[name], there[name] = tuple(runner.summarize()), (0, text.count(">>> "))
    assert len(there) > 80
    assert found == there
