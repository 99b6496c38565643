"""The exports ``hf`` and ``croissant``: what their descriptions promise is in their files."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.exports.formats.published import license_of
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.release.writer import write_release
from tests import each, structures
from tests.exports import rows
from tests.verify import tiny


@pytest.fixture(scope="module")
def world(home: Path) -> Release:
    """Questions of all structures, with all files of a release."""
    write_release(home / "world", structures.world(), "text")
    return Release.open(home / "world")


@pytest.fixture(scope="module", params=["rules", "structures"])
def whole(request: pytest.FixtureRequest, home: Path) -> Release:
    """A release with all of its files, of either kind."""
    if request.param == "rules":
        return Release.open(tiny.write_release(home / "tiny"))
    made: Release = request.getfixturevalue("world")
    return made


# The Hub: the YAML of the card, and the files that it names, as `datasets` reads them.


def front(folder: Path) -> dict[str, Any]:
    top, _, _ = (folder / "README.md").read_text().removeprefix("---\n").partition("---\n")
    return yaml.safe_load(top)


def load(folder: Path) -> dict[str, dict[str, list[dict[str, object]]]]:
    """Configuration → split → rows."""
    found = {}
    for config in front(folder)["configs"]:
        tables = {f["split"]: pq.read_table(folder / f["path"]) for f in config["data_files"]}
        assert all(table.schema.metadata is None for table in tables.values())
        found[config["config_name"]] = {split: t.to_pylist() for split, t in tables.items()}
    return found


def test_every_naming_has_the_records_of_the_release(whole, tmp_path):
    made, again = (export(whole, "hf", tmp_path / name).folder for name in ("hf", "again"))
    # The description has the digest of every file.
    assert (made / "export.json").read_bytes() == (again / "export.json").read_bytes()
    found = load(made)
    for naming in ("private", "entity", "text"):
        rename(whole, tmp_path / naming, naming)
        own = Release.open(tmp_path / naming)
        for split in SPLITS:
            asked = found[f"{own.kind}-{naming}"].get(split, [])
            assert asked == rows(own.file(f"questions/{split}.jsonl"))
        assert found[f"removed-{naming}"]["train"] == rows(own.file("removed.jsonl"))
        assert found[f"mined-rules-{naming}"]["train"] == rows(own.file("rules.jsonl"))
        for name in own.graphs:
            stated = found[f"kg-{naming}-{name}"]["train"]
            triples = [(r["head"], r["relation"], r["tail"]) for r in stated]
            assert triples == own.kg(name).labeled()
    entities = [row["private"] for row in found["entities"]["train"]]
    assert entities == [row.private for row in whole.entities]
    assert {row["relation"] for row in found["relations"]["train"]} == whole.relations().keys()


def test_the_card_says_what_the_card_of_the_release_says(whole, tmp_path):
    made = export(whole, "hf", tmp_path / "hf", naming="private")
    told = front(made.folder)
    assert told["task_categories"] == ["question-answering", "graph-ml"]
    assert (told["size_categories"], told["language"]) == (["n<1K"], ["en"])
    assert told["license"] == license_of(whole.manifest["kg"]["license"])[0]
    default = [c["config_name"] for c in told["configs"] if c.get("default")]
    assert default == [f"{whole.kind}-private"]
    text, own = ((one / "README.md").read_text() for one in (made.folder, whole.path))
    own = own.partition("## Use")[0] + own.partition("## Use")[2].partition("## License")[2]
    assert [line for line in own.splitlines() if line and line not in text] == []
    assert "## Use" not in text
    assert f'load_dataset(PATH, "{whole.kind}-private")' in text


def test_without_answers_there_are_the_inputs_of_the_test_split(whole, tmp_path):
    made = export(whole, "hf", tmp_path / "hf", without_answers=True)
    kind, naming = whole.kind, whole.naming
    found = load(made.folder)
    assert found.keys() == {f"{kind}-{naming}", f"kg-{naming}-incomplete"}
    assert found[f"{kind}-{naming}"] == {
        "test": [
            {"id": q.id, "question": q.question, "anchors": list(q.anchors)}
            for q in whole.questions("test")
        ]
    }
    card = (made.folder / "README.md").read_text()
    assert "ard answer:" not in card
    assert "Answers are not in this export" in card


def test_two_releases_are_of_different_versions(world, tmp_path):
    # datasets 2.14 gave the rows of one release for another in a folder of the same name.
    write_release(tmp_path / "private", structures.world(), "private")
    seen = set()
    for number, release in enumerate((world, Release.open(tmp_path / "private"))):
        for hidden in (False, True):
            folder = tmp_path / f"{number}{hidden}"
            export(release, "hf", folder, naming="text", without_answers=hidden)
            seen |= {c["version"] for c in front(folder)["configs"]}
    assert len(seen) == 4


@each(
    ("words", "name"),
    [
        ("CC BY 4.0 (Freebase)", "cc-by-4.0"),
        ("CC0", "cc0-1.0"),
        ("Apache-2.0", "apache-2.0"),
        ("MIT License", "mit"),
        ("not stated by the source", "unknown"),
        ("", "unknown"),
        ("ask the hospital", "other"),
    ],
)
def test_licenses_have_the_names_of_the_hub(words, name):
    assert license_of(words)[0] == name


def test_a_license_of_no_such_name_is_told_in_words(tmp_path):
    folder, words = tiny.write_release(tmp_path / "tiny"), "Ask the hospital: no copies"
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["kg"]["license"] = words
    (folder / "manifest.json").write_text(json.dumps(manifest))
    told = front(export(Release.open(folder), "hf", tmp_path / "hf").folder)
    found = [told[key] for key in ("license", "license_name", "license_details")]
    assert found == ["other", "ask-the-hospital-no-copies", words]


def test_without_pyarrow_it_says_what_to_install(world, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'rulemine\[exports\]'"):
        export(world, "hf", tmp_path / "hf")
    assert not (tmp_path / "hf").exists()


# Croissant, as the reference implementation reads it.


def value_of(row: dict[str, Any], field: dict[str, Any]) -> Any:
    """A value of a field without parts: that of its column, or what its path leads to in each item."""
    value = row[field["source"]["extract"]["column"]]
    path = field["source"].get("transform", {}).get("jsonPath", "")
    for step in filter(None, path.split(".")):
        value = [item[step] for item in value] if isinstance(value, list) else value[step]
    return value


def fits(value: Any, kind: str, depth: int) -> bool:
    if value is None:
        return True
    if depth:
        return isinstance(value, list) and all(fits(item, kind, depth - 1) for item in value)
    wanted = {"sc:Text": str, "sc:Integer": int, "sc:Float": float, "sc:Boolean": bool}
    return type(value) is wanted[kind]


def depth_of(field: dict[str, Any]) -> int:
    return len(field["arrayShape"].split(",")) if "arrayShape" in field else 0


def test_every_field_is_what_the_description_says(world, tmp_path):
    made = export(world, "croissant:published=2026-01-31", tmp_path / "croissant")
    told = json.loads((made.folder / "croissant.json").read_text())
    assert told["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert told["datePublished"] == "2026-01-31"
    files = {}
    for file in told["distribution"]:
        path = made.folder / file["contentUrl"]
        assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert file["contentSize"] == f"{path.stat().st_size} B"
        files[file["@id"]] = pq.read_table(path).to_pylist()
    for records in told["recordSet"]:
        columns = set()
        for field in records["field"]:
            for part in field.get("subField", [field]):
                depth = depth_of(part) + (depth_of(field) if part is not field else 0)
                table = files[part["source"]["fileObject"]["@id"]]
                columns.add(part["source"]["extract"]["column"])
                values = [value_of(row, part) for row in table]
                assert all(fits(value, part["dataType"], depth) for value in values), part["@id"]
        assert columns == table[0].keys(), records["@id"]
    with pytest.raises(ConfigError, match="expected a date such as 2026-01-31"):
        export(world, "croissant:published=soon", tmp_path / "soon")


def test_record_sets_are_those_of_the_release(world, tmp_path):
    made = export(world, "croissant", tmp_path / "croissant", naming="private")
    told = json.loads((made.folder / "croissant.json").read_text())
    assert "datePublished" not in told
    names = [records["@id"] for records in told["recordSet"]]
    splits = {q.split for q in world.questions()}
    assert {f"structures-private-{split}" for split in splits} <= set(names)
    assert {"kg-private-complete", "kg-private-incomplete", "mined-rules-private"} <= set(names)
    assert len(set(names)) == len(names) == made.counts["record_sets"]
    secret = export(world, "croissant", tmp_path / "secret", without_answers=True)
    told = json.loads((secret.folder / "croissant.json").read_text())
    assert {
        r["@id"]: [f["name"].partition("/")[2] for f in r["field"]] for r in told["recordSet"]
    } == {
        "structures-text-test": ["id", "question", "anchors"],
        "kg-text-incomplete": ["head", "relation", "tail"],
    }
