"""Files stay small enough to be read at one go, and each says what it is for."""

import ast
from functools import cache
from pathlib import Path

from tests import ROOT

FILES = sorted(
    [*(ROOT / "rulemine").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *ROOT.glob("*.py")]
)
LONGEST = 400


@cache
def parsed() -> dict[Path, tuple[str, ast.Module]]:
    """The text of each file and its syntax."""
    texts = {path: path.read_text("utf-8") for path in FILES}
    return {path: (text, ast.parse(text)) for path, text in texts.items() if text.strip()}


def test_a_file_says_what_it_is_for_and_a_long_one_why() -> None:
    silent, long = [], []
    for path, (text, tree) in parsed().items():
        docstring = ast.get_docstring(tree) or ""
        if not docstring and not path.name.startswith(("test_", "conftest")):
            silent.append(path)
        reason = f"ver {LONGEST} lines because" in docstring.replace("\n", " ")
        if text.count("\n") > LONGEST and not reason:
            long.append(path)
    assert (silent, long) == ([], [])


def test_no_public_class_name_occurs_twice() -> None:
    homes: dict[str, list[str]] = {}
    for path, (_, tree) in parsed().items():
        for node in tree.body if path.is_relative_to(ROOT / "rulemine") else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_distinct_values_are_sorted_and_not_hashed() -> None:
    """Without counts or indices numpy.unique hashes, forty times slower than `rulemine.arrays.distinct`."""
    hashing = [
        f"{path.relative_to(ROOT)}, line {node.lineno}: {ast.unparse(node)}"
        for path, (_, tree) in parsed().items()
        if path.is_relative_to(ROOT / "rulemine")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("np.unique", "numpy.unique", "unique")
        and not any(
            str(keyword.arg).startswith("return_") or keyword.arg == "axis"
            for keyword in node.keywords
        )
    ]
    assert hashing == []
