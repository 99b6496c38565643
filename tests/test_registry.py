"""Names that other packages add: found, refused, and blamed for what they do wrong."""

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine.errors import ConfigError
from rulemine.registry import Registry
from tests import ROOT, each
from tests.command_line import RULES, Ended, assert_refused, run
from tests.evaluation.world import question, write_release

pytestmark = pytest.mark.slow

OWN = {"one": "builtins:int", "two": "rulemine.registry:NOTHING"}


def install(site: Path, package: str, groups: dict[str, dict[str, str]]) -> None:
    """What an installer leaves of a package in a folder for packages: its metadata."""
    folder = site / f"{package}-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    text = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in groups.items()
    )
    (folder / "entry_points.txt").write_text(text)


def rulemine(site: Path, *words: str | Path, code: Path | None = None) -> Ended:
    path = os.pathsep.join(map(str, (ROOT, site, code or site)))
    return run(site, words, PYTHONPATH=path)


def install_example(site: Path, example: str) -> Path:
    """Installs a folder of ``examples`` as its pyproject.toml says."""
    folder = ROOT / "examples" / example
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    install(site, project["name"], project["entry-points"])
    return folder


def test_the_answerer_of_another_package_answers(tmp_path):
    code = install_example(tmp_path, "answerer")
    write_release(tmp_path / "r", [question(1)])
    words = ("answer", "r", "--with", "popular", "-o", "found.jsonl")
    assert rulemine(tmp_path, *words, code=code).status == 0
    assert '"id":"q00001"' in (tmp_path / "found.jsonl").read_text()
    assert_refused(rulemine(tmp_path, *words[:3], "populer", *words[4:]), "did you mean 'popular'")


def test_the_metric_of_another_package_stands_beside_ours(tmp_path):
    code = install_example(tmp_path, "metric")
    write_release(tmp_path / "r", [question(1)])
    (tmp_path / "p.jsonl").write_text('{"id": "q00001", "answers": ["e00004", "e00002"]}\n')
    words = ("evaluate", "r", "p.jsonl", "--format", "json", "--metrics")
    ended = rulemine(tmp_path, *words, "tog,exact", code=code)
    assert ended.status == 0, ended
    shown = json.loads(ended.out)["metrics_of_others"]
    assert shown["exact"]["exact_set"]["all"]["score"]["value"] == 1.0
    assert shown["tog"]["source"].startswith("Think-on-Graph")
    assert_refused(rulemine(tmp_path, *words, "exakt", code=code), "did you mean 'exact'")


def test_the_export_format_of_another_package_writes(tmp_path):
    code = install_example(tmp_path, "export")
    write_release(tmp_path / "r", [question(1), question(2, hard=(), answers=("e00001",))])
    words = ("export", "r", "--to", "spreadsheet:most=1", "-o", "out")
    ended = rulemine(tmp_path, *words, code=code)
    assert ended.status == 0, ended
    assert "left out 1: it has more than 1 answers" in ended.out
    header, row = (tmp_path / "out" / "questions.csv").read_text().splitlines()
    assert (header, row[:6], row[-6:]) == ("id,question,answers", "q00002", "e00001")
    assert_refused(rulemine(tmp_path, *words[:3], "sheet", *words[4:], code=code), "'sheet'")


def test_the_data_set_of_another_package_is_listed_and_built(tmp_path):
    code = install_example(tmp_path, "dataset")
    listed = rulemine(tmp_path, "data", "list", code=code)
    assert "village          here" in listed.out
    (tmp_path / "rules.txt").write_text(RULES)
    options = ("--rules", "rules.txt", "--set", "selection.max_prior=1", "-o", "out")
    words = ("--set", "questions.templates=village", "--set", "questions.restated=true")
    ended = rulemine(tmp_path, "build", "village", *options, *words, code=code)
    assert ended.status == 0, ended
    assert "Village: eight couples" in (tmp_path / "out" / "README.md").read_text()
    assert "Who brought {topic} up?" in (tmp_path / "out" / "relations.tsv").read_text()
    again = rulemine(tmp_path, "verify", "out", "--rebuild", "--set", "rules=rules.txt", code=code)
    assert "every byte is what its recipe makes" in again.out


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Registry[type]]:
    """Makes a registry to which a package ``odd`` adds the name ``strange``, as the code given."""

    def make(code: str, name: str = "strange") -> Registry[type]:
        (tmp_path / "odd.py").write_text(code)
        shutil.rmtree(tmp_path / "odd-0.1.dist-info", ignore_errors=True)
        install(tmp_path, "odd", {"tests.things": {name: "odd:Thing"}})
        monkeypatch.syspath_prepend(tmp_path)
        sys.modules.pop("odd", None)
        return Registry("tests.things", "thing", type, OWN)

    return make


def test_own_names_come_first_and_nothing_is_imported_before_it_is_looked_up(registry):
    things = registry("raise SystemError('imported')")
    assert list(things) == ["one", "two", "strange"]
    assert len(things) == 3
    assert things["one"] is int
    assert things.get("three") is None
    with pytest.raises(ConfigError, match=r"no thing 'strang'; did you mean 'strange'\?"):
        things.find("strang")


def test_another_package_cannot_take_over_a_name(registry):
    things = registry("class Thing: pass", name="one")
    assert list(things) == ["one", "two"]
    assert things.find("one") is int


@each(
    ("code", "told"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError"),
        ("class Other: pass", "AttributeError"),
        ("Thing = 'text'", "type was expected, found 'text'"),
    ],
)
def test_a_broken_package_is_named_and_not_blamed_for_ours(registry, code, told):
    things = registry(code)
    with pytest.raises(ConfigError, match=r"thing 'strange' of the package odd 0\.1 ") as caught:
        things.find("strange")
    assert told in str(caught.value)
    with pytest.raises(AttributeError, match="NOTHING"):
        things.find("two")


@each(
    ("body", "told"),
    [
        ("raise KeyError('x')", r"failed: KeyError: 'x'\. Update"),
        ("return np.zeros(2).reshape(3)", r"of size 2 .*\. Update"),
        ("return []", "it gave 0 sets of answers to 1 questions"),
        ("return [{99}]", "99 is no entity id; the graph has 5 entities"),
    ],
)
def test_an_answerer_that_fails_is_named(tmp_path, body, told):
    (tmp_path / "odd.py").write_text(
        f"import numpy as np\nclass Thing:\n  def __call__(self, kg, asked, seed=0): {body}\n"
    )
    install(tmp_path, "odd", {"rulemine.answerers": {"strange": "odd:Thing"}})
    write_release(tmp_path / "r", [question(1)])
    ended = rulemine(tmp_path, "answer", "r", "--with", "strange", "-o", "found.jsonl")
    assert_refused(ended, "answerer 'strange' of the package odd 0.1 .*" + told)


def test_a_broken_data_set_hides_no_other(tmp_path):
    install(tmp_path, "odd", {"rulemine.datasets": {"strange": "odd:Thing"}})
    listed = rulemine(tmp_path, "data", "list")
    assert listed.status == 0
    assert "strange          broken  data set 'strange' of the package odd 0.1" in listed.out
    assert "\nfamily " in listed.out
