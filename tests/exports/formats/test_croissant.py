"""The export ``croissant``: what it describes is there, read as the reference implementation reads it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from rulemine.errors import ConfigError
from rulemine.exports.exporting import export
from rulemine.release.reader import Release
from rulemine.release.writer import write_release
from tests import structures


@pytest.fixture
def whole(tmp_path: Path) -> Release:
    write_release(tmp_path / "whole", structures.world(), "text")
    return Release.open(tmp_path / "whole")


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


def test_every_field_is_what_the_description_says(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "croissant:published=2026-01-31", tmp_path / "croissant")
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
            outer = len(field.get("arrayShape", "").split(",")) if "arrayShape" in field else 0
            for part in field.get("subField", [field]):
                depth = len(part["arrayShape"].split(",")) if "arrayShape" in part else 0
                depth += outer if part is not field else 0
                rows = files[part["source"]["fileObject"]["@id"]]
                columns.add(part["source"]["extract"]["column"])
                values = [value_of(row, part) for row in rows]
                assert all(fits(value, part["dataType"], depth) for value in values), part["@id"]
        assert columns == rows[0].keys(), records["@id"]


def test_a_date_is_a_date(whole: Release, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a date such as 2026-01-31"):
        export(whole, "croissant:published=soon", tmp_path / "croissant")


def test_record_sets_are_those_of_the_release(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "croissant", tmp_path / "croissant", naming="private")
    told = json.loads((made.folder / "croissant.json").read_text())
    assert "datePublished" not in told
    names = [records["@id"] for records in told["recordSet"]]
    splits = {q.split for q in whole.questions()}
    assert {f"structures-private-{split}" for split in splits} <= set(names)
    assert {"kg-private-complete", "kg-private-incomplete", "mined-rules-private"} <= set(names)
    assert len(set(names)) == len(names) == made.counts["record_sets"]


def test_without_answers_nothing_is_described_but_inputs(whole: Release, tmp_path: Path) -> None:
    made = export(whole, "croissant", tmp_path / "croissant", without_answers=True)
    told = json.loads((made.folder / "croissant.json").read_text())
    fields = {
        r["@id"]: [f["name"].partition("/")[2] for f in r["field"]] for r in told["recordSet"]
    }
    assert fields == {
        "structures-text-test": ["id", "question", "anchors"],
        "kg-text-incomplete": ["head", "relation", "tail"],
    }
