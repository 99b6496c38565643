"""A release is built again from its own recipe; what was changed since is named."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.datasets.registry import load_kg
from rulemine.errors import ConfigError, InputError
from rulemine.recipe.loading import load_recipe
from rulemine.release.differences import compare
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from tests import each
from tests.command_line import Command
from tests.releases import built
from tests.verify.tampering import Tampering, in_lines
from tests.verify.tiny import seal, write_file

Settings = list[tuple[tuple[str, ...], object]]

FILES = {
    "questions.templates": "t.toml", "questions.filter": "f.toml", "labels": "l.tsv", "reference": "r.tsv",
}  # fmt: skip

GIVEN = {"rules": "rules.jsonl", "implied": "i.txt"}
"""What a release has no content of."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files for a recipe, and the release of it: nothing in it is a data set."""
    folder = tmp_path_factory.mktemp("made")
    kg = load_kg("demo")
    kg.write(folder / "kg.tsv")
    lines = (folder / "kg.tsv").read_text().splitlines(keepends=True)
    (folder / "kg.tsv").write_text("".join([*lines, *lines[:3]]))  # three duplicates
    rules = (built("demo-rules") / "rules.jsonl").read_text().splitlines(keepends=True)
    (folder / "rules.jsonl").write_text("".join(rules[::3]))
    source = Path(__file__).parents[2] / "rulemine/datasets/demo/templates.toml"
    (folder / "t.toml").write_text(source.read_text())
    (folder / "f.toml").write_text(
        '[drop]\n"works_with" = "dull"\n[classes]\ngossip = ["married_to"]\n'
        '[[standards]]\nbody_any = ["married_to"]\nmin_std_confidence = 0.9\nreason = "weak"\n'
    )
    (folder / "l.tsv").write_text("".join(f"{e}\t{e.title()}\n" for e in kg.entities[::2]))
    more = ((s, r, "x") if r == "lives_in" else (s, "met", o) for s, r, o in kg.labeled()[::6])
    (folder / "r.tsv").write_text("".join([*lines, *("\t".join(t) + "\n" for t in more)]))
    (folder / "i.txt").write_text("married_to(x,z) ∧ lives_in(z,y) ⇒ lives_in(x,y)\n")
    settings: Settings = [
        (tuple(key.split(".")), str(folder / name)) for key, name in {**FILES, **GIVEN}.items()
    ]
    few = (("selection", "share"), 0.2)
    recipe = load_recipe(str(folder / "kg.tsv"), [*settings, few, (("seed",), 3)])
    Build(recipe, folder / "release").run()
    return folder


def differences(release: Path, target: Path, given: dict[str, str]) -> tuple[list[str], list[str]]:
    """Files that differ, and keys that the release stood in for."""
    notes: list[str] = []
    opened = Release.open(release)
    rebuild(opened, target, given, BuildContext(on_warning=notes.append))
    stand_ins = [note.split()[0] for note in notes if "is not proved" in note]
    return [str(found) for found in compare(opened, target)], stand_ins


def files(made: Path) -> dict[str, str]:
    names = {**FILES, **GIVEN, "kg": "kg.tsv"}
    return {key: str(made / name) for key, name in names.items()}


@pytest.fixture(scope="module")
def again(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release built again from the same files."""
    target = tmp_path_factory.mktemp("again") / "release"
    assert differences(made / "release", target, files(made)) == ([], [])
    return target


def test_the_release_stands_in_for_files_in_another_naming(made: Path, tmp_path: Path) -> None:
    rename(Release.open(made / "release"), tmp_path / "text", "text")
    given = {key: files(made)[key] for key in GIVEN}
    found = differences(tmp_path / "text", tmp_path / "again", given)
    assert found == ([], ["kg", "reference", "labels", "questions.templates", "questions.filter"])


def test_what_only_the_file_has_must_be_given(made: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"rules names rules\.jsonl: give the file, --set rules="):
        differences(made / "release", tmp_path / "again", {})
    with pytest.raises(ConfigError, match=r'rules=.*other\.txt: the recipe names "rules\.jsonl"'):
        differences(made / "release", tmp_path / "again", {"rules": "other.txt"})
    with pytest.raises(ConfigError, match=r"implied names i\.txt: give the file, --set implied="):
        differences(made / "release", tmp_path / "again", {"rules": str(made / "rules.jsonl")})
    for key, problem in (("verbalizer.prompt", 'names "none"'), ("label", "did you mean .labels")):
        with pytest.raises(ConfigError, match=problem):
            differences(made / "release", tmp_path / "again", {key: "x.toml"})
    (tmp_path / "kg.tsv").write_text("a\tr\tb\n")
    given = files(made) | {"kg": str(tmp_path / "kg.tsv")}
    with pytest.raises(InputError, match="another graph"):
        differences(made / "release", tmp_path / "again", given)


def line_of(name: str, number: int, change: Callable[[str], str]) -> Tampering:
    def other(lines: list[str]) -> list[str]:
        return [*lines[: number - 1], change(lines[number - 1]), *lines[number:]]

    return in_lines(name, other)


@each(
    ("tamper", "expected"),
    [
        (line_of("README.md", 3, lambda line: line.replace("questions", "riddles")), "README.md: line 3"),
        (line_of("rules.jsonl", 2, lambda line: line.replace("0", "1")), "rules.jsonl: line 2"),
        (line_of("kg/complete.tsv.gz", 4, lambda _: "a\tb\tc\n"), "kg/complete.tsv.gz: line 4"),
        (lambda folder: (folder / "rejected.jsonl").unlink(), "rejected.jsonl: found none"),
        (lambda folder: write_file(folder, "more.txt", "x\n"), "more.txt: found a file"),
        (line_of("entities.tsv", 9, lambda line: line * 2), "entities.tsv: line 10"),
    ],
)  # fmt: skip
def test_what_was_changed_is_named(again, tmp_path, tamper, expected):
    release = shutil.copytree(again, tmp_path / "release")
    tamper(release)
    seal(release)
    found = [str(difference) for difference in compare(Release.open(release), again)]
    assert any(text.startswith(expected) for text in found), found
    assert any(text.startswith("manifest.json: line ") for text in found)


def test_the_command_says_both_verdicts(made: Path, tmp_path: Path, command: Command) -> None:
    shutil.copytree(made / "release", tmp_path / "release")
    words = [f"--set={key}={path}" for key, path in files(made).items()]
    line_of("rejected.jsonl", 1, lambda line: line.replace('"detail":"', '"detail":"x'))(
        tmp_path / "release"
    )
    seal(tmp_path / "release")
    ended = command("verify", tmp_path / "release", "--rebuild", *words)
    assert ended.status == 1
    assert "every invariant holds" in ended.out
    assert "not what its recipe makes: 2 files" in ended.out
    assert "rejected.jsonl: line 1: found" in ended.out
