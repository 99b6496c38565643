"""The examples in the docstrings of the package hold."""

import ast
import doctest
import importlib

from tests import ROOT

# Not pytest's --doctest-modules: each of its processes would import every file to look for examples.
FILES = [
    path for path in sorted((ROOT / "rulemine").rglob("*.py")) if ">>> " in path.read_text("utf-8")
]


def test_the_examples_of_a_file_hold() -> None:
    found, there = {}, {}
    for path in FILES:
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
