"""A release is opened by its manifest, and every part is checked when it is read."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import ReleaseError, UserError
from rulemine.release.reader import Release
from tests.verify.tampering import edited, put
from tests.verify.tiny import PARTS, read_file, seal, write_file, write_release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path)


def test_every_part_is_read(folder: Path) -> None:
    release = Release.open(folder)
    assert (release.name, release.naming, release.levels) == ("tiny", "entity", (100,))
    assert sorted(release.kg("complete").labeled()) == sorted(PARTS.complete.labeled())
    removed = {row.triple for row in PARTS.removals}
    assert {*release.kg().labeled()} == {*PARTS.complete.labeled()} - removed
    assert release.questions() == PARTS.questions
    assert release.questions("test") == PARTS.questions[:1]
    assert (release.removals(), release.rules()) == (PARTS.removals, PARTS.rules)
    assert (release.rejections(), release.entities) == (PARTS.rejections, PARTS.names)
    assert list(release.relations()) == ["grandparent", "husband", "parent", "wife"]
    assert release.relations()["wife"]["statement"] == "{subject} is the wife of {object}"


def test_one_question_is_found_without_decoding_the_others(folder: Path) -> None:
    write_file(folder, "questions/test.jsonl", "no question\n")
    seal(folder)
    found = Release.open(folder).question("q3")
    assert found is not None
    assert found.id == "q3"
    assert Release.open(folder).question("q") is None


def test_a_graph_without_a_file_lacks_what_is_removed_at_its_level_or_below(folder: Path) -> None:
    edited("removed.jsonl", 1, put("level", 40))(folder)
    seal(folder)
    release = Release.open(folder)
    for level in (0, 39, 40, 41, 99):
        lacks = {*PARTS.complete.labeled()} - {*release.kg(f"incomplete-{level}").labeled()}
        assert lacks == ({PARTS.removals[0].triple} if level >= 40 else set())


MANIFESTS: list[tuple[dict[str, Any], str]] = [
    ({"format": "something"}, "format is 'something'; expected 'rulemine release'"),
    ({"format": None}, "format is None"),
    ({"format_version": None}, "format version is null"),
    ({"format_version": "1"}, 'format version is "1"; expected 5'),
    ({"format_version": True}, "format version is true"),
    ({"format_version": 4}, r"format version is 4; expected 5\. Build the release again\."),
    ({"format_version": 6}, "format version is 6; expected 5.*Upgrade"),
    ({"counts": None, "config": None}, "config is missing"),
    ({"files": None}, "files is missing"),
    ({"files": []}, r"files is \[\]"),
    ({"files": {"a": 5}}, "files is"),
    ({"levels": 5}, "levels is 5"),
    ({"levels": [0, 100]}, r"levels is \[0,100\]"),
    *(({"levels": levels}, "levels is") for levels in (["x"], [50], [50, 101], [100, 50], [100, 100])),
    ({"config": {"selection": None}}, "config is"),
    ({"config": {"questions": 5}}, "config is"),
    ({"naming": "x", "config": 3}, 'naming is "x"'),
]  # fmt: skip


def test_a_manifest_that_does_not_fit_is_refused(folder: Path) -> None:
    path = folder / "manifest.json"
    whole = json.loads(path.read_text())
    for changes, expected in MANIFESTS:
        left = {key: value for key, value in (whole | changes).items() if value is not None}
        path.write_text(json.dumps(left))
        with pytest.raises(ReleaseError, match=expected) as caught:
            Release.open(folder)
        assert str(path) in str(caught.value)
    for content in (b"", b"{", b"[]", b"null", b"\xff\xfe{}", b'{"levels": null}'):
        path.write_bytes(content)
        with pytest.raises(ReleaseError, match=r"manifest\.json"):
            Release.open(folder)


READERS: dict[str, Callable[[Release], object]] = {
    "kg/complete.tsv.gz": lambda release: release.kg("complete"),
    "kg/incomplete.tsv.gz": lambda release: release.kg(),
    "removed.jsonl": Release.removals, "rules.jsonl": Release.rules, "rejected.jsonl": Release.rejections,
    "entities.tsv": lambda release: release.entities,
    "relations.tsv": Release.relations, "questions/train.jsonl": Release.questions,
    "questions/test.jsonl": lambda release: release.questions("test"),
}  # fmt: skip


def test_a_missing_or_edited_file_is_named(folder: Path) -> None:
    for name, read in READERS.items():
        path = folder / name
        content = path.read_bytes()
        write_file(folder, name, read_file(folder, name) * 2)
        with pytest.raises(ReleaseError, match=f"{path}.*its digest is not the one in"):
            read(Release.open(folder))
        path.unlink()
        with pytest.raises(ReleaseError, match=f"{path}: no such file"):
            read(Release.open(folder))
        path.write_bytes(content[:-4])
        with pytest.raises(UserError, match=r"not a complete gz file|its digest is not"):
            read(Release.open(folder))
        path.write_bytes(
            gzip.compress(gzip.decompress(content), 1) if path.suffix == ".gz" else content
        )
        read(Release.open(folder))


def test_a_malformed_line_is_named_even_if_the_digest_fits(folder: Path) -> None:
    for name, text, expected in (
        ("entities.tsv", "private\tentity\ttext\ne0\tann\n", "line 2 has 2 columns, not 3"),
        ("relations.tsv", "relation\tstatement\nwife\n", "line 2 has 1 columns, not 2"),
        ("questions/test.jsonl", '{"id": 5}\n', r"line 1: Expected `str`, got `int` - at `\$\.id`"),
        ("removed.jsonl", "{}\n", "line 1: Object missing required field `triple`"),
    ):
        write_file(folder, name, text)
        seal(folder)
        with pytest.raises(UserError, match=expected) as caught:
            READERS[name](Release.open(folder))
        assert str(folder / name) in str(caught.value)


def test_a_benchmark_built_in_another_naming_is_the_same_one(folder: Path) -> None:
    release = Release.open(folder)

    def identity(naming: str, verbalizer: str) -> str:
        config = {"naming": naming, "verbalizer": {"name": verbalizer, "naming": naming}}
        return replace(release, manifest={**release.manifest, "config": config}).identity

    assert identity("text", "template") == identity("private", "template")
    assert identity("text", "openai") != identity("private", "openai")  # other prompts
