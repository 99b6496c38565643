"""Converts a release of format 3 to format 4.

    python tools/to_format4.py OLD NEW

OLD is the folder or the archive of a release of format 3, NEW the folder to write. Moved and renamed fields
are all that changes: four fields that each kind had in a block of its own are fields of every question, the
rest of that is the field ``block``, and the options name the section of the release's own kind alone. The
card is written again. The releases that ``not_in`` names have another identity in format 4. Those of the kind
``cypher`` have to be built again.
"""

import json
import shutil
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulemine.codec import dump_line
from rulemine.files import describe_content
from rulemine.release.card.page import write_card
from rulemine.release.contents import read_parts
from rulemine.release.reader import Release

LIFTED = ("relations", "intermediates", "removed", "rules")
"""Of a block, what is a field of every question."""

KINDS = ("structures", "subgraphs", "variants", "cypher")
"""The kinds with a section of their own."""


def question_of(old: dict[str, Any]) -> dict[str, Any]:
    """A line of ``questions/*.jsonl``, fields in the order of the format."""
    block = dict(old[old["kind"]])
    if old["kind"] == "rules":
        block["relations"] = [block.pop("relation")]
        block["removed"] = [block.pop("removed")]
        block["rules"] = [block.pop("rule")]
    lifted = {name: block.pop(name, []) for name in LIFTED}
    new: dict[str, Any] = {}
    for name, value in old.items():
        if name == "split":
            new |= lifted
        if name != old["kind"]:
            new[name] = value
    return new | {"block": block}


def config_of(old: dict[str, Any]) -> dict[str, Any]:
    """The options, without the sections of other kinds."""
    return {key: value for key, value in old.items() if key not in KINDS or key == old.get("kind")}


def convert(old: Path, new: Path) -> None:
    """Writes the release of a folder into another, which is there, as format 4."""
    shutil.copytree(old, new, dirs_exist_ok=True)
    for file in sorted(new.glob("questions/*.jsonl")):
        rows = map(json.loads, file.read_text("utf-8").splitlines())
        file.write_text("".join(f"{dump_line(question_of(row))}\n" for row in rows), "utf-8")
    path = new / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest |= {"format_version": 4, "config": config_of(manifest["config"])}
    _write(path, manifest, new)
    plain = {key: value for key, value in manifest.items() if key != "files"}
    card = write_card(read_parts(Release.open(new)), plain)
    (new / "README.md").write_text(card, "utf-8")
    _write(path, manifest, new)


def _write(path: Path, manifest: dict[str, Any], folder: Path) -> None:
    for name in manifest["files"]:
        size, digest = describe_content(folder / name)
        manifest["files"][name] = {"bytes": size, "sha256": digest}
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2)
    path.write_text(f"{text}\n", "utf-8")


@contextmanager
def _folder(given: Path) -> Iterator[Path]:
    """The folder of a release, unpacked if it is an archive."""
    if given.is_dir():
        yield given
        return
    with TemporaryDirectory(prefix="rulemine-") as place:
        with tarfile.open(given) as archive:
            archive.extractall(place, filter="data")
        yield next(Path(place).rglob("manifest.json")).parent


def main(arguments: list[str]) -> str:
    """Converts; returns what is wrong, or nothing."""
    if len(arguments) != 2:
        return "usage: python tools/to_format4.py OLD NEW"
    old, new = map(Path, arguments)
    if new.exists():
        return f"{new}: is there already; name a folder that is not."
    try:
        with _folder(old) as folder:
            manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
            if manifest.get("format_version") != 3:
                return f"{old}: is of format {manifest.get('format_version')}; expected 3."
            if manifest["config"].get("kind") == "cypher":
                return f"{old}: is of the kind cypher, whose questions have other fields now; build it again."
            new.mkdir(parents=True)
            convert(folder, new)
    except (OSError, tarfile.TarError, StopIteration) as problem:
        return f"{old}: cannot be read as a release ({problem}); name its folder or its archive."
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
