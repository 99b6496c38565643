"""Validates exports `croissant` with the reference implementation, and loads every record through it."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import mlcroissant
from absl import logging


def plain(value: object) -> object:
    """A record as JSON has it: text for bytes, and fields by the last part of their identifiers."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {name.rpartition("/")[2]: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def flat(row: dict) -> dict:
    """A removal as the records have it: parts of parts beside parts, with dots in their names."""
    told = dict(row["difficulty"])
    for name in ("prior", "lift"):
        told |= {f"{name}.{end}": value for end, value in told.pop(name).items()}
    return row | {"difficulty": told}


def rows_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def check(exported: Path, release: Path) -> tuple[int, int]:
    manifest = json.loads((release / "manifest.json").read_text())
    naming, kind = manifest["naming"], manifest["config"]["kind"]
    data = mlcroissant.Dataset(jsonld=exported / "croissant.json")  # raises what is wrong with it
    told = data.metadata.ctx.issues.warnings
    assert all("datePublished" in warning for warning in told), told
    sets = {one.id: list(map(plain, data.records(one.id))) for one in data.metadata.record_sets}
    for split in ("train", "validation", "test"):
        rows = rows_of(release / f"questions/{split}.jsonl")
        assert sets.get(f"{kind}-{naming}-{split}", []) == rows, f"{split} is not the release's"
    assert sets[f"removed-{naming}"] == list(map(flat, rows_of(release / "removed.jsonl")))
    rules = [row["id"] for row in sets[f"mined-rules-{naming}"]]
    assert rules == [row["id"] for row in rows_of(release / "rules.jsonl")]
    assert len(sets[f"kg-{naming}-complete"]) == manifest["counts"]["triples_complete"]
    return len(sets), sum(map(len, sets.values()))


def main() -> None:
    logging.set_verbosity(logging.ERROR)
    root = Path(sys.argv[1])
    for release in sorted((root / "releases").iterdir()):
        count, rows = check(root / release.name / "croissant", release)
        print(
            f"mlcroissant {version('mlcroissant')}, {release.name}: {count} record sets, {rows:,} records"
        )


if __name__ == "__main__":
    main()
