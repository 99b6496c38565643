"""The export ``hf``, read as `datasets` reads it: the YAML of the card, and the files that it names."""

import json
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.exports.formats.published import license_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.release.publish import rename
from rulemine.release.reader import Release
from rulemine.release.records import SPLITS
from rulemine.release.writer import write_release
from tests import each, structures
from tests.verify import tiny


@pytest.fixture(params=["rules", "structures"])
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Release:
    """A release with all of its files, of either kind."""
    folder = tmp_path / "whole"
    if request.param == "rules":
        return Release.open(tiny.write_release(folder))
    write_release(folder, structures.world(), "text")
    return Release.open(folder)


def front(folder: Path) -> dict[str, object]:
    top, _, _ = (folder / "README.md").read_text().removeprefix("---\n").partition("---\n")
    read: dict[str, object] = yaml.safe_load(top)
    return read


def load(folder: Path) -> dict[str, dict[str, list[dict[str, object]]]]:
    """Configuration → split → rows."""
    found = {}
    for config in front(folder)["configs"]:  # type: ignore[attr-defined]
        tables = {f["split"]: pq.read_table(folder / f["path"]) for f in config["data_files"]}
        assert all(table.schema.metadata is None for table in tables.values())
        found[config["config_name"]] = {split: t.to_pylist() for split, t in tables.items()}
    return found


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_naming_has_the_records_of_the_release(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "hf", tmp_path / "hf")
    again = export(whole, "hf", tmp_path / "again")
    described = [(one.folder / "export.json").read_bytes() for one in (made, again)]
    assert described[0] == described[1]  # it has the digest of every file
    found = load(made.folder)
    for naming in ("private", "entity", "text"):
        rename(whole, tmp_path / naming, naming)
        own = Release.open(tmp_path / naming)
        for split in SPLITS:
            rows = lines(own.file(f"questions/{split}.jsonl"))
            assert found[f"{own.kind}-{naming}"].get(split, []) == rows
        assert found[f"removed-{naming}"]["train"] == lines(own.file("removed.jsonl"))
        rules = lines(own.file("rules.jsonl"))
        assert found[f"mined-rules-{naming}"]["train"] == rules
        for name in own.graphs:
            rows = found[f"kg-{naming}-{name}"]["train"]
            triples = [(r["head"], r["relation"], r["tail"]) for r in rows]
            assert triples == own.kg(name).labeled()
    assert [row["private"] for row in found["entities"]["train"]] == [
        row.private for row in whole.entities
    ]
    assert {row["relation"] for row in found["relations"]["train"]} == whole.relations().keys()


def test_the_card_says_what_the_card_of_the_release_says(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "hf", tmp_path / "hf", naming="private")
    told = front(made.folder)
    assert told["task_categories"] == ["question-answering", "graph-ml"]
    assert told["size_categories"] == ["n<1K"]
    assert told["license"] == license_of(whole.manifest["kg"]["license"])[0]
    assert told["language"] == ["en"]
    default = [c["config_name"] for c in told["configs"] if c.get("default")]  # type: ignore[attr-defined]
    assert default == [f"{whole.kind}-private"]
    text = (made.folder / "README.md").read_text()
    own = whole.file("README.md").read_text()
    own = own.partition("## Use")[0] + own.partition("## Use")[2].partition("## License")[2]
    assert [line for line in own.splitlines() if line and line not in text] == []
    assert "## Use" not in text
    assert f'load_dataset(PATH, "{whole.kind}-private")' in text


def test_a_level_that_the_release_has_no_file_of(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "hf", tmp_path / "hf", kg="incomplete-7")
    rows = load(made.folder)[f"kg-{whole.naming}-incomplete-7"]["train"]
    triples = [(str(r["head"]), str(r["relation"]), str(r["tail"])) for r in rows]
    assert triples == whole.kg("incomplete-7").labeled()
    assert KnowledgeGraph.from_triples(triples) is not None


def test_without_answers_there_are_the_inputs_of_the_test_split(
    whole: Release, tmp_path: Path
) -> None:
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


def test_two_releases_are_of_different_versions(tmp_path: Path) -> None:
    # datasets 2.14 gave the rows of one release for another in a folder of the same name.
    seen = set()
    for number, naming in enumerate(("text", "private")):
        write_release(tmp_path / str(number), structures.world(), naming)
        release = Release.open(tmp_path / str(number))
        for hidden in (False, True):
            folder = tmp_path / f"{number}{hidden}"
            made = export(release, "hf", folder, naming="text", without_answers=hidden)
            seen |= {c["version"] for c in front(made.folder)["configs"]}  # type: ignore[attr-defined]
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
def test_licenses_have_the_names_of_the_hub(words: str, name: str) -> None:
    assert license_of(words)[0] == name


def test_a_license_of_no_such_name_is_told_in_words(tmp_path: Path) -> None:
    folder = tiny.write_release(tmp_path / "tiny")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["kg"]["license"] = "Ask the hospital: no copies"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    told = front(export(Release.open(folder), "hf", tmp_path / "hf").folder)
    assert (told["license"], told["license_name"]) == ("other", "ask-the-hospital-no-copies")
    assert told["license_details"] == "Ask the hospital: no copies"


def test_without_pyarrow_it_says_what_to_install(
    whole: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'rulemine\[exports\]'"):
        export(whole, "hf", tmp_path / "hf")
    assert not (tmp_path / "hf").exists()
