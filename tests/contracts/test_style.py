"""Files stay small enough to be read at one go, and each says what it is for."""

import ast
from pathlib import Path

import pytest

from tests import ROOT

FILES = sorted(
    [*(ROOT / "rulemine").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *ROOT.glob("*.py")]
)
LONGEST = 400


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_long_file_gives_its_reason(path: Path) -> None:
    text = path.read_text("utf-8")
    if not text.strip():
        return
    docstring = ast.get_docstring(ast.parse(text)) or ""
    assert docstring or path.name.startswith(("test_", "conftest")), "a file says what it is for"
    lines = text.count("\n")
    assert lines <= LONGEST or f"ver {LONGEST} lines because" in docstring.replace("\n", " ")


def test_no_public_class_name_occurs_twice() -> None:
    homes: dict[str, list[str]] = {}
    for path in (ROOT / "rulemine").rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
