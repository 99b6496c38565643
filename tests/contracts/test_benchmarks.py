"""The benchmarks call commands that exist: nothing else runs them between two measurements."""

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from checks.isolated import checkouts, try_clients
from rulemine.cli.main import make_parser
from tests import ROOT, each


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(command: list[str]) -> list[str]:
    """What follows ``python -m rulemine``."""
    return command[command.index("rulemine") + 1 :]


def test_every_command_that_is_measured_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    bench, suite, folder = load("bench"), load("suite"), Path("folder")
    assert len(bench.STEPS) > 5
    for step in set(bench.STEPS) - {"verify"}:
        parsed = make_parser().parse_args(words(bench.stage(step, "demo", "out/demo")))
        assert parsed.until == step
    scale = load("scale").commands(folder, 1000, "wikidata", ["structures"])
    every = [*scale.values(), *load("cypher").commands(folder / "kg.tsv", folder)]
    every += [*suite.commands("codex-m", "cypher", folder), load("endpoint").serving("out/demo", 9)]
    ours = [command for command in every if "rulemine" in command]
    assert len(every) - len(ours) <= len({"generate", "read", "read again"} & scale.keys())
    for command in ours:
        make_parser().parse_args(words(command))


def test_the_suite_builds_by_the_recipe_where_there_is_one() -> None:
    suite = load("suite")
    assert suite.recipe_of("fb15k237", "rules") == ["fb15k237"]
    assert suite.recipe_of("fb15k237", "structures") == ["structures-fb15k237"]
    assert suite.recipe_of("codex-m", "variants") == ["codex-m", "--kind", "variants"]


EXPORTS_PAGE = (ROOT / "docs" / "exports.md").read_text("utf-8")


def test_every_changed_line_is_on_the_page() -> None:
    for name, checkout in checkouts.CHECKOUTS.items():
        where = f"[{checkout.repository}](https://github.com/{checkout.repository})"
        assert f"| `{name}` | {where} | `{checkout.commit}` |" in EXPORTS_PAGE
        for file, old, new in checkout.changed:
            assert f"| `{name}` | `{file}` | `{old.strip()}` | `{new.strip()}` |" in EXPORTS_PAGE


def test_clients_are_pinned_and_have_their_script() -> None:
    clients = [try_clients.client_of(file) for file in try_clients.CLIENTS.glob("*.txt")]
    used = {one.checkout for one in clients if one.checkout}
    assert used == checkouts.CHECKOUTS.keys()
    for one in clients:
        assert one.what
        assert one.exports or one.checkout or one.section
        assert all(re.fullmatch(r"[\w.-]+(\[\w+\])?==[\w.]+", line) for line in one.requirements)
        assert try_clients.script_of(one).exists()
    (line,) = re.findall(r'clients .*CLIENTS="(.*)"', (ROOT / ".ci" / "run").read_text())
    assert shlex.split(line)[0] == "rog"
    assert {*shlex.split(line)} <= {one.name for one in clients}


@each(
    ("ended", "no_skips", "status", "last"),
    [
        ("a passed, b passed", True, 0, "2 tried, 0 skipped; tried: a, b"),
        ("a passed, b skipped", False, 0, "1 tried, 1 skipped; tried: a; skipped: b"),
        ("a passed, b skipped", True, 1, "1 tried, 1 skipped; tried: a; skipped: b"),
        ("a passed, b failed", False, 1, "2 tried, 0 skipped; tried: a, b"),
        ("a skipped", False, 1, "0 tried, 1 skipped; tried: none; skipped: a"),
    ],
)
def test_the_last_line_counts(ended, no_skips, status, last, capsys):
    of_each = dict(one.split() for one in ended.split(", "))
    assert try_clients.report(of_each, no_skips=no_skips) == status
    assert capsys.readouterr().out.splitlines()[-1] == last


def test_a_checkout_is_copied_with_its_lines_changed(tmp_path, monkeypatch):
    changed = checkouts.Changed("src/a.py", "import b", "import c")
    wanted = checkouts.Checkout("somebody/it", "1234567", ("src",), (changed,))
    monkeypatch.setitem(checkouts.CHECKOUTS, "It", wanted)
    assert "CLIENTS_HOME" in checkouts.copied("It", "", tmp_path / "copy")
    source = tmp_path / "It" / "src" / "a.py"
    source.parent.mkdir(parents=True)
    source.write_text("import a\nimport b\n")
    assert checkouts.copied("It", str(tmp_path), tmp_path / "copy") == ""
    assert (tmp_path / "copy" / "src" / "a.py").read_text() == "import a\nimport c\n"
